"""Nodes of a model as they are written: one at a time, with types that ONNX's schemas say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.base.errors import Location
from graphwright.ir.graph import Node
from graphwright.portable.onnx.onnx_types import (
    NUMBER_OF,
    OF_WORD,
    WORD_OF,
    onnx_package,
    schema_of,
)
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart, RefusedOp
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    import onnx

#: Constants of at most so many bytes that are equal become one.
_SHARED = 1024


class ModelParts:
    """What the graphs of a model share: names, initializers, and what is refused."""

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.inputs: list[Wire] = []
        self.outputs: list[Wire] = []
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, Array] = {}
        self.refused: list[RefusedOp] = []
        self._used: dict[str, int] = {}
        self._constants: dict[Any, Wire] = {}

    def unique(self, base: str) -> str:
        """A name that nothing of the model has yet."""
        number = self._used.get(base)
        if number is None:
            self._used[base] = 1
            return base
        while f"{base}_{number}" in self._used:
            number += 1
        self._used[base] = number + 1
        return self.unique(f"{base}_{number}")

    def initializer(self, array: Array, type_: TensorType, base: str, value: Any) -> Wire:
        """A constant of the model."""
        key = None
        if array.nbytes <= _SHARED and array.dtype != object:
            key = type_, array.shape, array.tobytes()
            if key in self._constants:
                return self._constants[key]
        name = self.unique(base)
        self.initializers[name] = array
        wire = Wire(name, type_, value, array)
        if key is not None:
            self._constants[key] = wire
        return wire

    def refuse_result(self, name: str) -> None:
        """Notes that a result is a list of tensors."""
        self.refused.append(RefusedOp(name, "a list of tensors is no result of a model", None))

    def variable(self, variable: Variable) -> Wire:
        """The value of a variable, once."""
        key = id(variable)
        if key not in self._constants:
            if variable.dtype not in NUMBER_OF:
                raise NoCounterpart(f"ONNX has no {variable.dtype.name}")
            array = np.asarray(variable.numpy())
            type_ = TensorType(variable.dtype, array.shape)
            base = variable.name.partition(":")[0]
            name = self.unique(base or "variable")
            self.initializers[name] = array
            self._constants[key] = Wire(name, type_, None, array)
        return self._constants[key]


class NodeWriter:
    """Writes nodes of one graph, for rules.

    Attributes:
        nodes: The messages of the nodes so far.
        node: The node of ours that is being written.
        location: The line of the program that it comes from.
    """

    def __init__(self, parts: ModelParts) -> None:
        self.parts = parts
        self.nodes: list[onnx.NodeProto] = []
        self.node: Node | None = None
        self.location: Location | None = None

    @property
    def opset(self) -> int:
        """The opset of the model."""
        return self.parts.opset

    # -- nodes ----------------------------------------------------------------------------------

    def emit(
        self,
        kind: str,
        *operands: Wire | None,
        dtype: DType | None = None,
        type: TensorType | None = None,
        known: Any = None,
        **attributes: Any,
    ) -> Wire:
        """Adds a node with one result; its dtype is what ONNX says, unless that leaves it open.

        An attribute that has the name of a parameter here has an underscore after it.
        """
        (wire,) = self.emit_all(kind, operands, 1, dtype, attributes)
        wire.known = known
        if type is not None:
            wire.type = type
        return wire

    def emit_all(
        self,
        kind: str,
        operands: Sequence[Wire | None],
        count: int,
        dtype: DType | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> list[Wire]:
        """Adds a node with several results; NoCounterpart where ONNX has it not for the dtypes."""
        types = self.result_types(kind, operands, count, dtype)
        base = self.node.name if self.node is not None else "graph"
        names = [self.parts.unique(f"{base}/{kind}") for _ in range(count)]
        inputs = [wire.name if wire is not None else "" for wire in operands]
        given = {k.rstrip("_"): v for k, v in (attributes or {}).items() if v is not None}
        helper = onnx_package().helper
        self.nodes.append(helper.make_node(kind, inputs, names, self.parts.unique(base), **given))
        return [Wire(name, type_) for name, type_ in zip(names, types)]

    def result_types(
        self, kind: str, operands: Sequence[Wire | None], count: int, dtype: DType | None
    ) -> list[TensorType]:
        """The types of a node's results, from the schema of its op."""
        schema = schema_of(kind, self.opset)
        if schema is None:
            raise NoCounterpart(f"opset {self.opset} of ONNX has no {kind}")
        allowed = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
        bound: dict[str, DType] = {}
        for place, wire in enumerate(operands):
            if wire is None:
                continue
            formal = schema.inputs[min(place, len(schema.inputs) - 1)]
            if wire.is_list:
                bound.setdefault(formal.type_str, dt.variant)
                continue
            word = f"tensor({WORD_OF.get(wire.dtype, wire.dtype.name)})"
            if word not in allowed.get(formal.type_str, [formal.type_str]):
                raise NoCounterpart(f"{kind} of ONNX takes no {wire.dtype.name}")
            bound.setdefault(formal.type_str, wire.dtype)
        types = []
        for place in range(count):
            formal = schema.outputs[min(place, len(schema.outputs) - 1)]
            result = dtype if dtype is not None else bound.get(formal.type_str)
            if result is None:
                words = allowed.get(formal.type_str, [formal.type_str])
                assert len(words) == 1, f"the dtype of {kind} must be given"
                result = OF_WORD[next(iter(words))[len("tensor(") : -1]]
            types.append(TensorType(result, None))
        return types

    # -- helpers of rules -----------------------------------------------------------------------

    def constant(self, value: Any, dtype: DType) -> Wire:
        """A constant: a number, or nested tuples of numbers."""
        array = np.array(value, object if dtype is dt.string else None).astype(dtype.numpy_dtype)
        type_ = TensorType(dtype, array.shape)
        plain = value if isinstance(value, (int, float, bool)) else nested(array)
        return self.parts.initializer(array, type_, "constant", plain)

    def like(self, value: float, wire: Wire) -> Wire:
        """A constant scalar of a wire's dtype."""
        return self.constant(value, wire.dtype)

    def zero(self, dtype: DType) -> Wire:
        """0 as a scalar of a dtype; of strings, the empty one."""
        return self.constant(b"" if dtype is dt.string else 0, dtype)

    def longs(self, *numbers: int) -> Wire:
        """A constant vector of int64."""
        return self.constant(np.array(numbers, np.int64), dt.int64)

    def cast(self, wire: Wire, dtype: DType) -> Wire:
        """A wire as another dtype."""
        if wire.dtype is dtype:
            return wire
        if dtype not in NUMBER_OF:
            raise NoCounterpart(f"ONNX has no {dtype.name}")
        if wire.whole is not None and dtype.is_integer and wire.dtype.is_integer:
            return self.constant(np.array(wire.whole), dtype)
        exact = {"saturate": 0} if dtype.name.startswith("float8") else {}
        (made,) = self.emit_all("Cast", [wire], 1, dtype, {"to": NUMBER_OF[dtype], **exact})
        return Wire(made.name, TensorType(dtype, wire.type.dims), wire.known)

    def vector(self, wire: Wire) -> Wire:
        """A shape, axes or the like as a vector of int64."""
        if wire.whole is not None:
            return self.constant(np.reshape(np.array(wire.whole, np.int64), -1), dt.int64)
        long = self.cast(wire, dt.int64)
        if wire.type.rank == 1:
            return long
        return self.reshape(long, self.longs(-1))

    def scalar(self, wire: Wire) -> Wire:
        """A number as a scalar of int64."""
        if wire.whole is not None:
            return self.constant(np.reshape(np.array(wire.whole, np.int64), ()), dt.int64)
        long = self.cast(wire, dt.int64)
        return long if wire.type.rank == 0 else self.reshape(long, self.longs())

    def reshape(self, wire: Wire, dims: Wire) -> Wire:
        """A wire in another shape, a vector of int64."""
        rank = dims.type.dims[0] if dims.type.dims else None
        made = self.emit("Reshape", wire, dims, allowzero=1)
        return Wire(made.name, TensorType(wire.dtype, None if rank is None else (None,) * rank))

    def shape(self, wire: Wire) -> Wire:
        """The shape as a vector of int64."""
        dims = wire.type.dims
        if dims is not None and None not in dims:
            return self.longs(*[int(d) for d in dims if d is not None])
        rank = None if dims is None else len(dims)
        return self.emit("Shape", wire, type=TensorType(dt.int64, (rank,)), known=dims)

    def transposed(self, wire: Wire, order: Sequence[int]) -> Wire:
        """A wire with its axes in another order; an initializer is transposed at once."""
        dims = wire.type.dims
        new = None if dims is None else tuple([dims[i] for i in order])
        type_ = TensorType(wire.dtype, new)
        if list(order) == sorted(order):
            return wire
        if wire.array is not None:
            array = np.ascontiguousarray(wire.array.transpose(order))
            return self.parts.initializer(array, type_, wire.name, None)
        return self.emit("Transpose", wire, type=type_, perm=list(order))

    def rank(self, wire: Wire, what: str = "its operand") -> int:
        """The rank of a wire; NoCounterpart where it is unknown."""
        if wire.type.rank is None:
            raise NoCounterpart(f"the rank of {what} is not known")
        return wire.type.rank

    def value(self, wire: Wire, what: str) -> Any:
        """The value of a wire; NoCounterpart where it is not known while tracing."""
        if wire.whole is None:
            raise NoCounterpart(f"{what} must be known")
        return wire.whole

    def axis(self, wire: Wire, rank: int, what: str = "the axis") -> int:
        """An axis as a number that is not negative."""
        number = self.value(wire, what)
        while isinstance(number, tuple):
            (number,) = number
        return int(number) % rank if rank else int(number)


def nested(array: Array) -> Any:
    """The numbers of a small array as nested tuples; None for others."""
    if array.size > _SHARED or array.dtype == object:
        return None

    def tuples(value: Any) -> Any:
        return tuple([tuples(v) for v in value]) if isinstance(value, list) else value

    return tuples(array.tolist())
