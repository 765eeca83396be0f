"""Programs as users have them take no more memory in machine code than as calls of kernels."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from support.tiers import normal

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.memory.arena import bytes_of, homes
from graphwright.compile.run.options import OPTIONS
from graphwright.compile.select.native_op import Native
from graphwright.compile.select.segments import partition

SIDE = 256


def adam():
    w = tf.Variable(normal(SIDE, SIDE))
    optimizer = tf.optimizers.Adam(0.01)
    return lambda x: optimizer.apply_gradients([(x * 0.5, w)])


def classifier():
    first, second = tf.Variable(normal(SIDE, SIDE)), tf.Variable(normal(SIDE, SIDE))
    optimizer = tf.optimizers.SGD(0.01)
    labels = tf.constant(np.arange(SIDE, dtype=np.int32))

    def step(x):
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(x @ first) @ second
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        variables = [first, second]
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return step


def normalized():
    def layer(x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(layer(layer(x))))
        return tape.gradient(y, x)

    return step


def attention():
    return lambda x: tf.nn.softmax(x @ tf.transpose(x) * 0.1) @ x + x


def scanned():
    return lambda x: tf.cumsum(tf.math.cumprod(x * 0.1 + 1.0, 1), 0) / 3.0


def scattered():
    ids = tf.constant(np.arange(SIDE, dtype=np.int32) // 2)

    def step(x):
        sums = tf.math.unsorted_segment_sum(x * 2.0, ids, SIDE)
        return tf.tensor_scatter_nd_add(x, ids[:, None], sums) * 0.5

    return step


def loop(body, *more):
    """A loop of five iterations over the argument and what else there is."""

    def step(x):
        variables = [0, x, *[f(x) for f in more]]
        return tf.while_loop(lambda i, *_: i < 5, lambda i, *v: (i + 1, *body(x, *v)), variables)[
            1:
        ]

    return step


def shifted():
    return loop(lambda x, a: [tf.roll(a, 1, 0) + x])


def turned():
    return loop(lambda x, a: [tf.transpose(a) * 0.5 + x])


def scaled():
    return loop(lambda x, a: [a * 0.5 + x])


def large_between():
    return loop(lambda x, a: [tf.transpose(tf.sin(tf.transpose(tf.cos(tf.transpose(a)) * 2.0)))])


def exchanged():
    return loop(lambda x, a, b: [b, a], lambda x: x + 1.0)


def previous():
    return loop(lambda x, a, b: [b, tf.transpose(a) + b], lambda x: x * 2.0)


def given_twice():
    return loop(lambda x, a, b: [b, b], lambda x: x + 1.0)


def started_anew():
    return loop(lambda x, a, b: [x, tf.transpose(b) + a], lambda x: x + 1.0)


def passed_by_a_branch():
    def body(x, a):
        large = tf.reduce_sum(a) > 1e3
        return [tf.cond(large, lambda: a, lambda: tf.transpose(a) * 0.5 + x)]

    return loop(body)


def branched():
    def body(x, a):
        first, second = tf.transpose(a) * 0.5, lambda: tf.cumsum(tf.transpose(a), 0)
        return [tf.cond(tf.reduce_sum(a) > 0.0, lambda: tf.cumsum(first, 1), second)]

    return loop(body)


def nested():
    def body(x, a):
        inner = lambda j, b: (j + 1, tf.transpose(b) * 0.5 + x)  # noqa: E731
        return [tf.while_loop(lambda j, b: j < 3, inner, [0, a])[1]]

    return loop(body)


def multiplied():
    return loop(lambda x, a: [tf.tanh(a @ x) * 0.1])


def used_after():
    result = loop(lambda x, a: [tf.transpose(a) * 0.5])
    return lambda x: tf.transpose(result(x)[0]) + x


def condition_of_arrays():
    def step(x):
        def again(i, a):
            return tf.reduce_sum(tf.cumsum(tf.transpose(a), 0)) < 1e6

        return tf.while_loop(again, lambda i, a: (i + 1, tf.abs(tf.transpose(a)) * 2.0), [0, x])

    return step


def condition_last():
    def step(x):
        def again(i, a):
            return tf.reduce_sum(tf.cumsum(tf.transpose(tf.transpose(a) * 2.0), 0)) < 50.0 - i

        change = lambda i, a: (i + 1.0, tf.transpose(tf.abs(a)) * 1.5)  # noqa: E731
        return tf.while_loop(again, change, [0.0, x])

    return step


def slope():
    weights = loop(lambda x, a: [tf.tanh(a @ x) * 0.1])

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(weights(x)[0])
        return tape.gradient(y, x)

    return step


def handed_on():
    def step(x):
        first = x
        for _ in tf.range(3):
            first = tf.roll(first, 1, 0) + first
        total, last = x, first
        for _ in tf.range(3):
            total, last = tf.roll(total, 1, 0) + last, last
        return total, tf.tanh(total), last

    return step


def kept_by_one_way():
    def step(x):
        for i in tf.range(7):
            y = tf.cumsum(tf.roll(x, 1, 0)) * 0.1
            if i % 3 == 0:
                x = y
        return x + 1.0

    return step


PROGRAMS = [adam, classifier, normalized, attention, scanned, scattered]
LOOPS = [shifted, turned, scaled, large_between, previous, passed_by_a_branch, branched, nested]
LOOPS += [multiplied, condition_of_arrays, condition_last, slope]
#: What kernels return is the argument, or the same array twice; and a result that is begun when
#: the loop has ended cannot lie where the loop may have left its last value.
OTHERS = [exchanged, given_twice, started_anew, used_after]
#: What loops hand on to results, and what one way of a branch keeps.
OTHERS += [handed_on, kept_by_one_way]


def peak_of(step, x):
    """The most that the arrays of a call took at once."""
    for _ in range(2):
        step(x)
    tracemalloc.start()
    step(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def block_of(op):
    """The bytes that a segment allocates for what is between its operands and its results."""
    program = op.lowered[0]
    value, places = program.sizes(), homes(program)
    return sum(value(bytes_of(program.buffers[i])) for i, home in places.items() if i == home)


@pytest.mark.skipif(OPTIONS.get("native") == "check", reason="runs both tiers in each call")
@pytest.mark.parametrize("program", PROGRAMS + LOOPS)
def test_machine_code_takes_no_more_memory_than_kernels(program):
    x = tf.constant(normal(SIDE, SIDE))
    slow, fast = [tf.function(program(), jit_compile=mode) for mode in (False, True)]
    few = 16 * 4 * SIDE  # rows, and what Python takes for itself
    own = peak_of(fast, x)
    parts = partition(simplify(fast.get_concrete_function(x).graph))
    blocks = [block_of(n.op) for n in parts.nodes if isinstance(n.op, Native)]
    assert blocks
    assert own + max(blocks) <= peak_of(slow, x) + few


@pytest.mark.parametrize("program", LOOPS + OTHERS)
def test_loops_that_share_memory_compute_what_kernels_do(program):
    x = tf.constant(normal(37, 37))
    slow, fast = [tf.function(program(), jit_compile=mode)(x) for mode in (False, True)]
    for one, other in zip(tf.nest.flatten(fast), tf.nest.flatten(slow), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
