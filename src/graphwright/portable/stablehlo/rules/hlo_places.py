"""Gathering and scattering at places that are computed; places outside are brought inside."""

from __future__ import annotations

from graphwright.ops.core.own_ops import Gathered, Scattered
from graphwright.portable.refused_op import NoCounterpart
from graphwright.portable.stablehlo.block_writer import BlockWriter, integers
from graphwright.portable.stablehlo.hlo_rule import hlo_rule
from graphwright.portable.stablehlo.hlo_value import HloValue
from graphwright.portable.stablehlo.rules.hlo_reductions import neutral, region_of


def rows_of(w: BlockWriter, places: list[HloValue]) -> HloValue:
    """Places along several axes as rows of numbers."""
    dims = tuple(places[0].sizes)
    return w.concat([w.reshape(p, (*dims, 1)) for p in places], len(dims))


@hlo_rule("_Gathered")
def gathered(w: BlockWriter, op: Gathered, x: HloValue, places: list[HloValue]) -> HloValue:
    """The elements of `x` at places along axes from an axis on, for each batch."""
    axis, batch, count = op.axis, op.batch, len(places)
    many = len(places[0].sizes)
    behind = axis + count
    dims = (*x.sizes[:axis], *places[0].sizes[batch:], *x.sizes[behind:])
    rank = len(dims)
    offsets = [*range(batch, axis), *range(axis + many - batch, rank)]
    leading = list(range(batch))
    sizes = [1 if i < batch or axis <= i < behind else d for i, d in enumerate(x.sizes)]
    numbers = (
        f"#stablehlo.gather<offset_dims = {offsets}, "
        f"collapsed_slice_dims = {list(range(axis, behind))}, "
        f"operand_batching_dims = {leading}, start_indices_batching_dims = {leading}, "
        f"start_index_map = {list(range(axis, behind))}, index_vector_dim = {many}>"
    )
    words = f"dimension_numbers = {numbers}, slice_sizes = {integers(sizes)}"
    return w.emit("gather", [x, rows_of(w, places)], x.dtype, dims, words)


@hlo_rule("_Scattered")
def scattered(
    w: BlockWriter, op: Scattered, x: HloValue, like: HloValue, places: list[HloValue]
) -> HloValue:
    """The slices of `x` combined at their places."""
    word = {
        "sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "any": "or",
        "all": "and",
    }.get(op.combine)  # fmt: skip
    if word is None:
        raise NoCounterpart(f"slices are combined by {op.combine or 'order'}")
    start = like if op.adds else w.constant(neutral(word, like.dtype), like.dtype, like.sizes)
    count, many = len(places), len(places[0].sizes)
    axes = list(range(count))
    numbers = (
        f"#stablehlo.scatter<update_window_dims = {list(range(many, len(x.sizes)))}, "
        f"inserted_window_dims = {axes}, scatter_dims_to_operand_dims = {axes}, "
        f"index_vector_dim = {many}>"
    )
    words = f"scatter_dimension_numbers = {numbers}"
    region = region_of(w, word, like.dtype)
    rows = rows_of(w, places)
    return w.emit("scatter", [start, rows, x], like.dtype, like.sizes, words, [region])
