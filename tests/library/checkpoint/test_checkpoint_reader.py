"""Checkpoints read without the objects that were saved."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import graphwright as tf
from graphwright.library.checkpoint.bundle_checkpoint import write_bundle_checkpoint
from graphwright.proto.checkpoint_pb2 import TrackableObjectGraph

END = "/.ATTRIBUTES/VARIABLE_VALUE"
OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


@pytest.fixture
def directory(tmp_path):
    values = {"f": tf.Variable([1.5, 2.5]), "b": tf.Variable(tf.constant(3.0, tf.bfloat16))}
    words = tf.Variable(["a", "bcd"])
    tf.train.Checkpoint(values=values, words=words).save(str(tmp_path / "c"))
    return str(tmp_path)


def test_a_reader_names_values_as_tensorflow_does(directory):
    reader = tf.train.load_checkpoint(directory)
    shapes = {"save_counter": [], "values/b": [], "values/f": [2], "words": [2]}
    keys = {OBJECTS: [], **{k + END: v for k, v in shapes.items()}}
    assert reader.get_variable_to_shape_map() == keys
    assert tf.train.list_variables(directory) == list(keys.items())
    dtypes = {"save_counter": "int64", "values/b": "bfloat16", "values/f": "float32"}
    dtypes["words"] = "string"
    found = {k: v.name for k, v in reader.get_variable_to_dtype_map().items()}
    assert found == {OBJECTS: "string", **{k + END: v for k, v in dtypes.items()}}
    assert reader.has_tensor("words" + END)
    assert not reader.has_tensor("words")


@pytest.mark.parametrize("form", ["safetensors", "tensorflow"])
def test_the_graph_of_objects_is_a_message(tmp_path, form):
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), n=tf.Variable(3))
    path = str(tmp_path / "c")
    if form == "tensorflow":
        write_bundle_checkpoint(checkpoint, path)
    else:
        checkpoint.write(path)
    reader = tf.train.load_checkpoint(path)
    assert reader.has_tensor(OBJECTS)
    content = reader.get_tensor(OBJECTS)
    assert isinstance(content, bytes)
    assert tf.train.load_variable(path, OBJECTS) == content
    root, *variables = TrackableObjectGraph.FromString(content).nodes
    # TensorFlow 2.21 writes the same
    assert sorted(child.local_name for child in root.children) == ["n", "v"]
    assert sorted(v.attributes[0].checkpoint_key for v in variables) == ["n" + END, "v" + END]
    assert all(node.has_checkpoint_values.value for node in (root, *variables))


def test_values_have_their_shapes_and_dtypes(directory):
    path = tf.train.latest_checkpoint(directory)
    np.testing.assert_array_equal(tf.train.load_variable(path, "values/f" + END), [1.5, 2.5])
    assert tf.train.load_variable(path, "words" + END).tolist() == [b"a", b"bcd"]
    assert tf.train.load_variable(path, "values/b" + END) == 3.0
    assert isinstance(tf.train.load_variable(path, "save_counter" + END), np.int64)


def test_what_is_not_there(directory, tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match=r"Key q not found .* values/b/"):
        tf.train.load_variable(directory, "q")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="Couldn't find a checkpoint in the directory"):
        tf.train.load_checkpoint(str(tmp_path / "empty"))
    with pytest.raises(tf.errors.NotFoundError, match="no checkpoint"):
        tf.train.load_checkpoint(str(tmp_path / "none"))
    assert tf.train.get_checkpoint_state(str(tmp_path / "empty")) is None


def test_the_state_names_all_checkpoints(tmp_path):
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(), str(tmp_path), max_to_keep=2)
    paths = [manager.save() for _ in range(3)]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == paths[-1]
    assert state.all_model_checkpoint_paths == paths[1:]
    assert len(state.all_model_checkpoint_timestamps) == 2


def test_an_iterator_waits_for_the_next_checkpoint(tmp_path):
    checkpoint = tf.train.Checkpoint()
    begun, more = threading.Event(), threading.Event()

    def save():
        begun.wait(10)
        checkpoint.save(str(tmp_path / "c"))
        more.wait(10)
        checkpoint.save(str(tmp_path / "c"))

    thread = threading.Thread(target=save)
    thread.start()
    ended = []
    found = []
    paths = tf.train.checkpoints_iterator(
        tmp_path, timeout=0.05, timeout_fn=lambda: begun.set() or bool(ended)
    )
    for path in paths:
        found.append(path)
        more.set()
        if len(found) == 2:
            ended.append(True)
    thread.join()
    assert found == [str(tmp_path / "c-1"), str(tmp_path / "c-2")]
