"""What expansions are written against: composite ops in terms of simpler ones.

An op's `expand` takes the operands as tensors of the graph that is being made, and gives the
results, or None where kernels are to do the work: then elements are too many, or something is
unknown. It is written in ops, as `gradient` is, with `ops.core.rule_words` for what machine code
alone has. What an operand on the host holds must mostly be known: then elements are moved by index
maps, and joined.
"""

from __future__ import annotations

from typing import Any, Protocol

from graphwright.op.cotangents import Cotangent
from graphwright.op.op import Op


class GraphTensor(Cotangent, Protocol):
    """An operand of a composite op: a tensor of a graph, with its operators."""

    @property
    def known(self) -> Any:
        """What is known of the value, with None for each entry that is not."""

    @property
    def parts(self) -> tuple[Any, ...] | None:
        """What a vector was packed of; None for a value that was made otherwise."""

    def __lt__(self, other: object, /) -> Any: ...
    def __le__(self, other: object, /) -> Any: ...
    def __gt__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __and__(self, other: object, /) -> Any: ...
    def __rpow__(self, other: object, /) -> Any: ...
    def __mod__(self, other: object, /) -> Any: ...


def is_composite(op: Op) -> bool:
    """Whether an op's record says what it is in simpler ops."""
    return type(op).expand is not Op.expand
