"""An error of a kernel names its node and its operands, however the graph is run."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.kernel_refusals import explain, note
from graphwright.compile.run.steps import Steps
from graphwright.compile.run.straight_line import build, runner

pytestmark = pytest.mark.usefixtures("usual_tiers")

X = np.arange(3, dtype=np.float32)


def chain(x):
    return tf.reshape(tf.exp(x * 2.0) + x, [2, -1])


def in_a_loop(x):
    for i in tf.range(2):
        x = tf.reshape(tf.reshape(x, [3 - i, -1]), [-1])
    return x


def in_a_branch(x):
    return tf.cond(x[0] > 0.0, lambda: tf.reshape(x, [2, -1]), lambda: tf.reshape(x, [1, -1]))


def graph_of(function):
    return tf.function(function).get_concrete_function(tf.TensorSpec([None])).graph


def message(call, *arrays):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call(*arrays)
    return caught.value.message


def line_of(function):
    """The words for the line of a function that reshapes."""
    lines, first = inspect.getsourcelines(function)
    number = next(first + i for i, line in enumerate(lines) if "tf.reshape(" in line)
    return f"Defined at node 'Reshape': File \"{__file__}\", line {number}, in "


@pytest.mark.parametrize("function", [chain, in_a_loop, in_a_branch])
def test_text_names_the_node_and_the_line(function):
    graph = graph_of(function)
    words = message(runner(graph, build(graph)), X + 1.0)
    assert line_of(function) in words


def test_steps_and_text_say_the_same():
    graph = graph_of(chain)
    words = message(runner(graph, Steps(graph)), X)
    assert words == message(runner(graph, build(graph)), X)
    assert line_of(chain) in words
    assert "    in Reshape(tensor=float32 [1.0, 8.389" in words


def test_of_two_equal_ops_the_one_that_fails_is_named():
    def twice(x, y):
        a = tf.matmul(x, y)
        return tf.matmul(a, x)

    spec = tf.TensorSpec([None, None])
    graph = tf.function(twice).get_concrete_function(spec, spec).graph
    x, y = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    for run in (Steps(graph), build(graph)):
        words = message(runner(graph, run), x, y)
        assert "Defined at node 'MatMul_1'" in words
        first = message(runner(graph, run), x, x)
        assert "Defined at node 'MatMul'" in first


def test_operands_are_those_that_the_kernel_was_given():
    """Their names mean other values before and after."""

    def reused(x):
        y = tf.cast(x * 2.0, tf.int32)
        z = tf.reshape(x, y)
        return tf.exp(z)

    graph = tf.function(reused).get_concrete_function(tf.TensorSpec([None])).graph
    for run in (Steps(graph), build(graph)):
        words = message(runner(graph, run), X)
        assert "(tensor=float32 [0.0, 1.0, 2.0], shape=int32 [0, 2, 4])" in words


def test_the_innermost_graph_is_named():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def inner(x):
        return tf.reshape(x, [2, -1])

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def outer(x):
        return inner(x * 2.0) + 1.0

    for _ in range(40):  # in steps, then in text
        words = message(outer, tf.constant(X))
        assert words.count("Defined at node") == 1
        assert "Defined at node 'Reshape'" in words


def test_an_error_that_is_raised_again_elsewhere_is_explained_there():
    """A program keeps what a function raised, and raises it in another."""
    saved = ValueError("mine")

    def fail(x):
        raise saved

    for _ in range(2):
        graph = (
            tf.function(lambda x: tf.numpy_function(fail, [x], tf.float32))
            .get_concrete_function(tf.TensorSpec([3]))
            .graph
        )
        for run in (Steps(graph), build(graph)):
            with pytest.raises(Exception, match="mine"):
                runner(graph, run)(X)
            assert set(vars(saved)) == set()


def test_the_first_note_stays_until_the_error_is_explained():
    inner, outer = (graph_of(f).nodes[-1] for f in (chain, in_a_branch))
    error = ValueError("no")
    note(error, inner, None)
    note(error, outer, None)
    assert inner.name in str(explain(error))
    assert explain(error) is error
