"""Models of Keras 3 in files, written and read by whichever `tensorflow` there is.

python keras_files.py save FOLDER     # writes models, and what they make of some input
python keras_files.py check FOLDER    # reads them, and compares
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def pictures() -> tuple[Any, Any, Any]:
    """A network of convolutions, its input and its targets."""
    parts = [
        keras.Input((8, 8, 2)),
        layers.Conv2D(4, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.SeparableConv2D(3, 3, activation="gelu"),
        layers.Flatten(),
        layers.Dense(3, "softmax"),
    ]
    random = np.random.default_rng(0)
    x, y = random.normal(size=(12, 8, 8, 2)).astype("float32"), random.integers(0, 3, 12)
    model = keras.Sequential(parts)
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    return model, x, y


def words() -> tuple[Any, Any, Any]:
    """A recurrent network with two results, its input and its targets."""
    tokens = keras.Input((6,), dtype="int32", name="tokens")
    inner = layers.Bidirectional(layers.LSTM(4, return_sequences=True))(
        layers.Embedding(9, 5)(tokens)
    )
    attended = layers.MultiHeadAttention(2, 3)(inner, inner)
    results = {
        "kind": layers.Dense(2, name="kind")(layers.GlobalAveragePooling1D()(attended)),
        "next": layers.Dense(9, name="next")(layers.GRU(4)(inner)),
    }
    random = np.random.default_rng(1)
    x = random.integers(0, 9, (10, 6)).astype("int32")
    y = {"kind": random.normal(size=(10, 2)), "next": random.normal(size=(10, 9))}
    model = keras.Model(tokens, results)
    model.compile(keras.optimizers.RMSprop(0.01, momentum=0.5), {"kind": "mse", "next": "mae"})
    return model, x, y


def reviews() -> tuple[Any, Any, Any]:
    """A network that prepares texts by an adapted vocabulary, its input and its targets."""
    texts = tf.constant(["The day is good!", "A bad, bad night", "good night", "so bad a day"] * 3)
    vectorize, buckets = layers.TextVectorization(output_mode="tf_idf"), layers.Hashing(4, salt=7)
    scale = layers.Normalization(axis=-1)
    vectorize.adapt(texts)
    scale.adapt(vectorize(texts))
    text = keras.Input((), dtype="string", name="text")
    hashed = layers.CategoryEncoding(4)(layers.Reshape((1,))(buckets(text)))
    joined = layers.Concatenate()([scale(vectorize(text)), hashed])
    model = keras.Model(text, layers.Dense(1, "sigmoid")(joined))
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "binary_crossentropy")
    return model, texts, np.array([1.0, 0.0, 1.0, 0.0] * 3)[:, None]


MODELS = {"pictures": pictures, "words": words, "reviews": reviews}


#: Where there are two formats, the one that TensorFlow has.
OPTIONS = tf.train.CheckpointOptions()
if hasattr(OPTIONS, "file_format"):
    OPTIONS.file_format = "tensorflow"


def checkpoint_of(model: Any) -> tf.train.Checkpoint:
    """A checkpoint of a model and its optimizer."""
    model.optimizer.build(model.trainable_variables)
    return tf.train.Checkpoint(model=model, optimizer=model.optimizer)


def train(model: Any, x: Any, y: Any) -> float:
    """Two epochs; returns the loss."""
    history = model.fit(x, y, batch_size=5, epochs=2, shuffle=False, verbose=0).history
    return float(history["loss"][-1])


def flat(results: Any) -> dict[str, Any]:
    """Results by name, as arrays."""
    results = results if isinstance(results, dict) else {"result": results}
    return {name: np.asarray(value) for name, value in results.items()}


def save(folder: Path) -> None:
    """Writes each model in each form after some training, and what comes next on it."""
    for name, make in MODELS.items():
        keras.utils.set_random_seed(3)
        model, x, y = make()
        train(model, x, y)
        model.save(folder / f"{name}.keras")
        model.save_weights(folder / f"{name}.weights.h5")
        model.export(folder / f"{name}_exported", verbose=False)
        checkpoint_of(model).write(str(folder / f"{name}_checkpoint"), OPTIONS)
        expected = flat(model.predict(x, verbose=0))
        np.savez(folder / f"{name}.npz", **expected, loss_after=train(model, x, y))


def check(folder: Path) -> None:
    """Reads each model from each form; they make of the input what they did, and learn alike."""
    for name, make in MODELS.items():
        expected = dict(np.load(folder / f"{name}.npz"))
        loss_after = float(expected.pop("loss_after"))
        keras.utils.set_random_seed(4)
        fresh, x, y = make()
        fresh.load_weights(folder / f"{name}.weights.h5")
        agree(f"{name}.weights.h5", fresh(x), expected)
        loaded = keras.models.load_model(folder / f"{name}.keras")
        agree(f"{name}.keras", loaded.predict(x, verbose=0), expected)
        served = tf.saved_model.load(str(folder / f"{name}_exported"))
        agree(f"{name}_exported", served.serve(tf.constant(x)), expected)
        layer = layers.TFSMLayer(str(folder / f"{name}_exported"), call_endpoint="serve")
        agree(f"TFSMLayer of {name}", layer(tf.constant(x)), expected)
        keras.utils.set_random_seed(5)
        other, _, _ = make()
        checkpoint_of(other).restore(str(folder / f"{name}_checkpoint"))
        agree(f"{name}_checkpoint", other(x), expected)
        for trained in (loaded, other):  # they go on with the optimizer's state
            loss = train(trained, x, y)
            assert abs(loss - loss_after) < 1e-4 * abs(loss_after), (name, loss, loss_after)


def agree(what: str, results: Any, expected: dict[str, Any]) -> None:
    """AssertionError unless results are the expected ones."""
    given = flat(results)
    assert given.keys() == expected.keys(), (what, sorted(given), sorted(expected))
    for key, value in expected.items():
        np.testing.assert_allclose(
            given[key], value, rtol=1e-4, atol=1e-5, err_msg=f"{what}: {key}"
        )


if __name__ == "__main__":
    {"save": save, "check": check}[sys.argv[1]](Path(sys.argv[2]))
