"""StableHLO as XLA compiles and runs it. This needs the package `jax`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax._src import xla_bridge
from jaxlib import _jax


def run_text(text: str, arrays: Sequence[Any]) -> list[Any]:
    """What XLA computes of a module for arrays."""
    backend = xla_bridge.get_backend("cpu")
    devices = _jax.DeviceList(tuple(backend.local_devices()[:1]))
    program = backend.compile_and_load(text, devices, _jax.CompileOptions())
    with jax.enable_x64(True):
        return [np.asarray(v) for v in program.execute([jax.device_put(a) for a in arrays])]
