"""Images at places of their own for each pixel, as machine code: in one pass over the results.

The operations are those of `projection.bilinear` and `projection.nearest`, in their order, so every
bit is the same.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.image.interpolation_code import KINDS, LANES, lanes_of
from graphwright.types.arrays import Array

#: Results from which on the code is worth to be made, how often fewer are worth it, and results
#: from which on it is worth its call.
WORTH_MAKING, PATIENCE, WORTH_CALLING = 1 << 14, 8, 1 << 8

#: Each of %count results is at (x, y) of the image, unless it is not known. Then it is %fill. So
#: is each pixel that lies outside.
_HEAD = """
define void @FORM_KIND_LANES(ptr %image, ptr %result, i64 %count, i64 %height, i64 %width,
                             i64 %channels, ptr %xs, ptr %ys, ptr %known, float %fill) {
entry:
  %rows = sitofp i64 %height to float
  %columns = sitofp i64 %width to float
  %line = mul i64 %width, %channels
  %fill.one = insertelement FLOATS poison, float %fill, i64 0
  %blank = shufflevector FLOATS %fill.one, FLOATS poison, <LANES x i32> zeroinitializer
  br label %pixel
pixel:
  %i = phi i64 [ 0, %entry ], [ %i.next, %pixel.end ]
  %x.at = getelementptr float, ptr %xs, i64 %i
  %x = load float, ptr %x.at
  %y.at = getelementptr float, ptr %ys, i64 %i
  %y = load float, ptr %y.at
  %known.at = getelementptr i8, ptr %known, i64 %i
  %known.octet = load i8, ptr %known.at
  %is.known = icmp ne i8 %known.octet, 0
"""
_TAIL = """
  br label %channel
channel:
  %c = phi i64 [ 0, %pixel ], [ %c.next, %channel ]
SAMPLE
  %chosen = select i1 %is.known, FLOATS %value, FLOATS %blank
  %skip = mul i64 %i, %channels
  %place = add i64 %skip, %c
  %to = getelementptr float, ptr %result, i64 %place
  store FLOATS %chosen, ptr %to, align 4
  %c.next = add i64 %c, LANES
  %c.more = icmp slt i64 %c.next, %channels
  br i1 %c.more, label %channel, label %pixel.end
pixel.end:
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %count
  br i1 %i.more, label %pixel, label %done
done:
  ret void
}
"""
#: Whether a whole place lies on an axis, and how far it is from the start; 0 for one outside.
_PLACE = """
  %NAME.above = fcmp oge float %NAME, 0.0
  %NAME.below = fcmp olt float %NAME, %EXTENT
  %NAME.in = and i1 %NAME.above, %NAME.below
  %NAME.safe = select i1 %NAME.in, float %NAME, float 0.0
  %NAME.number = fptosi float %NAME.safe to i64
  %NAME.skip = mul i64 %NAME.number, %STEP
"""
_PIXEL = """
  %NAME.in = and i1 %ROW.in, %COLUMN.in
  %NAME.start = add i64 %ROW.skip, %COLUMN.skip
  %NAME.place = add i64 %NAME.start, %c
  %NAME.at = getelementptr TYPE, ptr %image, i64 %NAME.place
  %NAME.pixels = load PIXELS, ptr %NAME.at, align SIZE
  %NAME.floats = CONVERSION
  %NAME = select i1 %NAME.in, FLOATS %NAME.floats, FLOATS %blank
"""
_EDGES = """
  %left = call float @llvm.floor.f32(float %x)
  %top = call float @llvm.floor.f32(float %y)
  %right = fadd float %left, 1.0
  %bottom = fadd float %top, 1.0
"""
_SHARE = """
  %NAME.one = insertelement FLOATS poison, float %NAME.share, i64 0
  %NAME.part = shufflevector FLOATS %NAME.one, FLOATS poison, <LANES x i32> zeroinitializer
"""
_SHARES = """
  %left.share = fsub float %right, %x
  %right.share = fsub float %x, %left
  %top.share = fsub float %bottom, %y
  %bottom.share = fsub float %y, %top
"""
_MEANS = """
  %a.mean = fmul FLOATS %left.part, %a
  %b.mean = fmul FLOATS %right.part, %b
  %high = fadd FLOATS %a.mean, %b.mean
  %d.mean = fmul FLOATS %left.part, %d
  %e.mean = fmul FLOATS %right.part, %e
  %low = fadd FLOATS %d.mean, %e.mean
  %high.mean = fmul FLOATS %top.part, %high
  %low.mean = fmul FLOATS %bottom.part, %low
  %value = fadd FLOATS %high.mean, %low.mean
"""
_CORNERS = {"a": "top left", "b": "top right", "d": "bottom left", "e": "bottom right"}
_DECLARED = "declare float @llvm.floor.f32(float)\n"


def _place(name: str, is_row: bool) -> str:
    """The text of a place on an axis."""
    text = _PLACE.replace("NAME", name).replace("EXTENT", "rows" if is_row else "columns")
    return text.replace("STEP", "line" if is_row else "channels")


def _pixel(name: str, row: str, column: str) -> str:
    """The text that reads a pixel."""
    text = _PIXEL.replace("NAME", name).replace("ROW", row).replace("COLUMN", column)
    return text.replace("CONVERSION", f"CONVERSION_{name}")


def text_of(form: str, kind: str, lanes: int) -> str:
    """The function for pixels of a dtype that computes some channels at once."""
    element, conversion = KINDS[kind]
    if form == "nearest":  # the places are whole
        places = _place("x", False) + _place("y", True)
        sample = _pixel("value", "y", "x")
        names = ["value"]
    else:
        sides = {"left": False, "right": False, "top": True, "bottom": True}
        places = _EDGES + "".join(itertools.starmap(_place, sides.items())) + _SHARES
        places += "".join([_SHARE.replace("NAME", side) for side in sides])
        sample = "".join([_pixel(name, *corner.split()) for name, corner in _CORNERS.items()])
        sample += _MEANS
        names = [*_CORNERS]
    text = _HEAD + places + _TAIL.replace("SAMPLE", sample)
    for name in names:
        floats = conversion.replace("VALUE", f"%{name}.pixels")
        text = text.replace(f"CONVERSION_{name}\n", floats + "\n")
    text = text.replace("PIXELS", f"<LANES x {element}>").replace("FLOATS", "<LANES x float>")
    text = text.replace("SIZE", str(np.dtype(kind).itemsize)).replace("TYPE", element)
    return text.replace("FORM", form).replace("KIND", kind).replace("LANES", str(lanes))


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by their names."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    kind = ctypes.CFUNCTYPE(
        None, place, place, *[number] * 4, place, place, place, ctypes.c_float
    )  # fmt: skip
    forms = itertools.product(("nearest", "bilinear"), KINDS, LANES)
    texts = {"{}_{}_{}".format(*form): text_of(*form) for form in forms}
    return lasting_functions("".join(texts.values()) + _DECLARED, dict.fromkeys(texts, kind))


PREPARATION = Preparation(functions, is_brief=True, patience=PATIENCE)


def sampled(
    form: str, images: Array, x: Array, y: Array, known: Array, fill: float
) -> npt.NDArray[np.float32] | None:
    """Images [batch, height, width, channels] at the places of each pixel; None for NumPy to do it.

    Args:
        form: "nearest", whose places are whole, or "bilinear".
        images: The images.
        x, y: Places [1 or batch, rows, columns], float32 and finite.
        known: Whether there is such a place, of the same shape.
        fill: The value of pixels outside.
    """
    count, height, width, channels = images.shape
    results = count * x[0].size * channels
    if (
        images.dtype.name not in KINDS
        or not images.size
        or results < WORTH_CALLING
        or not PREPARATION.is_ready_for(results, WORTH_MAKING)
    ):
        return None
    function = functions()[f"{form}_{images.dtype.name}_{lanes_of(channels)}"]
    images = np.ascontiguousarray(images)
    result = np.empty((count, *x.shape[1:], channels), np.float32)
    tables = [
        np.ascontiguousarray(np.broadcast_to(table, (count, *x.shape[1:])), dtype)
        for table, dtype in ((x, np.float32), (y, np.float32), (known, np.bool_))
    ]
    for image, to, *places in zip(images, result, *tables):
        function(
            address(image), address(to), places[0].size, height, width, channels,
            *map(address, places), fill,
        )  # fmt: skip
    return result
