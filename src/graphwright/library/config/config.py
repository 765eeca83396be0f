"""Settings: `tf.config`. Functions can be run as plain Python; the rest describes this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.run.options import OPTIONS
from graphwright.function.polymorphic import Eagerly
from graphwright.machine import threads
from graphwright.machine.preparation import Waiting


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes every `tf.function` run as plain Python, anew in each call: for debugging.

    Args:
        run_eagerly: True for plain Python, False for graphs (the default).

    >>> import graphwright as tf
    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    Eagerly.on = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Says whether functions run as plain Python, as `tf.config.run_functions_eagerly` sets it.

    Returns:
        A bool; False by default.

    >>> import graphwright as tf
    >>> tf.config.functions_run_eagerly()
    False
    """
    return Eagerly.on


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
    """Lists the devices by the names that programs use: one CPU.

    Args:
        device_type: A type such as "CPU" or "GPU". None means every type.

    Returns:
        A list of `tf.config.LogicalDevice`; empty for any type other than "CPU".

    >>> import graphwright as tf
    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


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
    >>> [cpu] = tf.config.list_physical_devices("CPU")
    >>> whole = [tf.config.LogicalDeviceConfiguration()]
    >>> tf.config.set_logical_device_configuration(cpu, whole)
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: list[LogicalDeviceConfiguration] | None
) -> None:
    """Accepts at most one logical device for the CPU, which stays as it is.

    Args:
        device: A device of `tf.config.list_physical_devices()`.
        logical_devices: A list of `tf.config.LogicalDeviceConfiguration`, or None.

    Raises:
        ValueError: The device is another one, a configuration limits its memory, or there are
            several configurations.

    >>> import graphwright as tf
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    """
    checked_device(device)
    for configuration in logical_devices or ():
        if configuration.memory_limit is not None:
            raise ValueError("Setting memory limit on CPUs is currently not supported")
    if logical_devices and len(logical_devices) > 1:
        raise ValueError(
            f"{device.name} cannot be divided into {len(logical_devices)} logical devices: there "
            "is one, on which everything runs."
        )


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """Returns how a device is divided: not at all.

    Args:
        device: A device of `tf.config.list_physical_devices()`.

    Returns:
        None.

    Raises:
        ValueError: The device is another one.

    >>> import graphwright as tf
    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> print(tf.config.get_logical_device_configuration(cpu))
    None
    """
    checked_device(device)
    return None


def set_soft_device_placement(enabled: bool) -> None:
    """Does nothing: there is one device, so every op is placed on it.

    Args:
        enabled: Ignored.

    >>> import graphwright as tf
    >>> tf.config.set_soft_device_placement(False)
    >>> tf.config.get_soft_device_placement()
    True
    """


def get_soft_device_placement() -> bool:
    """Says whether an op runs on another device where the requested one cannot run it: always.

    Returns:
        True.

    >>> import graphwright as tf
    >>> tf.config.get_soft_device_placement()
    True
    """
    return True


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


def get_synchronous_execution() -> bool:
    """Says whether an op is complete when its call returns: always.

    Returns:
        True.

    >>> import graphwright as tf
    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return True


def set_synchronous_execution(enable: bool) -> None:
    """Does nothing: an op is always complete when its call returns.

    Args:
        enable: Ignored.

    >>> import graphwright as tf
    >>> tf.config.experimental.set_synchronous_execution(False)
    >>> tf.config.experimental.get_synchronous_execution()
    True
    """


def enable_op_determinism() -> None:
    """Makes each run of a program give the same results, to the last bit.

    Compiled code does so anyway. NumPy, which rounds differently, computes only until that code is
    ready, which may be sooner or later. From now on calls wait for the compiler instead.

    >>> import graphwright as tf
    >>> from unittest import mock
    >>> from graphwright.machine.preparation import Waiting
    >>> with mock.patch.object(Waiting, "always"):  # for this example only
    ...     tf.config.experimental.enable_op_determinism()
    ...     print(tf.exp([0.0, 1.0]).numpy())
    [1.       2.718282]
    """
    Waiting.always = True


def set_log_device_placement(enabled: bool) -> None:
    """Does nothing: there is one device, and no placement to log.

    Args:
        enabled: Ignored.

    >>> import graphwright as tf
    >>> tf.debugging.set_log_device_placement(True)
    >>> tf.debugging.get_log_device_placement()
    False
    """


def get_log_device_placement() -> bool:
    """Says whether the placement of ops is logged: never.

    Returns:
        False.

    >>> import graphwright as tf
    >>> tf.debugging.get_log_device_placement()
    False
    """
    return False


class Jit:
    """The last argument of `tf.config.optimizer.set_jit`."""

    mode = ""


def set_jit(enabled: bool | str) -> None:
    """Records a wish for just-in-time compilation, which has no effect.

    Functions that run again and again become machine code anyway, unless they are made with
    `jit_compile=False`.

    Args:
        enabled: A bool, or "autoclustering", which means the same as True.

    >>> import graphwright as tf
    >>> tf.config.optimizer.set_jit("autoclustering")
    >>> tf.config.optimizer.get_jit()
    'autoclustering'
    >>> tf.config.optimizer.set_jit(False)
    """
    Jit.mode = ("autoclustering" if enabled else "") if isinstance(enabled, bool) else enabled


def get_jit() -> str:
    """Returns the last argument of `tf.config.optimizer.set_jit`.

    Returns:
        "autoclustering" or "".

    >>> import graphwright as tf
    >>> tf.config.optimizer.get_jit()
    ''
    """
    return Jit.mode


def get_build_info() -> dict[str, Any]:
    """Returns which kinds of GPU the package was built for: none.

    Returns:
        A dict of bools.

    >>> import graphwright as tf
    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


class Threading:
    """How many threads may run different ops; 0 lets the package choose."""

    inter_op = 0


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Limits the threads within one op, those of BLAS included.

    Args:
        num_threads: The limit as an int; 0 means none.

    Raises:
        ValueError: `num_threads` is negative, or more than 1024 for each core.

    >>> import graphwright as tf
    >>> tf.config.threading.set_intra_op_parallelism_threads(1)
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    1
    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    threads.bound(checked_threads(num_threads))


def get_intra_op_parallelism_threads() -> int:
    """Returns the limit of the threads within one op.

    Returns:
        An int; 0 where no limit is set.

    >>> import graphwright as tf
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return threads.Limit.threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Records a limit of the threads that run different ops.

    Args:
        num_threads: The limit as an int; 0 means none.

    Raises:
        ValueError: `num_threads` is negative, or more than 1024 for each core.

    >>> import graphwright as tf
    >>> tf.config.threading.set_inter_op_parallelism_threads(2)
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    2
    >>> tf.config.threading.set_inter_op_parallelism_threads(0)
    """
    Threading.inter_op = checked_threads(num_threads)


def get_inter_op_parallelism_threads() -> int:
    """Returns the limit of the threads that run different ops.

    Returns:
        An int; 0 where no limit is set.

    >>> import graphwright as tf
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return Threading.inter_op


def checked_threads(number: int) -> int:
    """A number of threads; ValueError below zero or far above the cores."""
    if number < 0 or number > 1024 * (os.cpu_count() or 1):
        raise ValueError(f"num_threads must be between 0 and a sane number of cores, got {number}")
    return int(number)


def set_experimental_options(options: Mapping[str, object]) -> None:
    """Switches passes over graphs on or off.

    Args:
        options: A dict from names such as "constant_folding" or "remapping" to bools. Other options
            stay as they are.

    Raises:
        ValueError: A name is no option.

    >>> import graphwright as tf
    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
    >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
    True
    """
    unknown = set(options) - OPTIMIZER_NAMES
    if unknown:
        raise ValueError(f"Unknown optimizer options: {', '.join(sorted(unknown))}")
    OPTIONS.update(options)


def get_experimental_options() -> dict[str, Any]:
    """Returns the options of passes over graphs that were set.

    Returns:
        A dict from names to values.

    >>> import graphwright as tf
    >>> options = tf.config.optimizer.get_experimental_options()
    >>> options.get("constant_folding", True)
    True
    """
    return dict(OPTIONS)


OPTIMIZER_NAMES = frozenset(
    {
        "layout_optimizer",
        "constant_folding",
        "shape_optimization",
        "remapping",
        "arithmetic_optimization",
        "dependency_optimization",
        "loop_optimization",
        "function_optimization",
        "debug_stripper",
        "disable_model_pruning",
        "scoped_allocator_optimization",
        "pin_to_host_optimization",
        "implementation_selector",
        "auto_mixed_precision",
        "disable_meta_optimizer",
        "min_graph_nodes",
        "auto_parallel",
    }
)
