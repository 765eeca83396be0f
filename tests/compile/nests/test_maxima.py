"""Gradients of maxima of rectified images: masked where the maxima are, which are fewer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf

WINDOWS = [(2, 2, "VALID"), (3, 2, "SAME"), (3, 1, "VALID"), (1, 2, "SAME")]


def images(kind: str) -> Any:
    random = np.random.default_rng(0)
    x = random.standard_normal((3, 9, 8, 5)).astype(np.float32)
    if kind == "ties":
        return np.round(x)
    if kind == "special":
        rare = random.choice(np.float32([np.nan, np.inf, -np.inf]), x.shape)
        return np.where(random.random(x.shape) < 0.3, rare, x)
    return x - 3 if kind == "mostly negative" else x


def slopes(x: Any, bias: Any, size: int, step: int, padding: str) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, bias])
        y = tf.nn.max_pool2d(tf.nn.relu(x + bias), size, step, padding)
        loss = tf.reduce_sum(tf.reshape(y, [-1]) * tf.range(tf.size(y), dtype=y.dtype))
    return tape.gradient(loss, [x, bias])


@pytest.mark.parametrize("kind", ["plain", "ties", "special", "mostly negative"])
@pytest.mark.parametrize(("size", "step", "padding"), WINDOWS)
def test_gradients_are_those_of_eager_ops(size: int, step: int, padding: str, kind: str) -> None:
    x, bias = tf.constant(images(kind)), tf.constant([0.5, 0, -0.5, 0.25, -2], tf.float32)
    native = tf.function(slopes, jit_compile=True)
    for ours, expected in zip(
        native(x, bias, size, step, padding), slopes(x, bias, size, step, padding)
    ):
        np.testing.assert_allclose(ours, expected, rtol=2e-6, atol=1e-3)


def test_the_mask_is_made_of_the_maxima() -> None:
    native = tf.function(slopes)
    x, bias = tf.TensorSpec([3, 8, 8, 5]), tf.TensorSpec([5])
    ir = native.experimental_get_compiler_ir(x, bias, 2, 2, "VALID")(stage="segments")
    (masked,) = [line for line in ir.splitlines() if "= ReluGrad(" in line]
    assert masked.endswith("float32[3,4,4,5]")
    (total,) = [line for line in ir.splitlines() if "Sum_" in line and line.endswith("float32[5]")]
    assert masked.split()[0] in total


def test_other_features_are_left_alone() -> None:
    @tf.function(jit_compile=True)
    def masked(x: Any, other: Any, g: Any) -> Any:
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
        spread = tf.raw_ops.MaxPoolGrad(
            orig_input=x, orig_output=y, grad=g, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
            padding="VALID",
        )  # fmt: skip
        return tf.raw_ops.ReluGrad(gradients=spread, features=other), tf.reduce_sum(spread, [1, 2])

    x = tf.constant([[[[-1.0], [-2.0]], [[-3.0], [-4.0]]]])
    result, total = masked(x, tf.ones_like(x), tf.ones([1, 1, 1, 1]))
    assert result.numpy().ravel().tolist() == [1.0, 0.0, 0.0, 0.0]
    assert total.numpy().tolist() == [[1.0]]
