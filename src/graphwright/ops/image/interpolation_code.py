"""Bilinear interpolation as machine code: each result from its four pixels, in one pass.

The operations are those of `resize_kernels.interpolated`, in its order, so every bit is the same.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine import compiler
from graphwright.machine.array_layout import address
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

#: Results from which on the code is worth to be made, and worth its call.
WORTH_MAKING, WORTH_CALLING = 1 << 14, 1 << 10

#: The dtypes of pixels, their types, and what makes a float of one.
_KINDS = {
    "uint8": ("i8", "uitofp i8 VALUE to float"),
    "float32": ("float", "fadd float VALUE, -0.0"),
}

#: Each of %height rows lies between two of the image, and each of %width columns likewise: their
#: places are offsets in elements, and the shares say how near the second ones are.
_TEXT = """
define void @interpolate_KIND(ptr %image, ptr %result, i64 %height, i64 %width, i64 %channels,
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
  %down = load float, ptr %row.share.at
  %line = mul i64 %y, %width
  br label %column
column:
  %x = phi i64 [ 0, %row ], [ %x.next, %column.end ]
  %column.at = getelementptr [2 x i64], ptr %columns, i64 %x
  %column.second = getelementptr i64, ptr %column.at, i64 1
  %left = load i64, ptr %column.at
  %right = load i64, ptr %column.second
  %column.share.at = getelementptr float, ptr %column.shares, i64 %x
  %across = load float, ptr %column.share.at
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
  %a.way = fsub float %b, %a
  %a.part = fmul float %a.way, %across
  %high = fadd float %a.part, %a
  %d.way = fsub float %e, %d
  %d.part = fmul float %d.way, %across
  %low = fadd float %d.part, %d
  %way = fsub float %low, %high
  %part = fmul float %way, %down
  %value = fadd float %part, %high
  %to.at = getelementptr float, ptr %to, i64 %c
  store float %value, ptr %to.at
  %c.next = add i64 %c, 1
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


def text_of(kind: str) -> str:
    """The function for pixels of a dtype."""
    element, conversion = _KINDS[kind]
    loads = []
    for name, corner in _CORNERS.items():
        loads += [
            f"  %{name}.at = getelementptr {element}, ptr %{corner}, i64 %c",
            f"  %{name}.pixel = load {element}, ptr %{name}.at",
            f"  %{name} = {conversion.replace('VALUE', f'%{name}.pixel')}",
        ]
    text = _TEXT.replace("LOADS", "\n".join(loads))
    return text.replace("KIND", kind).replace("TYPE", element)


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by the dtypes of pixels."""
    addresses = compiler.compiled("".join(map(text_of, _KINDS))).addresses
    place, number = ctypes.c_void_p, ctypes.c_int64
    function = ctypes.CFUNCTYPE(None, place, place, *[number] * 3, *[place] * 4)
    return {kind: function(addresses[f"interpolate_{kind}"]) for kind in _KINDS}


PREPARATION = Preparation(functions)


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
    images = np.ascontiguousarray(images)
    count, _, width, channels = images.shape
    sizes = [len(share) for share in shares]
    results = np.empty((count, *sizes, channels), np.float32)
    rows, columns = places[0] * (width * channels), places[1] * channels
    tables = rows, np.ascontiguousarray(shares[0]), columns, np.ascontiguousarray(shares[1])
    for image, result in zip(images, results):
        functions()[images.dtype.name](
            address(image), address(result), *sizes, channels, *map(address, tables)
        )
    return results
