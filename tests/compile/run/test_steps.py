"""The first calls of a graph, made step by step, are like the later ones."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run import straight_line
from graphwright.compile.run.steps import Steps, is_plain, lives
from graphwright.compile.run.straight_line import build, runner

pytestmark = pytest.mark.usefixtures("usual_tiers")


def graph_of(function, *specs):
    return tf.function(function).get_concrete_function(*specs).graph


def reshaped(x):
    """Host operands: a constant one, and one that is computed."""
    rows = tf.shape(x)[0]
    return tf.reshape(tf.reduce_sum(x, [1, 2]), [1, rows]), rows


def parted(x):
    """Several results, some of which nobody needs, and a list of one."""
    a, _, b = tf.unstack(x)
    values, _ = tf.math.top_k(a * b, 2)
    return values, tf.unstack(x[:1])[0], x, 3.0


def effects(x):
    """Ops without results, and one that nobody needs."""
    tf.debugging.assert_positive(x)
    tf.square(x)
    return x


SPEC = tf.TensorSpec([None, None, None])


@pytest.mark.parametrize("function", [reshaped, parted, effects])
def test_steps_and_text_give_the_same(function):
    array = np.arange(1.0, 25.0, dtype=np.float32).reshape(3, 2, 4)
    graph = graph_of(function, tf.TensorSpec([3, None, None]))
    result, expected = Steps(graph)(array), build(graph)(array)
    assert len(result) == len(expected)
    for one, other in zip(result, expected):
        np.testing.assert_array_equal(one, other)


def test_what_nobody_needs_is_no_step():
    graph = graph_of(effects, SPEC)
    kept = [node.op.type_name for node, _ in lives(graph)]
    assert "Square" not in kept
    assert "Assert" in kept


def test_values_go_after_their_last_use():
    seen, alive = [], []

    def look(x):
        alive.append(sum(r() is not None for r in seen))
        seen.append(weakref.ref(result := x + 1.0))
        return result

    def chain(x):
        for _ in range(10):
            x = tf.numpy_function(look, [x], tf.float32)
        return x

    steps = Steps(graph_of(chain, tf.TensorSpec([3])))
    gc.disable()
    try:
        steps(np.ones(3, np.float32))
    finally:
        gc.enable()
    assert max(alive) <= 1


def gathered(x, i):
    return tf.gather(x * 2.0, i)


def spread_out(x, i):
    return tf.reshape(tf.exp(x), [i[0], 7])


@pytest.mark.parametrize("function", [gathered, spread_out])
def test_an_error_says_in_steps_what_it_says_in_text(function):
    graph = graph_of(function, tf.TensorSpec([None]), tf.TensorSpec([1], tf.int32))
    arrays = np.ones(3, np.float32), np.array([5], np.int32)
    words = []
    for function_of_graph in (Steps(graph), build(graph)):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            runner(graph, function_of_graph)(*arrays)
        words.append(str(caught.value))
    assert words[0] == words[1]
    assert function.__name__ in words[0]  # where the node was made


def test_a_graph_gets_its_text_when_it_was_called_often(monkeypatch):
    monkeypatch.setattr(straight_line, "_FIRST", 3)
    graph = graph_of(tf.exp, tf.TensorSpec([2]))
    run = runner(graph)
    for _ in range(3):
        run(np.zeros(2, np.float32))
        assert graph.function is None
    np.testing.assert_array_equal(run(np.zeros(2, np.float32))[0], [1.0, 1.0])
    assert graph.function is not None


def test_variables_are_read_and_changed_in_the_order_of_the_program():
    variable = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=False)
    def step(x):
        before = variable.read_value()
        variable.assign_add(x)
        between = variable.read_value()
        variable.assign(between * 2.0)
        return before, between

    for n in range(3):
        held = variable.numpy()
        before, between = step(tf.constant([1.0, float(n)]))
        np.testing.assert_array_equal(before, held)
        np.testing.assert_array_equal(between, np.add(held, [1.0, n]))
        np.testing.assert_array_equal(variable, np.add(held, [1.0, n]) * 2.0)


def test_loops_branches_and_streams_have_text_from_the_first_call_on():
    assert is_plain(graph_of(tf.exp, SPEC))
    assert not is_plain(graph_of(lambda: tf.random.uniform([2])))
    assert not is_plain(
        graph_of(lambda x: tf.cond(x > 0, lambda: x, lambda: -x), tf.TensorSpec([]))
    )
