"""The programs of this folder, and their outcomes in words that JSON has.

`outcomes(tf)` divides the CPU into four devices first, so it is for a process of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

#: A program: it takes `tf`, and returns what is to be compared.
Program = Callable[[Any], Any]

DEVICES = 4
PREFIX = "/job:localhost/replica:0/task:0/device:"


class Programs(dict[str, Program]):
    """The programs of a module by their names; a decorator adds one."""

    def __call__(self, program: Program) -> Program:
        name = program.__name__
        assert name not in self, name
        self[name] = program
        return program


def attempt(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """The result of a call, or the class of its error."""
    try:
        return plain(function(*arguments, **named))
    except Exception as error:  # noqa: BLE001 - the class is the outcome
        return {"raises": type(error).__name__.lstrip("_")}


def short(device: str) -> str:
    """The name of a device without what all have."""
    return device.replace(PREFIX, "")


def plain(value: Any) -> Any:
    """A value in words that JSON has; floats keep six digits, since sums may have other orders."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    kind = type(value).__name__
    if kind in ("PerReplica", "Mirrored", "DistributedValues"):
        return {kind: [plain(part) for part in value.values]}
    if kind == "IndexedSlices":
        return {kind: [plain(value.indices), plain(value.values)]}
    if kind == "SparseTensor":
        return {kind: [plain(value.indices), plain(value.values), plain(value.dense_shape)]}
    if kind == "RaggedTensor":
        return plain(value.to_list())
    if hasattr(value, "numpy"):
        return plain(value.numpy())
    return repr(value)


def divide(tf: Any) -> None:
    """Divides the CPU into four devices."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration() for _ in range(DEVICES)]
    tf.config.set_logical_device_configuration(cpu, parts)


def outcomes(tf: Any, programs: dict[str, Program]) -> dict[str, Any]:
    """The outcome of each program, one after the other in this process."""
    results: dict[str, Any] = {}
    for name, program in programs.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results[name] = attempt(program, tf)
        tf.config.set_soft_device_placement(True)
    return results
