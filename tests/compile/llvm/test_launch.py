"""What work is worth threads."""

from __future__ import annotations

import graphwright as tf
from graphwright.compile.llvm.launch import weight
from graphwright.compile.nests.nest import Nest
from graphwright.compile.run.inspection import segments


def weights(function, *arguments):
    """The costs of an element in the nests of a function."""
    graph = tf.function(function).get_concrete_function(*arguments).graph
    return [weight(s) for op in segments(graph) for s in op.lowered[0].body if isinstance(s, Nest)]


def test_a_step_for_a_whole_row_costs_its_elements_nothing():
    rows = tf.zeros([200, 256])
    (plain,) = weights(lambda x: x / tf.reduce_sum(x, 1, True), rows)
    (rooted,) = weights(lambda x: x / tf.sqrt(tf.exp(tf.reduce_sum(x, 1, True))), rows)
    assert plain == rooted


def test_each_element_costs_what_is_computed_of_it():
    (one,) = weights(lambda x: x + 1.0, tf.zeros([9]))
    (dear,) = weights(lambda x: tf.exp(x) + 1.0, tf.zeros([9]))
    assert one < dear
