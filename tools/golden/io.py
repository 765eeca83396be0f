"""Cases of bytes and serialized tensors: (public name, arguments, keyword arguments)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]

TOLERANCES: list[tuple[str, float, float]] = [("", 0, 0)]
DEPARTURES: list[tuple[str, str]] = []


def words(*values: Any) -> Any:
    """A string array."""
    return np.array(values, object)


TEXTS = words([b"", b"a", b"ab"], [b"abc", b"\xff\xfe\xfd\xfb", b"Hello, World!"])


def base64() -> Iterator[Case]:
    for pad in (False, True):
        yield "io.encode_base64", (TEXTS, pad), {}
        yield "io.encode_base64", (np.array(b"x\x00y", object),), {"pad": pad}
    yield "io.encode_base64", (np.zeros((0, 2), object),), {}
    for text in (
        b"SGk",
        b"SGk=",
        b"SGk==",
        b"__79-w",
        b"//79+w",
        b"a",
        b"",
        b"SG k",
        b"SGkx=",
        b"=",
    ):
        yield "io.decode_base64", (words(text),), {}
    yield "io.decode_base64", (np.array(b"SGVsbG8", object),), {}
    yield "io.decode_base64", (np.arange(3),), {}


def raw() -> Iterator[Case]:
    texts = (words(b"abcdefgh", b"12345678"), np.array(b"abcdefgh" * 2, object), words(b"abc"),
             words(b"ab", b"abcd"), np.zeros((0,), object), words([b"", b""]))  # fmt: skip
    dtypes = ("uint8", "int8", "int16", "uint16", "int32", "int64", "float16", "bfloat16",
              "float32", "float64", "complex64", "bool", "uint32", "string")  # fmt: skip
    for text in texts:
        for dtype in dtypes:
            if dtype == "bool" and text.size:
                continue  # bytes that are neither 0 nor 1
            yield "io.decode_raw", (text, dtype), {}
        yield "io.decode_raw", (text, "int16", False), {}
        for length in (4, 8, 3, 0, -2):
            yield "io.decode_raw", (text, "int16"), {"fixed_length": length}
    yield "io.decode_raw", (texts[0], "float32"), {"fixed_length": 12, "little_endian": False}


def serialized() -> Iterator[Case]:
    arrays = (
        np.array([[1.5, -2.0]], np.float32), np.array(3), np.array([1, 2, 3], np.int8), TEXTS,
        np.array([True, False]), np.array([1 + 2j], np.complex64), np.zeros((0, 3), np.float64),
        np.array([1, 2], ml_dtypes.bfloat16), np.array(0.5, np.float16), np.array(b"x", object),
        np.array([2**63], np.uint64), np.array(7, np.uint16),
    )  # fmt: skip
    for array in arrays:
        yield "io.serialize_tensor", (array,), {}
    yield "io.parse_tensor", (np.array(b"", object), "float32"), {}
    yield "io.parse_tensor", (np.array(b"garbage", object), "float32"), {}
    message = b"\x08\x01\x12\x04\x12\x02\x08\x03"  # float32 of shape [3]
    texts = (message, message + b"\x2a\x04\x00\x00\x80\x3f",
             message + b"\x2a\x08\x00\x00\x80\x3f\x00\x00\x00\x40")  # fmt: skip
    for text in texts:
        yield "io.parse_tensor", (np.array(text, object), "float32"), {}
        yield "io.parse_tensor", (np.array(text, object), "int32"), {}
        yield "io.parse_tensor", (words(text), "float32"), {}


def cases() -> Iterator[Case]:
    """All cases of the area."""
    yield from base64()
    yield from raw()
    yield from serialized()
