"""The variables behind a graph's handles, as machine code sees them."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.ir.deferred_capture import DeferredCapture
from graphwright.ir.graph import Graph, Value
from graphwright.op.op import Op
from graphwright.op.op_families import Elementwise
from graphwright.ops.math.arithmetic import AddV2, Sub
from graphwright.ops.state.variable_ops import (
    AssignAddVariableOp,
    AssignSubVariableOp,
    ReadVariableOp,
    Storage,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types.tensor_type import Dims, TensorType
from graphwright.values.tensor import EagerTensor

#: The op that an update applies to the old value and its operand.
UPDATES: dict[type[Op], type[Elementwise]] = {AssignAddVariableOp: AddV2, AssignSubVariableOp: Sub}


class VariableCells:
    """The storages behind the handles of one graph, as far as they are known."""

    def __init__(self, graph: Graph) -> None:
        self._storages: dict[Value, Storage | None] = {}
        if not graph.gets_other_variables:
            self._storages = {value: storage_of(outside) for outside, value in graph.captures}
        self._dims: dict[Value, Dims | None] = {}
        for node in graph.nodes:
            if isinstance(node.op, ReadVariableOp):
                self._dims[node.inputs[0]] = node.op.shape

    def dims(self, handle: Value) -> Dims | None:
        """The shape that all values of a variable have, as far as it is known."""
        storage = self._storages.get(handle)
        return self._dims.get(handle) if storage is None else storage.dims

    def type_of(self, handle: Value) -> TensorType | None:
        """The type of what a variable holds, as far as it is known."""
        storage = self._storages.get(handle)
        return None if storage is None else storage.value_type

    def fits(self, handle: Value, dims: Dims) -> bool:
        """Whether a variable certainly takes values of a shape."""
        if self._storages.get(handle) is None and handle not in self._dims:
            return False
        declared = self.dims(handle)
        return declared is None or (
            len(declared) == len(dims) and all(k is None or k == d for k, d in zip(declared, dims))
        )

    def is_set(self, handle: Value) -> bool:
        """Whether a variable certainly holds a value, so that a read does not fail."""
        storage = self._storages.get(handle)
        return storage is not None and storage.is_set

    def distinct(self, a: Value, b: Value) -> bool:
        """Whether two handles certainly stand for different variables."""
        one, other = self._storages.get(a), self._storages.get(b)
        return one is not None and other is not None and one is not other

    def are_distinct(self, handles: Sequence[Value]) -> bool:
        """Whether handles certainly stand for different variables, each for its own."""
        storages = {self._storages.get(handle) for handle in handles}
        return None not in storages and len(storages) == len(handles)


def storage_of(outside: EagerTensor | SymbolicTensor | DeferredCapture) -> Storage | None:
    """The storage behind a captured handle, which the graph around may have captured too."""
    if isinstance(outside, DeferredCapture):
        return None  # another one at each call
    if isinstance(outside, EagerTensor):
        array = outside._array
        return array if type(array) is Storage else None
    if outside.graph.gets_other_variables:
        return None
    for further, value in outside.graph.captures:
        if value is outside.key:
            return storage_of(further)
    return None
