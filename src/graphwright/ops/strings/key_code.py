"""The rows of strings in a table, and the distinct ones of many, by machine code.

Python asks a dictionary for one key after the other, and makes the hash of each new string. The
code goes once through all of them: a hash says where a key begins to look. It passes over places
until it meets its equal, or a free one (Knuth, The Art of Computer Programming, volume 3,
section 6.4).
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine import array_layout
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.strings.string_code import PATIENCE, all_strings, farm, over_strings
from graphwright.types.arrays import Array

#: So many keys are worth the code, or fewer in several calls.
_WORTH = 1 << 11

#: Goes from place to place. One that is taken has the number of a key plus 1 in its lower half, and
#: the upper half of the key's hash in the other. One that is free has 0.
_SEARCH = """  %hash = call i64 @farm(ptr %text, i64 %size, i64 0, i64 0)
  %wanted = and i64 %hash, %mask
  br label %search
search:
  %place = phi i64 [ %wanted, %do ], [ %place.next, %other ]
  %place.at = getelementptr i64, ptr PLACES, i64 %place
  %there = load i64, ptr %place.at
  %is.free = icmp eq i64 %there, 0
  br i1 %is.free, label %free, label %taken
other:
  %place.more = add i64 %place, 1
  %place.next = and i64 %place.more, %mask
  br label %search
"""
#: The keys of a table are all unlike, so each takes the next free place of %out.
_PUT = f"""{_SEARCH.replace("PLACES", "%out")}taken:
  br label %other
free:
  %upper = and i64 %hash, {-1 << 32}
  %number = add i64 %i, 1
  %taken.now = or i64 %upper, %number
  store i64 %taken.now, ptr %place.at"""
#: Whether key %number of an array has the hash of the string that is there, and its bytes.
_COMPARE = f"""taken:
  %unlike = xor i64 %there, %hash
  %upper.unlike = lshr i64 %unlike, 32
  %is.near = icmp eq i64 %upper.unlike, 0
  br i1 %is.near, label %near, label %other
near:
  %lower = and i64 %there, {(1 << 32) - 1}
  %number = sub i64 %lower, 1
  %key.at = getelementptr ptr, ptr KEYS, i64 %number
  %key = load ptr, ptr %key.at
  %key.size.at = getelementptr i8, ptr %key, i64 {array_layout.HEADER}
  %key.size = load i64, ptr %key.size.at
  %is.as.long = icmp eq i64 %key.size, %size
  br i1 %is.as.long, label %compare, label %other
compare:
  %key.text = getelementptr i8, ptr %key, i64 {array_layout.BYTES}
  %order = call i32 @memcmp(ptr %text, ptr %key.text, i64 %size)
  %is.equal = icmp eq i32 %order, 0
  br i1 %is.equal, label %hit, label %other
hit:
"""
_FIND = f"""{_SEARCH.replace("PLACES", "%places")}{_COMPARE.replace("KEYS", "%keys")}\
  %hit.row.at = getelementptr i64, ptr %rows, i64 %number
  %hit.row = load i64, ptr %hit.row.at
  br label %free
free:
  %row = phi i64 [ -1, %search ], [ %hit.row, %hit ]
  %row.at = getelementptr i64, ptr %out, i64 %i
  store i64 %row, ptr %row.at"""
#: A key is the first string of its equals. Strings get the rank of theirs; %known counts ranks.
_DISTINCT = f"""{_SEARCH.replace("PLACES", "%places")}{_COMPARE.replace("KEYS", "%objects")}\
  %hit.rank.at = getelementptr i64, ptr %out, i64 %number
  %hit.rank = load i64, ptr %hit.rank.at
  br label %ranked
free:
  %upper = and i64 %hash, {-1 << 32}
  %own.number = add i64 %i, 1
  %taken.now = or i64 %upper, %own.number
  store i64 %taken.now, ptr %place.at
  %new.rank = load i64, ptr %known
  %first.at = getelementptr i64, ptr %firsts, i64 %new.rank
  store i64 %i, ptr %first.at
  %known.more = add i64 %new.rank, 1
  store i64 %known.more, ptr %known
  br label %ranked
ranked:
  %rank = phi i64 [ %hit.rank, %hit ], [ %new.rank, %free ]
  %rank.at = getelementptr i64, ptr %out, i64 %i
  store i64 %rank, ptr %rank.at"""
_TEXT = "".join(
    [
        all_strings(farm),
        over_strings("put_keys", "i64 %mask", _PUT),
        over_strings("find_keys", "ptr %places, i64 %mask, ptr %keys, ptr %rows", _FIND),
        over_strings("distinct", "ptr %places, i64 %mask, ptr %firsts, ptr %known", _DISTINCT),
        "declare i32 @memcmp(ptr, ptr, i64)\n",
    ]
)


@functools.cache
def _functions() -> dict[str, Any]:
    """The functions that put keys into places, find them, and tell strings apart, by name."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    # They keep the interpreter's lock, without which another thread could free the strings.
    strings = [place, place, place, number]
    put = ctypes.PYFUNCTYPE(number, *strings, number)
    find = ctypes.PYFUNCTYPE(number, *strings, place, number, place, place)
    return lasting_functions(_TEXT, {"put_keys": put, "find_keys": find, "distinct": find})


PREPARATION = Preparation(_functions, is_brief=True, patience=PATIENCE)


def is_ready_for(count: int) -> bool:
    """Whether the code may look up so many keys."""
    return array_layout.is_known() and PREPARATION.is_ready_for(count, _WORTH)


def _places(count: int) -> npt.NDArray[np.int64]:
    """Places of which so many keys take at most half."""
    return np.zeros(1 << (2 * count).bit_length(), np.int64)


def distinct_strings(x: Array) -> tuple[Array, npt.NDArray[np.int64]] | None:
    """The distinct strings of a vector, and which of them each one is; None for Python to do it."""
    if not is_ready_for(x.size):
        return None
    x = np.ascontiguousarray(x)
    places, known = _places(x.size), np.zeros(1, np.int64)
    ranks, firsts = np.empty(x.size, np.int64), np.empty(x.size, np.int64)
    done = _functions()["distinct"](
        address(x), id(bytes), address(ranks), x.size, address(places), len(places) - 1,
        address(firsts), address(known),
    )  # fmt: skip
    return (x.take(firsts[: known[0]]), ranks) if done == x.size else None


class PlacedKeys:
    """The strings of a table in places that their hashes say.

    Args:
        rows: The row of each string.
    """

    def __init__(self, rows: Mapping[bytes, int]) -> None:
        count = len(rows)
        self.keys = np.empty(count, object)
        self.keys[:] = list(rows)
        self.rows = np.fromiter(rows.values(), np.int64, count)
        self.places = _places(count)
        done = _functions()["put_keys"](
            address(self.keys), id(bytes), address(self.places), count, len(self.places) - 1
        )
        self.is_whole = done == count  # not where a key is no plain string of bytes

    def rows_of(self, keys: Array) -> npt.NDArray[np.int64] | None:
        """The rows of an array of strings, -1 of what is no key; None for Python to find them."""
        if not self.is_whole:
            return None
        keys = np.ascontiguousarray(keys).reshape(-1)
        result = np.empty(keys.size, np.int64)
        done = _functions()["find_keys"](
            address(keys), id(bytes), address(result), keys.size, address(self.places),
            len(self.places) - 1, address(self.keys), address(self.rows),
        )  # fmt: skip
        return result if done == keys.size else None
