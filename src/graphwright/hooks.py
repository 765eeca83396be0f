"""What upper layers provide to lower ones; `install` hands it over when the package is imported."""

from __future__ import annotations

from graphwright.ir.face import Face
from graphwright.ir.operation import Faces
from graphwright.ragged.factories import Factories
from graphwright.ragged.method_bodies import RaggedBodies


def install() -> None:
    """Hands each lower layer the implementations that it declares."""
    Face._bodies = Faces()
    Factories._bodies = RaggedBodies()
