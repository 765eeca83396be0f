"""Arrays that become messages are the same when they come back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ir.tensor_proto import (
    array_of,
    content_proto,
    joined_strings,
    packed_proto,
    shape_proto,
    split_strings,
    tensor_proto,
)

DTYPES = [
    tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128, tf.bool, tf.int8,
    tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
]  # fmt: skip


def assert_same(found: Any, wanted: Any) -> None:
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 2), (0,), (2, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_come_back(dtype: Any, shape: Any) -> None:
    array = np.arange(1, 1 + int(np.prod(shape))).reshape(shape).astype(dtype.as_numpy_dtype)
    for write in (tensor_proto, content_proto, packed_proto):
        assert_same(array_of(write(array, dtype), dtype), array)
    assert packed_proto(array, dtype).tensor_content == array.tobytes()


@given(st.lists(st.binary(max_size=300), max_size=6))
@example([b"a" * 127, b"b" * 128, b"c" * 20000, b""])
def test_strings_come_back(values: list[bytes]) -> None:
    array = np.array([*values, None], object)[:-1]
    for write in (tensor_proto, content_proto, packed_proto):
        assert_same(array_of(write(array, tf.string), tf.string), array)
    content = joined_strings(values)
    assert split_strings(content, len(values)) == values
    for wrong in (content + b"x", b"\x80"):
        with pytest.raises(ValueError, match="bytes"):
            split_strings(wrong, max(1, len(values)))


def test_the_last_value_is_repeated() -> None:
    for dtype, given_, last in ((tf.string, [b"a", b"b"], b"b"), (tf.bool, [True, False], False)):
        proto = tensor_proto(np.array(given_, dtype.as_numpy_dtype), dtype)
        proto.tensor_shape.dim[0].size = 4
        assert array_of(proto, dtype).tolist() == [*given_, last, last]
        proto.tensor_shape.dim[0].size = 1
        with pytest.raises(ValueError, match=r"a message of shape \(1,\) has 2 values"):
            array_of(proto, dtype)
    empty = tensor_proto(np.zeros(0, object), tf.string)
    empty.tensor_shape.dim[0].size = 2
    assert array_of(empty, tf.string).tolist() == [b"", b""]


def test_shapes() -> None:
    assert shape_proto(None).unknown_rank
    assert [dim.size for dim in shape_proto((2, None)).dim] == [2, -1]
    with pytest.raises(TypeError, match="resource has no values"):
        tensor_proto(np.zeros(()), tf.resource)
