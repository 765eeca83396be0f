"""What quantization refuses."""

from __future__ import annotations

import pytest

import graphwright as tf


def test_unknown_words_and_dtypes_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="'T' of float32 is not in the list"):
        tf.quantization.quantize([1.0, 2.0], 0.0, 3.0, T=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="'round_mode' of \"x\" is not in"):
        tf.quantization.quantize_and_dequantize([1.0, 2.0], 0.0, 3.0, round_mode="x")
