"""Runs of words: what pads them."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

import graphwright as tf


@pytest.mark.parametrize("pad_values", [3, ("a", 1), ("a",), ("a", "b", "c")])
def test_what_cannot_pad_is_refused(pad_values: Any) -> None:
    with pytest.raises(TypeError, match="must be a string, tuple of strings, or None"):
        tf.strings.ngrams(["a", "b"], 2, pad_values=pad_values)


def test_images_and_compressed_texts_may_be_ragged() -> None:
    """Each row has what a tensor of its values would have, as in TensorFlow."""
    images = tf.ragged.constant([[0.1, 0.2], [0.3]])
    lighter = tf.image.stateless_random_brightness(images, 0.5, seed=(1, 2))
    whole = tf.image.stateless_random_brightness(images.flat_values, 0.5, seed=(1, 2))
    assert lighter.to_list() == [whole[:2].numpy().tolist(), whole[2:].numpy().tolist()]
    assert tf.image.random_brightness(images, 0.5).row_lengths().numpy().tolist() == [2, 1]
    packed = tf.ragged.constant([[zlib.compress(b"a"), zlib.compress(b"bc")], []], tf.string)
    texts = tf.io.decode_compressed(packed, compression_type="ZLIB")
    assert texts.to_list() == [[b"a", b"bc"], []]
