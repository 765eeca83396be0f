"""Preparing a graph takes steps in proportion to its nodes and to how deeply they are nested.

Steps are calls of Python functions, which are the same whenever it is done: times are not.
"""

from __future__ import annotations

import sys

import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.lists import nested_lists
from graphwright.compile.llvm.render import render
from graphwright.compile.memory.arena import homes
from graphwright.compile.run.straight_line import written
from graphwright.compile.run.tiers import native

#: Steps may grow so much faster than a graph: a few things are done once for each level around.
SLACK = 1.5


def in_while(inner, x):
    return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, inner(y)), (0, x))[1]


def in_while_with_test(inner, x):
    def body(i, y):
        return i + 1, inner(y) + x

    return tf.while_loop(lambda _, y: tf.reduce_sum(y) < 3.0, body, (0, x))[1]


def in_for_with_list(inner, x):
    def body(i, y, rows):
        z = inner(y)
        return i + 1, z, rows.write(i, z)

    begin = 0, x, tf.TensorArray(tf.float32, 3)
    _, last, rows = tf.while_loop(lambda i, *_: i < 3, body, begin)
    return last + tf.reduce_sum(rows.stack())


def in_branch(inner, x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: inner(x), lambda: x * 2.0)


def beside_a_loop(inner, x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: inner(x), lambda: in_while(tf.sin, x))


def in_call(inner, x):
    return tf.function(inner)(x) * 2.0


NESTS = {
    "while": [in_while],
    "test": [in_while_with_test],
    "list": [in_for_with_list],
    "if": [in_branch],
    "both": [beside_a_loop],
    "call": [in_call],
    "mixed": [in_while, in_branch, in_for_with_list, in_call],
}


def nested(kinds, depth):
    """A function in which so many constructs are in each other, of these kinds in turn."""

    def at(level, x):
        if level == depth:
            return tf.sin(x) + 1.0
        return kinds[level % len(kinds)](lambda y: at(level + 1, y), x)

    return lambda x: at(0, x)


def chain(length):
    """A function of so many nodes, one after the other."""

    def function(x):
        for _ in range(length // 2):
            x = tf.sin(x) + x
        return x

    return function


def slope(function):
    """The gradient of a function."""

    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return derivative


def trace(function):
    return tf.function(function).get_concrete_function(tf.TensorSpec([None])).graph


def lower(graph):
    """All that is done till machine code could be generated."""
    for op in native(graph).source.segments:
        render(op.lowered[0])


WORK = {
    "simplify": simplify,
    "python": lambda graph: written(simplify(graph)),
    "native": lower,
}


def steps(work, graph):
    """The calls of Python functions that some work on a graph makes."""
    calls = 0

    def note(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work(graph)
    finally:
        sys.setprofile(before)
    return calls


def check_growth(work, make, small, large, power=1):
    """Fails where the steps for a large graph are out of proportion to those for a small one, or to
    a power of them."""
    work(trace(make(small)))  # what is found out once for all graphs
    few, many = (steps(work, trace(make(size))) for size in (small, large))
    limit = SLACK * (large / small) ** power * few
    assert many <= limit, f"{few} steps for {small}, {many} for {large}"


@pytest.mark.parametrize("nest", NESTS)
@pytest.mark.parametrize("work", WORK)
def test_what_is_nested_deeply_takes_steps_as_its_depth(usual_tiers, nest, work):
    check_growth(WORK[work], lambda depth: nested(NESTS[nest], depth), 4, 12)


@pytest.mark.parametrize("work", WORK)
def test_what_is_long_takes_steps_as_its_length(usual_tiers, work):
    check_growth(WORK[work], chain, 100, 400)


def test_slopes_of_what_is_long_take_steps_as_its_length(usual_tiers):
    check_growth(lower, lambda length: slope(chain(length)), 100, 800)


@pytest.mark.parametrize(("work", "power"), [("simplify", 1), ("python", 1), ("native", 3)])
def test_slopes_of_loops_in_loops_take_steps_as_there_are_lists(usual_tiers, work, power):
    # Each loop carries a list for each loop in it; machine code has the lists on these beside them.
    check_growth(WORK[work], lambda depth: slope(nested([in_while], depth)), 4, 8, power)


@pytest.mark.parametrize("work", ["simplify", "python"])
def test_slopes_of_branches_in_branches_take_steps_as_their_depth(usual_tiers, work):
    check_growth(WORK[work], lambda depth: slope(nested([in_branch], depth)), 4, 8)


@pytest.mark.parametrize("kind", [in_while, in_branch])
def test_slopes_of_what_is_nested_are_traced_in_steps_as_its_depth(usual_tiers, kind):
    trace(slope(nested([kind], 2)))
    few, many = (steps(trace, slope(nested([kind], depth))) for depth in (4, 8))
    assert many <= SLACK * 2 * few, f"{few} steps for 4, {many} for 8"


def test_lists_of_lists_become_flat_in_steps_as_there_are_flat_lists(usual_tiers, monkeypatch):
    # A list at depth d is d (d - 1) / 2 lists of numbers beside its items.
    made = []

    def note(graph):
        made.append(steps(usual, graph))
        return usual(graph)

    usual = nested_lists.with_flat_lists
    monkeypatch.setattr(nested_lists, "with_flat_lists", note)
    counts = []
    for depth in (4, 4, 10):
        made.clear()
        native(trace(slope(nested([in_while], depth))))
        counts.append(max(made))
    _, few, many = counts
    assert many <= SLACK * 2.5**3 * few, f"{few} steps for 4, {many} for 10"


def sized(compute, length):
    """A function that cuts off as much as so many computations say, one after the other."""

    def function(x):
        size = tf.shape(x)[0]
        for _ in range(length):
            size = compute(size)
        return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y + x[:size]), (0, x[:size]))

    return function


def test_a_size_that_is_used_twice_is_computed_once(usual_tiers):
    check_growth(lower, lambda length: sized(lambda size: size + size, length), 5, 20)


def cut(length):
    """A function of so many temporaries, each of another size."""

    def function(x):
        for _ in range(length):
            x = tf.concat([x[1:] * 0.5, tf.sin(x[:1])], 0)
        return x

    return function


def test_buffers_of_different_sizes_find_no_memory_in_steps_as_there_are_of_them(usual_tiers):
    counts = []
    for length in (20, 80):
        (op,) = native(trace(cut(length))).source.segments
        counts.append(steps(homes, op.lowered[0]))
    few, many = counts
    assert many <= SLACK * 4 * few, f"{few} steps for 20, {many} for 80"


def test_a_long_computation_of_a_size_is_lowered(usual_tiers):
    graph = trace(sized(lambda size: tf.maximum(size - 1, 1), 1000))
    assert native(graph).source.segments


def doubled(depth):
    """A function that calls one twice, which calls one twice, and so on."""
    function = tf.function(tf.sin)
    for _ in range(depth):
        function = tf.function(lambda x, inner=function: inner(inner(x)))
    return function


@pytest.mark.parametrize("work", WORK)
def test_functions_that_call_twice_take_steps_as_there_are_of_them(usual_tiers, work):
    check_growth(WORK[work], doubled, 15, 30)
