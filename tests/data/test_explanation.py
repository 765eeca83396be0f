"""Reports on pipelines: the tree of stages, where they are made, the slowest, and what helps."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

import graphwright as tf

Dataset = tf.data.Dataset


def delayed(x: np.int64) -> np.int64:
    """A Python function that takes a while."""
    time.sleep(0.002)
    return x


def called(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """The dataset behind a call of Python."""
    return dataset.map(lambda x: tf.numpy_function(delayed, [x], tf.int64))


def test_stages_stand_at_the_lines_that_make_them() -> None:
    dataset = Dataset.range(50)
    dataset = dataset.map(lambda x: x + 1)
    report = dataset.batch(5).explain()
    first = Path(__file__).read_text().splitlines().index("    dataset = Dataset.range(50)") + 1
    lines = [stage.line for stage in report.stages]
    assert lines == [f"test_explanation.py:{first + shift}" for shift in (2, 1, 0)]
    assert [stage.elements for stage in report.stages] == [10, 50, 50]
    assert [stage.depth for stage in report.stages] == [0, 1, 2]


def test_a_python_function_is_the_bottleneck_by_its_name() -> None:
    report = called(Dataset.range(40)).batch(4).prefetch(2).explain()
    assert report.advice.startswith("MapDataset lambda (test_explanation.py:")
    assert "`delayed` holds the interpreter's lock" in report.advice
    assert report.stages[2].notes == ("one element at a time: it calls `delayed` in Python",)


def test_a_generator_is_the_bottleneck_by_its_kind() -> None:
    def rare() -> object:
        for i in range(40):
            time.sleep(0.002)
            yield i

    spec = tf.TensorSpec([], tf.int64)
    report = Dataset.from_generator(rare, output_signature=spec).prefetch(2).explain()
    assert "A Python generator holds the interpreter's lock" in report.advice
    assert report.stages[1].notes == ("runs `rare`, a Python generator",)


def test_waiting_for_a_thread_is_no_work() -> None:
    report = called(Dataset.range(40)).prefetch(2).explain()
    prefetch, mapped, _ = report.stages
    assert prefetch.seconds == 0
    assert prefetch.waited > 0
    assert mapped.seconds > 0
    assert mapped.waited == 0


def test_what_functions_make_stands_below_their_stage() -> None:
    dataset = Dataset.range(1, 40).flat_map(lambda n: Dataset.range(n).map(lambda x: x * 2))
    report = dataset.explain()
    names = [(stage.depth, stage.name, stage.elements) for stage in report.stages]
    assert names == [
        (0, "FlatMapDataset lambda", 780),
        (1, "MapDataset lambda", 780),
        (2, "RangeDataset", 780),
        (1, "RangeDataset", 39),
    ]


def test_windows_and_groups_stand_below_their_stage() -> None:
    report = Dataset.range(40).window(4).flat_map(lambda window: window.batch(2)).explain()
    names = [stage.name for stage in report.stages]
    assert names[:2] == ["FlatMapDataset lambda", "BatchDataset"]
    assert names[-2:] == ["WindowDataset", "RangeDataset"]


def test_a_step_that_waits_is_told_for_what() -> None:
    report = called(Dataset.range(30)).explain(step=lambda x: x + 1)
    assert report.elements == 30
    assert report.waiting is not None
    assert report.waiting > 0.5
    assert report.advice.startswith("The step waited ")
    assert "MapDataset lambda (test_explanation.py:" in report.advice


def test_a_step_that_is_slow_itself_hears_so() -> None:
    def step(x: tf.Tensor, y: tf.Tensor) -> None:
        time.sleep(0.005)

    pairs = Dataset.from_tensor_slices((np.arange(30), np.arange(30)))
    report = pairs.explain(step=step)
    assert report.elements == 30
    assert "The step hardly waits" in report.advice


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_elements_say_nothing_of_a_step(count: int) -> None:
    report = Dataset.range(count).explain(step=lambda x: x)
    assert (report.elements, report.waiting) == (count, 0)


def test_a_report_is_a_table_in_notebooks_too() -> None:
    report = Dataset.range(40).map(lambda x: x + 1).batch(4).explain()
    html = report._repr_html_()
    for word in ("BatchDataset", "MapDataset lambda", "RangeDataset", "10 elements in", "<table>"):
        assert word in html
    assert "BatchDataset" in str(report)
    assert repr(report) == str(report)
    for stage in report.stages:
        assert stage.line in html
        assert stage.line in str(report)


def test_names_are_never_cut_off() -> None:
    dataset = Dataset.range(4)
    for _ in range(12):
        dataset = dataset.skip(0)
    text = str(dataset.map(lambda x: x).explain())
    assert "…" not in text
    assert "RangeDataset" in text


def test_files_that_take_turns_can_be_watched(tmp_path: Path) -> None:
    paths = []
    for name in "ab":
        (tmp_path / name).write_text("1\n2\n3\n")
        paths.append(str(tmp_path / name))
    lines = tf.data.TextLineDataset(paths, num_parallel_reads=2)
    assert lines.explain().elements == 6
