"""What programs see once they have turned to the behaviour of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import graphwright as tf

v1 = tf.compat.v1


@pytest.fixture
def former() -> Iterator[None]:
    v1.disable_v2_behavior()
    try:
        yield
    finally:
        v1.reset_default_graph()
        v1.enable_eager_execution()
        v1.enable_v2_tensorshape()
        v1.enable_tensor_equality()
        v1.enable_control_flow_v2()


@pytest.mark.usefixtures("former")
def test_entries_of_shapes_are_dimensions() -> None:
    x = v1.placeholder(tf.float32, [None, 4, 3])
    assert x.shape[1].value == 4
    assert x.get_shape()[0].value is None
    assert [size.value for size in x.shape] == [None, 4, 3]
    flat = tf.reshape(x, [-1, x.shape[1] * x.shape[2]])
    weights = v1.get_variable("w", [flat.shape[1], 2])
    assert (flat @ weights).shape.as_list() == [None, 2]


@pytest.mark.usefixtures("former")
def test_tensors_and_variables_are_equal_to_themselves() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert [v for v in v1.global_variables() if v not in [b]] == [a]
    x = tf.constant([1, 2])
    assert (x == x, x != x, x == tf.constant([1, 2]), x == 1) == (True, False, False, False)
    assert {x: 1}[x.op.outputs[0]] == 1


@pytest.mark.usefixtures("former")
def test_the_package_itself_sees_plain_sizes() -> None:
    v1.reset_default_graph()
    v1.enable_eager_execution()
    logits, labels = tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int32)

    @tf.function(input_signature=[logits, labels], jit_compile=True)
    def loss(logits: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        assert logits.shape[1].value == 4
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

    assert loss(tf.zeros([2, 4]), [0, 3]).numpy() == pytest.approx([1.3862944, 1.3862944])


def test_tensors_of_graphs_that_blocks_add_to_are_equal_to_themselves() -> None:
    eager = tf.constant([1, 2])
    with tf.Graph().as_default() as graph:
        a, b, v, w = tf.constant([1, 2]), tf.constant([1, 2]), tf.Variable(1), tf.Variable(1)
        assert (a == a, a != a, a == b, a == eager) == (True, False, False, False)
        assert (v == v, v != w, v == 1) == (True, True, False)
        assert a in [b, a]
        assert [b, a].index(a) == 1
        assert [x for x in v1.global_variables() if x not in [v]] == [w]
        assert {a: "a"}[graph.get_tensor_by_name(a.name)] == "a"
        assert not v1.executing_eagerly_outside_functions()
        rank = tf.debugging.assert_rank(v1.placeholder(tf.int32, None, "x"), 1)
        with v1.Session() as session:
            assert session.run(rank, {"x:0": [1]}) is None
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(rank, {"x:0": 1})
    assert (a == a, a == b) == (True, False)
    assert (eager == tf.constant([1, 3])).numpy().tolist() == [True, False]
    assert tf.function(lambda x: x == 1)(tf.constant(1))


def test_one_switch_makes_tensors_equal_to_themselves() -> None:
    v1.disable_eager_execution()
    try:
        a, b = tf.constant(1), tf.constant(1)
        v1.enable_tensor_equality()
        assert a in [b, a]
        assert a != b
    finally:
        v1.reset_default_graph()
        v1.enable_eager_execution()


def structures() -> list[type]:
    """The types of what a loop and a branch return."""
    x = tf.constant(1)
    several = v1.while_loop(lambda i, j: i < 5, lambda i, j: (i + 1, j), [x, x])
    return [type(several), type(v1.cond(x > 0, lambda: [x], lambda: [-x]))]


def test_loops_and_branches_return_what_they_do_in_tensorflow_2() -> None:
    with tf.Graph().as_default():
        assert structures() == [list, list]
    eager = structures()
    assert (eager[0], issubclass(eager[1], tf.Tensor)) == (tuple, True)


@pytest.mark.usefixtures("former")
def test_loops_and_branches_return_what_they_do_in_tensorflow_1() -> None:
    assert not v1.control_flow_v2_enabled()
    kinds = structures()
    assert (kinds[0], issubclass(kinds[1], tf.Tensor)) == (tuple, True)

    @tf.function
    def f() -> None:
        assert structures() == [list, list]

    f()
