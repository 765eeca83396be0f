"""Keras reads digits: layers that change pictures at random, and a network of convolutions.

Needs Keras 3 (`pip install keras`). `tf.keras` of graphwright is that Keras, unchanged.

    python examples/keras_digits.py            # some seconds
"""

from __future__ import annotations

import argparse

import graphwright as tf
from graphwright.demo.digits import BRIGHTEST, CLASSES, SIDE, read

keras = tf.keras
layers = keras.layers


def classifier():
    """A network from pictures `[batch, 8, 8, 1]` to the logits of the digits."""
    return keras.Sequential(
        [
            keras.Input((SIDE, SIDE, 1)),
            layers.Rescaling(1.0 / BRIGHTEST),
            layers.RandomTranslation(0.1, 0.1, fill_mode="constant", seed=1),
            layers.RandomRotation(0.03, fill_mode="constant", seed=2),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(CLASSES),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15)
    options = parser.parse_args()
    keras.utils.set_random_seed(0)
    pictures, digits = read()
    pictures, held_out = pictures[..., None].astype("float32"), len(pictures) // 5
    model = classifier()
    model.compile(
        keras.optimizers.Adam(0.003),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(
        pictures[held_out:],
        digits[held_out:],
        batch_size=64,
        epochs=options.epochs,
        validation_data=(pictures[:held_out], digits[:held_out]),
        callbacks=[keras.callbacks.EarlyStopping("val_loss", patience=5)],
        verbose=0,
    ).history
    for epoch, (loss, share) in enumerate(zip(history["loss"], history["val_accuracy"]), 1):
        print(
            f"epoch {epoch:2}: loss {loss:.3f}, {share:.1%} of pictures kept aside are read right"
        )


if __name__ == "__main__":
    main()
