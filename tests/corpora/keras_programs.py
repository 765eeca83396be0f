"""Programs of Keras 3 that learn: each gives the history of its losses and metrics.

Nothing is random but by Keras's own seeds: weights and data come from NumPy, so that TensorFlow and
graphwright begin alike. Run as a program, with the names of programs or none for all, it prints the
histories as JSON, for whichever `tensorflow` it finds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers

#: The values by epoch, by the name of a loss or a metric.
Histories = dict[str, list[float]]
Program = Callable[[], Any]

PROGRAMS: dict[str, Program] = {}
ROWS = 48


def program(function: Program) -> Program:
    """Registers a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def numbers(*shape: int, seed: int = 1) -> Any:
    """Normal numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def labels(classes: int, *shape: int) -> Any:
    """Whole numbers below `classes`."""
    return np.random.default_rng(2).integers(0, classes, size=shape or (ROWS,))


def begin(model: Any) -> Any:
    """The model, whose trained weights are numbers that depend on their order alone."""
    for place, weight in enumerate(model.trainable_weights):
        scale = 1.0 / np.sqrt(max(weight.shape[0], 1)) if len(weight.shape) > 1 else 0.1
        weight.assign(scale * numbers(*weight.shape, seed=10 + place))
    return model


def fit(model: Any, x: Any, y: Any = None, **options: Any) -> Histories:
    """The history of a few epochs, in order."""
    options = {"epochs": 3, "batch_size": 16, "shuffle": False, "verbose": 0} | options
    history: Histories = model.fit(x, y, **options).history
    return history


def classify(*parts: Any, shape: tuple[int, ...]) -> Any:
    """A chain of layers from inputs of a shape to the logits of three classes."""
    return begin(keras.Sequential([keras.Input(shape), *parts, layers.Dense(3)]))


def loss() -> Any:
    """The loss of logits."""
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@program
def dense_adam() -> Histories:
    model = classify(layers.Dense(16, "relu"), layers.Dense(16, "tanh"), shape=(8,))
    model.compile("adam", loss(), metrics=["accuracy", "sparse_top_k_categorical_accuracy"])
    return fit(model, numbers(ROWS, 8), labels(3), validation_split=0.25)


@program
def convolutions_momentum() -> Histories:
    parts = [layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten()]
    model = classify(*parts, shape=(10, 10, 2))
    model.compile(keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True), loss())
    return fit(model, numbers(ROWS, 10, 10, 2), labels(3))


@program
def separable_convolutions() -> Histories:
    parts = [
        layers.SeparableConv2D(4, 3, padding="same", activation="gelu"),
        layers.DepthwiseConv2D(3, strides=2),
        layers.GlobalAveragePooling2D(),
    ]
    model = classify(*parts, shape=(8, 8, 3))
    model.compile(keras.optimizers.Adamax(0.01), loss())
    return fit(model, numbers(ROWS, 8, 8, 3), labels(3))


@program
def autoencoder() -> Histories:
    parts = [
        keras.Input((8, 8, 1)),
        layers.Conv2D(4, 3, strides=2, padding="same", activation="relu"),
        layers.Conv2DTranspose(1, 3, strides=2, padding="same"),
    ]
    model = begin(keras.Sequential(parts))
    model.compile(keras.optimizers.Adadelta(0.5), "mse", metrics=["mae"])
    pictures = numbers(ROWS, 8, 8, 1)
    return fit(model, pictures, pictures)


@program
def normalizations() -> Histories:
    parts = [
        layers.Conv1D(4, 3), layers.BatchNormalization(), layers.ReLU(),
        layers.LayerNormalization(), layers.GroupNormalization(2), layers.GlobalMaxPooling1D(),
    ]  # fmt: skip
    model = classify(*parts, shape=(9, 4))
    model.compile(keras.optimizers.Adam(0.01, amsgrad=True), loss())
    x, y = numbers(ROWS, 9, 4), labels(3)
    return fit(model, x, y, validation_data=(x[::-1], y))


@program
def long_memory() -> Histories:
    parts = [layers.LSTM(6, return_sequences=True), layers.LSTM(5, recurrent_dropout=0.2)]
    model = classify(*parts, shape=(7, 3))
    model.compile(keras.optimizers.RMSprop(0.01, centered=True, momentum=0.5), loss())
    return fit(model, numbers(ROWS, 7, 3), labels(3))


@program
def both_directions() -> Histories:
    parts = [layers.Bidirectional(layers.GRU(4, return_sequences=True)), layers.SimpleRNN(4)]
    model = classify(*parts, shape=(6, 3))
    model.compile(keras.optimizers.Nadam(0.01), loss())
    return fit(model, numbers(ROWS, 6, 3), labels(3))


@program
def words_with_a_mask() -> Histories:
    parts = [layers.Embedding(20, 6, mask_zero=True), layers.LSTM(5)]
    model = classify(*parts, shape=(8,))
    model.compile(keras.optimizers.Adagrad(0.1), loss(), metrics=["accuracy"])
    return fit(model, labels(20, ROWS, 8), labels(3))


@program
def attention() -> Histories:
    x = keras.Input((6, 8))
    attended = layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)
    y = layers.LayerNormalization()(layers.Add()([x, attended]))
    y = layers.Dense(3)(layers.Attention()([y, y])[:, -1])
    model = begin(keras.Model(x, y))
    model.compile(keras.optimizers.AdamW(0.01, weight_decay=0.02), loss())
    return fit(model, numbers(ROWS, 6, 8), labels(3))


@program
def dropouts_and_noise() -> Histories:
    parts = [layers.Dense(16, "relu"), layers.Dropout(0.4, seed=3), layers.GaussianNoise(0.1, seed=4),
             layers.AlphaDropout(0.2, seed=5)]  # fmt: skip
    model = classify(*parts, shape=(8,))
    model.compile("adam", loss())
    return fit(model, numbers(ROWS, 8), labels(3))


@program
def two_inputs_two_results() -> Histories:
    a, b = keras.Input((4,), name="a"), keras.Input((5,), name="b")
    joined = layers.Concatenate()([layers.Dense(6, "elu")(a), layers.Dense(6, "silu")(b)])
    results = {"kind": layers.Dense(3, name="kind")(joined), "size": layers.Dense(1)(joined)}
    model = begin(keras.Model({"a": a, "b": b}, results))
    losses, weights = {"kind": loss(), "size": "huber"}, {"kind": 1.0, "size": 0.5}
    model.compile(keras.optimizers.Ftrl(0.1), losses, loss_weights=weights,
                  metrics={"size": ["mse"]})  # fmt: skip
    return fit(model, {"a": numbers(ROWS, 4), "b": numbers(ROWS, 5)},
               {"kind": labels(3), "size": numbers(ROWS, 1, seed=5)})  # fmt: skip


@program
def penalties_and_constraints() -> Histories:
    options: Any = {
        "kernel_regularizer": keras.regularizers.L1L2(0.01, 0.02),
        "bias_constraint": keras.constraints.NonNeg(),
        "activity_regularizer": "l2",
        "kernel_constraint": keras.constraints.MaxNorm(0.8),
    }
    model = classify(layers.Dense(8, "selu", **options), shape=(8,))
    model.compile(keras.optimizers.Lion(0.01), loss())
    return fit(model, numbers(ROWS, 8), labels(3))


@program
def schedules_clipping_and_averages() -> Histories:
    model = classify(layers.Dense(8, "relu"), shape=(8,))
    rate = keras.optimizers.schedules.CosineDecay(0.05, 9, warmup_target=0.1, warmup_steps=3)
    optimizer = keras.optimizers.Adam(
        rate, clipnorm=0.5, use_ema=True, ema_overwrite_frequency=4, gradient_accumulation_steps=2
    )
    model.compile(optimizer, loss())
    return fit(model, numbers(ROWS, 8), labels(3))


@program
def weights_of_rows_and_classes() -> Histories:
    model = classify(layers.Dense(8, "relu"), shape=(8,))
    model.compile("sgd", loss(), weighted_metrics=["accuracy"])
    weights = np.abs(numbers(ROWS, seed=7))
    first = fit(model, numbers(ROWS, 8), labels(3), sample_weight=weights)
    second = fit(model, numbers(ROWS, 8), labels(3), class_weight={0: 1.0, 1: 2.0, 2: 0.5})
    return first | {f"by_class_{name}": values for name, values in second.items()}


@program
def callbacks() -> Histories:
    model = classify(layers.Dense(8, "relu"), shape=(8,))
    model.compile(keras.optimizers.SGD(0.5), loss())
    seen: list[float] = []
    noting = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: seen.append(float(logs["loss"]))
    )
    several = [
        keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9),
        keras.callbacks.ReduceLROnPlateau("loss", factor=0.3, patience=1),
        keras.callbacks.EarlyStopping("val_loss", patience=2, restore_best_weights=True),
        noting,
    ]
    x, y = numbers(ROWS, 8), labels(3)
    history = fit(model, x, y, callbacks=several, epochs=8, validation_data=(-x, y))
    last = model.evaluate(x, y, verbose=0)
    return history | {"batches": seen, "in_the_end": [last]}


@program
def several_steps_at_once() -> Histories:
    model = classify(layers.Dense(8, "relu"), shape=(8,))
    model.compile("adam", loss(), steps_per_execution=4, metrics=["accuracy"])
    return fit(model, numbers(88, 8), labels(3, 88), batch_size=8, validation_split=0.2)


@program
def pipeline_of_data() -> Histories:
    rows = tf.data.Dataset.from_tensor_slices((numbers(ROWS, 8), labels(3)))
    batches = rows.map(lambda x, y: (x * 2.0, y), num_parallel_calls=2).batch(10).prefetch(2)
    normal = layers.Normalization()
    normal.adapt(batches.map(lambda x, y: x))
    model = classify(normal, layers.Dense(8, "relu"), shape=(8,))
    model.compile("adam", loss())
    return fit(model, batches, batch_size=None, validation_data=batches.take(2))


@program
def generator_of_data() -> Histories:
    def batches() -> Iterator[Any]:
        while True:
            for place in range(4):
                yield numbers(12, 8, seed=place), labels(3, 12)

    class Sequence(keras.utils.PyDataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> Any:
            return numbers(5 + index, 8, seed=index), labels(3, 5 + index)

    model = classify(layers.Dense(8, "relu"), shape=(8,))
    model.compile("adam", loss())
    first = fit(model, batches(), batch_size=None, steps_per_epoch=4)
    second = fit(model, Sequence(), batch_size=None)
    return first | {f"sequence_{name}": values for name, values in second.items()}


class Adversary(keras.Model):  # type: ignore[misc]
    """A model with a step of its own, which adds the slope of the loss by its input."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = layers.Dense(6, "tanh")
        self.last = layers.Dense(3)
        self.mean = keras.metrics.Mean("loss")

    @property
    def metrics(self) -> list[Any]:
        return [self.mean]

    def call(self, x: Any, training: bool = False) -> Any:
        hidden = self.inner(x)
        self.add_loss(0.01 * keras.ops.sum(hidden**2))
        return self.last(hidden)

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            first = self.compute_loss(x, y, self(x, training=True))
            moved = x + 0.1 * tf.sign(tape.gradient(first, x))
            value = first + self.compute_loss(moved, y, self(moved, training=True))
        weights = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(value, weights), weights, strict=True))
        self.mean.update_state(value)
        return {"loss": self.mean.result()}


@program
def own_training_step() -> Histories:
    model = Adversary()
    model.build((None, 8))
    begin(model).compile("adam", loss())
    return fit(model, numbers(ROWS, 8), labels(3))


@program
def own_loop() -> Histories:
    model = classify(layers.Dense(8, "relu"), layers.BatchNormalization(), shape=(8,))
    optimizer, value, mean = keras.optimizers.Adam(0.02), loss(), keras.metrics.Mean()

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            now = value(y, model(x, training=True))
        slopes = tape.gradient(now, model.trainable_variables)
        slopes, size = tf.clip_by_global_norm(slopes, 1.0)
        optimizer.apply_gradients(zip(slopes, model.trainable_variables, strict=True))
        mean.update_state(now)
        return size

    @tf.function
    def epoch(rows: Any) -> Any:
        total = tf.constant(0.0)
        for x, y in rows:
            total += step(x, y)
        return total

    rows = tf.data.Dataset.from_tensor_slices((numbers(ROWS, 8), labels(3))).batch(16)
    losses, sizes = [], []
    for _ in range(3):
        mean.reset_state()
        sizes.append(float(epoch(rows)))
        losses.append(float(mean.result()))
    return {"loss": losses, "size": sizes}


@program
def text_by_lookup() -> Histories:
    texts = np.array(["good day", "bad night", "good night", "so bad a day"] * 12)
    vectorize = layers.TextVectorization(output_mode="tf_idf")
    vectorize.adapt(texts)
    colors = layers.StringLookup(vocabulary=["red", "blue"], output_mode="one_hot")
    text, color = keras.Input((), dtype="string"), keras.Input((), dtype="string")
    joined = layers.Concatenate()([vectorize(text), colors(color)])
    model = begin(keras.Model([text, color], layers.Dense(1, "sigmoid")(joined)))
    model.compile("adam", "binary_crossentropy", metrics=["auc", "precision"])
    inputs = (tf.constant(texts), tf.constant(["red", "blue", "green"] * 16))
    targets = np.array([1.0, 0.0, 1.0, 0.0] * 12)[:, None]
    rows = tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(16)
    return fit(model, rows, batch_size=None)


@program
def half_precision() -> Histories:
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = classify(layers.Dense(16, "relu"), shape=(8,))
    finally:
        keras.config.set_dtype_policy("float32")
    model.compile(keras.optimizers.SGD(0.1), loss())
    return fit(model, numbers(ROWS, 8), labels(3))


@program
def columns_of_numbers() -> Histories:
    scale, bins = layers.Normalization(axis=-1), layers.Discretization(num_bins=4)
    x, ages = numbers(ROWS, 5), np.abs(numbers(ROWS, 1, seed=3)) * 40
    scale.adapt(x)
    bins.adapt(ages)
    row, age = keras.Input((5,)), keras.Input((1,))
    joined = layers.Concatenate()([scale(row), layers.CategoryEncoding(4)(bins(age))])
    model = begin(keras.Model([row, age], layers.Dense(3)(joined)))
    model.compile("adam", loss())
    return fit(model, [x, ages], labels(3))


@program
def hashed_categories() -> Histories:
    word, number = keras.Input((1,), dtype="string"), keras.Input((1,), dtype="int64")
    crossed = layers.HashedCrossing(12, output_mode="one_hot")((word, number))
    embedded = layers.Flatten()(layers.Embedding(8, 4)(layers.Hashing(8, salt=5)(word)))
    joined = layers.Concatenate()([crossed, embedded])
    model = begin(keras.Model([word, number], layers.Dense(3)(joined)))
    model.compile(keras.optimizers.SGD(0.1), loss())
    words = tf.constant([["red"], ["blue"], ["green"], ["pink"]] * 12)
    inputs = (words, tf.constant(labels(5, ROWS, 1)))
    rows = tf.data.Dataset.from_tensor_slices((inputs, labels(3))).batch(16)
    return fit(model, rows, batch_size=None)


@program
def sets_of_whole_numbers() -> Histories:
    lookup = layers.IntegerLookup(max_tokens=8, num_oov_indices=2, output_mode="multi_hot")
    baskets = labels(30, ROWS, 6) ** 2
    lookup.adapt(baskets)
    model = begin(keras.Sequential([keras.Input((6,), dtype="int64"), lookup, layers.Dense(3)]))
    model.compile(keras.optimizers.Adagrad(0.1), loss())
    return fit(model, baskets, labels(3))


TEXTS = ["The day is good!", "A bad, bad night", "good night", "so bad a day? No."] * 12


@program
def pairs_of_characters() -> Histories:
    options = {"split": "character", "ngrams": 2, "output_mode": "count", "max_tokens": 30}
    vectorize = layers.TextVectorization(standardize="lower", **options)
    vectorize.adapt(TEXTS)
    model = begin(keras.Sequential([keras.Input((), dtype="string"), vectorize, layers.Dense(3)]))
    model.compile(keras.optimizers.Lion(0.01), loss())
    return fit(model, tf.constant(TEXTS), labels(3))


@program
def words_in_a_pipeline() -> Histories:
    vectorize = layers.TextVectorization(max_tokens=9, output_sequence_length=5)
    rows = tf.data.Dataset.from_tensor_slices((TEXTS, labels(3)))
    vectorize.adapt(rows.map(lambda text, label: text).batch(7))
    parts = [layers.Embedding(9, 4, mask_zero=True), layers.GRU(4)]
    model = classify(*parts, shape=(5,))
    model.compile("adam", loss())
    prepared = rows.batch(16).map(lambda text, label: (vectorize(text), label)).cache()
    return fit(model, prepared.prefetch(1), batch_size=None)


@program
def pictures_of_one_size() -> Histories:
    sizes = [
        layers.Resizing(9, 7, interpolation="bicubic", crop_to_aspect_ratio=True),
        layers.CenterCrop(6, 6),
        layers.Rescaling(1 / 127.5, offset=-1),
    ]
    pictures = np.random.default_rng(4).integers(0, 256, (ROWS, 12, 10, 3)).astype("uint8")
    rows = tf.data.Dataset.from_tensor_slices((pictures, labels(3))).batch(16)
    for size in sizes:
        rows = rows.map(lambda picture, label, size=size: (size(picture), label))
    model = classify(layers.Conv2D(4, 3, activation="relu"), layers.Flatten(), shape=(6, 6, 3))
    model.compile("adam", loss())
    return fit(model, rows, batch_size=None)


@program
def pictures_turned_at_random() -> Histories:
    parts = [
        layers.RandomFlip(seed=1),
        layers.RandomTranslation(0.2, 0.2, fill_mode="wrap", seed=2),
        layers.RandomRotation(0.1, interpolation="nearest", seed=3),
        layers.RandomZoom(0.2, fill_mode="constant", seed=4),
        layers.RandomCrop(7, 7, seed=5),
        layers.Flatten(),
    ]
    model = classify(*parts, shape=(9, 9, 2))
    model.compile(keras.optimizers.SGD(0.05), loss())
    return fit(model, numbers(ROWS, 9, 9, 2), labels(3))


@program
def colors_changed_at_random() -> Histories:
    parts = [
        layers.RandomBrightness(0.3, value_range=(0, 1), seed=1),
        layers.RandomContrast(0.4, value_range=(0, 1), seed=2),
        layers.RandomSaturation(0.5, value_range=(0, 1), seed=3),
        layers.RandomHue(0.2, value_range=(0, 1), seed=4),
        layers.RandomGrayscale(0.5, seed=5),
        layers.GlobalAveragePooling2D(),
    ]
    model = classify(*parts, shape=(6, 6, 3))
    model.compile(keras.optimizers.SGD(0.5), loss())
    return fit(model, np.random.default_rng(4).random((ROWS, 6, 6, 3), "float32"), labels(3))


@program
def rows_with_named_features() -> Histories:
    features = {
        "age": keras.utils.FeatureSpace.float_discretized(3),
        "size": keras.utils.FeatureSpace.float_normalized(),
        "city": keras.utils.FeatureSpace.string_categorical(),
        "kind": keras.utils.FeatureSpace.integer_categorical(),
    }
    space = keras.utils.FeatureSpace(features, crosses=[("city", "kind")], crossing_dim=6)
    table = {
        "age": np.abs(numbers(ROWS)) * 40,
        "size": numbers(ROWS, seed=3),
        "city": np.array(["Rome", "Oslo", "Rome", "Bern"] * 12),
        "kind": labels(3),
    }
    rows = tf.data.Dataset.from_tensor_slices((table, labels(3))).batch(16)
    space.adapt(rows.map(lambda row, label: row))
    encoded = space.get_encoded_features()
    model = begin(keras.Model(encoded, layers.Dense(3)(encoded)))
    model.compile("adam", loss())
    return fit(model, rows.map(lambda row, label: (space(row), label)), batch_size=None)


@program
def windows_of_a_series() -> Histories:
    series = numbers(120, 2).cumsum(0)
    rows = keras.utils.timeseries_dataset_from_array(
        series[:-4], series[4:, 0], sequence_length=8, sampling_rate=2, batch_size=16
    )
    scale = layers.Normalization(axis=-1)
    scale.adapt(series)
    parts = [keras.Input((8, 2)), scale, layers.Conv1D(4, 3, padding="causal"), layers.GRU(4)]
    model = begin(keras.Sequential([*parts, layers.Dense(1)]))
    model.compile("adam", "huber")
    return fit(model, rows, batch_size=None)


@program
def sounds_as_spectrograms() -> Histories:
    spectrum = layers.MelSpectrogram(
        num_mel_bins=8, fft_length=64, sequence_stride=32, sampling_rate=800, max_freq=400
    )
    parts = [spectrum, layers.Normalization(mean=0.0, variance=100.0), layers.Flatten()]
    model = classify(*parts, shape=(320,))
    model.compile(keras.optimizers.SGD(0.01), loss())
    return fit(model, numbers(ROWS, 320), labels(3))


def history(name: str) -> Histories:
    """The history of one program, with Keras as it is in a new process."""
    keras.utils.clear_session()
    keras.utils.set_random_seed(7)
    values = PROGRAMS[name]()
    return {key: [float(value) for value in values[key]] for key in sorted(values)}


if __name__ == "__main__":
    json.dump({name: history(name) for name in sys.argv[1:] or PROGRAMS}, sys.stdout, indent=1)
