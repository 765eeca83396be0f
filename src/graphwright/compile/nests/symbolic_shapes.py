"""Shapes in symbolic sizes: of each node's result, from those of its operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.base.errors import OpError
from graphwright.compile.graph.accumulate import MatMulAdd
from graphwright.compile.nests.element_kinds import kind_of
from graphwright.compile.nests.moves import FIRST, MOVES, Place
from graphwright.compile.nests.sizes import ONE, NotNative, Shape, Size, Sizes, at
from graphwright.compile.select.host_operands import as_size, host_of, literal_of
from graphwright.compile.select.kernel_calls import MOST_AXES, operands_in_memory, operands_of
from graphwright.ir.graph import Node, Value
from graphwright.op.op import host_value
from graphwright.op.op_families import Elementwise
from graphwright.ops.core.creation import Const, Fill
from graphwright.ops.core.joining import ConcatV2, Pack
from graphwright.ops.core.movement import SumTo
from graphwright.ops.core.own_ops import (
    AxisPlace,
    Products,
    Scanned,
    Scattered,
    Sized,
    is_routine,
)
from graphwright.ops.core.sequences import Range
from graphwright.ops.linalg.contraction import MatMul
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType, normalize_axes


class Shapes:
    """The shapes of a graph's values."""

    def __init__(self, sizes: Sizes, dims: dict[Value, Shape]) -> None:
        self.sizes = sizes
        self.dims = dims

    def of(self, value: Value) -> Shape:
        """The shape of a value."""
        dims = self.dims.get(value)
        if dims is None:
            raise NotNative(f"{value.name} is a shape that is used as a tensor", [value.node])
        return self.sizes.shape(dims)

    def shape_of(self, node: Node) -> Shape:
        """The shape of a node's result."""
        op = node.op
        if isinstance(op, Const):
            return tuple([self.sizes.of_static(d) for d in op.value.array.shape])
        move = MOVES.get(type(op))
        if move is not None:
            return move.dims(self.sizes, node, self.of(node.inputs[0]), self.of)
        if isinstance(op, AxisPlace):
            self.sizes.require_some(self.of(node.inputs[1])[op.axis])
        if isinstance(op, Sized):
            return self.of(node.inputs[0])
        if isinstance(op, Elementwise):
            shapes = [self.of(v) for v in node.inputs]
            return self.broadcast(shapes) if op.broadcasts else self.same(shapes)
        if isinstance(op, SumTo):
            return self.summed_to(node)
        if op.combination:
            return self.reduction(node)
        if op.filling is not None or isinstance(op, Scanned):
            return self.of(node.inputs[0])
        if is_routine(op):
            return self.made(node)
        if isinstance(op, Fill):
            return tuple([as_size(self.sizes, d) for d in self.host(node.inputs[0])])
        if isinstance(op, Range):
            return (self.count(node),)
        if isinstance(op, (ConcatV2, Pack)):
            return self.joined(node, op)
        if isinstance(op, Scattered):
            return self.scattered(node)
        if isinstance(op, (MatMul, MatMulAdd, Products)):
            return self.multiplied(node, op)
        raise NotNative(f"{op.type_name} has no native form")

    def host(self, value: Value) -> Any:
        """A host operand: see `host_of`."""
        return host_of(self.sizes, value, self.of)

    def reduction(self, node: Node) -> Shape:
        """The shape of a reduction: its operand's without the reduced dimensions, or with 1s."""
        op: Any = node.op
        reduced, dims = self.reduced(node), self.of(node.inputs[0])
        if op.keep_dims:
            return tuple([ONE if i in reduced else d for i, d in enumerate(dims)])
        return tuple([d for i, d in enumerate(dims) if i not in reduced])

    def multiplied(self, node: Node, op: MatMul | MatMulAdd | Products) -> Shape:
        """The shape of a matrix product, or of several with equal outer dimensions."""
        transposed = op.transpose_a, op.transpose_b
        (m, k), (k2, n) = [
            self.of(v)[-2:][:: -1 if flag else 1] for v, flag in zip(node.inputs, transposed)
        ]
        self.sizes.unify(k, k2)
        if isinstance(op, Products):
            outer, other = [self.of(v)[:-2] for v in node.inputs]
            return (*[self.sizes.unify(x, y) for x, y in zip(outer, other)], m, n)
        for added in node.inputs[2:]:
            m, n = [self.sizes.unify(x, y) for x, y in zip((m, n), self.of(added))]
        return m, n

    def joined(self, node: Node, op: ConcatV2 | Pack) -> Shape:
        """The shape of joined tensors; along the axis their sizes add up."""
        shapes = [self.of(v) for v in joined_parts(node)]
        axis = self.axis_of(node)
        rank = len(shapes[0])
        result = list(shapes[0])
        for shape in shapes[1:]:
            for i in range(rank):
                if isinstance(op, Pack) or i != axis:
                    result[i] = self.sizes.unify(result[i], shape[i])
                else:
                    result[i] = self.sizes.derive("add", result[i], shape[i])
        if isinstance(op, Pack):
            result.insert(axis, self.sizes.of_static(len(shapes)))
        return tuple(result)

    def scattered(self, node: Node) -> Shape:
        """The shape of the tensor into which slices go."""
        x, result, *places = [self.of(v) for v in node.inputs]
        for place in places:
            for d, e in zip(place, x):
                self.sizes.unify(d, e)
        axis: int = node.op.axis  # type: ignore[attr-defined]
        rest = (*result[:axis], *result[axis + len(places) :])
        for d, e in zip(rest, x[len(places[0]) :]):
            self.sizes.unify(d, e)
        return result

    def made(self, node: Node) -> Shape:
        """The shape that a routine gives: of the last matrices, which have as many rows as the
        first, and are as many."""
        first, *others = [self.of(v) for v in node.inputs]
        *lead, rows, columns = first
        self.sizes.unify(rows, columns)
        for other in others:
            for d, e in zip((*lead, rows), other[:-1]):
                self.sizes.unify(d, e)
        return (others or [first])[-1]

    def called(self, node: Node) -> tuple[Shape, ...]:
        """The shapes of the results of a kernel that machine code calls.

        They are those that the trace knows; others are those that such operands always give.
        """
        values = operands_in_memory(node)
        for value in (*values, *node.outputs):
            kind_of(value.type.dtype)
        shapes = [self.of(v) for v in values]
        inferred: Sequence[TensorType] = [v.type for v in node.outputs]
        numbers: dict[int, Size] = {}
        if not all(map(is_known, inferred)):
            inferred, numbers = self.inferred(node, dict(zip(values, shapes)))
        result = []
        for value, type_ in zip(node.outputs, inferred):
            dims = type_.dims
            if dims is None or len(dims) > MOST_AXES or not is_known(type_):
                raise NotNative(f"{node.op.type_name} gives a shape that only its kernel knows")
            sizes: list[Any] = []
            for known, number in zip(value.type.dims or dims, dims):
                sizes.append(numbers.get(number or 0, number) if known is None else known)
            result.append(tuple([as_size(self.sizes, size) for size in sizes]))
        return tuple(result)

    def inferred(
        self, node: Node, shapes: dict[Value, Shape]
    ) -> tuple[Sequence[TensorType], dict[int, Size]]:
        """The types that an op gives for operands of sample sizes, and the sizes by sample.

        A kernel is asked again as it runs: results of another shape end the run.
        """
        _, samples = self.sizes.samples()
        numbers: dict[int, Size] = {}
        operands: list[Any] = []
        for value, operand in zip(node.inputs, operands_of(node)):
            if operand.is_host:
                constant = operand.constant
                operands.append(None if constant is None else host_value(constant))
                continue
            if operand.is_vector:
                operands.append(value.type)
                continue
            sizes = [(at(samples, size), size) for size in shapes[value]]
            numbers.update(pair for pair in sizes if pair[1].symbols)
            operands.append(TensorType(value.type.dtype, tuple([number for number, _ in sizes])))
        try:
            return node.op.infer(operands), numbers
        except (OpError, ValueError, TypeError) as error:
            raise NotNative(f"{node.op.type_name} has no shape for samples: {error}") from None

    def count(self, node: Node) -> Size:
        """The number of integers in a range."""
        start, delta = self.steps(node)
        limit = self.host(node.inputs[1])
        if isinstance(limit, int):
            return self.sizes.of_static(len(range(start, limit, delta)))
        if not isinstance(limit, Size) or delta != 1 or start < 0:
            raise NotNative("the limits of a range are computed")
        if node.outputs[0].type.dtype is dt.int32:
            self.sizes.require_counted(limit)
        return self.sizes.difference(limit, Size(start)) if start else limit

    def steps(self, node: Node) -> tuple[int, int]:
        """The first integer of a range, and the step to the next."""
        start, _, delta = map(self.host, node.inputs)
        if not isinstance(start, int) or not isinstance(delta, int):
            raise NotNative("a range is not of known integers")
        return start, delta

    def axis_of(self, node: Node) -> int:
        """The axis along which tensors are joined."""
        op: Any = node.op
        if isinstance(op, Pack):
            return int(op.axis % (len(self.of(node.inputs[0])) + 1))
        axis = literal_of(self.sizes, node.inputs[-1])
        return int(axis % len(self.of(node.inputs[0])))

    def broadcast(self, shapes: Sequence[Shape]) -> Shape:
        """The common shape of broadcast operands; sizes other than 1 must be equal."""
        rank = max(len(s) for s in shapes)
        result = [ONE] * rank
        for shape in shapes:
            for i, d in enumerate(shape, rank - len(shape)):
                if d != ONE:
                    result[i] = d if result[i] == ONE else self.sizes.unify(result[i], d)
        return tuple(result)

    def same(self, shapes: Sequence[Shape]) -> Shape:
        """The one shape of operands that are not broadcast."""
        first, *others = shapes
        for shape in others:
            if len(shape) != len(first):
                raise NotNative("operands of different ranks have no common shape")
            first = tuple([self.sizes.unify(a, b) for a, b in zip(first, shape)])
        return first

    def summed_to(self, node: Node) -> Shape:
        """The target shape of a sum; where it is not 1 it equals the operand's."""
        dims = self.of(node.inputs[0])
        target = self.host(node.inputs[1])
        extra = len(dims) - len(target)
        result = []
        for d, entry in zip(dims[extra:], target):
            size = as_size(self.sizes, entry)
            result.append(size if size == ONE else self.sizes.unify(size, d))
        return tuple(result)

    def reduced(self, node: Node) -> frozenset[int]:
        """The dimensions of the operand that a reduction combines."""
        if isinstance(node.op, SumTo):
            dims, target = self.of(node.inputs[0]), self.of(node.outputs[0])
            extra = len(dims) - len(target)
            ones = [i for i, d in enumerate(target, extra) if d == ONE]
            return frozenset((*range(extra), *ones))
        axes = literal_of(self.sizes, node.inputs[1])
        return frozenset(normalize_axes(axes, len(self.of(node.inputs[0]))))


def is_known(type_: TensorType) -> bool:
    """Whether all sizes of a type are known."""
    return type_.dims is not None and None not in type_.dims


def place_of_result(op: Any, place: Place, reduced: frozenset[int], extra: int) -> Place:
    """The place in a reduction's result for one in its operand, of `extra` more dimensions."""
    if isinstance(op, SumTo):
        return tuple([FIRST if i in reduced else p for i, p in enumerate(place)][extra:])
    return tuple(
        [
            FIRST if i in reduced else p
            for i, p in enumerate(place)
            if op.keep_dims or i not in reduced
        ]
    )


def joined_parts(node: Node) -> tuple[Value, ...]:
    """The tensors that a node joins."""
    return node.inputs[:-1] if isinstance(node.op, ConcatV2) else node.inputs
