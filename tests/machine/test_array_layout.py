"""What is read from objects in memory is what NumPy says of them."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.machine import array_layout
from graphwright.machine.array_layout import address

pytestmark = pytest.mark.usefixtures("native_kernels")


@pytest.mark.parametrize(
    "array",
    [np.ones(3), np.ones((4, 5))[1:, ::-2], np.ones((0, 2)), np.array(1), np.array(["a"])],
    ids=["vector", "view", "empty", "scalar", "text"],
)
def test_an_address_is_where_numpy_says_that_it_is(array):
    assert address(array) == array.__array_interface__["data"][0] == array.ctypes.data


def test_the_layout_is_known_here():
    assert array_layout.is_known()


def test_nothing_is_compiled_for_arrays_of_another_layout(monkeypatch):
    monkeypatch.setattr(array_layout, "is_known", lambda: False)
    f = tf.function(lambda x: tf.exp(x) * 2.0, jit_compile=True)
    np.testing.assert_allclose(f(tf.zeros([3])), [2.0, 2.0, 2.0])
    trace = f.get_concrete_function(tf.TensorSpec([3]))
    assert trace.tier == "python"
    assert "arrays lie in memory otherwise" in trace.tiers.refusal
