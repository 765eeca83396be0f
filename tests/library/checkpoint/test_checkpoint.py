"""Checkpoints: what is saved comes back, whole, to where it belongs."""

from __future__ import annotations

import copy
import errno
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import graphwright as tf
from graphwright.base.files import new_file
from graphwright.values.variable import RESTORING

SOURCE = str(Path(tf.__file__).parents[1])


class Dense(tf.Module):
    """A layer that makes its variable when it is first used."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.units = units
        self.w: Any = None

    def __call__(self, x: Any) -> Any:
        if self.w is None:
            start = tf.fill([x.shape[-1], self.units], 0.25)
            self.w = tf.Variable(start, name="w")
        return x @ self.w


class Net(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [Dense(3), Dense(1)]
        self.extra = {"scale": tf.Variable(2.0), "again": self.layers[0]}

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x * self.extra["scale"]


X = tf.constant([[1.0, -1.0], [0.5, 2.0]])


def train(net: Net, optimizer: Any, steps: int) -> list[float]:
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((net(X) - 1.0) ** 2)
        variables = net.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        losses.append(float(loss))
    return losses


def test_training_goes_on_where_it_was_saved(tmp_path: Path) -> None:
    net, optimizer = Net(), tf.optimizers.Adam(0.05)
    train(net, optimizer, 3)
    path = tf.train.Checkpoint(net=net, optimizer=optimizer).save(str(tmp_path / "ckpt"))
    assert path == str(tmp_path / "ckpt-1")
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    wanted = train(net, optimizer, 3)

    net, optimizer = Net(), tf.optimizers.Adam(0.7)
    status = tf.train.Checkpoint(net=net, optimizer=optimizer).restore(path)
    with pytest.raises(AssertionError, match="net/layers/1/w"):
        status.assert_consumed()  # its variables do not exist yet
    status.assert_existing_objects_matched()
    assert train(net, optimizer, 3) == wanted
    status.assert_consumed()


def test_variables_made_inside_a_function_get_their_values(tmp_path: Path) -> None:
    net = Net()
    net(X)
    for layer in net.layers:
        layer.w.assign(layer.w * 3.0)
    wanted = net(X).numpy()
    path = tf.train.Checkpoint(net).write(str(tmp_path / "net"))
    other = Net()
    status = tf.train.Checkpoint(other).restore(path)
    np.testing.assert_array_equal(tf.function(other)(X), wanted)
    status.assert_consumed()


def test_a_list_may_grow_later(tmp_path: Path) -> None:
    module, later = tf.Module(), tf.Module()
    module.parts = [tf.Variable(1.0), tf.Variable(2.0)]
    path = tf.train.Checkpoint(module).write(str(tmp_path / "x"))
    later.parts = [tf.Variable(0.0)]
    status = tf.train.Checkpoint(later).read(path)
    later.parts[0].assign(5.0)
    later.parts = [*later.parts, tf.Variable(0.0)]
    status.assert_consumed()
    assert [float(v) for v in later.parts] == [5.0, 2.0]


def test_the_file_is_plain(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=[tf.Variable([1, 2])], b={"c": tf.Variable(True)}).save(
        str(tmp_path / "x")
    )
    found = load_file(path + ".safetensors")
    assert set(found) == {"a/0", "b/c", "save_counter"}
    np.testing.assert_array_equal(found["a/0"], [1, 2])


@pytest.mark.parametrize(
    "dtype",
    [tf.bool, tf.int8, tf.uint64, tf.float16, tf.bfloat16, tf.float64, tf.complex64, tf.complex128],
)
@pytest.mark.parametrize("shape", [[], [0, 2], [2, 3]])
def test_every_dtype_and_shape_comes_back(dtype: Any, shape: list[int], tmp_path: Path) -> None:
    value = tf.cast(tf.reshape(tf.range(int(np.prod(shape))) + 1, shape), dtype)
    v = tf.Variable(value)
    path = tf.train.Checkpoint(v=v).save(str(tmp_path / "x"))
    v.assign(tf.zeros(shape, dtype))
    tf.train.Checkpoint(v=v).restore(path).assert_consumed()
    np.testing.assert_array_equal(v.numpy(), value.numpy())
    assert v.dtype is dtype


@pytest.mark.parametrize(
    "words", [b"", b"\xff\x00 \n", [], [b"a", b"", "häß".encode()], [[b"a", b"bc"]]]
)
def test_strings_come_back(words: Any, tmp_path: Path) -> None:
    v = tf.Variable(tf.constant(words, tf.string))
    path = tf.train.Checkpoint(v=v).save(str(tmp_path / "x"))
    v.assign(tf.fill(v.shape, "other"))
    tf.train.Checkpoint(v=v).restore(path).assert_consumed()
    assert v.numpy().tolist() == words if isinstance(words, list) else v.numpy() == words


def test_shared_and_circular_objects(tmp_path: Path) -> None:
    a, b = tf.Module(name="a"), tf.Module(name="b")
    a.other, b.other = b, a
    a.v = b.v = tf.Variable(3.0)
    path = tf.train.Checkpoint(a).write(str(tmp_path / "x"))
    assert set(load_file(path + ".safetensors")) == {"v"}
    a.v.assign(0.0)
    tf.train.Checkpoint(other=a).read(path).expect_partial()
    assert float(a.v) == 3.0


def test_what_does_not_fit_is_named_and_nothing_changes(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable([1.0]), b=tf.Variable([2.0, 3.0])).save(
        str(tmp_path / "x")
    )
    a, b = tf.Variable([9.0]), tf.Variable([8])
    with pytest.raises(ValueError, match=r"b: saved with shape \(2,\) and dtype float32") as error:
        tf.train.Checkpoint(a=a, b=b).restore(path)
    assert "nothing was restored" in str(error.value)
    assert (float(a[0]), int(b[0])) == (9.0, 8)


def test_missing_and_unused_values(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0)).save(str(tmp_path / "x"))
    both = tf.train.Checkpoint(a=tf.Variable(0.0), b=tf.Variable(0.0))
    with pytest.raises(AssertionError, match=r"No value .* for the variables b"):
        both.restore(path).assert_existing_objects_matched()
    none = tf.train.Checkpoint(c=tf.Variable(0.0)).restore(path)
    with pytest.raises(AssertionError, match="Nothing to load"):
        none.assert_nontrivial_match()
    with pytest.raises(AssertionError, match=r"no variable .yet.: a"):
        none.assert_consumed()
    with pytest.raises(ValueError, match="was expecting model to be a trackable object"):
        tf.train.Checkpoint(model=object())


def test_absent_and_damaged_files(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(a=tf.Variable(1.0))
    with pytest.raises(tf.errors.NotFoundError, match="there is no checkpoint"):
        checkpoint.restore(str(tmp_path / "x-1"))
    path = checkpoint.save(str(tmp_path / "x"))
    file = Path(path + ".safetensors")
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(tf.errors.DataLossError, match="no whole checkpoint"):
        checkpoint.restore(path)
    assert tf.train.latest_checkpoint(str(tmp_path / "nowhere")) is None


@pytest.mark.parametrize("broken", ["fsync", "replace"])
@pytest.mark.parametrize("survived", [0, 1, 2, 3])
def test_a_crash_leaves_the_last_checkpoint(
    broken: str, survived: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1)
    manager.save()
    v.assign(2.0)
    real = getattr(os, broken)
    calls = []

    def crash(*args: Any) -> Any:
        calls.append(1)
        if len(calls) > survived:
            raise OSError("the machine stopped")
        return real(*args)

    monkeypatch.setattr(os, broken, crash)
    stopped = False
    try:
        manager.save()
    except tf.errors.UnknownError:
        stopped = True
    monkeypatch.undo()
    assert stopped == (survived < {"fsync": 4, "replace": 2}[broken])
    latest = tf.train.latest_checkpoint(str(tmp_path))
    tf.train.Checkpoint(v=v).restore(latest).assert_consumed()
    assert float(v) in (1.0, 2.0)
    again = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1)
    assert again.restore_or_initialize() == latest


@pytest.mark.parametrize("survived", [0, 1])
def test_a_save_that_failed_is_tried_again(
    survived: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not counted, the interval has not begun, and nothing is forgotten or deleted."""
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(
        checkpoint, str(tmp_path), 1, step_counter=step, checkpoint_interval=5
    )
    first = manager.save()
    step.assign(5)
    real, calls = os.replace, []

    def full(*args: Any) -> Any:
        calls.append(1)
        if len(calls) > survived:
            raise OSError(errno.ENOSPC, "no space left")
        return real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="no space left"):
            manager.save()
    assert manager.checkpoints == [first]
    assert int(checkpoint.save_counter) == 1
    step.assign(6)
    assert manager.save() == str(tmp_path / "ckpt-2")
    names = sorted(p.name for p in tmp_path.iterdir())
    assert names == ["checkpoint", "ckpt-2.safetensors"]


def test_the_manager_keeps_the_newest(tmp_path: Path) -> None:
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(
        checkpoint, str(tmp_path), 2, step_counter=step, checkpoint_interval=2
    )
    assert manager.latest_checkpoint is None
    saved = []
    for _ in range(6):
        saved.append(manager.save())
        step.assign_add(1)
    names = [None if p is None else p.rpartition("/")[2] for p in saved]
    assert names == ["ckpt-1", None, "ckpt-2", None, "ckpt-3", None]
    assert manager.checkpoints == [saved[2], saved[4]]
    files = sorted(p.name for p in tmp_path.iterdir())
    assert files == ["checkpoint", "ckpt-2.safetensors", "ckpt-3.safetensors"]
    other = tf.train.CheckpointManager(checkpoint, str(tmp_path), 2)
    assert other.checkpoints == manager.checkpoints
    assert other.restore_or_initialize() == saved[4]
    assert int(step) == 4
    ran = []
    fresh = tf.train.CheckpointManager(
        checkpoint, str(tmp_path / "new"), 1, init_fn=lambda: ran.append(1)
    )
    assert fresh.restore_or_initialize() is None
    assert ran == [1]


#: Dies, without a chance to clean up, at the call number `int(sys.argv[3])` of a function of `os`.
DYING = """
import os, sys
import graphwright as tf

directory, name, survived = sys.argv[1], sys.argv[2], int(sys.argv[3])
v = tf.Variable(1.0)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), directory, max_to_keep=1)
manager.save()
v.assign(2.0)
real, calls = getattr(os, name), []

def die(*arguments, **options):
    calls.append(1)
    if len(calls) > survived:
        os._exit(7)
    return real(*arguments, **options)

setattr(os, name, die)
manager.save()
"""


@pytest.mark.parametrize(
    ("name", "survived"),
    [*[("fsync", n) for n in range(5)], *[("replace", n) for n in range(3)], ("unlink", 0)],
)
def test_a_process_that_dies_leaves_the_last_checkpoint(
    name: str, survived: int, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", DYING, str(tmp_path), name, str(survived)]
    died = subprocess.run(command, env=os.environ | {"PYTHONPATH": SOURCE}).returncode
    assert died == (7 if survived < {"fsync": 4, "replace": 2, "unlink": 1}[name] else 0)
    v = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1)
    assert manager.restore_or_initialize() == tf.train.latest_checkpoint(str(tmp_path))
    assert float(v) in ((2.0,) if died == 0 else (1.0, 2.0))
    assert manager.save() is not None  # what the dead process left is in nobody's way
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]  # nor there


def test_what_is_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "c.safetensors"
    with new_file(path) as new:
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "c"))
        assert new.exists()
        new.write_bytes(b"other")
        os.replace(new, path)
    assert path.read_bytes() == b"other"
    assert list(tmp_path.iterdir()) == [path]


class Growing(tf.Module):
    """What it holds grows where it is, when it is built."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: Any = []
        self.named: Any = {}

    def build(self) -> None:
        parts = []
        self.named["own"] = tf.Variable(0.0)
        self.parts.append(parts)
        for _ in range(2):
            parts.append(tf.Variable([0.0, 0.0]))

    def __call__(self) -> Any:
        if not self.parts:
            self.build()
        return self.parts[0][0] * self.named["own"] + self.parts[0][1]


def grown(path: Path) -> str:
    """A checkpoint of one that was built."""
    module = Growing()
    module.build()
    module.parts[0][0].assign([1.0, 2.0])
    module.parts[0][1].assign([3.0, 4.0])
    module.named["own"].assign(5.0)
    return tf.train.Checkpoint(module=module).write(str(path / "grown"))


@pytest.mark.parametrize("staged", [None, False, True])
def test_lists_and_dicts_grow_where_they_are(staged: bool | None, tmp_path: Path) -> None:
    path, later = grown(tmp_path), Growing()
    status = tf.train.Checkpoint(module=later).restore(path)
    call = later if staged is None else tf.function(later, jit_compile=staged)
    assert call().numpy().tolist() == [8.0, 14.0]
    later.parts[0][0].assign([0.0, 1.0])
    assert status.assert_consumed() is status
    assert call().numpy().tolist() == [3.0, 9.0]


@pytest.mark.parametrize("compiled", [False, True])
def test_what_has_grown_is_trained_from_what_was_saved(compiled: bool, tmp_path: Path) -> None:
    path, later = grown(tmp_path), Growing()
    tf.train.Checkpoint(module=later).restore(path)
    later.build()

    @tf.function(jit_compile=compiled)
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(later())
        first, second = later.parts[0]
        first.assign_sub(tape.gradient(loss, first))
        second.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1])))
        return loss

    assert float(step()) == 22.0
    assert later.parts[0][0].numpy().tolist() == [-4.0, -3.0]
    assert later.parts[0][1].numpy().tolist() == [3.0, 5.0]


def test_a_value_of_one_s_own_goes_before_a_saved_one_that_was_not_asked_for(
    tmp_path: Path,
) -> None:
    path, later = grown(tmp_path), Growing()
    status = tf.train.Checkpoint(module=later).restore(path)
    later.build()
    assert later.named["own"].is_initialized()
    later.named["own"].assign(7.0)
    alone = tf.Variable(6.0)
    assert float(alone) == 6.0
    assert copy.deepcopy(later).parts[0][1].numpy().tolist() == [3.0, 4.0]
    status.assert_consumed()


def test_what_a_new_variable_does_not_fit_is_said_when_it_is_read(tmp_path: Path) -> None:
    path, later = grown(tmp_path), Growing()
    tf.train.Checkpoint(module=later).restore(path)
    later.parts.append([tf.Variable([0.0, 0.0, 0.0])])
    for _ in range(2):
        with pytest.raises(ValueError, match="module/parts/0/0: saved with shape"):
            later.parts[0][0].numpy()


def test_the_newest_checkpoint_is_asked_first(tmp_path: Path) -> None:
    path, later = grown(tmp_path), Growing()
    checkpoint = tf.train.Checkpoint(module=later)
    older = checkpoint.restore(path)
    made = tf.Variable([0.0, 0.0])
    module = Growing()
    module.build()
    newer = checkpoint.restore(tf.train.Checkpoint(module=module).write(str(tmp_path / "newer")))
    later.parts.append([made])
    assert made.numpy().tolist() == [0.0, 0.0]
    assert older is not newer


def test_nobody_waits_for_variables_longer_than_for_what_is_saved(tmp_path: Path) -> None:
    path, later = grown(tmp_path), Growing()
    status = tf.train.Checkpoint(module=later).restore(path)
    assert status in RESTORING
    later()
    assert status not in RESTORING
    tf.train.Checkpoint(module=Growing()).restore(path)
    gc.collect()
    assert not RESTORING


def test_writing_does_not_count(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert set(load_file(checkpoint.write(str(tmp_path / "a")) + ".safetensors")) == {"v"}
    path = checkpoint.save(str(tmp_path / "b"))
    later = tf.train.Checkpoint(v=tf.Variable(0.0))
    later.restore(path).assert_consumed()
    assert int(later.save_counter) == 1
    again = later.write(str(tmp_path / "c"))
    assert set(load_file(again + ".safetensors")) == {"v", "save_counter"}


def test_an_object_without_anything_to_save_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0), model=tf.Module(), history=[])
    checkpoint.save(str(tmp_path / "x"))
    (record,) = caplog.records
    assert "saves nothing of `model`, a Module" in record.getMessage()


@pytest.mark.parametrize("separator", [".", "/"])
def test_weights_of_any_safetensors_file_are_restored(tmp_path: Path, separator: str) -> None:
    """Files of others have no graph of objects: their keys are paths."""
    from safetensors.numpy import save_file

    module = tf.Module()
    module.layers = [tf.Module(), tf.Module()]
    for layer in module.layers:
        layer.kernel = tf.Variable([[0.0, 0.0]])
    keys = [f"layers.{i}.kernel".replace(".", separator) for i in range(2)]
    arrays = {key: np.array([[i, i + 0.5]], np.float32) for i, key in enumerate(keys)}
    save_file(arrays, str(tmp_path / "weights.safetensors"), {"format": "pt"})
    tf.train.Checkpoint(module).restore(str(tmp_path / "weights")).assert_consumed()
    values = [layer.kernel.numpy().tolist() for layer in module.layers]
    assert values == [[[0.0, 0.5]], [[1.0, 1.5]]]
    written = tf.train.Checkpoint(module).write(str(tmp_path / "own"))
    names = {name for name, _ in tf.train.list_variables(written)}
    assert {"layers/0/kernel/.ATTRIBUTES/VARIABLE_VALUE"} <= names
