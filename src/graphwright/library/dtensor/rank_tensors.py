"""Tensors of a mesh over ranks: each rank has the part of its device, and no rank has the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.base.errors import UnimplementedError
from graphwright.library.dtensor.mesh import Mesh
from graphwright.library.dtensor.tensor_layout import UNSHARDED, Layout
from graphwright.ops.core.shapes import shape
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import of_numpy
from graphwright.types.tensor_type import Dims, TensorType
from graphwright.values.tensor import EagerTensor, box
from graphwright.values.tensor_operators import Operators


class RankTensor(EagerTensor):
    """A tensor of which this rank has a part: `part`, an array. Its shape is that of the whole."""

    __slots__ = ("part",)
    part: Array
    _is_constant = False

    @property
    def _array(self) -> Any:
        raise UnimplementedError(
            None, None,
            f"This rank has a part of the tensor, of shape {list(self.part.shape)}, and no rank "
            f"has the whole, of shape {list(self.dims)}. `dtensor.unpack(tensor)[0]` is the part; "
            "`dtensor.relayout(tensor, dtensor.Layout.replicated(mesh, rank))` gives each rank the "
            "whole, where all ranks call it.",
        )  # fmt: skip

    # Those of tensors with a value take two of them straight to a kernel.
    __add__ = Operators.__add__
    __sub__ = Operators.__sub__
    __mul__ = Operators.__mul__
    __truediv__ = Operators.__truediv__
    __lt__ = Operators.__lt__
    __le__ = Operators.__le__
    __gt__ = Operators.__gt__
    __ge__ = Operators.__ge__

    @property
    def dims(self) -> Dims:
        """The shape of the whole."""
        return self.type.dims or ()

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, of which this rank has "
            f"{self.part!r}>"
        )

    __str__ = __repr__


def rank_tensor(part: Array, layout: Layout) -> RankTensor:
    """The tensor of which this rank has a part."""
    tensor = RankTensor()
    tensor.part = part
    dims = layout.global_shape_from_local_shape(part.shape)
    tensor._type = TensorType(of_numpy(part.dtype), dims)
    return tensor


def part_of(tensor: EagerTensor) -> Any:
    """What this rank has of a tensor, as an array: all of it where it is not divided."""
    return tensor.part if isinstance(tensor, RankTensor) else tensor._array


def laid_out(
    part: TensorValue, before: Sequence[str], after: Sequence[str], mesh: Mesh
) -> TensorValue:
    """This rank's part of a tensor that is divided in another way than before.

    Axes are joined first, then divided. So an axis that stays as it is costs nothing.

    Args:
        part: This rank's part until now, which may be a tensor of a graph.
        before: For each axis a dimension of the mesh, or `UNSHARDED`.
        after: The same from now on.
        mesh: A mesh over ranks.

    Raises:
        UnimplementedError: The tensor has strings.
    """
    ranks = mesh.ranks
    assert ranks is not None
    if part.dtype is dt.string and any(new != UNSHARDED for new in after):
        raise UnimplementedError(
            None, None, "A tensor of strings cannot be divided among processes, only numbers can."
        )
    for axis, (old, new) in enumerate(zip(before, after)):
        if old not in (new, UNSHARDED):
            part = ranks.joined(part, axis, old)
    for axis, (old, new) in enumerate(zip(before, after)):
        if new not in (old, UNSHARDED):
            part = piece(part, axis, ranks.place_along(new), mesh.dim_size(new))
    return part


def piece(tensor: TensorValue, axis: int, place: int, count: int) -> Any:
    """One of so many equal pieces of a tensor along an axis; it shares no memory."""
    given: Any = tensor
    size = given.type.dims[axis]
    size = (shape(tensor)[axis] if size is None else size) // count
    key = (slice(None),) * axis + (slice(place * size, (place + 1) * size),)
    return box(tensor._array[key].copy()) if isinstance(tensor, EagerTensor) else given[key]
