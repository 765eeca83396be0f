"""Waves in a pool with an island, drawn as a picture.

A drop falls into a square pool. The wave equation says how the water moves; the island and the
walls throw the wave back. Space is a grid, time goes on in steps (Courant, Friedrichs, Lewy, 1928,
say how long they may be). The loop over steps is a loop of the graph: its length is a tensor, so
one trace serves all lengths.

    python examples/waves.py                     # prints the pool
    python examples/waves.py --png pool.png      # and writes three moments of it as a PNG
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import graphwright as tf

SPEED = 0.5  # cells in a step: below 1 / sqrt(2)
WATER = tf.constant([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])
SHADES = "@#*+=-:. "


def pool(side: int) -> tf.Tensor:
    """The pool: 1 where there is water, 0 at the walls and on the island."""
    y, x = tf.meshgrid(tf.range(side), tf.range(side), indexing="ij")
    water = (x > 0) & (y > 0) & (x < side - 1) & (y < side - 1)
    away = tf.cast(tf.square(x - 2 * side // 3) + tf.square(y - side // 2), tf.float32)
    return tf.where(water & (tf.sqrt(away) > side / 10), 1.0, 0.0)


def drop(side: int) -> tf.Tensor:
    """The water's height after a drop has fallen."""
    y, x = tf.meshgrid(tf.range(side), tf.range(side), indexing="ij")
    away = tf.cast(tf.square(x - side // 4) + tf.square(y - side // 3), tf.float32)
    return tf.exp(-away / side)


@tf.function
def flow(
    height: tf.Tensor, before: tf.Tensor, water: tf.Tensor, steps: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """The height of the water after so many steps, that before the last one, and the energy."""
    kernel = WATER[:, :, None, None]
    for _ in tf.range(steps):
        bend = tf.nn.conv2d(height[None, :, :, None], kernel, 1, "SAME")[0, :, :, 0]
        after = 2.0 * height - before + SPEED**2 * bend
        height, before = after * water, height
    moving = tf.reduce_sum(tf.square(height - before))
    down, right = height[1:] - height[:-1], height[:, 1:] - height[:, :-1]
    down, right = down * (before[1:] - before[:-1]), right * (before[:, 1:] - before[:, :-1])
    return height, before, moving + SPEED**2 * (tf.reduce_sum(down) + tf.reduce_sum(right))


def show(height: tf.Tensor, water: tf.Tensor, columns: int = 64) -> None:
    """Prints the pool, two columns of cells for a row."""
    step = max(1, len(height) // columns)
    rows = zip(height[:: 2 * step, ::step].numpy(), water[:: 2 * step, ::step].numpy())
    for line, wet in rows:
        places = np.clip((line * 8 + 0.5) * len(SHADES), 0, len(SHADES) - 1).astype(int)
        print("".join(SHADES[i] if w else "O" for i, w in zip(places, wet)))


def picture(height: tf.Tensor, water: tf.Tensor) -> tf.Tensor:
    """The pool as RGB, uint8: blue water, white crests, a brown island."""
    level = tf.clip_by_value(height * 8, -1.0, 1.0)[..., None]
    deep, crest, land = [0.0, 0.1, 0.35], [0.9, 0.97, 1.0], [0.45, 0.33, 0.2]
    color = tf.constant(deep) + (level + 1) / 2 * (tf.constant(crest) - tf.constant(deep))
    color = tf.where(water[..., None] > 0, color, tf.constant(land))
    return tf.image.convert_image_dtype(color, tf.uint8, saturate=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--side", type=int, default=256)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--png", help="where to write a picture")
    options = parser.parse_args()

    water = pool(options.side)
    height = before = drop(options.side) * water
    _, _, start = flow(height, before, water, tf.constant(0))
    pictures: list[tf.Tensor] = []
    started = time.perf_counter()
    for part in 3, 1, 1:  # in five parts of the time
        steps = tf.constant(options.steps * part // 5)
        height, before, energy = flow(height, before, water, steps)
        pictures.append(picture(height, water))
    seconds = time.perf_counter() - started
    show(height, water)
    print(f"{options.steps} steps of {options.side} x {options.side} cells in {seconds:.2f} s")
    print(f"the energy changed by {abs(float(energy / start) - 1):.1e}")
    print(f"traced {flow.experimental_get_tracing_count()} time")
    if options.png:
        tf.io.write_file(options.png, tf.io.encode_png(tf.concat(pictures, 1)))


if __name__ == "__main__":
    main()
