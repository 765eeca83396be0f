"""Elements that workers of Dask compute."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")

#: Dask leaves files and threads open, so a process of its own starts it.
PROGRAM = """
import os, signal
from dask.distributed import Client, LocalCluster
import graphwright as tf

def f(x):
    while x % 3 != 0:
        x += 1
    return 100 // (x - 15)

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            weights = tf.constant([float(i) for i in range(40000)])
            large = lambda x: tf.gather(weights, x)
            print([int(x) for x in tf.distribute.map(tf.data.Dataset.range(9), large, client)])
            numbers = tf.data.Dataset.range(15, 40)
            iterator = iter(tf.distribute.map(numbers, f, client, window=3))
            try:
                next(iterator)
            except tf.errors.InvalidArgumentError as error:
                print("element 0 " in error.message, f"Process {os.getpid()} " in error.message)
            results = [int(next(iterator))]
            (pid,) = client.run(os.getpid).values()
            os.kill(pid, signal.SIGKILL)
            print(results + [int(x) for x in iterator])
            del iterator
            iterator = iter(tf.distribute.map(numbers, f, client, window=3))
        try:
            list(iterator)
        except (tf.errors.UnavailableError, tf.errors.CancelledError) as error:
            print("element 0 " in error.message)
"""


def test_workers_of_dask_compute_in_order(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, str(path)], env=environment, capture_output=True, text=True
    )
    expected = [100 // (-(-x // 3) * 3 - 15) for x in range(16, 40)]
    lines = [str(list(range(9))), "True False", str(expected), "True", ""]
    assert done.stdout.split("\n") == lines, done.stderr
