"""What a tracer takes from outside, and what it holds of it."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.ir.graph import Graph
from graphwright.trace.tracer import tracing


@pytest.mark.parametrize("elements", [1, 129])
def test_a_tensor_that_is_gone_is_not_taken_for_the_next_of_its_id(elements):
    """Each tensor is gone when the next is made, so that they share their places in memory."""

    @tf.function
    def f(x):
        for number in range(200):
            x = x + tf.constant(np.full(elements, number, np.float32))
        return x

    def outside(number):
        with tf.init_scope():
            return tf.constant(np.full(elements, number, np.float32))

    @tf.function
    def g(x):
        for number in range(200):
            x = x + outside(number)
        return x

    for function in (f, g):
        assert function(tf.constant(0.0)).numpy()[0] == sum(range(200))


@pytest.mark.parametrize("elements", [1, 129])
def test_a_tracer_keeps_alive_what_it_knows_by_its_id(elements):
    graph = Graph("f")
    with tracing(graph) as tracer:
        for number in range(50):
            with tf.init_scope():
                tensor = tf.fill([elements], float(number))
            value = tracer.value_of(tensor)
            del tensor
            holder = next((t for t, v in graph.captures if v is value), None)
            array = value.node.op.value.array if holder is None else holder.numpy()
            assert array[0] == number
    assert all(id(tensor) == key for key, (tensor, _) in tracer._captured.items())


def test_constants_of_a_trace_keep_the_sign_of_zero():
    @tf.function
    def f(x):
        zeros = (0.0, -0.0, 0.0)
        made = [tf.constant(z) for z in zeros] + [tf.constant([z]) for z in zeros]
        return [tf.math.atan2(x, z) for z in made] + [x / z for z in zeros]

    signs = [float(np.signbit(t.numpy()).ravel()[0]) for t in f(tf.constant(-1.0))[6:]]
    assert signs == [1.0, 0.0, 1.0]
    found = [float(np.ravel(t)[0]) for t in f(tf.constant(0.0))[:6]]
    np.testing.assert_allclose(found, [0.0, np.pi, 0.0] * 2)


def test_a_child_that_is_traced_inside_takes_the_constants_of_its_own_graph():
    x = tf.constant(3.0)

    @tf.function
    def f(p):
        return tf.cond(p, lambda: x + 1.0, lambda: x * 2.0)

    assert [f(tf.constant(p)).numpy() for p in (True, False)] == [4.0, 6.0]
