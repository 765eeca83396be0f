"""Concrete functions in other processes."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.portable import travelling_functions
from graphwright.portable.travelling_functions import arrived, arrived_before, packed, unpacked

WEIGHTS = np.arange(300, dtype=np.float32).reshape(2, 150)


def made() -> tuple[Any, Any]:
    """A function of a variable, of a large constant and of a Python value, and the variable."""
    v = tf.Variable([1.0, 2.0])
    constant = tf.constant(WEIGHTS)

    @tf.function
    def f(x: Any, times: int) -> Any:
        total = tf.zeros([])
        for row in x:
            if tf.reduce_sum(row) > 0.0:
                total += tf.reduce_sum(row * v) * times
        return {"total": total, "product": x @ constant}

    return f.get_concrete_function(tf.TensorSpec([None, 2]), 3), v


def test_it_computes_the_same_from_its_bytes() -> None:
    f, v = made()
    x = tf.constant([[1.0, 2.0], [-1.0, -1.0]])
    copy = pickle.loads(pickle.dumps(f))
    expected = f(x)
    v.assign([9.0, 9.0])  # the copy has the values of its departure
    for _ in range(2):
        results = copy(x)
        assert sorted(results) == ["product", "total"]
        for name, value in expected.items():
            np.testing.assert_array_equal(results[name], value)
        copy = pickle.loads(pickle.dumps(copy))  # and goes on
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = copy(x)["total"]
    np.testing.assert_array_equal(tape.gradient(y, x), [[3.0, 6.0], [0.0, 0.0]])


def test_a_process_reads_a_function_once() -> None:
    data = packed(made()[0])
    assert arrived(data) is arrived(data)


def test_threads_read_a_function_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []
    everybody = threading.Barrier(4)

    def slowly(data: bytes) -> Any:
        reads.append(threading.get_ident())
        time.sleep(0.05)
        return unpacked(data)

    def together(data: bytes) -> Any:
        everybody.wait()
        return arrived(data)

    monkeypatch.setattr(travelling_functions, "unpacked", slowly)
    data = packed(made()[0])
    with ThreadPoolExecutor(4) as executor:
        functions = set(executor.map(together, [data] * 4))
    assert len(functions) == len(reads) == 1
    assert functions == {arrived_before(hashlib.sha256(data).digest())}


def test_damaged_bytes_are_refused() -> None:
    data = packed(made()[0])
    for wrong in (b"", data[:200], data.replace(b"saved_model.pb", b"../aved_mode.p")):
        with pytest.raises(tf.errors.InvalidArgumentError, match="malformed"):
            arrived(wrong)


#: Spawned processes leave a pipe open, so a process of its own starts them.
PROGRAM = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
import graphwright as tf

if __name__ == "__main__":
    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x: tf.reduce_sum(x * v)).get_concrete_function(tf.TensorSpec([2]))
    inputs = [tf.constant([float(i), 1.0]) for i in range(4)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        print([float(y) for y in executor.map(f, inputs)])
"""


def test_an_executor_runs_it_in_other_processes(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, str(path)], env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout == "[2.0, 3.0, 4.0, 5.0]\n"
