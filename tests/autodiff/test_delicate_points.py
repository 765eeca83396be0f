"""Derivatives at ties, bends, infinite slopes and of nothing are those of TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora import gradients as corpus

import graphwright as tf

RECORDED = json.loads(
    (Path(__file__).resolve().parents[1] / "golden" / "gradients.json").read_text("utf-8")
)
#: Whose second derivatives are meant to be others.
SECOND = {
    "nn.moments": "TensorFlow holds the mean fast there, so its second derivative is wrong",
    "empty batch norm": "TensorFlow divides by the number of elements",
    "prod zeros": "TensorFlow loses the products that one zero leaves",
    "angle": "at 0 each is infinite or undefined",
}


def test_every_case_is_recorded() -> None:
    assert RECORDED.keys() == corpus.CASES.keys()


INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    "x",
    [
        [INF], [INF, 2.0], [-INF, 2.0, -3.0], [INF, -INF, 3.0], [NAN, 2.0, 3.0], [0.0, 2.0, 3.0],
        [0.0, 0.0, 2.0], [1e30, 1e30], [1e-30, 1e-30], [2.0, -3.0, 4.0],
    ],
)  # fmt: skip
def test_a_slope_of_a_product_is_the_product_of_the_others(x: list[float], staged: bool) -> None:
    def slopes(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            product = tf.reduce_prod(x)
        return tape.gradient(product, x)

    result = (tf.function(slopes) if staged else slopes)(tf.constant(x))
    others = [np.prod([float(v) for k, v in enumerate(x) if k != place]) for place in range(len(x))]
    np.testing.assert_allclose(result, np.array(others, np.float32), rtol=1e-6)


def test_second_derivatives_of_a_product_with_a_zero() -> None:
    x = tf.constant([0.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            product = tf.reduce_prod(x)
        slopes = tape.gradient(product, x)
    assert outer.jacobian(slopes, x).numpy().tolist() == [[0, 3, 2], [3, 0, 0], [2, 0, 0]]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", corpus.CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_derivatives_are_tensorflows(name: str, staged: bool) -> None:
    program, given = corpus.CASES[name]
    tensors = [tf.constant(x) for x in corpus.operands(given)]

    def both(tensors: Any) -> Any:
        return corpus.derivatives(tf, program, tensors)

    result = (tf.function(both, reduce_retracing=False) if staged else both)(tensors)
    for order, (ours, theirs) in enumerate(zip(result, RECORDED[name])):
        if order and name in SECOND:
            continue
        for mine, wanted, x in zip(ours, theirs, tensors):
            if staged and wanted is None and mine is not None:
                assert not np.any(mine)  # how often a loop runs is not known in a graph
                continue
            assert (mine is None) == (wanted is None)
            if mine is not None:
                assert (mine.shape, mine.dtype) == (x.shape, x.dtype)
                np.testing.assert_allclose(corpus.entry(mine), wanted, rtol=1e-5, atol=1e-6)
