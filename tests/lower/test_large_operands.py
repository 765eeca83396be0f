"""Elementwise ops on large eager arrays run as machine code, and give what they gave."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import graphwright as tf
from graphwright.kernels import background
from graphwright.kernels.preparation import Waiting
from graphwright.lower import large_operands, tiers
from graphwright.lower.large_operands import WORTH, Fast, is_slow, kernel
from graphwright.lower.options import OPTIONS
from graphwright.lower.sizes import NotNative
from graphwright.ops import activation, arithmetic, comparison, special, transcendental
from graphwright.ops.clipping import ClipByValue
from graphwright.types import dtypes as dt

pytestmark = pytest.mark.usefixtures("usual_tiers")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Whoever needs machine code has it compiled, however small the operands are."""
    monkeypatch.setattr(Waiting, "always", True)
    monkeypatch.setattr(large_operands, "WORTH", 0)


def both(op, *arrays):
    """What NumPy makes of arrays, and what native code does, which has to be there."""
    types = [dt.of_numpy(array.dtype) for array in arrays]
    slow = op.bind_checked(types)
    fast = Fast(op, types, slow)
    found = fast(*arrays)
    assert fast.native is not None
    with np.errstate(all="ignore"):
        expected = np.asarray(slow(*arrays))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    return found, expected


X = np.random.default_rng(0).normal(size=(5, 7, 11))


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_any_layout_and_any_shape(dtype):
    x = X.astype(tf.as_dtype(dtype).as_numpy_dtype)
    erf = {"float64": 1e-15, "float32": 3e-7, "bfloat16": 1e-2}[dtype]
    for array in (x, x.T, x[::2, :, ::-3], x[0, 0, 0], x[:, :0], x.reshape(-1)):
        found, expected = both(special.ERF, np.asarray(array))
        np.testing.assert_allclose(found.astype("d"), expected.astype("d"), erf)


def test_operands_are_broadcast():
    x = np.abs(X)
    for y in (X[0], X[:, :1], X[0, 0, 0], X[:1, :, :1]):
        np.testing.assert_allclose(*both(transcendental.POW, x, np.asarray(y)), 1e-14)
        np.testing.assert_allclose(*both(transcendental.POW, np.asarray(abs(y)), X), 1e-14)
    bound = np.asarray(0.5)
    np.testing.assert_array_equal(*both(ClipByValue(), X, -bound, bound))
    np.testing.assert_array_equal(*both(comparison.SELECT, X > 0, bound, X[0]))


def test_what_does_not_fit_is_refused_in_the_ops_own_words():
    x, y = tf.ones([4, 3]), tf.ones([4, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: .* \[Op:Pow\]"):
        tf.pow(x, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same shape"):
        tf.raw_ops.EluGrad(gradients=x, outputs=x[0])
    halves = tf.cast(x, tf.float16), tf.cast(y, tf.float16)
    assert not tf.raw_ops.Equal(x=halves[0], y=halves[1], incompatible_shape_error=False)
    whole = tf.range(4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        tf.truncatediv(whole, whole - 2)


def test_numpy_computes_until_the_code_is_there(monkeypatch):
    go, make = threading.Event(), Fast.make
    monkeypatch.setattr(Waiting, "always", False)
    monkeypatch.setattr(Fast, "make", lambda self: (go.wait(), make(self)))
    fast = Fast(transcendental.EXP, [dt.float32], lambda x: "NumPy's")
    try:
        assert fast(X.astype("f")) == "NumPy's"
    finally:
        go.set()
        background.wait()
    np.testing.assert_allclose(fast(X.astype("f")), np.exp(X), 1e-6)
    monkeypatch.setitem(OPTIONS, "native", "off")
    assert fast(X.astype("f")) == "NumPy's"


def test_numpy_goes_on_where_there_is_no_native_form(monkeypatch):
    def refuse(graph):
        raise NotNative("not here")

    monkeypatch.setattr(large_operands, "native", refuse)
    assert Fast(transcendental.EXP, [dt.float32], lambda x: "NumPy's")(X) == "NumPy's"


def test_both_are_compared_in_checking_mode(monkeypatch):
    monkeypatch.setitem(OPTIONS, "native", "check")
    monkeypatch.setattr(large_operands, "native", lambda graph: tiers.Native(lambda x: (x,), None))
    with pytest.raises(tf.errors.InternalError):
        Fast(transcendental.EXP, [dt.float64], np.exp)(X)


def test_which_ops_are_worth_it():
    single, half = [dt.float32], [dt.float16]
    assert is_slow(special.ERF, single)
    assert is_slow(activation.ELU, single)
    assert is_slow(transcendental.ABS, half)
    assert not is_slow(transcendental.ABS, single)
    assert not is_slow(arithmetic.ADD, single * 2)
    assert not is_slow(special.ZETA, single * 2)  # which has no native form
    assert not is_slow(transcendental.EXP, [dt.complex64])
    assert kernel(arithmetic.ADD, single * 2, np.add) is np.add


def test_small_operands_stay_with_numpy(monkeypatch):
    monkeypatch.setattr(large_operands, "WORTH", WORTH)
    monkeypatch.setattr(Fast, "__call__", lambda self, *arrays: "native")
    either = kernel(transcendental.EXP, [dt.float32], lambda x: "NumPy's")
    assert either(np.ones(WORTH - 1)) == "NumPy's"
    assert either(np.ones(WORTH)) == "native"
