"""Tensors as bytes: what a text names is held against its length."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.ir.tensor_proto import shape_proto
from graphwright.proto.tensor_pb2 import TensorProto


def repeated(*shape: int) -> bytes:
    """A message of a few bytes whose one value is repeated."""
    message = TensorProto(tensor_shape=shape_proto(shape), float_val=[2.5])
    message.dtype = 1
    return message.SerializeToString()


def test_a_value_is_repeated_in_a_parsed_tensor() -> None:
    assert tf.io.parse_tensor(repeated(2, 3), tf.float32).numpy().tolist() == [[2.5] * 3] * 2


@pytest.mark.parametrize("shape", [(2**29,), (2**31, 2**31, 4), (2**62, 2**62)])
def test_a_text_that_names_too_many_elements_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError, match="GRAPHWRIGHT_PARSE_BYTES"):
        tf.io.parse_tensor(repeated(*shape), tf.float32)


def test_the_limit_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_PARSE_BYTES", "100")
    assert tf.io.parse_tensor(repeated(20), tf.float32).shape == [20]
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.io.parse_tensor(repeated(40), tf.float32)


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="which no array has"):
        tf.io.parse_tensor(repeated(-2, -3), tf.float32)
