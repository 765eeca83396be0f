"""Images: in memory, as batches for NumPy and for training; and from JPEG files."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import training
from benchmarks.data.epochs import (
    Again,
    Epoch,
    Feeding,
    Make,
    Training,
    left,
    loaders,
    of_hand,
    shared,
)
from benchmarks.data.number_rows import in_memory, loader, map_style
from benchmarks.workload import Bar, Workload

# D3: images, shuffled, cast, scaled, in batches.


@functools.cache
def images(number: int = 60_000) -> tuple[Any, Any]:
    """Random images and labels."""
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 255, (number, 28, 28), np.uint8)
    return pixels, generator.integers(0, 10, number)


def batches_tf(tf: Any, number: int, batch: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(images(number)).shuffle(5_000, seed=1)
    dataset = dataset.map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, y))
    return dataset.batch(batch, drop_remainder=True).prefetch(2)


def batches_torch(torch: Any, number: int, batch: int, workers: int) -> Any:
    pixels, labels = map(torch.from_numpy, images(number))
    dataset = map_style(torch, lambda place: (pixels[place].float() / 255.0, labels[place]), number)
    return loader(torch, dataset, workers, batch_size=batch, shuffle=True, drop_last=True)


def images_tf(tf: Any) -> Make:
    images(60_000)  # so that they are there when a pipeline is made
    return lambda: Again(batches_tf(tf, 60_000, 64).as_numpy_iterator)


def images_torch(torch: Any, workers: int = 0) -> Make:
    return lambda: batches_torch(torch, 60_000, 64, workers)


def images_grain(grain: Any) -> Make:
    pixels, labels = images()

    def scaled(place: int) -> tuple[Any, Any]:
        return pixels[place].astype(np.float32) / 255.0, labels[place]

    def make() -> Any:
        shuffled = grain.MapDataset.range(60_000).shuffle(seed=1)
        return in_memory(grain, shuffled.map(scaled)).batch(64, drop_remainder=True)

    return make


def images_numpy(np: Any) -> Make:
    pixels, labels = images()

    def batches() -> Iterator[Any]:
        order = np.random.permutation(60_000)
        for start in range(0, 60_000 - 63, 64):
            places = order[start : start + 64]
            yield pixels[places].astype(np.float32) / 255.0, labels[places]

    return lambda: Again(batches)


# D3s, D3w: the same images feed a training step.

STEPS = 150


def feeding_tf(tf: Any) -> Callable[[], Training]:
    def make() -> Training:
        weights = [tf.Variable(w) for w in training.perceptron_weights()]

        @tf.function
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                logits = training.perceptron_tf(tf, tf.reshape(x, [-1, 784]), weights)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
                loss = tf.reduce_mean(losses)
            for w, g in zip(weights, tape.gradient(loss, weights)):
                w.assign_sub(training.RATE * g)
            return loss

        batches = batches_tf(tf, STEPS * training.BATCH, training.BATCH)
        return Training(batches, lambda batch: float(step(*batch)))

    return make


def feeding_torch(torch: Any, workers: int = 0) -> Callable[[], Training]:
    def make() -> Training:
        weights = [torch.tensor(w, requires_grad=True) for w in training.perceptron_weights()]

        def step(batch: Any) -> float:
            logits = training.perceptron_torch(torch, batch[0].reshape(-1, 784), weights)
            loss = torch.nn.functional.cross_entropy(logits, batch[1])
            slopes = torch.autograd.grad(loss, weights)
            with torch.no_grad():
                for w, g in zip(weights, slopes):
                    w -= training.RATE * g
            return float(loss)

        number = STEPS * training.BATCH
        return Training(batches_torch(torch, number, training.BATCH, workers), step)

    return make


# D9a: small images, each flipped, brightened and cut at random.

SMALL, PADDED = 32, 36


@functools.cache
def small_images() -> Any:
    """10,000 random images in colour."""
    return np.random.default_rng(0).integers(0, 255, (10_000, SMALL, SMALL, 3), np.uint8)


def augmented_tf(tf: Any) -> Make:
    pixels = small_images()

    def augmented(x: Any) -> Any:
        image = tf.image.random_flip_left_right(tf.cast(x, tf.float32) / 255.0)
        image = tf.image.random_brightness(image, 0.2)
        image = tf.image.resize_with_crop_or_pad(image, PADDED, PADDED)
        return tf.image.random_crop(image, [SMALL, SMALL, 3])

    def make() -> Any:
        dataset = tf.data.Dataset.from_tensor_slices(pixels).shuffle(1_000, seed=1)
        return dataset.map(augmented, num_parallel_calls=tf.data.AUTOTUNE).batch(64).prefetch(2)

    return make


def augmented_torch(torch: Any, workers: int = 0) -> Make:
    pixels = torch.from_numpy(small_images())

    def augmented(place: int) -> Any:
        image = pixels[place].float() / 255.0
        if torch.rand(()) < 0.5:
            image = image.flip(1)
        image = image + (torch.rand(()) * 0.4 - 0.2)
        margin = (PADDED - SMALL) // 2
        image = torch.nn.functional.pad(image, (0, 0, margin, margin, margin, margin))
        top, left = torch.randint(0, PADDED - SMALL + 1, (2,)).tolist()
        return image[top : top + SMALL, left : left + SMALL]

    dataset = map_style(torch, augmented, len(pixels))
    return lambda: loader(torch, dataset, workers, batch_size=64, shuffle=True)


# D9: files of JPEG.

FILES = 64
HEIGHT, WIDTH = 375, 500
RESIZED, CROPPED = 256, 224


def photographs() -> Iterator[Any]:
    """Images that are smooth, with some noise: JPEG files of about 50 kB."""
    generator = np.random.default_rng(0)
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    for _ in range(FILES):
        waves = generator.uniform(0.005, 0.05, (3, 2))
        smooth = [128 + 90 * np.sin(a * rows) * np.cos(b * columns) for a, b in waves]
        noise = generator.normal(0, 8, (HEIGHT, WIDTH, 3))
        yield np.clip(np.stack(smooth, -1) + noise, 0, 255).astype(np.uint8)


def files(write: Callable[[str, Any], object]) -> list[str]:
    """The paths of the photographs, which the peer's own encoder writes."""
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, f"{number}.jpg") for number in range(FILES)]
    for path, pixels in zip(paths, photographs()):
        write(path, pixels)
    return paths


def photographs_tf(tf: Any) -> Make:
    def write(path: str, pixels: Any) -> None:
        tf.io.write_file(path, tf.io.encode_jpeg(pixels, quality=90))

    def read(path: Any) -> Any:
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        image = tf.image.resize(image, [RESIZED, RESIZED])
        image = tf.image.random_crop(image, [CROPPED, CROPPED, 3])
        return tf.image.random_flip_left_right(image) / 255.0

    paths = files(write)

    def make() -> Any:
        dataset = tf.data.Dataset.from_tensor_slices(paths)
        return dataset.map(read, num_parallel_calls=tf.data.AUTOTUNE).batch(16).prefetch(1)

    return make


def pillow() -> Callable[[str], Any]:
    """The same of a path, with Pillow and NumPy, as those do whose loader has no decoder."""
    from PIL import Image  # a peer's environment has it

    def read(path: str) -> Any:
        image = (
            Image.open(path).convert("RGB").resize((RESIZED, RESIZED), Image.Resampling.BILINEAR)
        )
        top, left = np.random.randint(0, RESIZED - CROPPED + 1, 2)
        pixels = np.asarray(image)[top : top + CROPPED, left : left + CROPPED]
        if np.random.random() < 0.5:
            pixels = pixels[:, ::-1]
        return pixels.astype(np.float32) / np.float32(255)

    return read


def pillow_files() -> list[str]:
    from PIL import Image  # a peer's environment has it

    return files(lambda path, pixels: Image.fromarray(pixels).save(path, quality=90))


def photographs_torch(torch: Any, workers: int = 0) -> Make:
    read, paths = pillow(), pillow_files()
    dataset = map_style(torch, lambda place: read(paths[place]), FILES)
    return lambda: loader(torch, dataset, workers, batch_size=16)


def photographs_grain(grain: Any) -> Make:
    read, paths = pillow(), pillow_files()

    def make() -> Any:
        options = grain.ReadOptions(num_threads=2, prefetch_buffer_size=32)
        return grain.MapDataset.source(paths).map(read).to_iter_dataset(options).batch(16)

    return make


def photographs_numpy(np: Any) -> Make:
    read, paths = pillow(), pillow_files()

    def batches() -> Iterator[Any]:
        for start in range(0, FILES, 16):
            yield np.stack([read(path) for path in paths[start : start + 16]])

    return lambda: Again(batches)


IMAGE_PROGRAMS = {
    **shared(images_tf),
    **loaders(images_torch),
    "grain": images_grain,
    "numpy": images_numpy,
}
FEEDING_PROGRAMS = {**shared(feeding_tf), **loaders(feeding_torch)}
PHOTOGRAPH_PROGRAMS = {
    **shared(photographs_tf),
    **loaders(photographs_torch),
    "grain": photographs_grain,
    "numpy": photographs_numpy,
}

TABLE: tuple[Workload, ...] = (
    Epoch(
        "D3", "60,000 images: shuffled, scaled, in batches, to NumPy", "ms", None, IMAGE_PROGRAMS,
        bar=of_hand(1), tolerance=1e-4,  # each peer leaves out other images at the end
    ),
    left("D3m", "memory that 10 epochs of the images leave", 1.0, images_tf, 10),
    Feeding(
        "D3s", "an epoch of training on images, times its steps alone", "x", 1.05,
        FEEDING_PROGRAMS,
    ),
    Feeding(
        "D3w", "its waiting for images", "%", 5.0, FEEDING_PROGRAMS, waiting=True
    ),
    Epoch(
        "D9a", "10,000 small images: flipped, brightened, cut at random", "ms", None,
        {**shared(augmented_tf), **loaders(augmented_torch)}, bar=Bar(1), tolerance=0.1,
    ),
    Epoch(
        "D9", "64 JPEG files: decoded, resized, cropped, flipped", "ms", None,
        PHOTOGRAPH_PROGRAMS, bar=Bar(1), tolerance=0.1,
    ),
)  # fmt: skip
