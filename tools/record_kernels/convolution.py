"""Convolutions and depthwise convolutions of ranks 1 to 3, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

# (name, input shape, filter shape, strides, padding, dilations), all channels last
PLAIN: tuple[tuple[str, list[int], list[int], list[int], Any, list[int]], ...] = (
    ("line", [2, 11, 3], [4, 3, 5], [2], "SAME", [1]),
    ("line-dilated", [2, 11, 3], [3, 3, 5], [1], "VALID", [3]),
    ("plane", [2, 7, 8, 4], [3, 2, 4, 6], [1, 1], "SAME", [1, 1]),
    ("plane-valid", [2, 7, 8, 4], [3, 2, 4, 6], [1, 1], "VALID", [1, 1]),
    ("plane-strided", [2, 9, 8, 4], [3, 3, 4, 2], [2, 3], "SAME", [1, 1]),
    ("plane-strided-valid", [2, 9, 8, 4], [3, 2, 4, 2], [3, 2], "VALID", [1, 1]),
    ("plane-stride-beyond-kernel", [1, 9, 8, 2], [1, 2, 2, 3], [3, 4], "VALID", [1, 1]),
    ("plane-dilated", [2, 9, 8, 4], [3, 2, 4, 2], [1, 1], "SAME", [2, 3]),
    ("plane-dilated-valid", [2, 9, 8, 4], [3, 2, 4, 2], [1, 1], "VALID", [2, 3]),
    ("plane-padded", [2, 7, 8, 3], [3, 2, 3, 4], [2, 1], [(2, 1), (0, 3)], [1, 1]),
    ("plane-groups", [2, 7, 8, 6], [3, 3, 2, 9], [1, 2], "SAME", [1, 1]),
    ("plane-point", [2, 5, 6, 4], [1, 1, 4, 3], [1, 1], "SAME", [1, 1]),
    ("plane-larger-than-image", [1, 2, 2, 3], [5, 5, 3, 2], [1, 1], "SAME", [1, 1]),
    ("space", [2, 5, 6, 4, 2], [2, 3, 2, 2, 3], [1, 2, 1], "SAME", [1, 1, 1]),
    ("space-valid", [1, 5, 6, 4, 2], [3, 3, 3, 2, 3], [2, 1, 1], "VALID", [1, 1, 1]),
)
DEPTHWISE: tuple[tuple[str, list[int], list[int], list[int], Any, list[int]], ...] = (
    ("plane", [2, 7, 8, 3], [3, 2, 3, 2], [1, 1], "SAME", [1, 1]),
    ("plane-single", [2, 7, 8, 3], [3, 3, 3, 1], [1, 1], "VALID", [1, 1]),
    ("plane-strided", [2, 9, 9, 3], [3, 2, 3, 2], [2, 2], "SAME", [1, 1]),
    ("plane-dilated", [2, 9, 9, 3], [3, 3, 3, 2], [1, 1], "SAME", [2, 2]),
    ("plane-padded", [2, 7, 8, 3], [3, 2, 3, 1], [1, 1], [(2, 1), (0, 3)], [1, 1]),
)
# Sums of products in another order: distances in ulps of the largest element.
ULPS = {"float16": 8, "bfloat16": 2, "float32": 8, "float64": 8, "int32": 0}


def record(recorder: Any) -> None:
    """All cases of the family."""
    for name, *geometry in PLAIN:
        _plain(recorder, name, tf.float32, *geometry)
    for dtype in (tf.float16, tf.bfloat16, tf.float64):
        _plain(recorder, PLAIN[2][0], dtype, *PLAIN[2][1:])
    for name, *geometry in DEPTHWISE:
        _depthwise(recorder, name, tf.float32, *geometry)
    for dtype in (tf.float16, tf.bfloat16, tf.float64):
        _depthwise(recorder, DEPTHWISE[0][0], dtype, *DEPTHWISE[0][1:])
    image, filters = _draw([1, 5, 6, 3], tf.int32), _draw([2, 3, 3, 2], tf.int32)
    result = tf.nn.conv2d(image, filters, 1, "SAME")
    recorder.case("plane-int32", "convolution.convolve", result, image, filters, [1, 1], "SAME")
    _channels_first(recorder)
    _transposed(recorder)


def _draw(shape: list[int], dtype: tf.DType) -> Any:
    values = np.random.default_rng(sum(shape)).normal(size=shape) * 3
    return tf.cast(tf.constant(values), dtype)


def _plain(
    recorder: Any,
    name: str,
    dtype: tf.DType,
    shape: list[int],
    filter_shape: list[int],
    strides: list[int],
    padding: Any,
    dilations: list[int],
) -> None:
    call = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}[len(strides)]
    steps = [1, *strides, 1] if len(strides) == 3 else strides
    gaps = [1, *dilations, 1] if len(strides) == 3 else dilations
    array, filters = _draw(shape, dtype), _draw(filter_shape, dtype)
    with tf.GradientTape() as tape:
        tape.watch([array, filters])
        result = call(array, filters, steps, _explicit(padding), dilations=gaps)
    _three(recorder, tape, "convolve", name, array, filters, result, strides, padding, dilations)


def _depthwise(
    recorder: Any,
    name: str,
    dtype: tf.DType,
    shape: list[int],
    filter_shape: list[int],
    strides: list[int],
    padding: Any,
    dilations: list[int],
) -> None:
    array, filters = _draw(shape, dtype), _draw(filter_shape, dtype)
    with tf.GradientTape() as tape:
        tape.watch([array, filters])
        result = tf.nn.depthwise_conv2d(
            array, filters, [1, *strides, 1], _explicit(padding), dilations=dilations
        )
    _three(recorder, tape, "depthwise", name, array, filters, result, strides, padding, dilations)


def _explicit(padding: Any) -> Any:
    if isinstance(padding, str):
        return padding
    return [[0, 0], *map(list, padding), [0, 0]]


def _three(
    recorder: Any,
    tape: tf.GradientTape,
    kernel: str,
    name: str,
    array: Any,
    filters: Any,
    result: Any,
    strides: list[int],
    padding: Any,
    dilations: list[int],
) -> None:
    """The forward case and both gradients."""
    gradient = _draw(result.shape.as_list(), array.dtype)
    backward = tape.gradient(result, [array, filters], gradient)
    rest = (strides, padding, dilations)
    close = {"ulps": ULPS[array.dtype.name], "of_largest": True}
    prefix = "depthwise_" if kernel == "depthwise" else ""
    name = f"{kernel}-{name}-{array.dtype.name}"
    recorder.case(name, f"convolution.{kernel}", result, array, filters, *rest, **close)
    recorder.case(
        f"{name}-input", f"convolution.{prefix}input_gradient", backward[0],
        list(array.shape), filters, gradient, *rest, **close,
    )  # fmt: skip
    recorder.case(
        f"{name}-filter", f"convolution.{prefix}filter_gradient", backward[1],
        array, list(filters.shape), gradient, *rest, **close,
    )  # fmt: skip


def _channels_first(recorder: Any) -> None:
    _, shape, filter_shape, strides, padding, dilations = PLAIN[4]
    array, filters = _draw(shape, tf.float32), _draw(filter_shape, tf.float32)
    rest = (strides, padding, dilations)
    first = tf.transpose(array, [0, 3, 1, 2])
    result = tf.nn.conv2d(array, filters, strides, padding)
    close = {"ulps": 8, "of_largest": True, "channels_first": True}
    recorder.case(
        "channels-first", "convolution.convolve", tf.transpose(result, [0, 3, 1, 2]),
        first, filters, *rest, **close,
    )  # fmt: skip


def _transposed(recorder: Any) -> None:
    for padding in ("SAME", "VALID"):
        array, filters = _draw([2, 4, 5, 3], tf.float32), _draw([3, 2, 6, 3], tf.float32)
        shape = [2, 8, 10, 6] if padding == "SAME" else [2, 9, 10, 6]
        result = tf.nn.conv2d_transpose(array, filters, shape, 2, padding)
        recorder.case(
            f"transposed-{padding}", "convolution.input_gradient", result,
            shape, filters, array, [2, 2], padding, ulps=8, of_largest=True,
        )  # fmt: skip
