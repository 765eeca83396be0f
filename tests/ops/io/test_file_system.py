"""Errors of the system have the classes that TensorFlow 2.21 gave on Linux."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import graphwright as tf
from graphwright.ops.io.file_system import failed

errors = tf.errors
v1 = tf.compat.v1


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.variable = tf.Variable(1.0)


def checkpoint() -> tf.train.Checkpoint:
    return tf.train.Checkpoint(variable=tf.Variable(1.0))


#: What writes files, by a name.
WRITERS: dict[str, Callable[[str], Any]] = {
    "write_file": lambda path: tf.io.write_file(path, "x"),
    "records": lambda path: tf.io.TFRecordWriter(path),
    "checkpoint": lambda path: checkpoint().write(path),
    "numbered": lambda path: checkpoint().save(path),
    "bundle": lambda path: checkpoint().write(
        path, tf.train.CheckpointOptions(file_format="tensorflow")
    ),
    "manager": lambda path: tf.train.CheckpointManager(checkpoint(), path, 2).save(),
    "model": lambda path: tf.saved_model.save(Model(), path),
    "dataset": lambda path: tf.data.Dataset.range(3).save(path),
    "cache": lambda path: list(tf.data.Dataset.range(3).cache(path)),
    "summary": lambda path: tf.summary.create_file_writer(path),
    "profile": lambda path: profile(path),
    "graph": lambda path: tf.io.write_graph(tf.Graph(), path, "graph.pbtxt"),
    "meta graph": lambda path: graph_with(lambda _: v1.train.export_meta_graph(path)),
    "text": lambda path: graph_with(lambda _: v1.train.export_meta_graph(path, as_text=True)),
    "saver": lambda path: graph_with(lambda session: v1.train.Saver().save(session, path)),
    "builder": lambda path: v1.saved_model.Builder(path),
    "training": lambda path: graph_with(
        lambda _: v1.train.MonitoredTrainingSession(checkpoint_dir=path)
    ),
}


def profile(path: str) -> None:
    tf.profiler.experimental.start(path)
    tf.profiler.experimental.stop()


def graph_with(call: Callable[[Any], object]) -> None:
    """Calls with a session of a graph that has a variable and a step."""
    with tf.Graph().as_default(), v1.Session() as session:
        v1.Variable(1.0)
        v1.train.get_or_create_global_step()
        session.run(v1.global_variables_initializer())
        call(session)


@pytest.mark.parametrize("below", ["a", "a/b"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_no_directory_to_write_to(tmp_path: Path, name: str, below: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(errors.FailedPreconditionError, match="file"):
        WRITERS[name](str(tmp_path / "file" / below))
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.skipif(sys.platform != "linux", reason="a system without /proc")
@pytest.mark.parametrize("name", WRITERS)
def test_no_directory_can_be_made_there(name: str) -> None:
    with pytest.raises(errors.NotFoundError, match="/proc/nothing"):
        WRITERS[name]("/proc/nothing/a")


@pytest.mark.skipif(os.name != "posix", reason="the limits of POSIX")
@pytest.mark.parametrize("name", ["write_file", "records", "checkpoint", "bundle", "model"])
def test_names_may_be_too_long(tmp_path: Path, name: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="too long"):
        WRITERS[name](str(tmp_path / ("n" * 300)))
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a system without /dev/full")
def test_a_disk_may_be_full() -> None:
    error = failed(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "/dev/full")
    assert isinstance(error, errors.ResourceExhaustedError)
    assert error.message == "/dev/full; No space left on device"


READERS: dict[str, Callable[[str], Any]] = {
    "read_file": tf.io.read_file,
    "lines": lambda path: list(tf.data.TextLineDataset(path)),
    "records": lambda path: list(tf.data.TFRecordDataset(path)),
    "stat": tf.io.gfile.stat,
}


def test_a_folder_of_a_model_may_become_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    builder = v1.saved_model.Builder(str(folder))
    folder.rmdir()
    folder.write_text("x")
    with pytest.raises(errors.FailedPreconditionError, match="model"):
        builder.save()
    with pytest.raises(errors.FailedPreconditionError, match="model"):
        graph_with(lambda session: builder.add_meta_graph_and_variables(session, ["serve"]))
    assert folder.read_text() == "x"


@pytest.mark.parametrize("name", READERS)
def test_a_file_is_no_directory_to_read_from(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(errors.FailedPreconditionError, match="file"):
        READERS[name](str(tmp_path / "file/x"))


def test_a_number_is_not_always_given() -> None:
    assert isinstance(failed(FileNotFoundError(), "a"), errors.NotFoundError)
    assert isinstance(failed(IsADirectoryError("odd"), "a"), errors.FailedPreconditionError)
    unknown = failed(OSError("odd"), "a")
    assert isinstance(unknown, errors.UnknownError)
    assert unknown.message == "a; odd"
