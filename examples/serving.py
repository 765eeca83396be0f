"""Train, save, load, serve: a model of handwritten digits answers requests over HTTP.

The model is trained in one `tf.function`, saved in TensorFlow's format, loaded without its class,
and served by `graphwright serve` in a process of its own, which a plain client of HTTP asks:

    pip install 'graphwright[serve]'
    python examples/serving.py            # some seconds
    python examples/serving.py --offline  # only trains, saves and loads it
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from typing import Any

import numpy as np

import graphwright as tf
from graphwright.demo.digits import BRIGHTEST, read


class Classifier(tf.Module):
    """A network of two layers, with its training step and what is served."""

    def __init__(self) -> None:
        super().__init__()
        random = tf.random.Generator.from_seed(1)
        self.kernels = [
            tf.Variable(random.normal([64, 32]) / 8.0),
            tf.Variable(random.normal([32, 10]) / 6.0),
        ]
        self.biases = [tf.Variable(tf.zeros([32])), tf.Variable(tf.zeros([10]))]

    def logits(self, pixels: tf.Tensor) -> tf.Tensor:
        hidden = tf.nn.relu(pixels @ self.kernels[0] + self.biases[0])
        return hidden @ self.kernels[1] + self.biases[1]

    @tf.function
    def train(self, pixels: tf.Tensor, labels: tf.Tensor, rate: float, steps: int) -> tf.Tensor:
        loss = tf.constant(0.0)
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.logits(pixels))
                loss = tf.reduce_mean(losses)
            weights = [*self.kernels, *self.biases]
            for weight, gradient in zip(weights, tape.gradient(loss, weights)):
                weight.assign_sub(rate * gradient)
        return loss

    @tf.function(input_signature=[tf.TensorSpec([None, 64], name="pixels")])
    def classify(self, pixels: tf.Tensor) -> dict[str, tf.Tensor]:
        scores = tf.nn.softmax(self.logits(pixels))
        return {"digit": tf.argmax(scores, 1), "score": tf.reduce_max(scores, 1)}


def ask(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request."""
    with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=60) as answer:
        content: dict[str, Any] = json.loads(answer.read())
    return content


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--offline", action="store_true", help="serve nothing")
    options = parser.parse_args()

    pictures, labels = read()
    pixels = (pictures.reshape(len(pictures), 64) / BRIGHTEST).astype(np.float32)
    labels = labels.astype(np.int32)
    shown, known = tf.constant(pixels[:1000]), tf.constant(labels[:1000])
    model = Classifier()
    loss = model.train(shown, known, 0.5, options.steps)
    print(f"trained to a loss of {loss.numpy():.3f}")

    folder = tempfile.mkdtemp() + "/digits"
    tf.saved_model.save(model, folder, signatures=model.classify)
    loaded = tf.saved_model.load(folder)
    others = tf.constant(pixels[1000:])
    mine = loaded.signatures["serving_default"](pixels=others)["digit"].numpy()
    print(f"loaded: {np.mean(mine == labels[1000:]):.3f} of the other digits are right")
    if options.offline:
        return

    chosen = ["--port", "0", "--batch", "256"]
    command = [sys.executable, "-m", "graphwright", "serve", folder, *chosen]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        url = server.stdout.readline().rpartition(": ")[2].strip()
        answer = ask(url + ":predict", {"inputs": pixels[1000:].tolist()})
        served = np.array(answer["outputs"]["digit"])
        print(f"served: {np.sum(served == mine)} of {len(mine)} answers are those of the model")
        try:
            ask(url + ":predict", {"instances": [[1.0, 2.0]]})
        except urllib.error.HTTPError as error:
            print(f"a bad request: {error.code}, {json.loads(error.read())['error']}")
    finally:
        server.send_signal(signal.SIGINT)
        print(f"the server ended with {server.wait(60)}")


if __name__ == "__main__":
    main()
