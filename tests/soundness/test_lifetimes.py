"""Machine code is made by many threads at once, while others fork, and while the process ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

START = """
import faulthandler, logging, os, random, sys, threading, time
faulthandler.enable()
import numpy as np
import graphwright as tf
logging.disable(logging.WARNING)
chance = random.Random({seed})
tf.config.threading.set_intra_op_parallelism_threads(2)

def compiled(k):
    # A function that no other thread compiles, or one that all do.
    f = tf.function(lambda x: tf.nn.softmax(x * float(k)) + float(k), jit_compile=True)
    found = f(tf.constant([1.0, 2.0, 3.0])).numpy()
    assert abs(found.sum() - 1 - 3 * k) < 1e-3 * (1 + k), (k, found)

def later(k):
    # Compiled in the background.
    f = tf.function(lambda x: tf.tanh(x) + float(k))
    for _ in range(4):
        f(tf.constant([1.0, 2.0]))

def product(k):
    n = chance.choice([80, 200])
    dtype = np.float32 if k % 2 else np.float64
    x = tf.constant(np.ones((n, n), dtype))
    assert tf.matmul(x, x).numpy()[0, 0] == n

def convolution(k):
    x = tf.ones([1, 32, 32, 16])
    assert tf.nn.conv2d(x, tf.ones([3, 3, 16, 16]), 1, "VALID").numpy().max() == 144

def dropped(k):
    # Code that is unloaded while other code is made.
    for i in range(3):
        compiled(1000 * k + i)

WORK = [compiled, later, product, convolution, dropped]

def work(forever):
    try:
        k = 0
        while forever or k < 6:
            which = chance.choice([4, 10**6])
            chance.choice(WORK)(chance.randrange(which))
            k += 1
    except BaseException:
        import traceback
        traceback.print_exc()
        os._exit(3)

def started(forever, daemon, count=4):
    threads = [threading.Thread(target=work, args=(forever,), daemon=daemon) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads
"""

#: What a process does; it must end well.
SCENARIOS = {
    "threads": """
for thread in started(False, False):
    thread.join()
""",
    "the process ends while others wait for it to": """
started(False, False)
time.sleep(chance.random() * 0.3)
""",
    "the process ends while daemons go on": """
started(True, True)
time.sleep(chance.random() * 0.8)
""",
    "the process ends while the background is busy": """
for k in range(20):
    later(k)
time.sleep(chance.random() * 0.1)
""",
    "an error ends it": """
started(True, True)
time.sleep(chance.random() * 0.5)
try:
    raise SystemExit(0)
finally:
    compiled(3)
""",
    "children": """
threads = started(True, True, 3)
children = []
for _ in range(6):
    time.sleep(chance.random() * 0.1)
    child = os.fork()
    if child == 0:
        try:
            for k in range(3):
                chance.choice(WORK)(k)
            compiled(7)
            later(8)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(4)
        if chance.random() < 0.5:
            os._exit(0)
        sys.exit(0)
    children.append(child)
statuses = [os.waitpid(child, 0)[1] for child in children]
assert not any(statuses), statuses
""",
}


def run(scenario: str, seed: int, cache: str) -> None:
    """A process with the scenario; it ends with 0, in time."""
    program = START.replace("{seed}", str(seed)) + SCENARIOS[scenario]
    paths = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env=os.environ | {"PYTHONPATH": paths, "GRAPHWRIGHT_CACHE_DIR": cache},
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"seed {seed}: {done.returncode}\n{done.stderr[-4000:]}"
    assert not done.stderr, done.stderr[-4000:]


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
every_scenario = pytest.mark.parametrize(
    "scenario",
    [pytest.param(s, marks=needs_fork) if s == "children" else s for s in SCENARIOS],
)


@every_scenario
def test_a_process_ends_well(scenario: str) -> None:
    run(scenario, 0, "off")


@pytest.mark.slow
@every_scenario
def test_many_processes_end_well(scenario: str, tmp_path: object) -> None:
    for seed in range(50):
        run(scenario, seed, "off" if seed % 2 else str(tmp_path))
