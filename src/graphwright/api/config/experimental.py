"""`tf.config.experimental`: the earlier home of some settings."""

from graphwright.edge.config import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from graphwright.edge.config import (
    get_logical_device_configuration as get_virtual_device_configuration,
)
from graphwright.edge.config import (
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_visible_devices,
)
from graphwright.edge.config import (
    set_logical_device_configuration as set_virtual_device_configuration,
)

__all__ = [
    "VirtualDeviceConfiguration",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_virtual_device_configuration",
    "set_visible_devices",
]
