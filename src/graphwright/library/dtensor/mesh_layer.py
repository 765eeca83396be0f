"""The interpreter that says how results are divided, while there are divided tensors.

All devices are in one memory. So a divided tensor is one array, with a layout that says which part
each device has. Programs that divide nothing have no such interpreter and pay nothing.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from graphwright.ir.graph import Node
from graphwright.library.dtensor.mesh import Mesh
from graphwright.library.dtensor.sharding_rules import (
    ShardedOperand,
    Specs,
    specs_of_results,
)
from graphwright.library.dtensor.tensor_layout import UNSHARDED, Layout
from graphwright.op.interpreter import STATE, Layer
from graphwright.op.op import Op
from graphwright.trace.tracer import tracer_of
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType
from graphwright.values.tensor import EagerTensor, box

#: Where divided tensors are.
DEVICE = "/job:localhost/replica:0/task:0/device:CUSTOM:0"

#: What `relayout` says of nodes of graphs.
STATED: weakref.WeakKeyDictionary[Node, Specs] = weakref.WeakKeyDictionary()


class LayoutNote:
    """The layout of a tensor, which lives as long as the tensor does.

    Args:
        layout: The layout.
        layer: The interpreter, which goes with the last note.
    """

    def __init__(self, layout: Layout, layer: MeshLayer) -> None:
        self.layout = layout
        self.layer = layer
        layer.notes.add(self)

    def __del__(self) -> None:
        self.layer.notes.discard(self)
        self.layer.retire()


def layout_of(tensor: object) -> Layout | None:
    """The layout of a tensor, or None."""
    note: LayoutNote | None = getattr(tensor, "_layout_note", None)
    return None if note is None else note.layout


def lay(tensor: EagerTensor, layout: Layout) -> EagerTensor:
    """Notes the layout of a tensor; the tensor."""
    given: Any = tensor
    given._layout_note = LayoutNote(layout, mesh_layer())
    given._device = DEVICE
    return tensor


class MeshLayer(Layer):
    """Notes the layouts of the results of ops whose operands have some.

    It goes when there are no divided tensors any more.
    """

    def __init__(self) -> None:
        self.default: Mesh | None = None  # the mesh of what has no operands in one
        self.notes: weakref.WeakSet[LayoutNote] = weakref.WeakSet()

    def retire(self) -> None:
        """Leaves the chain of interpreters where there is nothing to note."""
        if self.default is None and not self.notes:
            self.leave()

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, with its layout."""
        result = self.hand_on(op, operands, name)
        mesh = next((layout.mesh for o in operands if (layout := layout_of(o))), self.default)
        if mesh is not None and tracer_of(self) is None:
            outputs = result if type(result) is tuple else (result,)
            specs = specs_of_results(op, [operand_of(o) for o in operands], STATED)
            for tensor, each in zip(outputs, [*specs, *[None] * len(outputs)]):
                if type(tensor) is EagerTensor and tensor.dtype.is_numpy_compatible:
                    lay(tensor, fitting(each, tensor, mesh))
        return result

    def constant(self, value: TensorLike, dtype: DType | None, name: str | None) -> Any:
        """A constant, of which each device has all where there is a default mesh."""
        tensor = super().constant(value, dtype, name)
        if self.default is None or type(tensor) is not EagerTensor:
            return tensor
        tensor = box(tensor._array)  # that of a number may be shared
        return lay(tensor, Layout.replicated(self.default, len(tensor.dims)))


def operand_of(operand: object) -> ShardedOperand:
    """An operand as rules take it: a tensor, or the value of a host operand."""
    if not isinstance(operand, EagerTensor):
        return ShardedOperand(None, None, operand)
    layout = layout_of(operand)
    specs = None if layout is None else tuple(layout.sharding_specs)
    is_plain = operand.dtype.is_numpy_compatible
    is_host = is_plain and operand.dtype.is_integer and len(operand.dims) < 2
    return ShardedOperand(
        specs, operand.dims if is_plain else None, operand.known if is_host else None
    )


def fitting(specs: Specs | None, tensor: EagerTensor, mesh: Mesh) -> Layout:
    """The layout of a tensor; an axis that cannot be divided evenly is whole."""
    dims: Sequence[int | None] = tensor.dims
    if specs is None or len(specs) != len(dims):
        return Layout.replicated(mesh, len(dims))
    parts = [
        spec if spec == UNSHARDED or not (size or 0) % mesh.dim_size(spec) else UNSHARDED
        for spec, size in zip(specs, dims)
    ]
    return Layout(parts, mesh)


class ThreadLayer(threading.local):
    """The interpreter of each thread."""

    def __init__(self) -> None:
        self.layer = MeshLayer()


THREAD = ThreadLayer()


def mesh_layer() -> MeshLayer:
    """The interpreter of this thread, which is put below all others where nothing is traced."""
    layer = THREAD.layer
    above, lowest = None, STATE.active
    while lowest is not None and lowest is not layer:
        above, lowest = lowest, lowest.below
    if lowest is None and tracer_of(STATE.active) is None:
        layer.below = None
        if above is None:
            STATE.active = layer
        else:
            above.below = layer
    return layer
