"""Bilinear interpolation as machine code: each result from its four pixels, in one pass.

The operations are those of `resize_kernels.interpolated`, in its order, so every bit is the same.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

if TYPE_CHECKING:
    from graphwright.machine.linking import Library

#: Results from which on the code is worth to be made, and worth its call.
WORTH_MAKING, WORTH_CALLING = 1 << 14, 1 << 10

#: The dtypes of pixels, their types, and what makes a float of one.
_KINDS = {
    "uint8": ("i8", "uitofp PIXELS VALUE to FLOATS"),
    "float32": ("float", "freeze FLOATS VALUE"),
}
#: How many channels are computed at once: a number that divides theirs.
_LANES = (4, 3, 1)

#: Each of %height rows lies between two of the image, and each of %width columns likewise: their
#: places are offsets in elements, and the shares say how near the second ones are.
_TEXT = """
define void @interpolate_KIND_LANES(ptr %image, ptr %result, i64 %height, i64 %width, i64 %channels,
                                    ptr %rows, ptr %row.shares, ptr %columns, ptr %column.shares) {
entry:
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  %row.at = getelementptr [2 x i64], ptr %rows, i64 %y
  %row.second = getelementptr i64, ptr %row.at, i64 1
  %top.skip = load i64, ptr %row.at
  %bottom.skip = load i64, ptr %row.second
  %top = getelementptr TYPE, ptr %image, i64 %top.skip
  %bottom = getelementptr TYPE, ptr %image, i64 %bottom.skip
  %row.share.at = getelementptr float, ptr %row.shares, i64 %y
  %row.share = load float, ptr %row.share.at
  %row.share.one = insertelement FLOATS poison, float %row.share, i64 0
  %down = shufflevector FLOATS %row.share.one, FLOATS poison, <LANES x i32> zeroinitializer
  %line = mul i64 %y, %width
  br label %column
column:
  %x = phi i64 [ 0, %row ], [ %x.next, %column.end ]
  %column.at = getelementptr [2 x i64], ptr %columns, i64 %x
  %column.second = getelementptr i64, ptr %column.at, i64 1
  %left = load i64, ptr %column.at
  %right = load i64, ptr %column.second
  %column.share.at = getelementptr float, ptr %column.shares, i64 %x
  %column.share = load float, ptr %column.share.at
  %column.share.one = insertelement FLOATS poison, float %column.share, i64 0
  %across = shufflevector FLOATS %column.share.one, FLOATS poison, <LANES x i32> zeroinitializer
  %top.left = getelementptr TYPE, ptr %top, i64 %left
  %top.right = getelementptr TYPE, ptr %top, i64 %right
  %bottom.left = getelementptr TYPE, ptr %bottom, i64 %left
  %bottom.right = getelementptr TYPE, ptr %bottom, i64 %right
  %pixel = add i64 %line, %x
  %pixel.skip = mul i64 %pixel, %channels
  %to = getelementptr float, ptr %result, i64 %pixel.skip
  br label %channel
channel:
  %c = phi i64 [ 0, %column ], [ %c.next, %channel ]
LOADS
  %a.way = fsub FLOATS %b, %a
  %a.part = fmul FLOATS %a.way, %across
  %high = fadd FLOATS %a.part, %a
  %d.way = fsub FLOATS %e, %d
  %d.part = fmul FLOATS %d.way, %across
  %low = fadd FLOATS %d.part, %d
  %way = fsub FLOATS %low, %high
  %part = fmul FLOATS %way, %down
  %value = fadd FLOATS %part, %high
  %to.at = getelementptr float, ptr %to, i64 %c
  store FLOATS %value, ptr %to.at, align 4
  %c.next = add i64 %c, LANES
  %c.more = icmp slt i64 %c.next, %channels
  br i1 %c.more, label %channel, label %column.end
column.end:
  %x.next = add i64 %x, 1
  %x.more = icmp slt i64 %x.next, %width
  br i1 %x.more, label %column, label %row.end
row.end:
  %y.next = add i64 %y, 1
  %y.more = icmp slt i64 %y.next, %height
  br i1 %y.more, label %row, label %done
done:
  ret void
}
"""
_CORNERS = {"a": "top.left", "b": "top.right", "d": "bottom.left", "e": "bottom.right"}


def text_of(kind: str, lanes: int) -> str:
    """The function for pixels of a dtype that computes some channels at once."""
    element, conversion = _KINDS[kind]
    loads = []
    for name, corner in _CORNERS.items():
        loads += [
            f"  %{name}.at = getelementptr {element}, ptr %{corner}, i64 %c",
            f"  %{name}.pixels = load PIXELS, ptr %{name}.at, align {np.dtype(kind).itemsize}",
            f"  %{name} = {conversion.replace('VALUE', f'%{name}.pixels')}",
        ]
    text = _TEXT.replace("LOADS", "\n".join(loads))
    text = text.replace("PIXELS", f"<LANES x {element}>").replace("FLOATS", "<LANES x float>")
    return text.replace("KIND", kind).replace("TYPE", element).replace("LANES", str(lanes))


@functools.cache
def functions() -> dict[tuple[str, int], Any]:
    """The functions, by the dtypes of pixels and the channels that they compute at once."""
    forms = list(itertools.product(_KINDS, _LANES))
    place, number = ctypes.c_void_p, ctypes.c_int64
    kind = ctypes.CFUNCTYPE(None, place, place, *[number] * 3, *[place] * 4)
    functions: dict[tuple[str, int], Any] = {}

    def use(library: Library) -> None:
        names = {form: "interpolate_{}_{}".format(*form) for form in forms}
        functions.update({form: kind(library.addresses[name]) for form, name in names.items()})

    lasting("".join(itertools.starmap(text_of, forms)), use)
    return functions


PREPARATION = Preparation(functions, is_brief=True)


def is_ready_for(count: int) -> bool:
    """Whether machine code computes so many results."""
    return count >= WORTH_CALLING and PREPARATION.is_ready_for(count, WORTH_MAKING)


def interpolated(
    images: Array, places: Sequence[Array], shares: Sequence[Array]
) -> npt.NDArray[np.float32]:
    """Images [batch, height, width, channels] at places between their rows and columns.

    Args:
        images: The images, none of whose dimensions is 0.
        places: For the rows and for the columns of the results the two [n, 2] between which each
            lies.
        shares: For the same how near each is to the second, float32.
    """
    if images.dtype != np.uint8:
        images = images.astype(np.float32, copy=False)
    itemsize = images.itemsize
    if images.strides[-1] != itemsize or not images.flags.aligned:
        images = np.ascontiguousarray(images)
    count, channels = images.shape[0], images.shape[3]
    lanes = next(lanes for lanes in _LANES if channels % lanes == 0)
    sizes = [len(share) for share in shares]
    results = np.empty((count, *sizes, channels), np.float32)
    rows, columns = (place * (step // itemsize) for place, step in zip(places, images.strides[1:3]))
    tables = rows, np.ascontiguousarray(shares[0]), columns, np.ascontiguousarray(shares[1])
    function = functions()[images.dtype.name, lanes]
    for image, result in zip(images, results):
        function(address(image), address(result), *sizes, channels, *map(address, tables))
    return results
