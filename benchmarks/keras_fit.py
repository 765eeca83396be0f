"""Keras's `fit` and `predict` of small models on graphwright beside TensorFlow, in turns.

    python -m benchmarks.keras_fit OURS TENSORFLOW [--rounds N]

Both are interpreters that have Keras 3, OURS with what graphwright needs, TENSORFLOW with
TensorFlow. Each round runs both, each in a process of its own. The table has medians of the rounds,
in seconds, and memory in MB.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EPOCHS, PREDICTIONS = 6, 30


def measure(peer: str) -> dict[str, float]:
    """The figures of this process: seconds of each step, and the memory at its peak."""
    import resource

    began = time.perf_counter()
    if peer == "graphwright":
        import graphwright

        graphwright.install_as_tensorflow()
    import keras
    import numpy as np
    from keras import layers

    figures = {"import": time.perf_counter() - began}
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
        epochs = []
        for _ in range(EPOCHS):
            start = time.perf_counter()
            model.fit(x, y, batch_size=32, verbose=0)
            epochs.append(time.perf_counter() - start)
        figures[f"{name}: first epoch"], figures[f"{name}: later epochs"] = epochs[0], min(epochs)
        predictions = []
        for _ in range(PREDICTIONS):
            start = time.perf_counter()
            model.predict(x[:1], verbose=0)
            predictions.append(time.perf_counter() - start)
        figures[f"{name}: predict a row"] = statistics.median(predictions)
    figures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def sample(python: str, peer: str) -> dict[str, float]:
    """The figures of a peer, from a process of its own."""
    environment = os.environ | {
        "KERAS_BACKEND": "tensorflow",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "src"))),
    }
    command = [python, "-m", "benchmarks.keras_fit", "--sample", peer]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> None:
    """Runs the rounds, and prints the table; with --sample, the figures of this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*", metavar="OURS TENSORFLOW")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sample", choices=["graphwright", "tensorflow"])
    options = parser.parse_args()
    if options.sample:
        json.dump(measure(options.sample), sys.stdout)
        return
    if len(options.pythons) != 2:
        parser.error("name two interpreters: one with graphwright, one with TensorFlow")
    peers = dict(zip(("graphwright", "tensorflow"), options.pythons))
    rounds = [
        {peer: sample(python, peer) for peer, python in peers.items()}
        for _ in range(options.rounds)
    ]
    print("| | graphwright | TensorFlow | ratio |\n|---|---|---|---|")
    for name in rounds[0]["graphwright"]:
        ours, theirs = (statistics.median(r[peer][name] for r in rounds) for peer in peers)
        print(f"| {name} | {ours:.4g} | {theirs:.4g} | {ours / theirs:.2f} |")


if __name__ == "__main__":
    main()
