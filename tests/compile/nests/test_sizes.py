"""Numbers that a program says meet sizes that only a call tells: it fits, or is refused."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import graphwright as tf

#: Functions, and the shapes that they are traced for.
CASES = {
    "reshaped to rows": (lambda x: tf.reshape(x, [4, 3]) * 2.0, [[None, 3]]),
    "reshaped": (lambda x: tf.reshape(x, [4]) * 2.0, [[None]]),
    "pairs": (lambda x: tf.reshape(x, [-1, 2]) * 2.0, [[None]]),
    "halves": (lambda x: tf.reshape(x, [2, -1]) * 2.0, [[None]]),
    "of two axes": (lambda x: tf.reshape(x, [-1, 2]) * 2.0, [[None, None]]),
    "flattened": (lambda x: tf.reshape(x, [-1, 6]) * 2.0, [[None, 2, 3]]),
    "rows kept": (lambda x: tf.reshape(x, [tf.shape(x)[0], -1]) * 2.0, [[None] * 2]),
    "columns first": (lambda x: tf.reshape(x, [tf.shape(x)[1], -1]) * 2.0, [[None] * 2]),
    "into nothing": (lambda x: tf.reshape(x, [-1, 0]) * 2.0, [[None, 0]]),
    "broadcast": (lambda x: tf.broadcast_to(x, [4]) * 2.0, [[None]]),
    "broadcast to rows": (lambda x: tf.broadcast_to(x, [2, 4]) * 2.0, [[None]]),
    "broadcast both ways": (lambda x: tf.broadcast_to(x, [4, 4]) * 2.0, [[None, None]]),
    "reflected": (lambda x: tf.pad(x, [[0, 0], [1, 2]], "REFLECT") * 2.0, [[None, 4]]),
    "mirrored": (lambda x: tf.pad(x, [[0, 0], [1, 2]], "SYMMETRIC") * 2.0, [[None, 4]]),
    "reflected nowhere": (lambda x: tf.pad(x, [[0, 0]], "REFLECT") * 2.0, [[None]]),
    "folded": (
        lambda x: tf.raw_ops.MirrorPadGrad(input=x, paddings=[[0, 0], [1, 1]], mode="REFLECT"),
        [[None, 5]],
    ),
    "greatest": (lambda x: tf.argmax(x, 1), [[None, None]]),
    "range": (lambda x: tf.cast(tf.range(1, tf.shape(x)[0] - 1), tf.float32) * 2.0, [[None]]),
}


@pytest.mark.parametrize("name", CASES)
def test_sizes_that_do_not_fit_are_refused(name):
    function, shapes = CASES[name]
    specs = [tf.TensorSpec(shape) for shape in shapes]
    fast, slow = [
        tf.function(function, input_signature=specs, jit_compile=mode) for mode in (True, False)
    ]
    wanted = [n for shape in shapes for n in shape]
    for sizes in product(*[range(7) if n is None else [n] for n in wanted]):
        x = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
        expected, refusal = outcome(slow, x)
        result, refused = outcome(fast, x)
        assert refused == refusal
        if not refusal:
            assert result.shape == expected.shape
            np.testing.assert_array_equal(result, expected)


def outcome(function, x):
    """What a function gives, or how it refuses."""
    try:
        return function(x), ""
    except tf.errors.InvalidArgumentError as error:
        return None, str(error)


@pytest.mark.parametrize(
    ("function", "shape", "lines"),
    [
        (lambda x: tf.reshape(x, [-1, 2]) * 2.0, [None], ["guard 2*s1 == s0", "nest [s1, 2]"]),
        (lambda x: tf.reshape(x, [-1, 2]) * 2.0, [10], ["guard 2*s1 == s0", "nest [s1, 2]"]),
        (lambda x: tf.reshape(x, [-1, 784]) * 2.0, [None, 28, 28], ["nest [s0, s1*s2]"]),
        (lambda x: tf.reshape(x, [-1, 12]) * 2.0, [None, 3, 5, 4], ["guard 12*s4 == s0*s1*s2*s3"]),
    ],
)
def test_what_a_shape_leaves_open_follows_from_the_other_sizes(function, shape, lines):
    show = tf.function(function).experimental_get_compiler_ir(tf.TensorSpec(shape))
    text = show(stage="nests")
    assert all(line in text for line in lines), text


@pytest.mark.parametrize(
    ("size", "line"), [(None, "sub(s0, 2147483647)"), (1 << 31, "9223372036854775807 : i64")]
)
def test_places_beyond_int32_are_told_apart(size, line):
    show = tf.function(tf.argmax).experimental_get_compiler_ir(tf.TensorSpec([size], tf.int8))
    assert line in show(stage="nests")


@pytest.mark.slow
@pytest.mark.parametrize("size", [None, (1 << 31) + 9])
def test_the_last_of_very_many(size):
    x = np.zeros((1 << 31) + 9, np.int8)
    x[-1] = 1
    spec = tf.TensorSpec([size], tf.int8)
    assert tf.function(tf.argmax, input_signature=[spec], jit_compile=True)(x) == x.size - 1
