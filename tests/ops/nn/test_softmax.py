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
