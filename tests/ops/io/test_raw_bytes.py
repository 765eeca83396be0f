"""Base64 of many strings at once is that of each of them."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf

PLAIN = st.lists(st.binary(max_size=40), max_size=8)


@given(PLAIN, st.booleans())
def test_what_is_encoded_is_decoded(plain: list[bytes], pad: bool) -> None:
    expected = [base64.urlsafe_b64encode(item) for item in plain]
    if not pad:
        expected = [item.rstrip(b"=") for item in expected]
    encoded = tf.io.encode_base64(tf.constant(plain, tf.string), pad)
    assert encoded.numpy().tolist() == expected
    assert tf.io.decode_base64(encoded).numpy().tolist() == plain


@given(PLAIN, st.sampled_from([b"+", b"/", b"a", b"=", b"a=", b"YQ=", b"YQ===", b"\n", b"YQ\n",
                               b"\r", b" ", b"\xe9", b"!", b"=YQ"]), st.data())  # fmt: skip
def test_one_bad_string_is_refused(plain: list[bytes], bad: bytes, data: Any) -> None:
    items = [base64.urlsafe_b64encode(item).rstrip(b"=") for item in plain]
    items.insert(data.draw(st.integers(0, len(items))), bad)
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.io.decode_base64(tf.constant(items))
    assert repr(bad) in str(raised.value)


def test_padding_of_some() -> None:
    items = [b"YQ==", b"YQ", b"", b"YWI=", b"YWI", b"YWJj"]
    decoded = tf.io.decode_base64(items)
    assert decoded.numpy().tolist() == [b"a", b"a", b"", b"ab", b"ab", b"abc"]


def test_shapes_stay() -> None:
    grid = tf.constant([["a", "bc"], ["", "\n"]])
    encoded = tf.io.encode_base64(grid)
    assert encoded.shape == (2, 2)
    assert tf.io.decode_base64(encoded).numpy().tolist() == grid.numpy().tolist()
    assert tf.io.encode_base64(tf.constant("a")).numpy() == b"YQ"
    assert tf.io.encode_base64(tf.zeros([0, 2], tf.string)).shape == (0, 2)
