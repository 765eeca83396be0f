"""Profiles of programs that take elements: events of stages, waiting, and what is said of it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf

Dataset = tf.data.Dataset


def delayed(x: np.int64) -> np.int64:
    """A Python function that takes a while."""
    time.sleep(0.002)
    return x


def numbers(count: int) -> tf.data.Dataset:
    """Numbers behind a call of Python, and a thread that takes them ahead."""
    dataset = Dataset.range(count).map(lambda x: tf.numpy_function(delayed, [x], tf.int64))
    return dataset.prefetch(2)


def profile_in(folder: Path) -> Any:
    """The one profile in a folder."""
    (path,) = folder.rglob("*.trace.json")
    return json.loads(path.read_text())


def spans(profile: Any, name: str) -> list[Any]:
    """The events of a name."""
    return [e for e in profile["traceEvents"] if e["name"] == name and e["ph"] == "X"]


def test_stages_have_events_on_their_threads(tmp_path: Path) -> None:
    with tf.profiler.experimental.Profile(str(tmp_path)):
        assert len(list(numbers(10))) == 10
    profile = profile_in(tmp_path)
    waits, calls = spans(profile, "wait for PrefetchDataset"), spans(profile, "MapDataset lambda")
    assert len(waits) == len(calls) == 11  # the last one hears that there are no more
    assert {e["tid"] for e in waits}.isdisjoint({e["tid"] for e in calls})
    assert all("test_waiting.py" in e["args"]["line"] for e in calls)
    assert sum(e["dur"] for e in calls) >= 10 * 2000


def test_what_the_program_waited_for_is_said(tmp_path: Path) -> None:
    with tf.profiler.experimental.Profile(str(tmp_path)):
        for _ in numbers(10):
            pass
    (remark,) = profile_in(tmp_path)["otherData"]["remarks"]
    assert remark.startswith("The program waited ")
    assert "MapDataset lambda (test_waiting.py:" in remark


def test_a_loop_of_a_graph_is_said_to_wait_as_well(tmp_path: Path) -> None:
    @tf.function
    def total(dataset: tf.data.Dataset) -> tf.Tensor:
        result = tf.constant(0, tf.int64)
        for x in dataset:
            result += x
        return result

    dataset = numbers(10)
    with tf.profiler.experimental.Profile(str(tmp_path)):
        assert int(total(dataset)) == 45
    profile = profile_in(tmp_path)
    assert len(spans(profile, "MapDataset lambda")) == 11
    waits = [r for r in profile["otherData"]["remarks"] if r.startswith("The program waited ")]
    assert len(waits) == 1


def test_an_iterator_from_before_the_profile_is_seen_to_wait(tmp_path: Path) -> None:
    iterator = iter(numbers(10))
    next(iterator)
    with tf.profiler.experimental.Profile(str(tmp_path)):
        for _ in range(3):
            next(iterator)
    next(iterator)
    profile = profile_in(tmp_path)
    assert len(spans(profile, "wait for PrefetchDataset")) == 3
    assert "for elements" in profile["otherData"]["remarks"][0]


@pytest.mark.parametrize("count", [0, 3])
def test_explaining_inside_a_profile_gives_its_report(tmp_path: Path, count: int) -> None:
    with tf.profiler.experimental.Profile(str(tmp_path)):
        report = numbers(count).explain()
    assert report.elements == count
    assert report.stages[1].elements == count
