"""NumPy functions of symbolic tensors: ops of the same meaning, or a refusal that names it."""

from __future__ import annotations

import functools
import operator

import numpy as np
import pytest

import graphwright as tf
from graphwright.trace.numpy_protocol import FUNCTIONS, UFUNCS, refused

X = np.array([[1.5, 2.5], [0.5, 3.5]], np.float32)
BITS = np.array([[6, 3], [5, 12]], np.int32)
TRUTHS = np.array([[True, False], [True, True]])


def of(ufunc):
    """Arguments that a ufunc takes, in NumPy and in a graph."""
    name = ufunc.__name__
    array = X
    if name.startswith("logical"):
        array = TRUTHS
    elif name.startswith(("bitwise", "invert", "left", "right")):
        array = BITS
    elif name in ("arcsin", "arccos", "arctanh"):
        array = X / 4
    elif name == "arccosh":
        array = X + 1
    return [array, array[::-1].copy()][: ufunc.nin]


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_each_ufunc_means_the_same_in_a_graph(ufunc):
    arguments = of(ufunc)
    expected = ufunc(*arguments)
    found = tf.function(lambda *x: ufunc(*x), autograph=False)(*map(tf.constant, arguments))
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-6)


@pytest.mark.parametrize("function", [np.sum, np.mean, np.max, np.transpose, np.ravel, np.cumsum])
def test_functions_mean_the_same_in_a_graph(function):
    if function not in FUNCTIONS:
        with pytest.raises(NotImplementedError, match="has no graph form"):
            tf.function(lambda x: function(x), autograph=False)(X)
        return
    found = tf.function(lambda x: function(x), autograph=False)(X)
    np.testing.assert_allclose(found.numpy(), function(X), rtol=2e-6)


def test_a_refusal_names_the_tensor_and_the_way_out():
    class Named:
        graph, name = None, "x:0"

    text = str(refused("numpy.f with axis", [1, Named()]))
    assert "symbolic tf.Tensor (x:0) to a numpy array: numpy.f with axis has no graph form" in text
    assert "tf.numpy_function(numpy.f, [x], dtype)" in text
    assert "symbolic tf.Tensor (7) to" in str(refused("f", [7, 8]))
    assert "symbolic tf.Tensor (None) to" in str(refused("f", []))


@pytest.mark.parametrize("function", [np.linalg.svd, np.median, np.spacing])
def test_what_has_no_graph_form_is_refused(function):
    with pytest.raises(NotImplementedError, match="has no graph form"):
        tf.function(lambda x: function(x), autograph=False)(X)


#: Arrays that stand in front of a tensor.
ARRAYS = [
    np.array([1, 4]), np.array([1.0, 4.0]), np.float64(2.0), np.int64(2), np.float32(2.0),
    np.array([True, False]), np.array(3), np.zeros([0], int), np.array([1, 2], np.uint8),
]  # fmt: skip
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.and_, operator.or_, operator.xor,
]  # fmt: skip


def outcome(function, x):
    """The dtype and values of a result, or that it is refused."""
    try:
        result = function(x)
    except (TypeError, ValueError, tf.errors.InvalidArgumentError):
        return "refused"
    return getattr(result, "dtype", None), np.asarray(result).tolist()


def apply(function, held, x):
    """An operator of an array in a list, where `tf.function` does not see it, and a tensor."""
    return function(held[0], x)


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "bool", "complex64"])
def test_an_array_in_front_of_a_tensor_is_as_eagerly(function, dtype):
    x = tf.cast(tf.constant([1.0, 0.0 if dtype == "bool" else 2.0]), dtype)
    for array in ARRAYS:
        call = functools.partial(apply, function, [array])
        traced = outcome(tf.function(lambda x, call=call: call(x), autograph=False), x)
        assert traced == outcome(call, x), array


def test_an_array_in_front_of_a_tensor_has_the_dtype_of_the_tensor():
    """As TensorFlow 2.21 says."""
    @tf.function
    def f(x):
        return np.array([1, 4]) + x, np.arange(2) / x, np.int64(2) - x

    results = [t.numpy().tolist() for t in f(tf.constant([1.0, 2.0]))]
    assert results == [[2.0, 6.0], [0.0, 0.5], [1.0, 0.0]]
