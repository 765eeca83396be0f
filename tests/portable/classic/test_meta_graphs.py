"""Files of graphs (`.meta`): those of TensorFlow run here, and those of here are like them."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from corpora.classic_programs import plain
from corpora.meta_graph_programs import OLDER, PORTABLE
from support.hostile_models import CLEAR, change
from support.meta_graphs import meta_file, outcome, unlike

import graphwright as tf
from graphwright.proto.saved_model_pb2 import MetaGraphDef

FILE = Path(__file__).parents[2] / "golden" / "meta_graphs.zip"
v1 = tf.compat.v1


def unpacked(name: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    """The folder that TensorFlow wrote, and what its graph gave."""
    with zipfile.ZipFile(FILE) as archive:
        for entry in archive.namelist():
            if entry.startswith(f"{name}/"):
                archive.extract(entry, folder)
    return folder / name, json.loads((folder / name / "runs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [*PORTABLE, *OLDER])
def test_a_recorded_graph_runs_and_is_written_again(name: str, tmp_path: Path) -> None:
    folder, recorded = unpacked(name, tmp_path)
    made = plain(outcome(v1, folder, recorded["runs"]))
    assert list(unlike(made, recorded["outcome"])) == []


@pytest.mark.parametrize("name", PORTABLE)
def test_a_written_graph_gives_what_tensorflows_gives(name: str, tmp_path: Path) -> None:
    _, recorded = unpacked(name, tmp_path / "recorded")
    runs = PORTABLE[name](v1, str(tmp_path))
    assert plain(runs) == plain(json.loads(json.dumps(recorded["runs"])))
    made = plain(outcome(v1, tmp_path, runs))
    assert list(unlike(made, recorded["outcome"])) == []


# -- what is refused, and what is left out -------------------------------------------------------


def message_of(name: str, folder: Path) -> MetaGraphDef:
    """The message that TensorFlow wrote."""
    return MetaGraphDef.FromString(meta_file(unpacked(name, folder)[0]).read_bytes())


def test_an_op_that_is_not_there_is_left_out_with_what_needs_it(tmp_path: Path) -> None:
    message = message_of("training", tmp_path)
    message.graph_def.node.add(name="odd", op="NoSuchOp", input=["out"])
    message.graph_def.node.add(name="file", op="WriteFile", input=["out", "out"])
    message.graph_def.node.add(name="after", op="Tanh", input=["odd"])
    with tf.Graph().as_default() as graph, v1.Session() as session:
        saver = v1.train.import_meta_graph(message)
        saver.restore(session, str(tmp_path / "training" / "model"))
        assert session.run("out:0", {"x:0": [[1.0, 2.0]]}).shape == (1, 1)
        with pytest.raises(KeyError, match=r"left out, since graphwright has no op NoSuchOp"):
            graph.get_tensor_by_name("after:0")
        with pytest.raises(ValueError, match=r"'file' \(WriteFile\)"):
            session.run("file")
        with pytest.raises(ValueError, match=r"RestoreV2 is what a saver does: call its `save`"):
            session.run("save/restore_all")


def test_a_file_of_text_is_read_too(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        tf.Variable(2.0, name="v")
        made = v1.train.export_meta_graph(str(tmp_path / "a.meta"), as_text=True)
    assert (tmp_path / "a.meta").read_text().startswith("meta_info_def")
    with tf.Graph().as_default() as graph, v1.Session() as session:
        saver = v1.train.import_meta_graph(tmp_path / "a.meta")  # of all variables: it has no saver
        assert graph.as_graph_def() == made.graph_def
        session.run(v1.global_variables_initializer())
        assert saver.save(session, str(tmp_path / "b")) == str(tmp_path / "b")
    with tf.Graph().as_default():
        assert v1.train.import_meta_graph(MetaGraphDef()) is None


def test_devices_are_left_out_where_a_program_says_so() -> None:
    with tf.Graph().as_default():
        with tf.device("CPU:0"):
            tf.exp(tf.Variable(2.0, name="v"))
        for export in (v1.train.export_meta_graph, v1.train.Saver().export_meta_graph):
            stated, cleared = export(), export(clear_devices=True)
            assert any(node.device for node in stated.graph_def.node)
            assert not any(node.device for node in cleared.graph_def.node)


def test_two_graphs_in_scopes_have_variables_of_their_own(tmp_path: Path) -> None:
    message, path = message_of("references", tmp_path), str(tmp_path / "references" / "model-7")
    with tf.Graph().as_default(), v1.Session() as session:
        first = v1.train.import_meta_graph(message, import_scope="a")
        second = v1.train.import_meta_graph(message, import_scope="b")
        first.restore(session, path)
        second.restore(session, path)
        session.run("a/more")
        assert session.run(["a/count:0", "b/count:0"]) == [5, 3]
        assert len(v1.trainable_variables("b/")) == 1


def test_a_program_says_what_is_wrong(tmp_path: Path) -> None:
    message = message_of("training", tmp_path)
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        v1.train.import_meta_graph(message)
    (tmp_path / "b.meta").write_bytes(b"\xff\xff")
    message.collection_def["out"].node_list.value[0] = "nowhere:0"
    with tf.Graph().as_default():
        with pytest.raises(OSError, match="File does not exist"):
            v1.train.import_meta_graph(tmp_path / "a.meta")
        with pytest.raises(OSError, match="Cannot parse file"):
            v1.train.import_meta_graph(tmp_path / "b.meta")
        with pytest.raises(TypeError, match="from a path or a message"):
            v1.train.import_meta_graph(3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="the graph has no 'nowhere:0'"):
            v1.train.import_meta_graph(message)


def test_parts_that_are_no_whole_are_not_saved(tmp_path: Path) -> None:
    folder, _ = unpacked("partitioned", tmp_path)
    message = MetaGraphDef.FromString(meta_file(folder).read_bytes())
    places = next(n for n in message.graph_def.node if n.name == "save/RestoreV2").input[2]
    node = next(n for n in message.graph_def.node if n.name == places)
    values = node.attr["value"].tensor.string_val
    values[0] = values[0].replace(b"4 2 ", b"900000000 900000000 ")
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(message)
        saver.restore(session, str(meta_file(folder).with_suffix("")))
        with pytest.raises(tf.errors.InvalidArgumentError, match="no parts of one tensor 'w'"):
            saver.save(session, str(tmp_path / "model"))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("training", 12),
        ("references", 12),
        pytest.param("training", 150, marks=pytest.mark.slow),
        pytest.param("references", 150, marks=pytest.mark.slow),
    ],
)
def test_damaged_graphs_are_refused_or_run(name: str, count: int, tmp_path: Path) -> None:
    folder, recorded = unpacked(name, tmp_path)
    file = meta_file(folder)
    words: list[str] = []
    content, path = file.read_bytes(), str(file.with_suffix(""))
    for seed in range(count):
        rng = random.Random(seed)
        message = MetaGraphDef.FromString(content)
        part = rng.choice([message, message.graph_def, rng.choice(message.graph_def.node)])
        change(rng, part, ["", "w", "x", "out", "save/RestoreV2"])
        with tf.Graph().as_default(), v1.Session() as session:
            try:
                saver = v1.train.import_meta_graph(message)
                if saver is not None:
                    saver.restore(session, path)
                session.run(recorded["runs"][0][0][:1], recorded["runs"][0][1])
            except (*CLEAR, TypeError, ValueError) as error:
                words.append(str(error))
    assert all(words)
