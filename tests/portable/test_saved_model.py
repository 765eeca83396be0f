"""What TensorFlow and Keras saved computes here what it computes there."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from support.saved_models import NAMES, assert_alike, calls, outcome, unpacked

import graphwright as tf
from graphwright.proto.saved_model_pb2 import SavedModel


@pytest.mark.parametrize("name", NAMES)
def test_calls_and_gradients_are_tensorflows(name: str, tmp_path: Path) -> None:
    folder = unpacked(name, tmp_path)
    model = tf.saved_model.load(folder)
    for call in calls(folder):
        assert_alike(outcome(model, call), call.expected)


@pytest.mark.parametrize("name", ["control_flow", "lists", "keras_mlp", "calls"])
def test_loaded_functions_are_traced_into_others(name: str, tmp_path: Path) -> None:
    folder = unpacked(name, tmp_path)
    model = tf.saved_model.load(folder)
    for call in calls(folder):
        path = call.path
        if "/" not in path:
            traced = tf.function(getattr(model, path))
            assert_alike(traced(*call.args, **call.kwargs), call.expected[0])


def test_there_is_a_model_or_not(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    assert tf.saved_model.contains_saved_model(folder)
    assert not tf.saved_model.contains_saved_model(tmp_path)
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(tmp_path)


def test_a_model_as_text_is_the_same(tmp_path: Path) -> None:
    from google.protobuf import text_format

    folder = unpacked("random", tmp_path)
    message = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    (folder / "saved_model.pb").unlink()
    (folder / "saved_model.pbtxt").write_text(text_format.MessageToString(message))
    model = tf.saved_model.load(folder)
    for call in calls(folder):
        assert_alike(outcome(model, call), call.expected)


def test_tags_choose_the_graph(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    assert tf.saved_model.load(folder, tags="serve").tensorflow_version == "2.21.0"
    tf.saved_model.load(folder, tags=["serve"])
    with pytest.raises(ValueError, match=r"have the tags \[\['serve'\]\]"):
        tf.saved_model.load(folder, tags=["train"])


def test_bytes_that_are_no_model_are_refused(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(OSError, match="Cannot parse file"):
        tf.saved_model.load(tmp_path)


def test_a_model_without_objects_has_its_graph_alone(tmp_path: Path) -> None:
    folder = unpacked("signatures", tmp_path)
    message = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    message.meta_graphs[0].ClearField("object_graph_def")
    (folder / "saved_model.pb").write_bytes(message.SerializeToString())
    signature = tf.saved_model.load(folder).signatures["serving_default"]
    with pytest.raises(tf.errors.FailedPreconditionError, match="was never initialized"):
        signature(features=tf.zeros([1, 2]))  # a function restores it, which is not read


def test_variables_are_trained_further(tmp_path: Path) -> None:
    model = tf.saved_model.load(unpacked("keras_mlp", tmp_path))
    x, wanted = tf.ones([6, 4]), tf.constant([0, 1, 2, 0, 1, 2])

    def loss() -> tf.Tensor:
        chosen = tf.one_hot(wanted, 3)
        return -tf.reduce_mean(tf.reduce_sum(chosen * tf.math.log(model.serve(x)), axis=1))

    before = float(loss())
    optimizer = tf.optimizers.SGD(0.5)
    for _ in range(20):
        with tf.GradientTape() as tape:
            value = loss()
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    assert float(loss()) < before - 0.1
    assert [v.trainable for v in model.non_trainable_variables] == [False] * 3


def test_a_checkpoint_follows_what_was_loaded(tmp_path: Path) -> None:
    folder = unpacked("control_flow", tmp_path)
    first, second = tf.saved_model.load(folder), tf.saved_model.load(folder)
    first.scale.assign([7.0, 8.0])
    path = tf.train.Checkpoint(first).write(tmp_path / "checkpoint")
    tf.train.Checkpoint(second).restore(path).assert_consumed()
    np.testing.assert_array_equal(second.scale.numpy(), [7.0, 8.0])


def test_two_loads_share_nothing(tmp_path: Path) -> None:
    folder = unpacked("control_flow", tmp_path)
    first, second = tf.saved_model.load(folder), tf.saved_model.load(folder)
    first.f(tf.ones([2]), 1)
    assert (int(first.count), int(second.count)) == (1, 0)


def test_a_function_without_a_fitting_trace_says_what_it_has(tmp_path: Path) -> None:
    model = tf.saved_model.load(unpacked("traces", tmp_path))
    with pytest.raises(ValueError, match=r"one of the following 4 option\(s\)"):
        model.f(tf.constant("a"))
    with pytest.raises(ValueError, match=r"Could not find matching concrete function"):
        model.f(tf.ones([3]), 4)
    with pytest.raises(TypeError, match="too many positional arguments"):
        model.f(tf.ones([3]), 2, False)


def test_traces_are_those_that_were_saved(tmp_path: Path) -> None:
    model = tf.saved_model.load(unpacked("traces", tmp_path))
    shown = [c.structured_input_signature[0] for c in model.f.concrete_functions]
    assert shown[1] == (tf.TensorSpec([None], tf.float32, "x"), 3)
    assert model.f.concrete_functions[2].structured_input_signature[1] == {"negate": True}
    assert list(model.f.function_type.parameters) == ["x", "power", "negate"]


def test_a_signature_takes_arguments_by_name(tmp_path: Path) -> None:
    signatures = tf.saved_model.load(unpacked("signatures", tmp_path)).signatures
    assert list(signatures) == ["serving_default", "above"]
    serve = signatures["serving_default"]
    assert serve.structured_outputs.keys() == {"raw", "probability"}
    assert serve.structured_input_signature == (
        (),
        {"features": tf.TensorSpec([None, 2], tf.float32, "features")},
    )
    with pytest.raises(TypeError, match="missing a required argument: 'features'"):
        serve()
    with pytest.raises(KeyError, match="above"):
        signatures["predict"]


def test_objects_have_what_they_held_and_nothing_else(tmp_path: Path) -> None:
    model = tf.saved_model.load(unpacked("structures", tmp_path))
    assert type(model.layers) is list
    assert type(model.named) is dict
    assert type(model.pair) is tuple
    assert model.named["first"] is model.layers[0]
    assert callable(model.layers[0])
    assert not callable(model)
    assert "layers" in dir(model)
    with pytest.raises(AttributeError, match="it has layers, named"):
        _ = model.nothing


def test_a_table_reads_its_asset_once(tmp_path: Path) -> None:
    folder = unpacked("table", tmp_path)
    model = tf.saved_model.load(folder)
    shutil.rmtree(folder)
    numbers, names, size = model.f(tf.constant(["palmer", "x"]))
    assert numbers.numpy().tolist() == [2, -1]
    assert names.numpy().tolist() == [b"many", b"many"]
    assert int(size) == 3


def test_a_gradient_that_was_not_saved_is_no_other_one(tmp_path: Path) -> None:
    folder = unpacked("custom_gradient", tmp_path)
    message = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    del message.meta_graphs[0].graph_def.library.registered_gradients[:]
    (folder / "saved_model.pb").write_bytes(message.SerializeToString())
    model = tf.saved_model.load(folder)
    x = tf.constant([0.25, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model.f(x)
    assert y.numpy().tolist() == [0.3125, 12.0]
    with pytest.raises(LookupError, match="experimental_custom_gradients=True"):
        tape.gradient(y, x)


def test_loading_inside_a_function_makes_plain_objects(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    loaded = []

    @tf.function
    def f(seed: tf.Tensor) -> tf.Tensor:
        loaded.append(tf.saved_model.load(folder))
        return loaded[0].f(seed)[0]

    seed = tf.constant([1, 2])
    np.testing.assert_array_equal(f(seed), loaded[0].f(seed)[0])


def test_no_call_of_a_loaded_function_traces(tmp_path: Path) -> None:
    model = tf.saved_model.load(unpacked("traces", tmp_path))
    for size in range(1, 12):
        assert model.f(tf.ones([size]), 3).shape == [size]
        assert model.f(np.ones(size, np.float32), power=3).shape == [size]
        assert model.f([1.0] * size, 2).shape == [size]
    assert model.f.experimental_get_tracing_count() == 0
