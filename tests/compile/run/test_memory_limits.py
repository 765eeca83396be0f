"""More memory than there is: machine code does without, or leaves the call to the kernels."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from support.tiers import normal, staged

import graphwright as tf
from graphwright.compile.llvm import runtime

C = ctypes.CDLL(None)
KINDS = {"malloc": 1, "calloc": 2, "realloc": 2}

#: Code that was linked to these functions may be shared with later programs.
LINKED = []


@pytest.fixture
def refusals(monkeypatch):
    """Has the C library refuse 2 KB and more; the sizes that it refused."""
    refused, functions, active = [], {}, [True]
    for name, count in KINDS.items():
        own = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_size_t] * count)((name, C))

        def function(*arguments, own=own):
            size = arguments[-1] * (arguments[0] if own is functions["calloc"][1] else 1)
            if size < 2048 or not active:
                return own(*arguments)
            refused.append(arguments)
            return None

        native = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_size_t] * count)(function)
        functions[name] = native, own
        address = ctypes.cast(native, ctypes.c_void_p).value
        monkeypatch.setitem(runtime._DEFINED, name, address)
    monkeypatch.setitem(runtime._DEFINED, "gw_malloc", runtime._DEFINED["malloc"])
    yield refused
    active.clear()
    LINKED.append(functions)


def listed(x):
    array = tf.TensorArray(tf.float32, 64, element_shape=[40])
    for i in tf.range(64):
        array = array.write(i, x[i] + 3.25)
    return array.stack()


def pushed(x):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[40])
    for i in tf.range(64):
        array = array.write(i, x[i] + 4.25)
    return array.stack()


def repeated(step):
    def function(x):
        y = x
        for _ in tf.range(3):
            y = step(x, y)
        return y

    return function


def shares(scale):
    def function(x):
        e = tf.exp(x * scale)
        return e / tf.reduce_sum(e, -1, keepdims=True)

    return function


#: Functions that ask for memory. No two are alike: code that is linked calls what it was linked to.
CASES = {
    "temporaries": (lambda x: tf.cumsum(tf.cumsum(x) + 1.25) * 2.0, [normal(1000)]),
    "sums over rows": (lambda x: tf.reduce_sum(x * 1.25, 0), [normal(5000, 40)]),
    "rows": (shares(1.25), [normal(5, 1000)]),
    "rows of many parts": (shares(1.5), [normal(500, 1000)]),
    "products": (repeated(lambda x, y: tf.matmul(x, y) * 0.125), [normal(80, 80)]),
    "products of what is packed": (
        repeated(lambda x, y: tf.matmul(y, x) * 0.25),
        [normal(80, 80)],
    ),
    "a list": (listed, [normal(64, 40)]),
    "a list that grows": (pushed, [normal(64, 40)]),
}


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_had_is_done_without(name, refusals):
    function, arrays = CASES[name]
    fast = staged(function, arrays, True)
    for _ in range(2):
        np.testing.assert_allclose(
            fast(*arrays), function(*map(tf.constant, arrays)), rtol=1e-4, atol=1e-4
        )
    assert refusals


@pytest.mark.parametrize(("rows", "scale"), [(5, 1.75), (500, 2.25)])
def test_rows_that_cannot_be_had_beside_lent_memory_are_an_error(
    rows, scale, usual_tiers, refusals
):
    """Kernels have the memory, which is a difference in the mode `check`."""
    start = normal(rows, 1000)
    variable = tf.Variable(start)

    @tf.function(jit_compile=True)
    def update():
        variable.assign(shares(scale)(variable))

    with pytest.raises(tf.errors.ResourceExhaustedError, match="no memory is left"):
        update()
    assert refusals
    np.testing.assert_array_equal(variable, start)  # nothing was written


def test_sizes_that_are_multiplied_are_counted():
    """2^21 elements along each of three axes: their bytes are 0 in 64 bits."""

    def outer(x, y, z):
        product = x[:, None, None] * y[None, :, None] * z[None, None, :]
        return tf.reduce_sum(tf.cumsum(product, 1) * 2.0)

    arrays = [np.ones(1 << 21, np.float32)] * 3
    fast = staged(outer, arrays, True)
    assert fast(*[array[:2] for array in arrays]) == 24.0
    with pytest.raises((MemoryError, ValueError, tf.errors.OpError)):
        fast(*arrays)
