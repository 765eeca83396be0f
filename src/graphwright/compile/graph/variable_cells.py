"""The variables of a graph as machine code sees them: which handles stand for which."""

from __future__ import annotations

from typing import Any

from graphwright.ir.graph import Graph, Value
from graphwright.ops.state.variable_ops import ReadVariableOp, Storage
from graphwright.types.tensor_type import Dims
from graphwright.values.tensor import EagerTensor


class VariableCells:
    """What is known of the storage behind the handles in one graph."""

    def __init__(self, graph: Graph) -> None:
        self._storages = {own: storage_of(outside) for outside, own in graph.captures}
        self._dims: dict[Value, Dims | None] = {}
        for node in graph.nodes:
            if isinstance(node.op, ReadVariableOp):
                self._dims[node.inputs[0]] = node.op.shape

    def dims(self, handle: Value) -> Dims | None:
        """The shape that a variable keeps to, as far as it is known."""
        storage = self._storages.get(handle)
        return self._dims.get(handle) if storage is None else storage.dims

    def fits(self, handle: Value, dims: Dims) -> bool:
        """Whether a variable certainly takes what has such a shape."""
        if self._storages.get(handle) is None and handle not in self._dims:
            return False
        kept = self.dims(handle)
        return kept is None or (
            len(kept) == len(dims) and all(k is None or k == d for k, d in zip(kept, dims))
        )

    def is_set(self, handle: Value) -> bool:
        """Whether a variable certainly holds something, so that reading it does not fail."""
        storage = self._storages.get(handle)
        return storage is not None and storage.is_set

    def distinct(self, a: Value, b: Value) -> bool:
        """Whether two handles certainly stand for different variables."""
        one, other = self._storages.get(a), self._storages.get(b)
        return one is not None and other is not None and one is not other


def storage_of(outside: Any) -> Storage | None:
    """What is behind a captured handle: directly, or captured by the graph around."""
    if isinstance(outside, EagerTensor):
        found = outside._array
        return found if type(found) is Storage else None
    for further, own in outside.graph.captures:
        if own is outside.key:
            return storage_of(further)
    return None
