"""Softmax and what is made of it, where there are no elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf

LOSSES: dict[str, Callable[[Any], Any]] = {
    "of distributions": lambda x: tf.nn.softmax_cross_entropy_with_logits(x, x),
    "of classes": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.zeros(tf.shape(x)[:-1], tf.int32), x
    ),
}


@pytest.mark.parametrize("dims", [[None, None], None], ids=str)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3)])
@pytest.mark.parametrize("loss", LOSSES)
def test_losses_of_no_examples_are_none(
    loss: str, shape: tuple[int, int], dims: list[None] | None
) -> None:
    @tf.function(input_signature=[tf.TensorSpec(dims)])
    def losses(x: Any) -> Any:
        return LOSSES[loss](x)

    assert np.shape(losses(tf.ones(shape))) == (0,)


@pytest.mark.parametrize("jit", [None, True])
def test_labels_of_another_number_than_the_rows_are_refused(jit: bool | None) -> None:
    """Also as machine code, which knows no shapes: one label would stand for each row."""
    specs = [tf.TensorSpec(None, tf.int32), tf.TensorSpec(None)]
    loss = tf.function(
        lambda labels, logits: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits),
        input_signature=specs,
        jit_compile=jit,
    )
    assert loss(tf.constant([1, 0]), tf.zeros([2, 4])).shape == (2,)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same first dimension"):
        loss(tf.constant([1]), tf.zeros([3, 4]))
