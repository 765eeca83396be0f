"""What nobody needs goes, in loops and branches too, and leaves graphs that are well-formed."""

from __future__ import annotations

import itertools

import pytest

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.graph.passes import through
from graphwright.compile.graph.prune import like, prune
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.run.options import OPTIONS
from graphwright.ir.verify import verify


def in_branch(i, x, idle):
    def side():
        idle * 2.0
        return x + 1.0

    return tf.cond(i > 0, side, lambda: x)


def in_choice(i, x, idle):
    def side():
        idle * 2.0
        return x + 1.0

    return tf.switch_case(tf.convert_to_tensor(i), [side, lambda: x, lambda: x - 1.0])


def in_loop(i, x, idle):
    return tf.while_loop(lambda k, *_: k < i, lambda k, x, y: (k + 1, x + 1.0, y), (0, x, idle))[1]


def in_branch_in_loop(i, x, idle):
    return tf.while_loop(lambda k, _: k < i, lambda k, x: (k + 1, in_branch(k, x, idle)), (0, x))[1]


def in_loop_in_branch(i, x, idle):
    return tf.cond(i > 0, lambda: in_loop(i, x, idle), lambda: x)


def in_call(i, x, idle):
    return tf.function(in_branch)(i, x, idle)


INNER = [in_branch, in_choice, in_loop, in_branch_in_loop, in_loop_in_branch, in_call]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_variable_that_serves_nothing_leaves_what_is_nested_in_the_loop(inner, compiled):
    @tf.function(jit_compile=compiled, input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
    def last(x, idle):
        def body(i, x, idle):
            return i + 1, inner(i, x, idle), idle + 1.0

        return tf.while_loop(lambda i, *_: i < 3, body, (0, x, idle))[1]

    tf.config.run_functions_eagerly(True)
    try:
        expected = last(1.0, 2.0)
    finally:
        tf.config.run_functions_eagerly(False)
    assert last(1.0, 2.0) == expected
    graph = simplify(last.get_concrete_function().graph)
    verify(graph)
    (loop,) = [node for node in graph.nodes if "While" in node.op.type_name]
    if inner is not in_call:  # what a function takes is its own affair, until it is inlined
        assert len(loop.outputs) == 2


def test_pruning_is_done_at_once():
    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
    def last(x, idle):
        def body(i, x, idle):
            return i + 1, in_loop_in_branch(i, x, idle), idle + 1.0

        return tf.while_loop(lambda i, *_: i < 3, body, (0, x, idle))[1]

    once = prune(last.get_concrete_function().graph)
    twice = prune(once)
    assert [node.op for node in twice.nodes] == [node.op for node in once.nodes]


def test_the_checking_mode_names_the_pass_that_made_a_graph_wrong(usual_tiers, monkeypatch):
    def without_first(graph):
        return like(graph, graph.nodes[1:], {})

    graph = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([])).graph
    through(graph, simplify, without_first)
    monkeypatch.setitem(OPTIONS, "native", "check")
    with pytest.raises(InternalError, match=r"`without_first` left a graph .* is used before"):
        through(graph, simplify, without_first)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
def test_a_variable_stays_that_serves_by_way_of_others(order):
    """Each variable adds the one before it in a chain, whose end alone is a result."""

    def body(i, *values):
        new = [values[0] * 1.5] * 4
        for before, after in itertools.pairwise(order):
            new[after] = values[after] + values[before]
        new[order[0]] = values[order[0]] * 1.5
        return (i + 1, *new)

    @tf.function(jit_compile=True)
    def last(n):
        start = [tf.constant(0.5 + k) for k in range(4)]
        return tf.while_loop(lambda i, *_: i < n, body, (0, *start))[1 + order[-1]]

    values = (0.5, 1.5, 2.5, 3.5)
    for _ in range(5):
        values = body(0, *values)[1:]
    assert float(last(tf.constant(5))) == values[order[-1]]


def test_a_variable_serves_those_that_get_its_value_some_iterations_later():
    def last(x):
        def passed_on(i, a, b, c, d):
            return i + 1, a + 1.0, a, b, c

        begin = (0, x * 4.0, x * 3.0, x * 2.0, x)
        return tf.while_loop(lambda i, *_: i < 5, passed_on, begin)[4]

    def twice(x):  # what a graph's results need is asked of a loop in a loop
        return tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, last(x)), (0, x))[1]

    graph = tf.function(twice).get_concrete_function(tf.TensorSpec([])).graph
    verify(simplify(graph))
    assert tf.function(twice)(tf.constant(1.0)) == 26.0
