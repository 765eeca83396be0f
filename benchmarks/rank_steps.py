"""Steps of training in ranks, against one process and against sums after the backward pass.

`python -m benchmarks.distribution_bars` starts it. All ways take turns in the same processes, so
that other work on the machine is in all of them. While one process is measured, the other ranks
sleep.
"""

from __future__ import annotations

import functools
import json
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import graphwright as tf
from graphwright.control.python_call import numpy_function
from graphwright.library.distribute.workers import WorkerGroup
from graphwright.machine import threads

ROUNDS = 15
BATCH = {"perceptron": 512, "convolutions": 64, "16 layers of 64": 128}


@functools.cache
def strategies() -> dict[str, Any]:
    """The strategies that sum gradients in buckets, by the way in which the numbers travel."""
    options = tf.distribute.experimental.CommunicationOptions(compression="bfloat16")
    return {
        "buckets": tf.distribute.MultiWorkerMirroredStrategy(),
        "bfloat16": tf.distribute.MultiWorkerMirroredStrategy(communication_options=options),
    }


def workers() -> WorkerGroup:
    """The ranks."""
    group: WorkerGroup = strategies()["buckets"].extended.workers
    return group


def model(name: str) -> tuple[list[Any], Callable[[Any], Any], Any]:
    """The variables of a model, its function, and the batch of all ranks."""
    random = np.random.default_rng(0)

    def variables(*shapes: Sequence[int]) -> list[Any]:
        scales = [np.sqrt(2.0 / np.prod(shape[:-1])) for shape in shapes]
        values = [scale * random.normal(size=shape) for scale, shape in zip(scales, shapes)]
        return [tf.Variable(value.astype(np.float32)) for value in values]

    if name == "perceptron":
        weights = variables([256, 512], [512, 512], [512, 10])

        def dense(x: Any) -> Any:
            for w in weights[:-1]:
                x = tf.nn.relu(x @ w)
            return x @ weights[-1]

        return weights, dense, random.normal(size=[BATCH[name], 256]).astype(np.float32)
    if name == "16 layers of 64":
        weights = variables(*[[64, 64], [64]] * 16)

        def deep(x: Any) -> Any:
            for w, b in zip(weights[::2], weights[1::2]):
                x = tf.nn.relu(x @ w + b)
            return x

        return weights, deep, random.normal(size=[BATCH[name], 64]).astype(np.float32)
    weights = variables([3, 3, 3, 16], [3, 3, 16, 32], [8 * 8 * 32, 128], [128, 10])

    def convolved(x: Any) -> Any:
        for w in weights[:2]:
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), 2, 2, "SAME")
        return tf.nn.relu(tf.reshape(x, [-1, 8 * 8 * 32]) @ weights[2]) @ weights[3]

    return weights, convolved, random.normal(size=[BATCH[name], 32, 32, 3]).astype(np.float32)


def sum_one_by_one(gradients: Sequence[Any]) -> list[Any]:
    """The sums of gradients over ranks, each by a call of MPI behind the backward pass."""

    def summed(*arrays: Any) -> list[Any]:
        totals = [np.empty_like(array) for array in arrays]
        for array, total in zip(arrays, totals):
            workers().comm.Allreduce(np.ascontiguousarray(array), total)
        return totals

    totals = numpy_function(summed, list(gradients), [g.dtype for g in gradients])
    for gradient, total in zip(gradients, totals):
        total.set_shape(gradient.shape)
    return list(totals)


def stepping(name: str, way: str) -> Callable[[], object]:
    """A step of training in one of the ways, on this rank's part of a batch."""
    weights, function, whole = model(name)
    is_alone = way == "one process"
    rows = len(whole) if is_alone else len(whole) // workers().size
    first = 0 if is_alone else rows * workers().rank
    x = tf.constant(whole[first : first + rows])

    def replica(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(function(x) ** 2) / len(whole)
        gradients = tape.gradient(loss, weights)
        if way == "one by one":
            gradients = sum_one_by_one(gradients)
        elif way in strategies():
            context: Any = tf.distribute.get_replica_context()
            gradients = context.all_reduce("sum", gradients)
        for gradient, w in zip(gradients, weights):
            w.assign_sub(1e-3 * gradient)

    run = strategies().get(way, tf.distribute.get_strategy()).run
    step = tf.function(lambda x: run(replica, args=(x,)), jit_compile=True)
    return lambda: step(x)


def sleep_until_all_are_here() -> None:
    """Waits for all ranks, and leaves them the processor."""
    request = workers().comm.Ibarrier()
    while not request.Test():
        time.sleep(1e-3)


def ratios() -> dict[str, dict[str, float]]:
    """For each model the time of a step in buckets, by that of each way: of all rounds the middle.

    "ms" is the time of a step in buckets, "least" that of a step without sums by that of one with
    an Allreduce for each gradient: the most that buckets can win. Ranks but the first have no times
    of one process.
    """
    ways = ["one process", "one by one", "no sums", "buckets", "bfloat16"]
    results = {}
    for name in BATCH:
        steps = {way: stepping(name, way) for way in ways}
        times: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(ROUNDS + 2):
            for way in ways:
                sleep_until_all_are_here()
                is_alone = way == "one process"
                if is_alone and workers().rank:
                    continue
                threads.bound(threads.cores() if is_alone else 1)
                began = time.perf_counter()
                for _ in range(5):
                    steps[way]()
                if number > 1:
                    times[way].append((time.perf_counter() - began) / 5)
        least = statistics.median(b / a for a, b in zip(times["one by one"], times["no sums"]))
        results[name] = {"ms": statistics.median(times["buckets"]) * 1e3, "least": least} | {
            way: statistics.median(b / a for a, b in zip(times[way], times["buckets"]))
            for way in ways
            if times[way]
        }
    return results


if __name__ == "__main__":
    outcome = ratios()
    if workers().rank == 0:
        print(json.dumps(outcome))
