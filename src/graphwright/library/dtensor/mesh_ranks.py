"""The ranks of MPI that a mesh spans, and their collectives along its dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.library.distribute.agreements import JOIN
from graphwright.library.distribute.pending_sums import BucketPacking
from graphwright.library.distribute.workers import WorkerGroup
from graphwright.types.arrays import Array

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

    def joined(self, array: Array, axis: int, dim: str) -> Array:
        """The parts of the ranks along a dimension, one behind the other along an axis."""
        return np.concatenate(list(self.all_parts(array, dim)), axis)

    def all_parts(self, array: Array, dim: str) -> Array:
        """The arrays of the ranks along a dimension, all of one shape, along a new first axis."""
        self.workers.agree(f"{JOIN} parts along {dim!r}", [array])
        group = self.group(dim)
        sent = np.ascontiguousarray(array)
        received = np.empty((group.Get_size(), *array.shape), array.dtype)
        group.Allgather(sent.reshape(-1).view(np.uint8), received.reshape(-1).view(np.uint8))
        return received

    def combined(self, array: Array, dim: str, how: str) -> Array:
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
