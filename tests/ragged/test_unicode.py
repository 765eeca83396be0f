"""Strings of code points, however deep these are nested."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_the_innermost_rows_become_strings(depth: int) -> None:
    points = np.array([71, 246, 0x1F600, 98], np.int32).reshape((1,) * (depth - 1) + (4,))
    points = np.concatenate([points, points + 1], axis=0 if depth > 1 else -1)
    rows = points.reshape(-1, points.shape[-1])
    wanted = np.array([*["".join(map(chr, row)).encode() for row in rows], None], object)[:-1]
    wanted = wanted.reshape(points.shape[:-1])
    found = tf.strings.unicode_encode(points, "UTF-8")
    assert found.numpy() == wanted if depth == 1 else found.numpy().tolist() == wanted.tolist()
    if depth > 1:
        ragged = tf.RaggedTensor.from_tensor(tf.constant(points, tf.int32), ragged_rank=depth - 1)
        found = tf.strings.unicode_encode(ragged, "UTF-8")
        if depth > 2:
            found = found.to_tensor()
        assert found.numpy().tolist() == wanted.tolist()


def test_rows_of_different_lengths() -> None:
    points: Any = [[[72, 105], []], [[228]]]
    found = tf.strings.unicode_encode(tf.ragged.constant(points, tf.int32), "UTF-8")
    assert found.to_list() == [[b"Hi", b""], ["ä".encode()]]
    assert tf.strings.unicode_decode(found, "UTF-8").to_list() == points
    with pytest.raises(ValueError, match="rank must be at least 1"):
        tf.strings.unicode_encode(72, "UTF-8")
