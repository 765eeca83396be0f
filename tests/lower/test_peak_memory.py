"""Programs as users have them take no more memory in machine code than as calls of kernels."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from tiers import normal

import graphwright as tf
from graphwright.lower.arena import bytes_of, homes
from graphwright.lower.native import Native
from graphwright.lower.options import OPTIONS
from graphwright.lower.segments import partition
from graphwright.lower.simplify import simplify

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


PROGRAMS = [adam, classifier, normalized, attention, scanned, scattered]


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
@pytest.mark.parametrize("program", PROGRAMS)
def test_machine_code_takes_no_more_memory_than_kernels(program):
    x = tf.constant(normal(SIDE, SIDE))
    slow, fast = [tf.function(program(), jit_compile=mode) for mode in (False, True)]
    few = 16 * 4 * SIDE  # rows, and what Python takes for itself
    own = peak_of(fast, x)
    parts = partition(simplify(fast.get_concrete_function(x).graph))
    blocks = [block_of(n.op) for n in parts.nodes if isinstance(n.op, Native)]
    assert blocks
    assert own + max(blocks) <= peak_of(slow, x) + few
