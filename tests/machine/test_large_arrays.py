"""Memory of large results is kept for the next ones, and never given to two at once."""

from __future__ import annotations

import ctypes
import gc
import threading

import numpy as np
import pytest

import graphwright as tf
from graphwright.machine import large_arrays

SIZE = large_arrays.LEAST // 4  # of float32

pytestmark = pytest.mark.skipif(
    large_arrays.allocator() is None, reason="the C library is not glibc"
)


@tf.function(jit_compile=True)
def line(x):
    return x * 2.0 + 1.0


def result(size, value):
    return line(tf.fill([size], np.float32(value))).numpy()


def test_memory_is_used_again():
    places = set()
    for i in range(12):
        y = result(SIZE, i)
        places.add(y.ctypes.data)
        assert y[0] == y[-1] == 2 * i + 1
        del y
    gc.collect()
    assert len(places) < 6


def test_living_results_have_memory_of_their_own():
    sizes = [SIZE, SIZE + 5, 3 * SIZE // 2, SIZE, 2 * SIZE]
    for _ in range(3):
        results = [result(size, i) for i, size in enumerate(sizes)]
        for i, y in enumerate(results):
            assert (y == 2 * i + 1).all()
        del results, y


def test_results_are_arrays_like_others():
    y = result(SIZE, 3)
    y = y.copy() if not y.flags.owndata else y
    y.resize(SIZE + 100, refcheck=False)
    assert y[SIZE - 1] == 7
    assert (y[SIZE:] == 0).all()


def test_threads_get_memory_of_their_own():
    wrong = []

    def work(number):
        for i in range(6):
            y = result(SIZE, number + i)
            if not (y == 2 * (number + i) + 1).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(10 * n,)) for n in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def temporaries():
    """The functions that stand for `malloc` and `free`."""
    allocate, release = map(large_arrays.of_temporaries, ["malloc", "free"])
    make = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(allocate)
    return make, ctypes.CFUNCTYPE(None, ctypes.c_void_p)(release)


def test_memory_of_temporaries_is_used_again():
    allocate, release = temporaries()
    size = large_arrays.MOST - 4096  # no other test has blocks of this size
    first, second = allocate(size), allocate(size)
    ctypes.memset(first, 1, size)
    ctypes.memset(second, 2, size)
    assert ctypes.string_at(first + size - 1, 1) == b"\1"
    release(first)
    release(second)
    assert {allocate(size), allocate(size)} == {first, second}
    release(first)
    release(second)


@pytest.mark.parametrize("size", [1, 64, large_arrays.LEAST - 1, large_arrays.MOST + 4096])
def test_other_memory_of_temporaries_is_that_of_the_c_library(size):
    allocate, release = temporaries()
    for _ in range(3):
        place = allocate(size)
        ctypes.memset(place, 7, size)
        assert ctypes.string_at(place + size - 1, 1) == b"\7"
        release(place)


def test_temporaries_of_many_rows_keep_threads_apart():
    weights = tf.constant(np.eye(64, dtype=np.float32))

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 64])])
    def twice(x):
        y = tf.matmul(x, weights) + 1.0
        z = tf.matmul(y, weights) * 2.0
        return tf.reduce_sum(tf.matmul(z, weights) - x, 1)

    wrong = []

    def work(number):
        x = tf.fill([90_000, 64], np.float32(number))
        for _ in range(3):
            if not (twice(x).numpy() == 64 * (number + 2)).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_arrays_without_values_have_the_memory_of_earlier_ones():
    shape, dtype = (large_arrays.LEAST // 8 + 777, 2), np.dtype(np.float32)
    places, others = set(), []
    for i in range(12):
        x = large_arrays.empty(shape, dtype)
        assert (x.shape, x.dtype) == (shape, dtype)
        x[:] = i
        places.add(x.ctypes.data)
        del x
        others.append(np.empty(shape, dtype))  # would be there if the memory were given back
    assert len(places) == 1
    kept = [large_arrays.empty(shape, dtype) for _ in range(3)]
    assert len({x.ctypes.data for x in kept}) == 3


def test_the_allocator_of_the_context_stays():
    def current():
        change = large_arrays.ctypes.PYFUNCTYPE(
            large_arrays.ctypes.py_object, large_arrays.ctypes.py_object
        )(large_arrays.change())
        before = change(large_arrays.usual())
        change(before)
        return before

    assert current() is large_arrays.usual()
    result(SIZE, 1)
    assert current() is large_arrays.usual()
