"""`tf.config.experimental`: the earlier home of some settings."""

from graphwright.edge.config import (
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_visible_devices,
)

__all__ = [
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_visible_devices",
]
