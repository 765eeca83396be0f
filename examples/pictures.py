"""Pictures from TFRecords, changed at random on the way, train a network that reads digits.

The program writes the handwritten digits of `graphwright demo` to a few files, as PNG. The pipeline
reads the files in turns, decodes the pictures and shuffles them. It moves each picture, and changes
its brightness and contrast, as a seed says. Pictures of other things would be flipped too: a digit
in a mirror is none. An epoch is one call of a `tf.function`, whose loop over the dataset is a loop
of the graph. With `--explain` the pipeline says at the end what it costs.

    python examples/pictures.py            # some seconds
"""

import argparse
import tempfile
import time

import numpy as np
import numpy.typing as npt

import graphwright as tf
from graphwright.demo.digits import BRIGHTEST, CLASSES, SIDE, read

PARTS = {"picture": tf.string, "digit": tf.int64}
FEATURES = {name: tf.io.FixedLenFeature([], dtype) for name, dtype in PARTS.items()}
Pixels = npt.NDArray[np.uint8]


def write_records(folder: str, pictures: Pixels, digits: Pixels, files: int) -> list[str]:
    """Writes pictures as PNG with their digits, in turns to so many files; returns their paths."""
    paths = [f"{folder}/{len(digits)}-{number}-of-{files}.tfrecord" for number in range(files)]
    writers = [tf.io.TFRecordWriter(path) for path in paths]
    for number, (picture, digit) in enumerate(zip(pictures, digits)):
        example = tf.train.Example()
        encoded = bytes(tf.io.encode_png(picture[..., None] * (255 // BRIGHTEST)).numpy())
        example.features.feature["picture"].bytes_list.value.append(encoded)
        example.features.feature["digit"].int64_list.value.append(digit)
        writers[number % files].write(example.SerializeToString())
    for writer in writers:
        writer.close()
    return paths


def parse(record: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The picture `[8, 8, 1]`, float32 from 0 to 1, and the digit of a record."""
    example = tf.io.parse_single_example(record, FEATURES)
    pixels = tf.ensure_shape(tf.io.decode_png(example["picture"], 1), [SIDE, SIDE, 1])
    return tf.image.convert_image_dtype(pixels, tf.float32), example["digit"]


def change(picture: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
    """The picture, moved, and with other brightness and contrast; the seed says how."""
    seeds = tf.random.split(seed, 3)
    picture = tf.image.resize_with_crop_or_pad(picture, SIDE + 2, SIDE + 2)
    picture = tf.image.stateless_random_crop(picture, [SIDE, SIDE, 1], seeds[0])
    picture = tf.image.stateless_random_brightness(picture, 0.1, seeds[1])
    return tf.image.stateless_random_contrast(picture, 0.7, 1.3, seeds[2])


def training_batches(paths: list[str], size: int, seed: int) -> tf.data.Dataset:
    """Batches of changed pictures and digits. Each epoch has another order and other changes."""
    seeds = tf.data.Dataset.random(seed, rerandomize_each_iteration=True).batch(2)
    files = tf.data.Dataset.from_tensor_slices(paths).shuffle(len(paths), seed)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=len(paths))
    pictures = tf.data.Dataset.zip(records.map(parse).cache(), seeds).shuffle(500, seed)
    changed = pictures.map(lambda pair, seed: (change(pair[0], seed), pair[1]), tf.data.AUTOTUNE)
    return changed.batch(size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


class Network(tf.Module):
    """Two convolutions and a layer of scores."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        random = np.random.RandomState(seed)

        def weights(*shape: int) -> tf.Variable:
            scale = np.sqrt(2 / np.prod(shape[:-1]))
            return tf.Variable(scale * random.normal(size=shape), dtype=tf.float32)

        self.filters = [weights(3, 3, 1, 16), weights(3, 3, 16, 32)]
        self.scores = weights(2 * 2 * 32, CLASSES)
        self.bias = tf.Variable(tf.zeros([CLASSES]))

    def __call__(self, pictures: tf.Tensor) -> tf.Tensor:
        for filters in self.filters:
            seen = tf.nn.relu(tf.nn.conv2d(pictures, filters, 1, "SAME"))
            pictures = tf.nn.max_pool2d(seen, 2, 2, "SAME")
        return tf.reshape(pictures, [-1, 2 * 2 * 32]) @ self.scores + self.bias


@tf.function
def train_epoch(
    network: Network, optimizer: tf.optimizers.Optimizer, batches: tf.data.Dataset
) -> tuple[tf.Tensor, tf.Tensor]:
    """One step down the slope for each batch; the mean loss, and how many batches there were."""
    total, count = tf.constant(0.0), tf.constant(0)
    for pictures, digits in batches:
        with tf.GradientTape() as tape:
            wrong = tf.nn.sparse_softmax_cross_entropy_with_logits(digits, network(pictures))
            loss = tf.reduce_mean(wrong)
        variables = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        total += loss
        count += 1
    return total / tf.cast(count, tf.float32), count


@tf.function
def accuracy(network: Network, pictures: tf.Tensor, digits: tf.Tensor) -> tf.Tensor:
    """The part of the pictures that the network reads right."""
    return tf.reduce_mean(tf.cast(tf.argmax(network(pictures), axis=1) == digits, tf.float32))


def show(pictures: tf.Tensor) -> None:
    """Prints pictures beside each other."""
    for row in tf.transpose(tf.squeeze(pictures, -1), [1, 0, 2]).numpy():
        shades = [[" .:-=+*#%@"[int(9 * min(max(x, 0), 1))] * 2 for x in line] for line in row]
        print("  ".join(map("".join, shades)).rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--explain", action="store_true", help="say what the pipeline costs")
    options = parser.parse_args()

    pictures, digits = read()
    held_out = len(pictures) // 5
    with tempfile.TemporaryDirectory() as name:
        paths = write_records(name, pictures[held_out:], digits[held_out:], files=4)
        others = write_records(name, pictures[:held_out], digits[:held_out], files=1)
        training = training_batches(paths, 32, seed=7)
        test = next(iter(tf.data.TFRecordDataset(others).map(parse).batch(held_out)))
        show(next(iter(training))[0][:5])
        network = Network(seed=0)
        optimizer = tf.optimizers.Adam(0.003)
        optimizer.build(network.trainable_variables)
        print(f"before training: {accuracy(network, *test):.1%} are read right")
        for epoch in range(1, options.epochs + 1):
            began = time.perf_counter()
            loss, steps = train_epoch(network, optimizer, training)
            seconds = time.perf_counter() - began
            right = f"{accuracy(network, *test):.1%} are read right"
            print(f"epoch {epoch}: loss {loss:.3f}, {right}, {steps} steps in {seconds:.2f} s")
        print(f"\ntraced {train_epoch.experimental_get_tracing_count()} time\n")
        if options.explain:
            print(training.explain(0.5))


if __name__ == "__main__":
    main()
