"""Record small models that TensorFlow and Keras save, with calls of them and their results.

Usage, in an environment with tensorflow 2.21 and its Keras:
    python tools/record_saved_models.py [NAME ...]
    python tools/record_saved_models.py --load FOLDER

Each becomes tests/golden/saved_models/NAME.zip: the folder that was written, and `calls.json`, the
calls with what TensorFlow returned after it had loaded the folder again. With `--load`, TensorFlow
loads models that `tools/write_saved_models.py` wrote, and compares; the exit status is 1 when one
cannot be loaded or computes something else.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import recording

tf = recording.tensorflow()

from corpora.model_features import FEATURES
from corpora.model_programs import PROGRAMS
from corpora.model_recipes import RECIPES, Recipe
from support.saved_values import called, decoded, encoded, gradients_of, unlike

FOLDER = recording.GOLDEN / "saved_models"


def keras_mlp(tf: Any, folder: Path) -> Recipe:
    """A Keras MLP with normalization, as `export` writes it."""
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Input([4]),
            layers.Dense(8, "relu"),
            layers.BatchNormalization(),
            layers.Dropout(0.5),
            layers.Dense(3, "softmax"),
        ]
    )
    x = tf.constant(np.linspace(-1, 1, 20).reshape(5, 4), tf.float32)
    return model, {}, [("serve", [x], {}), ("signatures/serving_default", [], {"keras_tensor": x})]


def keras_cnn(tf: Any, folder: Path) -> Recipe:
    """A Keras CNN of two inputs, as `export` writes it."""
    tf.keras.utils.set_random_seed(2)
    layers = tf.keras.layers
    image = layers.Input([8, 8, 1], name="image")
    number = layers.Input([2], name="number")
    y = layers.Conv2D(4, 3, activation="relu", padding="same")(image)
    y = layers.MaxPooling2D()(y)
    y = layers.DepthwiseConv2D(3)(y)
    y = layers.GlobalAveragePooling2D()(y)
    y = layers.Concatenate()([y, layers.Dense(3, "gelu")(number)])
    model = tf.keras.Model({"image": image, "number": number}, layers.Dense(1)(y))
    x = tf.constant(np.sin(np.arange(2 * 64)).reshape(2, 8, 8, 1), tf.float32)
    n = tf.constant([[0.5, -1.0], [2.0, 0.0]])
    named = {"image": x, "number": n}
    return model, {}, [("serve", [named], {}), ("signatures/serving_default", [], named)]


def keras_lstm(tf: Any, folder: Path) -> Recipe:
    """A Keras network over words: an embedding and an LSTM, as `export` writes it."""
    tf.keras.utils.set_random_seed(3)
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Input([None], dtype="int32"),
            layers.Embedding(10, 3),
            layers.LSTM(4),
            layers.Dense(2),
        ]
    )
    x = tf.constant([[1, 2, 3], [9, 0, 4]])
    return model, {}, [("serve", [x], {})]


def keras_words(tf: Any, folder: Path) -> Recipe:
    """A Keras network over strings: a table of words, and rows in both directions."""
    tf.keras.utils.set_random_seed(4)
    layers = tf.keras.layers
    words = layers.Input([None], dtype="string", name="words")
    numbers = layers.StringLookup(vocabulary=["cat", "sat", "the"])(words)
    y = layers.Bidirectional(layers.GRU(2))(layers.Embedding(4, 3, mask_zero=True)(numbers))
    model = tf.keras.Model(words, layers.Dense(1, "sigmoid")(y))
    x = tf.constant([["the", "cat", "sat"], ["a", "cat", ""]])
    return model, {}, [("serve", [x], {}), ("signatures/serving_default", [], {"words": x})]


def keras_attention(tf: Any, folder: Path) -> Recipe:
    """A block of a transformer of Keras."""
    tf.keras.utils.set_random_seed(5)
    layers = tf.keras.layers
    x = layers.Input([None, 4])
    y = layers.MultiHeadAttention(2, 3)(x, x, use_causal_mask=True)
    y = layers.LayerNormalization()(layers.Add()([x, layers.Dropout(0.1)(y)]))
    model = tf.keras.Model(x, layers.Dense(2, "gelu")(y))
    x = tf.constant(np.sin(np.arange(24)).reshape(2, 3, 4), tf.float32)
    return model, {}, [("serve", [x], {})]


def keras_pictures(tf: Any, folder: Path) -> Recipe:
    """A Keras network from pictures to pictures."""
    tf.keras.utils.set_random_seed(6)
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Input([6, 6, 2]),
            layers.Rescaling(0.5, -0.25),
            layers.SeparableConv2D(4, 3, strides=2, padding="same", activation="swish"),
            layers.GroupNormalization(2),
            layers.UpSampling2D(interpolation="bilinear"),
            layers.Conv2DTranspose(3, 3, padding="same"),
            layers.PReLU(shared_axes=[1, 2]),
        ]
    )
    x = tf.constant(np.sin(np.arange(2 * 72)).reshape(2, 6, 6, 2), tf.float32)
    return model, {}, [("serve", [x], {})]


def keras_subclass(tf: Any, folder: Path) -> Recipe:
    """A Keras model as a class, saved as any object is, with a function of its own."""
    tf.keras.utils.set_random_seed(7)

    class Two(tf.keras.Model):  # type: ignore[misc]  # a class of TensorFlow's Keras
        def __init__(self) -> None:
            super().__init__()
            self.towers = {"a": tf.keras.layers.Dense(2), "b": tf.keras.layers.Dense(2)}
            self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

        def call(self, x: Any, training: bool = False) -> Any:
            y = self.towers["a"](x) * self.scale + self.towers["b"](x)
            return y * 2.0 if training else y

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def best(self, x: Any) -> Any:
            return {"best": tf.argmax(self(x), -1)}

    model, x = Two(), tf.constant(np.cos(np.arange(6)).reshape(2, 3), tf.float32)
    model(x)
    return SavedAsObject(model), {}, [("best", [x], {})]


class SavedAsObject:
    """A Keras model that `tf.saved_model.save` writes, not `export`."""

    def __init__(self, model: Any) -> None:
        self.model = model


KERAS: list[Callable[[Any, Path], Recipe]] = [
    keras_mlp, keras_cnn, keras_lstm, keras_words, keras_attention, keras_pictures, keras_subclass,
]  # fmt: skip


def record(recipe: Callable[[Any, Path], Recipe]) -> None:
    """Writes the file of one model."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, options, calls = recipe(tf, folder)
        target = folder / "model"
        if isinstance(model, SavedAsObject):
            tf.saved_model.save(model.model, str(target), **options)
        elif hasattr(model, "export"):
            model.export(str(target), verbose=False)
        else:
            tf.saved_model.save(model, str(target), **options)
        loaded = tf.saved_model.load(str(target))
        recorded = []
        for path, args, kwargs in calls:
            result, gradients = gradients_of(tf, called(loaded, path), args, kwargs)
            parts = {"args": list(args), "kwargs": kwargs, "result": result, "gradients": gradients}
            recorded.append({"path": path, **{k: encoded(tf, v) for k, v in parts.items()}})
        file = FOLDER / f"{recipe.__name__}.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(target.rglob("*")):
                if path.is_file():
                    entry = zipfile.ZipInfo(path.relative_to(target).as_posix())
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(entry, path.read_bytes())
            entry = zipfile.ZipInfo("calls.json")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, json.dumps(recorded))
        print(f"{file.name}: {len(recorded)} calls, {file.stat().st_size} bytes")


def check(folder: Path) -> int:
    """Loads the models in a folder, and returns 1 if one is not what was recorded of it."""
    wrong = []
    for model in sorted(folder.iterdir()):
        content = json.loads((model / "calls.json").read_text())
        loaded = tf.saved_model.load(str(model))
        for call in content:
            args, kwargs, result, gradients = [
                decoded(tf, call[key]) for key in ("args", "kwargs", "result", "gradients")
            ]
            outcome = gradients_of(tf, called(loaded, call["path"]), args, kwargs)
            wrong += [f"{model.name}: {call['path']}: {words}"
                      for words in unlike(tf, outcome, (result, gradients))]  # fmt: skip
        wrong += [f"{model.name}: {words}" for words in in_a_session(model, content)]
        print(f"{model.name}: {len(content)} calls")
    print("\n".join(wrong) or "all is as it was recorded")
    return int(bool(wrong))


def in_a_session(model: Path, content: list[Any]) -> list[str]:
    """What a session, which knows nodes alone, computes otherwise by the signatures of a model."""
    wrong = []
    parts = [
        (call["path"].removeprefix("signatures/"), arrays(call["kwargs"]), arrays(call["result"]))
        for call in content
        if call["path"].startswith("signatures/")
    ]
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        graph = tf.compat.v1.saved_model.load(session, ["serve"], str(model))
        for name, kwargs, expected in parts:
            signature = graph.signature_def[name]
            feeds = {signature.inputs[key].name: value for key, value in kwargs.items()}
            fetched = session.run({k: i.name for k, i in signature.outputs.items()}, feeds)
            for key, value in expected.items():
                if not np.allclose(fetched[key], value, rtol=3e-6, atol=1e-6):
                    wrong.append(f"in a session, {name}: {key} is {fetched[key]}, not {value}")
    return wrong


def arrays(content: Any) -> dict[str, Any]:
    """The tensors of a recorded dict, as arrays."""
    return {key: value.numpy() for key, value in decoded(tf, content).items()}


def main() -> int:
    """Record all models, or those that are named; or load models."""
    if sys.argv[1:2] == ["--load"]:
        return check(Path(sys.argv[2]))
    FOLDER.mkdir(exist_ok=True)
    for recipe in [*RECIPES, *FEATURES, *PROGRAMS, *KERAS]:
        if not sys.argv[1:] or recipe.__name__ in sys.argv[1:]:
            record(recipe)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
