"""Resampling along axes as machine code: each result from its weighted taps, in one pass.

The operations are those of `Resampling.apply`, in its order, so every bit is the same.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]

#: Multiplications, or pixels that are copied, from which on the code is worth to be made, how often
#: fewer are worth it, and from which on it is worth its call.
WORTH_MAKING, PATIENCE, WORTH_CALLING = 1 << 16, 4, 1 << 9

#: How many numbers are computed at once: the first that there are. The last ones of a row are
#: computed together with some before them.
LANES = (32, 8, 4, 2, 1)
#: So many numbers stand together in RGB images. They are computed as if there were one more: what
#: follows is read with them, and the next result takes the place of what is written behind them.
_PADDED = 3
#: So many bytes of results between the passes stay in the cache.
_CHUNK = 1 << 18
#: Sizes of pixels in bytes that have code of their own, and 0 for any other.
PIXELS = (1, 2, 3, 4, 6, 8, 12, 16, 0)

#: Each of %outer arrays has rows of %inner numbers. Each of %count rows of a result is a weighted
#: sum of %taps rows, whose numbers are in %places.
_TEXT = """
define void @resample_LANES(ptr %from, ptr %to, i64 %outer, i64 %size, i64 %count, i64 %inner,
                            i64 %taps, ptr %places, ptr %weights) {
entry:
  %from.step = mul i64 %size, %inner
  %last = sub i64 %inner, WIDTH
  br label %array
array:
  %o = phi i64 [ 0, %entry ], [ %o.next, %array.end ]
  %to.array = phi ptr [ %to, %entry ], [ %to.next, %array.end ]
  %from.skip = mul i64 %o, %from.step
  %from.array = getelementptr float, ptr %from, i64 %from.skip
  br label %row
row:
  %i = phi i64 [ 0, %array ], [ %i.next, %row.end ]
  %to.row = phi ptr [ %to.array, %array ], [ %to.next, %row.end ]
  %table.skip = mul i64 %i, %taps
  %places.row = getelementptr i64, ptr %places, i64 %table.skip
  %weights.row = getelementptr float, ptr %weights, i64 %table.skip
  br label %block
block:
  %j = phi i64 [ 0, %row ], [ %j.next, %block.end ]
  %is.over = icmp sgt i64 %j, %last
  %start = select i1 %is.over, i64 %last, i64 %j
  %from.block = getelementptr float, ptr %from.array, i64 %start
  br label %tap
tap:
  %t = phi i64 [ 0, %block ], [ %t.next, %tap ]
  %sum = phi FLOATS [ splat (float -0.0), %block ], [ %sum.next, %tap ]
  %place.at = getelementptr i64, ptr %places.row, i64 %t
  %place = load i64, ptr %place.at
  %skip = mul i64 %place, %inner
  %at = getelementptr float, ptr %from.block, i64 %skip
  %values = load FLOATS, ptr %at, align 4
  %weight.at = getelementptr float, ptr %weights.row, i64 %t
  %weight = load float, ptr %weight.at
  %weight.one = insertelement FLOATS poison, float %weight, i64 0
  %weight.all = shufflevector FLOATS %weight.one, FLOATS poison, <LANES x i32> zeroinitializer
  %part = fmul FLOATS %values, %weight.all
  %sum.next = fadd FLOATS %sum, %part
  %t.next = add i64 %t, 1
  %t.more = icmp slt i64 %t.next, %taps
  br i1 %t.more, label %tap, label %block.end
block.end:
  %to.at = getelementptr float, ptr %to.row, i64 %start
  store FLOATS %sum.next, ptr %to.at, align 4
  %j.next = add i64 %j, LANES
  %j.more = icmp slt i64 %j.next, %inner
  br i1 %j.more, label %block, label %row.end
row.end:
  %to.next = getelementptr float, ptr %to.row, i64 %inner
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %count
  br i1 %i.more, label %row, label %array.end
array.end:
  %o.next = add i64 %o, 1
  %o.more = icmp slt i64 %o.next, %outer
  br i1 %o.more, label %array, label %done
done:
  ret void
}
"""

#: Pixels of SIZE bytes, each the one at a row and a column of an image. A row that is like the one
#: before is copied.
_COPY = """
define void @pixels_SIZE(ptr %from, ptr %to, i64 %width, i64 %height.out, i64 %width.out,
                         i64 %any, ptr %rows, ptr %columns) {
entry:
  %line = mul i64 %width, BYTES
  %line.out = mul i64 %width.out, BYTES
  br label %row
row:
  %y = phi i64 [ 0, %entry ], [ %y.next, %row.end ]
  %before = phi i64 [ -1, %entry ], [ %place, %row.end ]
  %place.at = getelementptr i64, ptr %rows, i64 %y
  %place = load i64, ptr %place.at
  %to.skip = mul i64 %y, %line.out
  %to.row = getelementptr i8, ptr %to, i64 %to.skip
  %is.same = icmp eq i64 %place, %before
  br i1 %is.same, label %same, label %other
same:
  %back = sub i64 0, %line.out
  %to.before = getelementptr i8, ptr %to.row, i64 %back
  call void @llvm.memcpy.p0.p0.i64(ptr %to.row, ptr %to.before, i64 %line.out, i1 false)
  br label %row.end
other:
  %from.skip = mul i64 %place, %line
  %from.row = getelementptr i8, ptr %from, i64 %from.skip
  br label %column
column:
  %x = phi i64 [ 0, %other ], [ %x.next, %column ]
  %column.at = getelementptr i64, ptr %columns, i64 %x
  %column.place = load i64, ptr %column.at
  %skip = mul i64 %column.place, BYTES
  %at = getelementptr i8, ptr %from.row, i64 %skip
  %to.places = mul i64 %x, BYTES
  %to.at = getelementptr i8, ptr %to.row, i64 %to.places
  call void @llvm.memcpy.p0.p0.i64(ptr %to.at, ptr %at, i64 BYTES, i1 false)
  %x.next = add i64 %x, 1
  %x.more = icmp slt i64 %x.next, %width.out
  br i1 %x.more, label %column, label %row.end
row.end:
  %y.next = add i64 %y, 1
  %y.more = icmp slt i64 %y.next, %height.out
  br i1 %y.more, label %row, label %done
done:
  ret void
}
"""
_DECLARED = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"


def text_of(lanes: int, is_padded: bool = False) -> str:
    """The function that computes some numbers at once."""
    text = _TEXT.replace("resample_LANES", "resample_padded" if is_padded else "resample_LANES")
    text = text.replace("WIDTH", str(_PADDED if is_padded else lanes))
    return text.replace("FLOATS", f"<{lanes} x float>").replace("LANES", str(lanes))


def copy_text(size: int) -> str:
    """The function that copies pixels of some bytes."""
    return _COPY.replace("pixels_SIZE", f"pixels_{size}").replace("BYTES", str(size or "%any"))


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by their names."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    resample = ctypes.CFUNCTYPE(None, place, place, *[number] * 5, place, place)
    copy = ctypes.CFUNCTYPE(None, place, place, *[number] * 4, place, place)
    kinds: dict[str, Any] = {f"resample_{lanes}": resample for lanes in LANES}
    kinds |= {"resample_padded": resample} | {f"pixels_{size}": copy for size in PIXELS}
    text = "".join([*map(text_of, LANES), text_of(_PADDED + 1, True), *map(copy_text, PIXELS)])
    return lasting_functions(text + _DECLARED, kinds)


PREPARATION = Preparation(functions, is_brief=True, patience=PATIENCE)


def is_ready_for(work: int) -> bool:
    """Whether machine code does so many multiplications, or copies so many pixels."""
    return work >= WORTH_CALLING and PREPARATION.is_ready_for(work, WORTH_MAKING)


class ResamplingPass(NamedTuple):
    """An axis of arrays of three dimensions, images, rows and columns; and how its results come
    from the numbers along it."""

    axis: int
    places: Places  # [results, taps]
    weights: Floats  # [results, taps]


def resampled(images: Floats, passes: Sequence[ResamplingPass]) -> Floats:
    """Images [batch, height, width, channels] resampled along axes, one after the other."""
    images = np.ascontiguousarray(images)
    shapes = [[*images.shape]]
    for step in passes:
        shapes.append([*shapes[-1]])
        shapes[-1][step.axis] = len(step.places)
    result = np.empty(shapes[-1], np.float32)
    between = max(math.prod(shape[1:]) for shape in shapes[1:]) * result.itemsize
    chunk = max(_CHUNK // between, 1)
    for first in range(0, len(images), chunk):
        part = images[first : first + chunk]
        for step in passes[:-1]:
            part = run(part, step, None)
        run(part, passes[-1], result[first : first + chunk])
    return result


def run(images: Floats, step: ResamplingPass, result: Floats | None) -> Floats:
    """Contiguous images resampled along one axis; no dimension is 0."""
    axis, places, weights = step
    shape = images.shape
    (count, taps), size = places.shape, shape[axis]
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    if result is None:
        result = np.empty((*shape[:axis], count, *shape[axis + 1 :]), np.float32)
    table = address(places), address(weights)
    source, target = address(images), address(result)
    if inner == _PADDED:  # no array is behind the last one
        rest = outer - 1
        if rest:
            call = functions()["resample_padded"]
            call(source, target, rest, size, count, inner, taps, *table)
        source += rest * size * inner * images.itemsize
        target += rest * count * inner * images.itemsize
        outer, lanes = 1, 1
    else:
        lanes = next(lanes for lanes in LANES if lanes <= inner)
    call = functions()[f"resample_{lanes}"]
    call(source, target, outer, size, count, inner, taps, *table)
    return result


def pixels(images: Array, rows: Places, columns: Places) -> Array:
    """The pixels at rows and columns of images [batch, height, width, channels], all not empty."""
    images = np.ascontiguousarray(images)
    batch, _, width, channels = images.shape
    size = channels * images.itemsize
    result = np.empty((batch, len(rows), len(columns), channels), images.dtype)
    function = functions()[f"pixels_{size if size in PIXELS else 0}"]
    table = address(rows), address(columns)
    for image, target in zip(images, result):
        function(address(image), address(target), width, len(rows), len(columns), size, *table)
    return result
