"""Profiles hold what ran while they were taken, in a form that trace viewers read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import graphwright as tf


def events(folder: Path) -> list[dict]:
    (file,) = folder.rglob("*.trace.json")
    return json.loads(file.read_text())["traceEvents"]


def test_ops_functions_and_named_blocks_are_recorded(tmp_path: Path) -> None:
    @tf.function
    def f(x: object) -> object:
        return tf.reduce_sum(tf.matmul(x, x))

    x = tf.ones([4, 4])
    expected = float(f(x))
    profiler = tf.profiler.experimental
    with profiler.Profile(tmp_path), profiler.Trace("step", step_num=3):
        assert float(f(x)) == expected
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x)
        tape.gradient(y, x)
    found = {e["name"]: e for e in events(tmp_path)}
    assert found["PartitionedCall"]["args"] == {"function": "f"}
    assert found["step"]["args"] == {"step_num": "3"}
    assert found["step"]["dur"] >= found["Sin"]["dur"] >= 0
    assert all(e["ph"] == "X" for e in events(tmp_path))


def test_nothing_is_recorded_before_or_after(tmp_path: Path) -> None:
    with tf.profiler.experimental.Trace("outside"):
        tf.constant(1.0) + 1.0
    tf.profiler.experimental.start(tmp_path)
    tf.profiler.experimental.stop()
    tf.constant(1.0) + 1.0
    assert events(tmp_path) == []


def test_one_profile_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        tf.profiler.experimental.stop()
    tf.profiler.experimental.start(tmp_path)
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.profiler.experimental.start(tmp_path)
    tf.profiler.experimental.stop(save=False)
    tf.profiler.experimental.start(tmp_path / "again")
    tf.profiler.experimental.stop(save=False)
    assert not (tmp_path / "again").exists()
