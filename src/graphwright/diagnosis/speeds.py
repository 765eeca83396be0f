"""How fast graphwright is on this machine: a few figures that take a second or two together."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from graphwright.types.arguments import TensorLike

#: What a fresh process prints: the seconds of the import of NumPy, and of graphwright after it.
_IMPORT = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import graphwright
print(middle - start, time.perf_counter() - middle)
"""


def best(call: Callable[[], object], repeats: int = 5) -> float:
    """The seconds of the fastest of some calls."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def speeds() -> Iterator[tuple[str, str]]:
    """The rows of the report's second part."""
    import graphwright as tf

    command = [sys.executable, "-c", _IMPORT]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    numpy, ours = (float(word) for word in out.split())
    yield "import", f"{ours * 1e3:.0f} ms, after {numpy * 1e3:.0f} ms for NumPy"

    side = 512
    square = tf.constant(np.ones([side, side], np.float32))
    seconds = best(lambda: tf.matmul(square, square))
    yield "products", f"{2 * side**3 / seconds / 1e9:.0f} GFLOP/s of float32, {side} x {side}"

    numbers = np.ones(1 << 22, np.float32)
    target = np.empty_like(numbers)
    seconds = best(lambda: np.copyto(target, numbers))
    rate = 2 * numbers.nbytes / seconds / 1e9
    yield "memory", f"{rate:.1f} GB/s, copying {numbers.nbytes >> 20} MiB"

    def smooth(x: TensorLike) -> object:
        def step(i: TensorLike, x: TensorLike) -> tuple[TensorLike, TensorLike]:
            return tf.add(i, 1), tf.add(tf.multiply(x, 0.5), tf.tanh(x))

        return tf.while_loop(lambda i, x: tf.less(i, 100), step, (0, x))[1]

    some = tf.constant(np.ones(1000, np.float32))
    staged = tf.function(smooth, jit_compile=True)
    began = time.perf_counter()
    staged(some)
    first = time.perf_counter() - began
    later = best(lambda: staged(some))
    yield "a loop", f"{first * 1e3:.0f} ms to trace, compile and run; then {later * 1e6:.0f} µs"

    @tf.function
    def add(x: TensorLike, y: TensorLike) -> object:
        return tf.add(x, y)

    one = tf.constant(1.0)
    calls = 1000

    def many() -> None:
        for _ in range(calls):
            add(one, one)

    yield "a call", f"{best(many) / calls * 1e6:.2f} µs for a traced x + y"
