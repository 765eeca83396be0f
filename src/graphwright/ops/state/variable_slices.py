"""Slices of variables at index vectors: read, and combined with updates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Effect, Op, Shapes, not_differentiable
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.gathering import GatherNd, check_policy, scatter
from graphwright.ops.core.movement import expand_dims
from graphwright.ops.core.scattering import (
    TensorScatter,
    TensorScatterAdd,
    TensorScatterMax,
    TensorScatterMin,
    TensorScatterSub,
    TensorScatterUpdate,
    check_tensor_updates,
    tensor_scatter_nd_add,
    tensor_scatter_nd_update,
)
from graphwright.ops.core.shapes import shape_of
from graphwright.ops.core.slicing import Masks
from graphwright.ops.math.comparison import SELECT, less
from graphwright.ops.state.variable_ops import Storage, VariableGather, read_variable
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, show_dims


class ResourceGatherNd(VariableGather):
    """The slices of a variable at the index vectors along the last axis of `indices`."""

    type_name = "ResourceGatherNd"

    def shapes(self, resource: TensorType, indices: TensorType) -> Shapes:
        return GATHER_ND.shapes(TensorType(self.dtype, self.shape), indices)

    def kernel(self, storage: Storage, indices: Array) -> Any:
        return GATHER_ND.kernel(storage.read(), indices)

    def on_value(self, value: TensorValue, indices: TensorValue) -> Any:
        return apply(GATHER_ND, value, indices)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        handle, indices = call.inputs
        whole = shape_of(read_variable(handle, self.dtype, self.shape))
        return tensor_scatter_nd_add(zeros(whole, self.dtype), indices, g), None


class ResourceScatterNd(Op):
    """Combines slices of a variable with updates; has no result."""

    inputs = ("ref: resource", "indices: Tindices", "updates: T")
    dtypes = {"Tindices": dt.INDEX, "T": dt.ANY}
    behind = Storage
    effect = Effect.WRITE
    gradient = not_differentiable

    #: The op that does the same to a tensor.
    on_tensor: ClassVar[type[TensorScatter]]

    use_locking: bool = True
    bad_indices_policy: str = ""

    def shapes(self, resource: TensorType, indices: TensorType, updates: TensorType) -> Shapes:
        check_tensor_updates(None, indices.dims, updates.dims)
        return ()

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        check_policy(self.bad_indices_policy)
        return self.kernel

    def kernel(self, storage: Storage, indices: Array, updates: Array) -> None:
        def change(array: Array, out: Array | None) -> Any:
            storage.check_dtype(updates)
            check_tensor_updates(array.shape, np.shape(indices), np.shape(updates))
            kind, policy = self.on_tensor.kind, self.bad_indices_policy
            return scatter(kind, array, indices, updates, policy, out)

        storage.revise(change)

    def on_value(self, value: TensorValue, indices: TensorValue, updates: TensorValue) -> Any:
        return apply(self.on_tensor.of(self.bad_indices_policy), value, indices, updates)


class ResourceScatterNdUpdate(ResourceScatterNd):
    """The slices at `indices` become `updates`."""

    type_name = "ResourceScatterNdUpdate"
    on_tensor = TensorScatterUpdate


class ResourceScatterNdAdd(ResourceScatterNd):
    """`updates` are added to the slices at `indices`."""

    type_name = "ResourceScatterNdAdd"
    on_tensor = TensorScatterAdd


class ResourceScatterNdSub(ResourceScatterNd):
    """`updates` are subtracted from the slices at `indices`."""

    type_name = "ResourceScatterNdSub"
    on_tensor = TensorScatterSub


class ResourceScatterNdMax(ResourceScatterNd):
    """The slices at `indices` are raised to `updates`."""

    type_name = "ResourceScatterNdMax"
    on_tensor = TensorScatterMax


class ResourceScatterNdMin(ResourceScatterNd):
    """The slices at `indices` are lowered to `updates`."""

    type_name = "ResourceScatterNdMin"
    on_tensor = TensorScatterMin


class ResourceStridedSliceAssign(Masks):
    """variable[begin:end:strides] = value, which is broadcast to the slice."""

    type_name = "ResourceStridedSliceAssign"
    inputs = (
        "ref: resource",
        "begin: Index host",
        "end: Index host",
        "strides: Index host",
        "value: T",
    )
    dtypes = {"T": dt.ANY, "Index": dt.INDEX}
    behind = Storage
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(
        self,
        ref: TensorType,
        begin: Dims | None,
        end: Dims | None,
        strides: Dims | None,
        value: TensorType,
    ) -> Shapes:
        return ()

    def kernel(
        self,
        storage: Storage,
        begin: tuple[int, ...],
        end: tuple[int, ...],
        strides: tuple[int, ...],
        value: Array,
    ) -> None:
        index = self.numpy_index(begin, end, strides)

        def changed(array: Array, out: Array | None) -> Any:
            storage.check_dtype(value)
            result = np.array(array) if out is None else out
            try:
                result[index] = value  # NumPy refuses before it writes
            except ValueError:
                if not array[index].size:
                    return result  # nothing to change, whatever is given
                shown, wanted = show_dims(np.shape(value)), show_dims(array[index].shape)
                raise ValueError(
                    f"Cannot broadcast input shape {shown} into final shape {wanted}"
                ) from None
            return result

        storage.revise(changed)

    def on_value(
        self,
        value: GraphTensor,
        begin: GraphTensor,
        end: GraphTensor,
        strides: GraphTensor,
        new: GraphTensor,
    ) -> Any:
        count = begin.shape.num_elements()
        if self.masks != (0, 0, 0, 0, (1 << count) - 1) or new.shape != value.shape[count:]:
            return None  # an element, or a whole slice along the first axes
        sizes = convert(value.shape[:count], begin.dtype)
        places = apply(SELECT, less(begin, 0), begin + sizes, begin)  # -1 is the last one
        return tensor_scatter_nd_update(value, expand_dims(places, 0), expand_dims(new, 0))


GATHER_ND = GatherNd.of()


def gather_slices(
    handle: TensorValue, indices: TensorValue, dtype: DType, shape: Dims | None, name: str | None
) -> Any:
    """The slices of the variable behind `handle` at index vectors."""
    return apply(ResourceGatherNd.of(dtype, shape), handle, indices, name=name)
