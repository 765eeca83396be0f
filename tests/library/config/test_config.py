"""Devices: there is one CPU, which cannot be divided."""

from __future__ import annotations

import pytest

import graphwright as tf


def test_the_one_cpu_may_be_configured_as_one() -> None:
    (cpu,) = tf.config.list_physical_devices()
    one = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [one])
    tf.config.experimental.set_virtual_device_configuration(cpu, None)
    assert tf.config.get_logical_device_configuration(cpu) is None
    assert len(tf.config.list_logical_devices("CPU")) == 1
    with pytest.raises(ValueError, match="2 logical devices"):
        tf.config.set_logical_device_configuration(cpu, [one, one])
    limited = tf.config.experimental.VirtualDeviceConfiguration(memory_limit=100)
    with pytest.raises(ValueError, match="memory limit"):
        tf.config.set_logical_device_configuration(cpu, [limited])
    for use in (
        lambda: tf.config.set_logical_device_configuration("GPU:0", [one]),
        lambda: tf.config.get_logical_device_configuration("GPU:0"),
    ):
        with pytest.raises(ValueError, match="Unrecognized device"):
            use()


def test_the_one_cpu_may_be_chosen_alone_or_in_a_list() -> None:
    (cpu,) = tf.config.list_physical_devices()
    for devices in (cpu, [cpu], None):
        tf.config.set_visible_devices(devices)
    other = tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")
    for devices in (other, [cpu, other]):
        with pytest.raises(ValueError, match="Unrecognized device"):
            tf.config.set_visible_devices(devices)
