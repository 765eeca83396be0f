"""What each of several workers takes of a dataset: together they take each element once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import graphwright as tf

FILES = 5

PIPELINES: dict[str, Callable[[str], Any]] = {
    "names": lambda folder: tf.data.TextLineDataset([f"{folder}/{i}.txt" for i in range(FILES)]),
    "shuffled": lambda folder: (
        tf.data.Dataset.list_files(f"{folder}/*.txt")
        .interleave(tf.data.TextLineDataset, 2, num_parallel_calls=2)
        .shuffle(8)
    ),
    "renamed": lambda folder: (
        tf.data.Dataset.from_tensor_slices([str(i) for i in range(FILES)])
        .shuffle(FILES)
        .map(lambda name: tf.strings.join([folder, "/", name, ".txt"]))
        .prefetch(2)
        .flat_map(tf.data.TextLineDataset)
        .map(lambda line: line + "!")
    ),
    "pairs": lambda folder: tf.data.Dataset.zip(
        tf.data.TextLineDataset([f"{folder}/{i}.txt" for i in range(FILES)]),
        tf.data.Dataset.list_files(f"{folder}/*.txt", shuffle=False)
        .flat_map(tf.data.TextLineDataset)
        .map(tf.strings.length),
    ).map(lambda line, length: line),
}


def by(policy: str, dataset: Any) -> Any:
    """The dataset with a policy."""
    options = tf.data.Options()
    policies = tf.data.experimental.AutoShardPolicy
    options.experimental_distribute.auto_shard_policy = policies[policy]
    return dataset.with_options(options)


def batches(dataset: Any) -> list[list[Any]]:
    """The batches, as lists."""
    return [batch.tolist() for batch in dataset.as_numpy_iterator()]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A folder of files of 3 to 7 lines."""
    for number in range(FILES):
        lines = [f"line {place} of {number}\n" for place in range(number + 3)]
        (tmp_path / f"{number}.txt").write_text("".join(lines), encoding="utf-8")
    return str(tmp_path)


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_files_are_divided_and_each_step_is_a_batch(name: str, workers: int, folder: str) -> None:
    plain = PIPELINES[name](folder)
    parts = [batches(by("FILE", plain.batch(7))._own(workers, i)) for i in range(workers)]
    union: Counter[bytes] = Counter()
    for place, part in enumerate(parts):
        size = 7 // workers + (place < 7 % workers)
        assert {len(batch) for batch in part[:-1]} <= {size}
        lines = [line for batch in part for line in batch]
        mine = {int(line.rstrip(b"!").split()[-1]) for line in lines}
        assert mine == set(range(place, FILES, workers)) or name == "pairs"
        union.update(lines)
    assert union == Counter(plain.as_numpy_iterator())


def test_epochs_keep_to_the_files_of_a_worker(folder: str) -> None:
    names = tf.data.Dataset.list_files(f"{folder}/*.txt", seed=3).repeat(2)
    share = by("FILE", names.flat_map(tf.data.TextLineDataset).batch(2))._own(2, 1)
    lines = [line for batch in batches(share) for line in batch]
    assert len(lines) == 2 * (4 + 6)
    assert Counter(lines[:10]) == Counter(lines[10:])


def test_other_policies() -> None:
    numbers = tf.data.Dataset.range(6)
    assert numbers.batch(4)._own(2, 0) is None
    assert by("DATA", numbers.batch(4))._own(2, 0) is None
    assert batches(by("OFF", numbers.batch(4))._own(2, 1)) == [[0, 1], [2, 3], [4, 5]]
    hint = numbers.shard(tf.data.experimental.SHARD_HINT, 0).batch(4)
    assert batches(by("HINT", hint)._own(2, 1)) == [[1, 3], [5]]


@pytest.mark.parametrize(
    ("policy", "dataset", "workers", "words"),
    [
        ("FILE", lambda: tf.data.Dataset.range(4).batch(2), 2, "read from no files that a dataset"),
        ("HINT", lambda: tf.data.Dataset.range(4).batch(2), 2, "it has no `shard"),
        ("FILE", lambda: tf.data.TextLineDataset(["a"]).batch(2), 2, "and there are 1. AutoShard"),
        ("OFF", lambda: tf.data.Dataset.range(4).batch(2), 3, "batch of 2 rows is too small for 3"),
        ("OFF", lambda: tf.data.Dataset.from_tensors([1]), 2, "batch it before, as in"),
    ],
)
def test_refusals(policy: str, dataset: Callable[[], Any], workers: int, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        by(policy, dataset())._own(workers, 0)


def test_datasets_that_follow_the_same_seeds_shuffle_alike() -> None:
    def shuffled(**seed: int) -> Any:
        return tf.data.Dataset.range(50).shuffle(50, **seed).repeat(2).shuffle(9).batch(10)

    first, other = shuffled(), shuffled()
    seeds = first._seeds()
    assert len(seeds) == 2
    assert batches(first._seeded(seeds)) == batches(other._seeded(seeds))
    assert batches(first._seeded(seeds)) != batches(other)
    tf.random.set_seed(1)
    stated = shuffled(seed=5)
    assert batches(stated._seeded(stated._seeds())) == batches(stated)
