"""What work is worth threads."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.llvm.launch import shared_weights, weight
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


def test_a_nest_on_the_memory_of_a_dear_one_counts_as_that_up_to_a_limit():
    def turns(x, y):
        dear = tf.sin(tf.exp(x))
        return dear, tf.reverse(dear, [0]) + 1.0, tf.reverse(y, [0]) + 1.0

    graph = tf.function(turns).get_concrete_function(tf.zeros([9]), tf.zeros([9])).graph
    (program,) = [op.lowered[0] for op in segments(graph)]
    own = {id(s): weight(s) for s in program.body if isinstance(s, Nest)}
    raised = [shared_weights(program)[key] for key in own]
    dear, beside, apart = own.values()
    assert apart == beside < dear
    assert raised == [dear, min(16 * beside, dear), apart]


@pytest.mark.parametrize("count", [2, 700])
def test_threads_share_the_products_of_a_batch(count):
    """A count of products that threads do not share, and one that they do, added up in a loop."""

    @tf.function(jit_compile=True)
    def f(x, y):
        total = tf.zeros([8, 8])
        for _ in tf.range(2):
            total += tf.reduce_sum(tf.matmul(x, y), 0)
        return total

    random = np.random.default_rng(count)
    x, y = [random.integers(-3, 4, (count, *s)).astype("f4") for s in ((8, 16), (16, 8))]
    text = f.experimental_get_compiler_ir(x, y)(stage="llvm")
    assert "define internal void @products" in text
    assert "gw_parallel_for" in text
    np.testing.assert_array_equal(f(x, y), 2 * (x @ y).sum(0))
