"""A damaged checkpoint is a DataLossError with the file and the place, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import graphwright as tf
from graphwright.library.checkpoint.checkpoint_content import checksum, checksum_of


def objects() -> dict[str, Any]:
    table: Any = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a"], [7])
    return {
        "v": [tf.Variable(tf.range(3.0)), tf.Variable(["a", "bc"]), tf.Variable(3)],
        "w": tf.Variable(tf.constant([1.0, 2.0], tf.bfloat16)),
        "t": table,
    }


def zeros(held: dict[str, Any]) -> None:
    for v in [*held["v"], held["w"]]:
        v.assign(["", ""] if v.dtype == tf.string else tf.zeros_like(v))
    held["t"].remove(["a"])


def is_zero(held: dict[str, Any]) -> bool:
    values = [v.numpy().tolist() for v in [*held["v"], held["w"]]]
    return values == [[0, 0, 0], [b"", b""], 0, [0, 0]] and held["t"].size() == 0


@pytest.mark.parametrize("change", ["flip", "cut"])
def test_every_damaged_byte_is_noticed_and_changes_nothing(change: str, tmp_path: Path) -> None:
    held = objects()
    checkpoint = tf.train.Checkpoint(**held)
    path = checkpoint.write(str(tmp_path / "c"))
    file = Path(path + ".safetensors")
    whole = file.read_bytes()
    zeros(held)
    for place in range(0, len(whole), 5):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        file.write_bytes(damaged if change == "flip" else whole[:place])
        with pytest.raises(tf.errors.DataLossError, match=r"c\.safetensors"):
            checkpoint.restore(path)
        assert is_zero(held), place
    file.write_bytes(whole)
    checkpoint.restore(path).assert_consumed()
    assert held["v"][0].numpy().tolist() == [0.0, 1.0, 2.0]
    assert held["t"].lookup(["a"]).numpy().tolist() == [7]


Forgery = Callable[[list[Any], dict[str, Any]], object]
FORGERIES: dict[str, tuple[Forgery, str]] = {
    "no objects": (lambda nodes, sums: nodes.clear(), "it has no objects"),
    "no dict": (lambda nodes, sums: nodes.append(3), "object 1 has no children|has no children"),
    "no children": (lambda nodes, sums: nodes[0].pop("children"), "has no children"),
    "another child": (lambda nodes, sums: nodes[0]["children"].update(v=99), "is object 99 of"),
    "a child as text": (lambda nodes, sums: nodes[0]["children"].update(v="1"), "is object '1'"),
    "a negative child": (lambda nodes, sums: nodes[0]["children"].update(v=-1), "is object -1"),
    "no such value": (lambda nodes, sums: value(nodes).update(value="x"), "is not there"),
    "a value of another kind": (lambda nodes, sums: value(nodes).update(value=[]), "is not there"),
    "no dtype": (lambda nodes, sums: value(nodes).pop("dtype"), "is no None"),
    "another dtype": (lambda nodes, sums: value(nodes).update(dtype="int32"), "not int32"),
    "an unknown dtype": (lambda nodes, sums: value(nodes).update(dtype="f"), "is no f of shape"),
    "a handle": (lambda nodes, sums: value(nodes).update(dtype="resource"), "'v/0'"),
    "no shape": (lambda nodes, sums: value(nodes).pop("shape"), "the shape of 'v/0' is None"),
    "a larger shape": (lambda nodes, sums: value(nodes).update(shape=[4]), "not the 4 of shape"),
    "a huge shape": (lambda nodes, sums: value(nodes).update(shape=[2**62] * 9), "of shape"),
    "a negative shape": (lambda nodes, sums: value(nodes).update(shape=[-3]), "the shape of"),
    "tensors as a list": (lambda nodes, sums: nodes[0].update(tensors=[]), "are no dict"),
    "a tensor as text": (lambda nodes, sums: nodes[0].update(tensors={"a": "b"}), "not there"),
    "no checksum": (lambda nodes, sums: sums.pop("v/0"), "checksums of"),
    "another checksum": (lambda nodes, sums: sums.update({"v/0": 1}), "checksum of the value"),
    "a checksum as text": (lambda nodes, sums: sums.update({"v/0": "1"}), "checksum of the value"),
}  # fmt: skip


def value(nodes: list[Any]) -> dict[str, Any]:
    """The description of the first variable."""
    found: dict[str, Any] = next(node for node in nodes if node.get("value") == "v/0")
    return found


@pytest.mark.parametrize("name", FORGERIES)
def test_metadata_that_contradict_the_values_are_refused(name: str, tmp_path: Path) -> None:
    held = objects()
    checkpoint = tf.train.Checkpoint(**held)
    path = checkpoint.write(str(tmp_path / "c"))
    change, words = FORGERIES[name]
    with safe_open(path + ".safetensors", framework="numpy") as file:
        metadata = file.metadata()
    nodes, sums = json.loads(metadata["nodes"]), json.loads(metadata["checksums"])
    change(nodes, sums)
    forge(path, (json.dumps(nodes), json.dumps(sums)), metadata)
    zeros(held)
    with pytest.raises(tf.errors.DataLossError, match=words):
        checkpoint.restore(path)
    assert is_zero(held)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "3", '"a"', "{}", "nan"])
def test_metadata_that_are_no_list_of_objects_are_refused(text: str, tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    path = checkpoint.write(str(tmp_path / "c"))
    with safe_open(path + ".safetensors", framework="numpy") as file:
        metadata = file.metadata()
    forge(path, (text, metadata["checksums"]), metadata)
    with pytest.raises(tf.errors.DataLossError, match="its nodes"):
        checkpoint.restore(path)


def forge(path: str, texts: tuple[str, str], metadata: dict[str, str]) -> None:
    """Writes the file anew with other metadata and their right checksum."""
    arrays = load_file(path + ".safetensors")
    changed = {"nodes": texts[0], "checksums": texts[1], "checksum": checksum_of(texts)}
    save_file(arrays, path + ".safetensors", metadata | changed)


def test_strings_whose_lengths_leave_their_bytes_are_refused(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(["ab", "c"]))
    path = checkpoint.write(str(tmp_path / "c"))
    with safe_open(path + ".safetensors", framework="numpy") as file:
        metadata, array = file.metadata(), file.get_tensor("v").copy()
    for lengths in ([3, 1], [2**63, 2**63 + 3], [2**64 - 1, 4]):
        array[:16] = np.array(lengths, np.uint64).view(np.uint8)
        save_file({"v": array}, path + ".safetensors", metadata)
        forge(path, (metadata["nodes"], json.dumps({"v": checksum(array)})), metadata)
        with pytest.raises(tf.errors.DataLossError, match=r"has 19 entries|is no string"):
            checkpoint.restore(path)


def test_a_damaged_tensor_of_tensorflow_s_files_changes_nothing(tmp_path: Path) -> None:
    variables = [tf.Variable(tf.range(100.0)) for _ in range(3)]
    checkpoint = tf.train.Checkpoint(v=variables)
    options = tf.train.CheckpointOptions(file_format="tensorflow")
    path = checkpoint.write(str(tmp_path / "c"), options)
    shard = Path(path + ".data-00000-of-00001")
    data = bytearray(shard.read_bytes())
    data[-500] ^= 1
    shard.write_bytes(data)
    for v in variables:
        v.assign(tf.zeros([100]))
    with pytest.raises(tf.errors.DataLossError, match="checksum is wrong"):
        checkpoint.restore(path)
    assert [float(tf.reduce_sum(v)) for v in variables] == [0.0, 0.0, 0.0]


def test_tensors_of_objects_have_tensorflow_s_keys(tmp_path: Path) -> None:
    class Counted(tf.Module):
        def _serialize_to_tensors(self) -> dict[str, Any]:
            return {"count": tf.constant(3)}

        def _restore_from_tensors(self, restored_tensors: Any) -> None:
            self.restored = restored_tensors["count"].numpy()

    held = Counted()
    path = tf.train.Checkpoint(m=held).write(str(tmp_path / "c"))
    assert tf.train.list_variables(path)[1:] == [("m/.ATTRIBUTES/count", [])]
    assert tf.train.load_variable(path, "m/.ATTRIBUTES/count") == 3
    tf.train.Checkpoint(m=held).restore(path).assert_consumed()
    assert held.restored == 3


@pytest.mark.parametrize(
    "text",
    [
        "garbage{",
        "model_checkpoint_path: 3",
        'model_checkpoint_path: "a"\nfoo: 3',
        'model_checkpoint_path: "a"\nall_model_checkpoint_timestamps: x',
    ],
)
def test_a_state_file_that_is_none_names_no_checkpoint(
    text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "checkpoint").write_text(text)
    assert tf.train.get_checkpoint_state(str(tmp_path)) is None
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    assert "is damaged" in caplog.text


@pytest.mark.parametrize(
    "text", ["", "\n\n", 'model_checkpoint_path: ""', "last_preserved_timestamp: 3"]
)
def test_a_state_file_without_a_newest_checkpoint_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_text(text)
    with pytest.raises(ValueError, match="Invalid checkpoint state loaded from"):
        tf.train.latest_checkpoint(str(tmp_path))


def test_the_last_of_two_values_in_a_state_file_holds(tmp_path: Path) -> None:
    lines = ['model_checkpoint_path: "a"', 'model_checkpoint_path: "b"']
    lines += ["last_preserved_timestamp: 1e3", "last_preserved_timestamp: -2.5"]
    (tmp_path / "checkpoint").write_text("\n".join(lines))
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert state is not None
    assert state.model_checkpoint_path == str(tmp_path / "b")
    assert state.last_preserved_timestamp == -2.5
