"""The devices that programs name: the CPU, whole or divided into logical ones.

All are in the memory of one process, so what is on a device is a matter of its name alone.
"""

from __future__ import annotations

from graphwright.base.errors import InvalidArgumentError
from graphwright.types.device_spec import DeviceSpec

#: What the full names of all devices begin with.
PREFIX = "/job:localhost/replica:0/task:0/device:CPU:"

#: Where everything is that no program places.
DEFAULT = PREFIX + "0"

_PLACE = DeviceSpec("localhost", 0, 0)


class LogicalDevices:
    """How the CPU is divided, and what may still change about that."""

    count = 1
    in_use = False  # a program has computed something, or asked for the devices
    soft = True  # an op whose device is missing runs on the CPU


def full_names() -> list[str]:
    """The full names of all devices."""
    return [f"{PREFIX}{number}" for number in range(LogicalDevices.count)]


def canonical(name: str) -> str:
    """The full name of the device that a name means, whether there is one or not."""
    spec = _PLACE.make_merged_spec(DeviceSpec.from_string(name))
    kind, index = spec.device_type or "CPU", spec.device_index or 0
    return spec.replace(device_type=kind, device_index=index).to_string()


def device_for(spec: DeviceSpec, what: str) -> str:
    """The full name of the device that runs an op of these parts of a name.

    Raises:
        InvalidArgumentError: There is none.
    """
    index = spec.device_index or 0
    wanted = _PLACE.make_merged_spec(spec)
    here = (wanted.job, wanted.replica, wanted.task) == ("localhost", 0, 0)
    if here and (spec.device_type or "CPU").upper() == "CPU" and 0 <= index < LogicalDevices.count:
        return f"{PREFIX}{index}"
    if here and LogicalDevices.soft and index >= 0:
        return DEFAULT
    raise InvalidArgumentError(
        None,
        None,
        f"Could not satisfy device specification '{spec.to_string()}'. enable_soft_placement="
        f"{int(LogicalDevices.soft)}. Supported device types [CPU]. All available devices "
        f"[{', '.join(full_names())}]. [Op:{what}]",
    )
