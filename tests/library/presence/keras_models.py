"""Builds, trains, saves and loads models of Keras; `test_keras.py` runs it in a process."""

from __future__ import annotations

import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

FOLDER = Path(sys.argv[1])


def attention() -> keras.Model:
    rows = keras.Input((6, 5))
    seen = layers.LayerNormalization()(rows + layers.MultiHeadAttention(2, 4)(rows, rows))
    return keras.Model(rows, layers.Dense(1)(layers.GlobalAveragePooling1D()(seen)))


MODELS = {
    "mlp": ((8,), lambda: keras.Sequential([layers.Dense(16, "tanh"), layers.Dense(1)])),
    "cnn": (
        (8, 8, 3),
        lambda: keras.Sequential(
            [
                layers.Conv2D(4, 3, activation="relu"),
                layers.BatchNormalization(),
                layers.MaxPooling2D(),
                layers.Flatten(),
                layers.Dropout(0.1),
                layers.Dense(1),
            ]
        ),
    ),
    "lstm": ((6, 5), lambda: keras.Sequential([layers.LSTM(4), layers.Dense(1)])),
    "gru": ((6, 5), lambda: keras.Sequential([layers.GRU(4), layers.Dense(1)])),
    "attention": ((6, 5), attention),
}


def check(name: str) -> None:
    shape, build = MODELS[name]
    keras.utils.set_random_seed(0)
    x = np.random.default_rng(0).normal(size=(48, *shape)).astype("float32")
    y = x.reshape(48, -1).mean(1, keepdims=True) * 3
    model = build()
    model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    losses = model.fit(x, y, batch_size=16, epochs=4, verbose=0).history["loss"]
    assert losses[-1] < losses[0], losses
    loss, _ = model.evaluate(x, y, verbose=0)
    predicted = model.predict(x, verbose=0)
    np.testing.assert_allclose(loss, np.mean((predicted - y) ** 2), rtol=1e-4)
    model.save(FOLDER / f"{name}.keras")
    loaded = keras.models.load_model(FOLDER / f"{name}.keras")
    np.testing.assert_allclose(loaded.predict(x, verbose=0), predicted, rtol=1e-5, atol=1e-6)
    model.save_weights(FOLDER / f"{name}.weights.h5")
    model.fit(x, y, verbose=0)
    assert not np.allclose(model.predict(x, verbose=0), predicted, rtol=1e-5, atol=1e-6)
    model.load_weights(FOLDER / f"{name}.weights.h5")
    np.testing.assert_allclose(model.predict(x, verbose=0), predicted, rtol=1e-5, atol=1e-6)


assert keras.backend.backend() == "tensorflow"
assert tf.keras.layers.Dense is layers.Dense
check(sys.argv[2])
