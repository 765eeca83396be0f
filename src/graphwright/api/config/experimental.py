"""`tf.config.experimental`: the earlier home of some settings."""

from graphwright.library.config.config import (
    enable_op_determinism,
    get_synchronous_execution,
    set_synchronous_execution,
)
from graphwright.library.config.devices import (
    LogicalDeviceConfiguration as VirtualDeviceConfiguration,
)
from graphwright.library.config.devices import (
    get_device_details,
    get_memory_growth,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_memory_growth,
    set_visible_devices,
)
from graphwright.library.config.devices import (
    get_logical_device_configuration as get_virtual_device_configuration,
)
from graphwright.library.config.devices import (
    set_logical_device_configuration as set_virtual_device_configuration,
)

__all__ = [
    "VirtualDeviceConfiguration",
    "enable_op_determinism",
    "get_device_details",
    "get_memory_growth",
    "get_synchronous_execution",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_memory_growth",
    "set_synchronous_execution",
    "set_virtual_device_configuration",
    "set_visible_devices",
]
