"""`tf.device`: an interpreter that puts the results of a block on a device.

Eagerly it notes the device in each result. In a trace it notes the device of each new node. It is
there only in blocks whose device is not the default one, so other programs pay nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias, runtime_checkable

from graphwright.ir.graph import Graph
from graphwright.op.interpreter import STATE, Interpreter, Layer, activate
from graphwright.op.op import Op
from graphwright.ops.state.variable_ops import Storage
from graphwright.trace.tracer import Tracer, current_tracer, tracer_of
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.types.device_spec import DeviceSpec
from graphwright.types.dtypes import DType
from graphwright.values.logical_devices import LogicalDevices, device_for
from graphwright.values.tensor import EagerTensor, box


@runtime_checkable
class NamedDevice(Protocol):
    """A device as `tf.config.list_logical_devices` gives it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def device_type(self) -> str:
        """Its type."""


#: A device as programs state it: a name, its parts, one that is listed, or None.
DeviceLike: TypeAlias = str | DeviceSpec | NamedDevice | None

#: No part of a name.
NOWHERE = DeviceSpec()


class Placement(Layer):
    """Puts what the interpreter below computes on a device.

    Args:
        spec: The parts of the device's name, with those that blocks around state.
    """

    def __init__(self, spec: DeviceSpec) -> None:
        self.spec = spec
        self.name = spec.to_string()
        self.is_traced = False  # the block is in a function that is traced
        self._resolved: tuple[bool, str] | None = None

    def enter(self) -> None:
        """Puts the placement on top of what is active."""
        super().enter()
        self.is_traced = tracer_of(self.below) is not None

    def resolved(self, what: str) -> str:
        """The full name of the device that an eager op of the block runs on."""
        soft = LogicalDevices.soft
        if self._resolved is None or self._resolved[0] is not soft:
            self._resolved = soft, device_for(self.spec, what)
        return self._resolved[1]

    def over(self, tracer: Interpreter) -> Interpreter:
        """What interprets a part of a function that the block has, above its tracer.

        A function that is called in the block is not part of it.
        """
        if not self.is_traced:
            return tracer
        placement = Placement(self.spec)
        placement.below, placement.is_traced = tracer, True
        return placement

    def place_variable(self, what: str) -> str:
        """The full name of the device of a variable that the block makes."""
        return self.resolved(what)

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, on the device."""
        tracer = tracer_of(self.below)
        if tracer is not None:
            return self._traced(tracer, lambda: self.hand_on(op, operands, name))
        device = self.resolved(op.type_name)
        for operand in operands:
            if type(operand) is EagerTensor and type(operand._array) is Storage:
                device = operand.device  # an op runs where its variable is
                break
        result = self.hand_on(op, operands, name)
        for tensor in result if type(result) is tuple else (result,):
            if type(tensor) is EagerTensor:
                tensor._device = device
        return result

    def constant(self, value: TensorLike, dtype: DType | None, name: str | None) -> Any:
        """A constant, on the device."""
        tracer = tracer_of(self.below)
        if tracer is not None:
            return self._traced(tracer, lambda: super(Placement, self).constant(value, dtype, name))
        device = self.resolved("Const")
        tensor = super().constant(value, dtype, name)
        tensor = box(tensor._array)  # that of a number may be shared
        tensor._device = device
        return tensor

    def _traced(self, tracer: Tracer, run: Callable[[], Any]) -> Any:
        graph = tracer.graph
        before = len(graph.nodes)
        result = run()
        if self.is_traced:
            for node in graph.nodes[before:]:
                if self.name:
                    graph.devices[node] = self.name
                else:
                    graph.devices.pop(node, None)  # that of a block around
        return result


def current_placement() -> Placement | None:
    """The innermost placement of this thread, or None; that of a trace is its own."""
    interpreter = STATE.active
    traced = current_tracer() is not None
    while interpreter is not None:
        if isinstance(interpreter, Placement) and interpreter.is_traced == traced:
            return interpreter
        interpreter = interpreter.below
    return None


def placed(iterator: Iterator[object]) -> Any:
    """The next value of an iterator, its eager tensors on the device of the block around."""
    placement = current_placement()
    with activate(None):
        value = next(iterator)
    if placement is not None:
        put_on(placement.resolved("IteratorGetNext"), value)
    return value


def put_on(device: str, value: object) -> None:
    """Notes a device in the eager tensors of a structure that nobody else has yet."""
    for tensor in tree.flatten(value, expand_composites=True):
        if type(tensor) is EagerTensor:
            tensor._device = device


def check_devices(graph: Graph) -> None:
    """InvalidArgumentError if there is no such device as a node of a graph names."""
    for node, name in graph.devices.items():
        device_for(DeviceSpec.from_string(name), node.op.type_name)


def spec_of_device(device: DeviceLike) -> DeviceSpec:
    """The parts of a device's name; ValueError for what is no name."""
    if isinstance(device, DeviceSpec):
        return device
    name = device.name if isinstance(device, NamedDevice) else device
    if not isinstance(name, str):
        raise ValueError(f"Expecting a string or None for device_name, got {device!r}.")
    return DeviceSpec.from_string(name)


class device:
    """Places the ops and variables of a block on a device.

    A part of a name that is missing is that of the block around. Where the device is missing, the
    CPU takes its place unless `tf.config.set_soft_device_placement` is off.

    Args:
        device_name: A string such as "/cpu:1", a `tf.DeviceSpec`, a `tf.config.LogicalDevice`, or
            None for no device.

    Raises:
        ValueError: `device_name` is none of these, or names no device.
        RuntimeError: It is a function.
        InvalidArgumentError: An op of the block has no such device.

    >>> import graphwright as tf
    >>> with tf.device("/cpu:0"):
    ...     x = tf.constant(1)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device_name: DeviceLike) -> None:
        if callable(device_name):
            raise RuntimeError("tf.device does not support functions.")
        self._spec = None if device_name is None else spec_of_device(device_name)
        self._entered: list[Placement | None] = []

    def __enter__(self) -> None:
        LogicalDevices.in_use = True
        outer = current_placement()
        spec = NOWHERE
        if self._spec is not None:
            spec = (NOWHERE if outer is None else outer.spec).make_merged_spec(self._spec)
        placement: Placement | None = Placement(spec)
        if outer is None and current_tracer() is None and is_default(spec):
            placement = None  # results are there without it
        self._entered.append(placement)
        if placement is not None:
            placement.enter()

    def __exit__(self, *exception: object) -> None:
        placement = self._entered.pop()
        if placement is not None:
            placement.leave()


def is_default(spec: DeviceSpec) -> bool:
    """Whether ops of a device run where they run without one, whatever may be set later."""
    here = spec.job in (None, "localhost") and not spec.replica and not spec.task
    return here and (spec.device_type or "CPU").upper() == "CPU" and not spec.device_index
