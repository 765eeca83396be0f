"""Broadcasting of ragged tensors, and the functions that work element by element on them.

Shapes are aligned at their last axes. An axis broadcasts where it is of one length, 1, in all
rows; otherwise rows must be as long in all operands (InvalidArgumentError).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.control.assertions import assert_true
from graphwright.op.dispatch import ASSERTIONS
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.elementwise import BINARY, UNARY
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.comparison import equal, select
from graphwright.ops.math.reduction import reduce_all
from graphwright.ragged.positions import positions
from graphwright.ragged.ragged_conversion import from_tensor, same_rows
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.values.tensor import Tensor


def apply_flat(function: Callable[..., TensorLike | None], operands: Sequence[TensorLike]) -> Any:
    """Applies a function to the elements of operands, some of them ragged, broadcast together."""
    values, like = aligned(as_operands(operands))
    result = function(*values)
    return like(result) if isinstance(result, Tensor) else result  # a check gives no tensor


def as_operands(operands: Sequence[TensorLike]) -> list[RaggedOrTensor]:
    """The operands as tensors and ragged tensors; others take the dtype of these if they can."""
    hint = next(x.dtype for x in operands if is_ragged(x))
    return [x if is_ragged(x) else convert(x, None, hint) for x in operands]


def aligned(
    operands: Sequence[RaggedOrTensor],
) -> tuple[list[Any], Callable[[Any], Any]]:
    """The flat values of broadcast operands, and the function that divides others like them."""
    ragged = [x for x in operands if is_ragged(x)]
    inner = min(x.flat_values.shape.rank or 1 for x in ragged)
    dense = [x for x in operands if not is_ragged(x)]
    if all(x.type.rank is not None and x.type.rank < inner for x in dense):
        first = ragged[0]
        if all(is_divided_alike(first, other) for other in ragged[1:]):
            return [x.flat_values if is_ragged(x) else x for x in operands], first.with_flat_values
    return Broadcast(operands).aligned()


def is_divided_alike(a: RaggedTensor, b: RaggedTensor) -> bool:
    """Whether two ragged tensors are known to have the same rows."""
    mine, theirs = a.partitions, b.partitions
    return len(mine) == len(theirs) and all(same_rows(p, q) for p, q in zip(mine, theirs))


#: Whether the one value of an operand is repeated: known, or a bool tensor.
Repeat: TypeAlias = bool | TensorValue


class Divided(NamedTuple):
    """An operand as flat values and partitions, one an axis, the first of them of one row."""

    values: TensorValue
    partitions: list[RowPartition]


class Broadcast:
    """Operands with as many partitions each, walked through from the outermost on."""

    def __init__(self, operands: Sequence[RaggedOrTensor]) -> None:
        narrow = {x.row_splits.dtype for x in operands if is_ragged(x)}
        self.dtype: DType = narrow.pop() if len(narrow) == 1 else dt.int64
        rank = max(known_rank(x) for x in operands)
        depth = max(x.ragged_rank + rank - known_rank(x) for x in operands if is_ragged(x))
        self.operands = [self.divided(x, rank, depth) for x in operands]
        self.rows = [convert([0], self.dtype) for _ in operands]  # broadcast so far, by number
        self.moved = [False] * len(operands)

    def divided(self, operand: RaggedOrTensor, rank: int, depth: int) -> Divided:
        """An operand with outer axes of size 1 added, its first axes as partitions."""
        missing = rank - known_rank(operand)
        if not is_ragged(operand):
            operand = reshape(operand, [*[1] * missing, *sizes_of(operand)])
            operand = from_tensor(operand, None, None, depth, self.dtype)
            missing = 0
        else:
            operand = operand.with_row_splits_dtype(self.dtype)
        partitions = operand.partitions
        values = operand.flat_values
        for _ in range(missing):
            operand_rows = partitions[0].nrows()
            partitions.insert(0, uniform(operand_rows, partitions[0].static_nrows, self.dtype))
        if len(partitions) < depth:
            more = from_tensor(values, None, None, depth - len(partitions), self.dtype)
            partitions += more.partitions
            values = more.flat_values
        outer = partitions[0]
        whole = uniform(outer.nrows(), outer.static_nrows, self.dtype)
        return Divided(values, [whole, *partitions])

    def aligned(self) -> tuple[list[Any], Callable[[Any], Any]]:
        """The broadcast values, and the function that divides others like them."""
        levels = [self.level(list(each)) for each in zip(*[x.partitions for x in self.operands])]
        values = [
            gather(x.values, rows) if moved else x.values
            for x, rows, moved in zip(self.operands, self.rows, self.moved)
        ]

        def like(flat: RaggedOrTensor) -> RaggedOrTensor:
            result = flat
            for partition in reversed(levels[1:]):
                result = RaggedTensor(result, partition)
            return result

        return values, like

    def level(self, partitions: list[RowPartition]) -> RowPartition:
        """The rows of the result along one axis; notes which value of each operand they take."""
        repeats = self.repeated(partitions)
        lengths = [gather(p.row_lengths(), rows) for p, rows in zip(partitions, self.rows)]
        keeping = [i for i, each in enumerate(repeats) if each is not True]
        result = lengths[keeping[0]] if keeping else lengths[0]
        for i in keeping[1:]:
            if repeats[keeping[0]] is not False:
                result = select(repeats[keeping[0]], lengths[i], result)
        self.check(result, lengths, repeats)
        splits: Any = None
        for i, partition in enumerate(partitions):
            starts = gather(partition.row_starts(), self.rows[i])
            step: Any = 1
            if repeats[i] is not False:
                step = 0 if repeats[i] is True else 1 - cast(repeats[i], self.dtype)
                self.moved[i] = True
            self.rows[i], splits = positions(starts, result, step)
        return RowPartition(splits, self.length(partitions, repeats))

    def repeated(self, partitions: list[RowPartition]) -> list[Repeat]:
        """For each operand whether its one value is repeated: True, False, or a bool tensor."""
        known = [p.static_uniform_row_length for p in partitions]
        repeats: list[Any] = []
        for partition, length in zip(partitions, known):
            if not partition.is_uniform() or (length is not None and length != 1):
                repeats.append(False)
            elif length == 1:
                repeats.append(any(other != 1 for other in known))
            else:
                repeats.append(equal(partition.uniform_row_length(), 1))
        return repeats

    def check(
        self, result: TensorValue, lengths: Sequence[TensorValue], repeats: Sequence[Repeat]
    ) -> None:
        """Asserts that rows which are not repeated are as long as the result's."""
        for length, repeat in zip(lengths, repeats):
            if repeat is True or length is result:
                continue
            if (
                length.type.is_static
                and result.type.is_static
                and (length.type.dims != result.type.dims)
            ):
                raise InvalidArgumentError(
                    None, None, "Unable to broadcast: dimension size mismatch in dimension 0"
                )
            fits = reduce_all(equal(length, result))
            if repeat is not False:
                fits = fits | repeat
            assert_true(fits, ["Unable to broadcast: dimension size mismatch", length, result])

    def length(self, partitions: list[RowPartition], repeats: Sequence[Repeat]) -> Any:
        """The one length of all rows, if all operands have one there."""
        if not all(partition.is_uniform() for partition in partitions):
            return None
        alone = [p for p, repeat in zip(partitions, repeats) if repeat is False]
        known = [p.static_uniform_row_length for p in alone or partitions]
        return None if known[0] is None else convert(known[0], self.dtype)


def uniform(length: TensorLike, known: int | None, dtype: DType) -> RowPartition:
    """One row of so many values."""
    return RowPartition.from_uniform_row_length(
        length if known is None else known, nrows=1, dtype=dtype
    )


def known_rank(operand: RaggedOrTensor) -> int:
    """The rank of an operand; ValueError if it is not known."""
    rank: int | None = operand.shape.rank
    if rank is None:
        raise ValueError(f"Unable to broadcast: unknown rank of {operand!r}")
    return rank


def sizes_of(tensor: TensorValue) -> list[Any]:
    """The sizes of a tensor's axes, as numbers where they are known."""
    dims: Any = tensor.type.dims
    if None not in dims:
        return list(dims)
    sizes = shape(tensor)
    return [sizes[i] if size is None else size for i, size in enumerate(dims)]


def is_plain(value: object) -> bool:
    """Whether a value is no composite, or a ragged tensor."""
    return is_ragged(value) or not isinstance(value, Composite)


@UNARY.handle(is_ragged)
def unary(function: Callable[[TensorLike], TensorLike], x: RaggedTensor) -> RaggedTensor:
    """Applies a function to each element."""
    return x.with_flat_values(function(x.flat_values))


@BINARY.handle(is_ragged, is_plain)
@BINARY.handle(is_plain, is_ragged)
@ASSERTIONS.handle(is_ragged, is_plain)
@ASSERTIONS.handle(is_plain, is_ragged)
def binary(
    function: Callable[[TensorLike, TensorLike], TensorLike | None], x: TensorLike, y: TensorLike
) -> Any:
    """Applies a function to each pair of elements."""
    return apply_flat(function, (x, y))
