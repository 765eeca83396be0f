"""Sizes that a call gives as numbers, or that a part of a program computes for the next."""

from __future__ import annotations

import numpy as np
import pytest
from support.tiers import calls_left, differences, flat, normal, numbers, staged

import graphwright as tf
from graphwright.compile.run.checking import compare
from graphwright.compile.run.inspection import outside

X, N = normal(6, 40), np.int32(4)

#: Functions and their arguments.
CASES = {
    "range": (lambda n: tf.range(n) * 2, [N]),
    "zeros": (lambda x, n: tf.concat([x, tf.zeros([n, 40])], 0) * 2.0, [X, N]),
    "fill": (lambda n: tf.fill([n, n + 2], 1.5) * 2.0, [N]),
    "up to": (lambda x, n: x[:n] * 2.0, [X, N]),
    "from": (lambda x, n: x[n:] * 2.0, [X, N]),
    "between": (lambda x, n: x[n : n + 2] * 2.0, [X, N]),
    "beyond": (lambda x, n: x[n * 3 :] * 2.0, [X, N]),
    "neighbours": (lambda x: x[1:] - x[:-1], [X]),
    "inner": (lambda x: x[:-2, 1:] * 2.0, [X]),
    "last": (lambda x: x[-2:] * 2.0, [X]),
    "last of few": (lambda x: x[-99:] * 2.0, [X]),
    "first of few": (lambda x: x[:99] * 2.0, [X]),
    "first": (lambda x: x[0] * 2.0, [X]),
    "as long as another": (lambda x, y: x[: tf.shape(y)[0]] * 2.0 + y, [X, normal(3, 40)]),
    "all of a shape": (lambda x, y: tf.reshape(x, tf.shape(y)[...]) * 2.0 + y, [X, normal(40, 6)]),
    "end of a shape": (lambda x, y: x + tf.zeros(tf.shape(y)[..., 1:]), [X, normal(3, 40)]),
    "single size as a shape": (lambda x: tf.reshape(x, tf.size(x)[tf.newaxis]) * 2.0, [X]),
    "mask": (lambda n: tf.cast(tf.sequence_mask(n), tf.float32) * 2.0, [numbers(7)]),
    "mask of a width": (lambda x, n: tf.sequence_mask(x, n) & True, [numbers(7), N]),
    "classes": (lambda x, n: tf.one_hot(x, n) * 2.0, [numbers(7), N]),
    "segments": (
        lambda x, ids, n: tf.math.unsorted_segment_sum(x, ids, n) * 2.0,
        [X, numbers(6, below=4), N],
    ),
    "computed segments": (
        lambda x, ids: tf.math.unsorted_segment_sum(x * 2.0, ids, tf.reduce_max(ids) + 1) * 2.0,
        [X, numbers(6)],
    ),
    "computed range": (lambda n: tf.range(tf.reduce_max(n) + 1) * 2, [numbers(7)]),
    "broadcast": (lambda x, n: tf.broadcast_to(x[0], [n, 40]) * 2.0, [X, N]),
    "in a loop": (
        lambda x, n: tf.while_loop(
            lambda i, total: i < 3,
            lambda i, total: (i + 1, total + tf.reduce_sum(tf.zeros([n]) + 2.0)),
            (0, tf.reduce_sum(x)),
        )[1],
        [X, N],
    ),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", CASES)
def test_computed_sizes_are_native(name, dynamic):
    function, arrays = CASES[name]
    assert not differences(function, arrays, dynamic)


@pytest.mark.parametrize(
    "part",
    [lambda dims, n: dims[tf.newaxis][0], lambda dims, n: dims[n - 4 :]],
    ids=["row of a matrix", "computed bound"],
)
def test_other_parts_of_shapes_are_left_to_kernels(part):
    def function(x, y, n):
        return tf.reshape(x, part(tf.shape(y), n)) * 2.0 + y

    arrays = [X, normal(40, 6), N]
    (result,) = flat(staged(function, arrays, True)(*arrays))
    np.testing.assert_array_equal(result, X.reshape(40, 6) * 2.0 + arrays[1])


#: What takes an axis, which a call gives.
AXES = {
    "sum": lambda x, a: tf.reduce_sum(x, a, keepdims=True) * 2.0,
    "sum over two": lambda x, a: tf.reduce_sum(x, [a, 2], keepdims=True) * 2.0,
    "any": lambda x, a: tf.reduce_any(x > 0.0, a, keepdims=True),
    "variance": tf.math.reduce_variance,
    "logarithm of a sum": tf.reduce_logsumexp,
    "greatest": lambda x, a: tf.argmax(x, a) + 1,
    "running sum": lambda x, a: tf.cumsum(x, a) * 2.0,
    "reversed": lambda x, a: tf.reverse(x * 2.0, [a]) + 1.0,
    "transposed": lambda x, a: tf.transpose(x * 2.0, [a, 0, 2]) + 1.0,
    "joined": lambda x, a: tf.concat([x, x * 2.0], a) + 1.0,
    "gathered": lambda x, a: tf.gather(x * 2.0, [1, 0], axis=a) + 1.0,
    "rolled": lambda x, a: tf.roll(x * 2.0, 1, a) + 1.0,
    "reshaped": lambda x, a: tf.reshape(x * 2.0, [a, -1]) + 1.0,
    "tiled": lambda x, a: tf.tile(x * 2.0, [a, 1, 1]) + 1.0,
    "expanded": lambda x, a: tf.ensure_shape(tf.expand_dims(x * 2.0, a), [None] * 4) + 1.0,
}


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("name", AXES)
def test_axes_that_a_call_gives_are_left_to_the_kernels(name, dtype):
    x, axis = tf.constant(normal(2, 3, 4)), dtype(1)
    expected = AXES[name](x, axis)
    for shape in ([2, 3, 4], [None] * 3):
        specs = [tf.TensorSpec(shape), tf.TensorSpec([], dtype)]
        result = tf.function(AXES[name], input_signature=specs, jit_compile=True)(x, axis)
        np.testing.assert_allclose(result, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["range", "zeros", "up to", "from", "between", "beyond", "fill"])
def test_any_number(name):
    """What no size may be is left to the kernels."""
    function, arrays = CASES[name]
    fast = staged(function, arrays, True)
    for number in (0, 1, 2, 7, 33, -1, -3):
        given = [*arrays[:-1], np.int32(number)]
        try:
            expected = flat(function(*map(tf.constant, given)))
        except (ValueError, tf.errors.OpError):
            with pytest.raises((ValueError, tf.errors.OpError)):
                fast(*given)
        else:
            for own, other in zip(flat(fast(*given)), expected, strict=True):
                np.testing.assert_array_equal(own, other)


def test_slices_of_any_length():
    names = ["neighbours", "inner", "last", "last of few", "first of few", "first"]
    for name in names:
        function, arrays = CASES[name]
        fast = staged(function, arrays, True)
        for rows in (1, 2, 3, 40):
            x = normal(rows, 5)
            np.testing.assert_array_equal(flat(fast(x))[0], flat(function(tf.constant(x)))[0])
    with pytest.raises((ValueError, tf.errors.OpError)):
        fast(normal(0, 5))


def test_more_than_any_memory_is_refused():
    fast = staged(lambda n: tf.reduce_sum(tf.cumsum(tf.zeros([n, n]) + 1.0)), [N], True)
    assert fast(4) == 40.0
    with pytest.raises((MemoryError, ValueError, tf.errors.OpError)):
        fast(1 << 30)


def refused(function, *arrays):
    """What both tiers say of arguments that they refuse."""
    for mode in (True, False):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.function(function, jit_compile=mode)(*map(tf.constant, arrays))
        yield str(caught.value)


@pytest.mark.parametrize("number", [-3, 1, 3, 5])
def test_a_number_that_is_not_the_size_is_refused_by_every_tier(number):
    one, other = refused(lambda x, n: tf.reshape(x, [n]), np.ones(4, np.float32), number)
    assert one == other
    one, other = refused(lambda x, n: tf.reshape(x, [2, n]) + 1.0, np.ones(4, np.float32), number)
    assert one == other


@pytest.mark.parametrize("number", [-1, -2, -(2**31)])
def test_there_are_no_fewer_than_no_steps(number):
    one, other = refused(lambda n: tf.linspace(0.0, 1.0, n), np.int32(number))
    assert one == other
    assert "Requires start <= limit when delta > 0: 1/-1" in one


def test_so_many_steps_as_a_call_says():
    fast = staged(lambda n: tf.linspace(0.0, 1.0, n) * 2.0, [N], True)
    for number in (0, 1, 2, 5):
        assert fast(np.int32(number)).numpy().tolist() == np.linspace(0, 2, number).tolist()


def test_a_vector_of_computed_sizes_is_there_before_what_asks_for_its_size():
    counted = staged(lambda i: tf.math.bincount([tf.minimum(i, 5)]), [N], True)
    assert [counted(i).shape[0] for i in (0, 4, 7)] == [1, 5, 6]


#: Functions with a size that is an element of a vector, their arguments, and the op that takes it.
ELEMENTS = {
    "element": (lambda n: tf.range(n[2]) * 2, [numbers(7)], "Range"),
    "last of a sum": (lambda n: tf.range(tf.cumsum(n)[-1]) * 2, [numbers(7)], "Range"),
    "two": (lambda n: tf.zeros([n[0], n[1] + 1, 2]) + 1.0, [numbers(7)], "Fill"),
    "of a matrix": (lambda n: tf.range(n[1, 2] + 1) * 2, [numbers(3, 4)], "Range"),
    "of a slice": (lambda n: tf.range(tf.reverse(n, [0])[1:4][-1]) * 2, [numbers(7)], "Range"),
    "of int64": (lambda n: tf.range(tf.cast(n, tf.int64)[1]) * 2, [numbers(7)], "Range"),
    "repeats": (lambda x, n: tf.repeat(x, n) * 2.0, [normal(7), numbers(7)], "UnsortedSegmentSum"),
    "of a column": (
        lambda x: tf.math.unsorted_segment_sum(x[:, 0] * 2, x[:, 0], x[-1, 1] + 9) * 2,
        [numbers(5, 3)],
        "UnsortedSegmentSum",
    ),
    "beside a column": (
        lambda x, n: tf.range(tf.reduce_max(n) + 1) * 2 + x[: tf.reduce_max(n) + 1, 0],
        [numbers(9, 3), numbers(7)],
        "Range",
    ),
    "ragged range": (lambda n: tf.ragged.range(n).flat_values * 2, [numbers(7)], "Range"),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", ELEMENTS)
def test_an_element_may_be_a_size(name, dynamic):
    """A kernel may take it out of its vector, but the op that takes it is machine code."""
    function, arrays, op = ELEMENTS[name]
    native = staged(function, arrays, dynamic)
    with calls_left() as left:
        graph, fast = native.get_concrete_function().graph, flat(native(*arrays))
    assert left == []
    assert op in [node.op.type_name for node in graph.nodes]
    assert op not in [node.op.type_name for node, _ in outside(graph)]
    slow = flat(function(*map(tf.constant, arrays)))
    assert [compare(own, other) for own, other in zip(fast, slow, strict=True)] == [""] * len(slow)
