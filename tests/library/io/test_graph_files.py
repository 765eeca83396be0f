"""Files: what is written is read, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

import graphwright as tf


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "made" / "on the way.bin"
    tf.io.write_file(str(path), b"\x00\xff")
    assert tf.io.read_file(str(path)).numpy() == b"\x00\xff"
    tf.io.write_file(str(path), b"second")
    assert path.read_bytes() == b"second"
    assert os.listdir(path.parent) == [path.name]


def test_a_function_reads_and_writes_in_order(tmp_path: Path) -> None:
    path = str(tmp_path / "log")

    @tf.function
    def append(text: object) -> object:
        tf.io.write_file(path, tf.strings.join([tf.io.read_file(path), text]))
        return tf.io.read_file(path)

    tf.io.write_file(path, "")
    append(tf.constant("a"))
    assert append(tf.constant("b")).numpy() == b"ab"


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="missing"):
        tf.io.read_file(str(tmp_path / "missing"))


@given(
    arrays.arrays(
        arrays.scalar_dtypes().filter(
            lambda d: d.kind in "biufc" and d.itemsize < 16 and d.byteorder in "=|<"
        ),
        (2, 3),
    )
)
def test_tensors_survive_serialization(array: np.ndarray) -> None:
    text = tf.io.serialize_tensor(array)
    parsed = tf.io.parse_tensor(text, tf.constant(array).dtype)
    np.testing.assert_array_equal(parsed.numpy(), array)
