"""`tf.config`: settings and devices."""

from graphwright.api.config import experimental, optimizer, threading
from graphwright.library.config.config import functions_run_eagerly, run_functions_eagerly
from graphwright.library.config.config import (
    functions_run_eagerly as experimental_functions_run_eagerly,
)
from graphwright.library.config.config import (
    run_functions_eagerly as experimental_run_functions_eagerly,
)
from graphwright.library.config.devices import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    get_logical_device_configuration,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
    set_soft_device_placement,
    set_visible_devices,
)

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]
