"""Elements that workers of Ray compute."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray")

#: Ray starts processes that outlive a test, so a process of its own starts it.
PROGRAM = """
import os, re, signal, sys
import ray
import graphwright as tf

def tell(*values):
    # Ray prints on the standard output, too.
    with open(sys.argv[1], "a") as file:
        print(*values, file=file)

def f(x):
    product = tf.eye(400)
    for _ in range(100):
        product = product @ product
    return 100 // (x - 3) + tf.cast(tf.reduce_sum(product) - 400.0, tf.int64)

if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    weights = tf.constant([float(i) for i in range(40000)])
    large = lambda x: tf.gather(weights, x)
    tell([int(x) for x in tf.distribute.map(tf.data.Dataset.range(9), large, ray)])
    for retries in (1, 0):
        iterator = iter(tf.distribute.map(tf.data.Dataset.range(3, 11), f, ray, 3, retries))
        try:
            next(iterator)
        except tf.errors.InvalidArgumentError as error:
            tell("element 0 " in error.message)
            pid = int(re.search(r"Process ([0-9]+) on", error.message).group(1))
        os.kill(pid, signal.SIGKILL)  # it computes element 1
        try:
            tell([int(x) for x in iterator])
        except tf.errors.UnavailableError as error:
            tell("element 1 " in error.message, [int(x) for x in iterator])
        del iterator
    ray.shutdown()
"""


def test_workers_of_ray_compute_in_order(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    done = subprocess.run(
        [sys.executable, str(path), str(tmp_path / "results")],
        env=environment,
        capture_output=True,
        text=True,
    )
    results = [100 // (x - 3) for x in range(4, 11)]
    lines = [str(list(range(9))), "True", str(results), "True", f"True {results[1:]}", ""]
    assert (tmp_path / "results").read_text().split("\n") == lines, done.stderr
