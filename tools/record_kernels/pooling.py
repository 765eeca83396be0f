"""Pooling of ranks 1 to 3, its gradients and its argmax."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

# (name, input shape, kernel, strides, padding)
CASES: tuple[tuple[str, list[int], list[int], list[int], Any], ...] = (
    ("line", [2, 11, 3], [3], [2], "SAME"),
    ("plane", [2, 7, 8, 3], [3, 2], [1, 2], "SAME"),
    ("plane-valid", [2, 7, 8, 3], [2, 3], [2, 1], "VALID"),
    ("plane-gaps", [2, 7, 9, 2], [2, 1], [3, 4], "VALID"),
    ("plane-large", [1, 3, 2, 2], [5, 5], [1, 1], "SAME"),
    ("space", [2, 5, 6, 4, 2], [2, 3, 2], [2, 1, 2], "SAME"),
    ("space-valid", [1, 5, 6, 4, 2], [3, 2, 2], [1, 2, 1], "VALID"),
)
PADDED: tuple[Any, ...] = ("plane-padded", [2, 7, 8, 3], [3, 2], [2, 2], [(1, 2), (1, 0)])


def record(recorder: Any) -> None:
    """All cases of the family."""
    for kind in ("max", "avg"):
        for name, *geometry in CASES:
            _pool(recorder, kind, name, tf.float32, *geometry)
        for dtype in (tf.float16, tf.bfloat16, tf.float64):
            _pool(recorder, kind, CASES[1][0], dtype, *CASES[1][1:])
    _pool(recorder, "max", *PADDED[:1], tf.float32, *PADDED[1:])
    for dtype in (tf.int32, tf.uint8, tf.int64):
        array = _draw([1, 5, 5, 2], dtype)
        result = tf.nn.max_pool2d(array, [2, 2], 2, "SAME")
        args = (array, [2, 2], [2, 2], "SAME")
        recorder.case(f"max-{dtype.name}", "pooling.max_pool", result, *args)
    _argmax(recorder)


def _draw(shape: list[int], dtype: tf.DType) -> Any:
    """Few different values, so that windows have ties."""
    values = np.random.default_rng(sum(shape)).integers(0, 7, shape)
    return tf.cast(values, dtype)


def _pool(
    recorder: Any,
    kind: str,
    name: str,
    dtype: tf.DType,
    shape: list[int],
    kernel: list[int],
    strides: list[int],
    padding: Any,
) -> None:
    call = getattr(tf.nn, f"{kind}_pool{len(kernel)}d")
    array = _draw(shape, dtype)
    given = padding if isinstance(padding, str) else [[0, 0], *map(list, padding), [0, 0]]
    with tf.GradientTape() as tape:
        tape.watch(array)
        result = call(array, kernel, strides, given)
    gradient = _draw(result.shape.as_list(), dtype)
    backward = tape.gradient(result, array, gradient)
    rest = (kernel, strides, padding)
    extra = {"to_all": True} if kind == "max" and len(kernel) == 3 else {}
    # TensorFlow adds the gradients of narrow floats up in that float.
    narrow = dtype in (tf.float16, tf.bfloat16)
    close = {"ulps": 4, "of_largest": narrow} if kind == "avg" else {"ulps": 1 if narrow else 0}
    name = f"{kind}-{name}-{dtype.name}"
    recorder.case(name, f"pooling.{kind}_pool", result, array, *rest, **close)
    first = array if kind == "max" else shape
    kernel_name = f"pooling.{kind}_pool_gradient"
    recorder.case(f"{name}-input", kernel_name, backward, first, gradient, *rest, **close, **extra)


def _argmax(recorder: Any) -> None:
    image = tf.constant([1, np.nan, 2, 3, np.nan, 0], tf.float32, [1, 1, 6, 1])
    recorder.case("max-nan", "pooling.max_pool", tf.nn.max_pool2d(image, [1, 2], 1, "VALID"),
                  image, [1, 2], [1, 1], "VALID")  # fmt: skip
    for padding in ("SAME", "VALID"):
        for batched in (False, True):
            array = _draw([2, 5, 6, 3], tf.float32) - 9
            result = tf.nn.max_pool_with_argmax(
                array, [3, 2], [2, 2], padding, include_batch_in_index=batched
            )
            recorder.case(
                f"argmax-{padding}-{batched}", "pooling.max_pool_with_argmax", tuple(result),
                array, [3, 2], [2, 2], padding, batched,
            )  # fmt: skip
    result = tf.nn.max_pool_with_argmax(image, [1, 2], 1, "VALID")
    args = (image, [1, 2], [1, 1], "VALID")
    recorder.case("argmax-nan", "pooling.max_pool_with_argmax", tuple(result), *args)
