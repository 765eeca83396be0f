"""Ops that used to leave their whole loop to Python: as machine code, against the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from plans.programs import Case, check
from support.tiers import flat, normal, staged

import graphwright as tf
from graphwright.compile.run.checking import compare
from graphwright.compile.run.kernel_loops import kernel_loops

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES = [*INTEGERS, "float16", "bfloat16", "float32", "float64", "bool"]


def number(value, dtype="int32"):
    return np.asarray(value, dtype)


def compared(function, *arrays, dynamic=(False, True)):
    """Asserts that a function's loops are machine code that does what the kernels do, and that its
    plan does nothing that none may."""
    slow = flat(tf.function(function, jit_compile=False)(*map(tf.constant, arrays)))
    for unknown in dynamic:
        fast = staged(function, arrays, unknown)
        pairs = zip(flat(fast(*arrays)), slow, strict=True)
        assert [compare(own, other) for own, other in pairs] == [""] * len(slow)
        assert kernel_loops(fast.get_concrete_function().graph) == []
    check(Case("cliff", lambda: [tf.function(function)(*map(tf.constant, arrays))]))


def gradient(function):
    """The gradient of a function by its first argument."""

    def derived(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, n)
        return tape.gradient(y, x)

    return derived


# -- vectors of integers --------------------------------------------------------------------


def packed(n):
    total, i = tf.zeros([2], n.dtype), n - n
    while i < n:
        total += tf.stack([i, i + tf.ones([], n.dtype)])
        i += tf.ones([], n.dtype)
    return total


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("turns", [0, 1, 7])
def test_packs_of_integers(dtype, turns):
    compared(packed, number(turns, dtype), dynamic=[False])


@pytest.mark.parametrize("entries", [1, 2, 16])
def test_packs_of_any_length(entries):
    def wide(n):
        total = tf.zeros([entries], tf.int32)
        for i in tf.range(n):
            total = total * 3 + tf.stack([i * k for k in range(entries)])
        return total

    compared(wide, number(5))


def test_a_pack_that_is_too_long_runs_as_kernels():
    @tf.function(jit_compile=True)
    def wide(n):
        total = tf.zeros([17], tf.int32)
        for i in tf.range(n):
            total = total + tf.stack([i] * 17)
        return total

    assert wide(tf.constant(4)).numpy().tolist() == [6] * 17


def carried(n):
    """A pack as a loop variable."""
    pair = tf.stack([n, n])
    for i in tf.range(n):
        pair = tf.stack([pair[1] + 1, pair[0] * 2 - i])
    return pair


def chosen(x, n):
    """Packs and shapes as results of branches."""
    pair = tf.stack([0, 0])
    for i in tf.range(n):
        if i % 2 == 0:
            pair = tf.stack([i, pair[0]])
        elif i % 3 == 0:
            pair = pair + tf.shape(x)
        else:
            pair = tf.shape(x)
    return pair


def shapes(x, n):
    """Shapes and parts of them as tensors."""
    total, last = tf.zeros([2], tf.int32), tf.zeros([1], tf.int64)
    for i in tf.range(n):
        total += tf.shape(x) * i
        last += tf.shape(x, tf.int64)[1:]
    return total, last


def both(x, n):
    """One pack as a tensor and as a shape."""
    total = tf.zeros([], x.dtype)
    for i in tf.range(n):
        dims = tf.stack([tf.shape(x)[1], tf.shape(x)[0]])
        total += tf.reshape(x, dims)[0, 0] * tf.cast(tf.reduce_sum(dims) + i, x.dtype)
    return total


def listed(n):
    """Packs as items of a list."""
    items = tf.TensorArray(tf.int32, size=n, element_shape=[2])
    for i in tf.range(n):
        items = items.write(i, tf.stack([i * i, i + 1]))
    return items.stack()


def board(n):
    """Places that are lists of an index."""
    squares = tf.zeros([8], tf.int32)
    grid = tf.zeros([4, 4])
    for i in tf.range(n):
        squares = tf.tensor_scatter_nd_update(squares, [[i % 8]], [i])
        grid = tf.tensor_scatter_nd_add(grid, [[i % 4, (i * 3) % 4]], [1.0])
    return squares, grid


def picked(x, n):
    total = tf.zeros([], x.dtype)
    for i in tf.range(n):
        total += tf.gather_nd(x, [i % 3, 0]) + tf.gather(x, [i % 3, i % 2])[0, 0]
    return total


@pytest.mark.parametrize("turns", [0, 1, 9])
@pytest.mark.parametrize("function", [carried, listed, board])
def test_packs_of_counters(function, turns):
    compared(function, number(turns))


@pytest.mark.parametrize("turns", [0, 1, 9])
@pytest.mark.parametrize("function", [chosen, shapes, both, picked])
def test_packs_and_shapes_as_tensors(function, turns):
    compared(function, normal(3, 2), number(turns))


def test_a_place_outside_is_refused_in_every_tier():
    def place(n):
        squares = tf.zeros([8], tf.int32)
        for i in tf.range(n):
            squares = tf.tensor_scatter_nd_update(squares, [[i]], [i])
        return squares

    for compiled in (True, False):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(place, jit_compile=compiled)(tf.constant(9))


# -- gradients of indices -------------------------------------------------------------------


def rows(x, n):
    state = tf.zeros([2], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state + x[t])
    return tf.reduce_sum(state)


def entries(x, n):
    state = tf.zeros([], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state + x[t, t % 2] * x[-1, 0])
    return state


def columns(x, n):
    """Indices behind an axis of which all is taken, and beside a new one."""
    state = tf.zeros([3, 1], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state + x[:, t % 2, tf.newaxis])
    return tf.reduce_sum(state)


def backwards(x, n):
    """Indices that count from the end."""
    state = tf.zeros([2], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state * x[-1 - t])
        state += x[t]
    return tf.reduce_sum(state)


def gathers(x, n):
    state = tf.zeros([2], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state + tf.gather(x, t))
    return tf.reduce_sum(state)


def over_rows(x, n):
    state = tf.zeros([2], x.dtype)
    for row in x:
        state = tf.tanh(state * tf.cast(n, x.dtype) + row)
    return tf.reduce_sum(state)


@pytest.mark.parametrize("turns", [0, 1, 3])
@pytest.mark.parametrize("function", [rows, entries, columns, backwards, gathers])
def test_gradients_of_indices(function, turns):
    dynamic = [False] if function in (columns, gathers) else [False, True]
    compared(gradient(function), normal(3, 2), number(turns), dynamic=dynamic)


def test_gradients_of_loops_over_rows():
    compared(gradient(over_rows), normal(3, 2), number(2))
    compared(gradient(over_rows), normal(1, 2), number(2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_place_of_a_slice_in_zeros(dtype):
    def spread(dy, places):
        total = tf.zeros([3, 4], tf.int32)
        for place in places:
            begin, end = tf.stack([0, place]), tf.stack([0, place + 1])
            one = tf.raw_ops.StridedSliceGrad(
                shape=[3, 4], begin=begin, end=end, strides=[1, 1], dy=dy,
                begin_mask=1, end_mask=1, shrink_axis_mask=2,
            )  # fmt: skip
            total += tf.cast(one, tf.int32) * (place + 5)
        return total

    dy = tf.cast(tf.constant([1, 0, 1]), dtype).numpy()
    compared(spread, dy, number([3, -4, 1]), dynamic=[False])
    compared(spread, dy, number([2]), dynamic=[False])


def test_an_index_outside_is_refused_by_the_gradient_too():
    def spread(dy, place):
        total = tf.zeros([4])
        for _ in tf.range(2):
            total += tf.raw_ops.StridedSliceGrad(
                shape=[4], begin=tf.stack([place]), end=tf.stack([place + 1]), strides=[1],
                dy=dy, shrink_axis_mask=1,
            )  # fmt: skip
        return total

    for place in (4, -5):
        for compiled in (True, False):
            with pytest.raises((tf.errors.InvalidArgumentError, ValueError, IndexError)):
                tf.function(spread, jit_compile=compiled)(tf.constant(1.0), tf.constant(place))
