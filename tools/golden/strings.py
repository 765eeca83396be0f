"""Cases of the string ops: (public name, positional arguments, keyword arguments)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]

TOLERANCES: list[tuple[str, float, float]] = [("", 0, 0)]
DEPARTURES: list[tuple[str, str]] = []


def words(*values: Any) -> Any:
    """A string array."""
    return np.array(values, object)


GRID = words([b"a", b"b", b"cd"], [b"", b"Ef", b"\xc3\xa9t\xc3\xa9"])
SCALAR = np.array(b"  Two Words\t", object)
EMPTY = np.zeros((0, 2), object)
NUMBERS = words(b"1", b"-2.5", b"1e3", b" 7 ", b"inf")


def elementwise() -> Iterator[Case]:
    for x in (GRID, SCALAR, EMPTY):
        for unit in ("BYTE", "UTF8_CHAR", "CHAR"):
            yield "strings.length", (x,), {"unit": unit}
        for encoding in ("", "utf-8", "latin-1"):
            yield "strings.upper", (x,), {"encoding": encoding}
            yield "strings.lower", (x, encoding), {}
        yield "strings.strip", (x,), {}
        for pattern in ("[a-e]+", ".*", "(?i)two", "(", "a|b"):
            yield "strings.regex_full_match", (x, pattern), {}
            yield "strings.regex_full_match", (x, np.array(pattern.encode(), object)), {}
            for rewrite, everywhere in product(("-", r"<\0>", r"\1"), (True, False)):
                yield "strings.regex_replace", (x, pattern, rewrite), {"replace_global": everywhere}
        args = (x, np.array(b"[aeiou]", object), np.array(b"_", object))
        yield "strings.regex_replace", args, {}
        yield "strings.regex_replace", (x, "[aeiou]", args[2], False), {}
        yield "strings.regex_full_match", (x, words(b"a", b"b")), {}
    for name in ("length", "upper", "lower", "strip"):
        yield f"strings.{name}", (np.array([1, 2]),), {}


def parts() -> Iterator[Case]:
    x = words(b"Hello", b"World!", b"h\xc3\xa9llo \xe2\x82\xac")
    for start, count in product((0, 1, -1, -4, 5, 9), (0, 2, 100, -1)):
        for unit in ("BYTE", "UTF8_CHAR"):
            yield "strings.substr", (x, start, count), {"unit": unit}
    yield "strings.substr", (x, np.array([0, 1, 2]), np.array([1, 2, 3])), {}
    yield "strings.substr", (x, np.array([0, 1, 2]), 1), {}
    yield "strings.substr", (np.array(b"abcdef", object), np.array([0, 2]), np.array([1, 3])), {}
    yield "strings.substr", (x, np.array([[0], [1]]), np.array([[1], [2]])), {}
    yield "strings.substr", (x, np.array([0, 1]), np.array([1, 2])), {}
    yield "strings.substr", (x, np.array([0, 1, 2], np.int64), np.array([1, 2, 3], np.int64)), {}


def joining() -> Iterator[Case]:
    for separator in ("", ", "):
        yield "strings.join", ([GRID, GRID],), {"separator": separator}
        yield "strings.join", ([GRID, SCALAR, b"x"], separator), {}
        yield "strings.join", ([SCALAR, b"x"], separator), {}
    yield "strings.join", ([GRID, words(b"a", b"b", b"c")],), {}
    yield "strings.join", ([EMPTY, SCALAR],), {}
    yield "strings.join", ([GRID],), {}
    axes = (None, 0, 1, -1, [0, 1], [1, 0], [-1, 0], [], 2, -3, [0, 0])
    for axis, keep in product(axes, (False, True)):
        yield "strings.reduce_join", (GRID, axis, keep), {"separator": "+"}
    yield "strings.reduce_join", (SCALAR,), {}
    yield "strings.reduce_join", (EMPTY, 0), {}
    yield "strings.reduce_join", (EMPTY, 1), {}
    x = words(b"a", b"b", b"c", b"d")
    for ids, count in (([0, 1, 0, 2], 3), ([0, -1, 0, 1], 2), ([0, 1, 2, 3], 3), ([0, 0], 1)):
        yield "strings.unsorted_segment_join", (x, np.array(ids), count), {"separator": ":"}
    yield "strings.unsorted_segment_join", (GRID, np.array([1, 0]), 3), {}
    yield "strings.unsorted_segment_join", (GRID, np.array([[1, 0, 1], [0, 0, 2]]), 3), {}


def numbers() -> Iterator[Case]:
    for dtype in ("float32", "float64", "int32", "int64", "uint32", "uint64", "int8", "string"):
        yield "strings.to_number", (NUMBERS, dtype), {}
        yield "strings.to_number", (words([b"1"], [b"23"]), dtype), {}
        yield "strings.to_number", (np.array(b"12", object), dtype), {}
    for text in (b"", b"x", b"1.5", b"-1", b"99999999999999999999", b"1 2"):
        for dtype in ("float32", "int32", "uint64"):
            yield "strings.to_number", (words(text), dtype), {}
    values = (
        np.array([1.5, -2.25, 1e10, np.nan, np.inf], np.float32), np.array([[1, -2], [3, 40]]),
        np.array([True, False]), np.array([1 + 2j], np.complex64), GRID, np.array(7, np.uint8),
        np.array([0.1, 1e-7]), np.array([0.1, 3], np.float16), np.zeros((0,), np.float32),
    )  # fmt: skip
    options: tuple[dict[str, Any], ...] = (
        {}, {"precision": 2}, {"scientific": True}, {"shortest": True}, {"width": 6},
        {"width": 6, "fill": "0"}, {"width": 6, "fill": "-"}, {"fill": "ab"},
        {"shortest": True, "scientific": True}, {"precision": 1, "width": 8, "fill": "0"},
    )  # fmt: skip
    for value, kwargs in product(values, options):
        yield "strings.as_string", (value,), kwargs
    yield "as_string", (values[0],), {}
    for value in values:
        yield "strings.format", ("value: {}!", value), {}
        yield "strings.format", ("{} and {}", [value, np.arange(20)]), {"summarize": 2}
        yield "strings.format", ("{} and %", value), {"placeholder": "%"}
    yield "strings.format", ("{} {}", values[0]), {}
    yield "strings.format", ("none", []), {}


def hashes() -> Iterator[Case]:
    for x, buckets in product((GRID, SCALAR, EMPTY), (1, 10, 2**40, 0)):
        yield "strings.to_hash_bucket_fast", (x, buckets), {}
        yield "strings.to_hash_bucket_strong", (x, buckets, [1, -2]), {}
    yield "strings.to_hash_bucket_strong", (GRID, 5, [1]), {}


def encodings() -> Iterator[Case]:
    x = words(b"h\xc3\xa9llo", b"\xff\xfe", b"\xe2\x82", b"a\x01b\n")
    for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE", "latin-1"):
        for errors in ("replace", "ignore", "strict"):
            yield "strings.unicode_transcode", (x, "UTF-8", target, errors), {}
            yield "strings.unicode_transcode", (x[:1], "UTF-8", target, errors), {}
    yield "strings.unicode_transcode", (x, "UTF-8", "UTF-8"), {"replacement_char": 63}
    for flag in (True, False):
        kwargs = {"replace_control_characters": flag}
        yield "strings.unicode_transcode", (x, "UTF-8", "UTF-8", "replace", 63), kwargs
    yield "strings.unicode_transcode", (words(b"\x00h\x00i"), "UTF-16-BE", "UTF-8"), {}
    yield "strings.unicode_transcode", (words(b"h\xe9"), "ISO-8859-1", "UTF-8"), {}
    yield "strings.unicode_transcode", (x, "no-such", "UTF-8"), {}


def scripts() -> Iterator[Case]:
    """The scripts of characters."""
    points = [0, 31, 97, 0x3B1, 0x300, 0x400, 0x4E00, 0xD800, 0xFFFF, 0x1F600, 0x10FFFF, 0x110000]
    yield "strings.unicode_script", (np.array([*points, -1], np.int32),), {}
    yield "strings.unicode_script", (np.arange(0, 0x30000, 97, dtype=np.int32).reshape(1, -1),), {}
    yield "strings.unicode_script", (np.array(97),), {}


def rows() -> Iterator[Case]:
    """Rows of ragged tensors that have no values."""
    name = "ragged_fill_empty_rows"
    values = np.array([1.0, 2.0, 3.0], np.float32)
    for at, count in (
        ([0, 0, 3], 4), ([1, 0, 1], 2), ([2, 0, 0], 5), ([0, 0, 3], 2), ([0, -1, 1], 2),
    ):  # fmt: skip
        ids = np.array(at, np.int64)
        yield name, (ids, values, count, np.array(-1, np.float32)), {}
    yield name, (ids, np.array([b"a", b"b", b"c"], object), 2, b"z"), {}
    yield name, (np.zeros(0, np.int64), values[:0], 3, np.array(7, np.float32)), {}
    yield name, (ids[:2], values, 2, np.array(7, np.float32)), {}
    back = f"{name}_grad"
    yield back, (np.array([0, 1, 4], np.int64), np.arange(5, dtype=np.float32)), {}
    yield back, (np.array([0, 1, 7], np.int64), np.arange(5, dtype=np.float32)), {}


def cases() -> Iterator[Case]:
    """All cases of the area."""
    for family in (elementwise, parts, joining, numbers, hashes, encodings, scripts, rows):
        yield from family()
