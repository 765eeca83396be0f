"""Reductions, sums up to each place, and where the greatest element is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.op.op import Op
from graphwright.ops.core.own_ops import Scanned
from graphwright.ops.core.sorting import TopKV2
from graphwright.portable.refused_op import NoCounterpart
from graphwright.portable.stablehlo.block_writer import BlockWriter, integers, pairs
from graphwright.portable.stablehlo.hlo_rule import hlo_rule
from graphwright.portable.stablehlo.hlo_value import HloValue
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

_HALVES = (dt.float16, dt.bfloat16)
#: The ops of StableHLO that combine elements.
COMBINED = {"Sum": "add", "Prod": "multiply", "Max": "maximum", "Min": "minimum",
            "All": "and", "Any": "or"}  # fmt: skip


def neutral(word: str, dtype: DType) -> Any:
    """The number that changes nothing."""
    if word in ("maximum", "minimum"):
        least = word == "maximum"
        if dtype.is_floating:
            return -np.inf if least else np.inf
        return dtype.min if least else dtype.max
    return {"add": 0, "multiply": 1, "and": True, "or": False}[word]


def region_of(w: BlockWriter, word: str, dtype: DType) -> list[str]:
    """The block that combines two elements."""
    return w.region([dtype, dtype], lambda inner, pair: [inner.same(word, *pair)])


def combined(w: BlockWriter, word: str, x: HloValue, axes: Sequence[int]) -> HloValue:
    """The elements combined along axes; sums and products of halves in float32."""
    wide = dt.float32 if x.dtype in _HALVES and word in ("add", "multiply") else x.dtype
    dtype, x = x.dtype, w.convert(x, wide)
    start = w.constant(neutral(word, wide), wide, ())
    dims = [d for axis, d in enumerate(x.sizes) if axis not in axes]
    words = f"dimensions = {integers(sorted(axes))}"
    made = w.emit("reduce", [x, start], wide, dims, words, [region_of(w, word, wide)])
    return w.convert(made, dtype)


def reduction(word: str) -> Callable[..., HloValue]:
    """The rule of a reduction along axes that are known."""

    def write(w: BlockWriter, op: Any, x: HloValue, axes: HloValue) -> HloValue:
        places = set(w.axes(axes, len(x.sizes)))
        made = combined(w, word, x, sorted(places)) if places else x
        return w.reshape(made, w.target())

    return write


for _ours, _word in COMBINED.items():
    hlo_rule(_ours)(reduction(_word))
hlo_rule("_Peak")(reduction("maximum"))


@hlo_rule("GraphwrightSumTo")
def sum_to(w: BlockWriter, op: Op, x: HloValue, dims: HloValue) -> HloValue:
    """The sum over what was repeated."""
    wanted = w.target()
    ahead = len(x.sizes) - len(wanted)
    sizes = zip(x.sizes[ahead:], wanted)
    axes = [*range(ahead), *[ahead + i for i, (d, n) in enumerate(sizes) if d != n]]
    return w.reshape(combined(w, "add", x, axes) if axes else x, wanted)


@hlo_rule("_Scanned")
def scanned(w: BlockWriter, op: Scanned, x: HloValue) -> HloValue:
    """Each element combined with those before it: windows that reach over the start."""
    word = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}.get(op.combine)
    if word is None:
        raise NoCounterpart(f"elements are combined by {op.combine}")
    rank, size = len(x.sizes), x.sizes[op.axis]
    if not size:
        return x
    window = [size if axis == op.axis else 1 for axis in range(rank)]
    reach = (0, size - 1) if op.reverse else (size - 1, 0)
    around = [reach if axis == op.axis else (0, 0) for axis in range(rank)]
    source = moved_on(w, x, op, neutral(word, x.dtype)) if op.exclusive else x
    return windows(w, word, source, window, [1] * rank, around)


def moved_on(w: BlockWriter, x: HloValue, op: Scanned, first: Any) -> HloValue:
    """The elements one place on along an axis, after a number."""
    size = x.sizes[op.axis]
    starts, limits = [0] * len(x.sizes), list(x.sizes)
    if op.reverse:
        starts[op.axis] = 1
    else:
        limits[op.axis] = size - 1
    rest = w.slice(x, starts, limits, [1] * len(x.sizes))
    edge = w.constant(first, x.dtype, (*x.sizes[: op.axis], 1, *x.sizes[op.axis + 1 :]))
    return w.concat([rest, edge] if op.reverse else [edge, rest], op.axis)


def windows(
    w: BlockWriter,
    word: str,
    x: HloValue,
    window: Sequence[int],
    strides: Sequence[int],
    around: Sequence[tuple[int, int]],
) -> HloValue:
    """The elements of windows combined."""
    dims = [
        (d + before + after - width) // stride + 1
        for d, width, stride, (before, after) in zip(x.sizes, window, strides, around)
    ]
    start = w.constant(neutral(word, x.dtype), x.dtype, ())
    words = (
        f"window_dimensions = {integers(window)}, window_strides = {integers(strides)}, "
        f"padding = {pairs(around)}"
    )
    return w.emit("reduce_window", [x, start], x.dtype, dims, words, [region_of(w, word, x.dtype)])


def best_place(relation: str, start: str) -> Callable[..., HloValue]:
    """The rule of the first place of the greatest or least element along an axis."""

    def write(w: BlockWriter, op: Any, x: HloValue, dimension: HloValue) -> HloValue:
        (axis,) = w.axes(dimension, len(x.sizes), "the axis")
        x = w.convert(x, dt.int32) if x.dtype is dt.bool_ else x
        places = w.iota(dt.int64, x.sizes, axis)
        first = w.constant(neutral(start, x.dtype), x.dtype, ())
        zero = w.constant(0, dt.int64, ())
        dims = [d for i, d in enumerate(x.sizes) if i != axis]

        def better(inner: BlockWriter, pair: list[HloValue]) -> list[HloValue]:
            old, place, new, other = pair
            beyond = inner.compare(relation, new, old)
            equal = inner.same(
                "and", inner.compare("EQ", new, old), inner.compare("LT", other, place)
            )
            taken = inner.same("or", beyond, equal)
            return [inner.select(taken, new, old), inner.select(taken, other, place)]

        kinds = [x.dtype, dt.int64]
        _, made = w.emit_all(
            "reduce",
            [x, places, first, zero],
            [(x.dtype, dims), (dt.int64, dims)],
            f"dimensions = {integers([axis])}",
            [w.region([*kinds, *kinds], better)],
        )
        return w.convert(made, op.output_type)

    return write


hlo_rule("ArgMax")(best_place("GT", "maximum"))
hlo_rule("ArgMin")(best_place("LT", "minimum"))


@hlo_rule("TopKV2")
def top_k(w: BlockWriter, op: TopKV2, x: HloValue, k: HloValue) -> list[HloValue]:
    """The greatest elements of rows and their places, by a stable sort; NaN is the least."""
    last = len(x.sizes) - 1
    count = int(w.whole(k, "the number of elements"))
    keys = x
    if x.dtype.is_floating:
        least = w.constant(-np.inf, x.dtype, x.sizes)
        keys = w.select(w.compare("EQ", x, x), x, least)
    places = w.iota(dt.int32, x.sizes, last)
    kinds = [x.dtype, x.dtype, dt.int32]
    region = w.region(
        [kind for kind in kinds for _ in range(2)],
        lambda inner, pairs: [inner.compare("GT", pairs[0], pairs[1])],
    )
    words = f"dimension = {last} : i64, is_stable = true"
    results = [(kind, x.sizes) for kind in kinds]
    _, values, order = w.emit_all("sort", [keys, x, places], results, words, [region])
    starts, steps = [0] * len(x.sizes), [1] * len(x.sizes)
    limits = [*x.sizes[:-1], count]
    first = [w.slice(v, starts, limits, steps) for v in (values, order)]
    return [first[0], w.convert(first[1], op.index_type)]
