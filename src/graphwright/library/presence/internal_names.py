"""Functions that libraries import from modules of TensorFlow that are not public."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from graphwright.library.config.devices import Division
from graphwright.machine.preparation import Waiting
from graphwright.op.interpreter import apply, convert
from graphwright.ops.core.creation import ones_like
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.slicing import TensorStridedSliceUpdate
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.types.arguments import TensorLike
from graphwright.values.logical_devices import LogicalDevices


class EagerContext:
    """What runs ops that are not traced. It holds nothing back, so there is nothing to clear."""

    def clear_kernel_cache(self) -> None:
        """Does nothing: an op's kernel is a function, and no call of it is kept."""

    def ensure_initialized(self) -> None:
        """Does nothing: the package is ready once it is imported."""


_CONTEXT = EagerContext()


def context() -> EagerContext:
    """The one context of the process."""
    return _CONTEXT


def _reset_context() -> None:
    """Makes the CPU whole again, so that a program can divide it into other logical devices."""
    Division.parts = None
    LogicalDevices.count, LogicalDevices.in_use = 1, False


def async_wait() -> None:
    """Does nothing: an op is always complete when its call returns."""


def is_op_determinism_enabled() -> bool:
    """Whether each run of a program gives the same results, to the last bit."""
    return Waiting.always


def disable_op_determinism() -> None:
    """Lets NumPy compute again until compiled code is ready."""
    Waiting.always = False


def dynamic_update_slice(input: TensorLike, update: TensorLike, start_indices: TensorLike) -> Any:
    """The input with `update` from `start_indices` on, which are moved so that all of it fits."""
    whole, part, starts = convert(input), convert(update), convert(start_indices)
    extent = shape(part, starts.dtype)
    begin = maximum(minimum(starts, shape(whole, starts.dtype) - extent), 0)
    op = TensorStridedSliceUpdate.of(0, 0, 0, 0, 0)
    return apply(op, whole, begin, begin + extent, ones_like(begin), part)


@dataclass(frozen=True)
class DeviceAttributes:
    """A device of the process, as TensorFlow's message of this name has it."""

    name: str
    device_type: str
    memory_limit: int
    incarnation: int
    physical_device_desc: str = ""
    xla_global_id: int = -1

    def __repr__(self) -> str:
        return (
            f'name: "{self.name}"\ndevice_type: "{self.device_type}"\n'
            f"memory_limit: {self.memory_limit}\nlocality {{\n}}\n"
            f"incarnation: {self.incarnation}\nxla_global_id: {self.xla_global_id}\n"
        )


#: What TensorFlow says of the memory of a CPU, whatever there is.
_CPU_MEMORY = 1 << 28


def list_local_devices(session_config: object = None) -> list[DeviceAttributes]:
    """The devices of the process: its CPU. Each call gives them another incarnation."""
    return [DeviceAttributes("/device:CPU:0", "CPU", _CPU_MEMORY, secrets.randbits(63) + 1)]
