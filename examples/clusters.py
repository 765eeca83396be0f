"""Digits sort themselves into groups: k-means, with an end that the data decides.

Each picture belongs to the nearest of some centers, each center moves to the middle of its
pictures, until none moves (Lloyd, 1957). The first centers are chosen far apart (k-means++: Arthur
and Vassilvitskii, 2007). Both loops are loops of the graph. Nobody tells the program what a digit
is; at the end it says how well its groups fit them.

    python examples/clusters.py            # a second
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import graphwright as tf
from graphwright.demo.digits import BRIGHTEST, SIDE, read

SHADES = " .:-=+*#%@"


def distances(points: tf.Tensor, centers: tf.Tensor) -> tf.Tensor:
    """The squared distance of each point to each center `[points, centers]`."""
    squares = tf.reduce_sum(tf.square(points), 1)[:, None] + tf.reduce_sum(tf.square(centers), 1)
    return tf.maximum(squares - 2.0 * tf.matmul(points, centers, transpose_b=True), 0.0)


@tf.function
def choose(points: tf.Tensor, count: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
    """So many points, each likelier the further it is from those chosen before."""
    chosen = tf.TensorArray(tf.float32, size=count, element_shape=points.shape[1:])
    nearest = tf.ones(tf.shape(points)[:1])
    for i in tf.range(count):
        here = tf.random.stateless_categorical(
            tf.math.log(nearest + 1e-9)[None], 1, tf.stack([seed, i]), tf.int32
        )[0, 0]
        chosen = chosen.write(i, points[here])
        away = tf.reduce_sum(tf.square(points - points[here]), 1)
        nearest = away if i == 0 else tf.minimum(nearest, away)
    return chosen.stack()


@tf.function
def group(
    points: tf.Tensor, centers: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """The centers that no longer move, the group of each point, the error, and the turns."""
    groups = tf.fill(tf.shape(points)[:1], -1)
    turns, moved = tf.constant(0), tf.constant(True)
    while moved:
        nearest = tf.argmin(distances(points, centers), 1, tf.int32)
        moved = tf.reduce_any(nearest != groups)
        groups = nearest
        sums = tf.math.unsorted_segment_sum(points, groups, tf.shape(centers)[0])
        sizes = tf.math.bincount(groups, minlength=tf.shape(centers)[0])[:, None]
        centers = tf.where(sizes > 0, sums / tf.cast(tf.maximum(sizes, 1), tf.float32), centers)
        turns += 1
    error = tf.reduce_mean(tf.reduce_min(distances(points, centers), 1))
    return centers, groups, error, turns


def show(centers: tf.Tensor, columns: int = 5) -> None:
    """Prints the centers, so many side by side."""
    shape = [-1, columns, SIDE, SIDE]
    rows = tf.reshape(tf.transpose(tf.reshape(centers, shape), [0, 2, 1, 3]), [-1, columns * SIDE])
    for row in rows.numpy():
        print("".join(2 * SHADES[int(shade * (len(SHADES) - 1) + 0.5)] for shade in row).rstrip())


def sheet(points: tf.Tensor, centers: tf.Tensor, groups: tf.Tensor, members: int = 15) -> tf.Tensor:
    """A row for each group: its center, then pictures that belong to it; `[height, width, 1]`."""
    rows: list[tf.Tensor] = []
    for number, center in enumerate(centers):
        own = tf.boolean_mask(points, groups == number)[:members]
        space = tf.zeros([members - len(own), SIDE * SIDE])
        row = tf.reshape(tf.concat([center[None], own, space], 0), [-1, SIDE, SIDE])
        rows.append(tf.concat(tf.unstack(tf.pad(row, [[0, 0], [0, 1], [0, 1]])), 1))
    return tf.concat(rows, 0)[..., None] * 255


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--groups", type=int, default=10)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--png", help="where to write pictures of the groups")
    options = parser.parse_args()

    pictures, digits = read()
    points = tf.constant(pictures.reshape(len(pictures), -1) / BRIGHTEST, tf.float32)
    started = time.perf_counter()
    tries = [
        group(points, choose(points, tf.constant(options.groups), tf.constant(seed)))
        for seed in range(options.tries)
    ]
    centers, groups, error, _ = min(tries, key=lambda result: float(result[2]))
    all_turns = sum(int(turns) for *_, turns in tries)
    seconds = time.perf_counter() - started

    show(centers[: options.groups // 5 * 5])
    purest = sum(
        np.bincount(digits[groups.numpy() == number], minlength=10).max()
        for number in range(options.groups)
        if (groups.numpy() == number).any()
    )
    print(f"error {float(error):.3f}; {purest / len(digits):.1%} are of their group's digit")
    print(f"{options.tries} tries, {all_turns} turns in {seconds:.2f} s")
    if options.png:
        pixels = sheet(points, centers, groups)
        large = tf.image.resize(pixels, [5 * len(pixels), 5 * len(pixels[0])], "nearest")
        tf.io.write_file(options.png, tf.io.encode_png(tf.cast(large, tf.uint8)))


if __name__ == "__main__":
    main()
