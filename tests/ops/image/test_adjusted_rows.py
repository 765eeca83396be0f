"""Images of which each is changed by an amount of its own, in a `vectorized_map`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf

GENERATOR = np.random.default_rng(4)
IMAGES = tf.constant(GENERATOR.random((5, 2, 4, 6, 3)), tf.float32)
AMOUNTS = tf.constant([0.3, 0.9, 1.0, 1.7, 0.0])
CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "contrast": tf.image.adjust_contrast,
    "saturation": tf.image.adjust_saturation,
    "hue": tf.image.adjust_hue,
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("staged", [False, True])
def test_each_row_is_changed_as_it_is_alone(name: str, staged: bool) -> None:
    change = CHANGES[name]

    def rows(images: Any, amounts: Any) -> Any:
        return tf.vectorized_map(
            lambda row: change(*row), (images, amounts), fallback_to_while_loop=False
        )

    made = (tf.function(rows, jit_compile=True) if staged else rows)(IMAGES, AMOUNTS)
    expected = [change(image, amount) for image, amount in zip(IMAGES, AMOUNTS)]
    np.testing.assert_allclose(made, expected, rtol=2e-6, atol=2e-6)


def test_gradients_of_contrasts_of_rows() -> None:
    def gradients(change: Callable[..., Any], *operands: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            for x in operands:
                tape.watch(x)
            y = tf.reduce_sum(change(*operands) ** 3)
        return [g.numpy() for g in tape.gradient(y, operands)]

    def rows(images: Any, amounts: Any) -> Any:
        return tf.vectorized_map(lambda row: tf.image.adjust_contrast(*row), (images, amounts))

    whole = gradients(rows, IMAGES, AMOUNTS)
    alone = [gradients(tf.image.adjust_contrast, *row) for row in zip(IMAGES, AMOUNTS)]
    for made, parts in zip(whole, zip(*alone)):
        np.testing.assert_allclose(made, parts, rtol=1e-4, atol=1e-5)
