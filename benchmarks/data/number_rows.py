"""Pipelines of numbers: what stages cost where elements cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.data.epochs import (
    Again,
    Epoch,
    Make,
    Overhead,
    left,
    loaders,
    of_hand,
    shared,
)
from benchmarks.workload import Workload

NUMBERS = 200_000
BATCH = 100


def double(x: Any) -> Any:
    return x * 2 + 1


# D1: range, map, batch, eagerly.


def numbers_tf(tf: Any) -> Make:
    return lambda: tf.data.Dataset.range(NUMBERS).map(double).batch(BATCH)


def map_style(torch: Any, function: Callable[[int], Any], length: int) -> Any:
    """PyTorch's dataset of a function of the place."""

    class Mapped(torch.utils.data.Dataset):  # type: ignore[misc]  # torch is not installed
        def __len__(self) -> int:
            return length

        def __getitem__(self, place: int) -> Any:
            return function(place)

    return Mapped()


def stream(torch: Any, iterate: Callable[[int, int], Iterator[Any]]) -> Any:
    """PyTorch's dataset of an iterator, which gets the worker's number and how many there are."""

    class Stream(torch.utils.data.IterableDataset):  # type: ignore[misc]  # torch is not installed
        def __iter__(self) -> Iterator[Any]:
            worker = torch.utils.data.get_worker_info()
            return iterate(worker.id, worker.num_workers) if worker else iterate(0, 1)

    return Stream()


def loader(torch: Any, dataset: Any, workers: int, **options: Any) -> Any:
    """PyTorch's loader, whose processes stay from one epoch to the next."""
    kept = {"persistent_workers": True} if workers else {}
    return torch.utils.data.DataLoader(dataset, num_workers=workers, **kept, **options)


def numbers_torch(torch: Any, workers: int = 0) -> Make:
    return lambda: loader(torch, map_style(torch, double, NUMBERS), workers, batch_size=BATCH)


def in_memory(grain: Any, dataset: Any) -> Any:
    """Grain's dataset without threads, as its documents advise for what is in memory."""
    return dataset.to_iter_dataset(grain.ReadOptions(num_threads=0))


def numbers_grain(grain: Any) -> Make:
    return lambda: in_memory(grain, grain.MapDataset.range(NUMBERS).map(double)).batch(BATCH)


def numbers_numpy(np: Any) -> Make:
    def batches() -> Iterator[Any]:
        numbers = np.arange(NUMBERS)
        for start in range(0, NUMBERS, BATCH):
            yield numbers[start : start + BATCH] * 2 + 1

    return lambda: Again(batches)


# D2: the same, summed by a loop in a function.


def total_tf(tf: Any) -> Make:
    @tf.function
    def total(dataset: Any) -> Any:
        result = tf.constant(0, tf.int64)
        for batch in dataset:
            result += tf.reduce_sum(batch)
        return result

    def make() -> Again:
        dataset = numbers_tf(tf)()
        return Again(lambda: [total(dataset)])

    return make


def total_torch(torch: Any, workers: int = 0) -> Make:
    def make() -> Again:
        batches = numbers_torch(torch, workers)()
        return Again(lambda: [sum(batch.sum() for batch in batches)])

    return make


def total_grain(grain: Any) -> Make:
    def make() -> Again:
        batches = numbers_grain(grain)()
        return Again(lambda: [sum(batch.sum() for batch in batches)])

    return make


def total_numpy(np: Any) -> Make:
    def make() -> Again:
        batches = numbers_numpy(np)()
        return Again(lambda: [sum(int(batch.sum()) for batch in batches)])

    return make


# D15: scalars one by one, to NumPy.


def scalars_tf(tf: Any) -> Make:
    return lambda: Again(tf.data.Dataset.range(NUMBERS).map(double).as_numpy_iterator)


def scalars_torch(torch: Any, workers: int = 0) -> Make:
    return lambda: loader(torch, map_style(torch, double, NUMBERS), workers, batch_size=None)


def scalars_grain(grain: Any) -> Make:
    return lambda: in_memory(grain, grain.MapDataset.range(NUMBERS).map(double))


def scalars_numpy(np: Any) -> Make:
    return lambda: Again(lambda: np.arange(NUMBERS) * 2 + 1)


# D14: tiny stages, none and eight.

STAGES = 8


def increase(x: Any) -> Any:
    return x + 1


def is_positive(x: Any) -> Any:
    return x >= 0


def none_and_all(make: Callable[[int], Any]) -> Callable[[], tuple[Any, Any]]:
    """The pipelines of a function of the number of stages."""
    return lambda: (make(0), make(STAGES))


def stages_tf(tf: Any) -> Callable[[], object]:
    def make(stages: int) -> Any:
        dataset = tf.data.Dataset.range(NUMBERS)
        for _ in range(stages // 2):
            dataset = dataset.map(increase).filter(is_positive)
        return dataset.batch(1_000)

    return none_and_all(make)


def stages_torch(torch: Any, workers: int = 0) -> Callable[[], object]:
    def make(stages: int) -> Any:
        def iterate(worker: int, workers: int) -> Iterator[Any]:
            elements = iter(range(worker, NUMBERS, workers))
            for _ in range(stages // 2):
                elements = filter(is_positive, map(increase, elements))
            return elements

        return loader(torch, stream(torch, iterate), workers, batch_size=1_000)

    return none_and_all(make)


def stages_grain(grain: Any) -> Callable[[], object]:
    def make(stages: int) -> Any:
        dataset = grain.MapDataset.range(NUMBERS)
        for _ in range(stages // 2):
            dataset = dataset.map(increase).filter(is_positive)
        return in_memory(grain, dataset).batch(1_000)

    return none_and_all(make)


# D18: what 100 epochs leave.


def small_tf(tf: Any) -> Make:
    return lambda: tf.data.Dataset.range(10_000).shuffle(1_000).map(double).batch(BATCH)


NUMBER_PROGRAMS = {
    **shared(numbers_tf),
    **loaders(numbers_torch),
    "grain": numbers_grain,
    "numpy": numbers_numpy,
}

TABLE: tuple[Workload, ...] = (
    Epoch(
        "D1", "200,000 numbers: range, map, batch", "ms", None, NUMBER_PROGRAMS, bar=of_hand(0.7)
    ),
    Epoch(
        "D2", "the same, summed by a function's loop", "ms", None,
        {
            **shared(total_tf), **loaders(total_torch),
            "grain": total_grain, "numpy": total_numpy,
        },
        bar=of_hand(5),
    ),
    Overhead(
        "D14", "an element in a tiny stage", "ns", 5.0,
        {**shared(stages_tf), **loaders(stages_torch), "grain": stages_grain},
        stages=STAGES, elements=NUMBERS,
    ),
    Epoch(
        "D15", "200,000 scalars one by one, to NumPy", "ms", None,
        {
            **shared(scalars_tf), **loaders(scalars_torch),
            "grain": scalars_grain, "numpy": scalars_numpy,
        },
        bar=of_hand(0.7),
    ),
    left("D18", "memory that 100 epochs leave", 1.0, small_tf, 100),
)  # fmt: skip
