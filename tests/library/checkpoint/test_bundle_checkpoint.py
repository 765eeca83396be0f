"""Checkpoints of TensorFlow are restored, and ours are written as TensorFlow's are.

`tools/record_checkpoints.py --load` shows that TensorFlow restores what is written here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.checkpoint_objects import objects, values

import graphwright as tf
from graphwright.library.checkpoint.bundle_checkpoint import load_bundle
from graphwright.library.checkpoint.sorted_table import entries_of

GOLDEN = Path(__file__).parents[2] / "golden" / "checkpoints.zip"
TENSORFLOW = tf.train.CheckpointOptions(file_format="tensorflow")


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """The folder of checkpoints that TensorFlow wrote."""
    with zipfile.ZipFile(GOLDEN) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def expected() -> list[Any]:
    """The values that were saved."""
    return values(tf, objects(tf, is_set=True))


def test_tensorflows_checkpoint_is_restored(recorded: Path) -> None:
    held = objects(tf, is_set=False)
    assert values(tf, held) != expected()
    path = tf.train.latest_checkpoint(recorded)
    assert path == str(recorded / "ckpt-1")
    tf.train.Checkpoint(**held).restore(path).assert_consumed()
    assert values(tf, held) == expected()


def test_what_is_made_later_is_restored_too(recorded: Path) -> None:
    class Grown(tf.Module):
        pass

    grown = Grown()
    status = tf.train.Checkpoint(model=grown).restore(recorded / "ckpt-1")
    grown.w = tf.Variable([[0.0, 0.0]])
    assert grown.w.numpy().tolist() == [[1.0, 2.0]]
    with pytest.raises(AssertionError, match=r"Unresolved values.*generator/_state_var"):
        status.assert_consumed()


def test_a_checkpoint_goes_there_and_back(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(**objects(tf, is_set=True)).save(tmp_path / "c", TENSORFLOW)
    assert sorted(os.listdir(tmp_path)) == ["c-1.data-00000-of-00001", "c-1.index", "checkpoint"]
    assert tf.train.latest_checkpoint(tmp_path) == path
    held = objects(tf, is_set=False)
    tf.train.Checkpoint(**held).restore(path).assert_consumed()
    assert values(tf, held) == expected()


def test_the_keys_are_tensorflows(recorded: Path, tmp_path: Path) -> None:
    path = tf.train.Checkpoint(**objects(tf, is_set=True)).save(tmp_path / "own", TENSORFLOW)
    readers = [tf.train.load_checkpoint(p) for p in (recorded / "ckpt-1", path)]
    shapes = [reader.get_variable_to_shape_map() for reader in readers]
    dtypes = [reader.get_variable_to_dtype_map() for reader in readers]
    assert shapes[0] == shapes[1]
    assert dtypes[0] == dtypes[1]


class OneTensor(tf.__internal__.tracking.AutoTrackable):
    """What makes one tensor of itself, by the name that variables have, as Keras's variables do."""

    def __init__(self, value: float) -> None:
        self.value = value

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": tf.constant(self.value)}

    def _restore_from_tensors(self, restored_tensors: Any) -> None:
        self.value = float(restored_tensors["VARIABLE_VALUE"])


@pytest.mark.parametrize("file_format", ["tensorflow", "safetensors"])
@pytest.mark.parametrize("kind", [tf.Variable, OneTensor])
def test_a_variable_is_what_makes_one_such_tensor(
    kind: Any, file_format: str, tmp_path: Path
) -> None:
    options = tf.train.CheckpointOptions(file_format=file_format)
    path = tf.train.Checkpoint(v=kind(2.0)).write(str(tmp_path / "c"), options)
    variable, one = tf.Variable(0.0), OneTensor(0.0)
    for holder in (variable, one):
        tf.train.Checkpoint(v=holder).restore(path).assert_existing_objects_matched()
    assert (variable.numpy(), one.value) == (2.0, 2.0)


def test_a_checkpoint_is_read_without_its_objects(recorded: Path) -> None:
    reader = tf.train.load_checkpoint(recorded)
    assert reader.get_tensor("model/w/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [[1.0, 2.0]]
    key = "model/named/a.Sb..c/.ATTRIBUTES/VARIABLE_VALUE"
    assert reader.has_tensor(key)
    assert tf.train.load_variable(recorded, key).tolist() == [True, False]
    assert ("save_counter/.ATTRIBUTES/VARIABLE_VALUE", []) in tf.train.list_variables(recorded)


def test_named_variables_are_read_and_not_restored(recorded: Path) -> None:
    reader = tf.train.load_checkpoint(recorded / "named")
    assert reader.get_variable_to_shape_map() == {"scope/v": [2]}
    np.testing.assert_array_equal(reader.get_tensor("scope/v"), [1.0, 2.0])
    with pytest.raises(NotImplementedError, match="has no graph of objects, as TensorFlow 1"):
        tf.train.Checkpoint().restore(recorded / "named")


def test_one_path_has_one_format(tmp_path: Path) -> None:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(tmp_path / "c")
    for value, options in [(2.0, TENSORFLOW), (3.0, None), (4.0, TENSORFLOW)]:
        v.assign(value)
        checkpoint.write(path, options)
        v.assign(0.0)
        checkpoint.restore(path).assert_existing_objects_matched()
        assert float(v) == value
    assert sorted(os.listdir(tmp_path)) == ["c.data-00000-of-00001", "c.index"]


def test_a_manager_deletes_both_files(tmp_path: Path) -> None:
    v = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    for number in range(4):
        v.assign(number)
        manager.save(options=TENSORFLOW)
    files = [f"ckpt-{n}{end}" for n in (3, 4) for end in (".data-00000-of-00001", ".index")]
    assert sorted(os.listdir(tmp_path)) == sorted([*files, "checkpoint"])
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    v.assign(9)
    assert again.restore_or_initialize() == str(tmp_path / "ckpt-4")
    assert int(v) == 3


def test_callbacks_are_called_with_the_path(tmp_path: Path) -> None:
    written: list[str] = []
    options = tf.train.CheckpointOptions(
        experimental_write_callbacks=[written.append, lambda: written.append("nothing")]
    )
    path = tf.train.Checkpoint(v=tf.Variable(1)).write(tmp_path / "c", options)
    assert written == [path, "nothing"]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"file_format": "text"}, ValueError),
        ({"experimental_skip_slot_variables": True}, NotImplementedError),
    ],
)
def test_other_options_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options))):
        tf.train.CheckpointOptions(**options)


def test_a_value_that_does_not_fit_changes_nothing(recorded: Path) -> None:
    held = objects(tf, is_set=False)
    held["model"].layers[0] = tf.Variable([0, 0])
    before = values(tf, held)
    with pytest.raises(ValueError, match=r"model/layers/0: saved with shape \(\) and dtype int32"):
        tf.train.Checkpoint(**held).restore(recorded / "ckpt-1")
    assert values(tf, held) == before


def test_every_damaged_byte_is_noticed(recorded: Path) -> None:
    def outcome() -> object:
        held = objects(tf, is_set=False)
        try:
            tf.train.Checkpoint(**held).restore(recorded / "ckpt-1").assert_consumed()
        except (tf.errors.DataLossError, tf.errors.UnimplementedError) as error:
            return type(error)
        return values(tf, held)

    whole = expected()
    for name in ("ckpt-1.index", "ckpt-1.data-00000-of-00001"):
        data = (recorded / name).read_bytes()
        for place in range(0, len(data), 7):
            damaged = bytearray(data)
            damaged[place] ^= 0x41
            (recorded / name).write_bytes(damaged)
            if outcome() == whole:  # in the padding of the footer, or in a block without entries
                assert name.endswith("index")
                assert place > len(data) - 100
        (recorded / name).write_bytes(data)
    assert outcome() == whole


def test_a_missing_file_is_named(recorded: Path) -> None:
    (recorded / "ckpt-1.data-00000-of-00001").unlink()
    with pytest.raises(tf.errors.DataLossError, match=r"ckpt-1\.data-00000-of-00001 is missing"):
        tf.train.Checkpoint(v=tf.Variable(1)).restore(recorded / "ckpt-1")
    with pytest.raises(tf.errors.NotFoundError, match="there is no checkpoint"):
        tf.train.Checkpoint().restore(recorded / "ckpt-7")


def large(value: float) -> Any:
    """A checkpoint of several pieces, whose last one is smaller than the others."""
    return tf.train.Checkpoint(v=tf.Variable(tf.fill([700_000], value)))


def holds(path: Path, value: float) -> bool:
    """Whether a checkpoint has a value, and nothing else lies beside it."""
    held = large(0.0)
    held.restore(path)
    names = {name for name in os.listdir(path.parent) if not name.startswith("checkpoint")}
    return bool((held.v.numpy() == value).all()) and names == {
        f"{path.name}.index", f"{path.name}.data-00000-of-00001"
    }  # fmt: skip


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    large(1.0).write(tmp_path / "c", TENSORFLOW)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (1 << 18, 1 << 20, 2_500_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            with pytest.raises(tf.errors.ResourceExhaustedError, match="File too large"):
                large(2.0).write(tmp_path / "c", TENSORFLOW)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert holds(tmp_path / "c", 1.0)


def test_a_process_that_is_killed_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    """One is killed between pieces; the next one saves while it ends, and clears up."""
    program = (
        "import atexit, os, signal, sys, graphwright as tf\n"
        "from graphwright.library.io.records import crc32c\n"
        "extend = crc32c().extend\n"
        "options = tf.train.CheckpointOptions(file_format='tensorflow')\n"
        "v = tf.Variable(tf.fill([700_000], float(sys.argv[2])))\n"
        "def save():\n"
        "    tf.train.Checkpoint(v=v).write(sys.argv[1], options)\n"
        "count = 0\n"
        "def killed(crc, piece):\n"
        "    global count\n"
        "    count += 1\n"
        "    if count == 3:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return extend(crc, piece)\n"
        "if sys.argv[3] == 'killed':\n"
        "    crc32c().extend = killed\n"
        "    save()\n"
        "atexit.register(save)\n"
    )
    path = tmp_path / "c"
    large(1.0).write(path, TENSORFLOW)
    call = [sys.executable, "-c", program, str(path)]
    assert subprocess.run([*call, "2.0", "killed"], check=False).returncode == -signal.SIGKILL
    held = large(0.0)
    held.restore(path)
    assert (held.v.numpy() == 1.0).all()
    done = subprocess.run([*call, "3.0", "ends"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert holds(path, 3.0)


def test_an_object_that_is_not_there_is_refused(tmp_path: Path) -> None:
    from graphwright.library.checkpoint.tensor_bundle import OBJECTS, write_bundle
    from graphwright.proto.checkpoint_pb2 import TrackableObjectGraph
    from graphwright.types.dtypes import string

    graph = TrackableObjectGraph()
    graph.nodes.add().children.add(node_id=5, local_name="v")
    content = np.empty((), object)
    content[()] = graph.SerializeToString()
    paths = [f"{tmp_path}/c.data-00000-of-00001", f"{tmp_path}/c.index"]
    write_bundle(*paths, {OBJECTS: (string, lambda: content)})
    assert [key for key, _ in entries_of(Path(paths[1]).read_bytes())] == [b"", OBJECTS.encode()]
    with pytest.raises(tf.errors.DataLossError, match="there is no object 5"):
        load_bundle(f"{tmp_path}/c")
