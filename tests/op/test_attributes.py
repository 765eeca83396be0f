"""Attributes are what programs give, as records declare them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.op.attributes import plain, plain_value
from graphwright.op.frozen_record import Record


class Stated(Record):
    count: int = 3
    rate: float = 0.5
    name: str = "none"
    flag: bool = False
    other: Any = None


OP = Stated()


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("count", 2, 2), ("count", np.int64(2), 2), ("count", tf.constant(2), 2), ("count", 2.0, 2),
        ("count", None, 3), ("count", True, 1), ("rate", 1, 1.0), ("rate", np.float32(2), 2.0),
        ("rate", None, 0.5), ("name", b"text", "text"), ("name", "text", "text"),
        ("name", None, "none"), ("flag", True, True), ("flag", None, False), ("other", b"x", b"x"),
    ],
)  # fmt: skip
def test_values_are_converted(name: str, given: Any, wanted: Any) -> None:
    result = plain_value(OP, name, given)
    assert (type(result), result) == (type(wanted), wanted)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("count", "2", "int for argument 'count' not '2'"),
        ("count", b"2", "int for argument 'count' not b'2'"),
        ("rate", "0.5", "float for argument 'rate' not '0.5'"),
        ("name", 5, "string for argument 'name' not 5"),
        ("flag", 1, "bool for argument 'flag' not 1"),
        ("flag", np.bool_(False), f"bool for argument 'flag' not {np.bool_(False)!r}"),
        ("flag", [1, 2], "bool for argument 'flag' not [1, 2]"),
        ("count", object, "int for argument 'count' not <class 'object'>"),
    ],
)
def test_what_cannot_be_converted_is_refused(name: str, given: Any, words: str) -> None:
    with pytest.raises(TypeError) as raised:
        plain_value(OP, name, given)
    assert str(raised.value) == f"Expected {words}."
    with pytest.raises(TypeError, match="for argument 'mine'"):
        plain_value(OP, name, given, "mine")


def test_all_attributes_at_once() -> None:
    given = (np.int8(1), 2, b"a", False, [])
    assert plain(OP, given) == (1, 2.0, "a", False, [])
    assert plain(OP, (None, None)) == (3, 0.5)
    assert plain(OP, (1, 2.0, "a", True, None, "more")) == (1, 2.0, "a", True, None, "more")
