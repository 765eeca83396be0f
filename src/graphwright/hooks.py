"""What upper layers provide to lower ones; `install` hands it over when the package is imported."""

from __future__ import annotations

from graphwright.ragged.bodies import RaggedBodies
from graphwright.ragged.methods import METHODS


def install() -> None:
    """Hands each lower layer the implementations that it declares."""
    METHODS.bodies = RaggedBodies()
