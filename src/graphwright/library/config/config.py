"""Settings: `tf.config`. Functions can be run as plain Python; the rest describes this machine."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from graphwright.compile.run.options import OPTIONS
from graphwright.function.polymorphic import Eagerly
from graphwright.machine import threads
from graphwright.machine.preparation import Waiting


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Has functions run as plain Python, each call anew: for debugging.

    >>> import graphwright as tf
    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    Eagerly.on = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether functions run as plain Python."""
    return Eagerly.on


class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs name it."""

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine: one CPU."""
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices as programs name them."""
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that are used."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Chooses the devices to use; ValueError for one that is not there."""
    for wanted in devices if isinstance(devices, (list, tuple)) else [devices]:
        if wanted is not None and wanted not in list_physical_devices():
            raise ValueError(f"Unrecognized device: {wanted!r}")


class LogicalDeviceConfiguration(NamedTuple):
    """How a device is to be divided; a CPU has no memory limit."""

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: list[LogicalDeviceConfiguration] | None
) -> None:
    """Accepts one configuration of the one CPU; ValueError for another device or several."""
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
    """How a device is divided: None, it is not; ValueError for one that is not there."""
    checked_device(device)
    return None


def set_soft_device_placement(enabled: bool) -> None:
    """Accepted: there is one device to place ops on."""


def get_soft_device_placement() -> bool:
    """Whether ops go to another device where the asked-for one lacks them: always."""
    return True


def checked_device(device: Any) -> PhysicalDevice:
    """A device of this machine; ValueError for another."""
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    return _CPU


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """What is known of a device: nothing of a CPU."""
    checked_device(device)
    return {}


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether a device's memory is taken as it is needed: ValueError, a CPU has no such setting."""
    checked_device(device)
    raise ValueError("Cannot get memory growth of non-GPU devices")


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Has a GPU's memory taken as it is needed: ValueError, a CPU has no such setting."""
    checked_device(device)
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


def get_synchronous_execution() -> bool:
    """Whether an op is done when its call returns: always."""
    return True


def set_synchronous_execution(enable: bool) -> None:
    """Accepted: an op is done when its call returns, whether or not a program would wait."""


def enable_op_determinism() -> None:
    """The same ops on the same values give the same results in every run, to the last bit.

    They do anyway once all code is compiled. Until then NumPy computes, which rounds differently,
    for as long as the compiler happens to take: from now on calls wait for it instead.
    """
    Waiting.always = True


def set_log_device_placement(enabled: bool) -> None:
    """Accepted: there is one device, and nothing to log."""


def get_log_device_placement() -> bool:
    """Whether the placement of ops is logged: never."""
    return False


class Jit:
    """What `tf.config.optimizer.set_jit` was told."""

    mode = ""


def set_jit(enabled: bool | str) -> None:
    """Accepted: graphs that run again and again become machine code unless a function refuses."""
    Jit.mode = ("autoclustering" if enabled else "") if isinstance(enabled, bool) else enabled


def get_jit() -> str:
    """What `set_jit` was told last: "" or "autoclustering"."""
    return Jit.mode


def get_build_info() -> dict[str, Any]:
    """What the package was built for: no kind of GPU."""
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


class Threading:
    """How many threads may run different ops; 0 lets the package choose."""

    inter_op = 0


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Bounds the threads within one op, those of BLAS included; 0 sets no bound."""
    threads.bound(checked_threads(num_threads))


def get_intra_op_parallelism_threads() -> int:
    """The bound of the threads within one op; 0 if none was set."""
    return threads.Limit.threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Bounds the threads that run different ops."""
    Threading.inter_op = checked_threads(num_threads)


def get_inter_op_parallelism_threads() -> int:
    """The bound of the threads that run different ops; 0 if none was set."""
    return Threading.inter_op


def checked_threads(number: int) -> int:
    """A number of threads; ValueError below zero or far above the cores."""
    if number < 0 or number > 1024 * (os.cpu_count() or 1):
        raise ValueError(f"num_threads must be between 0 and a sane number of cores, got {number}")
    return int(number)


def set_experimental_options(options: dict[str, Any]) -> None:
    """Sets options of the graph passes, such as `constant_folding`.

    ValueError for a name that is no option.
    """
    unknown = set(options) - OPTIMIZER_NAMES
    if unknown:
        raise ValueError(f"Unknown optimizer options: {', '.join(sorted(unknown))}")
    OPTIONS.update(options)


def get_experimental_options() -> dict[str, Any]:
    """The options of the graph passes that were set."""
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
