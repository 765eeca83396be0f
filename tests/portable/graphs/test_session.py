"""A session runs parts of a graph, and nothing that its fetches do not need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf

v1 = tf.compat.v1


def doubled() -> tuple[tf.Graph, Any, Any]:
    """A graph with y = x * 2, and both tensors."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.identity(x * 2.0, name="y")
    return graph, x, y


def test_names_tensors_and_operations_are_fetched() -> None:
    graph, x, y = doubled()
    with v1.Session(graph=graph) as session:
        assert session.run("y:0", {"x:0": [1.0, 2.0]}).tolist() == [2.0, 4.0]
        result = session.run([y, {"x": x, "operation": "y"}], {x: [3.0]})
        assert session.graph is graph
    assert result[0].tolist() == [6.0]
    assert result[1]["x"].tolist() == [3.0]
    assert result[1]["operation"] is None


def test_a_fed_tensor_may_stand_inside() -> None:
    graph, _, y = doubled()
    with graph.as_default():
        z = -y
    with v1.Session(graph=graph) as session:
        assert session.run(z, {y: [7.0]}).tolist() == [-7.0]


def test_the_open_graph_is_the_default() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        c = tf.constant([3.0, 4.0])
        v = tf.Variable(2.0)
        assert session.run({"sum": tf.reduce_sum(c), "c": c})["sum"] == np.float32(7.0)
        session.run(v.initializer)
        assert session.run(v * c).tolist() == [6.0, 8.0]
        assert session.run(tf.constant("a")) == b"a"
    with pytest.raises(RuntimeError, match="a Session needs a graph"):
        v1.Session()


def test_a_frozen_graph_runs() -> None:
    message = doubled()[0].as_graph_def()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="frozen")
    with v1.Session(graph=graph) as session:
        add = session.make_callable(["frozen/y:0"], ["frozen/x:0"])
        assert add([5.0])[0].tolist() == [10.0]


def test_a_session_has_its_graph_as_a_message() -> None:
    with v1.Session(graph=doubled()[0]) as session:
        assert session.graph_def == session.graph.as_graph_def()


def test_an_operation_without_results_is_imported_as_itself() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(2.0, name="v")
        tf.identity(v * 3.0, name="y")
        tf.group(v.initializer, name="init")
    with tf.Graph().as_default() as other, v1.Session() as session:
        tf.import_graph_def(graph.as_graph_def(), name="")
        with pytest.raises(tf.errors.FailedPreconditionError, match="variable v"):
            session.run("y:0")
        session.run("init")
        assert session.run(["y:0", "v:0"]) == [6.0, 2.0]
        assert other.get_operation_by_name("init").type == "NoOp"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda s: s.run("y:0"),
            tf.errors.InvalidArgumentError,
            r"tensor 'x' with .* shape \[\?\]",
        ),
        (lambda s: s.run("q:0"), ValueError, "'q:0' cannot be interpreted as a Tensor"),
        (lambda s: s.run("y:0", {"x:0": [[1.0]]}), ValueError, r"feed value of shape \(1, 1\)"),
        (lambda s: s.run("y:0", {"x": [1.0]}), TypeError, "feed_dict key 'x' as Tensor"),
        (lambda s: s.close() or s.run("y:0"), RuntimeError, "use a closed Session"),
    ],
)
def test_what_cannot_run_is_said(
    call: Callable[[Any], object], error: type[Exception], words: str
) -> None:
    session = v1.Session(graph=doubled()[0])
    with pytest.raises(error, match=words):
        call(session)


def test_tensors_of_functions_have_no_hash() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)
        return x

    f(tf.constant(1.0))
    _, x, y = doubled()
    assert {x: 1, y: 2}[y] == 2


@pytest.mark.parametrize("check", ["comparison", "static", "shapes", "print"])
def test_checks_and_prints_give_operations(check: str, tmp_path: Path) -> None:
    out = tmp_path / "printed"
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.int32, None)
        operation = {
            "comparison": lambda: tf.debugging.assert_positive(x),
            "static": lambda: v1.assert_rank(tf.constant([1]), 1),
            "shapes": lambda: v1.debugging.assert_shapes([(x, ("n",))]),
            "print": lambda: tf.print("x", x, output_stream=f"file://{out}"),
        }[check]()
        assert isinstance(operation, tf.Operation)
        with tf.control_dependencies([operation]):
            y = tf.identity(x)
        assert session.run(y, {x: [4]}).tolist() == [4]
        assert session.run(operation, {x: [4]}) is None
        if check in ("comparison", "shapes"):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(y, {x: -4})
    assert out.exists() == (check == "print")


def test_what_changes_files_and_tables_gives_operations(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -2, -3)
        session.run(table.insert([1, 2], [5, 6]))
        session.run(table.erase([1]))
        session.run(tf.io.write_file(str(tmp_path / "a.txt"), "Hello"))
        assert session.run(table.lookup([1, 2])).tolist() == [-1, 6]
    assert (tmp_path / "a.txt").read_text() == "Hello"


def test_a_branch_that_returns_an_operation_is_fetched() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        trains = v1.placeholder(tf.bool, [])
        v = tf.Variable(1)
        update = tf.cond(trains, lambda: tf.group(v.assign_add(2)), lambda: tf.no_op())
        assert update.dtype is tf.bool
        session.run(v.initializer)
        assert session.run([update, v.read_value()], {trains: False}) == [False, 1]
        assert session.run(update, {trains: True})
        assert session.run(v) == 3


def test_checks_outside_of_such_graphs_give_nothing() -> None:
    @tf.function
    def f(x: tf.Tensor) -> None:
        assert tf.debugging.assert_positive(x) is None
        assert tf.no_op() is None

    f(tf.constant(1))
    assert tf.debugging.assert_positive(1) is None


@pytest.mark.parametrize("fetch", [None, 5, [None], {"a": abs}])
def test_a_fetch_that_names_nothing_is_refused(fetch: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        for run in (session.run, session.make_callable):
            with pytest.raises(TypeError, match=r"Argument `fetch` = .* has invalid type"):
                run(fetch)
