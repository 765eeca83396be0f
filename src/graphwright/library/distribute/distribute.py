"""Strategies of distribution: `tf.distribute`.

There is one process with one CPU, so a strategy has one replica. A program is inside a replica, or
across replicas, where their results are combined. A `Context` says which; all else follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Any, NoReturn

from graphwright.autograph.conversion import staged_form
from graphwright.base.identities import IdentityTable
from graphwright.base.named_tuples import NamedTuple
from graphwright.ops.core.casting import cast
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.reduction import reduce_sum
from graphwright.trace.scopes import inside_function
from graphwright.types import tree
from graphwright.types.arguments import PythonFunction, TensorLike
from graphwright.values.convert import convert_to_tensor
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.variable import Variable, VariableAggregation, variable_creator_scope


class ReduceOp(Enum):
    """How the values of replicas are combined: `SUM` or `MEAN`, also by name, as `"sum"`.

    >>> import graphwright as tf
    >>> tf.distribute.get_strategy().reduce(tf.distribute.ReduceOp.MEAN, [1.0, 3.0], axis=0).numpy()
    np.float32(2.0)
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """Returns the way to combine copies of a variable of an aggregation.

        Args:
            aggregation: A `tf.VariableAggregation`.

        Returns:
            A `tf.distribute.ReduceOp`.

        Raises:
            ValueError: Nothing combines them.
        """
        if aggregation.name not in ReduceOp.__members__:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to "
                "`tf.distribute.ReduceOp` type"
            )
        return ReduceOp[aggregation.name]


def reduction(value: ReduceOp | str) -> ReduceOp:
    """A way to combine values, or that of a name; TypeError or ValueError for anything else."""
    if isinstance(value, str):
        return ReduceOp(value.upper())
    if not isinstance(value, ReduceOp):
        raise TypeError(f"Expected `reduce_op` to be a `tf.distribute.ReduceOp`, not: {value!r}")
    return value


class Context(NamedTuple):
    """Where the program is: in the scope of a strategy, and inside a replica (or across)."""

    strategy: Strategy
    replica: ReplicaContext | None


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

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: TensorLike) -> None:
        self._strategy = strategy
        self._id = replica_id_in_sync_group
        self._entered: list[AbstractContextManager[Any]] = []

    @property
    def strategy(self) -> Strategy:
        """Its strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: 1."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica: 0, as a tensor inside `Strategy.run`."""
        return self._id if self is _DEFAULT.replica else convert_to_tensor(self._id)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the replica."""
        return self._strategy._devices

    def __enter__(self) -> ReplicaContext:
        self._entered.append(inside(Context(self._strategy, self)))
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
        """Calls a function across replicas, with the strategy.

        Args:
            merge_fn: A function whose first argument is the strategy.
            args: A sequence of its other arguments.
            kwargs: A dict of its keyword arguments, or None.

        Returns:
            What `merge_fn` returns.

        >>> import graphwright as tf
        >>> def total(strategy, x):
        ...     return strategy.reduce("SUM", x, axis=None)
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> strategy.run(lambda: tf.distribute.get_replica_context().merge_call(total, [2.0]))
        2.0
        """
        with inside(Context(self._strategy, None)):
            return staged(merge_fn)(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: ReduceOp | str, value: object, options: object = None) -> Any:
        """Combines the values of all replicas, tensor by tensor: with one replica, it is its own.

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
        reduction(reduce_op)
        return tree.map_structure(of_one_replica, value)

    def all_gather(self, value: object, axis: int, options: object = None) -> Any:
        """Joins the values of all replicas along an axis: with one replica, it is its own.

        Args:
            value: A tensor, or a structure of them.
            axis: An int.
            options: It has no effect.

        Returns:
            Tensors in the structure of `value`.
        """
        return tree.map_structure(convert_to_tensor, value)


def of_one_replica(value: TensorLike) -> Any:
    """The sum, or the mean, of a value over one replica: rows of a tensor stay rows."""
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value)


class InputContext:
    """The part of the input that a function of `distribute_datasets_from_function` makes.

    Args:
        num_input_pipelines: An int: the number of parts.
        input_pipeline_id: An int: which part it is.
        num_replicas_in_sync: An int: the number of replicas.

    >>> import graphwright as tf
    >>> tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(8)
    4
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
            f"{self.num_input_pipelines})"
        )

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Returns the part of a batch that each replica gets.

        Args:
            global_batch_size: An int: the size of the batch.

        Returns:
            An int.

        Raises:
            ValueError: The replicas cannot have equal parts.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync


class ValueContext:
    """The replica for which `experimental_distribute_values_from_function` calls its function.

    Args:
        replica_id_in_sync_group: An int: the number of the replica.
        num_replicas_in_sync: An int: how many there are.

    >>> import graphwright as tf
    >>> tf.distribute.experimental.ValueContext().num_replicas_in_sync
    1
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class Strategy:
    """The way in which a program is spread over replicas: the base of strategies.

    `tf.distribute.get_strategy` returns the one that is in effect. A strategy of one's own would
    need devices to distribute to, so the constructor refuses.

    Args:
        extended: A `tf.distribute.StrategyExtended`.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.get_strategy()
    >>> with strategy.scope():
    ...     w = tf.Variable(2.0)
    >>> @tf.function
    ... def step(x):
    ...     losses = strategy.run(lambda x: w * x, args=(x,))
    ...     return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=0)
    >>> step(tf.constant([1.0, 2.0])).numpy()
    np.float32(6.0)
    """

    #: The names of the devices that replicas use.
    _devices: tuple[str, ...] = ("/job:localhost/replica:0/task:0/device:CPU:0",)

    def __init__(self, extended: object) -> None:
        raise ValueError(
            "A custom tf.distribute.Strategy needs devices to distribute to, and there is one. "
            "tf.distribute.get_strategy() is the strategy for it."
        )

    @property
    def extended(self) -> StrategyExtended:
        """The interface for libraries."""
        return StrategyExtended(self)

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas: 1."""
        return 1

    @property
    def cluster_resolver(self) -> None:
        """None: there is no cluster."""

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Puts the block into the scope of the strategy, across its replicas.

        Yields:
            The strategy.

        Raises:
            RuntimeError: The program is in the scope of another strategy.
        """
        current = context().strategy
        if current is self:
            yield self
            return
        if not isinstance(current, Default):
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")

        def owned(next_creator: Callable[..., Variable], **kwargs: Any) -> Variable:
            variable = next_creator(**kwargs)
            _OWNERS.add(variable, self)
            return variable

        with ExitStack() as stack:
            stack.enter_context(inside(Context(self, None)))
            stack.enter_context(variable_creator_scope(owned))
            yield self

    def run(
        self,
        fn: PythonFunction,
        args: Iterable[object] = (),
        kwargs: Mapping[str, object] | None = None,
        options: object = None,
    ) -> Any:
        """Calls a function inside a replica.

        Args:
            fn: A function.
            args: A sequence of its arguments.
            kwargs: A dict of its keyword arguments, or None.
            options: It has no effect.

        Returns:
            What `fn` returns.

        Raises:
            RuntimeError: The program is inside a replica, or in the scope of another strategy.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> strategy.run(lambda x: x * 2.0, args=(tf.constant(3.0),)).numpy()
        np.float32(6.0)
        """
        self._across()
        with inside(Context(self, ReplicaContext(self, 0))):
            return staged(fn)(*args, **(kwargs or {}))

    def reduce(self, reduce_op: ReduceOp | str, value: object, axis: int | None) -> Any:
        """Combines the values of the replicas, and sums or averages along an axis.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value: A tensor, or a structure of them where `axis` is None.
            axis: An int; None leaves the axes.

        Returns:
            A tensor, or a structure of them.

        Raises:
            RuntimeError: The program is inside a replica, or in the scope of another strategy.
            TypeError: `axis` or `reduce_op` is something else.

        >>> import graphwright as tf
        >>> tf.distribute.get_strategy().reduce("MEAN", tf.constant([1.0, 2.0]), axis=0).numpy()
        np.float32(1.5)
        """
        self._across()
        how = reduction(reduce_op)
        if axis is None:
            return self._combined(value)
        if not isinstance(axis, int):
            raise TypeError(f"axis must be an int or None, not {axis!r}")
        argument: Any = value
        x = convert_to_tensor(argument)
        total = reduce_sum(x, axis)
        if how is ReduceOp.SUM:
            return total
        return total / cast(shape_of(x)[axis], total.dtype)

    def gather(self, value: object, axis: int) -> Any:
        """Joins the values of the replicas along an axis: with one replica, it is its value.

        Args:
            value: A tensor, or a structure of them.
            axis: An int.

        Returns:
            The value.

        Raises:
            RuntimeError: The program is inside a replica, or in the scope of another strategy.
        """
        self._across()
        return value

    def experimental_local_results(self, value: object) -> tuple[Any, ...]:
        """Returns the values of the replicas of this process.

        Args:
            value: A value that `run` returned.

        Returns:
            A tuple of one value.
        """
        return (value,)

    def experimental_distribute_dataset(self, dataset: object, options: object = None) -> Any:
        """Divides data among the replicas: the one gets all of it.

        Args:
            dataset: The data.
            options: It has no effect.

        Returns:
            The data.
        """
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], object], options: object = None
    ) -> Any:
        """Makes the data of the replicas.

        Args:
            dataset_fn: A function that takes a `tf.distribute.InputContext` and returns data.
            options: It has no effect.

        Returns:
            The data that `dataset_fn` returns.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> strategy.distribute_datasets_from_function(lambda part: [part.input_pipeline_id])
        [0]
        """
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], object]
    ) -> Any:
        """Makes the values of the replicas.

        Args:
            value_fn: A function that takes a `tf.distribute.experimental.ValueContext` and returns
                a value.

        Returns:
            The value that `value_fn` returns.
        """
        return value_fn(ValueContext())

    def _combined(self, value: object) -> Any:
        """The value that all replicas have together."""
        return value

    def _across(self) -> None:
        """RuntimeError if the program is not across the replicas of this strategy."""
        current = context()
        if current is not _DEFAULT and current.strategy is not self:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {current.strategy!r} is not "
                f"{self!r}"
            )
        if current is not _DEFAULT and current.replica is not None:
            raise RuntimeError(
                "Method requires being in cross-replica context, use "
                "get_replica_context().merge_call()"
            )


class Default(Strategy):
    """The strategy outside the scopes of others: one replica, and always inside of it."""

    _devices = ("",)

    def __init__(self) -> None:
        pass

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A block that changes nothing. RuntimeError inside the scope of another strategy."""
        if context().strategy is not self:
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        yield self


class OneDeviceStrategy(Strategy):
    """A strategy on one named device.

    Args:
        device: The name of a device, such as "/cpu:0".

    Raises:
        ValueError: There is no such device.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> with strategy.scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """

    def __init__(self, device: str) -> None:
        check_devices([device])


class MirroredStrategy(Strategy):
    """A strategy with a replica on each device of this machine: one.

    Args:
        devices: A list of the names of devices; None means all.
        cross_device_ops: It has no effect.

    Raises:
        ValueError: There is no such device.

    >>> import graphwright as tf
    >>> tf.distribute.MirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: object = None
    ) -> None:
        check_devices(["/cpu:0"] if devices is None else devices)

    def _combined(self, value: object) -> Any:
        return tree.map_structure(convert_to_tensor, value)


def check_devices(names: Sequence[str]) -> None:
    """ValueError for names that are not those of the one CPU."""
    for name in names:
        if name.upper().replace("DEVICE:", "").rpartition("/")[2] not in ("CPU:0", "CPU"):
            raise ValueError(f"There is no device {name!r}: the only one is '/cpu:0'.")
    if len(names) != 1:
        raise ValueError(f"A strategy has one device here, '/cpu:0', and not {list(names)!r}.")


class MultiWorkerMirroredStrategy(Strategy):
    """A strategy for several machines, which refuses: there is one process.

    Args:
        cluster_resolver: It has no effect.
        communication_options: It has no effect.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> tf.distribute.MultiWorkerMirroredStrategy()
    Traceback (most recent call last):
    ValueError: tf.distribute.MultiWorkerMirroredStrategy needs more than there is: ...
    """

    def __init__(
        self, cluster_resolver: object = None, communication_options: object = None
    ) -> None:
        refuse("MultiWorkerMirroredStrategy")


class ParameterServerStrategy(Strategy):
    """A strategy for several machines, which refuses: there is one process.

    Args:
        cluster_resolver: It has no effect.
        variable_partitioner: It has no effect.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> tf.distribute.ParameterServerStrategy(None)
    Traceback (most recent call last):
    ValueError: tf.distribute.ParameterServerStrategy needs more than there is: ...
    """

    def __init__(self, cluster_resolver: object, variable_partitioner: object = None) -> None:
        refuse("ParameterServerStrategy")


class TPUStrategy(Strategy):
    """A strategy for TPUs, which refuses: there is none.

    Args:
        tpu_cluster_resolver: It has no effect.
        experimental_device_assignment: It has no effect.
        experimental_spmd_xla_partitioning: It has no effect.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> tf.distribute.TPUStrategy()
    Traceback (most recent call last):
    ValueError: tf.distribute.TPUStrategy needs more than there is: ...
    """

    def __init__(
        self,
        tpu_cluster_resolver: object = None,
        experimental_device_assignment: object = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        refuse("TPUStrategy")


def refuse(name: str) -> NoReturn:
    """ValueError for what needs more than one process with one CPU."""
    raise ValueError(
        f"tf.distribute.{name} needs more than there is: one process with one CPU. "
        "tf.distribute.get_strategy() is the strategy for it."
    )


class DistributedValues:
    """Values of several replicas: there are none, so programs get plain values.

    Args:
        values: The values.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> value = tf.distribute.get_strategy().run(lambda: 1.0)
    >>> isinstance(value, tf.distribute.DistributedValues)
    False
    """

    def __init__(self, values: object) -> None:
        refuse(type(self).__name__)


class DistributedDataset:
    """Data divided among several replicas: there is none, as of `DistributedValues`.

    >>> import graphwright as tf
    >>> data = tf.distribute.get_strategy().experimental_distribute_dataset([1, 2])
    >>> isinstance(data, tf.distribute.DistributedDataset)
    False
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        refuse(type(self).__name__)


class DistributedIterator:
    """The iterator of a `DistributedDataset`: there is none, as of `DistributedValues`.

    >>> import graphwright as tf
    >>> data = tf.distribute.get_strategy().experimental_distribute_dataset([1, 2])
    >>> isinstance(iter(data), tf.distribute.DistributedIterator)
    False
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        refuse(type(self).__name__)


class StrategyExtended:
    """The interface of a strategy for libraries: where variables are, and how to update them.

    The `extended` of a strategy is one.

    Args:
        container_strategy: The strategy.

    >>> import graphwright as tf
    >>> extended = tf.distribute.get_strategy().extended
    >>> v = tf.Variable(1.0)
    >>> extended.update(v, lambda v, x: v.assign_add(x), args=(2.0,)).numpy()
    np.float32(3.0)
    """

    def __init__(self, container_strategy: Strategy) -> None:
        self._strategy = container_strategy

    @property
    def experimental_require_static_shapes(self) -> bool:
        """Whether shapes must be known: no."""
        return False

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices of variables; RuntimeError for the default strategy."""
        return self._devices("parameter_devices")

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of replicas; RuntimeError for the default strategy."""
        return self._devices("worker_devices")

    def _devices(self, method: str) -> tuple[str, ...]:
        if isinstance(self._strategy, Default):
            raise RuntimeError(f"{method}() method unsupported by default tf.distribute.Strategy.")
        return self._strategy._devices

    def variable_created_in_scope(self, v: object) -> bool:
        """Returns whether a variable was made in the scope of this strategy.

        Args:
            v: A `tf.Variable`.

        Returns:
            A bool.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> with strategy.scope():
        ...     v = tf.Variable(1.0)
        >>> strategy.extended.variable_created_in_scope(v)
        True
        """
        return (_OWNERS.find(v) or DEFAULT) is self._strategy

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: object) -> Iterator[None]:
        """Places the variables of the block where another one is: on the one device.

        Args:
            colocate_with_variable: A `tf.Variable`.

        Yields:
            None.

        Raises:
            ValueError: The variable was not made in the scope of this strategy.
        """
        if not self.variable_created_in_scope(colocate_with_variable):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this "
                f"tf.distribute.Strategy.scope(), not {colocate_with_variable!r}"
            )
        yield

    def value_container(self, value: object) -> Any:
        """Returns the container of a replica's value: the value itself.

        Args:
            value: The value.

        Returns:
            The value.
        """
        return value

    def reduce_to(
        self,
        reduce_op: ReduceOp | str,
        value: object,
        destinations: object,
        options: object = None,
    ) -> Any:
        """Combines the values of the replicas for some destinations.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value: The value.
            destinations: They have no effect.
            options: It has no effect.

        Returns:
            The value.
        """
        reduction(reduce_op)
        return value

    def batch_reduce_to(
        self,
        reduce_op: ReduceOp | str,
        value_destination_pairs: Iterable[tuple[object, object]],
        options: object = None,
    ) -> list[Any]:
        """Combines the values of the replicas, each for some destinations.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: Pairs of a value and its destinations.
            options: It has no effect.

        Returns:
            A list of the values.
        """
        return [self.reduce_to(reduce_op, v, where) for v, where in value_destination_pairs]

    def update(
        self,
        var: Variable,
        fn: PythonFunction,
        args: Iterable[object] = (),
        kwargs: Mapping[str, object] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function with each copy of a variable: with the one there is.

        Args:
            var: A `tf.Variable`.
            fn: A function whose first argument is the variable.
            args: A sequence of its other arguments.
            kwargs: A dict of its keyword arguments, or None.
            group: A bool; False puts each result in a tuple, with an entry for each copy.

        Returns:
            What `fn` returns.
        """
        result = staged(fn)(var, *args, **(kwargs or {}))
        return result if group else tree.map_structure(lambda r: (r,), result)


#: The strategies in whose scopes variables were made.
_OWNERS: IdentityTable[object, Strategy] = IdentityTable()
DEFAULT = Default()
_DEFAULT = Context(DEFAULT, ReplicaContext(DEFAULT, 0))
_CURRENT: ContextVar[Context] = ContextVar("_CURRENT", default=_DEFAULT)


def context() -> Context:
    """Where the program is."""
    return _CURRENT.get()


@contextmanager
def inside(place: Context) -> Iterator[None]:
    """Puts the block into a context."""
    token = _CURRENT.set(place)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def staged(function: PythonFunction) -> PythonFunction:
    """A function of the program; while another one is traced, its staged form."""
    return staged_form(function) if inside_function() else function


def get_strategy() -> Strategy:
    """Returns the strategy in whose scope the program is.

    Returns:
        A `tf.distribute.Strategy`: the default one outside all scopes.

    >>> import graphwright as tf
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return context().strategy


def has_strategy() -> bool:
    """Says whether the program is in the scope of a strategy other than the default one.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.distribute.has_strategy()
    False
    """
    return get_strategy() is not DEFAULT


def get_replica_context() -> ReplicaContext | None:
    """Returns the replica in which the program runs.

    Returns:
        A `tf.distribute.ReplicaContext`, or None across replicas.

    >>> import graphwright as tf
    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    return context().replica


def in_cross_replica_context() -> bool:
    """Says whether the program is across replicas: in a scope, but in no function of `run`.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> with tf.distribute.MirroredStrategy().scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """
    return context().replica is None


def strategy_supports_no_merge_call() -> bool:
    """Says whether replicas combine values without `merge_call`: they do in the default strategy.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.__internal__.distribute.strategy_supports_no_merge_call()
    True
    """
    return not has_strategy()


def maybe_merge_call(
    fn: PythonFunction, strategy: Strategy, *args: object, **kwargs: object
) -> Any:
    """Calls a function with the strategy, across replicas where the strategy requires it.

    Args:
        fn: The function: its first argument is the strategy.
        strategy: A `tf.distribute.Strategy`.
        *args: Its further arguments.
        **kwargs: Its keyword arguments.

    Returns:
        The result of `fn`.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.get_strategy()
    >>> merge = tf.__internal__.distribute.interim.maybe_merge_call
    >>> merge(lambda strategy, x: x + strategy.num_replicas_in_sync, strategy, 1)
    2
    """
    replica = get_replica_context()
    if strategy_supports_no_merge_call() or replica is None:
        return fn(strategy, *args, **kwargs)
    return replica.merge_call(fn, args=args, kwargs=kwargs)
