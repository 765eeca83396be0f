"""Workloads of saved models: loading one with a first call, and saving many megabytes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workload import Bar, Cold, Workload, highest_mib

Step = Callable[[], object]

VARIABLES = 100
NODES = 2_000  # of the function that is called
WIDTH = 32
PARTS = 10  # of the model that is saved, 50 MB each


def network(tf: Any) -> Any:
    """A module of 100 variables, whose function has about 2,000 nodes."""

    class Network(tf.Module):  # type: ignore[misc]  # a class of the peer
        def __init__(self) -> None:
            super().__init__()
            shape = WIDTH, WIDTH
            self.weights = [
                tf.Variable(np.random.RandomState(i).normal(0, 0.1, shape).astype(np.float32))
                for i in range(VARIABLES)
            ]

        @tf.function(input_signature=[tf.TensorSpec([None, WIDTH], tf.float32)])
        def predict(self, x: Any) -> Any:
            for weights in self.weights:
                x = tf.nn.tanh(tf.matmul(x, weights))
                for _ in range((NODES // VARIABLES - 4) // 2):
                    x = x * 0.5 + 0.25
            return {"y": x}

    return Network()


def load_model(tf: Any) -> Step:
    """Loads the model, and calls its function once."""
    folder = tempfile.mkdtemp()
    tf.saved_model.save(network(tf), folder)
    x = tf.ones([4, WIDTH])

    def load() -> object:
        model = tf.saved_model.load(folder)
        return model.predict(x)["y"].numpy()

    return load


#: It ends at once when it has the result: nobody waits for what Python does at its end.
_PROCESS = """
import os
import sys
import {module} as tf
model = tf.saved_model.load(sys.argv[1])
model.predict(tf.ones([4, {width}]))["y"].numpy()
os._exit(0)
"""


def start_with_model(tf: Any) -> Step:
    """A process that imports the library, loads the model, and has what one call gives."""
    folder = tempfile.mkdtemp()
    tf.saved_model.save(network(tf), folder)
    program = _PROCESS.format(module=tf.__name__, width=WIDTH)

    def start() -> None:
        subprocess.run([sys.executable, "-c", program, folder], check=True, env=os.environ)

    return start


def save_variables(tf: Any) -> Step:
    """Saves variables of 500 MB."""
    model = tf.Module()
    model.parts = [
        tf.Variable(np.full([12_500_000], i, np.float32), name=f"part{i}") for i in range(PARTS)
    ]
    folder = tempfile.mkdtemp()

    def save() -> None:
        tf.saved_model.save(model, os.path.join(folder, "model"))

    return save


class Peak(Workload):
    """How far the highest memory of the process rises while the program runs once."""

    def prepare(self, peer: str) -> Callable[[], float]:
        call = self.program(peer)

        def sample() -> float:
            before = highest_mib()
            call()
            return highest_mib() - before

        return sample


def both(program: Callable[[Any], Step]) -> dict[str, Callable[[Any], Step]]:
    """A program for the two modules that have TensorFlow's API."""
    return {"graphwright": program, "tensorflow": program}


#: Each a number of times the speed of TensorFlow.
LOADED, STARTED, SAVED = Bar(5.0, "tensorflow"), Bar(10.0, "tensorflow"), Bar(2.0, "tensorflow")
TABLE: tuple[Workload, ...] = (
    Cold(
        "S1",
        "load a model of 100 variables and 2,000 nodes, and call it once",
        "ms",
        None,
        both(load_model),
        LOADED,
    ),
    Cold("S2", "the same in a process of its own", "ms", None, both(start_with_model), STARTED),
    Cold("S3", "save variables of 500 MB", "ms", None, both(save_variables), SAVED),
    Peak("S3m", "memory that this takes", "MiB", 32.0, both(save_variables)),
)
