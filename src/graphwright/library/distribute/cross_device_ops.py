"""Sums and copies over devices: `tf.distribute.CrossDeviceOps`.

All devices are in one memory, so one algorithm serves. Values are added in the order of the
replicas, which makes sums the same from run to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce as fold
from typing import Any, TypeAlias

from graphwright.library.distribute.distributed_values import (
    DistributedValues,
    Mirrored,
    as_tensors,
)
from graphwright.library.distribute.reduce_op import ReduceOp
from graphwright.ops.core.casting import cast
from graphwright.ops.core.identity import identity
from graphwright.ops.core.joining import concat
from graphwright.ops.math.arithmetic import add
from graphwright.trace.device_scopes import device
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.logical_devices import DEFAULT, canonical
from graphwright.values.tensor import EagerTensor
from graphwright.values.variable import Variable

#: The sum of tensors, in their order.
Accumulation: TypeAlias = Callable[[Sequence[Any]], Any]


class CrossDeviceOps:
    """How values are summed over devices and copied to them: the base of such ways.

    >>> import graphwright as tf
    >>> ops = tf.distribute.ReductionToOneDevice()
    >>> isinstance(ops, tf.distribute.CrossDeviceOps)
    True
    """

    def reduce(
        self,
        reduce_op: ReduceOp,
        per_replica_value: object,
        destinations: object,
        options: object = None,
    ) -> Any:
        """Combines the values of replicas, and copies the result to devices.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`.
            per_replica_value: Values of replicas, or one tensor.
            destinations: The devices: values of replicas, a variable, a tensor, or a name.
            options: It has no effect.

        Returns:
            A tensor, or a copy of it for each device.

        >>> import graphwright as tf
        >>> ops = tf.distribute.ReductionToOneDevice()
        >>> ops.reduce(tf.distribute.ReduceOp.SUM, tf.constant(2.0), "/cpu:0").numpy()
        np.float32(2.0)
        """
        devices = devices_of(destinations)
        if not isinstance(per_replica_value, DistributedValues):
            return copied(per_replica_value, devices)
        with device(devices[0]):
            total = self._combined(reduce_op, per_replica_value.values)
        return copied(total, devices)

    def batch_reduce(
        self,
        reduce_op: ReduceOp,
        value_destination_pairs: Iterable[tuple[object, object]],
        options: object = None,
    ) -> list[Any]:
        """Combines the values of replicas, each for some devices.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`.
            value_destination_pairs: Pairs of values and their devices, as `reduce` takes them.
            options: It has no effect.

        Returns:
            A list of the results.

        >>> import graphwright as tf
        >>> ops = tf.distribute.ReductionToOneDevice()
        >>> ops.batch_reduce(tf.distribute.ReduceOp.SUM, [(tf.constant(2), "/cpu:0")])
        [<tf.Tensor: shape=(), dtype=int32, numpy=2>]
        """
        return [self.reduce(reduce_op, value, where) for value, where in value_destination_pairs]

    def broadcast(self, tensor: TensorLike, destinations: object) -> Any:
        """Copies a tensor to devices.

        Args:
            tensor: The tensor.
            destinations: The devices, as `reduce` takes them.

        Returns:
            A tensor, or a copy of it for each device.

        >>> import graphwright as tf
        >>> tf.distribute.ReductionToOneDevice().broadcast(tf.constant(2), "/cpu:0").numpy()
        np.int32(2)
        """
        return copied(tensor, devices_of(destinations))

    def _accumulate(self, values: Sequence[TensorValue]) -> Any:
        """The sum of tensors, in their order."""
        return fold(add, values)

    def _combined(self, reduce_op: ReduceOp, values: Sequence[object]) -> Any:
        """The sum, or the mean, of the values of replicas."""
        tensors = [as_tensors(value) for value in values]
        count = len(tensors)
        if any(isinstance(value, IndexedSlices) for value in tensors):
            rows: list[Any] = [value for value in tensors if isinstance(value, IndexedSlices)]
            if len(rows) == count:
                parts = concat([row.values for row in rows], 0)
                places = concat([row.indices for row in rows], 0)
                parts = parts / cast(count, parts.dtype) if reduce_op is ReduceOp.MEAN else parts
                return IndexedSlices(parts, places, rows[0].dense_shape)
        total = self._accumulate([convert(value) for value in tensors])
        if reduce_op is ReduceOp.MEAN:
            return total / cast(count, total.dtype)
        return total


class ReductionToOneDevice(CrossDeviceOps):
    """Copies all values to one device, and sums them there.

    Args:
        reduce_to_device: The name of the device; None takes the first of the destinations.
        accumulation_fn: A function of a list of tensors that returns their sum; None adds them in
            the order of the replicas.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.MirroredStrategy(
    ...     cross_device_ops=tf.distribute.ReductionToOneDevice()
    ... )
    >>> strategy.reduce("SUM", strategy.run(lambda: tf.constant(2.0)), axis=None).numpy()
    np.float32(2.0)
    """

    def __init__(
        self, reduce_to_device: str | None = None, accumulation_fn: Accumulation | None = None
    ) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn

    def _accumulate(self, values: Sequence[TensorValue]) -> Any:
        """The sum of tensors, by the function that the program gave."""
        function = super()._accumulate if self.accumulation_fn is None else self.accumulation_fn
        if self.reduce_to_device is None:
            return function(values)
        with device(self.reduce_to_device):
            return function(values)


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Sums values by copies between groups of devices: here, as all ways, in one memory.

    Args:
        num_packs: An int of at least 0, which has no effect.

    Raises:
        ValueError: `num_packs` is negative.

    >>> import graphwright as tf
    >>> ops = tf.distribute.HierarchicalCopyAllReduce(num_packs=2)
    >>> ops.broadcast(tf.constant(1), "/cpu:0").numpy()
    np.int32(1)
    """

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(
                f"Argument `num_packs` must be greater or equal to 0. Received {num_packs}"
            )


class NcclAllReduce(HierarchicalCopyAllReduce):
    """Sums values as NCCL does on GPUs: there are none, so in one memory as all ways.

    >>> import graphwright as tf
    >>> tf.distribute.NcclAllReduce().broadcast(tf.constant(1), "/cpu:0").numpy()
    np.int32(1)
    """


def devices_of(destinations: object) -> list[str]:
    """The names of the devices that programs mean by an object."""
    if isinstance(destinations, str):
        return [canonical(destinations)]
    if isinstance(destinations, DistributedValues):
        return [devices_of(value)[0] for value in destinations.values]
    if isinstance(destinations, IndexedSlices):
        return devices_of(destinations.values)
    if isinstance(destinations, (Variable, EagerTensor)):
        return [destinations.device]
    name = getattr(destinations, "device", "")
    return [name if isinstance(name, str) and name else DEFAULT]


def copied(value: object, devices: Sequence[str]) -> Any:
    """A value on each of some devices; a plain one where there is one device."""
    copies = []
    for name in devices:
        with device(name):
            if isinstance(value, IndexedSlices):
                shape = value.dense_shape
                copies.append(IndexedSlices(identity(value.values), identity(value.indices), shape))
            else:
                copies.append(identity(as_tensors(value)))
    return copies[0] if len(copies) == 1 else Mirrored(copies)
