"""What expansions are written against: composite ops in terms of simpler ones.

An op's `expand` takes the operands as tensors of the graph that is being made, and gives the
results. It gives None where kernels are to do the work, as elements are too many or something is
unknown. It is written in ops, as `gradient` is, with `ops.core.rule_words` for what machine code
alone has. What an operand on the host holds must mostly be known: then elements are moved by index
maps, and joined. Results are not expanded again: they are of ops that machine code has.
"""

from __future__ import annotations

from typing import Any, Protocol

from graphwright.op.op import Op
from graphwright.types.arguments import TensorValue


class GraphTensor(TensorValue, Protocol):
    """An operand of a composite op: a tensor of a graph."""

    @property
    def shape(self) -> Any:
        """The shape, whose rank is known: kernels take tensors of others."""

    @property
    def parts(self) -> tuple[Any, ...] | None:
        """What a vector was packed of; None for a value that was made otherwise."""


def is_composite(op: Op) -> bool:
    """Whether an op's record says what it is in simpler ops."""
    return type(op).expand is not Op.expand
