"""What programs of TensorFlow 1 ask graphs for: names, scopes, seeds and what sessions may feed."""

from __future__ import annotations

import pytest

import graphwright as tf

v1 = tf.compat.v1


def test_names_are_unique_under_scopes() -> None:
    with tf.Graph().as_default() as graph:
        assert [graph.unique_name("a"), graph.unique_name("a")] == ["a", "a_1"]
        assert [graph.unique_name("b", mark_as_used=False) for _ in range(2)] == ["b", "b"]
        with graph.name_scope("s") as scope:
            assert (scope, graph.get_name_scope()) == ("s/", "s")
            assert tf.constant(1).name == "s/Const:0"
            assert graph.unique_name("a") == "s/a"
            with graph.name_scope("t") as inner:
                assert (inner, tf.constant(1).name) == ("s/t/", "s/t/Const:0")
            with graph.name_scope(scope):
                assert tf.constant(1).name == "s/Const_1:0"
            with graph.name_scope(None) as nothing:
                assert (nothing, tf.constant(1).name) == ("", "Const:0")
        with graph.name_scope("s") as again:
            assert again == "s_1/"
        assert graph.get_name_scope() == ""
        for wrong in ("a b", "/a"):
            with pytest.raises(ValueError, match="is not a valid root scope name"):
                graph.name_scope(wrong).__enter__()


def test_a_graph_counts_its_operations_and_knows_its_seed() -> None:
    graph = tf.Graph()
    assert (graph.version, graph.seed, graph.building_function) == (0, None, False)
    with graph.as_default():
        v1.set_random_seed(7)
        before = graph.version
        x = tf.constant(1.0)
        assert (graph.version - before, graph.seed) == (1, 7)
        assert (v1.get_seed(3), v1.random.get_seed(None)[0]) == ((7, 3), 7)
        assert not graph.building_function
        y = tf.exp(x)
    (frame,) = y.op.traceback
    assert (frame.filename, frame.line) == (__file__, "y = tf.exp(x)")
    function = tf.function(lambda x: x + 1).get_concrete_function(tf.constant(1))
    assert function.graph.building_function


def test_an_operation_waits_for_those_of_a_block() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = tf.Variable(1)
        with graph.control_dependencies([v.assign_add(1)]):
            x = tf.identity(2)
            with graph.control_dependencies(None):
                alone = tf.identity(3)
        session.run(v.initializer)
        assert session.run([alone, v.read_value()]) == [3, 1]
        assert session.run(x) == 2
        assert session.run(v) == 2


def test_a_device_and_collections_are_those_of_the_graph() -> None:
    with tf.Graph().as_default() as graph:
        with graph.device("/cpu:0"), graph.container("c"):
            x = tf.constant(1)
        with graph.colocate_with(x.op):
            assert tf.constant(1).device == ""
    assert x.device == "/device:CPU:0"
    graph.add_to_collections(["p", "q"], 3)
    graph.add_to_collections("pp", 4)
    graph.clear_collection("p")
    graph.clear_collection("nothing")
    assert [graph.get_collection(name) for name in ("p", "q", "pp")] == [[], [3], [4]]


def test_a_tensor_may_be_kept_from_sessions() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = tf.constant(1)
        y = x + 1
        assert graph.is_feedable(x)
        assert session.run(y, {x: 4}) == 5
        graph.prevent_feeding(x)
        assert not graph.is_feedable(x)
        with pytest.raises(ValueError, match=r"Tensor Const:0 may not be fed\."):
            session.run(y, {x: 4})
        assert session.run(y) == 2
