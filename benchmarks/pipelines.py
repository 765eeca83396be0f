"""Input pipelines: `tf.data` beside TensorFlow's, PyTorch's loader, and loops over NumPy by hand.

A call goes through a whole dataset, so a sample is the time of an epoch.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from benchmarks.peers import Program
from benchmarks.workload import Repeated, Workload

Step = Callable[[], object]

_NUMBERS = 200_000
_IMAGES = 20_000


def exhaust(items: Iterable[Any]) -> None:
    """Goes through all items."""
    for _ in items:
        pass


# D1: range, map, batch, eagerly.


def numbers_tf(tf: Any) -> Step:
    dataset = tf.data.Dataset.range(_NUMBERS).map(lambda x: x * 2 + 1).batch(100)
    return lambda: exhaust(dataset)


def numbers_torch(torch: Any) -> Step:
    class Numbers(torch.utils.data.Dataset):  # type: ignore[misc]  # torch is not installed
        def __len__(self) -> int:
            return _NUMBERS

        def __getitem__(self, place: int) -> int:
            return place * 2 + 1

    loader = torch.utils.data.DataLoader(Numbers(), batch_size=100)
    return lambda: exhaust(loader)


def numbers_numpy(np: Any) -> Step:
    def batches() -> Iterator[Any]:
        numbers = np.arange(_NUMBERS)
        for start in range(0, _NUMBERS, 100):
            yield numbers[start : start + 100] * 2 + 1

    return lambda: exhaust(batches())


# D2: the same, summed by a loop in a function.


def total_tf(tf: Any) -> Step:
    dataset = tf.data.Dataset.range(_NUMBERS).map(lambda x: x * 2 + 1).batch(100)

    @tf.function
    def total(dataset: Any) -> Any:
        result = tf.constant(0, tf.int64)
        for batch in dataset:
            result += tf.reduce_sum(batch)
        return result

    return lambda: total(dataset)


def total_numpy(np: Any) -> Step:
    def total() -> int:
        numbers, result = np.arange(_NUMBERS), 0
        for start in range(0, _NUMBERS, 100):
            result += int((numbers[start : start + 100] * 2 + 1).sum())
        return result

    return total


# D3: images, shuffled, cast, scaled, in batches.


def images() -> tuple[Any, Any]:
    """Random images and labels."""
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 255, (_IMAGES, 28, 28), np.uint8)
    return pixels, generator.integers(0, 10, _IMAGES)


def images_tf(tf: Any) -> Step:
    dataset = tf.data.Dataset.from_tensor_slices(images()).shuffle(5_000, seed=1)
    dataset = dataset.map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, y)).batch(64).prefetch(2)
    return lambda: exhaust(dataset.as_numpy_iterator())


def images_torch(torch: Any) -> Step:
    pixels, labels = map(torch.from_numpy, images())

    class Images(torch.utils.data.Dataset):  # type: ignore[misc]  # torch is not installed
        def __len__(self) -> int:
            return _IMAGES

        def __getitem__(self, place: int) -> tuple[Any, Any]:
            return pixels[place].float() / 255.0, labels[place]

    loader = torch.utils.data.DataLoader(Images(), batch_size=64, shuffle=True)
    return lambda: exhaust(loader)


def images_numpy(np: Any) -> Step:
    pixels, labels = images()

    def batches() -> Iterator[Any]:
        order = np.random.permutation(_IMAGES)
        for start in range(0, _IMAGES, 64):
            places = order[start : start + 64]
            yield pixels[places].astype(np.float32) / 255.0, labels[places]

    return lambda: exhaust(batches())


# D4: rows of different lengths, padded.


def padded_tf(tf: Any) -> Step:
    dataset = tf.data.Dataset.range(1, 5_000).map(lambda n: tf.range(n % 50)).padded_batch(32)
    return lambda: exhaust(dataset)


def padded_numpy(np: Any) -> Step:
    def batches() -> Iterator[Any]:
        for start in range(1, 5_000, 32):
            rows = [np.arange(n % 50) for n in range(start, min(start + 32, 5_000))]
            batch = np.zeros((len(rows), max(map(len, rows))), np.int64)
            for place, row in enumerate(rows):
                batch[place, : len(row)] = row
            yield batch

    return lambda: exhaust(batches())


# D5: windows of a series.


def windows_tf(tf: Any) -> Step:
    dataset = tf.data.Dataset.range(5_000).window(10, shift=1, drop_remainder=True)
    dataset = dataset.flat_map(lambda window: window.batch(10))
    return lambda: exhaust(dataset)


def windows_numpy(np: Any) -> Step:
    numbers = np.arange(5_000)
    return lambda: exhaust([numbers[start : start + 10] for start in range(4_991)])


# D6: a Python generator.


def generated_tf(tf: Any) -> Step:
    spec = tf.TensorSpec([], tf.int64)
    dataset = tf.data.Dataset.from_generator(lambda: range(10_000), output_signature=spec)
    return lambda: exhaust(dataset.batch(100))


def generated_numpy(np: Any) -> Step:
    def batches() -> Iterator[Any]:
        numbers = iter(range(10_000))
        for _ in range(100):
            yield np.array([next(numbers) for _ in range(100)])

    return lambda: exhaust(batches())


# D7: CSV of ten columns, line by line and in batches of lines.

_LINES = 50_000


@functools.cache
def table_file() -> str:
    """A file of ten columns: five of integers, five of decimals."""
    generator = np.random.default_rng(0)
    whole = generator.integers(0, 100_000, (_LINES, 5)).tolist()
    parts = (generator.random((_LINES, 5)) * 100).tolist()
    path = os.path.join(tempfile.mkdtemp(), "table.csv")
    with open(path, "w", encoding="ascii") as file:
        for numbers, decimals in zip(whole, parts):
            file.write(",".join([*map(str, numbers), *[f"{x:.4f}" for x in decimals]]) + "\n")
    return path


def lines_tf(tf: Any) -> Step:
    kinds = [tf.int32] * 5 + [tf.float32] * 5
    dataset = tf.data.experimental.CsvDataset(table_file(), kinds).batch(100)
    return lambda: exhaust(dataset)


def batches_of_lines_tf(tf: Any) -> Step:
    defaults = [0] * 5 + [0.0] * 5
    lines = tf.data.TextLineDataset(table_file()).batch(100)
    dataset = lines.map(lambda batch: tf.io.decode_csv(batch, defaults))
    return lambda: exhaust(dataset)


# D8: records of examples, of which four files give one in turn, parsed in batches.


def examples_tf(tf: Any) -> Step:
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, f"{number}.tfrecord") for number in range(4)]
    for path in paths:
        with tf.io.TFRecordWriter(path) as writer:
            for number in range(2_500):
                label = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
                pixels = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * 16))
                features = tf.train.Features(feature={"label": label, "pixels": pixels})
                writer.write(tf.train.Example(features=features).SerializeToString())
    kinds = {
        "label": tf.io.FixedLenFeature([], tf.int64),
        "pixels": tf.io.FixedLenFeature([16], tf.float32),
    }
    dataset = tf.data.TFRecordDataset(paths, num_parallel_reads=4).batch(100)
    dataset = dataset.map(lambda batch: tf.io.parse_example(batch, kinds))
    return lambda: exhaust(dataset)


def epoch(name: str, title: str, goal: float | None, **programs: Program) -> Repeated:
    """The time of going through a dataset; `tf` is the program of the two that have its API."""
    shared = programs.pop("tf")
    return Repeated(
        name, title, "µs", goal, {"graphwright": shared, "tensorflow": shared, **programs}
    )


TABLE: tuple[Workload, ...] = (
    epoch(
        "D1", "200,000 numbers: range, map, batch", None,
        tf=numbers_tf, torch=numbers_torch, numpy=numbers_numpy,
    ),
    epoch("D2", "the same, summed by a function's loop", None, tf=total_tf, numpy=total_numpy),
    epoch(
        "D3", "20,000 images: shuffled, scaled, in batches", None,
        tf=images_tf, torch=images_torch, numpy=images_numpy,
    ),
    epoch("D4", "5,000 rows, padded", None, tf=padded_tf, numpy=padded_numpy),
    epoch("D5", "5,000 windows of a series", None, tf=windows_tf, numpy=windows_numpy),
    epoch("D6", "10,000 numbers of a generator", None, tf=generated_tf, numpy=generated_numpy),
    epoch("D7", "50,000 lines of CSV, ten columns", None, tf=lines_tf),
    epoch("D7b", "the same lines, decoded in batches", None, tf=batches_of_lines_tf),
    epoch("D8", "10,000 examples of four files in turn", None, tf=examples_tf),
)  # fmt: skip
