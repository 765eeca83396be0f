"""Elements that are gathered, kept or chosen: padding, buckets, windows, caches, sampling."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.data.epochs import Again, Epoch, Make, loaders, of_hand, shared
from benchmarks.data.number_rows import double, in_memory, loader, map_style
from benchmarks.workload import Workload

# D4: rows of different lengths: padded, in buckets by length, as ragged tensors.

ROWS = 20_000
BATCH = 32


def row(n: int) -> Any:
    return np.arange(n % 50)


def rows_tf(tf: Any) -> Any:
    return tf.data.Dataset.range(ROWS).map(lambda n: tf.range(n % 50))


def padded(rows: list[Any]) -> Any:
    """Rows in one array, with zeros after the shorter."""
    batch = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for place, values in enumerate(rows):
        batch[place, : len(values)] = values
    return batch


def padded_tf(tf: Any) -> Make:
    return lambda: rows_tf(tf).padded_batch(BATCH)


def padded_torch(torch: Any, workers: int = 0) -> Make:
    def collate(rows: list[Any]) -> Any:
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)

    dataset = map_style(torch, lambda place: torch.arange(place % 50), ROWS)
    return lambda: loader(torch, dataset, workers, batch_size=BATCH, collate_fn=collate)


def padded_grain(grain: Any) -> Make:
    return lambda: in_memory(grain, grain.MapDataset.range(ROWS).map(row)).batch(
        BATCH, batch_fn=padded
    )


def padded_numpy(np: Any) -> Make:
    def batches() -> Iterator[Any]:
        for start in range(0, ROWS, BATCH):
            yield padded([row(n) for n in range(start, min(start + BATCH, ROWS))])

    return lambda: Again(batches)


LIMITS = [10, 20, 30, 40]


def buckets_tf(tf: Any) -> Make:
    def make() -> Any:
        return rows_tf(tf).bucket_by_sequence_length(
            lambda row: tf.shape(row)[0], LIMITS, [BATCH] * 5
        )

    return make


def bucketed(rows: Iterator[Any]) -> Iterator[Any]:
    """Padded batches of rows whose lengths are in one bucket."""
    buckets: list[list[Any]] = [[] for _ in range(5)]
    for values in rows:
        bucket = buckets[min(len(values) // 10, 4)]
        bucket.append(values)
        if len(bucket) == BATCH:
            yield padded(bucket)
            bucket.clear()
    yield from (padded(bucket) for bucket in buckets if bucket)


def buckets_numpy(np: Any) -> Make:
    return lambda: Again(lambda: bucketed(map(row, range(ROWS))))


def ragged_tf(tf: Any) -> Make:
    return lambda: rows_tf(tf).ragged_batch(BATCH)


def ragged_numpy(np: Any) -> Make:
    def batches() -> Iterator[Any]:
        rows = map(row, range(ROWS))
        while batch := list(islice(rows, BATCH)):
            yield np.concatenate(batch), np.cumsum([0, *map(len, batch)])

    return lambda: Again(batches)


# D5: windows of a series, and groups by key.

SERIES = 20_000
WIDTH = 10


def windows_tf(tf: Any) -> Make:
    def make() -> Any:
        windows = tf.data.Dataset.range(SERIES).window(WIDTH, shift=1, drop_remainder=True)
        return windows.flat_map(lambda window: window.batch(WIDTH))

    return make


def windows_torch(torch: Any, workers: int = 0) -> Make:
    series = torch.arange(SERIES)
    dataset = map_style(torch, lambda place: series[place : place + WIDTH], SERIES - WIDTH + 1)
    return lambda: loader(torch, dataset, workers, batch_size=None)


def windows_grain(grain: Any) -> Make:
    series = np.arange(SERIES)
    places = grain.MapDataset.range(SERIES - WIDTH + 1)
    return lambda: in_memory(grain, places.map(lambda place: series[place : place + WIDTH]))


def windows_numpy(np: Any) -> Make:
    series = np.arange(SERIES)
    return lambda: Again(lambda: (series[n : n + WIDTH] for n in range(SERIES - WIDTH + 1)))


KEYS = 10
GROUP = 50


def groups_tf(tf: Any) -> Make:
    def make() -> Any:
        return tf.data.Dataset.range(SERIES).group_by_window(
            lambda x: x % KEYS, lambda key, window: window.batch(GROUP), GROUP
        )

    return make


def groups_numpy(np: Any) -> Make:
    """A stable sort by key puts the groups together; the last of a key may be short."""

    def batches() -> Iterator[Any]:
        series = np.arange(SERIES)
        keys = series % KEYS
        sorted_series = series[np.argsort(keys, kind="stable")]
        for values in np.split(sorted_series, np.cumsum(np.bincount(keys))[:-1]):
            for start in range(0, len(values), GROUP):
                yield values[start : start + GROUP]

    return lambda: Again(batches)


# D12: a cache, which the first epoch has filled.

CACHED = 20_000


def vectors() -> Any:
    return np.random.default_rng(0).random((CACHED, 64), np.float32)


def cache_tf(tf: Any) -> Make:
    given = vectors()

    def make() -> Any:
        return tf.data.Dataset.from_tensor_slices(given).map(double).cache().batch(BATCH)

    return make


def cache_grain(grain: Any) -> Make:
    given = vectors()

    def make() -> Any:
        dataset = in_memory(grain, grain.MapDataset.source(given).map(double))
        return grain.experimental.CacheIterDataset(dataset).batch(BATCH)

    return make


def cached_torch(torch: Any, workers: int, **options: Any) -> Make:
    """PyTorch's users keep the results in a list or a tensor."""
    results = double(torch.from_numpy(vectors()))
    dataset = torch.utils.data.TensorDataset(results)
    return lambda: loader(torch, dataset, workers, batch_size=BATCH, **options)


def cache_torch(torch: Any, workers: int = 0) -> Make:
    return cached_torch(torch, workers)


def cache_numpy(np: Any) -> Make:
    """Batches are copies, so that nobody changes what is kept."""
    results = double(vectors())

    def batches() -> Iterator[Any]:
        for start in range(0, CACHED, BATCH):
            yield results[start : start + BATCH].copy()

    return lambda: Again(batches)


def shuffled_cache_tf(tf: Any) -> Make:
    given = vectors()

    def make() -> Any:
        cached = tf.data.Dataset.from_tensor_slices(given).map(double).cache()
        return cached.shuffle(CACHED, seed=1).batch(BATCH)

    return make


def shuffled_cache_torch(torch: Any, workers: int = 0) -> Make:
    return cached_torch(torch, workers, shuffle=True)


def shuffled_cache_numpy(np: Any) -> Make:
    results = double(vectors())

    def batches() -> Iterator[Any]:
        order = np.random.permutation(CACHED)
        for start in range(0, CACHED, BATCH):
            yield results[order[start : start + BATCH]]

    return lambda: Again(batches)


# D13: elements of three datasets, drawn by chance or chosen by a dataset of numbers.

CHOICES = 60_000
SHARES = [0.5, 0.3, 0.2]


def choices() -> Any:
    return np.random.default_rng(0).choice(3, CHOICES, p=SHARES)


def three_tf(tf: Any) -> list[Any]:
    return [tf.data.Dataset.range(n * CHOICES, (n + 1) * CHOICES) for n in range(3)]


def sample_tf(tf: Any) -> Make:
    def make() -> Any:
        drawn = tf.data.Dataset.sample_from_datasets(three_tf(tf), SHARES, seed=1)
        return drawn.take(CHOICES).batch(BATCH)

    return make


def sample_grain(grain: Any) -> Make:
    def make() -> Any:
        parts = [grain.MapDataset.range(n * CHOICES, (n + 1) * CHOICES) for n in range(3)]
        return in_memory(grain, grain.MapDataset.mix(parts, SHARES)[:CHOICES]).batch(BATCH)

    return make


def chosen(np: Any, which: Any) -> Iterator[Any]:
    """Batches of the three ranges, each of which gives its next number."""
    numbers = np.empty(CHOICES, np.int64)
    for n in range(3):
        places = np.flatnonzero(which == n)
        numbers[places] = np.arange(n * CHOICES, n * CHOICES + len(places))
    for start in range(0, CHOICES, BATCH):
        yield numbers[start : start + BATCH]


def sample_numpy(np: Any) -> Make:
    generator = np.random.default_rng()
    return lambda: Again(lambda: chosen(np, generator.choice(3, CHOICES, p=SHARES)))


def choose_tf(tf: Any) -> Make:
    which = choices()

    def make() -> Any:
        numbers = tf.data.Dataset.from_tensor_slices(which)
        return tf.data.Dataset.choose_from_datasets(three_tf(tf), numbers).batch(BATCH)

    return make


def choose_numpy(np: Any) -> Make:
    which = choices()
    return lambda: Again(lambda: chosen(np, which))


PADDED_PROGRAMS = {
    **shared(padded_tf),
    **loaders(padded_torch),
    "grain": padded_grain,
    "numpy": padded_numpy,
}
CACHE_PROGRAMS = {
    **shared(cache_tf),
    **loaders(cache_torch),
    "grain": cache_grain,
    "numpy": cache_numpy,
}
WINDOW_PROGRAMS = {
    **shared(windows_tf),
    **loaders(windows_torch),
    "grain": windows_grain,
    "numpy": windows_numpy,
}

TABLE: tuple[Workload, ...] = (
    Epoch("D4", "20,000 rows, padded", "ms", None, PADDED_PROGRAMS, bar=of_hand(2)),
    Epoch(
        "D4b", "the same rows in buckets by length", "ms", None,
        {**shared(buckets_tf), "numpy": buckets_numpy}, bar=of_hand(1.5),
    ),
    Epoch(
        "D4r", "the same rows in ragged batches", "ms", None,
        {**shared(ragged_tf), "numpy": ragged_numpy}, bar=of_hand(0.7),
    ),
    Epoch("D5", "20,000 windows of a series", "ms", None, WINDOW_PROGRAMS, bar=of_hand(0.3)),
    Epoch(
        "D5g", "20,000 numbers in groups by key", "ms", None,
        {**shared(groups_tf), "numpy": groups_numpy}, bar=of_hand(0.3),
    ),
    Epoch(
        "D12", "20,000 vectors of a cache, second epoch", "ms", None, CACHE_PROGRAMS,
        bar=of_hand(0.8),
    ),
    Epoch(
        "D12s", "the same, shuffled", "ms", None,
        {
            **shared(shuffled_cache_tf), **loaders(shuffled_cache_torch),
            "numpy": shuffled_cache_numpy,
        },
        bar=of_hand(0.8),
    ),
    Epoch(
        "D13", "60,000 numbers, sampled from three datasets", "ms", None,
        {**shared(sample_tf), "grain": sample_grain, "numpy": sample_numpy},
        bar=of_hand(0.5), tolerance=None,
    ),
    Epoch(
        "D13c", "the same, chosen by numbers", "ms", None,
        {**shared(choose_tf), "numpy": choose_numpy}, bar=of_hand(0.5),
    ),
)  # fmt: skip
