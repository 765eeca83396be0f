"""The ranks of MPI that a mesh spans, and their collectives along its dimensions.

A collective of a tensor with a value happens at once. One of a graph's tensors becomes a node, and
happens whenever the graph runs: in its order, which all ranks have alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.control.python_call import FreshFunction, fresh_results
from graphwright.library.distribute.agreements import JOIN
from graphwright.library.distribute.pending_sums import BucketPacking
from graphwright.library.distribute.workers import WorkerGroup
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims
from graphwright.values.tensor import EagerTensor, box

#: What combines the parts of a result that no sum does.
_UFUNCS: dict[str, Any] = {
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "all": np.logical_and,
    "any": np.logical_or,
}


class MeshRanks:
    """The ranks of a mesh. All of them come to every collective of theirs, in the same order.

    Args:
        workers: The processes that MPI has started, of which each has one place in the mesh.
        dims: The names of the mesh's dimensions.
        shape: Their sizes.
    """

    def __init__(self, workers: WorkerGroup, dims: Sequence[str], shape: Sequence[int]) -> None:
        self.workers = workers
        self.dims = list(dims)
        self.shape = list(shape)
        self.place = [int(i) for i in np.unravel_index(workers.rank, self.shape)]

    def place_along(self, dim: str) -> int:
        """The place of this rank along a dimension of the mesh."""
        return self.place[self.dims.index(dim)]

    def group(self, dim: str) -> Any:
        """The communicator of the ranks that differ from this one along a dimension alone."""
        return self.workers.line(self.shape, self.dims.index(dim))

    def joined(self, part: TensorValue, axis: int, dim: str) -> TensorValue:
        """The parts of the ranks along a dimension, one behind the other along an axis."""

        def join(array: Array) -> Array:
            return np.concatenate(list(self.all_parts(array, dim)), axis)

        dims = list(dims_of(part))
        size = dims[axis]
        dims[axis] = None if size is None else size * self.shape[self.dims.index(dim)]
        return collective(join, part, dims)

    def combined(self, part: TensorValue, dim: str, how: str) -> TensorValue:
        """The sum, mean, maximum or the like of the parts of the ranks along a dimension."""
        return collective(lambda array: self.combined_array(array, dim, how), part, dims_of(part))

    def all_parts(self, array: Array, dim: str) -> Array:
        """The arrays of the ranks along a dimension, all of one shape, along a new first axis."""
        self.workers.agree(f"{JOIN} parts along {dim!r}", [array])
        group = self.group(dim)
        sent = np.ascontiguousarray(array)
        received = np.empty((group.Get_size(), *array.shape), array.dtype)
        group.Allgather(sent.reshape(-1).view(np.uint8), received.reshape(-1).view(np.uint8))
        return received

    def combined_array(self, array: Array, dim: str, how: str) -> Array:
        """The sum, mean, maximum or the like of the arrays of the ranks along a dimension."""
        if how not in ("sum", "mean"):
            # MPI's extremes lose NaN, and its products know no complex numbers of half the size.
            parts = self.all_parts(array, dim)
            return np.asarray(_UFUNCS[how].reduce(parts, axis=0))
        self.workers.agree(f"sum of parts along {dim!r}", [array])
        packing = BucketPacking([array])
        total = np.empty_like(packing.flat)
        self.group(dim).Allreduce(packing.flat, total, self.workers.mpi.SUM)
        if how == "mean":
            total /= self.group(dim).Get_size()
        return packing.unpacked(total)[0]


def dims_of(tensor: TensorValue) -> Dims:
    """The shape of a tensor whose rank is known."""
    given: Any = tensor
    dims: Dims = given.type.dims
    return dims


def collective(
    collect: Callable[[Array], Array], tensor: TensorValue, dims: Sequence[int | None]
) -> TensorValue:
    """The result of a collective, which has the dtype of the tensor and a shape of its own."""
    if isinstance(tensor, EagerTensor):
        return box(collect(tensor._array))
    function = FreshFunction(lambda array: [collect(array)])
    (result,) = fresh_results(function, [tensor], [tensor.dtype], name="Collective")
    result.set_shape(dims)
    joined: TensorValue = result
    return joined
