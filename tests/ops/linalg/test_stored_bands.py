"""Diagonals of matrices: machine code moves what the kernels move."""

from __future__ import annotations

import pytest
from support.tiers import differences, normal, staged

import graphwright as tf

ALIGNMENTS = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]
BOUNDS = [0, 1, -2, (-1, 1), (0, 2), (-2, -1), (-3, 3)]


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("k", BOUNDS, ids=str)
def test_diagonals(k, align):
    for shape in [(4, 4), (2, 4, 6), (5, 4)]:
        x = normal(*shape)
        diagonal = tf.linalg.diag_part(x, k=k, align=align).numpy()
        part = lambda x: tf.linalg.diag_part(x, k=k, align=align, padding_value=3.0)  # noqa: E731
        other = lambda x, d: tf.linalg.set_diag(x, d, k=k, align=align)  # noqa: E731
        whole = lambda d: tf.linalg.diag(d, k=k, align=align, padding_value=2.0)  # noqa: E731
        filled = lambda d, s=shape: tf.linalg.diag(  # noqa: E731
            d, k=k, align=align, num_rows=s[-2], num_cols=s[-1]
        )
        cases = [(part, [x]), (other, [x, -diagonal]), (whole, [diagonal]), (filled, [diagonal])]
        for function, arrays in cases:
            assert not differences(doubled(function, len(arrays)), arrays, False, exact=True)
            if k == 0 and function is not filled:
                assert not differences(doubled(function, len(arrays)), arrays, True, exact=True)


def doubled(function, count):
    """Twice what a function of so many operands gives: what is only moved would be a view."""
    if count == 1:
        return lambda x: function(x) * 2.0
    return lambda x, y: function(x, y) * 2.0


def test_main_diagonals_of_any_size():
    part = staged(lambda x: tf.linalg.diag_part(x) * 2.0, [normal(3, 4)], True)
    other = staged(tf.linalg.set_diag, [normal(3, 4), normal(3)], True)
    for shape in [(3, 4), (9, 2), (1, 1), (40, 40)]:
        x, d = normal(*shape), normal(min(shape))
        assert (part(x).numpy() == tf.linalg.diag_part(x).numpy() * 2.0).all()
        assert (other(x, d).numpy() == tf.linalg.set_diag(x, d).numpy()).all()
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        other(normal(3, 4), normal(2))


def test_diagonals_of_tensors():
    whole = lambda x: tf.linalg.tensor_diag(x) * 2.0  # noqa: E731
    part = lambda x: tf.linalg.tensor_diag_part(x) * 2.0  # noqa: E731
    assert not differences(whole, [normal(3, 4)], False, exact=True)
    assert not differences(whole, [normal(3, 4)], True, exact=True)
    assert not differences(part, [normal(3, 4, 3, 4)], False, exact=True)


def test_unit_matrices():
    for rows, columns in [(7, 7), (3, 7), (5, 2)]:
        function = lambda x, r=rows, c=columns: tf.eye(r, c) * x  # noqa: E731
        assert not differences(function, [normal(rows, columns)], False, exact=True)
