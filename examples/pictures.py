"""Pictures from TFRecords, changed at random on the way, train a network that reads digits.

The program writes the handwritten digits of `graphwright demo` to a few files, as PNG. The pipeline
reads the files in turns, decodes the pictures and shuffles them. It moves each picture, and changes
its brightness and contrast, as a seed says. Pictures of other things would be flipped too: a digit
in a mirror is none. An epoch is one call of a `tf.function`, whose loop over the dataset is a loop
of the graph. At the end the pipeline explains what it costs.

    python examples/pictures.py            # some seconds
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import graphwright as tf
from graphwright.demo.digits import BRIGHTEST, CLASSES, SIDE, read

MARGIN = 2  # pixels that a picture may move by
FEATURES = {
    "picture": tf.io.FixedLenFeature([], tf.string),
    "digit": tf.io.FixedLenFeature([], tf.int64),
}
Pixels: TypeAlias = npt.NDArray[np.uint8]


def write_records(folder: Path, pictures: Pixels, digits: Pixels, files: int) -> list[str]:
    """Writes pictures as PNG with their digits, in turns to so many files; returns their paths."""
    paths = [str(folder / f"digits-{number}-of-{files}.tfrecord") for number in range(files)]
    writers = [tf.io.TFRecordWriter(path) for path in paths]
    for number, (picture, digit) in enumerate(zip(pictures, digits)):
        encoded = bytes(tf.io.encode_png(picture[..., None] * (255 // BRIGHTEST)).numpy())
        feature = {
            "picture": tf.train.Feature(bytes_list=tf.train.BytesList(value=[encoded])),
            "digit": tf.train.Feature(int64_list=tf.train.Int64List(value=[digit])),
        }
        example = tf.train.Example(features=tf.train.Features(feature=feature))
        writers[number % files].write(example.SerializeToString())
    for writer in writers:
        writer.close()
    return paths


def parse(record: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The picture `[8, 8, 1]`, float32 from 0 to 1, and the digit of a record."""
    example = tf.io.parse_single_example(record, FEATURES)
    picture = tf.io.decode_png(example["picture"], channels=1)
    picture = tf.ensure_shape(tf.image.convert_image_dtype(picture, tf.float32), [SIDE, SIDE, 1])
    return picture, example["digit"]


def change(picture: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
    """The picture, moved, and with other brightness and contrast; the seed says how."""
    seeds = tf.random.split(seed, 3)
    side = SIDE + MARGIN
    picture = tf.image.resize_with_crop_or_pad(picture, side, side)
    picture = tf.image.stateless_random_crop(picture, [SIDE, SIDE, 1], seeds[0])
    picture = tf.image.stateless_random_brightness(picture, 0.1, seeds[1])
    return tf.image.stateless_random_contrast(picture, 0.7, 1.3, seeds[2])


def training_batches(paths: list[str], size: int, seed: int) -> tf.data.Dataset:
    """Batches of changed pictures and digits. Each epoch has another order and other changes."""
    seeds = tf.data.Dataset.random(seed, rerandomize_each_iteration=True).batch(2)
    files = tf.data.Dataset.from_tensor_slices(paths).shuffle(len(paths), seed)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=len(paths))
    pictures = tf.data.Dataset.zip(records.map(parse).cache(), seeds)
    return (
        pictures.shuffle(500, seed)
        .map(lambda pair, seed: (change(pair[0], seed), pair[1]), tf.data.AUTOTUNE)
        .batch(size, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
    )


class Network(tf.Module):
    """Two convolutions and a layer of scores."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        random = np.random.RandomState(seed)

        def weights(*shape: int) -> tf.Variable:
            scale = np.sqrt(2 / np.prod(shape[:-1]))
            return tf.Variable(random.normal(0, scale, shape), dtype=tf.float32)

        self.filters = [weights(3, 3, 1, 16), weights(3, 3, 16, 32)]
        self.scores = weights(2 * 2 * 32, CLASSES)
        self.bias = tf.Variable(tf.zeros([CLASSES]))

    def __call__(self, pictures: tf.Tensor) -> tf.Tensor:
        x = pictures
        for filters in self.filters:
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME")), 2, 2, "SAME")
        return tf.matmul(tf.reshape(x, [-1, 2 * 2 * 32]), self.scores) + self.bias


@tf.function
def train_epoch(
    network: Network, optimizer: tf.optimizers.Optimizer, batches: tf.data.Dataset
) -> tuple[tf.Tensor, tf.Tensor]:
    """One step down the slope for each batch; the mean loss, and how many batches there were."""
    total = tf.constant(0.0)
    count = tf.constant(0)
    for pictures, digits in batches:
        with tf.GradientTape() as tape:
            scores = network(pictures)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(digits, scores)
            loss = tf.reduce_mean(losses)
        variables = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        total += loss
        count += 1
    return total / tf.cast(count, tf.float32), count


@tf.function
def accuracy(network: Network, batches: tf.data.Dataset) -> tf.Tensor:
    """The part of the pictures that the network reads right."""
    right = tf.constant(0)
    count = tf.constant(0)
    for pictures, digits in batches:
        answers = tf.argmax(network(pictures), axis=1)
        right += tf.math.count_nonzero(answers == digits, dtype=tf.int32)
        count += tf.size(digits)
    return right / count


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=32)
    options = parser.parse_args()

    pictures, digits = read()
    held_out = len(pictures) // 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_records(folder, pictures[held_out:], digits[held_out:], files=4)
        (folder / "held").mkdir()
        others = write_records(folder / "held", pictures[:held_out], digits[:held_out], files=1)

        training = training_batches(paths, options.batch, seed=7)
        test = tf.data.TFRecordDataset(others).map(parse).batch(128).cache()
        network = Network(seed=0)
        optimizer = tf.optimizers.Adam(0.003)
        optimizer.build(network.trainable_variables)
        print(f"before training: {100 * float(accuracy(network, test)):.1f} % are read right")
        for epoch in range(options.epochs):
            began = time.perf_counter()
            loss, steps = train_epoch(network, optimizer, training)
            seconds = time.perf_counter() - began
            right = 100 * float(accuracy(network, test))
            print(
                f"epoch {epoch + 1}: loss {float(loss):.3f}, {right:.1f} % are read right, "
                f"{int(steps)} steps in {seconds:.2f} s"
            )
        print(f"\ntraced {train_epoch.experimental_get_tracing_count()} time\n")
        print(training.explain(0.5))
    assert train_epoch.experimental_get_tracing_count() == 1


if __name__ == "__main__":
    main()
