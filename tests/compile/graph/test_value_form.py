"""Loops and branches over variables become loops and branches over their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.run.kernel_loops import kernel_loops
from graphwright.compile.select.native_op import NativeUpdate
from graphwright.compile.select.segments import partition
from graphwright.machine import background

Step = Callable[[Any, Any], object]


def rows(*numbers: Any) -> tf.IndexedSlices:
    """Rows of ones at indices."""
    return tf.IndexedSlices(tf.ones([len(numbers), 3]), tf.stack(numbers))


#: Ways to change a variable [8, 3] in turn number i.
CHANGES: dict[str, Step] = {
    "assign": lambda v, i: v.assign(v * 0.5 + tf.cast(i, tf.float32)),
    "assign_add": lambda v, i: v.assign_add(tf.ones([8, 3])),
    "assign_sub": lambda v, i: v.assign_sub(v * 0.25),
    "row": lambda v, i: v[i % 8].assign(v[(i + 1) % 8] + 1.0),
    "last row": lambda v, i: v[-1].assign(v[i % 8]),
    "element": lambda v, i: v[i % 8, -2].assign(7.0),
    "scatter_add": lambda v, i: v.scatter_add(rows(i % 8, 2, 2)),
    "scatter_sub": lambda v, i: v.scatter_sub(rows(i % 8, 3)),
    "scatter_update": lambda v, i: v.scatter_update(rows(i % 8)),
    "scatter_nd_add": lambda v, i: v.scatter_nd_add([[i % 8, 1], [0, 0], [0, 0]], [1.0, 2.0, 3.0]),
    "scatter_nd_sub": lambda v, i: v.scatter_nd_sub([[i % 8]], [[1.0, 2.0, 3.0]]),
    "scatter_nd_update": lambda v, i: v.scatter_nd_update([[i % 8, 2]], [9.0]),
    "gather": lambda v, i: v.assign_add(tf.gather(v, [i % 8]) + tf.zeros([8, 3])),
    "gather_nd": lambda v, i: v.assign_add(tf.gather_nd(v, [i % 8, 0]) + tf.zeros([8, 3])),
}


def variable() -> Any:
    """A variable [8, 3]."""
    return tf.Variable(np.arange(24, dtype=np.float32).reshape(8, 3))


def in_a_loop(change: Step, v: Any) -> Any:
    """A function that changes a variable in each turn of a loop, and every other time twice."""

    @tf.function
    def run(n: Any) -> Any:
        for i in tf.range(n):
            change(v, i)
            if i % 2 == 0:
                change(v, i + 3)
        return tf.reduce_sum(v)

    return run


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_of_a_variable_is_machine_code_in_a_loop(name: str) -> None:
    v, w = variable(), variable()
    run = in_a_loop(CHANGES[name], v)
    assert kernel_loops(run.get_concrete_function(tf.constant(3)).graph) == []
    expected = in_a_loop(CHANGES[name], w).python_function(tf.constant(11))
    for _ in range(3):
        v.assign(variable())
        total = run(tf.constant(11))
        background.wait()
        np.testing.assert_allclose(v.numpy(), w.numpy(), rtol=1e-6)
        np.testing.assert_allclose(total, expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["row", "element", "scatter_add", "scatter_nd_update", "gather"])
def test_an_index_out_of_range_leaves_what_came_before(name: str) -> None:
    v, w = variable(), variable()
    change = CHANGES[name]

    def fails(v: Any, i: Any) -> None:
        change(v, i)
        v.assign_add(tf.gather(v, [tf.where(i == 5, 99, 0)]) + tf.zeros([8, 3]))

    @tf.function(jit_compile=True)
    def loop(n: Any) -> None:
        for i in tf.range(n):
            fails(v, i)

    for _ in range(2):
        v.assign(variable())
        w.assign(variable())
        with pytest.raises(tf.errors.InvalidArgumentError, match="99"):
            loop(tf.constant(9))
        for i in range(5):
            fails(w, tf.constant(i))
        with pytest.raises(tf.errors.InvalidArgumentError, match="99"):
            fails(w, tf.constant(5))
        np.testing.assert_array_equal(v.numpy(), w.numpy())


def reasons(function: Any, *arguments: Any) -> str:
    """What keeps the loops of a trace in Python."""
    return " ".join(map(str, kernel_loops(function.get_concrete_function(*arguments).graph)))


def test_a_variable_whose_shape_may_change_keeps_its_loop_in_python() -> None:
    v = tf.Variable([1.0], shape=tf.TensorShape([None]))

    @tf.function
    def grow(n: Any) -> None:
        for _ in tf.range(n):
            v.assign(tf.concat([v, [2.0]], 0))

    assert "may change" in reasons(grow, tf.constant(3))
    grow(tf.constant(3))
    assert v.numpy().tolist() == [1.0, 2.0, 2.0, 2.0]


def test_a_value_of_another_shape_is_refused_in_its_turn() -> None:
    v = tf.Variable([0.0, 0.0])

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    def f(x: Any, n: Any) -> None:
        for i in tf.range(n):
            v.assign(x + tf.cast(i, tf.float32))

    assert "another shape" in reasons(f) or "no form" in reasons(f)
    f(tf.constant([1.0, 2.0]), tf.constant(3))
    assert v.numpy().tolist() == [3.0, 4.0]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        f(tf.constant([1.0, 2.0, 3.0]), tf.constant(3))


def test_arguments_that_may_be_one_variable_keep_a_loop_in_python() -> None:
    @tf.function
    def f(v: Any, w: Any, n: Any) -> Any:
        for _ in tf.range(n):
            v.assign_add(1.0)
            w.assign(w + v)
        return v + w

    v, w = tf.Variable(0.0), tf.Variable(0.0)
    assert f(v, w, tf.constant(3)).numpy() == 9.0
    v.assign(0.0)
    assert f(v, v, tf.constant(3)).numpy() == 28.0


def test_a_large_variable_that_a_branch_changes_now_and_then_is_not_copied() -> None:
    large, small = tf.Variable(tf.zeros([1 << 16])), tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        if x > 0.0:
            large.assign_add(tf.ones([1 << 16]))
        if x > 1.0:
            small.assign_add(x)
        return x

    nodes = partition(simplify(f.get_concrete_function(tf.constant(1.0)).graph)).nodes
    assert [n.op.type_name for n in nodes if n.op.type_name == "If"] == ["If"]
    assert sum(isinstance(n.op, NativeUpdate) for n in nodes) == 1
    f(tf.constant(2.0))
    assert small.numpy() == 2.0
    assert (large.numpy() == 1.0).all()
