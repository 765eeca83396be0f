"""Ctrl-C while machine code runs: it ends what takes long, and leaves whole what it worked on."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.llvm import launch

BEFORE = """
import os, signal, sys, threading
import graphwright as tf

tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[1]))


def interrupted(f, *args):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        while True:
            f(*args)
    except KeyboardInterrupt:
        timer.join()
        return True


def grid(x, y):
    return tf.sin(x[:, None] + y)


few, many = tf.ones([3]), tf.ones([1_000_000])
"""

#: Each would take hours: they go over 10^12 elements that lie nowhere.
NESTS = {
    "a total": """
        @tf.function(jit_compile=True)
        def f(x):
            return tf.reduce_sum(grid(x, x))
    """,
    "sums of rows": """
        @tf.function(jit_compile=True)
        def f(x):
            return tf.reduce_max(grid(x, x), axis=1)
    """,
    "sums of columns": """
        @tf.function(jit_compile=True)
        def f(x):
            return tf.reduce_sum(grid(x, x), axis=0)
    """,
    "a nest in a branch": """
        @tf.function(jit_compile=True)
        def f(x):
            y = tf.zeros([])
            if x[0] > 0.0:
                y = tf.reduce_sum(grid(x, x))
            return y
    """,
    "nests in a loop": """
        @tf.function(jit_compile=True)
        def f(x):
            y = tf.zeros_like(x)
            for _ in tf.range(3):
                y = tf.reduce_sum(grid(x, x + y), axis=0)
            return y
    """,
    "a variable": """
        v = tf.Variable(1.0)

        @tf.function(jit_compile=True)
        def f(x):
            v.assign(v + tf.reduce_sum(grid(x, x)))
            return v.read_value()
    """,
}

AFTER = """
before = f(few).numpy().tolist()
if "v" in globals():
    v.assign(1.0)
assert interrupted(f, many)
if "v" in globals():
    assert v.numpy() == 1.0
assert f(few).numpy().tolist() == before
print("whole")
"""


@pytest.mark.skipif(os.name != "posix", reason="no such signals here")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", NESTS)
def test_what_takes_hours_is_interrupted(name, threads, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(BEFORE + textwrap.dedent(NESTS[name]) + AFTER)
    done = subprocess.run(
        [sys.executable, program, str(threads)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout == "whole\n", done.stderr[-4000:]


@pytest.mark.skipif(os.name != "posix", reason="no such signals here")
def test_a_variable_that_is_written_over_is_never_half_new(monkeypatch):
    monkeypatch.setattr(launch, "ROUND", 1 << 12)
    v = tf.Variable(tf.zeros([1_000_000]))

    @tf.function(jit_compile=True)
    def step():
        v.assign(v + tf.cos(v * 0.0))

    step()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for i in range(20):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.003 + 0.0007 * i)
                while True:
                    step()
            except KeyboardInterrupt:
                assert np.ptp(v.numpy()) == 0.0  # no other comes before the next one is asked for
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
