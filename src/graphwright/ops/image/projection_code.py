"""Images seen through projective transforms, as machine code.

One pass over the results computes the place of each pixel, another one the pixels there. The
operations are those of `projection`, in their order, so every bit is the same.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.machine.vector_code import EightLanes
from graphwright.ops.image.interpolation_code import KINDS, LANES, lanes_of
from graphwright.types.arrays import Array

#: Results from which on the code is worth to be made, and how often fewer are worth it.
WORTH_MAKING, PATIENCE = 1 << 14, 8
#: How places that lie outside continue.
FILL_MODES = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")

#: The places of %height rows of %width results by the transform %a: eight at once, so up to seven
#: numbers are written behind the last one of a row, where others follow. Where there is no place it
#: is -9, which lies outside.
_PLACES = """
define void @places_MODE(ptr %a, i64 %height, i64 %width, i64 %image.height, i64 %image.width,
                         i1 %is.nearest, ptr %xs, ptr %ys, ptr %known) {
entry:
LOADS
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]
  %line = mul i64 %r, %width
  %r.number = sitofp i64 %r to float
SPLAT_R
  br label %eight
eight:
  %c = phi i64 [ 0, %row ], [ %c.next, %eight ]
  %c.number = sitofp i64 %c to float
SPLAT_C
  %columns = fadd EIGHT %firsts, LANES
  %k.across = fmul EIGHT %a6, %columns
  %k.down = fmul EIGHT %a7, %rows
  %k.sum = fadd EIGHT %k.across, %k.down
  %k = fadd EIGHT %k.sum, splat (float 1.0)
AXES
  %are.there = and <8 x i1> %x.is.finite, %y.is.finite
  %is.divided = fcmp une EIGHT %k, zeroinitializer
  %are.known = and <8 x i1> %are.there, %is.divided
  %place = add i64 %line, %c
STORES
  %known.octets = zext <8 x i1> %are.known to <8 x i8>
  %known.at = getelementptr i8, ptr %known, i64 %place
  store <8 x i8> %known.octets, ptr %known.at, align 1
  %c.next = add i64 %c, 8
  %c.more = icmp slt i64 %c.next, %width
  br i1 %c.more, label %eight, label %row.end
row.end:
  %r.next = add i64 %r, 1
  %r.more = icmp slt i64 %r.next, %height
  br i1 %r.more, label %row, label %done
done:
  ret void
}
"""
#: What an axis of %NAME.count pixels asks for.
_COUNTS = """
  %NAME.count.number = sitofp i64 %COUNT to float
SPLAT_COUNT
  %NAME.twice = fadd EIGHT %NAME.count, %NAME.count
  %NAME.last.count = sub i64 %COUNT, 1
  %NAME.last.number = sitofp i64 %NAME.last.count to float
SPLAT_LAST
  %NAME.is.wide = fcmp ogt EIGHT %NAME.last, splat (float 1.0)
  %NAME.step = select <8 x i1> %NAME.is.wide, EIGHT %NAME.last, EIGHT splat (float 1.0)"""
#: The places on an axis, of which three numbers of the transform are.
_AXIS = """
  %NAME.across = fmul EIGHT %aFIRST, %columns
  %NAME.down = fmul EIGHT %aSECOND, %rows
  %NAME.sum = fadd EIGHT %NAME.across, %NAME.down
  %NAME.moved = fadd EIGHT %NAME.sum, %aTHIRD
  %NAME.plain = fdiv EIGHT %NAME.moved, %k
CONTINUED
  %NAME.size = call EIGHT @llvm.fabs.v8f32(EIGHT %NAME)
  %NAME.is.finite = fcmp olt EIGHT %NAME.size, splat (float 0x7FF0000000000000)"""
_REFLECTED = """
  %NAME.is.before = fcmp olt EIGHT %NAME.plain, zeroinitializer
  %NAME.negative = fneg EIGHT %NAME.plain
  %NAME.mirrored = fsub EIGHT %NAME.negative, splat (float 1.0)
  %NAME.front = select <8 x i1> %NAME.is.before, EIGHT %NAME.mirrored, EIGHT %NAME.plain
  %NAME.share = fdiv EIGHT %NAME.front, %NAME.twice
  %NAME.turns = call EIGHT @llvm.floor.v8f32(EIGHT %NAME.share)
  %NAME.skip = fmul EIGHT %NAME.twice, %NAME.turns
  %NAME.rest = fsub EIGHT %NAME.front, %NAME.skip
  %NAME.is.back = fcmp oge EIGHT %NAME.rest, %NAME.count
  %NAME.way = fsub EIGHT %NAME.twice, %NAME.rest
  %NAME.turned = fsub EIGHT %NAME.way, splat (float 1.0)
  %NAME.inside = select <8 x i1> %NAME.is.back, EIGHT %NAME.turned, EIGHT %NAME.rest"""
_WRAPPED = """
  %NAME.negative = fneg EIGHT %NAME.plain
  %NAME.before.share = fdiv EIGHT %NAME.negative, %NAME.step
  %NAME.before.turns = call EIGHT @llvm.trunc.v8f32(EIGHT %NAME.before.share)
  %NAME.before.more = fadd EIGHT %NAME.before.turns, splat (float 1.0)
  %NAME.before.skip = fmul EIGHT %NAME.count, %NAME.before.more
  %NAME.before = fadd EIGHT %NAME.plain, %NAME.before.skip
  %NAME.after.share = fdiv EIGHT %NAME.plain, %NAME.step
  %NAME.after.turns = call EIGHT @llvm.trunc.v8f32(EIGHT %NAME.after.share)
  %NAME.after.skip = fmul EIGHT %NAME.count, %NAME.after.turns
  %NAME.after = fsub EIGHT %NAME.plain, %NAME.after.skip
  %NAME.is.before = fcmp olt EIGHT %NAME.plain, zeroinitializer
  %NAME.is.after = fcmp ogt EIGHT %NAME.plain, %NAME.last
  %NAME.on = select <8 x i1> %NAME.is.after, EIGHT %NAME.after, EIGHT %NAME.plain
  %NAME.inside = select <8 x i1> %NAME.is.before, EIGHT %NAME.before, EIGHT %NAME.on"""
_CLIPPED = """
  %NAME.is.low = fcmp olt EIGHT %NAME.inside, zeroinitializer
  %NAME.raised = select <8 x i1> %NAME.is.low, EIGHT zeroinitializer, EIGHT %NAME.inside
  %NAME.is.high = fcmp ogt EIGHT %NAME.raised, %NAME.last
  %NAME = select <8 x i1> %NAME.is.high, EIGHT %NAME.last, EIGHT %NAME.raised"""
_CONTINUED = {
    "CONSTANT": "  %NAME = freeze EIGHT %NAME.plain",
    "REFLECT": _REFLECTED + _CLIPPED,
    "WRAP": _WRAPPED + _CLIPPED,
    "NEAREST": "  %NAME.inside = freeze EIGHT %NAME.plain" + _CLIPPED,
}
_STORED = """
  %NAME.there = select <8 x i1> %are.known, EIGHT %NAME, EIGHT splat (float -9.0)
  %NAME.there.size = call EIGHT @llvm.fabs.v8f32(EIGHT %NAME.there)
  %NAME.half = fadd EIGHT %NAME.there.size, splat (float 0.5)
  %NAME.whole.size = call EIGHT @llvm.floor.v8f32(EIGHT %NAME.half)
  %NAME.whole = call EIGHT @llvm.copysign.v8f32(EIGHT %NAME.whole.size, EIGHT %NAME.there)
  %NAME.result = select i1 %is.nearest, EIGHT %NAME.whole, EIGHT %NAME.there
  %NAME.at = getelementptr float, ptr %NAMEs, i64 %place
  store EIGHT %NAME.result, ptr %NAME.at, align 4"""

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
_DECLARED = """
declare float @llvm.floor.f32(float)
declare <8 x float> @llvm.floor.v8f32(<8 x float>)
declare <8 x float> @llvm.trunc.v8f32(<8 x float>)
declare <8 x float> @llvm.fabs.v8f32(<8 x float>)
declare <8 x float> @llvm.copysign.v8f32(<8 x float>, <8 x float>)
"""
_EIGHT = EightLanes("float")


def places_text(mode: str) -> str:
    """The function that computes places, where those outside continue in a mode."""
    loads = ""
    for i in range(8):
        loads += f"  %a{i}.at = getelementptr float, ptr %a, i64 {i}\n"
        loads += f"  %a{i}.number = load float, ptr %a{i}.at\n"
        loads += _EIGHT.splat(f"%a{i}.number", f"%a{i}") + "\n"
    axes = stores = ""
    for name, count, numbers in (("x", "image.width", "012"), ("y", "image.height", "345")):
        counts = _COUNTS
        for word in ("count", "last"):
            splat = _EIGHT.splat(f"%{name}.{word}.number", f"%{name}.{word}")
            counts = counts.replace(f"SPLAT_{word.upper()}", splat)
        loads += counts.replace("COUNT", count).replace("NAME", name)
        axis = _AXIS.replace("CONTINUED", _CONTINUED[mode])
        for word, number in zip(("FIRST", "SECOND", "THIRD"), numbers):
            axis = axis.replace(word, number)
        axes += axis.replace("NAME", name)
        stores += _STORED.replace("NAME", name)
    words = {
        "MODE": mode,
        "LOADS": loads,
        "SPLAT_R": _EIGHT.splat("%r.number", "%rows"),
        "SPLAT_C": _EIGHT.splat("%c.number", "%firsts"),
        "AXES": axes,
        "STORES": stores,
        "LANES": f"<{', '.join([f'float {lane}.0' for lane in range(8)])}>",
        "EIGHT": _EIGHT.vector,
    }
    text = _PLACES
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


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
    place, number, flag = ctypes.c_void_p, ctypes.c_int64, ctypes.c_bool
    sample = ctypes.CFUNCTYPE(
        None, place, place, *[number] * 4, place, place, place, ctypes.c_float
    )  # fmt: skip
    forms = itertools.product(("nearest", "bilinear"), KINDS, LANES)
    samples = {"{}_{}_{}".format(*form): text_of(*form) for form in forms}
    places = {f"places_{mode}": places_text(mode) for mode in FILL_MODES}
    kinds = dict.fromkeys(samples, sample)
    for name in places:
        kinds[name] = ctypes.CFUNCTYPE(None, place, *[number] * 4, flag, place, place, place)
    return lasting_functions("".join([*samples.values(), *places.values()]) + _DECLARED, kinds)


PREPARATION = Preparation(functions, is_brief=True, patience=PATIENCE)


def projected(
    form: str, mode: str, images: Array, transforms: Array, size: Sequence[int], fill: float
) -> npt.NDArray[np.float32] | None:
    """Images [batch, height, width, channels] through transforms; None for NumPy to do it.

    Args:
        form: "nearest" or "bilinear".
        mode: How places outside continue.
        images: The images.
        transforms: [1 or batch, 8], float32.
        size: The height and width of the results.
        fill: The value of pixels outside.
    """
    count, height, width, channels = images.shape
    pixels, kind = size[0] * size[1], images.dtype.name
    if (
        kind not in KINDS
        or not images.size
        or not PREPARATION.is_ready_for(count * pixels * channels, WORTH_MAKING)
    ):
        return None
    sample = functions()[f"{form}_{kind}_{lanes_of(channels)}"]
    find = functions()[f"places_{mode}"]
    images, transforms = np.ascontiguousarray(images), np.ascontiguousarray(transforms)
    result = np.empty((count, *size, channels), np.float32)
    x, y = np.empty((2, pixels + 8), np.float32)
    known = np.empty(pixels + 8, np.bool_)
    places = address(x), address(y), address(known)
    source, target, transform = address(images), address(result), address(transforms)
    for i in range(count):
        if i < len(transforms):
            find(transform, *size, height, width, form == "nearest", *places)
        sample(source, target, pixels, height, width, channels, *places, fill)
        source += images.strides[0]
        target += result.strides[0]
        transform += transforms.strides[0]
    return result
