"""The interpreter that says how results are divided, while there are divided tensors.

Where all devices of a mesh are in one memory, a divided tensor is one array. Its layout says which
part each device has. Over ranks, ops run on the parts (`PartwiseOps`). Programs that
divide nothing have no such interpreter and pay nothing.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from graphwright.control.call import PartitionedCall
from graphwright.library.dtensor.layout_notes import (
    STATED,
    LayoutNote,
    layout_of,
    noted,
    noted_part,
    operand_of,
)
from graphwright.library.dtensor.mesh import Mesh
from graphwright.library.dtensor.parts_graph import called
from graphwright.library.dtensor.partwise_ops import PartwiseOps, RankPart
from graphwright.library.dtensor.rank_tensors import RankTensor
from graphwright.library.dtensor.sharding_rules import Specs, specs_of_results
from graphwright.library.dtensor.tensor_layout import UNSHARDED, Layout
from graphwright.op.interpreter import STATE, Layer
from graphwright.op.op import Op
from graphwright.ops.core.identity import Identity, identity
from graphwright.trace.tracer import tracer_of
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.dtypes import DType
from graphwright.values.tensor import EagerTensor, box


def lay(tensor: EagerTensor, layout: Layout) -> EagerTensor:
    """Notes the layout of a tensor; the tensor."""
    return noted(tensor, layout, mesh_layer())


class MeshLayer(Layer):
    """Notes the layouts of the results of ops whose operands have some.

    It goes when there are no divided tensors any more.
    """

    def __init__(self) -> None:
        self.default: Mesh | None = None  # the mesh of what has no operands in one
        self.notes: weakref.WeakSet[LayoutNote] = weakref.WeakSet()
        self.wanted: Layout | None = None  # that of the tensor which is laid out anew now

    def retire(self) -> None:
        """Leaves the chain of interpreters where there is nothing to note."""
        if self.default is None and not self.notes:
            self.leave()

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, with its layout."""
        layouts = (self.wanted, *map(layout_of, operands))
        mesh = next((layout.mesh for layout in layouts if layout), self.default)
        if mesh is not None and mesh.ranks is not None and tracer_of(self) is None:
            return self.over_ranks(mesh, op, operands, name)
        result = self.hand_on(op, operands, name)
        if mesh is not None and tracer_of(self) is None:
            outputs = result if type(result) is tuple else (result,)
            specs = specs_of_results(op, [operand_of(o) for o in operands], STATED)
            for tensor, each in zip(outputs, [*specs, *[None] * len(outputs)]):
                if type(tensor) is EagerTensor and tensor.dtype.is_numpy_compatible:
                    lay(tensor, fitting(each, tensor, mesh))
        return result

    def over_ranks(self, mesh: Mesh, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, of which each rank computes its part."""
        parts = [part_from(operand) for operand in operands]
        ops = PartwiseOps(mesh, self.hand_on)
        if self.wanted is not None and isinstance(op, Identity):
            results = [ops.laid_out(parts[0], tuple(self.wanted.sharding_specs))]
        elif isinstance(op, PartitionedCall):
            results = called(op.f, parts, mesh)
        else:
            results = ops.results(op, parts, name)
        tensors = tuple([self.tensor_of(part, mesh) for part in results])
        if op.returns_tuple or len(tensors) > 1:
            return tensors
        return tensors[0] if tensors else None

    def tensor_of(self, part: RankPart, mesh: Mesh) -> EagerTensor:
        """The tensor of which this rank has a part."""
        tensor: EagerTensor = part.tensor
        if not tensor.dtype.is_numpy_compatible:
            return tensor
        specs = part.specs or (UNSHARDED,) * len(tensor.dims)
        return noted_part(tensor._array, Layout(specs, mesh), self)

    def laid_out(self, tensor: TensorValue, layout: Layout, name: str | None) -> Any:
        """A tensor of a mesh over ranks, laid out anew."""
        self.wanted = layout
        try:
            return identity(tensor, name=name)
        finally:
            self.wanted = None

    def constant(self, value: TensorLike, dtype: DType | None, name: str | None) -> Any:
        """A constant, of which each device has all where there is a default mesh."""
        tensor = super().constant(value, dtype, name)
        if self.default is None or type(tensor) is not EagerTensor:
            return tensor
        tensor = box(tensor._array)  # that of a number may be shared
        return lay(tensor, Layout.replicated(self.default, len(tensor.dims)))


def part_from(operand: object) -> RankPart:
    """What this rank has of an operand."""
    if not isinstance(operand, EagerTensor):
        return RankPart(operand)
    layout = layout_of(operand)
    specs = None if layout is None else tuple(layout.sharding_specs)
    dims = operand.dims if operand.dtype.is_numpy_compatible else None
    tensor = box(operand.part) if isinstance(operand, RankTensor) else operand
    return RankPart(tensor, specs, dims)


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
