"""Where temporaries of machine code lie: no more memory than the slow tier takes, none lost."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.memory.arena import GRAIN, homes, lifetimes, offsets
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.lowering import lower
from graphwright.compile.run.options import OPTIONS

SIDE = 400


def turned(x):
    """Passes over an array that cannot be one."""
    for _ in range(4):
        x = tf.transpose(tf.nn.softmax(x)) * 2.0
        x = x / tf.reduce_sum(x, 0)
    return x


def normalized(x):
    """Rows and columns brought to one scale in turn, with a skip connection."""
    y = x
    for axis in (0, 1, 0):
        mean, variance = tf.nn.moments(y, [axis], keepdims=True)
        y = tf.nn.relu((y - mean) * tf.math.rsqrt(variance + 1e-3)) + tf.transpose(x)
    return y


def momentum(x):
    """Several arrays that are computed side by side."""
    mean, square = x, x * x
    for _ in range(3):
        mean += (tf.transpose(mean) - mean) * 0.1
        square += (tf.square(tf.transpose(square)) - square) * 0.01
        mean = mean / (tf.sqrt(square) + 1e-3)
    return mean, square, tf.reduce_sum(mean, 0)


def program_of(function):
    graph = tf.function(function).get_concrete_function(tf.TensorSpec([SIDE, SIDE])).graph
    return lower(simplify(graph))[0]


def temporary_bytes(program):
    """What the temporaries of a program take together."""
    sizes = {s: e for (s, _, _), e in zip(program.symbols, program.expected)}
    own = [program.buffers[i] for i, home in homes(program).items() if i == home]
    shapes = [[s.factor * np.prod([sizes[i] for i in s.symbols]) for s in b.shape] for b in own]
    return sum(int(np.prod(shape)) * item_size(b.kind) for shape, b in zip(shapes, own))


def peak_of(function, x):
    """The most that the arrays of a call took at once."""
    function(x)
    tracemalloc.start()
    function(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.skipif(OPTIONS.get("native") == "check", reason="runs both tiers in each call")
@pytest.mark.parametrize("function", [turned, normalized])
def test_native_code_takes_no_more_memory_than_the_kernels(function):
    x = tf.constant(np.random.default_rng(0).random((SIDE, SIDE), np.float32))
    slow, fast = [tf.function(function, jit_compile=mode) for mode in (False, True)]
    rows = 10 * 4 * SIDE
    assert peak_of(fast, x) + temporary_bytes(program_of(function)) <= peak_of(slow, x) + rows


def test_memory_of_what_is_dead_is_used_again():
    program = program_of(turned)
    large = [i for i, b in enumerate(program.buffers) if b.role == "temporary" and len(b.shape) > 1]
    outcome = homes(program)
    assert len(large) > 5
    (result,) = [buffer for buffer, _ in program.results]
    assert len({outcome[i] for i in large} - {result}) == 1


@pytest.mark.parametrize("function", [turned, normalized, momentum])
def test_nothing_shares_memory_while_it_lives(function):
    program = program_of(function)
    lives, result = lifetimes(program), homes(program)
    results = {buffer: (lives[buffer][0], len(program.body)) for buffer, _ in program.results}
    spans = {i: results.get(i, lives.get(i)) for i in {**result, **results} if i in lives}
    for i, (first, last) in spans.items():
        for j, (start, end) in spans.items():
            if i < j and result.get(i, i) == result.get(j, j):
                assert last < start or end < first


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_calls_leave_no_memory_behind():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    f = tf.function(turned, jit_compile=True)
    x = tf.constant(np.random.default_rng(0).random((SIDE, SIDE), np.float32))
    for _ in range(20):
        f(x)
    before = resident()
    for _ in range(100):  # each takes 1.3 MB
        f(x)
    assert resident() - before < 20e6


def test_blocks_begin_at_grains_and_lie_a_grain_apart():
    sizes = [*range(4 * GRAIN), 1_000, 12_345]
    starts = offsets(sizes)
    assert len(starts) == len(sizes) + 1
    for start, size, following in zip(starts, sizes, starts[1:]):
        assert start % GRAIN == 0
        assert GRAIN <= following - (start + size) < 2 * GRAIN


def test_a_result_does_not_lie_where_smaller_elements_are_still_read():
    """The nest that copies both results reads a bool where it would write an int32."""

    @tf.function(jit_compile=True)
    def program(numbers, steps):
        flags = tf.constant([[False], [False], [True]])
        for _ in tf.range(steps):
            flags = tf.reverse(flags, [0])
        return numbers + 1, flags

    numbers, flags = program(tf.constant([1, 2, 3]), tf.constant(1))
    np.testing.assert_array_equal(numbers, [2, 3, 4])
    np.testing.assert_array_equal(flags, [[True], [False], [False]])
