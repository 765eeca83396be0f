"""Bilinear interpolation as machine code: each result from its four pixels, in one pass.

The operations are those of `resize_kernels.interpolated`, in its order, so every bit is the same.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

#: Results from which on the code is worth to be made, and worth its call.
WORTH_MAKING, WORTH_CALLING = 1 << 14, 1 << 10

#: The dtypes of pixels, their types, and what makes a float of one.
KINDS = {
    "uint8": ("i8", "uitofp PIXELS VALUE to FLOATS"),
    "float32": ("float", "freeze FLOATS VALUE"),
}
#: How many channels are computed at once: a number that divides theirs.
LANES = (4, 3, 1)

#: Each of %height rows lies between two of the image, and each of %width columns likewise: their
#: places are offsets in elements, and the shares say how near the second ones are. The first
#: %early columns of three channels are computed as if there were four: what follows a pixel is
#: read with it, and the next pixel takes the place of what is written behind it.
_TEXT = """
define void @interpolate_KIND_LANES(ptr %image, ptr %result, i64 %height, i64 %width, i64 %channels,
                                    ptr %rows, ptr %row.shares, ptr %columns, ptr %column.shares,
                                    i64 %early) {
entry:
  %has.early = icmp sgt i64 %early, 0
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
  %line = mul i64 %y, %width
EARLY
column:
  %x = phi i64 [ START ], [ %x.next, %column.end ]
PLACES
  br label %channel
channel:
  %c = phi i64 [ 0, %column ], [ %c.next, %channel ]
VALUES
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
#: The columns that are computed first, in a loop of their own.
_EARLY = """
  br i1 %has.early, label %early.column, label %column.start
early.column:
  %e.x = phi i64 [ 0, %row ], [ %e.x.next, %early.column ]
PLACES
VALUES
  %e.x.next = add i64 %e.x, 1
  %e.x.more = icmp slt i64 %e.x.next, %early
  br i1 %e.x.more, label %early.column, label %column.start
column.start:
  %x.first = phi i64 [ 0, %row ], [ %early, %early.column ]
  br label %column
"""
#: Where the pixels of column P.x are, and the result.
_PLACES = """
  %P.column.at = getelementptr [2 x i64], ptr %columns, i64 %P.x
  %P.column.second = getelementptr i64, ptr %P.column.at, i64 1
  %P.left = load i64, ptr %P.column.at
  %P.right = load i64, ptr %P.column.second
  %P.column.share.at = getelementptr float, ptr %column.shares, i64 %P.x
  %P.column.share = load float, ptr %P.column.share.at
  %P.top.left = getelementptr TYPE, ptr %top, i64 %P.left
  %P.top.right = getelementptr TYPE, ptr %top, i64 %P.right
  %P.bottom.left = getelementptr TYPE, ptr %bottom, i64 %P.left
  %P.bottom.right = getelementptr TYPE, ptr %bottom, i64 %P.right
  %P.pixel = add i64 %line, %P.x
  %P.pixel.skip = mul i64 %P.pixel, %channels
  %P.to = getelementptr float, ptr %result, i64 %P.pixel.skip
"""
#: The channels of a column from CHANNEL on.
_VALUES = """
  %P.row.share.one = insertelement FLOATS poison, float %row.share, i64 0
  %P.down = shufflevector FLOATS %P.row.share.one, FLOATS poison, <LANES x i32> zeroinitializer
  %P.share.one = insertelement FLOATS poison, float %P.column.share, i64 0
  %P.across = shufflevector FLOATS %P.share.one, FLOATS poison, <LANES x i32> zeroinitializer
LOADS
  %P.a.way = fsub FLOATS %P.b, %P.a
  %P.a.part = fmul FLOATS %P.a.way, %P.across
  %P.high = fadd FLOATS %P.a.part, %P.a
  %P.d.way = fsub FLOATS %P.e, %P.d
  %P.d.part = fmul FLOATS %P.d.way, %P.across
  %P.low = fadd FLOATS %P.d.part, %P.d
  %P.way = fsub FLOATS %P.low, %P.high
  %P.part = fmul FLOATS %P.way, %P.down
  %P.value = fadd FLOATS %P.part, %P.high
  %P.to.at = getelementptr float, ptr %P.to, i64 CHANNEL
  store FLOATS %P.value, ptr %P.to.at, align 4
"""
_CORNERS = {"a": "top.left", "b": "top.right", "d": "bottom.left", "e": "bottom.right"}
#: So many channels are computed as if there were one more.
_PADDED = 3


def text_of(kind: str, lanes: int) -> str:
    """The function for pixels of a dtype that computes some channels at once."""
    is_padded = lanes == _PADDED
    early = column_text(_EARLY, kind, lanes + 1, "0", "e.") if is_padded else "  br label %column"
    text = column_text(_TEXT, kind, lanes, "%c", "").replace("EARLY", early)
    text = text.replace("START", "%x.first, %column.start" if is_padded else "0, %row")
    return text.replace("KIND", kind).replace("TYPE", KINDS[kind][0]).replace("LANES", str(lanes))


def column_text(text: str, kind: str, lanes: int, channel: str, prefix: str) -> str:
    """A loop over columns; `prefix` begins the names of its values."""
    element, conversion = KINDS[kind]
    loads = []
    for name, corner in _CORNERS.items():
        pixels = conversion.replace("VALUE", f"%P.{name}.pixels")
        loads += [
            f"  %P.{name}.at = getelementptr {element}, ptr %P.{corner}, i64 {channel}",
            f"  %P.{name}.pixels = load PIXELS, ptr %P.{name}.at, align {np.dtype(kind).itemsize}",
            f"  %P.{name} = {pixels}",
        ]
    values = _VALUES.replace("LOADS", "\n".join(loads)).replace("CHANNEL", channel)
    values = values.replace("PIXELS", f"<LANES x {element}>").replace("FLOATS", "<LANES x float>")
    text = text.replace("PLACES", _PLACES).replace("VALUES", values.replace("LANES", str(lanes)))
    return text.replace("%P.", f"%{prefix}").replace("TYPE", element)


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by their names."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    kind = ctypes.CFUNCTYPE(None, place, place, *[number] * 3, *[place] * 4, number)
    forms = itertools.product(KINDS, LANES)
    texts = {f"interpolate_{dtype}_{lanes}": text_of(dtype, lanes) for dtype, lanes in forms}
    return lasting_functions("".join(texts.values()), dict.fromkeys(texts, kind))


PREPARATION = Preparation(functions, is_brief=True)


def is_ready_for(count: int) -> bool:
    """Whether machine code computes so many results."""
    return count >= WORTH_CALLING and PREPARATION.is_ready_for(count, WORTH_MAKING)


class PixelGrid(NamedTuple):
    """Where the results of images of one layout lie between the pixels, for machine code."""

    #: The places of rows, their shares, and the same of columns.
    tables: tuple[Array, ...]
    addresses: tuple[int, ...]
    #: The height and width of results.
    sizes: tuple[int, int]
    #: How many columns are computed first.
    early: int

    @classmethod
    def of(
        cls,
        places: Sequence[Array],
        shares: Sequence[Array],
        steps: Sequence[int],
        dims: Sequence[int],
    ) -> PixelGrid:
        """The grid of images of `dims`, height, width and channels.

        Args:
            places: For the rows and for the columns of the results the two [n, 2] between which
                each lies.
            shares: For the same how near each is to the second, float32.
            steps: How many elements are from one row and one column to the next.
        """
        rows, columns = (place * step for place, step in zip(places, steps))
        tables = rows, np.ascontiguousarray(shares[0]), columns, np.ascontiguousarray(shares[1])
        sizes = len(shares[0]), len(shares[1])
        early = 0
        if steps[1] == dims[2] == _PADDED:
            early = min(columns_before(places[1][:, 1], dims[1] - 1), sizes[1] - 1)
        return cls(tables, tuple(map(address, tables)), sizes, early)


def columns_before(places: Array, last: int) -> int:
    """How many columns come before the first whose place is the last one of the image."""
    are_last = places >= last
    return int(are_last.argmax()) if are_last.any() else len(places)


def lanes_of(channels: int) -> int:
    """How many channels are computed at once."""
    return next(lanes for lanes in LANES if channels % lanes == 0)


def readable(images: Array) -> Array:
    """Images as machine code reads them: uint8 or float32, the channels of a pixel side by side."""
    if images.dtype != np.uint8:
        images = images.astype(np.float32, copy=False)
    if images.strides[-1] != images.itemsize or not images.flags.aligned:
        images = np.ascontiguousarray(images)
    return images


def interpolated(images: Array, grid: PixelGrid) -> npt.NDArray[np.float32]:
    """Readable images [batch, height, width, channels] on a grid; no dimension is 0."""
    count, channels = images.shape[0], images.shape[3]
    lanes = lanes_of(channels)
    results = np.empty((count, *grid.sizes, channels), np.float32)
    function = functions()[f"interpolate_{images.dtype.name}_{lanes}"]
    for image, result in zip(images, results):
        places = address(image), address(result)
        function(*places, *grid.sizes, channels, *grid.addresses, grid.early)
    return results


def interpolated_parts(
    images: Array, numbers: Array, places: Sequence[Array], shares: Sequence[Array]
) -> npt.NDArray[np.float32]:
    """Parts of readable images [batch, height, width, channels], each on its own grid.

    Args:
        images: The images, of which no dimension is 0.
        numbers: The image of each part.
        places: For the rows and the columns of parts the two [parts, n, 2] between which each lies.
        shares: For the same how near each is to the second, float32 [parts, n].
    """
    steps = [step // images.itemsize for step in images.strides[1:3]]
    rows, columns = [np.ascontiguousarray(place * step) for place, step in zip(places, steps)]
    down, across = [np.ascontiguousarray(share) for share in shares]
    channels = images.shape[3]
    sizes = rows.shape[1], columns.shape[1]
    results = np.empty((len(numbers), *sizes, channels), np.float32)
    function = functions()[f"interpolate_{images.dtype.name}_{lanes_of(channels)}"]
    tables = rows, down, columns, across
    grids, steps = [*map(address, tables)], [table.strides[0] for table in tables]
    source, target = address(images), address(results)
    for number in numbers.tolist():
        function(source + number * images.strides[0], target, *sizes, channels, *grids, 0)
        grids = [grid + step for grid, step in zip(grids, steps)]
        target += results.strides[0]
    return results
