"""Image resizing by the methods of few taps, the legacy flags, and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

# (height and width before, after)
SIZES = (((5, 7), (8, 13)), ((9, 11), (4, 3)), ((6, 6), (6, 6)), ((7, 4), (3, 9)), ((1, 3), (4, 1)))
LEGACY = {
    "nearest": tf.raw_ops.ResizeNearestNeighbor,
    "bilinear": tf.raw_ops.ResizeBilinear,
    "bicubic": tf.raw_ops.ResizeBicubic,
    "area": tf.raw_ops.ResizeArea,
}
# Sums of the same products in another order: ulps of the largest element.
CLOSE = {"ulps": 12, "of_largest": True}


def record(recorder: Any) -> None:
    """All cases of the family."""
    for before, after in SIZES:
        for method in LEGACY:
            _modern(recorder, before, after, method)
            for corners in (False, True):
                if corners and method == "area" and 1 in before:
                    continue  # TensorFlow divides by a scale of 0
                _legacy(recorder, before, after, method, corners)
    for dtype in (tf.uint8, tf.int32, tf.float16, tf.float64):
        images = tf.cast(_draw((5, 7)) * 30 + 100, dtype)
        for method in ("nearest", "bilinear", "bicubic", "area"):
            result = tf.image.resize(images, (8, 3), method)
            close = {} if method == "nearest" else CLOSE
            args = (images, (8, 3), method)
            recorder.case(f"{method}-{dtype.name}", "resize.resize", result, *args, **close)


def _draw(sizes: tuple[int, int]) -> Any:
    values = np.random.default_rng(sum(sizes)).normal(size=(2, *sizes, 2))
    return tf.constant(values, tf.float32)


def _modern(recorder: Any, before: tuple[int, int], after: tuple[int, int], method: str) -> None:
    images = _draw(before)
    with tf.GradientTape() as tape:
        tape.watch(images)
        result = tf.image.resize(images, after, method)
    name = f"{method}-{before}-{after}"
    rest = (method, "half_pixel")
    close = {} if method == "nearest" else CLOSE
    recorder.case(name, "resize.resize", result, images, after, *rest, **close)
    if method == "area":  # TensorFlow has no gradient of it
        return
    gradient = tf.constant(_draw(after))
    backward = tape.gradient(result, images, gradient)
    args = (tuple(images.shape), gradient, *rest)
    recorder.case(f"{name}-input", "resize.resize_gradient", backward, *args, **CLOSE)


def _legacy(
    recorder: Any, before: tuple[int, int], after: tuple[int, int], method: str, corners: bool
) -> None:
    images = _draw(before)
    result = LEGACY[method](images=images, size=after, align_corners=corners)
    centres = "align_corners" if corners else "legacy"
    close = {} if method == "nearest" else CLOSE
    name = f"{method}-{before}-{after}-{centres}"
    recorder.case(name, "resize.resize", result, images, after, method, centres, **close)
