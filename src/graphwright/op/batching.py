"""Batching rules: what an op becomes when it is applied to many rows at once.

`tf.vectorized_map` runs a function for every row of its arguments by running each op once. The
op's operands then hold those of all rows along a new first axis. An op's `batched` says how, in
terms of an `Each`; rules that many ops share stand here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.types.arguments import ShapeLike, TensorLike, TensorValue
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


class Refusal(Exception):
    """An op cannot be applied to all rows at once; the message says why."""


class NotVectorized(ValueError):
    """An op cannot take all rows at once, and may not run in a loop."""

    def __init__(self, words: str, op: str, has_lists: bool = False) -> None:
        super().__init__(words)
        self.op = op
        self.has_lists = has_lists


class Same(NamedTuple):
    """A result that is the same for every row, without the axis of rows."""

    tensor: Any


class Each(Protocol):
    """An op's operands for all rows: *stacked* along a first axis, or the same for every row."""

    inputs: tuple[Any, ...]  # as the op takes them: tensors, and host values
    stacked: tuple[bool, ...]
    types: tuple[TensorType, ...]  # of one row's operands
    results: tuple[TensorType, ...]  # of one row's results
    count: Any  # how many rows: an int if it is known, else a tensor

    def rank(self, i: int) -> int:
        """The rank of an operand in one row; `Refusal` if it is not known."""

    def same(self, i: int) -> Any:
        """An operand that must be the same for every row; `Refusal` if it is not."""

    def full(self, i: int) -> Any:
        """An operand with the axis of rows, repeated if it is the same for all."""

    def greatest_rank(self) -> Any:
        """The greatest rank of an operand in one row: an int if it is known, else a tensor."""

    def aligned(self, i: int, rank: int | TensorValue) -> Any:
        """An operand as one of rank `rank` in each row: if it is stacked, new axes of size 1
        follow that of the rows. An operand that is the same for all is left as it is."""

    def axes(self, i: int) -> Any:
        """The axis or axes that operand `i` names, counted with the axis of rows in front."""

    def longer(self, shape: ShapeLike, first: TensorLike | None = None) -> Any:
        """A vector with one more entry in front: the number of rows, or `first`."""

    def broadcast(self, i: int, shape: ShapeLike) -> Any:
        """An operand broadcast to a shape in every row: rows in front."""

    def rows(self, dtype: DType) -> Any:
        """The numbers of the rows, `[0, .., count - 1]`."""

    def product(self, vector: TensorLike) -> Any:
        """The product of a vector's entries."""

    def merged(self, i: int) -> Any:
        """An operand whose own first axis follows that of the rows as one axis of both."""

    def split(self, tensor: TensorValue, i: int) -> Any:
        """The inverse of `merged`, with the size that operand `i` has along its first axis."""

    def behind(self, i: int) -> Any:
        """An operand with the axis of rows as its last one."""

    def fronted(self, tensor: TensorValue) -> Any:
        """A result of such operands: its last axis is that of the rows."""

    def channels(self, i: int) -> Any:
        """An operand with the axis of rows and its last axis joined, as the last one."""

    def unfolded(self, tensor: TensorValue, axis: int) -> Any:
        """A result of such operands: its axis, counted from the end, begins with the rows."""

    def run(
        self,
        graph: Any,
        inputs: Sequence[TensorValue],
        stacked: Sequence[bool],
        wanted: Sequence[bool] | None = None,
        places: TensorValue | None = None,
    ) -> list[Any]:
        """A graph's results for all rows, or for those at `places`. If `wanted` says which are to
        have the axis of rows, all are tensors, otherwise those without it are `Same`."""

    def row_type(self, type: TensorType, stacked: bool) -> TensorType:
        """The type of a value for all rows, from its type in one."""

    def one_by_one(self) -> tuple[Any, ...]:
        """The op's results, row by row in a loop, where that is what it means."""

    def turned(self, items: TensorValue, dtype: DType, element_shape: ShapeLike) -> Any:
        """A list whose items, of this dtype and shape, have their first two axes exchanged."""

    def flags(self, graph: Any, stacked: Sequence[bool]) -> list[bool]:
        """Which of a graph's results differ from row to row, if these of its operands do."""


def elementwise(op: Op, each: Each) -> Any:
    """Operands broadcast within a row, so axes of size 1 go between the rows and the rest."""
    count = len(each.inputs)
    if count == 1:
        return apply(op, each.inputs[0])
    rank = each.greatest_rank()
    return apply(op, *[each.aligned(i, rank) for i in range(count)])


def one_by_one(op: Op, each: Each) -> Any:
    """An op that is meant row by row: text, and numbers that each row's seed determines."""
    return each.one_by_one()


def last_axes(op: Op, each: Each) -> Any:
    """An op on the last axes of its operands, which takes any number of axes before them; host
    operands are taken as they are."""
    hosts = op.host_mask(len(each.inputs))
    return apply(op, *[each.same(i) if host else each.full(i) for i, host in enumerate(hosts)])


def last_axes_of_first(op: Op, each: Each) -> Any:
    """As `last_axes`, with operands after the first that are the same for every row."""
    others = [each.same(i) for i in range(1, len(each.inputs))]
    return apply(op, each.full(0), *others)


def images(op: Op, each: Each) -> Any:
    """An op whose first operand's first axis is a batch; rows and batch become one axis. The
    other operands are the same for every row."""
    others = [each.same(i) for i in range(1, len(each.inputs))]
    return each.split(apply(op, each.merged(0), *others), 0)


def batches(op: Op, each: Each) -> Any:
    """An op whose operands all have a batch as their first axis, and its results too."""
    results = apply(op, *[each.merged(i) for i in range(len(each.inputs))])
    if isinstance(results, tuple):
        return tuple([each.split(result, 0) for result in results])
    return each.split(results, 0)


def leading(op: Op, each: Each) -> Any:
    """An op on the first axes of its first operand, which takes any number of axes after them.
    The other operands are the same for every row."""
    others = [each.same(i) for i in range(1, len(each.inputs))]
    return each.fronted(apply(op, each.behind(0), *others))


def channelwise(op: Op, each: Each) -> Any:
    """An op that works on each channel, the last axis of all operands, for itself: rows become
    channels."""
    results = apply(op, *[each.channels(i) for i in range(len(each.inputs))])
    if isinstance(results, tuple):
        return tuple([each.unfolded(result, -1) for result in results])
    return each.unfolded(results, -1)
