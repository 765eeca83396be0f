"""Functions of one element for elements of different lengths: the rules of ops on ragged lanes.

`vectorized_map` has an axis of rows for what differs from row to row. Where a value has another
first size in each row there is no such array. Its lane has the values of all rows, side by side,
and their division into rows. What has no rule here is refused, and runs row by row.

Results are those of single rows, to the last bit: no rule adds up floating-point numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from graphwright.control.vectorize import Lane, operand
from graphwright.data.columns.row_ops import (
    INTEGERS,
    AlikeRows,
    RowDivision,
    RowElement,
    RowOrder,
)
from graphwright.data.columns.row_rewrite import RowRewrite
from graphwright.ir.graph import Node
from graphwright.op.batching import NotVectorized, Refusal, elementwise
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import Const, Fill, fill
from graphwright.ops.core.gathering import GatherV2, gather, host_vector
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.joining import ConcatV2, concat, stack
from graphwright.ops.core.movement import broadcast_to, reshape
from graphwright.ops.core.repetition import tile
from graphwright.ops.core.segment_reduction import counts
from graphwright.ops.core.sequences import Range
from graphwright.ops.core.sequences import range as numbers_to
from graphwright.ops.core.shapes import Shape, Size
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.core.slicing import MASKED, Pick, SliceRange, StridedSlice
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import select
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue


class LaneRows:
    """How values are divided into rows, in the graph that is traced.

    Args:
        lengths: The lengths of rows, as int64.
    """

    def __init__(self, lengths: TensorValue) -> None:
        self._lengths = lengths

    @cached_property
    def _division(self) -> tuple[Any, ...]:
        """What `RowDivision` gives: it checks the lengths."""
        division: tuple[Any, ...] = apply(RowDivision(), self._lengths)
        return division

    @property
    def splits(self) -> Any:
        """Where rows begin and end."""
        return self._division[0]

    @property
    def numbers(self) -> Any:
        """For each value the number of its row."""
        return self._division[1]

    @property
    def places(self) -> Any:
        """For each value its place in its row."""
        return self._division[2]

    @cached_property
    def starts(self) -> Any:
        """Where each row begins."""
        return self.splits[:-1]

    @cached_property
    def lengths(self) -> Any:
        """The length of each row."""
        return self.splits[1:] - self.starts


class GivenRows(LaneRows):
    """The rows of a column, whose lengths are right."""

    @property
    def lengths(self) -> Any:
        """The length of each row."""
        return self._lengths


class RaggedLane:
    """A value of one row's graph that has another first size in each row.

    Args:
        tensor: The values of all rows, side by side.
        rows: Their division into rows.
    """

    stacked = True

    def __init__(self, tensor: TensorValue, rows: LaneRows) -> None:
        self.tensor = tensor
        self.rows = rows


class RaggedRewrite(RowRewrite):
    """Runs graphs of one row for `count` rows, whose values may differ in their first size.

    Args:
        count: The number of rows.
        graph: The graph that is made; its loops and branches take no ragged lanes.
    """

    def node(self, node: Node, lanes: Sequence[Any]) -> list[Any]:
        """An op's results."""
        rule = RULES.get(node.op.type_name)
        is_ragged = any(isinstance(lane, RaggedLane) for lane in lanes)
        if is_ragged or (rule in MAKERS and any(lane.stacked for lane in lanes)):
            step = RaggedStep(self, node, lanes)
            try:
                results = step.results(rule)
            except Refusal as reason:
                if is_ragged:
                    raise NotVectorized(str(reason), node.op.type_name) from reason
            else:
                return results
        return super().node(node, list(lanes))

    def spread(self, lane: Any) -> Any:
        """A value with the axis of rows; NotVectorized for what has none."""
        if isinstance(lane, RaggedLane):
            raise NotVectorized("its rows differ in length", "ragged rows")
        return super().spread(lane)


class RaggedStep:
    """One op, and its operands for all rows."""

    def __init__(self, rewrite: RaggedRewrite, node: Node, lanes: Sequence[Any]) -> None:
        self.rewrite = rewrite
        self.node = node
        self.lanes = lanes

    def results(self, rule: Rule | None) -> list[Any]:
        """The lanes of results, by a rule or as of an elementwise op."""
        tracer = current_tracer()
        if tracer is None or tracer.graph is not self.rewrite.graph:
            raise Refusal("it is in a loop or a branch")
        if rule is not None:
            return rule(self.node.op, self)
        if type(self.node.op).batched is elementwise and len(self.node.outputs) == 1:
            return each_element(self.node.op, self)
        raise Refusal("it has no rule for rows of different lengths")

    @property
    def count(self) -> Any:
        """The number of rows."""
        return self.rewrite.count

    def rank(self, i: int) -> int:
        """The rank of an operand in one row."""
        rank = self.node.inputs[i].type.rank
        if rank is None:
            raise Refusal(f"the rank of its operand {i} is not known")
        return rank

    def constant(self, i: int) -> Any:
        """The value of a constant operand, as Python has it."""
        op = self.node.inputs[i].node.op
        if not isinstance(op, Const):
            raise Refusal(f"its operand {i} is no constant")
        return op.value.array.tolist()

    def same(self, i: int) -> Any:
        """An operand that is the same for every row, as the op takes it."""
        lane = self.lanes[i]
        if lane.stacked:
            raise Refusal(f"its operand {i} differs from row to row")
        mask = self.node.op.host_mask(len(self.lanes)) if self.node.op.has_host else ()
        return operand(self.node.inputs[i], lane, bool(mask) and mask[i])

    def number(self, i: int) -> Any:
        """A scalar as int64, for all rows or for each."""
        if self.rank(i):
            raise Refusal(f"its operand {i} is no scalar")
        return cast(convert(self.lanes[i].tensor), dt.int64)

    def for_values(self, i: int, rows: LaneRows) -> Any:
        """An operand that is no longer than a row, for each value of rows."""
        lane = self.lanes[i]
        return gather(lane.tensor, rows.numbers) if lane.stacked else lane.tensor

    def division(self, i: int) -> tuple[Any, Any, Any]:
        """The values of an operand, and where its rows begin in them, and their lengths."""
        lane = self.lanes[i]
        if isinstance(lane, RaggedLane):
            return lane.tensor, lane.rows.starts, lane.rows.lengths
        if not self.rank(i):
            raise Refusal("it is a scalar")
        sizes = shape_of(lane.tensor, dt.int64)
        every = numbers_to(cast(self.count, dt.int64), dtype=dt.int64)
        if not lane.stacked:
            return lane.tensor, every * 0, every * 0 + sizes[0]
        flat = reshape(lane.tensor, concat([[-1], sizes[2:]], 0))
        return flat, every * sizes[1], every * 0 + sizes[1]


Rule: TypeAlias = Callable[[Any, RaggedStep], list[Any]]


def each_element(op: Op, step: RaggedStep) -> list[Any]:
    """An op that computes each element of the result of those at the same place."""
    ranks = [step.rank(i) for i in range(len(step.lanes))]
    most = max(ranks)
    rows = next(lane.rows for lane in step.lanes if isinstance(lane, RaggedLane))
    for i, lane in enumerate(step.lanes):
        if isinstance(lane, RaggedLane):
            if ranks[i] != most:
                raise Refusal("its operands differ in rank")
            if lane.rows is not rows:
                rows = GivenRows(apply(AlikeRows(), rows.lengths, lane.rows.lengths))
    operands = []
    for i, lane in enumerate(step.lanes):
        if isinstance(lane, RaggedLane):
            operands.append(lane.tensor)
        elif ranks[i] == most:
            raise Refusal("an operand may have another length")
        elif lane.stacked:
            if 0 < ranks[i] < most - 1:
                raise Refusal("an operand has to be broadcast twice")
            values = step.for_values(i, rows)
            ones = [1] * (most - 1 - ranks[i])
            operands.append(reshape(values, host_vector([-1, *ones])) if ones else values)
        else:
            operands.append(step.same(i))
    return [RaggedLane(apply(op, *operands), rows)]


def identity(op: Identity, step: RaggedStep) -> list[Any]:
    """The values themselves."""
    lane = step.lanes[0]
    return [RaggedLane(apply(op, lane.tensor), lane.rows)]


def ranges(op: Range, step: RaggedStep) -> list[Any]:
    """Integers up to a limit of each row."""
    if op.Tidx not in INTEGERS:
        raise Refusal("floating-point numbers are counted in their own way")
    delta = step.constant(2)
    if not delta:
        raise Refusal("its delta is zero")
    start, limit = step.number(0), step.number(1)
    distance = limit - start if delta > 0 else start - limit
    if not distance.type.rank:
        raise Refusal("its rows are of one length")
    size = abs(delta)
    rows = LaneRows(distance if size == 1 else (distance + (size - 1)) // size)
    if size > 1:  # what has no direction is refused, also where it is rounded to zero
        rows = GivenRows(LaneRows(distance).lengths * 0 + rows.lengths)
    steps = rows.places if delta == 1 else rows.places * delta
    first = gather(start, rows.numbers) if step.lanes[0].stacked else start
    return [RaggedLane(cast(first + steps, op.Tidx), rows)]


def shapes(op: Shape, step: RaggedStep) -> list[Any]:
    """The shape of each row."""
    lane = step.lanes[0]
    lengths = cast(lane.rows.lengths, op.out_type)[:, None]
    inner = shape_of(lane.tensor, op.out_type)[1:]
    if step.rank(0) == 1:
        return [Lane(lengths, True)]
    others = broadcast_to(inner, concat([shape_of(lane.rows.lengths), shape_of(inner)], 0))
    return [Lane(concat([lengths, others], 1), True)]


def sizes(op: Size, step: RaggedStep) -> list[Any]:
    """The number of elements of each row."""
    if step.rank(0) != 1:
        raise Refusal("its operand is no vector")
    return [Lane(cast(step.lanes[0].rows.lengths, op.out_type), True)]


def gathered(op: GatherV2, step: RaggedStep) -> list[Any]:
    """What each row picks of one table."""
    indices = step.lanes[1]
    if op.batch_dims or step.constant(2) != 0 or not isinstance(indices, RaggedLane):
        raise Refusal("it picks along another axis")
    return [RaggedLane(apply(op, step.same(0), indices.tensor, 0), indices.rows)]


def slices(op: StridedSlice, step: RaggedStep) -> list[Any]:
    """A part of each row, or one element."""
    lane = step.lanes[0]
    bounds = [bound_of(step, i) for i in (1, 2, 3)]
    (entry,) = op.entries(*[[bound] for bound in bounds])
    if not isinstance(entry, (Pick, SliceRange)):
        raise Refusal("it adds an axis, or takes all")
    values, starts, lengths = step.division(0)
    if isinstance(entry, Pick):
        if not isinstance(lane, RaggedLane):
            raise Refusal("its rows are of one length")
        index = starts * 0 + cast(convert(entry.index), dt.int64)
        return [Lane(gather(values, apply(RowElement(), starts, lengths, index)), True)]
    if entry.stride not in (1, -1):
        raise Refusal("it leaves out elements")
    if entry.stride == -1:
        if entry.begin is not MASKED or entry.end is not MASKED:
            raise Refusal("it turns a part round")
        rows = lane.rows if isinstance(lane, RaggedLane) else LaneRows(lengths)
        last = gather(starts + lengths - 1, rows.numbers)
        return [RaggedLane(gather(values, last - rows.places), rows)]
    begin, end = within(entry.begin, lengths, starts * 0), within(entry.end, lengths, lengths)
    rows = LaneRows(maximum(end - begin, starts * 0))
    first = gather(starts + begin, rows.numbers)
    return [RaggedLane(gather(values, first + rows.places), rows)]


def bound_of(step: RaggedStep, i: int) -> Any:
    """The only entry of a bound: a number, or one for each row."""
    if step.node.inputs[i].type.dims != (1,):
        raise Refusal("it is about several axes")
    lane = step.lanes[i]
    if isinstance(step.node.inputs[i].node.op, Const):
        return step.constant(i)[0]
    return cast(lane.tensor[:, 0] if lane.stacked else lane.tensor[0], dt.int64)


def within(bound: Any, lengths: TensorValue, masked: TensorValue) -> Any:
    """A bound of rows as a place from 0 up to their lengths."""
    if bound is MASKED:
        return masked
    place = lengths * 0 + convert(bound, None, dt.int64)
    place = select(place < 0, place + lengths, place)
    return minimum(maximum(place, lengths * 0), lengths)


def joined_rows(op: ConcatV2, step: RaggedStep) -> list[Any]:
    """Rows of which each is made of several."""
    last = len(step.lanes) - 1
    if step.constant(last) not in (0, -step.rank(0)):
        raise Refusal("it joins rows along another axis")
    values, numbers, lengths = [], [], 0
    for i, lane in enumerate(step.lanes[:last]):
        if isinstance(lane, RaggedLane):
            rows = lane.rows
            values.append(lane.tensor)
        else:
            flat, _, mine = step.division(i)
            rows = LaneRows(mine)
            repeats = [step.count, *[1] * (step.rank(i) - 1)]
            values.append(flat if lane.stacked else tile(flat, host_vector(repeats)))
        numbers.append(rows.numbers)
        lengths = rows.lengths + lengths
    order = apply(RowOrder(), concat(numbers, 0))
    return [RaggedLane(gather(concat(values, 0), order), LaneRows(convert(lengths)))]


def filled(op: Fill, step: RaggedStep) -> list[Any]:
    """Vectors of one value, whose length each row says."""
    if step.node.inputs[0].type.dims != (1,) or step.rank(1):
        raise Refusal("it makes no vector")
    if not step.lanes[0].stacked:
        raise Refusal("its rows are of one length")
    rows = LaneRows(cast(step.lanes[0].tensor[:, 0], dt.int64))
    if step.lanes[1].stacked:
        return [RaggedLane(step.for_values(1, rows), rows)]
    return [RaggedLane(fill(shape_of(rows.numbers), step.lanes[1].tensor), rows)]


def pieces(op: Op, step: RaggedStep) -> list[Any]:
    """The pieces of one string of each row."""
    if step.node.inputs[0].type.dims != (1,) or isinstance(step.lanes[0], RaggedLane):
        raise Refusal("it takes several strings")
    texts = reshape(step.lanes[0].tensor, [-1])
    indices, values, _ = apply(op, texts, step.same(1))
    number = indices[:, 0]
    rows = LaneRows(counts(number, cast(convert(step.count), dt.int64)))
    places = stack([number * 0, indices[:, 1]], 1)
    sizes = stack([rows.lengths * 0 + 1, rows.lengths], 1)
    return [RaggedLane(places, rows), RaggedLane(values, rows), Lane(sizes, True)]


#: The rules, by the kinds of ops: of these, the one about strings may never be imported.
RULES: dict[str, Rule] = {
    Identity.type_name: identity,
    Range.type_name: ranges,
    Shape.type_name: shapes,
    Size.type_name: sizes,
    GatherV2.type_name: gathered,
    StridedSlice.type_name: slices,
    ConcatV2.type_name: joined_rows,
    Fill.type_name: filled,
    "StringSplitV2": pieces,
}

#: The rules that make ragged lanes of others.
MAKERS = frozenset({ranges, slices, filled, pieces})
