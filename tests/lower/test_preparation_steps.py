"""Preparing a graph takes steps in proportion to its nodes and to how deeply they are nested.

Steps are calls of Python functions, which are the same whenever it is done: times are not.
"""

from __future__ import annotations

import sys

import pytest

import graphwright as tf
from graphwright.lower.llvm.render import render
from graphwright.lower.simplify import simplify
from graphwright.lower.straight_line import written
from graphwright.lower.tiers import native

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


def trace(function):
    return tf.function(function).get_concrete_function(tf.TensorSpec([4])).graph


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


def check_growth(work, make, small, large):
    """Fails where the steps for a large graph are out of proportion to those for a small one."""
    work(trace(make(small)))  # what is found out once for all graphs
    few, many = (steps(work, trace(make(size))) for size in (small, large))
    assert many <= SLACK * large / small * few, f"{few} steps for {small}, {many} for {large}"


@pytest.mark.parametrize("nest", NESTS)
@pytest.mark.parametrize("work", WORK)
def test_what_is_nested_deeply_takes_steps_as_its_depth(usual_tiers, nest, work):
    check_growth(WORK[work], lambda depth: nested(NESTS[nest], depth), 4, 12)


@pytest.mark.parametrize("work", WORK)
def test_what_is_long_takes_steps_as_its_length(usual_tiers, work):
    check_growth(WORK[work], chain, 100, 400)
