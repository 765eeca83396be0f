"""Strategies of one process: `MirroredStrategy` and `OneDeviceStrategy`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphwright.library.distribute.created_variables import CreatedVariables
from graphwright.library.distribute.cross_device_ops import CrossDeviceOps
from graphwright.library.distribute.distributed_values import regroup, select_replica
from graphwright.library.distribute.distributed_variables import (
    MirroredVariable,
    SyncOnReadVariable,
)
from graphwright.library.distribute.reduce_op import ReduceOp
from graphwright.library.distribute.replica_context import ReplicaContext
from graphwright.library.distribute.replica_scopes import SCOPE, ReplicaScope, inside
from graphwright.library.distribute.replica_threads import run_threads
from graphwright.library.distribute.strategy import Strategy, StrategyExtended
from graphwright.op.interpreter import STATE
from graphwright.trace.device_scopes import device
from graphwright.types.arguments import PythonFunction
from graphwright.types.dtypes import as_dtype
from graphwright.values.convert import convert
from graphwright.values.logical_devices import LogicalDevices, canonical, full_names
from graphwright.values.variable import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    creator_of,
)


class OneDeviceExtended(StrategyExtended):
    """How a strategy of one device does what strategies do."""

    def _create_variable(self, next_creator: Callable[..., Variable], **kwargs: Any) -> Variable:
        with device(self._strategy._devices[0]):
            return next_creator(**kwargs)

    def _call_for_each_replica(
        self, fn: PythonFunction, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> Any:
        with device(self._strategy._devices[0]):
            return super()._call_for_each_replica(fn, args, kwargs)


class OneDeviceStrategy(Strategy):
    """A strategy on one named device.

    Args:
        device: The name of a device, such as "/cpu:0".

    >>> import graphwright as tf
    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> with strategy.scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """

    def __init__(self, device: str) -> None:
        self._devices = (canonical(device),)
        super().__init__(OneDeviceExtended)


class MirroredExtended(StrategyExtended):
    """How a strategy of several devices does what strategies do: a replica a thread."""

    def _create_variable(self, next_creator: Callable[..., Variable], **kwargs: Any) -> Variable:
        synchronization, aggregation = kinds(kwargs)
        scope = SCOPE.get()
        if scope is None or scope.replica is None:
            return self._mirrored(next_creator, kwargs, synchronization, aggregation)

        def create() -> Variable:
            with inside(ReplicaScope(self._strategy, None)):
                return self._mirrored(next_creator, kwargs, synchronization, aggregation)

        created, number = scope.replica._created, scope.replica._local
        return create() if created is None else created.variable(number, kwargs.get("name"), create)

    def _first_value(self, value: object) -> Any:
        """The initial value of a variable, from that of this process."""
        return value

    def _mirrored(
        self,
        next_creator: Callable[..., Variable],
        kwargs: dict[str, object],
        synchronization: VariableSynchronization,
        aggregation: VariableAggregation,
    ) -> Variable:
        """A variable with a copy on each device, which all begin with the value of the first."""
        names = self._strategy._devices
        name = kwargs.get("name") or "Variable"
        is_read = synchronization is VariableSynchronization.ON_READ
        with device(names[0]):
            initial: Any = kwargs["initial_value"]
            value = initial() if callable(initial) else initial
            dtype: Any = kwargs.get("dtype")
            if creator_of(STATE.active) is None:
                value = self._first_value(
                    convert(value, None if dtype is None else as_dtype(dtype))
                )
        copies = []
        for number, where in enumerate(names):
            copy_name = name if number == 0 else f"{name}/replica_{number}"
            with device(where):
                copies.append(
                    next_creator(**(kwargs | {"initial_value": value, "name": copy_name}))
                )
        kind = SyncOnReadVariable if is_read else MirroredVariable
        return kind(self._strategy, copies, synchronization, aggregation)

    def _reduced(self, how: ReduceOp, value: object) -> Any:
        reduced = super()._reduced(how, value)
        return None if reduced is None else convert(reduced)

    def _call_for_each_replica(
        self, fn: PythonFunction, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> Any:
        strategy = self._strategy
        names = strategy._devices
        if len(names) == 1:
            with device(names[0]):
                return super()._call_for_each_replica(fn, args, kwargs)

        created = CreatedVariables()

        def call(number: int) -> Callable[[], object]:
            def run() -> object:
                mine = select_replica(number, args)
                named = select_replica(number, kwargs)
                context = ReplicaContext(strategy, number)
                context._created = created
                with inside(ReplicaScope(strategy, context)):
                    return fn(*mine, **named)

            return run

        def merge(
            function: PythonFunction, parts: Sequence[object], named: Mapping[str, object]
        ) -> object:
            with inside(ReplicaScope(strategy, None)):
                return strategy._staged(function)(strategy, *parts, **named)

        return regroup(run_threads(names, [call(i) for i in range(len(names))], merge))


class MirroredStrategy(Strategy):
    """A strategy with a replica on each of several devices of this process.

    Its variables have a copy on each device. `tf.config.set_logical_device_configuration` divides
    the CPU into devices.

    Args:
        devices: A list of the names of devices; None or an empty one means all.
        cross_device_ops: A `tf.distribute.CrossDeviceOps`, which sums values; None adds them in the
            order of the replicas.

    Raises:
        AssertionError: A device is named twice.
        ValueError: A name is none of a device.

    >>> import graphwright as tf
    >>> tf.distribute.MirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: CrossDeviceOps | None = None
    ) -> None:
        LogicalDevices.in_use = True
        names = [canonical(name) for name in devices or ()] or full_names()
        if len(set(names)) < len(names):
            raise AssertionError(f"Duplicates in devices argument: {names}")
        self._devices = tuple(names)
        super().__init__(MirroredExtended)
        if isinstance(cross_device_ops, CrossDeviceOps):
            self._extended._ops = cross_device_ops


def kinds(
    options: Mapping[str, object],
) -> tuple[VariableSynchronization, VariableAggregation]:
    """How copies of a variable are brought together; ValueError for what is not possible."""
    synchronization: Any = options.get("synchronization") or VariableSynchronization.AUTO
    aggregation: Any = options.get("aggregation") or VariableAggregation.NONE
    for value, kind in (
        (synchronization, VariableSynchronization),
        (aggregation, VariableAggregation),
    ):
        if not isinstance(value, kind):
            raise ValueError(f"Invalid variable {kind.__name__[8:].lower()} mode: {value!r}.")
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with a strategy of several "
            "replicas. Please change the `synchronization` for variable: "
            f"{options.get('name') or 'Variable'}"
        )
    if synchronization is VariableSynchronization.AUTO:
        synchronization = VariableSynchronization.ON_WRITE
    dtype: Any = options.get("dtype")
    is_integer = dtype is not None and as_dtype(dtype).is_integer
    if is_integer and aggregation is VariableAggregation.MEAN:
        raise ValueError(
            "creating variables with reduce_mean aggregation is not possible for integers: "
            f"{options.get('name') or 'Variable'} is one"
        )
    return synchronization, aggregation
