"""Elementwise ops that are more than their words, and numbers of operands of other sizes."""

from __future__ import annotations

from graphwright.op.op import Op
from graphwright.ops.core.own_ops import PickIndex
from graphwright.portable.refused_op import NoCounterpart
from graphwright.portable.stablehlo.block_writer import BlockWriter
from graphwright.portable.stablehlo.hlo_rule import hlo_rule
from graphwright.portable.stablehlo.hlo_value import HloValue
from graphwright.portable.stablehlo.hlo_words import HloWords
from graphwright.types import dtypes as dt


@hlo_rule("Rsqrt")
def rsqrt(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """1 / sqrt(x)."""
    return w.same("rsqrt", x)


@hlo_rule("Cast")
def cast(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """Another dtype; a negative float becomes unsigned by way of int64, as ours does."""
    assert w.node is not None
    dtype = w.node.outputs[0].type.dtype
    if x.dtype.is_floating and dtype in dt.UNSIGNED - {dt.uint64}:
        x = w.convert(x, dt.int64)
    return w.convert(x, dtype)


@hlo_rule("_Average")
def average(w: BlockWriter, op: Op, total: HloValue, x: HloValue) -> HloValue:
    """A sum over how many were added."""
    count = size(x) // max(size(total), 1)
    return w.same("divide", total, w.constant(count, total.dtype, total.sizes))


def size(x: HloValue) -> int:
    """How many elements a value has."""
    count = 1
    for d in x.sizes:
        count *= d
    return count


@hlo_rule("_PickIndex")
def pick_index(w: BlockWriter, op: PickIndex, index: HloValue, x: HloValue) -> HloValue:
    """A place that counts from the start; one outside is brought inside by what takes it."""
    place = w.convert(index, dt.int64)
    if not op.wraps:
        return place
    words = HloWords(w)
    count = w.constant(x.sizes[op.axis], dt.int64, place.sizes)
    negative = words.less(place, w.constant(0, dt.int64, place.sizes))
    return w.select(negative, words.add(place, count), place)


@hlo_rule("_Confined")
def confined(w: BlockWriter, op: Op, index: HloValue, x: HloValue) -> HloValue:
    """A place that is never outside."""
    return w.convert(index, dt.int64)


@hlo_rule("_Reinterpreted", "Bitcast")
def bitcast(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """The bits as another dtype of the same size."""
    assert w.node is not None
    dtype = w.node.outputs[0].type.dtype
    if dtype.size != x.dtype.size or dt.bool_ in (dtype, x.dtype):
        raise NoCounterpart("the size of elements must stay")
    return HloWords(w).bitcast(x, dtype)
