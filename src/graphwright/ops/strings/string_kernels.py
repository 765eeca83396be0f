"""Byte strings and UTF-8 over object arrays whose elements are `bytes`.

Rules are TensorFlow's. Case and white space are ASCII unless the encoding is named. Broken UTF-8
decodes to U+FFFD, one for each stray byte. Numbers are read as by C and printed as by `printf`.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, pairwise
from operator import methodcaller
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.ops.strings import (
    field_code,
    fingerprint,
    join_code,
    letter_code,
    numerals,
    pattern_automata,
    pattern_search,
    regex,
    string_code,
)
from graphwright.ops.strings.joined_bytes import Joined, sizes
from graphwright.types.arrays import Array, ArrayDType

Unit: TypeAlias = Literal["BYTE", "UTF8_CHAR"]
Errors: TypeAlias = Literal["replace", "ignore", "strict"]
Pieces: TypeAlias = tuple[
    Array, npt.NDArray[np.int64]
]  # all pieces in a row, and how many each string has

_SPACE = b" \t\n\v\f\r"
_CONTINUATION = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that start no character
_FLAGS = np.array([b"false", b"true"], object)
_FEW = 48  # so many bytes are quicker looked at one by one than as an array
_MANY = 1 << 8  # so many strings are quicker cut by machine code, also where all parts are alike
_FLOAT_OF_C = re.compile(  # what Python does not read
    rb"[+-]?(nan\(\w*\)|0x([\da-f]+\.?[\da-f]*|\.[\da-f]+)(p[+-]?\d+)?)", re.IGNORECASE
)
_INTEGER = re.compile(rb"[+-]?\d+")


def length(array: Array, unit: Unit = "BYTE") -> npt.NDArray[np.int32]:
    """How many bytes or UTF-8 characters each string has; continuation bytes start no character."""
    counts: Array | None = None
    if array.size > _FEW:
        name = "size" if unit == "BYTE" else "characters"
        counts = string_code.numbers(name, array, array.size)
    if counts is None:
        texts = array.reshape(-1).tolist()
        if unit == "UTF8_CHAR":
            texts = [text.translate(None, _CONTINUATION) for text in texts]
        counts = sizes(texts)
    return counts.astype(np.int32).reshape(array.shape)


def substr(array: Array, starts: Array, lengths: Array, unit: Unit = "BYTE") -> Array:
    """From a start (counted from the end if negative), at most so many bytes or characters.

    A negative length takes all bytes, but no character. The arguments broadcast. Raises ValueError
    for a start outside of a string.
    """
    are_scalars = not (np.ndim(starts) or np.ndim(lengths))
    is_one = unit == "BYTE" and are_scalars
    if not is_one or array.size >= _MANY:
        together = array, starts, lengths
        wide, first, most = together if are_scalars else np.broadcast_arrays(*together)
        bounds = first.reshape(-1), most.reshape(-1)
        cut = string_code.parts(wide.reshape(-1), *bounds, unit == "UTF8_CHAR")
        if cut is not None:
            return cut.reshape(wide.shape)
    if is_one:
        parts = _same_part(array.reshape(-1).tolist(), int(starts), int(lengths))
        if parts is not None:
            return filled(parts, array.shape)
    array, starts, lengths = np.broadcast_arrays(array, starts, lengths)
    texts: list[bytes] = array.reshape(-1).tolist()
    if _are_few(texts):
        each = enumerate(zip(texts, starts.reshape(-1).tolist(), lengths.reshape(-1).tolist()))
        edges: Iterable[tuple[int, int]] = [
            _bounds(text, place, start, length, unit) for place, (text, start, length) in each
        ]
    else:
        edges = _all_bounds(texts, starts.reshape(-1), lengths.reshape(-1), unit)
    parts = [text[start:stop] for text, (start, stop) in zip(texts, edges)]
    return filled(parts, array.shape)


def _same_part(texts: list[bytes], start: int, length: int) -> list[bytes] | None:
    """One part of all strings; None if some string has no such start."""
    if min(map(len, texts), default=0) < abs(start):
        return None
    stop: int | None = start + length
    if length < 0 or start < 0 <= start + length:
        stop = None
    return [text[start:stop] for text in texts]


def _bounds(text: bytes, place: int, start: int, length: int, unit: Unit) -> tuple[int, int]:
    """Where the part of one string starts and stops; `place` is where it stands among others."""
    edges = [edge for edge, byte in enumerate(text) if unit == "BYTE" or byte & 0xC0 != 0x80]
    count = len(edges)
    if not -count <= start <= count:
        raise _no_such_position(text, place, start)
    edges.append(len(text))
    first = start + count * (start < 0)
    last = min(first + length, count)
    if length < 0:
        last = count if unit == "BYTE" else first
    return edges[first], edges[last]


def _all_bounds(
    texts: Sequence[bytes], starts: Array, lengths: Array, unit: Unit
) -> Iterable[tuple[int, int]]:
    """The bounds of the parts of all strings at once."""
    first, lengths = starts.astype(np.int64), lengths.astype(np.int64)
    characters = _Characters(texts) if unit == "UTF8_CHAR" else None
    counts = characters.counts if characters else sizes(texts)
    wrong = (first < -counts) | (first > counts)
    if wrong.any():
        place = int(wrong.argmax())
        raise _no_such_position(texts[place], place, int(first[place]))
    first += counts * (first < 0)
    last = first + np.minimum(lengths, counts - first)
    last = np.where(lengths < 0, first if characters else counts, last)
    if characters:
        first, last = characters.places(first), characters.places(last)
    return zip(first.tolist(), last.tolist())


def _no_such_position(text: bytes, place: int, start: int) -> ValueError:
    return ValueError(f"pos {start} out of range for string {text!r} at index {place}")


def upper(array: Array, encoding: str = "") -> Array:
    """Upper case, of ASCII letters or, in "utf-8", of all."""
    results = None if encoding else letter_code.raised(array)
    return results if results is not None else _recase(array, encoding, bytes.upper, str.upper)


def lower(array: Array, encoding: str = "") -> Array:
    """Lower case, of ASCII letters or, in "utf-8", of all."""
    results = None if encoding else letter_code.lowered(array)
    return results if results is not None else _recase(array, encoding, bytes.lower, str.lower)


def strip(array: Array) -> Array:
    """Without ASCII white space at both ends."""
    results = letter_code.stripped(array)
    return results if results is not None else _each(lambda text: text.strip(_SPACE), array)


def join(arrays: Sequence[Array], separator: bytes = b"") -> Array:
    """The strings of broadcast arrays joined element by element."""
    together = np.broadcast_arrays(*arrays)
    columns = [array.reshape(-1) for array in together]
    results = join_code.joined_columns(columns, separator)
    if results is not None:
        return results.reshape(together[0].shape)
    rows = zip(*[column.tolist() for column in columns])
    return filled([*map(separator.join, rows)], together[0].shape)


def runs(strings: Array, firsts: Array, width: int, separator: bytes) -> Array:
    """Runs of so many strings of a vector joined, from places on."""
    results = join_code.joined_runs(strings, firsts, width, separator)
    if results is not None:
        return results
    words = strings.tolist()
    parts = [separator.join(words[first : first + width]) for first in firsts.tolist()]
    return filled(parts, (len(parts),))


def reduce_join(
    array: Array, axes: Sequence[int], keepdims: bool = False, separator: bytes = b""
) -> Array:
    """The strings along axes joined; along the first axis named, neighbours follow each other."""
    axes = [axis % array.ndim for axis in reversed(axes)]
    others = [axis for axis in range(array.ndim) if axis not in axes]
    moved = array.transpose(*others, *axes)
    outer = moved.shape[: len(others)]
    rows = moved.reshape(math.prod(outer), math.prod(moved.shape[len(others) :]))
    result = join_code.joined_rows(rows, separator)
    if result is None:
        result = filled([*map(separator.join, rows.tolist())], (len(rows),))
    kept_sizes = [1 if axis in axes else size for axis, size in enumerate(array.shape)]
    return result.reshape(kept_sizes if keepdims else outer)


def split(array: Array, separator: bytes = b"", limit: int = -1) -> Pieces:
    """The pieces between separators, or between white space, after at most `limit` cuts.

    They are the pieces of all strings in a row, and how many of them each string has.
    """
    if limit < 0 and len(separator) <= 1:
        cut = string_code.split(array.reshape(-1), *(separator or [string_code.SPACES]))
        if cut is not None:
            return cut
    texts: list[bytes] = array.reshape(-1).tolist()
    if limit == 0:
        return filled(texts, (len(texts),)), np.ones(len(texts), np.int64)
    if separator:
        lists = [*map(methodcaller("split", separator, limit), texts)]
    elif limit < 0:
        lists = [*map(bytes.split, texts)]
    else:
        lists = [_words(text, limit) for text in texts]
    counts = sizes(lists)
    return filled([*chain.from_iterable(lists)], (int(counts.sum()),)), counts


def regex_replace(
    array: Array, pattern: bytes, rewrite: bytes, replace_global: bool = True
) -> Array:
    """Matches of a pattern in RE2's syntax replaced; ValueError for a bad pattern or rewrite."""
    compiled, parts = regex.compile_pattern(pattern), regex.rewrite_parts(rewrite)
    flat, results = array.reshape(-1), None
    if all(isinstance(part, bytes) for part in parts):
        plain = b"".join(map(bytes, parts))
        results = pattern_search.replaced(pattern, plain, flat, replace_global)
    elif max(part for part in parts if isinstance(part, int)) <= compiled.groups:
        results = pattern_search.regrouped(pattern, parts, flat, replace_global)
    if results is not None:
        others = [place for place, text in enumerate(results.tolist()) if text is None]
        if others:
            texts = flat[others].tolist()
            results[others] = regex.replaced(pattern, rewrite, texts, replace_global)
        return results.reshape(array.shape)
    texts = array.reshape(-1).tolist()
    return filled(regex.replaced(pattern, rewrite, texts, replace_global), array.shape)


def regex_full_match(array: Array, pattern: bytes) -> npt.NDArray[np.bool_]:
    """Whether a pattern in RE2's syntax matches each whole string; ValueError for a bad pattern."""
    return pattern_automata.full_matches(pattern, array)


def to_number(array: Array, dtype: npt.DTypeLike) -> Array:
    """Each string read as a number; ValueError where it is none or does not fit."""
    dtype = np.dtype(dtype)
    held = array.flatten()  # the strings stay where they are while machine code reads them
    row = string_code.places(held) if dtype in field_code.DTYPES else None
    if row is None or not field_code.are_ready_for(int((row[1] - row[0]).sum())):
        return _read_by_python(held.tolist(), dtype).reshape(array.shape)
    result, states = field_code.read(None, *row, np.arange(held.size), dtype)
    others = np.flatnonzero(states != field_code.READ)
    if others.size:
        result[others] = _read_by_python(held[others].tolist(), dtype)
    return result.reshape(array.shape)


def _read_by_python(texts: Sequence[bytes], dtype: ArrayDType) -> Array:
    """Each string read as a number; ValueError where it is none or does not fit."""
    try:
        return _plain_numbers(texts, dtype)
    except (ValueError, OverflowError):  # other forms, and what is none
        result = np.empty(len(texts), dtype)
        for place, text in enumerate(texts):
            value = _number(text, dtype)
            if value is None:
                shown = text.decode("utf-8", "replace")
                raise ValueError(
                    f"StringToNumberOp could not correctly convert string: {shown}"
                ) from None
            result[place] = value
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
        return filled(_FLAGS[array.reshape(-1).astype(np.intp)], array.shape)
    head = "%" + fill + (str(width) if width > -1 else "")
    if kind == "O":
        style = f".{precision}s" if precision > -1 and width > -1 else "s"
        return _each(lambda text: (head + style).encode() % text, array)
    if kind in "iu":
        texts = numerals.of_integers(array) if head == "%" else None
        if texts is None:
            form = (head + "d").encode()
            return filled(_formatted(form, array.reshape(-1).tolist()), array.shape)
        return texts.reshape(array.shape)
    style = "e" if scientific else "g" if shortest else "f"
    form = (head + (f".{precision}" if precision > -1 else "") + style).encode()
    if kind == "c":
        pairs = zip(_printed(array.real, form), _printed(array.imag, form))
        return filled([b"(%b,%b)" % pair for pair in pairs], array.shape)
    printed = numerals.of_reals(array, style, precision) if head == "%" else None
    if printed is None:
        return filled(_printed(array, form), array.shape)
    others = np.flatnonzero(printed == b"")
    if others.size:
        printed[others] = _printed(array.reshape(-1)[others], form)
    return printed.reshape(array.shape)


def _formatted(form: bytes, values: Sequence[float]) -> list[bytes]:
    """Each number in a form of `printf`: all in one text, with line breaks between."""
    if not values:
        return []
    return (b"\n".join([form] * len(values)) % tuple(values)).split(b"\n")


def _printed(array: Array, form: bytes) -> list[bytes]:
    """Real numbers in a form of `printf`, which pads no infinity and no NaN with zeros."""
    values = array.reshape(-1).astype(np.float64).tolist()
    unpadded = form.replace(b"%0", b"%", 1)
    if unpadded == form:
        return _formatted(form, values)
    return [(form if math.isfinite(value) else unpadded) % value for value in values]


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
    hashes: Callable[[Array], string_code.Numbers], array: Array, buckets: int
) -> npt.NDArray[np.int64]:
    numbers: Array = hashes(array) % np.uint64(buckets)
    return numbers.astype(np.int64)


def unicode_encode(
    points: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int64],
    encoding: str = "UTF-8",
    errors: Errors = "replace",
    replacement: int = 0xFFFD,
) -> Array:
    """Strings from code points in a row, so many for each; ValueError for strict errors."""
    codec = _codec(encoding)
    if len(points) + len(counts) <= _FEW:
        stops = np.cumsum(counts).tolist()
        rows = [points[a:b].tolist() for a, b in zip([0, *stops], stops)]
        return filled([_encoded(row, codec, errors, replacement) for row in rows], (len(rows),))
    valid = (points >= 0) & (points < 0x110000) & ((points < 0xD800) | (points > 0xDFFF))
    if not valid.all():
        if errors == "strict":
            raise ValueError(f"{points[valid.argmin()]} is no Unicode code point")
        if errors == "replace":
            points = np.where(valid, points, ord(chr(replacement)))
            valid[:] = True
    encoded = str(points[valid].astype("<u4").data, "utf-32-le").encode(codec)
    places = _edges(np.where(valid, _WIDTHS[codec](points), 0))
    edges = places[_edges(counts)].tolist()
    return filled([encoded[start:stop] for start, stop in pairwise(edges)], (len(counts),))


def _encoded(points: Sequence[int], codec: str, errors: Errors, replacement: int) -> bytes:
    """One string of code points."""
    chars = []
    for point in points:
        if 0 <= point < 0xD800 or 0xE000 <= point < 0x110000:
            chars.append(chr(point))
        elif errors == "strict":
            raise ValueError(f"{point} is no Unicode code point")
        elif errors == "replace":
            chars.append(chr(replacement))
    return "".join(chars).encode(codec)


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
    pairs: list[tuple[int | None, int]] = []
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
            pairs.append((ord(char), start))
            start += len(char.encode(name))
        if broken:
            pairs.append((None, start))
        start = stop
    return pairs


def code_points(
    texts: Sequence[bytes], encoding: str = "UTF-8", errors: Errors = "replace"
) -> tuple[Array, Array, Array]:
    """The code points of all strings in a row; -1 stands for what the encoding does not allow.

    With them the bytes of their strings that they start at, and how many each string has.
    ValueError for what is not allowed, if strict; LookupError for an unknown encoding.
    """
    name = codecs.lookup(_codec(encoding)).name
    if name not in _WIDTHS or _are_few(texts):
        return _in_a_row([characters(text, encoding, errors) for text in texts])
    result = _decoded(texts, name)
    if result:
        return result
    # Strings that cannot be decoded with the others are decoded alone; here zeros stand for them.
    clean = [_is_clean(text, name) for text in texts]
    alone = [[] if ok else characters(text, encoding, errors) for text, ok in zip(texts, clean)]
    zero = "\0".encode(name)
    result = _decoded(
        [text if ok else zero * len(pairs) for text, ok, pairs in zip(texts, clean, alone)], name
    )
    assert result is not None
    points, starts, counts = result
    broken = np.repeat(np.logical_not(clean), counts)
    points[broken], starts[broken], _ = _in_a_row(alone)
    return points, starts, counts


def _are_few(texts: Sequence[bytes]) -> bool:
    """Whether arrays over the strings take longer to set up than a loop over their bytes."""
    return len(texts) <= _FEW and len(texts) + sum(map(len, texts)) <= _FEW


def _in_a_row(rows: Sequence[list[tuple[int | None, int]]]) -> tuple[Array, Array, Array]:
    """The characters of each string, as `code_points` returns them."""
    pairs = [*chain.from_iterable(rows)]
    points = np.array([-1 if point is None else point for point, _ in pairs], np.int32)
    return points, np.array([start for _, start in pairs], np.int64), sizes(rows)


def _is_clean(text: bytes, name: str) -> bool:
    try:
        text.decode(name)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(texts: Sequence[bytes], name: str) -> tuple[Array, Array, Array] | None:
    """`code_points` of strings that all are in an encoding of `_WIDTHS`; None for others."""
    joined = Joined(texts)
    try:
        text = str(joined.bytes.data, name)
    except UnicodeDecodeError:
        return None
    points = np.array(np.frombuffer(text.encode("utf-32-le"), "<i4"), np.int32)
    places = _edges(_WIDTHS[name](points))
    edges = np.searchsorted(places, _edges(joined.sizes))
    if not np.array_equal(places[edges], _edges(joined.sizes)):
        return None  # a character begins in one string and ends in the next
    counts = np.diff(edges)
    return points, places[:-1] - np.repeat(joined.starts, counts), counts


class _Characters:
    """Where the characters of strings in UTF-8 start; continuation bytes start none."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._joined = Joined(texts)
        self._starts = np.flatnonzero(self._joined.bytes & 0xC0 != 0x80)
        self._edges = np.searchsorted(self._starts, _edges(self._joined.sizes))
        self.counts = np.diff(self._edges)

    def places(self, number: Array) -> Array:
        """In each string, where the character of a number starts; behind the last is the end."""
        chosen = np.append(self._starts, 0)[self._edges[:-1] + number] - self._joined.starts
        return np.where(number < self.counts, chosen, self._joined.sizes)


def _utf8_widths(points: Array) -> Array:
    return 1 + (points >= 0x80) + (points >= 0x800).astype(np.int64) + (points >= 0x10000)


_WIDTHS: dict[str, Callable[[Array], Array]] = {  # how many bytes code points take
    "utf-8": _utf8_widths,
    "utf-16-be": lambda points: 2 + 2 * (points >= 0x10000),
    "utf-32-be": lambda points: np.full(len(points), 4),
}


def _edges(counts: Array) -> Array:
    """Where the parts of a row start, so many elements each, and where the last one stops."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _each(function: Callable[..., bytes], array: Array) -> Array:
    """The function's values as an object array of the same shape."""
    return filled([function(item) for item in array.reshape(-1).tolist()], array.shape)


def filled(items: Sequence[object] | Array, shape: tuple[int, ...]) -> Array:
    """An array of objects."""
    result = np.empty(shape, object)
    result.reshape(-1)[:] = items
    return result


def _words(text: bytes, limit: int) -> list[bytes]:
    """The words, and after so many the rest of the text, even where nothing is left."""
    words = text.lstrip(_SPACE).split(None, limit)
    return [*words, b""] if len(words) == limit else words


def _recase(
    array: Array,
    encoding: str,
    ascii_case: Callable[[bytes], bytes],
    unicode_case: Callable[[str], str],
) -> Array:
    if not encoding:
        return _each(ascii_case, array)
    return _each(lambda text: unicode_case(decode(text)).encode(), array)


def _codec(encoding: str) -> str:
    """UTF-16 and UTF-32 are big endian and without a mark, as in ICU."""
    name = encoding.lower()
    return f"{name}-be" if name in ("utf-16", "utf-32") else name


def _plain_numbers(texts: Sequence[bytes], dtype: ArrayDType) -> Array:
    """Numbers in the forms that Python reads too; ValueError or OverflowError for others."""
    joined = b"".join(texts)
    if b"_" in joined or (dtype.kind == "u" and b"-" in joined):
        raise ValueError("Python reads more than `_number`")
    if dtype.kind == "f":
        return _nearest(np.fromiter(map(float, texts), np.float64, len(texts)), texts, dtype)
    return np.fromiter(map(int, texts), dtype, len(texts))


def _nearest(values: Array, texts: Sequence[bytes], dtype: ArrayDType) -> Array:
    """Doubles in a narrower dtype: the numbers nearest to the texts, not to the doubles."""
    with np.errstate(over="ignore"):
        narrow = values.astype(dtype)
        if dtype != np.float32:
            return narrow
        step = np.finfo(np.float64).eps
        is_open = (values * (1 - step)).astype(dtype) != (values * (1 + step)).astype(dtype)
    from fractions import Fraction  # here, for it takes long to import

    is_open &= np.isfinite(values)  # between two floats, the text says which one is nearer
    for place in np.flatnonzero(is_open).tolist():
        exact, double = Fraction(texts[place].decode()), Fraction(float(values[place]))
        if exact != double:
            beside = np.nextafter(values[place], np.inf if exact > double else -np.inf)
            narrow[place] = beside.astype(dtype)
    return narrow


def _number(text: bytes, dtype: ArrayDType) -> float | int | None:
    """The number, None if it is none or does not fit the dtype."""
    bare = text.strip(_SPACE)
    if dtype.kind == "f":
        if _FLOAT_OF_C.fullmatch(bare):
            plain, payload, _ = bare.partition(b"(")
            return float(plain) if payload else float.fromhex(plain.decode())
        try:
            return None if b"_" in bare else float(bare)
        except ValueError:
            return None
    if not _INTEGER.fullmatch(bare):
        return None
    value, bounds = int(bare), np.iinfo(dtype)
    if bare.startswith(b"-") and dtype.kind == "u":
        return None
    return value if bounds.min <= value <= bounds.max else None
