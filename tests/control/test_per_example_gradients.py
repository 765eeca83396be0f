"""Gradients of each example alone, all at once: no rule of a layer falls back to a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf

RANDOM = np.random.default_rng(7)


def normal(*shape: int) -> Any:
    return RANDOM.normal(size=shape).astype(np.float32)


def normalized(x: Any, scale: Any) -> Any:
    empty = tf.constant([], tf.float32)
    return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=scale, offset=scale * 2.0, mean=empty, variance=empty
    )[0]


IMAGES, VOLUMES = normal(3, 2, 5, 4, 2), normal(3, 1, 3, 4, 2, 2)
IDS = [0, 0, 2]

#: What is done to an example with weights, an example for each row, the weights.
LAYERS: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "conv2d": (lambda x, w: tf.nn.conv2d(x, w, (2, 1), "SAME"), IMAGES, normal(3, 2, 2, 4)),
    "conv2d in groups": (lambda x, w: tf.nn.conv2d(x, w, 1, "VALID"), IMAGES, normal(2, 2, 1, 4)),
    "conv3d": (
        lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME"), VOLUMES, normal(2, 2, 1, 2, 3),
    ),
    "depthwise_conv2d": (
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME"), IMAGES, normal(2, 2, 2, 3),
    ),
    "conv2d_transpose": (
        lambda x, w: tf.nn.conv2d_transpose(x, w, [2, 10, 8, 3], 2), IMAGES, normal(3, 3, 3, 2),
    ),
    "avg_pool": (lambda x, w: tf.nn.avg_pool2d(x * w, 2, 1, "SAME"), IMAGES, normal(2)),
    "avg_pool3d": (lambda x, w: tf.nn.avg_pool3d(x * w, 2, 1, "SAME"), VOLUMES, normal(2)),
    "max_pool": (lambda x, w: tf.nn.max_pool2d(x * w, 2, 1, "SAME"), IMAGES, normal(2)),
    "batch norm": (normalized, IMAGES, normal(2)),
    "lrn": (lambda x, w: tf.nn.lrn(x * w, 1), IMAGES, normal(2)),
    "dilation2d": (
        lambda x, w: tf.nn.dilation2d(x, w, [1] * 4, "SAME", "NHWC", [1] * 4),
        IMAGES, normal(2, 2, 2),
    ),
    "resize": (lambda x, w: tf.image.resize(x * w, [3, 7], "bicubic"), IMAGES, normal(2)),
    "space_to_batch": (
        lambda x, w: tf.space_to_batch(x * w, [2, 2], [[1, 0], [0, 0]]), IMAGES, normal(2),
    ),
    "segment_sum": (lambda x, w: tf.math.segment_sum(x * w, IDS), normal(4, 3, 2), normal(2)),
    "segment_mean": (lambda x, w: tf.math.segment_mean(x * w, IDS), normal(4, 3, 2), normal(2)),
    "segment_max": (lambda x, w: tf.math.segment_max(x * w, IDS), normal(4, 3, 2), normal(2)),
    "sparse_segment_sum": (
        lambda x, w: tf.sparse.segment_sum(x * w, [2, 0, 1], IDS), normal(4, 3, 2), normal(2),
    ),
    "tensor_diag": (lambda x, w: tf.linalg.tensor_diag(x * w), normal(4, 3, 2), normal(2)),
    "tensor_diag_part": (
        lambda x, w: tf.linalg.tensor_diag_part(x * w), normal(4, 2, 3, 2, 3), normal(3),
    ),
    "tridiagonal_matmul": (tf.linalg.tridiagonal_matmul, normal(3, 3, 4), normal(4, 2)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_all_at_once_is_one_after_the_other(name: str) -> None:
    layer, examples, weights = LAYERS[name]

    def slopes(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = layer(x, w)
            loss = tf.reduce_sum(tf.sin(y))
        return [y, *tape.gradient(loss, [x, w])]

    w = tf.constant(weights)
    alone = [slopes(tf.constant(x), w) for x in examples]
    together = tf.vectorized_map(
        lambda x: slopes(x, w), tf.constant(examples), fallback_to_while_loop=False
    )
    for found, *wanted in zip(together, *alone):
        np.testing.assert_allclose(found, np.stack(wanted), rtol=1e-3, atol=1e-4)
