"""Blocks of a device, where the CPU is whole: see tests/library/distribute for a divided one."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.op.interpreter import STATE

FULL = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize("name", [None, "", "/cpu:0", "cpu", "/job:localhost", FULL])
def test_a_block_of_the_default_device_costs_its_calls_nothing(name: str | None) -> None:
    with tf.device(name):
        assert STATE.active is None
        assert (tf.constant(1) + 1).device == FULL


def test_a_missing_device_is_replaced_by_the_cpu() -> None:
    with tf.device("/gpu:0"):
        assert STATE.active is not None
        assert (tf.constant(1) + 1).device == FULL
    assert STATE.active is None


def test_a_device_must_be_named_by_text() -> None:
    with pytest.raises(ValueError, match="Expecting a string or None for device_name, got 3"):
        tf.device(3)  # type: ignore[arg-type]


def test_a_number_that_is_shared_stays_where_it_is() -> None:
    first = tf.convert_to_tensor(0.625)
    with tf.device("/gpu:0"):
        assert tf.convert_to_tensor(0.625) is not first
