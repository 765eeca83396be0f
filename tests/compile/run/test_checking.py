"""The checking mode: what the tiers make of results and of variables is compared."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.run.checking import checked, compare
from graphwright.compile.run.straight_line import runner
from graphwright.compile.run.tiers import native_runner


def both(function, other, *arguments):
    """One function's machine code checked against another's kernels, on these arguments."""
    own = tf.function(function).get_concrete_function(*arguments).graph
    slow = tf.function(other).get_concrete_function(*arguments).graph
    run = checked(native_runner(own), runner(slow), own)
    return lambda *values: run(*values, *[tensor._array for tensor in own.captured])


def test_what_variables_hold_is_compared_and_changes_once():
    v = tf.Variable(np.arange(5000.0))

    def step(factor):
        def step(x):
            v.assign_add(x * factor)
            return v + 1.0

        return step

    same = both(step(2.0), step(2.0), tf.TensorSpec([5000], tf.float64))
    for _ in range(3):
        same(np.ones(5000))
    assert v.numpy().tolist() == (np.arange(5000.0) + 6.0).tolist()
    with pytest.raises(InternalError, match=r"^result 0 of step differs"):
        both(step(2.0), step(2.5), tf.TensorSpec([5000], tf.float64))(np.ones(5000))

    def silent(factor):
        def step(x):
            v.assign_add(x * factor)

        return step

    with pytest.raises(InternalError, match=r"^variable Variable of step differs"):
        both(silent(2.0), silent(2.5), tf.TensorSpec([5000], tf.float64))(np.ones(5000))


def test_what_has_other_effects_happens_once():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)
    seen = []

    def insert(x):
        table.insert(x, table.lookup(x) + 1)
        tf.py_function(lambda x: seen.append(int(x)), [x], [])
        return table.lookup(x)

    run = both(insert, insert, tf.TensorSpec([], tf.int64))
    for expected in (1, 2):
        assert run(np.int64(3))[0] == expected
    assert seen == [3, 3]


def test_what_fails_is_compared_too():
    v = tf.Variable([0])

    def before(x):
        v.assign_add([1])
        return 10 // x

    def after(x):
        y = 10 // x
        v.assign_add([1])
        return y

    def without(x):
        v.assign_add([1])
        return x

    spec = tf.TensorSpec([1], tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        both(before, before, spec)(np.zeros(1, np.int32))
    with pytest.raises(InternalError, match=r"^variable Variable of before differs"):
        both(before, after, spec)(np.zeros(1, np.int32))
    with pytest.raises(InternalError, match=r"(?s)^before fails with .* and as kernels not at all"):
        both(before, without, spec)(np.zeros(1, np.int32))


def test_numbers_near_1_that_cancel_are_apart_by_their_rounding():
    left = np.array([8.68844771e-10])
    assert not compare(left, left + 60 * np.finfo(float).eps)
    assert compare(left, left + 70 * np.finfo(float).eps)


def test_what_kernels_alone_refuse_is_a_difference():
    def refuse(x):
        raise ValueError("it is refused")

    graph = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([])).graph
    with pytest.raises(tf.errors.InternalError, match="as machine code not at all"):
        checked(lambda x: (x,), refuse, graph)(np.float32(1.0))
