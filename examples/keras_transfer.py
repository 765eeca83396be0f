"""Keras takes over what another network knows, from a `.keras` file: few pictures are enough.

A network learns to tell the digits 0 to 4 from many pictures. Its file may as well come from Keras
on TensorFlow: --teacher names one that is there. A second network has its layers, held still, and a
new last layer, which learns the digits 5 to 9 from some pictures. A third one learns from
these alone.

Needs Keras 3 (`pip install keras`).

    python examples/keras_transfer.py                        # some seconds
    python examples/keras_transfer.py --teacher other.keras
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import graphwright as tf
from graphwright.demo.digits import BRIGHTEST, CLASSES, SIDE, read

keras = tf.keras
layers = keras.layers


def network(kinds):
    """A network that tells so many kinds of pictures `[batch, 8, 8, 1]` apart."""
    model = keras.Sequential(
        [
            keras.Input((SIDE, SIDE, 1)),
            layers.Rescaling(1.0 / BRIGHTEST),
            layers.Conv2D(16, 3, activation="relu"),
            layers.Conv2D(32, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(64, activation="relu", name="features"),
            layers.Dense(kinds, name="kinds"),
        ]
    )
    return compiled(model)


def compiled(model, rate=0.01):
    """The model, ready to learn kinds of pictures."""
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--teacher", type=Path, help="a .keras file of such a network")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--few", type=int, default=20, help="how many pictures are few")
    options = parser.parse_args()
    keras.utils.set_random_seed(0)
    pictures, digits = read()
    pictures, digits = pictures[..., None].astype("float32"), np.asarray(digits)

    half = len(digits) // 2
    with tempfile.TemporaryDirectory() as folder:
        file = options.teacher or Path(folder) / "teacher.keras"
        if options.teacher is None:
            teacher = network(CLASSES)
            teacher.fit(pictures[:half], digits[:half], epochs=options.epochs, verbose=0)
            teacher.save(file)
        teacher = keras.models.load_model(file)

    features = keras.Model(teacher.inputs, teacher.get_layer("features").output)
    features.trainable = False
    taught = keras.Sequential([features, layers.Dense(2)])
    x, y = pictures[half:], digits[half:] % 2
    for name, model in (("taught", compiled(taught)), ("alone", network(2))):
        few = options.few
        model.fit(x[:few], y[:few], epochs=options.epochs, batch_size=10, verbose=0)
        share = model.evaluate(x[few:], y[few:], verbose=0, return_dict=True)["accuracy"]
        weights = sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)
        print(f"{name}: {share:.1%} are read right, {weights} numbers learned from {few} pictures")


if __name__ == "__main__":
    main()
