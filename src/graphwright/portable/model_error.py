"""The errors about models that cannot be loaded."""

from __future__ import annotations

from graphwright.base.errors import InvalidArgumentError


def malformed(where: str, why: str) -> InvalidArgumentError:
    """The error about a part of a model that contradicts itself."""
    return InvalidArgumentError(None, None, f"the model is malformed: {where}: {why}")
