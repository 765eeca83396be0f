"""Fingerprints depend on what a pipeline does, and on nothing else."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

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


def test_another_process_has_the_same() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", PIPELINE], capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
