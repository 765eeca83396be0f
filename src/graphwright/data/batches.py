"""Methods of datasets that make one element of several, or several of one."""

from __future__ import annotations

from typing import Any

from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.stages import batching
from graphwright.ir.known import known
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.values.convert import convert


class Batches(DatasetValue):
    """What a dataset offers to put elements together and to take them apart."""

    def batch(
        self,
        batch_size: TensorLike,
        drop_remainder: TensorLike = False,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Returns so many elements at a time, stacked along a new first axis.

        Args:
            batch_size: An int64 scalar: how many elements.
            drop_remainder: A bool scalar: whether fewer elements at the end are left out.
            num_parallel_calls: How many batches may be made at the same time.
            deterministic: Whether batches keep the order of the elements.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of batches.

        Raises:
            InvalidArgumentError: `batch_size` is not positive, or elements differ in shape.

        >>> import graphwright as tf
        >>> list(tf.data.Dataset.range(5).batch(2).as_numpy_iterator())
        [array([0, 1]), array([2, 3]), array([4])]
        """
        size, drop = int64(batch_size), convert(drop_remainder, dt.bool_)
        element = self._type.batched(static(size) if static(drop) else None)
        name = "BatchDataset" if num_parallel_calls is None else "ParallelBatchDataset"
        return make(batching.Batch, element, [self], [size, drop], (), name)

    def unbatch(self, name: str | None = None) -> Any:
        """Returns the rows of the elements.

        Args:
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of rows.

        Raises:
            InvalidArgumentError: The parts of an element have different numbers of rows.

        >>> import graphwright as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2, 3]).unbatch().as_numpy_iterator())
        [1, 2, 3]
        """
        return make(batching.Unbatch, self._type.unbatched(), [self])


def static(tensor: Any) -> Any:
    """The value of a scalar, where it is known while a function is traced; else None."""
    return known(tensor._value) if isinstance(tensor, SymbolicTensor) else tensor.numpy().item()
