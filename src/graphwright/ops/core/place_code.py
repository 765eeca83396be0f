"""What vectors of integers ask for, as machine code: rows combined at places, elements taken from
there, distinct numbers.

NumPy copies the rows of a table, combines them, and puts them back; and it does so only where no
place is named twice. It makes places of 32 bits wider before it takes elements. It sorts to find
distinct numbers. The code goes once through the vector.
"""

from __future__ import annotations

import ctypes
import functools
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.machine.vector_code import EIGHT_PLACES, EightLanes, lanes_before
from graphwright.types.arrays import Array, ArrayDType

#: Elements from which on the code is worth to be made, and how often fewer are worth it.
WORTH_MAKING, PATIENCE = 1 << 14, 8
#: Vectors of more numbers than this have no code: their ranks may not fit the table's entries.
_MOST = 1 << 30

#: LLVM's types by dtypes of rows, and its words by ufuncs: of whole numbers, and of floats.
TYPES = {"float32": "float", "float64": "double", "int32": "i32", "int64": "i64"}
WORDS = {"add": ("add", "fadd"), "subtract": ("sub", "fsub"), "multiply": ("mul", "fmul")}
#: LLVM's types of whole numbers, whose bits alone count.
NUMBERS = {"int32": "i32", "uint32": "i32", "int64": "i64", "uint64": "i64"}
#: The whole numbers of as many bits as floats have.
FLOATS = {"float32": "int32", "float64": "int64"}
_COUNTED = {*NUMBERS, *FLOATS}

#: Each of %count rows is combined into the one of the table in its place: eight elements at once,
#: and what is left one by one.
_ROWS = """
define void @WORD_KIND(ptr %table, ptr %places, ptr %rows, i64 %count, i64 %width) {
entry:
  %even = and i64 %width, -8
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row.end ]
  %place.at = getelementptr i64, ptr %places, i64 %i
  %place = load i64, ptr %place.at
  %to.skip = mul i64 %place, %width
  %to = getelementptr TYPE, ptr %table, i64 %to.skip
  %from.skip = mul i64 %i, %width
  %from = getelementptr TYPE, ptr %rows, i64 %from.skip
  %is.wide = icmp sgt i64 %even, 0
  br i1 %is.wide, label %eight, label %rest
eight:
  %e = phi i64 [ 0, %row ], [ %e.next, %eight ]
  %old.at = getelementptr TYPE, ptr %to, i64 %e
  %added.at = getelementptr TYPE, ptr %from, i64 %e
  %old = load <8 x TYPE>, ptr %old.at, align SIZE
  %added = load <8 x TYPE>, ptr %added.at, align SIZE
  %new = OP <8 x TYPE> %old, %added
  store <8 x TYPE> %new, ptr %old.at, align SIZE
  %e.next = add i64 %e, 8
  %e.more = icmp slt i64 %e.next, %even
  br i1 %e.more, label %eight, label %rest
rest:
  %has.rest = icmp slt i64 %even, %width
  br i1 %has.rest, label %one, label %row.end
one:
  %o = phi i64 [ %even, %rest ], [ %o.next, %one ]
  %last.at = getelementptr TYPE, ptr %to, i64 %o
  %last.added.at = getelementptr TYPE, ptr %from, i64 %o
  %last = load TYPE, ptr %last.at
  %last.added = load TYPE, ptr %last.added.at
  %last.new = OP TYPE %last, %last.added
  store TYPE %last.new, ptr %last.at
  %o.next = add i64 %o, 1
  %o.more = icmp slt i64 %o.next, %width
  br i1 %o.more, label %one, label %row.end
row.end:
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %count
  br i1 %i.more, label %row, label %done
done:
  ret void
}
"""

#: Fills %ranks and %firsts, and returns how many distinct numbers there are. %table has a place for
#: each hash, with 1 + the rank of its number or 0; a number looks at the next place if that of its
#: hash has another one. The factor is 2^64 over the golden ratio, odd: the upper bits of the
#: product are the hash (Knuth, The Art of Computer Programming, volume 3, section 6.4). Equally
#: spaced numbers can have products side by side. So bits of the product are mixed and multiplied
#: once more.
_DISTINCT = """
define i64 @distinct_KEY_RANK(ptr %x, i64 %count, ptr %table, i64 %bits, ptr %ranks, ptr %firsts) {
entry:
  %shift = sub i64 64, %bits
  %size = shl i64 1, %bits
  %mask = sub i64 %size, 1
  br label %number
number:
  %i = phi i64 [ 0, %entry ], [ %i.next, %ranked ]
  %known = phi i64 [ 0, %entry ], [ %known.next, %ranked ]
  %x.at = getelementptr KEY, ptr %x, i64 %i
  %key = load KEY, ptr %x.at
  %wide = WIDENED
  %product = mul i64 %wide, -7046029254386353131
  %upper = lshr i64 %product, 32
  %mixed = xor i64 %product, %upper
  %product.mixed = mul i64 %mixed, -7046029254386353131
  %hash = lshr i64 %product.mixed, %shift
  br label %look
look:
  %place = phi i64 [ %hash, %number ], [ %place.next, %other ]
  %entry.at = getelementptr i32, ptr %table, i64 %place
  %there = load i32, ptr %entry.at
  %is.free = icmp eq i32 %there, 0
  br i1 %is.free, label %new, label %taken
taken:
  %there.wide = zext i32 %there to i64
  %rank.there = sub i64 %there.wide, 1
  %first.at = getelementptr i64, ptr %firsts, i64 %rank.there
  %first = load i64, ptr %first.at
  %first.x.at = getelementptr KEY, ptr %x, i64 %first
  %first.key = load KEY, ptr %first.x.at
  %is.same = icmp eq KEY %first.key, %key
  br i1 %is.same, label %ranked, label %other
other:
  %place.more = add i64 %place, 1
  %place.next = and i64 %place.more, %mask
  br label %look
new:
  %new.at = getelementptr i64, ptr %firsts, i64 %known
  store i64 %i, ptr %new.at
  %known.more = add i64 %known, 1
  %entry.new = trunc i64 %known.more to i32
  store i32 %entry.new, ptr %entry.at
  br label %ranked
ranked:
  %rank = phi i64 [ %rank.there, %taken ], [ %known, %new ]
  %known.next = phi i64 [ %known, %taken ], [ %known.more, %new ]
  %rank.value = RANKED
  %rank.at = getelementptr RANK, ptr %ranks, i64 %i
  store RANK %rank.value, ptr %rank.at
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %count
  br i1 %i.more, label %number, label %done
done:
  ret i64 %known.next
}
"""


def rows_text(word: str, kind: str) -> str:
    """The function that combines rows of a dtype by a ufunc."""
    op = WORDS[word][np.dtype(kind).kind == "f"]
    text = _ROWS.replace("WORD_KIND", f"{word}_{kind}").replace("OP", op)
    return text.replace("TYPE", TYPES[kind]).replace("SIZE", str(np.dtype(kind).itemsize))


def distinct_text(key: str, rank: str) -> str:
    """The function for numbers of one of LLVM's types that writes ranks of another."""
    widened = "zext i32 %key to i64" if key == "i32" else "add i64 %key, 0"
    ranked = "trunc i64 %rank to i32" if rank == "i32" else "add i64 %rank, 0"
    text = _DISTINCT.replace("WIDENED", widened).replace("RANKED", ranked)
    return text.replace("KEY", key).replace("RANK", rank)


def take_text(element: str, index: str) -> str:
    """The function that takes the element at each of %count places, of LLVM's types.

    It says whether all places are below %size.
    """
    elements = EightLanes(element)
    widened = (
        "sext <8 x i32> %narrow to <8 x i64>" if index == "i32" else "freeze <8 x i64> %narrow"
    )
    return f"""
define i1 @take_{element}_{index}(ptr %x, i64 %size, ptr %places, i64 %count, ptr %out) {{
entry:
{EIGHT_PLACES.splat("%size", "%sizes")}
  br label %eight
eight:
  %i = phi i64 [ 0, %entry ], [ %i.next, %take ]
{lanes_before("%count", "%i")}
  %places.at = getelementptr {index}, ptr %places, i64 %i
{EightLanes(index).load("%narrow", "%places.at", "%is.there")}
  %wide = {widened}
  %is.outside = icmp uge <8 x i64> %wide, %sizes
  %outside = bitcast <8 x i1> %is.outside to i8
  %is.refused = icmp ne i8 %outside, 0
  br i1 %is.refused, label %refuse, label %take
take:
  %x.at = getelementptr {element}, ptr %x, <8 x i64> %wide
{elements.gather("%taken", "%x.at", "splat (i1 true)", "poison")}
  %out.at = getelementptr {element}, ptr %out, i64 %i
{elements.store("%taken", "%out.at", "%is.there")}
  %i.next = add i64 %i, 8
  %i.more = icmp slt i64 %i.next, %count
  br i1 %i.more, label %eight, label %done
done:
  ret i1 true
refuse:
  ret i1 false
}}
"""


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by their names."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    combine = ctypes.CFUNCTYPE(None, place, place, place, number, number)
    count = ctypes.CFUNCTYPE(number, place, number, place, number, place, place)
    take = ctypes.CFUNCTYPE(ctypes.c_bool, place, number, place, number, place)
    text = ""
    kinds: dict[str, Any] = {}
    for prefix, write, kind, forms in (
        ("", rows_text, combine, product(WORDS, TYPES)),
        ("distinct_", distinct_text, count, product(("i32", "i64"), repeat=2)),
        ("take_", take_text, take, product(("i32", "i64"), repeat=2)),
    ):
        for first, second in forms:
            text += write(first, second)
            kinds[f"{prefix}{first}_{second}"] = kind
    text += "".join([EightLanes(kind).declarations for kind in ("i32", "i64")])
    return lasting_functions(text, kinds)


PREPARATION = Preparation(functions, is_brief=True, patience=PATIENCE)


def are_combined(ufunc: np.ufunc, table: Array, places: npt.NDArray[np.intp], rows: Array) -> bool:
    """Combines rows into a table to the bits of `ufunc.at`; False for NumPy to do it.

    Args:
        ufunc: How an element of the table is combined with one of a row.
        table: An array of one piece, which is changed.
        places: For each row the index of one of the table's, each of them in range.
        rows: A row for each place, of as many elements as the table's have.
    """
    count = len(places)
    if (
        ufunc.__name__ not in WORDS
        or table.dtype.name not in TYPES
        or rows.dtype != table.dtype
        or not table.flags.c_contiguous
        or not PREPARATION.is_ready_for(rows.size, WORTH_MAKING)
    ):
        return False
    places, rows = np.ascontiguousarray(places), np.ascontiguousarray(rows)
    functions()[f"{ufunc.__name__}_{table.dtype.name}"](
        address(table), address(places), address(rows), count, rows.size // count
    )
    return True


def taken(x: Array, places: Array) -> Array | None:
    """The elements of a vector at places; None for NumPy to do it, also where it must refuse one.

    Args:
        x: Elements of 4 or 8 bytes.
        places: int32 or int64, of any shape.
    """
    element = {4: "i32", 8: "i64"}.get(x.itemsize)
    index = {"int32": "i32", "int64": "i64"}.get(places.dtype.name)
    if (
        element is None
        or index is None
        or x.dtype.hasobject
        or not x.size
        or not places.size
        or not PREPARATION.is_ready_for(places.size, WORTH_MAKING)
    ):
        return None
    x, places = np.ascontiguousarray(x), np.ascontiguousarray(places)
    result = np.empty(places.shape, x.dtype)
    are_inside = functions()[f"take_{element}_{index}"](
        address(x), x.size, address(places), places.size, address(result)
    )
    return result if are_inside else None


def distinct_numbers(x: Array, dtype: ArrayDType) -> tuple[Array, Array] | None:
    """The distinct numbers of a vector, and which of them each one is; None for NumPy to do it.

    Args:
        x: Whole numbers, or floats.
        dtype: int32 or int64, that of the second result.
    """
    if (
        x.dtype.name not in _COUNTED
        or x.size > _MOST
        or not PREPARATION.is_ready_for(x.size, WORTH_MAKING)
    ):
        return None
    keys = x
    if x.dtype.name in FLOATS:
        if np.isnan(x).any():  # none is equal to another
            return None
        keys = (x + x.dtype.type(0)).view(FLOATS[x.dtype.name])  # zeros of both signs are equal
    keys = np.ascontiguousarray(keys)
    bits = x.size.bit_length() + 1  # at most half of the places are taken
    table = np.zeros(1 << bits, np.int32)
    ranks, firsts = np.empty(x.size, dtype), np.empty(x.size, np.int64)
    number, rank = NUMBERS[keys.dtype.name], NUMBERS[ranks.dtype.name]
    function = functions()[f"distinct_{number}_{rank}"]
    count = function(address(keys), x.size, address(table), bits, address(ranks), address(firsts))
    return x.take(firsts[:count]), ranks
