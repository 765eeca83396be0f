"""Sparse tensors moved: what is refused."""

from __future__ import annotations

import pytest

import graphwright as tf


def test_a_permutation_has_all_axes() -> None:
    with pytest.raises(ValueError, match="Dimensions 1 and 2 are not compatible"):
        tf.sparse.transpose(tf.sparse.eye(2), [0])
