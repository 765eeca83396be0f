"""Lines of one block of StableHLO as they are written, for rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import Location
from graphwright.ir.graph import Node
from graphwright.portable.refused_op import NoCounterpart, RefusedOp
from graphwright.portable.stablehlo.hlo_value import (
    ELEMENTS,
    HloValue,
    array_text,
    static_dims,
    type_text,
)
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.values.variable import Variable


class TextParts:
    """What the blocks of a text share: names, values of variables, and what is refused."""

    def __init__(self) -> None:
        self.refused: list[RefusedOp] = []
        self._count = 0
        self._names: set[str] = set()
        self._variables: dict[int, Array] = {}

    def number(self) -> str:
        """The next name of a result."""
        self._count += 1
        return f"%{self._count - 1}"

    def unique(self, base: str) -> str:
        """A name that nothing of the text has yet, made of letters that MLIR takes."""
        plain = "".join([c if c.isascii() and (c.isalnum() or c in "_$.-") else "_" for c in base])
        if not plain or not (plain[0].isalpha() or plain[0] == "_"):
            plain = f"_{plain}"
        name, count = plain, 0
        while name in self._names:
            count += 1
            name = f"{plain}_{count}"
        self._names.add(name)
        return f"%{name}"

    def variable(self, variable: Variable) -> Array:
        """The value of a variable when the text is written, the same at each place."""
        key = id(variable)
        if key not in self._variables:
            self._variables[key] = np.array(variable.numpy())
        return self._variables[key]


class BlockWriter:
    """Writes the lines of one block, for rules.

    Attributes:
        lines: The lines so far, without constants.
        node: The node of ours that is being written.
        location: The line of the program that it comes from.
    """

    def __init__(self, parts: TextParts, outer: BlockWriter | None) -> None:
        self.parts = parts
        self.outer = outer
        self.lines: list[str] = []
        self.node: Node | None = None if outer is None else outer.node
        self.location: Location | None = None if outer is None else outer.location
        self._constants: dict[Any, str] = {}
        self._constant_lines: list[str] = []

    def inner(self) -> BlockWriter:
        """The writer of a block inside this one, which sees its values."""
        return BlockWriter(self.parts, self)

    # -- names ------------------------------------------------------------------------------------

    def ref(self, value: HloValue) -> str:
        """The name of a value; a constant gets its line at the start of the block."""
        if value.array is None:
            assert value.name
            return value.name
        key = value.dtype, value.sizes, value.array.tobytes()
        block: BlockWriter | None = self
        while block is not None:
            if key in block._constants:
                return block._constants[key]
            block = block.outer
        name = self._constants[key] = self.parts.number()
        text = array_text(value.array, value.dtype)
        kind = type_text(value.dtype, value.sizes)
        self._constant_lines.append(f"{name} = stablehlo.constant {text} : {kind}")
        return name

    def block(self, last: str) -> list[str]:
        """All lines of the block, with the one that ends it."""
        return [*self._constant_lines, *self.lines, last]

    def target(self, place: int = 0) -> tuple[int, ...]:
        """The shape of a result of the node that is being written."""
        assert self.node is not None
        dims = static_dims(self.node.outputs[place].type)
        if dims is None:
            raise NoCounterpart("the sizes of its results are not known while tracing")
        return dims

    # -- lines ------------------------------------------------------------------------------------

    def emit(
        self,
        name: str,
        operands: Sequence[HloValue],
        dtype: DType,
        dims: Sequence[int],
        attributes: str = "",
        regions: Sequence[list[str]] = (),
    ) -> HloValue:
        """Adds an op with one result."""
        (made,) = self.emit_all(name, operands, [(dtype, dims)], attributes, regions)
        return made

    def emit_all(
        self,
        name: str,
        operands: Sequence[HloValue],
        results: Sequence[tuple[DType, Sequence[int]]],
        attributes: str = "",
        regions: Sequence[list[str]] = (),
    ) -> list[HloValue]:
        """Adds an op in the form that all ops have."""
        refs = ", ".join(map(self.ref, operands))
        made = self.parts.number()
        left = made if len(results) == 1 else f"{made}:{len(results)}"
        taken = ", ".join([type_text(v.dtype, v.sizes) for v in operands])
        given = ", ".join([type_text(dtype, dims) for dtype, dims in results])
        given = given if len(results) == 1 else f"({given})"
        start, end = f'{left} = "stablehlo.{name}"({refs})', f" : ({taken}) -> {given}"
        braces = f" {{{attributes}}}" if attributes else ""
        if regions:
            self.lines.append(f"{start} ({{")
            for region in regions[:-1]:
                self.lines.extend([*indented(region), "}, {"])
            self.lines.extend([*indented(regions[-1]), f"}}){braces}{end}"])
        else:
            self.lines.append(f"{start}{braces}{end}")
        names = [made] if len(results) == 1 else [f"{made}#{i}" for i in range(len(results))]
        return [HloValue(n, dtype, tuple(dims)) for n, (dtype, dims) in zip(names, results)]

    def same(self, name: str, *operands: HloValue) -> HloValue:
        """Adds an elementwise op whose operands and result have one type."""
        first = operands[0]
        assert all(v.dtype is first.dtype and v.sizes == first.sizes for v in operands), name
        refs = ", ".join(map(self.ref, operands))
        made = self.parts.number()
        kind = type_text(first.dtype, first.sizes)
        self.lines.append(f"{made} = stablehlo.{name} {refs} : {kind}")
        return HloValue(made, first.dtype, first.sizes)

    # -- constants and known values ---------------------------------------------------------------

    def constant(self, value: Any, dtype: DType, dims: tuple[int, ...] | None = None) -> HloValue:
        """A constant: an array, or one number in all places of a shape."""
        if dtype not in ELEMENTS:
            raise NoCounterpart(f"StableHLO has no {dtype.name} here")
        array = np.asarray(value).astype(dtype.numpy_dtype)
        if array.size > 1 and array.strides and not any(array.strides):
            array = array.reshape(-1)[:1].reshape(())
        return HloValue("", dtype, array.shape if dims is None else dims, array)

    def whole(self, value: HloValue, what: str) -> Array:
        """The numbers of a value; NoCounterpart where they are not known while tracing."""
        array = value.whole
        if array is None:
            raise NoCounterpart(f"{what} must be known while tracing")
        return array

    def axes(self, value: HloValue, rank: int, what: str = "the axes") -> list[int]:
        """Axes as numbers that are not negative."""
        return [int(a) % rank if rank else 0 for a in np.ravel(self.whole(value, what))]

    # -- what rules share -------------------------------------------------------------------------

    def reshape(self, x: HloValue, dims: Sequence[int]) -> HloValue:
        """The elements in another shape."""
        if x.sizes == tuple(dims):
            return x
        if x.array is not None:
            array = x.array if x.array.size == 1 else x.array.reshape(dims)
            return HloValue("", x.dtype, tuple(dims), array)
        return self.emit("reshape", [x], x.dtype, dims)

    def broadcast(self, x: HloValue, dims: Sequence[int]) -> HloValue:
        """The elements repeated to a shape, whose last axes are those of the value."""
        if x.sizes == tuple(dims):
            return x
        if x.array is not None and x.array.size == 1:
            return HloValue("", x.dtype, tuple(dims), x.array)
        ahead = len(dims) - len(x.sizes)
        return self.placed(x, dims, range(ahead, len(dims)))

    def placed(self, x: HloValue, dims: Sequence[int], axes: Sequence[int]) -> HloValue:
        """The elements repeated to a shape, in which the value has these axes."""
        numbers = integers(axes)
        return self.emit(
            "broadcast_in_dim", [x], x.dtype, dims, f"broadcast_dimensions = {numbers}"
        )

    def transpose(self, x: HloValue, order: Sequence[int]) -> HloValue:
        """The axes in another order."""
        if list(order) == sorted(order):
            return x
        dims = [x.sizes[i] for i in order]
        return self.emit("transpose", [x], x.dtype, dims, f"permutation = {integers(order)}")

    def convert(self, x: HloValue, dtype: DType) -> HloValue:
        """The elements as another dtype; a bool is what is not 0."""
        if x.dtype is dtype:
            return x
        if dtype not in ELEMENTS:
            raise NoCounterpart(f"StableHLO has no {dtype.name} here")
        if dtype is dt.bool_:
            return self.compare("NE", x, self.constant(0, x.dtype, x.sizes))
        return self.emit("convert", [x], dtype, x.sizes)

    def compare(self, relation: str, x: HloValue, y: HloValue) -> HloValue:
        """Whether elements have a relation: EQ, NE, LT, LE, GT or GE."""
        words = f"comparison_direction = #stablehlo<comparison_direction {relation}>"
        return self.emit("compare", [x, y], dt.bool_, x.sizes, words)

    def select(self, condition: HloValue, x: HloValue, y: HloValue) -> HloValue:
        """One of two elements."""
        return self.emit("select", [condition, x, y], x.dtype, x.sizes)

    def slice(
        self, x: HloValue, starts: Sequence[int], limits: Sequence[int], steps: Sequence[int]
    ) -> HloValue:
        """A window with strides that are positive."""
        dims = [max(-(-(b - a) // s), 0) for a, b, s in zip(starts, limits, steps)]
        if tuple(dims) == x.sizes:
            return x
        words = (
            f"start_indices = {integers(starts)}, limit_indices = {integers(limits)}, "
            f"strides = {integers(steps)}"
        )
        return self.emit("slice", [x], x.dtype, dims, words)

    def concat(self, values: Sequence[HloValue], axis: int) -> HloValue:
        """One after the other."""
        if len(values) == 1:
            return values[0]
        dims = list(values[0].sizes)
        dims[axis] = sum(v.sizes[axis] for v in values)
        return self.emit("concatenate", values, values[0].dtype, dims, f"dimension = {axis} : i64")

    def iota(self, dtype: DType, dims: Sequence[int], axis: int) -> HloValue:
        """The place of each element along an axis."""
        return self.emit("iota", [], dtype, dims, f"iota_dimension = {axis} : i64")

    def region(
        self,
        kinds: Sequence[DType],
        combine: Callable[[BlockWriter, list[HloValue]], list[HloValue]],
    ) -> list[str]:
        """A block that takes scalars of these dtypes."""
        inner = self.inner()
        scalars = [HloValue(self.parts.unique("a"), dtype, ()) for dtype in kinds]
        results = combine(inner, scalars)
        return closed(inner, scalars, results)


def closed(
    inner: BlockWriter, parameters: Sequence[HloValue], results: Sequence[HloValue]
) -> list[str]:
    """The lines of a block inside an op, which returns results."""
    refs = ", ".join(map(inner.ref, results))
    kinds = ", ".join([type_text(v.dtype, v.sizes) for v in results])
    lines = inner.block(f"stablehlo.return {refs} : {kinds}" if results else "stablehlo.return")
    if not parameters:
        return lines
    shown = ", ".join([f"{v.name}: {type_text(v.dtype, v.sizes)}" for v in parameters])
    return [f"^bb0({shown}):", *lines]


def indented(lines: list[str]) -> list[str]:
    """The lines of a block as they stand inside an op; its label stays at the left."""
    first = [line if line.startswith("^") else f"  {line}" for line in lines[:1]]
    return [*first, *[f"  {line}" for line in lines[1:]]]


def integers(numbers: Sequence[int]) -> str:
    """An attribute that is a list of numbers."""
    return f"array<i64: {', '.join(map(str, numbers))}>" if len(numbers) else "array<i64>"


def pairs(rows: Sequence[tuple[int, int]]) -> str:
    """An attribute that says what is put before and behind each axis."""
    if not rows:
        return "dense<> : tensor<0x2xi64>"
    shown = ", ".join([f"[{a}, {b}]" for a, b in rows])
    return f"dense<[{shown}]> : tensor<{len(rows)}x2xi64>"
