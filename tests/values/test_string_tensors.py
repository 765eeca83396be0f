"""Strings become tensors byte for byte."""

from __future__ import annotations

import pytest

import graphwright as tf


@pytest.mark.parametrize("text", [b"a\0", b"\0", b"\0a\0\0", b""])
def test_zeros_at_the_end_of_a_string_are_kept(text: bytes) -> None:
    assert tf.constant(text).numpy() == text
    assert tf.constant([text, b"longer than it"]).numpy().tolist() == [text, b"longer than it"]
    assert tf.function(lambda: tf.constant([[text]]))().numpy().tolist() == [[text]]
