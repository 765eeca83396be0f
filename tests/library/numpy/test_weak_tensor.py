"""Weak tensors: a composite of one tensor, which stays weak through functions and gradients."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import graphwright as tf
from graphwright.library.numpy.weak_tensor import WeakTensor, WeakTensorSpec

WEAK = WeakTensor(tf.constant(5))
HALVES = WeakTensor(tf.constant([0.5, 1.5]))


def test_it_is_a_kind_of_tensor_and_no_tensor() -> None:
    assert tf.is_tensor(WEAK)
    assert not isinstance(WEAK, tf.Tensor)


def test_it_shows_that_it_is_weak() -> None:
    assert repr(WEAK) == "<tf.Tensor: shape=(), dtype=int32, numpy=5, weak=True>"
    assert str(WEAK) == "tf.Tensor(5, shape=(), dtype=int32, weak=True)"


def test_there_are_weak_tensors_of_five_dtypes() -> None:
    for name in ("int32", "int64", "float32", "float64", "complex128"):
        assert WeakTensor(tf.zeros([], name)).dtype.name == name
    for name in ("bool", "int8", "uint32", "float16", "bfloat16", "complex64", "string"):
        with pytest.raises(TypeError, match=f"no WeakTensor of {name}"):
            WeakTensor(tf.zeros([], name))


def test_functions_of_tensors_take_it_as_the_plain_one() -> None:
    plain = tf.convert_to_tensor(WEAK)
    assert type(plain) is type(WEAK.tensor)
    assert tf.concat([HALVES, HALVES], 0).numpy().tolist() == [0.5, 1.5, 0.5, 1.5]
    assert tf.stack([WEAK, WEAK]).numpy().tolist() == [5, 5]
    assert tf.gather(HALVES, 1).numpy() == 1.5
    with pytest.raises(ValueError, match="float32"):
        tf.convert_to_tensor(WEAK, tf.float32)


def test_it_has_the_methods_of_its_tensor() -> None:
    assert (WEAK.shape, WEAK.dtype, WEAK.numpy()) == (tf.TensorShape([]), tf.int32, 5)
    assert (bool(WEAK), int(WEAK), float(WEAK)) == (True, 5, 5.0)
    assert len(HALVES) == 2
    assert HALVES[1].numpy() == 1.5
    assert [float(x) for x in HALVES] == [0.5, 1.5]
    assert np.asarray(HALVES).tolist() == [0.5, 1.5]
    assert WEAK.ref().deref() is WEAK
    with pytest.raises(AttributeError):
        WEAK.no_such_method()


def test_its_spec_is_its_own() -> None:
    spec = tf.type_spec_from_value(HALVES)
    assert spec == WeakTensorSpec(tf.TensorSpec([2]))
    assert spec != tf.TensorSpec([2])
    assert pickle.loads(pickle.dumps(spec)) == spec
    joined = spec.most_specific_compatible_type(WeakTensorSpec(tf.TensorSpec([3])))
    assert joined == WeakTensorSpec(tf.TensorSpec([None]))


def test_a_function_traces_weak_and_plain_arguments_apart_and_returns_what_it_has() -> None:
    traces = []

    @tf.function
    def same(x):
        traces.append(type(x).__name__)
        return x

    for _ in range(3):
        assert isinstance(same(WEAK), WeakTensor)
        assert isinstance(same(WEAK.tensor), tf.Tensor)
    assert len(traces) == 2
    assert traces[0] == "WeakTensor"
    concrete = same.get_concrete_function(WEAK)
    assert isinstance(concrete(WEAK), WeakTensor)
    assert concrete.structured_input_signature[0][0].tensor.dtype is tf.int32


def test_a_gradient_for_it_is_weak() -> None:
    with tf.GradientTape() as tape:
        tape.watch(HALVES)
        y = tf.reduce_sum(tf.square(tf.convert_to_tensor(HALVES)))
    gradient = tape.gradient(y, HALVES)
    assert isinstance(gradient, WeakTensor)
    assert gradient.numpy().tolist() == [1.0, 3.0]
