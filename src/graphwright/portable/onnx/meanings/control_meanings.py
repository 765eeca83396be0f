"""Branches and loops. A graph inside another one sees the values around it by name."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.control.body import trace_body
from graphwright.control.branch import traced_cond
from graphwright.control.loop import while_loop
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.identity import identity
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.core.reversal import reverse
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.static import static_value
from graphwright.ops.math.comparison import logical_and
from graphwright.portable.model_error import malformed
from graphwright.portable.onnx.meaning import OnnxNode, meaning, rank_of
from graphwright.portable.onnx.sequence import ItemSequence
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType
from graphwright.values.convert import convert

if TYPE_CHECKING:
    import onnx


def flat(values: Sequence[Any]) -> list[Any]:
    """Values as tensors: sequences by their handles."""
    return [v.handle if isinstance(v, ItemSequence) else v for v in values]


def packed(tensors: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    """Tensors as values of the kinds that others have."""
    return [
        ItemSequence(t, v.item, v.type) if isinstance(v, ItemSequence) else t
        for t, v in zip(tensors, like)
    ]


@meaning("If")
def branch(n: OnnxNode, condition: TensorValue) -> Any:
    """One of two graphs."""
    kinds: list[Any] = []

    def side(graph: onnx.GraphProto) -> Any:
        results = n.reader.inner({}).read(graph, {})
        if not kinds:
            kinds.extend(results)
        for place, (kind, result) in enumerate(zip(kinds, results)):
            if isinstance(kind, ItemSequence):
                kinds[place] = ItemSequence(kind.handle, kind.item, kind.joined(result.type))
        return flat(results)

    then, otherwise = n.get("then_branch"), n.get("else_branch")
    if then is None or otherwise is None or len(then.output) != len(otherwise.output):
        raise malformed(n.name, "its branches have not the same results")
    known = static_value(condition)
    if known is not None:  # the other one need not even fit
        return n.reader.inner({}).read(then if np.all(known) else otherwise, {})
    made = traced_cond(
        reshape(condition, []), lambda: side(then), lambda: side(otherwise), "branch"
    )
    return packed(made, kinds)


@meaning("OptionalGetElement", "Optional", note="of what is there")
def optional(n: OnnxNode, value: TensorValue | None = None) -> Any:
    """What is there itself."""
    if value is None:
        raise n.unread("nothing is there")
    return value


@meaning("OptionalHasElement")
def is_there(n: OnnxNode, value: TensorValue | None = None) -> Any:
    """Whether something is there."""
    return convert(value is not None)


@meaning("Loop")
def loop(
    n: OnnxNode,
    most: TensorValue | None = None,
    condition: TensorValue | None = None,
    *start: TensorValue,
) -> Any:
    """A loop that carries values, and gathers others from each turn."""
    graph = n.get("body")
    if graph is None or len(graph.input) != len(start) + 2 or len(graph.output) < len(start) + 1:
        raise malformed(n.name, "its body does not take or return what it must")
    first = convert(True) if condition is None else reshape(condition, [])
    limit = None if most is None else cast(reshape(most, []), dt.int64)
    return OnnxLoop(n, graph, len(start)).run(list(start), first, limit)


class OnnxLoop:
    """A loop being traced: values that it carries, and lists of those that it gathers."""

    def __init__(self, n: OnnxNode, graph: onnx.GraphProto, count: int) -> None:
        self.n = n
        self.graph = graph
        self.count = count
        self.names = [value.name for value in graph.input]

    def turn(self, number: TensorValue, going: TensorValue, values: Sequence[Any]) -> list[Any]:
        """What the body returns."""
        arguments = dict(zip(self.names, [number, going, *values]))
        return list(self.n.reader.inner({}).read(self.graph, arguments))

    def probed(self, types: Sequence[TensorType], like: Sequence[Any]) -> list[Any]:
        """What the body returns for values of these types, traced apart."""
        kinds: list[Any] = []

        def once(number: TensorValue, going: TensorValue, *values: Any) -> Any:
            results = self.turn(number, going, packed(values, like))
            kinds.extend(results)
            return flat(results)

        scalars = [TensorType(dt.int64, ()), TensorType(dt.bool_, ())]
        structure = (convert(np.int64(0)), convert(True), *flat(like))
        trace_body(once, "probe", [*scalars, *types], structure)
        return kinds

    def run(self, start: list[Any], first: TensorValue, limit: TensorValue | None) -> list[Any]:
        """The last values, and what was gathered."""
        types = [tensor.type for tensor in flat(start)]
        while True:
            results = self.probed(types, start)
            after = [tensor.type for tensor in flat(results[1 : 1 + self.count])]
            joined = [self.join(a, b) for a, b in zip(types, after)]
            wider = [self.wider(a, b) for a, b in zip(start, results[1 : 1 + self.count])]
            if joined == types and all(a.type is b.type for a, b in zip(start, wider)):
                break
            types, start = joined, wider
        gathered = results[1 + self.count :]
        lists = [ItemSequence.empty(value.dtype).handle for value in gathered]

        def goes_on(number: TensorValue, going: TensorValue, *_: Any) -> Any:
            return going if limit is None else logical_and(going, number < limit)

        def body(number: TensorValue, going: TensorValue, *rest: Any) -> Any:
            values, lists = rest[: self.count], rest[self.count :]
            made = self.turn(number, going, packed(values, start))
            longer = [
                ItemSequence(handle, item.dtype, None).pushed(item).handle
                for handle, item in zip(lists, made[1 + self.count :])
            ]
            return (number + 1, reshape(made[0], []), *flat(made[1 : 1 + self.count]), *longer)

        variables = (convert(np.int64(0)), first, *flat(start), *lists)
        shapes = [TensorShape([]), TensorShape([])]
        shapes += [TensorShape.from_dims(t.dims) for t in types]
        shapes += [TensorShape([]) for _ in lists]
        final = while_loop(goes_on, body, variables, tuple(shapes))
        values = packed(final[2 : 2 + self.count], start)
        items = [
            ItemSequence(handle, value.dtype, value.type).stacked()
            for handle, value in zip(final[2 + self.count :], gathered)
        ]
        return [*values, *items]

    def wider(self, before: Any, after: Any) -> Any:
        """A value of which no more is known than of another."""
        if not isinstance(before, ItemSequence):
            return before
        return ItemSequence(before.handle, before.item, before.joined(after.type))

    def join(self, before: TensorType, after: TensorType) -> TensorType:
        """The type of a value before a turn and after it."""
        both = before.join(after)
        if both is None:
            words = f"a value is of {before.dtype.name}, and of {after.dtype.name} after a turn"
            raise malformed(self.n.name, words)
        return both


@meaning("Scan", note="from opset 9 on")
def scanned(n: OnnxNode, *operands: TensorValue) -> Any:
    """A loop over the slices of tensors."""
    if n.opset < 9:
        raise n.unread("it is of opset 8")
    graph, inputs = n.get("body"), int(n.get("num_scan_inputs", 0))
    count = len(operands) - inputs
    if graph is None or not 1 <= inputs <= len(operands) or len(graph.input) != len(operands):
        raise malformed(n.name, "its body does not take what it must")
    outputs = len(graph.output) - count
    axes = n.get("scan_input_axes") or [0] * inputs
    ways = n.get("scan_input_directions") or [0] * inputs
    slices = []
    for x, axis, way in zip(operands[count:], axes, ways):
        moved = to_front(x, int(axis))
        slices.append(reverse(moved, [0]) if way else moved)
    length = shape(slices[0], dt.int64)[0]
    repetition = OnnxScan(n, graph, count, slices)
    made = repetition.run(list(operands[:count]), convert(True), length)
    results = made[:count]
    out_axes = n.get("scan_output_axes") or [0] * outputs
    out_ways = n.get("scan_output_directions") or [0] * outputs
    for y, axis, way in zip(made[count:], out_axes, out_ways):
        turned = reverse(y, [0]) if way else y
        results.append(from_front(turned, int(axis)))
    return results


class OnnxScan(OnnxLoop):
    """A loop whose body takes the slices of tensors."""

    def __init__(
        self, n: OnnxNode, graph: onnx.GraphProto, count: int, slices: Sequence[Any]
    ) -> None:
        super().__init__(n, graph, count)
        self.slices = slices

    def turn(self, number: TensorValue, going: TensorValue, values: Sequence[Any]) -> list[Any]:
        parts = [gather(x, number, axis=0) for x in self.slices]
        arguments = dict(zip(self.names, [*values, *parts]))
        results = self.n.reader.inner({}).read(self.graph, arguments)
        return [identity(going), *results]


def to_front(x: TensorValue, axis: int) -> Any:
    """A tensor with an axis before all others."""
    rank = rank_of(x)
    axis = axis % rank
    if not axis:
        return x
    return transpose(x, [axis, *[i for i in builtins.range(rank) if i != axis]])


def from_front(x: TensorValue, axis: int) -> Any:
    """A tensor with its first axis at another place."""
    rank = rank_of(x)
    axis = axis % rank
    if not axis:
        return x
    order = list(builtins.range(1, rank))
    order.insert(axis, 0)
    return transpose(x, order)
