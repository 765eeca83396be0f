"""Devices: there is one CPU, which is divided before it is used or not at all.

What a divided CPU does is in tests/library/distribute/test_programs.py."""

from __future__ import annotations

import subprocess
import sys

import pytest

import graphwright as tf


def test_a_cpu_in_use_is_not_divided() -> None:
    (cpu,) = tf.config.list_physical_devices()
    one = tf.config.LogicalDeviceConfiguration()
    assert len(tf.config.list_logical_devices("CPU")) == 1
    tf.config.experimental.set_virtual_device_configuration(cpu, None)
    assert tf.config.get_logical_device_configuration(cpu) is None
    for parts in ([one], [one, one]):
        with pytest.raises(RuntimeError, match="cannot be modified after being initialized"):
            tf.config.set_logical_device_configuration(cpu, parts)
    for option in ("memory_limit", "experimental_priority", "experimental_device_ordinal"):
        limited = tf.config.experimental.VirtualDeviceConfiguration(**{option: 100})
        with pytest.raises(ValueError, match=option.replace("memory_", "memory ")):
            tf.config.set_logical_device_configuration(cpu, [limited])
    for use in (
        lambda: tf.config.set_logical_device_configuration("GPU:0", [one]),
        lambda: tf.config.get_logical_device_configuration("GPU:0"),
    ):
        with pytest.raises(ValueError, match="Unrecognized device"):
            use()


@pytest.mark.parametrize(
    "use",
    [
        "tf.abs(-1.0)",
        "tf.Variable(1.0)",
        "tf.config.list_logical_devices()",
        "tf.device('/cpu:0').__enter__()",
    ],
)
def test_what_uses_the_devices(use: str) -> None:
    program = f"""
import graphwright as tf
from graphwright.values.logical_devices import LogicalDevices
assert not LogicalDevices.in_use  # an import alone uses nothing
{use}
assert LogicalDevices.in_use
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_one_cpu_may_be_chosen_alone_or_in_a_list() -> None:
    (cpu,) = tf.config.list_physical_devices()
    for devices in (cpu, [cpu], None):
        tf.config.set_visible_devices(devices)
    other = tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")
    for devices in (other, [cpu, other]):
        with pytest.raises(ValueError, match="Unrecognized device"):
            tf.config.set_visible_devices(devices)
