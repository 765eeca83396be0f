"""What a tracer takes from outside, and what it holds of it."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.ir.graph import Graph
from graphwright.ops.math.arithmetic import AddV2
from graphwright.trace.tracer import inferred, make_host, tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType


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


# -- what becomes of operands ------------------------------------------------------------------


def operations(function, *specs):
    """The nodes of a trace, by name."""
    graph = tf.function(function, autograph=False).get_concrete_function(*specs).graph
    return {op.name: op for op in graph.get_operations()}


def test_constants_made_of_operands_are_named_after_the_op_that_takes_them():
    def f(x):
        y = tf.concat([x, [1.0, 2.0]], 0) + 3.0
        return y, tf.constant(5.0), tf.constant(6.0, name="six")

    found = operations(f, tf.TensorSpec([2]))
    assert [name for name, op in found.items() if op.type == "Const"] == [
        "concat/values_1", "concat/axis", "add/y", "Const", "six",
    ]  # fmt: skip


@pytest.mark.parametrize("shape", [[2, 3], (2, 3), [3, -1], (6,)])
def test_shapes_may_be_lists_or_tuples(shape):
    found = tf.function(lambda x: tf.reshape(x, shape))(tf.range(6))
    assert np.array_equal(found, np.arange(6).reshape(shape))


def test_a_place_is_int32_unless_it_is_too_large_for_that():
    for value, wanted in (
        ((1, 2), np.int32),
        ((1, 2**40), np.int64),
        (2**31 - 1, np.int32),
        (-(2**31) - 1, np.int64),
    ):
        made = make_host(value, dt.int32)
        assert made.dtype == wanted
        assert np.array_equal(made, value)
    assert make_host((1, 2), dt.int64).dtype == np.int64
    assert make_host((), dt.int32).shape == (0,)
    assert make_host((1.5,), dt.float32).dtype == np.float32


def test_result_types_are_inferred_once_for_operands_of_a_type(monkeypatch):
    asked = []
    usual = AddV2.shapes
    monkeypatch.setattr(
        AddV2, "shapes", lambda op, *types: asked.append(types) or usual(op, *types)
    )
    op = AddV2()
    values = [Graph("f").placeholder(TensorType(dt.float32, (n,)), "x") for n in range(40)]
    for value in (values[0], values[1], values[0], values[1]):
        assert inferred(op, (value, value)) == (value.type,)
    assert len(asked) == 2
    for value in values:
        assert inferred(op, (value, value)) == (value.type,)
    assert len(op.__dict__["_inferred"]) <= 16


# -- captures ------------------------------------------------------------------------------------


def test_a_tensor_of_the_function_around_is_captured():
    inner_graphs = []

    @tf.function
    def outer(x):
        @tf.function
        def inner(y):
            return x * y

        inner_graphs.append(inner.get_concrete_function(tf.TensorSpec([])).graph)
        return inner(tf.constant(3.0))

    assert outer(tf.constant(2.0)) == 6.0
    (capture,) = inner_graphs[0].captures
    assert capture[1].node.name == "x"


def test_a_tensor_of_another_function_is_refused():
    leaked = []
    tf.function(lambda x: leaked.append(x))(tf.constant(1.0))
    with pytest.raises(TypeError, match="scope"):
        tf.function(lambda: leaked[0] + 1.0)()


def test_what_is_no_tensor_is_refused():
    with tracing(Graph("f")) as tracer, pytest.raises(TypeError, match="Expected a tensor, got 3"):
        tracer.value_of(3)


@pytest.mark.parametrize("elements", [128, 129])
def test_small_tensors_become_constants_and_large_ones_captures(elements):
    outside = tf.ones([elements])
    concrete = tf.function(lambda: outside + 1.0).get_concrete_function()
    assert len(concrete.graph.captures) == (elements > 128)
    assert concrete().numpy().tolist() == [2.0] * elements


def test_a_small_tensor_that_a_tape_watches_is_captured():
    outside = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(outside)
        y = tf.function(lambda: outside * outside)()
    assert tape.gradient(y, outside) == 6.0


@pytest.mark.parametrize("symbolic", [False, True])
def test_initial_values_are_computed_outside_of_the_graph(symbolic):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(x + 1.0 if symbolic else [2.0, 3.0], dtype=tf.float32))
        return made[0] * x

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 6.0]
    assert made[0].numpy().tolist() == [2.0, 3.0]


def test_a_block_adds_to_a_graph() -> None:
    eager = tf.constant(2.0)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        y = tf.matmul(x * eager, tf.ones([3, 5]))
        assert not tf.executing_eagerly()
        f = tf.function(lambda z: z + 1.0)
        assert f(y).shape == (None, 5)
        with pytest.raises(RuntimeError, match=r"`tf.Graph\(\).as_default\(\)`"):
            tf.function(lambda: tf.compat.v1.placeholder(tf.float32))()
    assert tf.executing_eagerly()
    assert y.shape == (None, 5)
    assert y.graph is graph
    assert [v.name for v in graph.parameters] == ["x:0"]
    assert y.op.type == "MatMul"
    with pytest.raises(RuntimeError, match="is not compatible with eager execution"):
        tf.compat.v1.placeholder(tf.float32)
