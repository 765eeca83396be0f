"""The gain of our own code over a library's: both in turns, and the ratio of medians.

    python -m benchmarks.alternatives [--only linker logarithm] [--rounds 15]

The linker: a second process runs a program until it is native, through our linker and through
LLVM's. The logarithm: our kernel for a batch of matrices, and SciPy's function of each in it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

Arrays = Callable[[Any], Any]

# The linker


def until_native() -> None:
    """Fusion, a loop, a branch and a step of training, all in the background (P2)."""
    import graphwright as tf
    from benchmarks import programs

    programs.until_native(tf)()


def training_step() -> None:
    """A step of training of three layers, called until it is native."""
    import graphwright as tf
    from benchmarks import programs, training
    from graphwright.machine import background

    make = training.train_tf(
        training.perceptron_tf, training.perceptron_weights, training.BATCH, training.LAYERS[0]
    )
    step = make(tf)
    for _ in range(programs.TIMES):
        step()
    background.wait()


def first_call() -> None:
    """The first call of one function with `jit_compile=True`."""
    import graphwright as tf

    function = tf.function(lambda x: tf.tanh(x) * 2.0 + tf.reduce_sum(x), jit_compile=True)
    function(tf.ones([100]))


LINKED = (until_native, training_step, first_call)


def linked(program: str, linker: str) -> tuple[float, float]:
    """The seconds of a program after the import, by the clock and of the processor."""
    import graphwright  # noqa: F401 - it is not measured
    from graphwright.machine import linking

    if linker == "llvm":
        vars(linking)["is_known"] = lambda: False
    run = globals()[program]
    starts = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - starts[0], time.process_time() - starts[1]


def second_process(program: str, linker: str, cache: str) -> list[float]:
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.alternatives", "--linked", program, linker],
        env=os.environ | {"GRAPHWRIGHT_CACHE_DIR": cache},
        check=True,
        capture_output=True,
    )
    return [float(number) for number in done.stdout.split()]


def linkers(rounds: int) -> Iterator[str]:
    """The rows of the linkers: the time of a second process until it is native."""
    for program in LINKED:
        title = program.__name__
        with tempfile.TemporaryDirectory() as cache:
            second_process(title, "ours", cache)
            ours, llvm = [], []
            for _ in range(rounds):
                ours.append(second_process(title, "ours", cache))
                llvm.append(second_process(title, "llvm", cache))
        for part, pair in enumerate(("clock", "processor")):
            times = [statistics.median([s[part] for s in samples]) for samples in (ours, llvm)]
            yield row(f"linker, {title}, {pair}", *times)


# The logarithm of matrices

#: The numbers of matrices, and their rows.
SHAPES = [(1, 3), (20, 3), (100, 3), (1000, 3), (100, 5), (100, 10), (20, 20), (1, 100)]


def each(function: Arrays) -> Arrays:
    """A function of one matrix, for each matrix of a batch."""

    def call(matrices: Any) -> Any:
        return np.stack([function(matrix) for matrix in matrices])

    return call


def fastest(function: Callable[[], object]) -> Iterator[float]:
    """The seconds of a call, in one sample after the other: the best of those in 20 ms."""
    while True:
        calls: list[float] = []
        while sum(calls) < 0.02:
            start = time.perf_counter()
            function()
            calls.append(time.perf_counter() - start)
        yield min(calls)


def logarithms(rounds: int) -> Iterator[str]:
    """The rows of logarithms."""
    from scipy.linalg import logm

    from graphwright.ops.linalg.matrix_roots import logarithm

    random = np.random.default_rng(1)
    for count, size in SHAPES:
        roots = random.normal(size=(count, size, size)).astype(np.complex128)
        matrices = roots @ roots.swapaxes(1, 2) + np.eye(size)
        ours, scipy = (fastest(partial(f, matrices)) for f in (logarithm, each(logm)))
        pairs = [(next(ours), next(scipy)) for _ in range(rounds + 1)][1:]
        medians = [statistics.median(times) for times in zip(*pairs)]
        yield row(f"logm, {count} of {size} rows", *medians)


def row(title: str, ours: float, other: float) -> str:
    """A line of the table: both medians, and their ratio."""
    return f"{title:42} {1e3 * ours:9.3f} ms {1e3 * other:9.3f} ms {ours / other:.2f}"


PARTS = {"linker": linkers, "logarithm": logarithms}


def main() -> None:
    """Prints the table, or the seconds of a program."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", choices=PARTS)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--linked", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.linked:
        print(*linked(*arguments.linked))
        return
    warnings.simplefilter("ignore")  # of SciPy's results that are not accurate
    for name in arguments.only or PARTS:
        for line in PARTS[name](arguments.rounds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
