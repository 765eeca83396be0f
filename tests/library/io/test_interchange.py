"""Memory that tensors share with other libraries."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf

from_dlpack, to_dlpack = tf.experimental.dlpack.from_dlpack, tf.experimental.dlpack.to_dlpack


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_, np.int64, np.float32, np.complex128])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_a_tensor_has_the_memory_of_an_array(dtype: type, shape: tuple[int, ...]) -> None:
    """So it is in TensorFlow, where memory that is not aligned ends the process."""
    array = np.zeros(shape, dtype)
    for holder in (array, array.__dlpack__()):
        array[...] = 0
        tensor = from_dlpack(holder)
        array[...] = 1
        np.testing.assert_array_equal(tensor.numpy(), array, strict=True)
    np.testing.assert_array_equal(from_dlpack(to_dlpack(tensor)).numpy(), array, strict=True)


def test_a_capsule_has_the_memory_of_a_tensor_that_may_be_written() -> None:
    tensor = tf.constant([1, 2])
    assert np.shares_memory(from_dlpack(to_dlpack(tensor)).__array__(), tensor.__array__())
    fixed = tf.io.decode_raw(b"ab", tf.uint8)
    assert from_dlpack(to_dlpack(fixed)).numpy().tolist() == [97, 98]


def test_memory_with_gaps_is_copied() -> None:
    array = np.arange(6).reshape(2, 3)
    tensor = from_dlpack(array[:, ::2])
    array[...] = 0
    assert tensor.numpy().tolist() == [[0, 2], [3, 5]]


def test_elements_have_the_memory_of_an_array() -> None:
    array = np.arange(8.0).reshape(4, 2)
    for element in tf.data.Dataset.from_tensor_slices(from_dlpack(array)).as_numpy_iterator():
        assert np.shares_memory(element, array)
        assert not element.flags.writeable


def test_no_function_writes_into_the_memory() -> None:
    array = np.ones(1000, np.float32)
    variable = tf.Variable(from_dlpack(array))

    @tf.function(jit_compile=True)
    def step(x: tf.Tensor) -> tf.Tensor:
        variable.assign_add(x)
        variable.assign(variable * 2.0)
        return x * 2.0 + 1.0

    for _ in range(4):
        np.testing.assert_array_equal(step(from_dlpack(array)), np.full(1000, 3.0))
    assert array.tolist() == [1.0] * 1000
    assert variable.numpy()[0] == 46.0
