"""Ops on large eager arrays run as machine code, and give what they gave."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run import large_operands
from graphwright.compile.run.large_operands import (
    WORTH,
    OperandCode,
    elementwise,
    is_slow,
    kernel,
    rowwise,
)
from graphwright.compile.run.options import OPTIONS
from graphwright.machine import background
from graphwright.machine.preparation import Waiting
from graphwright.op.interpreter import apply
from graphwright.op.op_families import Unary
from graphwright.ops.image.color import AdjustContrastv2, RGBToHSV
from graphwright.ops.math import arithmetic, comparison, magnitude, special, transcendental
from graphwright.ops.math.clipping import ClipByValue
from graphwright.ops.math.counting import InTopKV2
from graphwright.ops.math.cumulation import Cumprod, Cumsum
from graphwright.ops.nn import activation
from graphwright.ops.nn.softmax import Softmax
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType


@pytest.fixture(autouse=True)
def at_once(usual_tiers, monkeypatch):
    """Whoever needs machine code has it compiled, however small the operands are."""
    monkeypatch.setattr(Waiting, "always", True)
    monkeypatch.setattr(large_operands, "WORTH", 0)


def refused(*arrays):
    raise AssertionError("there is machine code for them")


def both(op, *arrays):
    """What NumPy makes of arrays, and what native code does, which has to be there."""
    types = [dt.of_numpy(array.dtype) for array in arrays]
    slow = op.bind_checked(types)
    assert OperandCode(op, [TensorType(dtype, (None,)) for dtype in types]).ready() is not None
    result = elementwise(op, types, refused)(*arrays)
    with np.errstate(all="ignore"):
        expected = np.asarray(slow(*arrays))
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    return result, expected


X = np.random.default_rng(0).normal(size=(5, 7, 11))


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_any_layout_and_any_shape(dtype):
    x = X.astype(tf.as_dtype(dtype).as_numpy_dtype)
    erf = {"float64": 1e-15, "float32": 3e-7, "bfloat16": 1e-2}[dtype]
    for array in (x, x.T, x[::2, :, ::-3], x[0, 0, 0], x[:, :0], x.reshape(-1)):
        result, expected = both(special.ERF, np.asarray(array))
        np.testing.assert_allclose(result.astype("d"), expected.astype("d"), erf)


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
    with pytest.raises(tf.errors.InternalError, match="division by zero"):  # as in TensorFlow
        tf.truncatediv(whole, whole - 2)


def exponential(slow=lambda x: "NumPy's"):
    return elementwise(transcendental.EXP, [dt.float64], slow)


def test_numpy_computes_until_the_code_is_there(monkeypatch):
    go, make = threading.Event(), OperandCode.make
    monkeypatch.setattr(Waiting, "always", False)
    monkeypatch.setattr(OperandCode, "make", lambda self: (go.wait(), make(self)))
    fast = exponential()
    try:
        assert fast(X) == "NumPy's"
    finally:
        go.set()
        background.wait()
    np.testing.assert_allclose(fast(X), np.exp(X), 1e-15)
    monkeypatch.setitem(OPTIONS, "native", "off")
    assert fast(X) == "NumPy's"


def test_numpy_goes_on_where_there_is_no_native_form(monkeypatch):
    def refuse(graph, is_quick):
        raise NotNative("not here")

    monkeypatch.setattr(large_operands, "native", refuse)
    assert exponential()(X) == "NumPy's"


def test_both_are_compared_in_checking_mode(monkeypatch):
    monkeypatch.setitem(OPTIONS, "native", "check")
    monkeypatch.setattr(
        large_operands, "native", lambda graph, is_quick: SimpleNamespace(function=lambda x: (x,))
    )
    with pytest.raises(tf.errors.InternalError):
        exponential()(X)


def test_ops_on_rows_have_code_for_each_size_of_them(monkeypatch):
    monkeypatch.setattr(large_operands, "_MOST_CODES", 2)
    made = []
    make = OperandCode.make
    monkeypatch.setattr(OperandCode, "make", lambda self: (made.append(self), make(self)))
    softmax = Softmax()
    fast = rowwise(softmax, [dt.float64], softmax.kernel)
    for x, codes in ((X, 1), (X[:3, 1:], 1), (X[0], 2), (X.T, 2), (X[0, 0], 2)):
        np.testing.assert_allclose(fast(x), softmax.kernel(x), 1e-14)
        assert len(made) == codes


@pytest.mark.parametrize("make", [Cumsum.of, Cumprod.of])
def test_host_operands_are_constants_of_the_code(make):
    for is_exclusive, is_reverse in ((False, False), (True, False), (True, True)):
        op = make(is_exclusive, is_reverse)
        slow = op.bind_checked([dt.float64])
        fast = rowwise(op, [dt.float64], refused)
        for axis in (0, 1, -1):
            np.testing.assert_allclose(fast(X, axis), slow(X, axis), 1e-12, 1e-12)
        with pytest.raises(AssertionError, match="machine code"):  # NumPy's kernel refuses it
            fast(X, 3)
        with pytest.raises(AssertionError, match="machine code"):
            fast(X, np.float32(1))


def test_targets_among_the_greatest():
    x = X.reshape(35, 11).astype(np.float32)
    x[3, 4], x[5, 5] = np.nan, np.inf
    targets = np.arange(35, dtype=np.int32) % 12
    op, types = InTopKV2(), [dt.float32, dt.int32]
    for k in (0, 1, 4, 50):
        result = rowwise(op, types, refused)(x, targets, k)
        np.testing.assert_array_equal(result, op.kernel(x, targets, k))


def test_images_are_what_they_were():
    image = np.abs(X.reshape(1, 5, 77)[:, :, :75].reshape(1, 5, 25, 3)) / 4
    for op, others in ((RGBToHSV(), []), (AdjustContrastv2(), [np.float32(1.5)])):
        arrays = [np.asarray(a, np.float32) for a in (image, *others)]
        types = [dt.float32] * len(arrays)
        np.testing.assert_allclose(
            rowwise(op, types, refused)(*arrays), op.bind_checked(types)(*arrays), 1e-5, 1e-6
        )
    with pytest.raises(tf.errors.FailedPreconditionError, match="3 channels"):
        tf.raw_ops.RGBToHSV(images=tf.ones([4, 2]))


def test_which_ops_are_worth_it():
    single, half = [dt.float32], [dt.float16]
    assert is_slow(special.ERF, single)
    assert is_slow(activation.ELU, single)
    assert is_slow(magnitude.ABS, half)
    assert not is_slow(magnitude.ABS, single)
    assert not is_slow(arithmetic.ADD, single * 2)
    assert not is_slow(special.ZETA, single * 2)  # which has no native form
    assert not is_slow(transcendental.EXP, [dt.complex64])
    assert kernel(arithmetic.ADD, single * 2, np.add) is np.add


def test_small_operands_stay_with_numpy_unless_no_bit_changes(monkeypatch):
    monkeypatch.setattr(large_operands, "WORTH", WORTH)
    monkeypatch.setattr(OperandCode, "ready", lambda self: lambda x: (np.full(len(x), "native"),))
    either = kernel(transcendental.EXP, [dt.float32], lambda x: "NumPy's")
    assert either(np.ones(WORTH - 1)) == "NumPy's"
    assert either(np.ones(())) == "NumPy's"
    assert either(np.ones(WORTH))[0] == "native"
    monkeypatch.setattr(OperandCode, "ready", lambda self, size: lambda x: (f"native of {size}",))
    either = kernel(RGBToHSV(), [dt.float32], lambda x: "NumPy's")
    assert either(np.ones((10, 10, 3), np.float32)) == "NumPy's"
    assert either(np.ones((20, 20, 3), np.float32)) == "native of 1200"


def test_small_operands_have_code_made_once_they_sum_up(monkeypatch):
    monkeypatch.setattr(large_operands, "WORTH", 1 << 10)
    code = OperandCode(RGBToHSV(), [TensorType(dt.float32, (None, 3))])
    calls = 0
    while code.ready(1 << 8) is None:
        calls += 1
        assert calls < 100
    assert calls == 4 * large_operands._PATIENCE - 1


def test_an_error_in_an_ops_element_passes_through():
    class Planted(Unary):
        type_name = "_Planted"
        dtypes = {"T": dt.FLOATING}
        ufunc = np.abs

        def element(self, scalars, x):
            raise TypeError("planted")

    with pytest.raises(TypeError, match=r"^planted"):
        apply(Planted.of(), tf.constant([1.0]))
