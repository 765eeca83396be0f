"""What the builder of saved models writes, and what it refuses, as TensorFlow 2.21 does."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphwright as tf
from graphwright.proto.saved_model_pb2 import SavedModel

v1 = tf.compat.v1
names = v1.saved_model


def test_two_graphs_share_variables_and_files(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a\nb\n")
    folder = tmp_path / "model"
    builder = names.builder.SavedModelBuilder(folder)
    for tags in (["train"], ["serve", "gpu"]):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.string, [None], name="x")
            path = tf.constant(str(tmp_path / "words.txt"))
            whole, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
            lines = tf.lookup.TextFileInitializer(path, tf.string, whole, tf.int64, number)
            ids = tf.lookup.StaticHashTable(lines, -1).lookup(x)
            y = tf.cast(ids, tf.float32) * v1.get_variable("w", initializer=2.0)
            signature = {"serving_default": names.predict_signature_def({"x": x}, {"y": y})}
            if tags == ["train"]:
                session.run(v1.global_variables_initializer())
                builder.add_meta_graph_and_variables(
                    session, tags, signature, [path], names.main_op.main_op()
                )
            else:
                builder.add_meta_graph(tags, signature)
    assert builder.save() == str(folder / "saved_model.pb").encode()
    (tmp_path / "words.txt").unlink()
    assert [file.name for file in (folder / "assets").iterdir()] == ["words.txt"]
    for tags in (["train"], ["gpu", "serve"]):
        with tf.Graph().as_default(), v1.Session() as session:
            names.loader.load(session, tags, folder, import_scope="in")
            fetched = session.run("in/mul:0", {"in/x:0": ["b", "z"]})
            assert fetched.tolist() == [2.0, -2.0]
            assert [v.name for v in v1.global_variables()] == ["in/w:0"]
    session = v1.Session(graph=tf.Graph())
    with pytest.raises(RuntimeError, match="tags 'serve' could not be found in SavedModel"):
        names.load(session, ["serve"], folder)
    message = SavedModel.FromString((folder / "saved_model.pb").read_bytes()).meta_graphs[1]
    (file,) = message.collection_def["saved_model_assets"].any_list.value
    assert file.type_url == "type.googleapis.com/tensorflow.AssetFileDef"


def test_a_model_of_tensorflow_2_runs_in_a_session(tmp_path: Path) -> None:
    module = tf.Module()
    module.w = tf.Variable([2.0, 3.0])
    module.table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [0, 1]), 0
    )
    spec = tf.TensorSpec([None], tf.string, "words")
    module.f = tf.function(lambda words: tf.gather(module.w, module.table.lookup(words)), [spec])
    tf.saved_model.save(module, tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        message = names.load(session, ["serve"], tmp_path / "model")
        signature = message.signature_def["serving_default"]
        feeds = {signature.inputs["words"].name: ["b", "a"]}
        assert session.run(signature.outputs["output_0"].name, feeds).tolist() == [3.0, 2.0]


def test_wrong_calls_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        names.Builder(tmp_path)
    builder = names.Builder(tmp_path / "model")
    with pytest.raises(RuntimeError, match="not supported in eager execution"):
        names.build_tensor_info(tf.constant(1.0))
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        info = names.build_tensor_info(x)
        with pytest.raises(AssertionError, match="Please invoke `add_meta_graph_and_variables"):
            builder.add_meta_graph(["serve"])
        empty = names.build_signature_def({"x": type(info)()}, {"y": info}, "predict")
        add = builder.add_meta_graph_and_variables
        with pytest.raises(AssertionError, match="Invalid `tensor_info`"):
            add(session, ["serve"], {"f": empty})
        with pytest.raises(KeyError, match="reserved"):
            add(session, ["serve"], {"__saved_model_init_op": names.build_signature_def()})
        with pytest.raises(TypeError, match="to be an Operation but got type"):
            add(session, ["serve"], main_op=x)
        with pytest.raises(TypeError, match="must be a constant Tensor"):
            add(session, ["serve"], assets_collection=[x])
        with pytest.raises(ValueError, match="Prediction `outputs` cannot be None or empty"):
            names.simple_save(session, tmp_path / "other", {"x": x}, {})
        with pytest.raises(ValueError, match="must be tensors of type string"):
            names.regression_signature_def(x, x)
        with pytest.raises(ValueError, match="`classes` and `scores` cannot both be None"):
            names.classification_signature_def(v1.placeholder(tf.string), None, None)
        add(session, ["serve"], main_op=tf.no_op())
        with pytest.raises(AssertionError, match="has already been saved"):
            add(session, ["serve"])
        with pytest.raises(ValueError, match="already contains one or more main ops"):
            builder.add_meta_graph(["gpu"], main_op=tf.no_op())


def test_what_runs_on_load_stays_small(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        builder = names.Builder(tmp_path / "model")
        large = tf.fill([1 << 15, 1 << 15], 1.0)
        builder.add_meta_graph_and_variables(session, ["serve"], main_op=tf.group(large))
        builder.save()
    session = v1.Session(graph=tf.Graph())
    with pytest.raises(tf.errors.InvalidArgumentError, match="would make a tensor of"):
        names.load(session, ["serve"], tmp_path / "model")
