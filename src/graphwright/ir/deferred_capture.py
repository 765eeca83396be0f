"""Captures whose values are asked for at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class DeferredCapture:
    """What a graph captures in the place of a tensor: a function that gives one at each call."""

    def __init__(self, original: object, now: Callable[[], object]) -> None:
        self.original = original
        self.now = now


def tensor_now(outside: object) -> Any:
    """The tensor of a capture for a call that is about to be."""
    return outside.now() if type(outside) is DeferredCapture else outside


def tensor_of_trace(outside: object) -> Any:
    """The tensor of a capture when the graph was traced."""
    return outside.original if type(outside) is DeferredCapture else outside
