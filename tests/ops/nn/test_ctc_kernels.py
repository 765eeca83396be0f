"""The CTC loss against all paths counted one by one, its gradient against differences."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.ops.nn import ctc_kernels

SIZES = np.array([4, 3])
LABEL_SIZES = np.array([2, 1])
LABELS = np.array([[1, 1], [2, 0]])


def _logits() -> Any:
    return np.random.default_rng(0).normal(size=(4, 2, 3))


def test_the_loss_sums_all_paths() -> None:
    logits = _logits()
    chances = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    loss, _ = ctc_kernels.ctc_loss(LABELS, logits, LABEL_SIZES, SIZES, blank=0)
    for item in range(2):
        total = 0.0
        for path in itertools.product(range(3), repeat=int(SIZES[item])):
            merged = [symbol for symbol, _ in itertools.groupby(path) if symbol]
            if merged == LABELS[item, : LABEL_SIZES[item]].tolist():
                total += np.prod([chances[t, item, symbol] for t, symbol in enumerate(path)])
        np.testing.assert_allclose(loss[item], -np.log(total), rtol=1e-12)


def test_the_gradient_is_the_slope() -> None:
    logits, step = _logits(), 1e-6
    _, gradient = ctc_kernels.ctc_loss(LABELS, logits, LABEL_SIZES, SIZES, blank=0)
    for place in np.ndindex(logits.shape):
        moved = [logits.copy(), logits.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        up, down = (
            ctc_kernels.ctc_loss(LABELS, x, LABEL_SIZES, SIZES, blank=0)[0].sum() for x in moved
        )
        np.testing.assert_allclose(gradient[place], (up - down) / (2 * step), atol=1e-8)


def test_a_labelling_that_does_not_fit_is_impossible() -> None:
    loss, gradient = ctc_kernels.ctc_loss(LABELS, _logits(), LABEL_SIZES, np.array([2, 3]), blank=0)
    assert loss[0] == np.inf
    assert np.isfinite(loss[1])
    assert not gradient[:, 0].any()


#: What TensorFlow 2.21 gives for labels of the first of two rows, and blanks; then the other row.
RECORDED = [
    ([1, 2], 0, 2.462744951248169),
    ([1, 2], -1, 4.5792341232299805),
    ([1, 5], 0, 0.0718538761138916),
    ([1, 5], -1, 1.0665899515151978),
    ([1, 3], 0, 0.0718538761138916),
    ([-1, 1], 0, -0.22797632217407227),
    ([-1, 1], -1, 3.249068260192871),
    ([-3, 1], 0, -0.22797632217407227),
    ([-3, 1], -1, 0.6601584553718567),
]


@pytest.mark.parametrize(("labels", "blank", "expected"), RECORDED)
def test_labels_that_are_no_classes_have_the_loss_that_tensorflow_gives_them(
    labels: list[int], blank: int, expected: float
) -> None:
    logits = tf.constant(np.random.RandomState(0).randn(4, 2, 3).astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(logits)
        rows = tf.constant([labels, [0, 1]])
        loss = tf.nn.ctc_loss(rows, logits, [2, 2], [4, 4], blank_index=blank)
    other = 0.9907984733581543 if blank == 0 else 1.2772390842437744
    np.testing.assert_allclose(loss, [expected, other], rtol=1e-5)
    assert np.isfinite(tape.gradient(loss, logits)).all()


@pytest.mark.parametrize(
    ("sizes", "losses"),  # of TensorFlow 2.21
    [
        ([4, 4], [4.3945823, 4.384582]),
        ([3, 3], [2.4429312, 2.4543595]),
        ([2, 4], [1.6844572, 4.384582]),
    ],
)
def test_the_blank_may_be_a_label(sizes: list[int], losses: list[float]) -> None:
    logits = (np.arange(24.0, dtype=np.float32).reshape((2, 4, 3)) - 12) / 100
    labels = [[1, 2, 1, 0], [1, 2, 0, 2]]
    result = tf.nn.ctc_loss(labels, logits, sizes, [4, 4], logits_time_major=False)
    np.testing.assert_allclose(result, losses, rtol=1e-6)
