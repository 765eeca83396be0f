"""Strategies of distribution: the base, and the default one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from graphwright.autograph.conversion import tf_convert
from graphwright.autograph.status import control_status_ctx
from graphwright.base.errors import InvalidArgumentError
from graphwright.base.identities import IdentityTable
from graphwright.function.polymorphic import Eagerly, PolymorphicFunction
from graphwright.library.distribute.cross_device_ops import CrossDeviceOps
from graphwright.library.distribute.distributed_input import DistributedDataset, alone, split_batch
from graphwright.library.distribute.distributed_values import (
    DistributedValues,
    Mirrored,
    PerReplica,
    as_tensors,
    local_values,
    regroup,
    select_replica,
)
from graphwright.library.distribute.input_context import InputContext, ValueContext
from graphwright.library.distribute.reduce_op import ReduceOp, reduction
from graphwright.library.distribute.replica_context import ReplicaContext, joined
from graphwright.library.distribute.replica_scopes import SCOPE, LastingBlock, ReplicaScope, inside
from graphwright.ops.core.casting import cast
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.reduction import reduce_sum
from graphwright.trace.device_scopes import device
from graphwright.trace.trace_place import PlaceLayer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import PythonFunction, TensorLike
from graphwright.values.convert import convert
from graphwright.values.variable import Variable, variable_creator_scope


class Strategy:
    """The way in which a program is spread over replicas: the base of strategies.

    `tf.distribute.get_strategy` returns the one that is in effect.

    Args:
        extended: A function of the strategy that returns its `tf.distribute.StrategyExtended`.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.MirroredStrategy()
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
    _devices: tuple[str, ...] = ("",)
    #: Whether other processes have replicas too.
    _spans_processes = False
    _is_default = False
    #: The number of the first replica of this process.
    _first_replica = 0

    def __init__(self, extended: Callable[[Strategy], StrategyExtended]) -> None:
        self._extended = extended(self)
        self._functions: IdentityTable[object, PolymorphicFunction] = IdentityTable()

    @property
    def extended(self) -> StrategyExtended:
        """The interface for libraries."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return len(self._devices)

    @property
    def cluster_resolver(self) -> Any:
        """What says which machines there are: None for a strategy of one process."""
        return None

    def scope(self) -> AbstractContextManager[Strategy]:
        """Puts the block into the scope of the strategy, across its replicas.

        Variables that the block makes have a copy for each replica.

        Returns:
            A context manager that gives the strategy. `strategy.scope().__enter__()` enters the
            scope for good.

        Raises:
            RuntimeError: The program is in the scope of another strategy, or in a replica.
        """
        return LastingBlock(self._scope())

    @contextmanager
    def _scope(self) -> Iterator[Strategy]:
        current = outside_default()
        if current is None:
            with self._entered():
                yield self
        elif current.strategy is not self:
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        elif current.replica is not None:
            raise RuntimeError(
                "A replica cannot enter the scope of its strategy: it is in the scope already."
            )
        else:
            yield self

    @contextmanager
    def _entered(self) -> Iterator[None]:
        with ExitStack() as stack:
            stack.enter_context(inside(ReplicaScope(self, None)))
            stack.enter_context(variable_creator_scope(self._create))
            layer = PlaceLayer()
            layer.enter()
            stack.callback(layer.leave)
            yield

    def _create(self, next_creator: Callable[..., Variable], **kwargs: Any) -> Variable:
        return self.extended._own(self.extended._create_variable(next_creator, **kwargs))

    def run(
        self,
        fn: PythonFunction,
        args: Iterable[object] = (),
        kwargs: Mapping[str, object] | None = None,
        options: object = None,
    ) -> Any:
        """Calls a function in each replica.

        The replicas run one after the other, each until it ends or merges with the others, so the
        order of effects is always the same. In a `tf.function` they become one graph.

        Args:
            fn: A function.
            args: A sequence of its arguments. Of values of replicas each gets its own.
            kwargs: A dict of its keyword arguments, or None.
            options: A `tf.distribute.RunOptions`, which has no effect.

        Returns:
            What `fn` returns, its tensors as values of the replicas.

        Raises:
            RuntimeError: The program is inside a replica, or in the scope of another strategy.
            ValueError: `args` is no list and no tuple.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> strategy.run(lambda x: x * 2.0, args=(tf.constant(3.0),)).numpy()
        np.float32(6.0)
        """
        self._across()
        arguments, named = positional(args), dict(kwargs or {})
        is_many = self.num_replicas_in_sync > 1
        if isinstance(fn, PolymorphicFunction) and is_many and not Eagerly.on:
            return self._whole(fn)(arguments, named)
        with ExitStack() as stack:
            if outside_default() is None:
                stack.enter_context(self._entered())
            return self.extended._call_for_each_replica(self._staged(fn), arguments, named)

    def _whole(self, fn: PolymorphicFunction) -> PolymorphicFunction:
        """The function of all replicas that run a `tf.function`: it is traced as one."""
        whole = self._functions.find(fn)
        if whole is None:
            python = fn.python_function

            def run_all(args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
                return self.run(python, args, kwargs)

            compiled = fn._options["jit_compile"]
            whole = PolymorphicFunction(run_all, fn._name, autograph=False, jit_compile=compiled)
            self._functions.add(fn, whole)
        return whole

    def _staged(self, function: PythonFunction) -> PythonFunction:
        """A function of the program, converted where the code that calls it is."""
        return tf_convert(function, control_status_ctx(), convert_by_default=False)

    def reduce(
        self, reduce_op: ReduceOp | str, value: object, axis: int | Sequence[int] | None
    ) -> Any:
        """Combines the values of the replicas, and sums or averages along an axis.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value: A tensor or values of replicas, or a structure of them.
            axis: An int, or a sequence of ints; None leaves the axes.

        Returns:
            A tensor, or a structure of them.

        Raises:
            RuntimeError: The program is inside a replica, or in the scope of another strategy.
            ValueError: A value that is the same for all replicas is to be summed.

        >>> import graphwright as tf
        >>> tf.distribute.get_strategy().reduce("MEAN", tf.constant([1.0, 2.0]), axis=0).numpy()
        np.float32(1.5)
        """
        self._across()
        if axis is None and not isinstance(reduce_op, (str, ReduceOp)):
            raise AssertionError(f"{reduce_op!r} is no `tf.distribute.ReduceOp`.")
        how = reduction(reduce_op)
        if axis is None:
            return tree.map_structure(lambda leaf: self.extended._reduced(how, leaf), value)
        axes = [axis] if isinstance(axis, int) else axis
        if not isinstance(axes, (list, tuple)):
            raise TypeError(f"axis must be an int, a sequence of ints or None, not {axis!r}")

        def parts(x: TensorLike) -> tuple[Any, Any]:
            tensor = convert(x)
            rank = tensor.shape.rank
            count: Any = 1
            if rank == 0 and self._spans_processes:  # Keras asks so for the mean of losses
                return tensor, count
            for a in axes:
                if rank is not None and not -rank <= a < rank:
                    raise ValueError(f"There is no axis {a} in a tensor of shape {tensor.shape}.")
                if how is ReduceOp.MEAN:
                    count = count * cast(shape_of(tensor)[a], dt.int64)
            return reduce_sum(tensor, axes), count

        total, count = self.run(parts, args=(value,))
        total = self.extended._reduced(ReduceOp.SUM, total)
        if how is ReduceOp.SUM:
            return total
        count = self.extended._reduced(ReduceOp.SUM, count)
        return total / cast(count, total.dtype)

    def gather(self, value: object, axis: int) -> Any:
        """Joins the values of the replicas along an axis.

        Args:
            value: A tensor or values of replicas, or a structure of them.
            axis: An int. Along it, replicas may have other sizes.

        Returns:
            A tensor, or a structure of them.

        Raises:
            RuntimeError: The program is inside a replica, or in the scope of another strategy.
            ValueError: `axis` is None.
            InvalidArgumentError: There is no such axis, or other sizes differ.
        """
        self._across()
        return tree.map_structure(lambda leaf: self.extended._gather(leaf, axis), value)

    def experimental_local_results(self, value: object) -> tuple[Any, ...]:
        """Returns the values of the replicas of this process.

        Args:
            value: What `run` returned.

        Returns:
            A tuple with an entry for each replica; of one entry for a value that all share.
        """
        return local_values(value)

    def experimental_distribute_dataset(self, dataset: object, options: object = None) -> Any:
        """Divides the batches of a dataset among the replicas.

        A batch of n rows gives each replica ceil(n / replicas) rows, and the last ones what is
        left.

        Args:
            dataset: A `tf.data.Dataset` of batches, each for all replicas together.
            options: A `tf.distribute.InputOptions`, which has no effect.

        Returns:
            A `tf.distribute.DistributedDataset`.

        Raises:
            AttributeError: `dataset` is no dataset.
            IndexError: Its elements have no axes.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
        >>> [x.numpy().tolist() for x in data]
        [[0, 1], [2, 3]]
        """
        return self.extended._distribute_dataset(dataset)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], object], options: object = None
    ) -> Any:
        """Makes the data of the replicas.

        Args:
            dataset_fn: A function that takes a `tf.distribute.InputContext` and returns a
                `tf.data.Dataset`, of which the replicas take elements in turn.
            options: A `tf.distribute.InputOptions`, which has no effect.

        Returns:
            A `tf.distribute.DistributedDataset`.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> def data(context):
        ...     return tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(2))
        >>> [x.numpy().tolist() for x in strategy.distribute_datasets_from_function(data)]
        [[0, 1], [2, 3]]
        """
        return self.extended._datasets_from_function(dataset_fn)

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], object]
    ) -> Any:
        """Makes the values of the replicas.

        Args:
            value_fn: A function that takes a `tf.distribute.experimental.ValueContext` and returns
                a value.

        Returns:
            The values that `value_fn` returns, each on the device of its replica.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> strategy.experimental_distribute_values_from_function(
        ...     lambda context: context.num_replicas_in_sync
        ... )
        1
        """
        values, count = [], self.num_replicas_in_sync
        for number, name in enumerate(self._devices):
            with device(name or None):
                place = self._first_replica + number
                values.append(value_fn(ValueContext(place, count)))
        return values[0] if len(values) == 1 else regroup(values, PerReplica, always=True)

    def _across(self) -> None:
        """RuntimeError if the program is not across the replicas of this strategy."""
        current = SCOPE.get()
        if current is None or (self is not DEFAULT and current.strategy is DEFAULT):
            return
        if current.strategy is not self:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {current.strategy!r} is not "
                f"{self!r}"
            )
        if current.replica is not None:
            raise RuntimeError(
                "Method requires being in cross-replica context, use "
                "get_replica_context().merge_call()"
            )


#: The strategies in whose scopes variables were made.
_OWNERS: IdentityTable[object, Strategy] = IdentityTable()


class StrategyExtended:
    """The interface of a strategy for libraries: where variables are, and how to update them.

    The `extended` of a strategy is one. A subclass says how replicas run and what variables are.

    Args:
        container_strategy: The strategy.

    >>> import graphwright as tf
    >>> extended = tf.distribute.get_strategy().extended
    >>> v = tf.Variable(1.0)
    >>> extended.update(v, lambda v, x: v.assign_add(x), args=(2.0,)).numpy()
    np.float32(3.0)
    """

    #: Whether optimizers that are made in its scope divide their state among processes.
    _divides_state = False

    def __init__(self, container_strategy: Strategy) -> None:
        self._strategy = container_strategy
        self._ops = CrossDeviceOps()

    def _in_multi_worker_mode(self) -> bool:
        """Whether replicas are in several processes: libraries ask for it by this name."""
        return bool(self._strategy._spans_processes)

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
        if self._strategy._devices == ("",):
            raise RuntimeError(f"{method}() method unsupported by default tf.distribute.Strategy.")
        return self._strategy._devices

    # -- variables ----------------------------------------------------------------------

    def _own(self, variable: Variable) -> Variable:
        """Notes that a variable was made in the scope of this strategy."""
        _OWNERS.add(variable, self._strategy)
        return variable

    def _create_variable(self, next_creator: Callable[..., Variable], **kwargs: Any) -> Variable:
        """A variable of the scope."""
        return next_creator(**kwargs)

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
        """Places the variables of the block where another one is.

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
        """Returns the variable of which a value is a copy, or the value itself.

        Args:
            value: The value.

        Returns:
            The variable, or the value.
        """
        owner = value.handle.variable if isinstance(value, Variable) else None
        return value if owner is None else owner

    # -- what replicas compute ----------------------------------------------------------

    def call_for_each_replica(
        self,
        fn: PythonFunction,
        args: Iterable[object] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> Any:
        """Calls a function in each replica, as `Strategy.run` does.

        Args:
            fn: A function.
            args: A sequence of its arguments. Of values of replicas each gets its own.
            kwargs: A dict of its keyword arguments, or None.

        Returns:
            What `fn` returns, its tensors as values of the replicas.

        Raises:
            RuntimeError: The program is inside a replica, or in the scope of another strategy.

        >>> import graphwright as tf
        >>> extended = tf.distribute.get_strategy().extended
        >>> extended.call_for_each_replica(lambda x: x * 2.0, args=(tf.constant(3.0),)).numpy()
        np.float32(6.0)
        """
        return self._strategy.run(fn, args, kwargs)

    def _call_for_each_replica(
        self, fn: PythonFunction, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> Any:
        with inside(ReplicaScope(self._strategy, ReplicaContext(self._strategy, 0))):
            return fn(*args, **kwargs)

    def _combined(self, how: ReduceOp, value: DistributedValues) -> Any:
        """The sum, or the mean, of values of all replicas, on the device of the block."""
        return self._ops._combined(how, value.values)

    def _reduced(self, how: ReduceOp, value: object) -> Any:
        """A value as `Strategy.reduce` combines it."""
        if isinstance(value, DistributedValues):
            is_same = isinstance(value, (Mirrored, Variable)) and not value_differs(value)
            if is_same:
                if how is ReduceOp.SUM:
                    raise AssertionError(
                        f"A value that is the same in all replicas has no sum over them: {value!r}"
                    )
                return convert(as_tensors(DistributedValues._get(value)))
            return self._combined(how, value)
        self._refuse_sum(how, value)
        return value

    def _refuse_sum(self, how: ReduceOp, value: object) -> None:
        """ValueError for the sum of a value that is the same in several replicas."""
        if how is ReduceOp.SUM and self._strategy.num_replicas_in_sync > 1:
            raise ValueError(
                f"A non-DistributedValues value {value!r} cannot be reduced with the given reduce "
                f"op {how}: it is not clear whether it is a part of the sum or the sum itself."
            )

    def reduce_to(
        self,
        reduce_op: ReduceOp | str,
        value: object,
        destinations: object,
        options: object = None,
    ) -> Any:
        """Combines the values of the replicas, and copies the result to devices.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value: Values of replicas, or one value, or a list of them.
            destinations: The devices: a variable, values of replicas, a tensor, or a name.
            options: It has no effect.

        Returns:
            A tensor, or a copy of it for each device.

        Raises:
            ValueError: A value that is the same for all replicas is to be summed.
        """
        how = reduction(reduce_op)
        if isinstance(value, (list, tuple)):  # what a program assigns: [x, y] for tf.stack([x, y])
            return [self.reduce_to(how, each, destinations) for each in value]
        if not isinstance(value, DistributedValues):
            self._refuse_sum(how, value)
            return value
        return self._ops.reduce(how, value, destinations)

    def batch_reduce_to(
        self,
        reduce_op: ReduceOp | str,
        value_destination_pairs: Iterable[tuple[object, object]],
        options: object = None,
    ) -> list[Any]:
        """Combines the values of the replicas, each for some devices.

        Args:
            reduce_op: A `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: Pairs of a value and its devices.
            options: It has no effect.

        Returns:
            A list of the results, as of `reduce_to`. A value that all replicas share is its result.
        """
        return [
            self.reduce_to(reduce_op, v, where) if isinstance(v, DistributedValues) else v
            for v, where in value_destination_pairs
        ]

    def _gather(self, value: object, axis: int) -> Any:
        """The values of all replicas along an axis, as one tensor."""
        if not isinstance(value, DistributedValues):
            return value
        check_axis(value.values, axis)
        return joined(value, axis)

    def _gather_to(self, value: object, destinations: object, axis: int) -> Any:
        return self._ops.broadcast(self._gather(value, axis), destinations)

    def update(
        self,
        var: Variable,
        fn: PythonFunction,
        args: Iterable[object] = (),
        kwargs: Mapping[str, object] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function with each copy of a variable; in a replica, once all have come here.

        Args:
            var: A `tf.Variable`.
            fn: A function whose first argument is the copy.
            args: A sequence of its other arguments. Of values of replicas each copy gets its own.
            kwargs: A dict of its keyword arguments, or None.
            group: A bool; False puts the results in a tuple, with an entry for each copy.

        Returns:
            What `fn` returns.
        """
        staged, arguments, named = self._strategy._staged(fn), tuple(args), dict(kwargs or {})
        scope = SCOPE.get()
        if scope is not None and scope.replica is not None and not scope.is_default:

            def update_all(strategy: Any, *parts: Any, **options: Any) -> Any:
                return strategy.extended.update(var, fn, parts, options, group)

            return scope.replica.merge_call(update_all, arguments, named)
        if not isinstance(var, DistributedValues):
            result = staged(var, *arguments, **named)
            return result if group else tree.map_structure(lambda r: (r,), result)
        results = []
        for number, copy in enumerate(var.values):
            place = ReplicaScope(self._strategy, None, number)
            with inside(place), device(copy.device):
                mine = select_replica(number, arguments)
                result = staged(copy, *mine, **select_replica(number, named))
                results.append(tree.map_structure(as_tensors, result))
        if group:
            return regroup(results, Mirrored)
        return tree.map_structure(lambda *parts: tuple(parts), *results)

    # -- data ---------------------------------------------------------------------------

    def _distribute_dataset(self, dataset: object) -> Any:
        names = self._strategy._devices
        source = checked_dataset(dataset)
        if len(names) == 1:
            return DistributedDataset(source, names)
        parts = source.map(lambda *element: split_batch(single(element), len(names)))
        return DistributedDataset(parts, names)

    def _datasets_from_function(self, dataset_fn: Callable[[InputContext], object]) -> Any:
        names = self._strategy._devices
        dataset = checked_dataset(dataset_fn(InputContext(num_replicas_in_sync=len(names))))
        return DistributedDataset(dataset, names, alone if len(names) > 1 else None)


def single(element: tuple[object, ...]) -> Any:
    """An element, of whose tuple `map` makes arguments."""
    return element[0] if len(element) == 1 else element


def checked_dataset(dataset: object) -> Any:
    """The dataset; AttributeError for what is none."""
    if not hasattr(dataset, "element_spec"):
        raise AttributeError(
            f"A strategy distributes a tf.data.Dataset, and this is {dataset!r}. Make one: "
            "tf.data.Dataset.from_tensor_slices(...).batch(global_batch_size)"
        )
    return dataset


def value_differs(value: object) -> bool:
    """Whether the copies of a variable are parts of what it is across replicas."""
    return isinstance(value, Variable) and value.synchronization.name == "ON_READ"


def check_axis(values: Sequence[TensorLike], axis: int | None) -> None:
    """ValueError for no axis, InvalidArgumentError for one that values of replicas do not have."""
    if axis is None:
        raise ValueError("gather needs an axis, got None.")
    rank = convert(values[0]).shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise InvalidArgumentError(
            None, None, f"gather along axis {axis} of values of {rank} axes: there is no such axis."
        )


class DefaultExtended(StrategyExtended):
    """How the default strategy does what strategies do: all values are its own."""

    def _reduced(self, how: ReduceOp, value: object) -> Any:
        return value

    def _gather(self, value: object, axis: int) -> Any:
        return value

    def _distribute_dataset(self, dataset: object) -> Any:
        return dataset

    def _datasets_from_function(self, dataset_fn: Callable[[InputContext], object]) -> Any:
        return dataset_fn(InputContext())


class DefaultStrategy(Strategy):
    """The strategy outside the scopes of others: one replica, and always inside of it."""

    _is_default = True

    def __init__(self) -> None:
        super().__init__(DefaultExtended)

    @contextmanager
    def _scope(self) -> Iterator[Strategy]:
        """A block that changes nothing. RuntimeError inside the scope of another strategy."""
        if outside_default() is not None:
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        yield self

    def run(
        self,
        fn: PythonFunction,
        args: Iterable[object] = (),
        kwargs: Mapping[str, object] | None = None,
        options: object = None,
    ) -> Any:
        """Calls a function."""
        self._across()
        return self.extended._call_for_each_replica(
            self._staged(fn), positional(args), dict(kwargs or {})
        )


def positional(args: object) -> tuple[object, ...]:
    """The positional arguments of a function of replicas; ValueError for what is no list."""
    if not isinstance(args, (list, tuple)):
        raise ValueError(f"args must be a list or a tuple of arguments, got {type(args).__name__}")
    return tuple(args)


def outside_default() -> ReplicaScope | None:
    """The scope of a strategy in which the program is; None in that of the default one."""
    scope = SCOPE.get()
    return None if scope is None or scope.is_default else scope


DEFAULT = DefaultStrategy()
_DEFAULT_REPLICA = ReplicaContext(DEFAULT, 0)


def get_strategy() -> Strategy:
    """Returns the strategy in whose scope the program is.

    Returns:
        A `tf.distribute.Strategy`: the default one outside all scopes.

    >>> import graphwright as tf
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    scope = SCOPE.get()
    strategy: Strategy = DEFAULT if scope is None else scope.strategy
    return strategy


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
    scope = SCOPE.get()
    if scope is None:
        return _DEFAULT_REPLICA
    replica: ReplicaContext | None = scope.replica
    return replica


def in_cross_replica_context() -> bool:
    """Says whether the program is across replicas: in a scope, but in no function of `run`.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> with tf.distribute.MirroredStrategy().scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """
    return get_replica_context() is None


#: What ends the scope that `experimental_set_strategy` has opened.
_SET: list[ExitStack] = []


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Puts the program into the scope of a strategy from now on, or out of it.

    Args:
        strategy: A `tf.distribute.Strategy`, or None for the default one.

    Raises:
        RuntimeError: The program is in a scope that another call has opened.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.MirroredStrategy()
    >>> tf.distribute.experimental_set_strategy(strategy)
    >>> tf.distribute.get_strategy() is strategy
    True
    >>> tf.distribute.experimental_set_strategy(None)
    """
    if _SET:
        _SET.pop().close()
    if SCOPE.get() is not None:
        raise RuntimeError(
            "Must not be called inside a `tf.distribute.Strategy` scope: leave the scope before."
        )
    if strategy is not None and strategy is not DEFAULT:
        stack = ExitStack()
        stack.enter_context(strategy._entered())
        _SET.append(stack)


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
