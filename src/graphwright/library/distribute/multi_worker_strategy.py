"""`MultiWorkerMirroredStrategy`: a replica in each of several processes, on MPI."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from graphwright.control.python_call import FreshFunction, fresh_results
from graphwright.library.distribute.cluster_resolvers import (
    ClusterResolver,
    SimpleClusterResolver,
    TFConfigClusterResolver,
)
from graphwright.library.distribute.cluster_spec import ClusterSpec
from graphwright.library.distribute.distributed_input import DistributedDataset, split_batch
from graphwright.library.distribute.distributed_values import DistributedValues, as_tensors
from graphwright.library.distribute.distribution_options import CommunicationOptions
from graphwright.library.distribute.gradient_buckets import summed_in_graph
from graphwright.library.distribute.input_context import InputContext
from graphwright.library.distribute.mirrored_strategy import MirroredExtended
from graphwright.library.distribute.pending_sums import SumOptions, SumWay, share_size
from graphwright.library.distribute.reduce_op import ReduceOp, reduction
from graphwright.library.distribute.replica_context import ReplicaContext
from graphwright.library.distribute.replica_scopes import ReplicaScope, inside
from graphwright.library.distribute.strategy import (
    Strategy,
    StrategyExtended,
    check_axis,
    checked_dataset,
    single,
    value_differs,
)
from graphwright.library.distribute.workers import WorkerGroup, world
from graphwright.ops.core.casting import cast
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import PythonFunction, TensorLike, TensorValue
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.logical_devices import DEFAULT
from graphwright.values.tensor import EagerTensor, wrap


class MultiWorkerExtended(MirroredExtended):
    """How a strategy of several processes does what strategies do: by MPI's collectives.

    Args:
        workers: The processes.
        options: How sums in replicas travel: those of gradients, above all.
        divides_state: Whether optimizers divide their state among the processes.
        container_strategy: The strategy.
    """

    def __init__(
        self,
        workers: WorkerGroup,
        options: SumOptions,
        divides_state: bool,
        container_strategy: Strategy,
    ) -> None:
        super().__init__(container_strategy)
        self.workers = workers
        self.options = options
        self._divides_state = divides_state and workers.size > 1

    def _first_value(self, value: object) -> Any:
        """The initial value of a variable: that of the first rank."""
        if isinstance(value, EagerTensor) and value.dtype.is_numpy_compatible:
            return convert(self.workers.of_first(value._array))
        return value

    def _call_for_each_replica(
        self, fn: PythonFunction, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> Any:
        replica = ReplicaContext(self._strategy, self.workers.rank)
        replica._local = 0
        with inside(ReplicaScope(self._strategy, replica)):
            return fn(*args, **kwargs)

    def _sums(
        self, how: ReduceOp, values: Sequence[object], options: SumOptions | None = None
    ) -> list[Any]:
        """The sums, or the means, of values over all ranks."""
        tensors = [as_tensors(value) for value in values]
        dense = [convert(t) for t in tensors if not isinstance(t, IndexedSlices)]
        totals = iter(self._dense_sums(how, dense, options or SumOptions()))
        return [
            self._rows(how, t) if isinstance(t, IndexedSlices) else next(totals) for t in tensors
        ]

    def _dense_sums(
        self, how: ReduceOp, tensors: Sequence[TensorValue], options: SumOptions
    ) -> list[Any]:
        if not tensors:
            return []
        tracer, workers = current_tracer(), self.workers
        if tracer is None:
            arrays = [convert(tensor)._array for tensor in tensors]
            sums = [wrap(total) for total in workers.sum_arrays(options, *arrays)]
        else:
            sums = summed_in_graph(tracer, workers.sums, options, tensors)
        results = []
        for tensor, total in zip(tensors, sums):
            given: Any = tensor
            if options.way is SumWay.SHARED:
                total.set_shape([share_size(given.type.size, self.workers.size)])
            else:
                total.set_shape(given.shape)
            mean = how is ReduceOp.MEAN
            results.append(total / cast(self.workers.size, total.dtype) if mean else total)
        return results

    def _rows(self, how: ReduceOp, rows: IndexedSlices) -> IndexedSlices:
        values = self._join(convert(rows.values), 0)
        indices = self._join(convert(rows.indices), 0)
        if how is ReduceOp.MEAN:
            values = values / cast(self.workers.size, values.dtype)
        return IndexedSlices(values, indices, rows.dense_shape)

    def _join(self, tensor: TensorValue, axis: int) -> Any:
        given: Any = tensor
        join = FreshFunction(partial(self.workers.join_arrays, axis))
        (joined,) = fresh_results(join, [tensor], [tensor.dtype])
        dims = given.shape._dims
        if dims is not None:
            place = axis % len(dims)
            joined.set_shape([None if i == place else size for i, size in enumerate(dims)])
        return joined

    def _combined(self, how: ReduceOp, value: DistributedValues) -> Any:
        return self._sums(how, [super()._combined(ReduceOp.SUM, value)])[0]

    def _reduced(self, how: ReduceOp, value: object) -> Any:
        if isinstance(value, DistributedValues) and value_differs(value):
            return self._combined(how, value)
        if value is None or isinstance(value, DistributedValues):
            return StrategyExtended._reduced(self, how, value)
        return self._sums(how, [value])[0]

    def reduce_to(
        self,
        reduce_op: ReduceOp | str,
        value: object,
        destinations: object,
        options: object = None,
    ) -> Any:
        """Combines the values of all ranks.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value: The value of this rank.
            destinations: They have no effect: each rank has one device.
            options: It has no effect.

        Returns:
            A tensor.
        """
        return self._sums(reduction(reduce_op), [value])[0]

    def batch_reduce_to(
        self,
        reduce_op: ReduceOp | str,
        value_destination_pairs: Iterable[tuple[object, object]],
        options: object = None,
    ) -> list[Any]:
        """Combines values of all ranks, small ones together.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: Pairs of a value and its devices, which have no effect.
            options: It has no effect.

        Returns:
            A list of tensors.
        """
        values = [value for value, _ in value_destination_pairs]
        return self._sums(reduction(reduce_op), values, self.options)

    def _gather(self, value: object, axis: int) -> Any:
        given: TensorLike = as_tensors(value)
        check_axis([given], axis)
        return self._join(convert(given), axis)

    def _gather_to(self, value: object, destinations: object, axis: int) -> Any:
        return self._gather(value, axis)

    def _distribute_dataset(self, dataset: object) -> Any:
        source = checked_dataset(dataset)
        size, rank = self.workers.size, self.workers.rank
        if size == 1:
            return DistributedDataset(source, [DEFAULT])
        share = source._own(size, rank)
        if share is not None:
            return DistributedDataset(share, [DEFAULT], self._has_any)
        # Each rank takes rows of the same batches, so a shuffle has the order of the first rank.
        seeds = np.array(source._seeds(), np.uint64).reshape(-1, 2)
        source = source._seeded(self.workers.of_first(seeds).tolist())

        def mine(*element: object) -> Any:
            parts = split_batch(single(element), size)
            return tree.map_structure(lambda leaf: leaf.values[rank], parts)

        return DistributedDataset(source.map(mine), [DEFAULT])

    def _has_any(self, has_value: TensorValue) -> Any:
        """Whether any rank has another element, by whether this one has."""
        return self._sums(ReduceOp.SUM, [cast(has_value, dt.int32)])[0] > 0

    def _datasets_from_function(self, dataset_fn: Callable[[InputContext], object]) -> Any:
        size, rank = self.workers.size, self.workers.rank
        return DistributedDataset(dataset_fn(InputContext(size, rank, size)), [DEFAULT])


class MultiWorkerMirroredStrategy(Strategy):
    """A strategy with a replica in each process that MPI has started.

    `graphwright launch -n 4 train.py`, or `mpiexec -n 4 python train.py`, starts a program in
    several processes. All run the same program; sums over them are MPI's own collectives. Each
    rank takes its part of every batch. An error in one rank ends all.

    Args:
        cluster_resolver: What says which machines there are; None takes `TF_CONFIG`, or else the
            ranks of MPI.
        communication_options: A `tf.distribute.experimental.CommunicationOptions`; its
            `bytes_per_pack` is the size of a bucket of gradients, its `compression` how they
            travel, and its `divide_state` whether optimizers divide their state.

    Raises:
        ImportError: mpi4py is not there.
        ValueError: MPI has started another number of processes than the cluster has workers.

    >>> import graphwright as tf
    >>> issubclass(tf.distribute.MultiWorkerMirroredStrategy, tf.distribute.Strategy)
    True
    """

    _devices = (DEFAULT,)
    _spans_processes = True

    def __init__(
        self,
        cluster_resolver: ClusterResolver | None = None,
        communication_options: CommunicationOptions | None = None,
    ) -> None:
        given = communication_options or CommunicationOptions()
        way = SumWay.WHOLE if given.compression is None else SumWay.HALVED
        options = SumOptions(given.bytes_per_pack or None, way)
        workers = world()
        if given.timeout_seconds is not None:
            workers.agreements.patience.seconds = given.timeout_seconds
        self._resolver = resolved(cluster_resolver, workers)
        self._workers = workers
        self._first_replica = workers.rank
        super().__init__(partial(MultiWorkerExtended, workers, options, given.divide_state))

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of processes."""
        return self._workers.size

    @property
    def cluster_resolver(self) -> ClusterResolver:
        """What says which machines there are."""
        return self._resolver


def resolved(given: ClusterResolver | None, workers: WorkerGroup) -> ClusterResolver:
    """What says which machines there are; ValueError if MPI has started others."""
    if given is None and os.environ.get("TF_CONFIG"):
        given = TFConfigClusterResolver()
    if given is None:
        addresses = [f"localhost:{rank}" for rank in range(workers.size)]
        spec = ClusterSpec({"worker": addresses})
        return SimpleClusterResolver(spec, task_type="worker", task_id=workers.rank)
    spec = given.cluster_spec()
    count = sum(spec.num_tasks(job) for job in ("chief", "worker") if job in spec.jobs)
    if count not in (0, workers.size):
        raise ValueError(
            f"The cluster has {count} workers, and MPI has started {workers.size} processes. Start "
            f"as many: graphwright launch -n {count} PROGRAM"
        )
    return given
