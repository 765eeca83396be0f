"""Traces that get quick code first, whatever asks for it, and better code behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from graphwright.compile.run.tiers import Tiered
from graphwright.machine import background


@contextmanager
def drafting() -> Iterator[None]:
    """All machine code of traces is a draft at first."""
    with patch.object(Tiered, "is_hurried", True):
        yield


@contextmanager
def staying_drafts() -> Iterator[None]:
    """All machine code of traces is a draft, and stays one."""
    submit = background.submit

    def urgent_alone(job: object, is_urgent: bool = True) -> bool:
        return submit(job, is_urgent) if is_urgent else True  # type: ignore[arg-type]

    with drafting(), patch.object(background, "submit", urgent_alone):
        yield
