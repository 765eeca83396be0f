"""Keras's `fit` and `predict` of small models on graphwright beside its other backends, in turns.

    python -m benchmarks.keras_fit OURS TENSORFLOW [--jax PYTHON] [--torch PYTHON] [--rounds N]

All are interpreters that have Keras 3, OURS with what graphwright needs, the others with a backend
of Keras. Keras imports scikit-learn, pandas and others where they are installed, so all should have
the same. Each round runs all, each in a process of its own. The table has the least of the rounds,
by the clock and of processors, which other programs on the machine change less, with the ratios to
TensorFlow's. It is in seconds, and in MB for the memory at its peak.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EPOCHS, PREDICTIONS = 5, 20


class Stopwatch:
    """Seconds since it was made or last read, by the clock and of all threads."""

    def __init__(self) -> None:
        self.seconds = self._now()

    def _now(self) -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """The seconds since the last reading."""
        before, self.seconds = self.seconds, self._now()
        wall, busy = (now - then for now, then in zip(self.seconds, before))
        return wall, busy


def least(samples: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The least of each kind of seconds."""
    wall, busy = (min(kind) for kind in zip(*samples))
    return wall, busy


def measure(peer: str) -> dict[str, tuple[float, float]]:
    """The figures of this process: seconds of each step, and the memory at its peak, twice."""
    import resource

    watch = Stopwatch()
    if peer == "graphwright":
        import graphwright

        graphwright.install_as_tensorflow()
    import keras
    import numpy as np
    from keras import layers

    figures = {"import": watch.read()}
    models = {
        "mlp": ([layers.Dense(64, "relu"), layers.Dense(64, "relu")], (20,), 2048),
        "cnn": (
            [layers.Conv2D(8, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten()],
            (16, 16, 1),
            1024,
        ),
        "lstm": ([layers.LSTM(16)], (16, 8), 512),
    }
    random = np.random.default_rng(0)
    for name, (parts, shape, rows) in models.items():
        x, y = random.normal(size=(rows, *shape)).astype("float32"), random.integers(0, 10, rows)
        model = keras.Sequential([keras.Input(shape), *parts, layers.Dense(10)])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, metrics=["accuracy"])
        epochs, predictions = [], []
        watch.read()
        for _ in range(EPOCHS):
            model.fit(x, y, batch_size=32, verbose=0)
            epochs.append(watch.read())
        for _ in range(PREDICTIONS):
            model.predict(x[:1], verbose=0)
            predictions.append(watch.read())
        figures[f"{name}: first epoch"], figures[f"{name}: later epochs"] = epochs[0], least(epochs)
        figures[f"{name}: predict a row"] = least(predictions)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["memory"] = (peak, peak)
    return figures


def sample(python: str, peer: str) -> dict[str, tuple[float, float]]:
    """The figures of a peer, from a process of its own."""
    environment = os.environ | {
        "KERAS_BACKEND": "tensorflow" if peer == "graphwright" else peer,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "src"))),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # peers were compiled when installed
    command = [python, "-m", "benchmarks.keras_fit", "--sample", peer]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    figures: dict[str, tuple[float, float]] = json.loads(done.stdout)
    return figures


def main() -> None:
    """Runs the rounds, and prints the table; with --sample, the figures of this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*", metavar="OURS TENSORFLOW")
    parser.add_argument("--jax", help="an interpreter with Keras and JAX")
    parser.add_argument("--torch", help="an interpreter with Keras and PyTorch")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sample", choices=["graphwright", "tensorflow", "jax", "torch"])
    options = parser.parse_args()
    if options.sample:
        json.dump(measure(options.sample), sys.stdout)
        return
    if len(options.pythons) != 2:
        parser.error("name two interpreters: one with graphwright, one with TensorFlow")
    pythons = dict(zip(("graphwright", "tensorflow"), options.pythons))
    pythons |= {"jax": options.jax, "torch": options.torch}
    peers = {peer: python for peer, python in pythons.items() if python}
    rounds: list[dict[str, dict[str, tuple[float, float]]]] = []
    for number in range(options.rounds):
        rounds.append({peer: sample(python, peer) for peer, python in peers.items()})
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    print("| |", " | ".join(f"{peer}, clock | busy" for peer in peers), "| ratio, clock | busy |")
    print("|---" * (2 * len(peers) + 3) + "|")
    for name in rounds[0]["graphwright"]:
        best = {peer: least([r[peer][name] for r in rounds]) for peer in peers}
        ratios = [ours / theirs for ours, theirs in zip(best["graphwright"], best["tensorflow"])]
        cells = [f"{figure:.4g}" for figures in best.values() for figure in figures]
        print(f"| {name} |", " | ".join([*cells, *(f"{ratio:.2f}" for ratio in ratios)]), "|")


if __name__ == "__main__":
    main()
