"""The context of a replica: `tf.distribute.ReplicaContext`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from graphwright.autodiff.custom import custom_gradient
from graphwright.library.distribute.created_variables import CreatedVariables
from graphwright.library.distribute.distributed_values import PerReplica, as_tensors
from graphwright.library.distribute.reduce_op import ReduceOp, reduction
from graphwright.library.distribute.replica_scopes import SCOPE, ReplicaScope, inside
from graphwright.library.distribute.replica_threads import RUNNING
from graphwright.ops.core.joining import concat, split
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.types import tree
from graphwright.types.arguments import PythonFunction, TensorLike, TensorValue
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices


class ReplicaContext:
    """The replica in which `Strategy.run` calls a function.

    Args:
        strategy: The `tf.distribute.Strategy`.
        replica_id_in_sync_group: An int: the number of the replica.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> strategy.run(lambda: tf.distribute.get_replica_context().num_replicas_in_sync)
    1
    """

    def __init__(self, strategy: object, replica_id_in_sync_group: TensorLike) -> None:
        self._strategy: Any = strategy
        self._number: Any = replica_id_in_sync_group
        self._local = self._number  # its place among the replicas of this process
        self._entered: list[AbstractContextManager[Any]] = []
        self._created: CreatedVariables | None = None  # what replicas create in the run

    @property
    def strategy(self) -> Any:
        """Its strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return int(self._strategy.num_replicas_in_sync)

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica, as a tensor inside `Strategy.run`."""
        return self._number if SCOPE.get() is None else convert(self._number)

    @property
    def devices(self) -> tuple[str, ...]:
        """The device of the replica, in a tuple."""
        names: tuple[str, ...] = self._strategy._devices
        return (names[self._number if self._number < len(names) else 0],)

    def __enter__(self) -> ReplicaContext:
        self._entered.append(inside(ReplicaScope(self._strategy, self)))
        self._entered[-1].__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._entered.pop().__exit__(*exception)

    def merge_call(
        self,
        merge_fn: PythonFunction,
        args: Iterable[object] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> Any:
        """Calls a function across replicas, with the strategy, once all replicas have come here.

        Args:
            merge_fn: A function whose first argument is the strategy.
            args: A sequence of its other arguments, which it gets with the values of all replicas.
            kwargs: A dict of its keyword arguments, or None.

        Returns:
            This replica's part of what `merge_fn` returns.

        Raises:
            RuntimeError: The program is not in this replica, or in a nested function.

        >>> import graphwright as tf
        >>> def total(strategy, x):
        ...     return strategy.reduce("SUM", x, axis=None)
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> strategy.run(lambda: tf.distribute.get_replica_context().merge_call(total, [2.0]))
        2.0
        """
        scope = SCOPE.get()
        if scope is not None and scope.replica is not self:
            raise RuntimeError(
                "merge_call is called in a replica: the program is "
                + ("across replicas already." if scope.replica is None else "in another replica.")
            )
        strategy, running = self._strategy, RUNNING.current
        if running is not None and strategy.num_replicas_in_sync > 1:
            return running.merge(merge_fn, tuple(args), kwargs or {})
        with inside(ReplicaScope(strategy, None)):
            return strategy._staged(merge_fn)(strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: ReduceOp | str, value: object, options: object = None) -> Any:
        """Combines the values of all replicas, tensor by tensor. Gradients flow through it.

        A tensor from outside that all replicas have is one value, as in TensorFlow.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value: A tensor, or a structure of them.
            options: It has no effect.

        Returns:
            Tensors in the structure of `value`.

        >>> import graphwright as tf
        >>> context = tf.distribute.get_replica_context()
        >>> context.all_reduce("sum", {"loss": 2.0})["loss"].numpy()
        np.float32(2.0)
        """
        how = reduction(reduce_op)
        leaves = [v if isinstance(v, IndexedSlices) else convert(v) for v in tree.flatten(value)]
        if self.num_replicas_in_sync == 1 and not self._strategy._spans_processes:
            return tree.pack_sequence_as(value, leaves)
        if any(isinstance(leaf, IndexedSlices) for leaf in leaves):
            reduced = self._reduced(how, leaves)
        else:

            def with_gradient(*tensors: Any) -> Any:
                def gradient(*slopes: Any, **_: object) -> Any:
                    return self._reduced(how, slopes)

                return tuple(self._reduced(how, tensors)), gradient

            reduced = custom_gradient(with_gradient)(*leaves) if leaves else []
        return tree.pack_sequence_as(value, list(reduced))

    def _reduced(self, how: ReduceOp, leaves: Iterable[object]) -> list[Any]:
        extended = self._strategy.extended

        def merge(_: object, *values: object) -> list[Any]:
            pairs = [(value, value) for value in values]
            results: list[Any] = extended.batch_reduce_to(how, pairs)
            return results

        results: list[Any] = self.merge_call(merge, tuple(leaves))
        return results

    def all_gather(self, value: object, axis: int, options: object = None) -> Any:
        """Joins the values of all replicas along an axis. Gradients flow through it.

        Args:
            value: A tensor, or a structure of them. Along the axis, replicas may have other sizes.
            axis: An int.
            options: It has no effect.

        Returns:
            Tensors in the structure of `value`.

        Raises:
            ValueError: `axis` is None.
            InvalidArgumentError: There is no such axis, or other sizes differ.

        >>> import graphwright as tf
        >>> context = tf.distribute.get_replica_context()
        >>> context.all_gather(tf.constant([1, 2]), axis=0).numpy()
        array([1, 2], dtype=int32)
        """
        if self.num_replicas_in_sync == 1 and not self._strategy._spans_processes:
            return tree.map_structure(convert, value)
        if axis is None:
            raise ValueError("all_gather needs an axis, got None.")
        return tree.map_structure(lambda leaf: self._gathered(convert(leaf), axis), value)

    def _gathered(self, value: TensorValue, axis: int) -> Any:
        def with_gradient(tensor: TensorValue) -> Any:
            def gradient(slope: TensorValue, **_: object) -> Any:
                total = self._reduced(ReduceOp.SUM, [slope])[0]
                sizes = self._joined(convert([shape_of(tensor)[axis]]), 0)
                parts = split(total, sizes, axis=axis, num=self.num_replicas_in_sync)
                return parts[self._number]

            return self._joined(tensor, axis), gradient

        return custom_gradient(with_gradient)(value)

    def _joined(self, tensor: TensorValue, axis: int) -> Any:
        extended = self._strategy.extended

        def merge(_: object, values: object) -> Any:
            return extended._gather_to(values, values, axis)

        return self.merge_call(merge, (tensor,))


def joined(values: object, axis: int) -> Any:
    """The values of replicas, one after the other along an axis."""
    parts = values.values if isinstance(values, PerReplica) else (values,)
    return concat([convert(as_tensors(part)) for part in parts], axis)
