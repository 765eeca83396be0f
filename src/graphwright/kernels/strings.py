"""Byte strings and UTF-8 over object arrays whose elements are `bytes`.

Rules are TensorFlow's: case and white space are ASCII unless the encoding is named, broken UTF-8
decodes to U+FFFD, one for each stray byte, numbers are read as by C and printed as by `printf`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from graphwright.kernels import fingerprint, regex

Array = npt.NDArray[Any]
Unit = Literal["BYTE", "UTF8_CHAR"]
Errors = Literal["replace", "ignore", "strict"]
Pieces = tuple[Array, npt.NDArray[np.int64]]  # all pieces in a row, and how many each string has

_SPACE = b" \t\n\v\f\r"
_FLOAT = re.compile(
    rb"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan(\(\w*\))?"
    rb"|0x([\da-f]+\.?[\da-f]*|\.[\da-f]+)(p[+-]?\d+)?)",
    re.IGNORECASE,
)
_INTEGER = re.compile(rb"[+-]?\d+")


def length(array: Array, unit: Unit = "BYTE") -> npt.NDArray[np.int32]:
    """How many bytes or UTF-8 characters each string has; continuation bytes start no character."""
    count = len if unit == "BYTE" else _characters
    return _each(count, array).astype(np.int32)


def substr(array: Array, starts: Array, lengths: Array, unit: Unit = "BYTE") -> Array:
    """From a start (counted from the end if negative), at most so many bytes or characters.

    A negative length takes all bytes, but no character. The arguments broadcast. Raises ValueError
    for a start outside of a string.
    """
    array, starts, lengths = np.broadcast_arrays(array, starts, lengths)
    result = np.empty(array.shape, object)
    for place, text in enumerate(array.flat):
        start, count = int(starts.flat[place]), int(lengths.flat[place])
        bounds = range(len(text)) if unit == "BYTE" else _starts(text)
        if not -len(bounds) <= start <= len(bounds):
            raise ValueError(f"pos {start} out of range for string {text!r} at index {place}")
        first = start + len(bounds) * (start < 0)
        everything = len(bounds) if unit == "BYTE" else first
        last = everything if count < 0 else min(first + count, len(bounds))
        edges = [*bounds, len(text)]
        result.flat[place] = text[edges[first] : edges[last]]
    return result


def upper(array: Array, encoding: str = "") -> Array:
    """Upper case, of ASCII letters or, in "utf-8", of all."""
    return _recase(array, encoding, bytes.upper, str.upper)


def lower(array: Array, encoding: str = "") -> Array:
    """Lower case, of ASCII letters or, in "utf-8", of all."""
    return _recase(array, encoding, bytes.lower, str.lower)


def strip(array: Array) -> Array:
    """Without ASCII white space at both ends."""
    return _each(lambda text: text.strip(_SPACE), array)


def join(arrays: Sequence[Array], separator: bytes = b"") -> Array:
    """The strings of broadcast arrays joined element by element."""
    together = np.broadcast_arrays(*arrays)
    result = np.empty(together[0].shape, object)
    rows = zip(*(array.flat for array in together))
    result.reshape(-1)[:] = [separator.join(row) for row in rows]
    return result


def reduce_join(
    array: Array, axes: Sequence[int], keepdims: bool = False, separator: bytes = b""
) -> Array:
    """The strings along axes joined; along the first axis named, neighbours follow each other."""
    axes = [axis % array.ndim for axis in reversed(axes)]
    others = [axis for axis in range(array.ndim) if axis not in axes]
    moved = array.transpose(*others, *axes)
    kept = moved.shape[: len(others)]
    rows = moved.reshape(math.prod(kept), math.prod(moved.shape[len(others) :]))
    result = np.empty(len(rows), object)
    result[:] = [separator.join(row) for row in rows]
    sizes = [1 if axis in axes else size for axis, size in enumerate(array.shape)]
    return result.reshape(sizes if keepdims else kept)


def split(array: Array, separator: bytes = b"", limit: int = -1) -> Pieces:
    """The pieces between separators, at most `limit` cuts; without one, between white space.

    Shared by all strings: the pieces in a row, and how many of them each string has.
    """
    if limit == 0:
        return _pieces(array, lambda text: [text])
    if separator:
        return _pieces(array, lambda text: text.split(separator, limit))
    return _pieces(array, lambda text: _words(text, limit))


def regex_replace(
    array: Array, pattern: bytes, rewrite: bytes, replace_global: bool = True
) -> Array:
    """Matches of a pattern in RE2's syntax replaced; ValueError for a bad pattern or rewrite."""
    regex.compile_pattern(pattern)
    return _each(lambda text: regex.replace(pattern, rewrite, text, replace_global), array)


def regex_full_match(array: Array, pattern: bytes) -> npt.NDArray[np.bool_]:
    """Whether a pattern in RE2's syntax matches each whole string; ValueError for a bad pattern."""
    regex.compile_pattern(pattern)
    return _each(lambda text: regex.full_match(pattern, text), array).astype(np.bool_)


def to_number(array: Array, dtype: npt.DTypeLike) -> Array:
    """Each string read as a number; ValueError where it is none or does not fit."""
    dtype = np.dtype(dtype)
    result = np.empty(array.shape, dtype)
    for place, text in enumerate(array.flat):
        value = _number(text, dtype)
        if value is None:
            shown = text.decode("utf-8", "replace")
            raise ValueError(f"StringToNumberOp could not correctly convert string: {shown}")
        result.flat[place] = value
    return result


def as_string(
    array: Array,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Array:
    """Each number as `printf` prints it: %f, or %e or %g, with a width and the fill as its flag."""
    kind = array.dtype.kind
    if kind == "b":
        return _each(lambda value: b"true" if value else b"false", array)
    head = "%" + fill + (str(width) if width > -1 else "")
    if kind == "O":
        style = f".{precision}s" if precision > -1 and width > -1 else "s"
        return _each(lambda text: (head + style).encode() % text, array)
    if kind in "iu":
        return _each(lambda value: ((head + "d") % int(value)).encode(), array)
    style = "e" if scientific else "g" if shortest else "f"
    tail = (f".{precision}" if precision > -1 else "") + style

    def show(value: float) -> str:
        flagged = head if math.isfinite(value) else head.replace("%0", "%", 1)  # as C pads inf
        return (flagged + tail) % value

    if kind == "c":
        return _each(lambda value: f"({show(value.real)},{show(value.imag)})".encode(), array)
    return _each(lambda value: show(float(value)).encode(), array)


def hash_bucket_fast(array: Array, buckets: int) -> npt.NDArray[np.int64]:
    """The bucket of each string by FarmHash's fingerprint."""
    return _buckets(fingerprint.fingerprints64, array, buckets)


def hash_bucket(array: Array, buckets: int) -> npt.NDArray[np.int64]:
    """The bucket of each string by MurmurHash64A."""
    return _buckets(fingerprint.hashes64, array, buckets)


def hash_bucket_strong(array: Array, buckets: int, key: tuple[int, int]) -> npt.NDArray[np.int64]:
    """The bucket of each string by SipHash under a key of two 64-bit words."""
    return _buckets(partial(fingerprint.siphashes, key), array, buckets)


def _buckets(
    hashes: Callable[[list[bytes]], fingerprint.Hashes], array: Array, buckets: int
) -> npt.NDArray[np.int64]:
    found: Array = hashes(array.reshape(-1).tolist()) % np.uint64(buckets)
    return found.astype(np.int64).reshape(array.shape)


def unicode_encode(
    points: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int64],
    encoding: str = "UTF-8",
    errors: Errors = "replace",
    replacement: int = 0xFFFD,
) -> Array:
    """Strings from code points in a row, so many for each; ValueError for strict errors."""
    result = np.empty(len(counts), object)
    stops = np.cumsum(counts)
    for place, (count, stop) in enumerate(zip(counts.tolist(), stops.tolist())):
        chars = []
        for point in points[stop - count : stop].tolist():
            if 0 <= point < 0xD800 or 0xE000 <= point < 0x110000:
                chars.append(chr(point))
            elif errors == "strict":
                raise ValueError(f"{point} is no Unicode code point")
            elif errors == "replace":
                chars.append(chr(replacement))
        result[place] = "".join(chars).encode(_codec(encoding))
    return result


def unicode_transcode(
    array: Array,
    source: str,
    target: str,
    errors: Errors = "replace",
    replacement: int = 0xFFFD,
) -> Array:
    """Each string from one encoding into another; ValueError for strict errors."""
    name = _codec(target)
    return _each(lambda text: decode(text, source, errors, replacement).encode(name), array)


def decode(
    text: bytes, encoding: str = "UTF-8", errors: Errors = "replace", replacement: int = 0xFFFD
) -> str:
    """A string's characters. Raises ValueError for what the encoding does not allow, if strict."""
    name = _codec(encoding)
    if errors == "strict":
        try:
            return text.decode(name)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"Invalid formatting on input string {text!r}: {error.reason}"
            ) from None
    decoded = text.decode(name, "replace" if errors == "replace" else "ignore")
    return decoded if replacement == 0xFFFD else decoded.replace("\ufffd", chr(replacement))


def characters(
    text: bytes, encoding: str = "UTF-8", errors: Errors = "replace"
) -> list[tuple[int | None, int]]:
    """Code points (None for what the encoding does not allow) and the bytes that they start at.

    ValueError for what is not allowed, if strict; LookupError for an unknown encoding.
    """
    name = _codec(encoding)
    found: list[tuple[int | None, int]] = []
    start = 0
    while start < len(text):
        try:
            chunk, stop, broken = text[start:].decode(name), len(text), False
        except UnicodeDecodeError as error:
            if errors == "strict":
                raise ValueError("Invalid formatting on input string") from None
            chunk, broken = text[start : start + error.start].decode(name), True
            stop = start + error.end
        for char in chunk:
            found.append((ord(char), start))
            start += len(char.encode(name))
        if broken:
            found.append((None, start))
        start = stop
    return found


def _each(function: Callable[[Any], Any], array: Array) -> Array:
    """The function's values as an object array of the same shape."""
    result = np.empty(array.shape, object)
    result.reshape(-1)[:] = [function(item) for item in array.reshape(-1)]
    return result


def _pieces(array: Array, cut: Callable[[bytes], list[Any]]) -> Pieces:
    lists = [cut(text) for text in array.flat]
    values = np.empty(sum(map(len, lists)), object)
    values[:] = [piece for pieces in lists for piece in pieces]
    return values, np.array([len(pieces) for pieces in lists], np.int64)


def _words(text: bytes, limit: int) -> list[bytes]:
    """The words, and after so many the rest of the text, even where nothing is left."""
    words = text.lstrip(_SPACE).split(None, limit)
    return [*words, b""] if len(words) == limit > 0 else words


def _recase(
    array: Array,
    encoding: str,
    ascii_case: Callable[[bytes], bytes],
    unicode_case: Callable[[str], str],
) -> Array:
    if not encoding:
        return _each(ascii_case, array)
    return _each(lambda text: unicode_case(decode(text)).encode(), array)


def _starts(text: bytes) -> list[int]:
    return [at for at, byte in enumerate(text) if byte & 0xC0 != 0x80]


def _characters(text: bytes) -> int:
    return len(_starts(text))


def _codec(encoding: str) -> str:
    """UTF-16 and UTF-32 are big endian and without a mark, as in ICU."""
    name = encoding.lower()
    return f"{name}-be" if name in ("utf-16", "utf-32") else name


def _number(text: bytes, dtype: np.dtype[Any]) -> float | int | None:
    """The number, None if it is none or does not fit the dtype."""
    bare = text.strip(_SPACE)
    if dtype.kind == "f":
        if not _FLOAT.fullmatch(bare):
            return None
        if b"x" in bare.lower():
            return float.fromhex(bare.decode())
        return float(re.sub(rb"\(.*", b"", bare))
    if not _INTEGER.fullmatch(bare):
        return None
    value, bounds = int(bare), np.iinfo(dtype)
    if bare.startswith(b"-") and dtype.kind == "u":
        return None
    return value if bounds.min <= value <= bounds.max else None
