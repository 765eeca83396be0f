"""Profiles hold what ran while they were taken, in a form that trace viewers read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import graphwright as tf


def written(folder: Path) -> dict:
    (file,) = folder.rglob("*.trace.json")
    return json.loads(file.read_text())


def events(folder: Path) -> list[dict]:
    return [event for event in written(folder)["traceEvents"] if event["ph"] == "X"]


def test_ops_functions_and_named_blocks_are_recorded(usual_tiers: None, tmp_path: Path) -> None:
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
    assert found["PartitionedCall"]["args"] == {"function": "f", "tier": "python"}
    assert found["step"]["args"] == {"step_num": "3"}
    assert found["step"]["dur"] >= found["Sin"]["dur"] >= 0


def test_the_file_is_what_the_trace_event_format_asks_for(tmp_path: Path) -> None:
    f = tf.function(lambda x: tf.sin(x) * 2.0)
    g = tf.function(lambda x: tf.cos(x) * 2.0, jit_compile=True)
    with tf.profiler.experimental.Profile(tmp_path), tf.profiler.experimental.Trace("all"):
        for n in range(1, 5):
            for _ in range(5):
                f(tf.ones([n]))
            g(tf.ones([n]))
    found = written(tmp_path)
    assert set(found) == {"traceEvents", "displayTimeUnit"}
    assert found["displayTimeUnit"] in ("ms", "ns")
    required = {"name": str, "ph": str, "pid": int, "tid": int, "args": dict}
    timed = required | {"cat": str, "ts": float, "dur": float}
    for event in found["traceEvents"]:
        expected = {"X": timed, "M": required}[event["ph"]]
        assert {key: type(event[key]) for key in event} == expected
        assert 0 <= event["pid"] < 2**31
        assert 0 <= event["tid"] < 2**31
    names = {e["args"]["name"]: e["tid"] for e in found["traceEvents"] if e["ph"] == "M"}
    assert names.keys() >= {"graphwright", "MainThread", "compiler 0"}
    tracks: dict[int, list[dict]] = {}
    for event in events(tmp_path):
        assert event["dur"] >= 0
        tracks.setdefault(event["tid"], []).append(event)
    assert tracks.keys() <= set(names.values())
    for track in tracks.values():  # slices of a track lie in each other or apart
        ends: list[float] = []
        for event in sorted(track, key=lambda e: (e["ts"], -e["dur"])):
            while ends and ends[-1] <= event["ts"] + 0.01:  # µs, for rounding
                ends.pop()
            assert not ends or event["ts"] + event["dur"] <= ends[-1] + 0.01
            ends.append(event["ts"] + event["dur"])


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


def test_functions_run_in_their_tier_and_compilations_are_there(tmp_path: Path) -> None:
    f = tf.function(lambda x: tf.sin(x) * 2.0, jit_compile=True)
    x = tf.ones([4])
    with tf.profiler.experimental.Profile(tmp_path):
        f(x)
        f(x)
    found = events(tmp_path)
    calls = [e["args"]["tier"] for e in found if e["name"] == "PartitionedCall"]
    made = [e["args"]["tier"] for e in found if e["name"].startswith("compile ")]
    assert calls[-1] == made[-1]


def test_segments_of_machine_code_are_timed_with_their_ops_and_lines(tmp_path: Path) -> None:
    v = tf.Variable(1.0)

    @tf.function(jit_compile=True)
    def f(x):
        y = tf.sin(x) * 2.0
        v.assign(tf.reduce_sum(y))
        return y + 1.0

    x = tf.ones([4])
    expected = f(x).numpy()
    with tf.profiler.experimental.Profile(tmp_path):
        assert f(x).numpy().tolist() == expected.tolist()
    found = events(tmp_path)
    (call,) = [e for e in found if e["args"].get("tier") == "native"]
    segments = [e for e in found if e["name"] == "segment"]
    assert segments
    assert "Sin" in [op for e in segments for op in e["args"]["ops"]]
    line = f.python_function.__code__.co_firstlineno + 2
    assert any(f"line {line}" in where for e in segments for where in e["args"]["lines"])
    assert sum(e["dur"] for e in segments) <= call["dur"]


def test_the_ops_of_functions_are_timed_one_by_one_on_demand(tmp_path: Path) -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = tf.sin(x)
        v.assign_add(tf.reduce_sum(x))
        return {"x": x, "v": v + 0.0}

    x = tf.ones([4])
    expected = f(x, tf.constant(3))
    v.assign(1.0)
    options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=3)
    with tf.profiler.experimental.Profile(tmp_path, options):
        found = f(x, tf.constant(3))
    assert float(found["v"]) == float(expected["v"])
    assert found["x"].numpy().tolist() == expected["x"].numpy().tolist()
    by_name = {e["name"]: e for e in events(tmp_path)}
    assert {"StatelessWhile", "Sum", "AssignAddVariableOp"} <= set(by_name)
    assert "test_profiler.py" in by_name["Sum"]["args"]["line"]
