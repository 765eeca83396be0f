"""Python in a pipeline: generators, and functions that the interpreter runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from benchmarks.data.epochs import Again, Epoch, Make, loaders, shared
from benchmarks.data.number_rows import (
    BATCH,
    double,
    in_memory,
    loader,
    map_style,
    stream,
)
from benchmarks.workload import Bar, Workload

CALLS = 20_000

# D6: a Python generator.


def generator() -> Iterator[int]:
    yield from range(CALLS)


def generated_tf(tf: Any) -> Make:
    spec = tf.TensorSpec([], tf.int64)
    return lambda: tf.data.Dataset.from_generator(generator, output_signature=spec).batch(BATCH)


def generated_torch(torch: Any, workers: int = 0) -> Make:
    def iterate(worker: int, workers: int) -> Iterator[int]:
        return islice(generator(), worker, None, workers)

    return lambda: loader(torch, stream(torch, iterate), workers, batch_size=BATCH)


def generated_numpy(np: Any) -> Make:
    def batches() -> Iterator[Any]:
        numbers = generator()
        while batch := list(islice(numbers, BATCH)):
            yield np.array(batch)

    return lambda: Again(batches)


# D10: a function of NumPy. D11: one of eager tensors.


def numpy_function_tf(tf: Any) -> Make:
    def call(x: Any) -> Any:
        return tf.numpy_function(double, [x], tf.int64)

    return lambda: tf.data.Dataset.range(CALLS).map(call).batch(BATCH)


def called_torch(torch: Any, workers: int = 0) -> Make:
    return lambda: loader(torch, map_style(torch, double, CALLS), workers, batch_size=BATCH)


def called_grain(grain: Any) -> Make:
    return lambda: in_memory(grain, grain.MapDataset.range(CALLS).map(double)).batch(BATCH)


def called_numpy(np: Any) -> Make:
    def batches() -> Iterator[Any]:
        numbers = np.arange(CALLS)
        for start in range(0, CALLS, BATCH):
            yield np.array([double(x) for x in numbers[start : start + BATCH]])

    return lambda: Again(batches)


def py_function_tf(tf: Any) -> Make:
    def call(x: Any) -> Any:
        return tf.py_function(double, [x], tf.int64)

    return lambda: tf.data.Dataset.range(CALLS // 4).map(call).batch(BATCH)


def tensors_torch(torch: Any, workers: int = 0) -> Make:
    numbers = torch.arange(CALLS // 4)
    dataset = map_style(torch, lambda place: double(numbers[place]), CALLS // 4)
    return lambda: loader(torch, dataset, workers, batch_size=BATCH)


GENERATED_PROGRAMS = {
    **shared(generated_tf),
    **loaders(generated_torch),
    "numpy": generated_numpy,
}

TABLE: tuple[Workload, ...] = (
    Epoch(
        "D6", "20,000 numbers of a generator", "ms", None, GENERATED_PROGRAMS, bar=Bar(1.5)
    ),
    Epoch(
        "D10", "20,000 calls of a numpy_function", "ms", None,
        {
            **shared(numpy_function_tf), **loaders(called_torch),
            "grain": called_grain, "numpy": called_numpy,
        },
        bar=Bar(1),
    ),
    Epoch(
        "D11", "5,000 calls of a py_function", "ms", None,
        {**shared(py_function_tf), **loaders(tensors_torch)}, bar=Bar(60, "tensorflow"),
    ),
)  # fmt: skip
