"""Sizes of shapes as TensorFlow 1 has them: what TensorFlow 2.21 answers."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf

D = tf.compat.v1.Dimension

#: Expressions and the texts of their values.
RECORDED = [
    (lambda: (D(3), D(None), D(D(4))), "(Dimension(3), Dimension(None), Dimension(4))"),
    (lambda: (str(D(3)), str(D(None))), "('3', '?')"),
    (lambda: (D(3) == 3, D(3) == D(None), D(3) != 4, D(3) == "a"), "(True, None, True, False)"),
    (lambda: (D(3) < 4, D(3) < D(None), D(3) >= 2, D(3) > 3), "(True, None, True, False)"),
    (lambda: (D(3) + 1, 1 + D(3), D(3) + None), "(Dimension(4), Dimension(4), Dimension(None))"),
    (lambda: (D(7) - 2, 9 - D(2), D(3) * 2), "(Dimension(5), Dimension(7), Dimension(6))"),
    (lambda: (9 // D(2), 9 % D(2), 2 * D(3)), "(Dimension(4), Dimension(1), Dimension(6))"),
    (lambda: (D(7) // 2, D(7) % 2), "(Dimension(3), Dimension(1))"),
    (lambda: D(3).merge_with(None), "Dimension(3)"),
    (lambda: (D(3).is_compatible_with(None), D(3).is_compatible_with(4)), "(True, False)"),
    (lambda: tf.TensorShape([D(2), D(None)]), "TensorShape([2, None])"),
    (lambda: tf.TensorShape([2, None]).dims, "[Dimension(2), Dimension(None)]"),
    (lambda: tf.TensorShape([2]) == [D(2)], "True"),
    (lambda: (range(5)[D(3)], bool(D(0)), int(D(3))), "(3, False, 3)"),
    (lambda: tf.reshape(tf.zeros([2, 3]), [D(3), -1]).shape, "TensorShape([3, 2])"),
    (lambda: tf.zeros(tf.zeros([2, 3]).shape.dims).shape, "TensorShape([2, 3])"),
    (lambda: tf.constant([D(2), 3]).dtype, "tf.int32"),
]


@pytest.mark.parametrize("place", range(len(RECORDED)))
def test_sizes_compute_as_in_tensorflow(place: int) -> None:
    make, text = RECORDED[place]
    assert repr(make()) == text


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda: D(-1), ValueError),
        (lambda: D("a"), TypeError),
        (lambda: D(2.0), TypeError),
        (lambda: int(D(None)), TypeError),
        (lambda: np.asarray(D(None)), TypeError),
        (lambda: hash(D(3)), TypeError),
        (lambda: D(7) / 2, TypeError),
        (lambda: D(3).merge_with(4), ValueError),
        (lambda: D(3).assert_is_compatible_with(4), ValueError),
    ],
)
def test_no_other_sizes(wrong, error: type[Exception]) -> None:
    with pytest.raises(error):
        wrong()
