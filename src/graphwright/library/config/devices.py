"""Devices: `tf.config.list_logical_devices` and what divides the CPU into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.values.logical_devices import LogicalDevices


class PhysicalDevice(NamedTuple):
    """A device of this machine.

    >>> import graphwright as tf
    >>> tf.config.list_physical_devices("CPU")[0].name
    '/physical_device:CPU:0'
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs name it.

    >>> import graphwright as tf
    >>> tf.config.list_logical_devices("CPU")[0].name
    '/device:CPU:0'
    """

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the devices of this machine: one CPU.

    Args:
        device_type: A type such as "CPU" or "GPU". None means every type.

    Returns:
        A list of `tf.config.PhysicalDevice`; empty for any type other than "CPU".

    >>> import graphwright as tf
    >>> tf.config.list_physical_devices()
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Lists the devices by the names that programs use: the CPU, or the parts of it.

    From then on the CPU cannot be divided.

    Args:
        device_type: A type such as "CPU" or "GPU". None means every type.

    Returns:
        A list of `tf.config.LogicalDevice`; empty for any type other than "CPU".

    >>> import graphwright as tf
    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    LogicalDevices.in_use = True
    if device_type not in (None, "CPU"):
        return []
    return [LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(LogicalDevices.count)]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Lists the devices that programs may use: all of this machine.

    Args:
        device_type: A type such as "CPU" or "GPU". None means every type.

    Returns:
        A list of `tf.config.PhysicalDevice`.

    >>> import graphwright as tf
    >>> tf.config.get_visible_devices("GPU")
    []
    """
    return list_physical_devices(device_type)


def set_visible_devices(
    devices: PhysicalDevice | Sequence[PhysicalDevice] | None, device_type: str | None = None
) -> None:
    """Checks a choice of devices, which has no effect: the one CPU is always visible.

    Args:
        devices: A `tf.config.PhysicalDevice`, a list of them, or None.
        device_type: Ignored.

    Raises:
        ValueError: A device is not one of `tf.config.list_physical_devices()`.

    >>> import graphwright as tf
    >>> tf.config.set_visible_devices([], "GPU")
    """
    # A device is a named tuple itself.
    are_many = isinstance(devices, (list, tuple)) and not isinstance(devices, PhysicalDevice)
    many: Any = devices if are_many else [devices]
    for device in many:
        if device is not None and device not in list_physical_devices():
            raise ValueError(f"Unrecognized device: {device!r}")


class LogicalDeviceConfiguration(NamedTuple):
    """The division of a device; a CPU has no memory limit.

    Args:
        memory_limit: A number of megabytes, or None.
        experimental_priority: An int or None.
        experimental_device_ordinal: An int or None.

    >>> import graphwright as tf
    >>> print(tf.config.LogicalDeviceConfiguration().memory_limit)
    None
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class Division:
    """How the CPU is divided: None where nobody has said it."""

    parts: tuple[LogicalDeviceConfiguration, ...] | None = None


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: list[LogicalDeviceConfiguration] | None
) -> None:
    """Divides the CPU into logical devices, which `tf.device` and `tf.distribute` name.

    They share the processor and its memory, so they serve to try what is written for several.

    Args:
        device: A device of `tf.config.list_physical_devices()`.
        logical_devices: A list with a `tf.config.LogicalDeviceConfiguration` for each, or None.

    Raises:
        ValueError: The device is another one, or a configuration limits its memory.
        RuntimeError: The devices are in use.

    >>> import graphwright as tf
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> parts = [tf.config.LogicalDeviceConfiguration()] * 2
    >>> _ = tf.config.list_logical_devices()  # from then on it is too late
    >>> tf.config.set_logical_device_configuration(cpu, parts)
    Traceback (most recent call last):
        ...
    RuntimeError: Virtual devices cannot be modified after being initialized
        ...
    """
    checked_device(device)
    parts = tuple(logical_devices or ())
    for configuration in parts:
        if configuration.memory_limit is not None:
            raise ValueError("Setting memory limit on CPUs is currently not supported")
        if configuration.experimental_priority is not None:
            raise ValueError("Setting experimental_priority on CPUs is currently not supported")
        if configuration.experimental_device_ordinal is not None:
            raise ValueError(
                "Setting experimental_device_ordinal on CPUs is currently not supported"
            )
    if parts == (Division.parts or ()):
        return
    if LogicalDevices.in_use:
        raise RuntimeError("Virtual devices cannot be modified after being initialized")
    Division.parts = parts or None
    LogicalDevices.count = max(len(parts), 1)


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """Returns how a device is divided.

    Args:
        device: A device of `tf.config.list_physical_devices()`.

    Returns:
        A list with a `tf.config.LogicalDeviceConfiguration` for each part, or None.

    Raises:
        ValueError: The device is another one.

    >>> import graphwright as tf
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> print(tf.config.get_logical_device_configuration(cpu))
    None
    """
    checked_device(device)
    return None if Division.parts is None else list(Division.parts)


def set_soft_device_placement(enabled: bool) -> None:
    """Sets whether an op runs on the CPU where there is no such device as `tf.device` names.

    Args:
        enabled: A bool: False makes that an error.

    >>> import graphwright as tf
    >>> tf.config.set_soft_device_placement(False)
    >>> with tf.device("/gpu:0"):
    ...     x = tf.constant(1)
    Traceback (most recent call last):
        ...
    graphwright.base.errors.InvalidArgumentError: Could not satisfy device specification ...
    >>> tf.config.set_soft_device_placement(True)
    """
    LogicalDevices.soft = bool(enabled)


def get_soft_device_placement() -> bool:
    """Says whether an op runs on the CPU where there is no such device as `tf.device` names.

    Returns:
        A bool; True by default.

    >>> import graphwright as tf
    >>> tf.config.get_soft_device_placement()
    True
    """
    return LogicalDevices.soft


def checked_device(device: PhysicalDevice) -> PhysicalDevice:
    """A device of this machine; ValueError for another."""
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    return _CPU


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """Returns details of a device: none of a CPU.

    Args:
        device: A device of `tf.config.list_physical_devices()`.

    Returns:
        An empty dict.

    Raises:
        ValueError: The device is another one.

    >>> import graphwright as tf
    >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices()[0])
    {}
    """
    checked_device(device)
    return {}


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Refuses: memory growth is a setting of GPUs, and there is none.

    Args:
        device: A device of `tf.config.list_physical_devices()`.

    Returns:
        Nothing: every call raises.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> tf.config.experimental.get_memory_growth(tf.config.list_physical_devices()[0])
    Traceback (most recent call last):
        ...
    ValueError: Cannot get memory growth of non-GPU devices
        ...
    """
    checked_device(device)
    raise ValueError("Cannot get memory growth of non-GPU devices")


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Refuses: memory growth is a setting of GPUs, and there is none.

    Args:
        device: A device of `tf.config.list_physical_devices()`.
        enable: Ignored.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> for gpu in tf.config.list_physical_devices("GPU"):  # there is none
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    checked_device(device)
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
