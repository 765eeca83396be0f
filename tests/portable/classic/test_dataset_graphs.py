"""Graphs that take their tensors from datasets, as messages: what needs none of them comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf

v1 = tf.compat.v1


class Model:
    """A slope times the numbers of a dataset (`y`) or those that are fed (`z`)."""

    def __init__(self) -> None:
        dataset = v1.data.Dataset.from_tensor_slices(np.arange(6, dtype=np.float32))
        dataset = dataset.map(lambda x: x + 1.0).repeat().batch(2)
        numbers = v1.data.make_one_shot_iterator(dataset).get_next()
        slope = v1.get_variable("slope", [], initializer=v1.constant_initializer(3.0))
        self.fed = v1.placeholder(tf.float32, [None], name="fed")
        self.y = tf.multiply(slope, numbers, name="y")
        self.z = tf.multiply(slope, self.fed, name="z")


@pytest.fixture
def model() -> Any:
    with tf.Graph().as_default(), v1.Session() as session:
        made: Any = Model()
        made.session = session
        session.run(v1.global_variables_initializer())
        yield made


def test_a_message_says_of_which_kind_each_dataset_is(model: Any) -> None:
    message = model.session.graph.as_graph_def(add_shapes=True)
    recipes = [node.attr["recipe"].s for node in message.node if "recipe" in node.attr]
    kinds = [recipe.decode().partition("(")[0] for recipe in recipes]
    assert kinds == ["TensorSliceDataset", "MapDataset", "RepeatDataset", "BatchDataset"]


def test_a_checkpoint_has_the_graph_and_what_needs_no_dataset_is_restored(
    model: Any, tmp_path: Path
) -> None:
    path = v1.train.Saver().save(model.session, str(tmp_path / "model"))
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(path + ".meta").restore(session, path)
        assert session.run("z:0", {"fed:0": [1.0, 2.0]}).tolist() == [3.0, 6.0]
        with pytest.raises(ValueError, match=r"the graph has no operation named 'y'.*_Iterator"):
            session.run("y:0")


def test_a_monitored_session_trains_on_a_dataset(tmp_path: Path) -> None:
    """Its hooks write the graph as text, as an event and beside each checkpoint."""
    with tf.Graph().as_default():
        model = Model()
        loss = tf.reduce_mean((model.y - 1.0) ** 2)
        v1.summary.scalar("loss", loss)
        step = v1.train.get_or_create_global_step()
        train = v1.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
        hooks = [v1.train.StopAtStepHook(last_step=5)]
        losses = []
        with v1.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), hooks=hooks
        ) as session:
            while not session.should_stop():
                losses.append(float(session.run([loss, train])[0]))
    v1.summary.FileWriterCache.clear()
    assert len(losses) == 5
    assert losses[-1] != losses[0]
    names = {path.name for path in tmp_path.iterdir()}
    assert {"graph.pbtxt", "model.ckpt-5.meta"} <= names
    assert "TensorSliceDataset" in (tmp_path / "graph.pbtxt").read_text(encoding="utf-8")


def test_what_needs_no_dataset_is_frozen(model: Any) -> None:
    session = model.session
    message = session.graph.as_graph_def()
    frozen = v1.graph_util.convert_variables_to_constants(session, message, ["z"])
    assert not [node for node in frozen.node if node.op.startswith("_")]
    with tf.Graph().as_default(), v1.Session() as other:
        (z,) = tf.graph_util.import_graph_def(frozen, return_elements=["z:0"])
        assert other.run(z, {"import/fed:0": [2.0]}).tolist() == [6.0]
    with pytest.raises(tf.errors.NotFoundError, match="extract_sub_graph"):
        v1.graph_util.convert_variables_to_constants(session, message, ["y"])


def test_the_call_that_the_error_names_imports_the_rest(model: Any) -> None:
    message = model.session.graph.as_graph_def()
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError, match="_MakeDataset"):
        tf.graph_util.import_graph_def(message)
    part = v1.graph_util.extract_sub_graph(message, ["z"])
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(part, name="")
        assert graph.get_tensor_by_name("z:0").shape.as_list() == [None]


def test_a_model_of_a_signature_without_datasets_is_loaded(model: Any, tmp_path: Path) -> None:
    folder = str(tmp_path / "model")
    v1.saved_model.simple_save(model.session, folder, {"fed": model.fed}, {"z": model.z})
    with tf.init_scope():
        loaded = tf.saved_model.load(folder).signatures["serving_default"]
        assert loaded(fed=tf.constant([1.0, 4.0]))["z"].numpy().tolist() == [3.0, 12.0]


def test_a_signature_that_needs_a_dataset_is_refused(model: Any, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with pytest.raises(TypeError, match=r"'serving_default' needs '.*placeholder"):
        v1.saved_model.simple_save(model.session, str(folder), {"fed": model.fed}, {"y": model.y})
    assert not (folder / "saved_model.pb").exists()
