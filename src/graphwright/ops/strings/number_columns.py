"""Numbers in text, read from the digits of many fields at once.

A word holds the eight bytes at the end of a field. A few products turn its digits into a number,
for all fields in the same steps. What these rules do not cover is left to who reads single numbers.

Source: Johnny Lee and Daniel Lemire, "Quickly parsing eight digits" (2018), for a word of digits;
William Clinger, "How to Read Floating Point Numbers Accurately" (1990), for exact quotients.
"""

from __future__ import annotations

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.types.arrays import Array

#: How many bytes must stand before the first field.
BEFORE = 24
#: The most digits in a row that are read here.
_MOST = 18
#: For each number of bytes those of a word that count, and zeros as digits in place of the others.
_MASKS = np.array([(1 << 64) - (1 << 64 - 8 * n) for n in range(9)], np.uint64)
_FILL = np.array([0x3030303030303030], np.uint64) & ~_MASKS
_TENS = np.array([10**n for n in range(_MOST + 1)], np.int64)
#: The largest number that has each smaller one as a double beside it.
_EXACT = 1 << 53

_SIGNS = np.frombuffer(b"-+", np.uint8)
_DOT, _SPACE = b". "


class Fields(NamedTuple):
    """Parts of a text: where they start and stop."""

    octets: Array
    starts: Array
    stops: Array


class NumberColumn(NamedTuple):
    """The values of fields, and which of them are known: the others stand for any text."""

    values: Array
    is_known: Array


def integers(fields: Fields, dtype: np.dtype[np.int32 | np.int64]) -> NumberColumn:
    """The integers in fields of decimal digits, which may have a sign and spaces around."""
    starts, stops = trimmed(fields)
    starts, is_negative = signed(fields.octets, starts, stops)
    values, is_known = whole_numbers(fields.octets, starts, stops)
    is_known &= stops > starts
    values = np.where(is_negative, -values, values)
    if dtype.itemsize < values.itemsize:
        is_known &= values == values.astype(dtype)
    return NumberColumn(values.astype(dtype, copy=False), is_known)


def decimals(fields: Fields, dtype: np.dtype[np.float32 | np.float64]) -> NumberColumn:
    """The numbers nearest to those in fields of decimal digits, a sign, and a dot or none."""
    octets = fields.octets
    starts, stops = trimmed(fields)
    starts, is_negative = signed(octets, starts, stops)
    dots = first_dots(octets, starts, stops)
    behind = np.minimum(dots + 1, stops)
    wholes, is_known = whole_numbers(octets, starts, dots)
    parts, is_whole = whole_numbers(octets, behind, stops)
    places = stops - behind
    is_known &= is_whole & (dots - starts + places > 0)
    tens = _TENS[np.minimum(places, _MOST)]
    is_known &= wholes.astype(np.float64) * tens < 9e18
    wholes = wholes * tens + parts
    is_known &= wholes < _EXACT
    values = wholes / tens.astype(np.float64)
    if dtype.itemsize < values.itemsize:
        narrow = values.astype(dtype)
        step = np.finfo(np.float64).eps
        lower, upper = (values * (1 - step)).astype(dtype), (values * (1 + step)).astype(dtype)
        is_known &= lower == upper
        values = narrow
    return NumberColumn(np.where(is_negative, -values, values), is_known)


def first_dots(octets: Array, starts: Array, stops: Array) -> Array:
    """Where the first dots in fields are; where the fields stop that have none."""
    dots = np.append(np.flatnonzero(octets == _DOT), len(octets))
    return np.minimum(dots[np.searchsorted(dots, starts)], stops)


def trimmed(fields: Fields) -> tuple[Array, Array]:
    """Where the fields start and stop without spaces around them."""
    octets, starts, stops = fields.octets, fields.starts, fields.stops
    while (spaces := (octets[starts] == _SPACE) & (starts < stops)).any():
        starts = starts + spaces
    while (spaces := (octets[stops - 1] == _SPACE) & (starts < stops)).any():
        stops = stops - spaces
    return starts, stops


def signed(octets: Array, starts: Array, stops: Array) -> tuple[Array, Array]:
    """Where the fields start behind a sign, and which are negative."""
    first = octets[starts]
    minus = first == _SIGNS[0]
    return starts + ((minus | (first == _SIGNS[1])) & (starts < stops)), minus


def whole_numbers(octets: Array, starts: Array, stops: Array) -> tuple[Array, Array]:
    """The numbers of digits, 0 for none, and where there are only digits and not too many."""
    lengths = stops - starts
    values, is_known = last_eight(octets, stops, np.clip(lengths, 0, 8))
    is_known &= lengths <= _MOST
    for first in range(8, min(int(lengths.max(initial=0)), _MOST), 8):
        more, are_digits = last_eight(octets, stops - first, np.clip(lengths - first, 0, 8))
        values = values + more * _TENS[first]
        is_known &= are_digits
    return values, is_known


def last_eight(octets: Array, stops: Array, lengths: Array) -> tuple[Array, Array]:
    """The numbers of up to eight digits before places, and where there are only digits."""
    windows = np.ndarray((len(octets) - 7,), "V8", octets, 0, (1,))
    words = windows[stops - 8].view("<u8") & _MASKS[lengths] | _FILL[lengths]
    high = np.uint64(0xF0F0F0F0F0F0F0F0)
    above = (words + np.uint64(0x0606060606060606) & high) >> np.uint64(4)
    are_digits = (words & high | above) == 0x3333333333333333
    words -= np.uint64(0x3030303030303030)
    pairs = words * np.uint64(10) + (words >> np.uint64(8))
    one = np.uint64(0x000000FF000000FF)
    fours = (pairs & one) * np.uint64(100 + (1_000_000 << 32))
    fours += (pairs >> np.uint64(16) & one) * np.uint64(1 + (10_000 << 32))
    return (fours >> np.uint64(32)).view(np.int64), are_digits
