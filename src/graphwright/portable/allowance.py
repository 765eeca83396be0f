"""How much work and memory a model may ask for, by its size."""

from __future__ import annotations

from graphwright.base.errors import ResourceExhaustedError

#: A model of so many nodes may become so many times as many, and some more.
_TIMES, _SOME = 50, 10_000
#: Bytes that constants may take beyond those of the file.
_BYTES = 1 << 28


class Allowance:
    """What importing a model may still use; ResourceExhaustedError once nothing is left.

    Functions are imported for each type of arguments, and branches where they stand. So a small
    file can stand for very many nodes.
    """

    def __init__(self, nodes: int) -> None:
        self.nodes = _TIMES * nodes + _SOME
        self.bytes = _BYTES

    def use(self, nodes: int) -> None:
        """Takes so many nodes of it."""
        self.nodes -= nodes
        if self.nodes < 0:
            words = "the functions of the model call each other so often that it has no end"
            raise ResourceExhaustedError(None, None, words)

    def hold(self, size: int) -> None:
        """Takes so many bytes of it."""
        self.bytes -= size
        if self.bytes < 0:
            words = f"the constants of the model take more than {_BYTES} bytes beyond its own"
            raise ResourceExhaustedError(None, None, words)
