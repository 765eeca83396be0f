"""Fingerprints depend on what a pipeline does, and on nothing else."""

from __future__ import annotations

import collections
import functools
import math
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf

Dataset = tf.data.Dataset

PIPELINE = """
import graphwright as tf
dataset = tf.data.Dataset.range(5).map(lambda x: x + 1).batch(2)
print(int(dataset.fingerprint()))
"""


def marks(*datasets: Any) -> int:
    """How many fingerprints datasets have."""
    return len({int(dataset.fingerprint()) for dataset in datasets})


def test_pipelines_that_are_made_alike_have_one() -> None:
    def made() -> Any:
        return Dataset.range(5).map(lambda x: x + 1).shuffle(3, seed=1).batch(2)

    assert marks(made(), made()) == 1


def test_it_differs_by_stages_numbers_elements_functions_and_captures() -> None:
    three, four = tf.constant(3, tf.int64), tf.constant(4, tf.int64)
    assert (
        marks(
            Dataset.range(5),
            Dataset.range(6),
            Dataset.range(5, output_type=tf.int32),
            Dataset.range(5).skip(1),
            Dataset.range(5).take(1),
            Dataset.range(5).map(lambda x: x + 1),
            Dataset.range(5).map(lambda x: x + 2),
            Dataset.range(5).map(lambda x: x * 2),
            Dataset.range(5).map(lambda x: x + three),
            Dataset.range(5).map(lambda x: x + four),
            Dataset.range(5).flat_map(Dataset.range),
            Dataset.from_tensor_slices([1, 2]),
            Dataset.from_tensor_slices([1, 3]),
            Dataset.from_tensor_slices(["a", "bc"]),
            Dataset.from_tensor_slices(["ab", "c"]),
        )
        == 15
    )


class Scaled:
    """A generator of elements that has a number of its own."""

    def __init__(self, scale: int) -> None:
        self.scale = scale

    def __call__(self) -> Any:
        yield self.scale


def table(value: int) -> Any:
    """A table in which "a" has a value."""
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [value]), 0)


def generated(function: Any) -> Any:
    return Dataset.from_generator(function, output_signature=tf.TensorSpec([], tf.int64))


def closed_over(thing: Any) -> Any:
    """A dataset whose generator closes over something."""
    return generated(lambda: iter([hash(thing)]))


@pytest.mark.parametrize(
    "made",
    [
        lambda n: generated(Scaled(n)),
        lambda n: generated(functools.partial(range, n)),
        lambda n: closed_over({"a": [n]}),
        lambda n: closed_over(np.arange(n)),
        lambda n: closed_over(tf.constant(n)),
        lambda n: closed_over(tf.Variable(n)),
        lambda n: closed_over(tf.ragged.constant([[n], []])),
        lambda n: closed_over(tf.function(lambda: n)),
        lambda n: closed_over(Dataset.range(n)),
        lambda n: closed_over(Fraction(1, n)),
        lambda n: closed_over(re.compile("a" * n)),
        lambda n: closed_over(Scaled(n)),
        lambda n: closed_over(collections.deque([n])),
        lambda n: closed_over([math.sin, math.cos][n - 1]),
        lambda n: Dataset.range(3).map(tf.Variable(n, dtype=tf.int64).__add__),
        lambda n: Dataset.from_tensors(["a"]).map(table(n).lookup),
    ],
)
def test_it_differs_by_the_state_of_what_functions_bring(made: Callable[[int], Any]) -> None:
    assert marks(made(1), made(1), made(2)) == 2


def test_what_has_no_state_to_compare_counts_by_its_class() -> None:
    assert marks(closed_over(threading.Lock()), closed_over(threading.Lock())) == 1
    assert marks(closed_over(math), closed_over(re)) == 2


@pytest.mark.parametrize(
    "pipeline",
    [
        lambda n: Dataset.range(5).map(lambda x: x + n).map(lambda x: x + 1),
        lambda n: Dataset.range(5).map(lambda x: x + 1).map(lambda x: x + n),
        lambda n: Dataset.range(5).map(lambda x: x + 1).filter(lambda x: x != n),
        lambda n: Dataset.range(5).filter(lambda x: x != 9).filter(lambda x: x != n),
        lambda n: Dataset.range(5).map(lambda x: x * n).prefetch(1).prefetch(2),
        lambda n: Dataset.range(5).map(lambda x: x * n).take(-1).batch(2),
        lambda n: Dataset.range(5 * n).window(2).flat_map(lambda w: w.batch(2)),
        lambda n: Dataset.range(5).window(n).flat_map(lambda w: w.batch(n)),
        lambda n: Dataset.range(5).map(lambda x: x * n, num_parallel_calls=2),
    ],
)
def test_rewritten_pipelines_keep_apart_in_a_snapshot(
    pipeline: Callable[[int], Any], tmp_path: Path
) -> None:
    for n in (1, 1, 2):
        wanted = [x.tolist() for x in pipeline(n).as_numpy_iterator()]
        shot = pipeline(n).snapshot(str(tmp_path / "shot"))
        assert [x.tolist() for x in shot.as_numpy_iterator()] == wanted
    assert len(list((tmp_path / "shot").iterdir())) == 2


def test_another_process_has_the_same() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", PIPELINE], capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
