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
from graphwright.machine.vector_code import EIGHT_PLACES, EightLanes, lanes_before
from graphwright.types.arrays import Array

#: Values from which on the code is worth to be made, and how often fewer are worth it.
WORTH_MAKING, PATIENCE = 1 << 13, 8

#: LLVM's types by dtypes.
TYPES = {"float32": "float", "float64": "double", "int32": "i32", "int64": "i64"}
#: Whether a search passes an element: it is less than the value, or it is not greater.
PASSES = {"left": ("icmp slt", "fcmp olt"), "right": ("icmp sle", "fcmp ule")}
_FORMS = [*product(TYPES, PASSES)]


def search_text(dtype: str, side: str) -> str:
    """The function that searches in rows of a dtype.

    Of each of %count rows there are %length elements and %width values. What a value is searched in
    goes from its %low to its %high; once that is nothing, no step looks at an element.
    """
    type_ = TYPES[dtype]
    lanes = EightLanes(type_)
    passes = PASSES[side][np.dtype(dtype).kind == "f"]
    ones = "splat (i64 1)"
    return f"""
define void @search_{dtype}_{side}(ptr %rows, ptr %values, ptr %out, i64 %count, i64 %length,
    i64 %width, i64 %steps) {{
entry:
{EIGHT_PLACES.splat("%length", "%lengths")}
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]
  %row.skip = mul i64 %r, %length
  %row.at = getelementptr {type_}, ptr %rows, i64 %row.skip
  %first = mul i64 %r, %width
  %behind = add i64 %first, %width
  br label %eight
eight:
  %i = phi i64 [ %first, %row ], [ %i.next, %eight.end ]
{lanes_before("%behind", "%i")}
  %values.at = getelementptr {type_}, ptr %values, i64 %i
{lanes.load("%wanted", "%values.at", "%is.there")}
  br label %step
step:
  %s = phi i64 [ 0, %eight ], [ %s.next, %step ]
  %low = phi <8 x i64> [ zeroinitializer, %eight ], [ %low.next, %step ]
  %high = phi <8 x i64> [ %lengths, %eight ], [ %high.next, %step ]
  %sum = add <8 x i64> %low, %high
  %middle = lshr <8 x i64> %sum, {ones}
  %is.more = icmp slt <8 x i64> %low, %high
  %probes.at = getelementptr {type_}, ptr %row.at, <8 x i64> %middle
{lanes.gather("%probes", "%probes.at", "%is.more")}
  %is.passed = {passes} <8 x {type_}> %probes, %wanted
  %goes.on = and <8 x i1> %is.passed, %is.more
  %middle.next = add <8 x i64> %middle, {ones}
  %low.next = select <8 x i1> %goes.on, <8 x i64> %middle.next, <8 x i64> %low
  %high.next = select <8 x i1> %goes.on, <8 x i64> %high, <8 x i64> %middle
  %s.next = add i64 %s, 1
  %s.more = icmp slt i64 %s.next, %steps
  br i1 %s.more, label %step, label %eight.end
eight.end:
  %out.at = getelementptr i64, ptr %out, i64 %i
{EIGHT_PLACES.store("%low.next", "%out.at", "%is.there")}
  %i.next = add i64 %i, 8
  %i.more = icmp slt i64 %i.next, %behind
  br i1 %i.more, label %eight, label %row.end
row.end:
  %r.next = add i64 %r, 1
  %r.more = icmp slt i64 %r.next, %count
  br i1 %r.more, label %row, label %done
done:
  ret void
}}
"""


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by their names."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 4)
    texts = {f"search_{dtype}_{side}": search_text(dtype, side) for dtype, side in _FORMS}
    declared = "".join([EightLanes(type_).declarations for type_ in TYPES.values()])
    return lasting_functions("".join(texts.values()) + declared, dict.fromkeys(texts, kind))


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
