"""Binary searches in sorted rows, as machine code.

NumPy searches for one value after the other, and each search waits for memory at each of its
steps, or for a wrong guess at a branch. The code takes the steps of eight searches together.
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
from graphwright.types.arrays import Array

#: Values from which on the code is worth to be made, and how often fewer are worth it.
WORTH_MAKING, PATIENCE = 1 << 13, 8

#: LLVM's types by dtypes.
TYPES = {"float32": "float", "float64": "double", "int32": "i32", "int64": "i64"}
#: The types by what the names of LLVM's functions have for them.
LETTERS = {"f32": "float", "f64": "double", "i32": "i32", "i64": "i64"}
#: Whether a search passes an element: it is less than the value, or it is not greater.
PASSES = {"left": ("icmp slt", "fcmp olt"), "right": ("icmp sle", "fcmp ule")}
_FORMS = [*product(TYPES, PASSES)]

#: Of each of %count rows there are %length elements and %width values. What a value is searched in
#: goes from its %low to its %high; once that is nothing, no step looks at an element.
_TEXT = """
define void @search_KIND_SIDE(ptr %rows, ptr %values, ptr %out, i64 %count, i64 %length,
    i64 %width, i64 %steps) {
entry:
  %length.one = insertelement <8 x i64> poison, i64 %length, i64 0
  %lengths = shufflevector <8 x i64> %length.one, <8 x i64> poison, <8 x i32> zeroinitializer
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]
  %row.skip = mul i64 %r, %length
  %row.at = getelementptr TYPE, ptr %rows, i64 %row.skip
  %first = mul i64 %r, %width
  %behind = add i64 %first, %width
  br label %eight
eight:
  %i = phi i64 [ %first, %row ], [ %i.next, %eight.end ]
  %left = sub i64 %behind, %i
  %left.one = insertelement <8 x i64> poison, i64 %left, i64 0
  %lefts = shufflevector <8 x i64> %left.one, <8 x i64> poison, <8 x i32> zeroinitializer
  %is.there = icmp slt <8 x i64> LANES, %lefts
  %values.at = getelementptr TYPE, ptr %values, i64 %i
  %wanted = call <8 x TYPE> @llvm.masked.load.v8LETTER.p0(ptr %values.at, i32 SIZE,
    <8 x i1> %is.there, <8 x TYPE> zeroinitializer)
  br label %step
step:
  %s = phi i64 [ 0, %eight ], [ %s.next, %step ]
  %low = phi <8 x i64> [ zeroinitializer, %eight ], [ %low.next, %step ]
  %high = phi <8 x i64> [ %lengths, %eight ], [ %high.next, %step ]
  %sum = add <8 x i64> %low, %high
  %middle = lshr <8 x i64> %sum, ONES
  %is.more = icmp slt <8 x i64> %low, %high
  %probes.at = getelementptr TYPE, ptr %row.at, <8 x i64> %middle
  %probes = call <8 x TYPE> @llvm.masked.gather.v8LETTER.v8p0(<8 x ptr> %probes.at, i32 SIZE,
    <8 x i1> %is.more, <8 x TYPE> zeroinitializer)
  %is.passed = PASSES <8 x TYPE> %probes, %wanted
  %goes.on = and <8 x i1> %is.passed, %is.more
  %middle.next = add <8 x i64> %middle, ONES
  %low.next = select <8 x i1> %goes.on, <8 x i64> %middle.next, <8 x i64> %low
  %high.next = select <8 x i1> %goes.on, <8 x i64> %high, <8 x i64> %middle
  %s.next = add i64 %s, 1
  %s.more = icmp slt i64 %s.next, %steps
  br i1 %s.more, label %step, label %eight.end
eight.end:
  %out.at = getelementptr i64, ptr %out, i64 %i
  call void @llvm.masked.store.v8i64.p0(<8 x i64> %low.next, ptr %out.at, i32 8,
    <8 x i1> %is.there)
  %i.next = add i64 %i, 8
  %i.more = icmp slt i64 %i.next, %behind
  br i1 %i.more, label %eight, label %row.end
row.end:
  %r.next = add i64 %r, 1
  %r.more = icmp slt i64 %r.next, %count
  br i1 %r.more, label %row, label %done
done:
  ret void
}
""".replace("ONES", f"<{', '.join(['i64 1'] * 8)}>").replace(
    "LANES", f"<{', '.join([f'i64 {i}' for i in range(8)])}>"
)
_DECLARED = "declare void @llvm.masked.store.v8i64.p0(<8 x i64>, ptr, i32, <8 x i1>)\n" + "".join(
    [
        f"declare <8 x {type_}> @llvm.masked.{word}.v8{letter}.{pointer}({arguments}, i32, "
        f"<8 x i1>, <8 x {type_}>)\n"
        for letter, type_ in LETTERS.items()
        for word, pointer, arguments in (("load", "p0", "ptr"), ("gather", "v8p0", "<8 x ptr>"))
    ]
)


def search_text(kind: str, side: str) -> str:
    """The function that searches in rows of a dtype."""
    passes = PASSES[side][np.dtype(kind).kind == "f"]
    words = {
        "KIND": kind,
        "SIDE": side,
        "PASSES": passes,
        "TYPE": TYPES[kind],
        "LETTER": {type_: letter for letter, type_ in LETTERS.items()}[TYPES[kind]],
        "SIZE": str(np.dtype(kind).itemsize),
    }
    text = _TEXT
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by their names."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 4)
    texts = {f"search_{dtype}_{side}": search_text(dtype, side) for dtype, side in _FORMS}
    return lasting_functions("".join(texts.values()) + _DECLARED, dict.fromkeys(texts, kind))


PREPARATION = Preparation(functions, is_brief=True, patience=PATIENCE)


def places(rows: Array, values: Array, side: str) -> npt.NDArray[np.int64] | None:
    """Where values would be inserted into their rows; None for NumPy to do it.

    Args:
        rows: [count, length].
        values: [count, width], of the same dtype.
        side: "left" for a place before the elements that are equal, "right" for one behind them.
    """
    (count, length), width = rows.shape, values.shape[1]
    if (
        rows.dtype.name not in TYPES
        or not length
        or not values.size
        or not PREPARATION.is_ready_for(values.size, WORTH_MAKING)
    ):
        return None
    rows, values = np.ascontiguousarray(rows), np.ascontiguousarray(values)
    result = np.empty(values.shape, np.int64)
    functions()[f"search_{rows.dtype.name}_{side}"](
        address(rows), address(values), address(result), count, length, width, length.bit_length()
    )
    return result
