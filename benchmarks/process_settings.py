"""What each change of the process gains: programs with it and without it, in turns.

    python -m benchmarks.process_settings [--only malloc ...] [--rounds 15]

Each program runs in a process of its own and gives seconds: of the processor where nobody waits, of
a clock where somebody does. The table has the medians and their ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable

import numpy as np


def processor_time(step: Callable[[], object], times: int) -> float:
    """The processor's time for calls of `step`, when all of it is compiled."""
    from graphwright.machine import background

    for _ in range(40):
        step()
    background.wait()
    start = time.process_time()
    for _ in range(times):
        step()
    return time.process_time() - start


def training_step() -> float:
    """Steps of training of three layers."""
    import graphwright as tf
    from benchmarks import training

    make = training.train_tf(
        training.perceptron_tf, training.perceptron_weights, training.BATCH, training.LAYERS[0]
    )
    return processor_time(make(tf), 200)


def eager_ops() -> float:
    """Ops on 4 MiB, one after the other."""
    import graphwright as tf

    x = tf.ones([1 << 20])

    def step() -> object:
        y = x * 2.0 + 1.0
        return tf.reduce_sum(tf.tanh(y) * tf.exp(-y) - x / (y + 3.0))

    return processor_time(step, 50)


def large_result() -> float:
    """A native op with a result of 40 MB."""
    import graphwright as tf

    line = tf.function(lambda x: x * 2.0 + 1.0, jit_compile=True)
    x = tf.ones([10_000_000])
    return processor_time(lambda: line(x), 50)


def busy_calls() -> float:
    """Calls without a pause, until they are native."""
    import graphwright as tf
    from benchmarks import programs

    spread, x = tf.function(programs.spread_tf(tf)), tf.ones([100])
    spread(x)
    start = time.perf_counter()
    programs.call_until_native(spread, x)
    return time.perf_counter() - start


def products() -> float:
    """Products by BLAS, until their kernel is there."""
    from graphwright.machine import matmul

    a, b = (np.ones((512, 512), np.float32) for _ in range(2))
    start = time.perf_counter()
    while matmul._native(a, b) is None:
        a @ b
    return time.perf_counter() - start


def import_and_call() -> float:
    """The import, and a first call of a function with a loop."""
    start = time.process_time()
    import graphwright as tf

    @tf.function
    def first(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            x = x + 1.0
        return x

    first(tf.constant(1.0))
    return time.process_time() - start


def conversions() -> float:
    """Conversions of functions, beside a million lists."""
    from benchmarks import control_flow, programs, training
    from graphwright.autograph.conversion import convert
    from graphwright.autograph.expression_rewriting import Options

    heap = [[i] for i in range(1_000_000)]
    functions = [
        function
        for module in (control_flow, programs, training)
        for function in vars(module).values()
        if isinstance(function, types.FunctionType) and function.__module__ == module.__name__
    ]
    start = time.process_time()
    for function in functions:
        convert(function, Options())
    assert heap
    return time.process_time() - start


#: A setting, and a program for which it matters.
PROGRAMS = [
    ("malloc", training_step),
    ("malloc", eager_ops),
    ("allocator", large_result),
    ("turns", busy_calls),
    ("blas", products),
    ("collector", import_and_call),
    ("collector", conversions),
]

#: The programs for which an earlier process has left code on the disk.
CACHED = {busy_calls}


def seconds(program: str, unchanged: str, cache: str) -> float:
    """What a program gives in a process of its own."""
    environment = {"GRAPHWRIGHT_UNCHANGED": unchanged, "GRAPHWRIGHT_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.process_settings", "--program", program],
        env=os.environ | environment,
        check=True,
        stdout=subprocess.PIPE,
    )
    return float(done.stdout)


def main() -> None:
    """Prints the table, or a program's seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--program", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.program:
        print(globals()[arguments.program]())
        return
    for name, program in PROGRAMS:
        if arguments.only and name not in arguments.only:
            continue
        title = program.__name__
        with tempfile.TemporaryDirectory() as folder:
            cache = folder if program in CACHED else "off"
            seconds(title, "", cache)
            pairs = [
                (seconds(title, "", cache), seconds(title, name, cache))
                for _ in range(arguments.rounds)
            ]
        changed, unchanged = (1e3 * statistics.median(times) for times in zip(*pairs))
        ratio = changed / unchanged
        print(f"{name:10} {title:16} {changed:8.1f} ms {unchanged:8.1f} ms {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
