"""Products of matrices. Sums of products by an equation are written in these and simpler ops."""

from __future__ import annotations

import numpy as np

from graphwright.op.op import Op
from graphwright.ops.core.own_ops import Products
from graphwright.ops.linalg.contraction import BatchMatMulV2, BatchMatMulV3, MatMul
from graphwright.portable.stablehlo.block_writer import BlockWriter
from graphwright.portable.stablehlo.hlo_rule import hlo_rule
from graphwright.portable.stablehlo.hlo_value import HloValue
from graphwright.types import dtypes as dt

_HALVES = (dt.float16, dt.bfloat16)


def product(w: BlockWriter, a: HloValue, b: HloValue, flip_a: bool, flip_b: bool) -> HloValue:
    """a @ b, each transposed or not; halves are added up in float32."""
    dtype, batch = a.dtype, np.broadcast_shapes(a.sizes[:-2], b.sizes[:-2])
    a, b = (w.broadcast(x, (*batch, *x.sizes[-2:])) for x in (a, b))
    rank = len(batch)
    inner_a, outer_a = (rank, rank + 1) if flip_a else (rank + 1, rank)
    inner_b, outer_b = (rank + 1, rank) if flip_b else (rank, rank + 1)
    leading = list(range(rank))
    numbers = (
        f"#stablehlo.dot<lhs_batching_dimensions = {leading}, rhs_batching_dimensions = {leading}, "
        f"lhs_contracting_dimensions = [{inner_a}], rhs_contracting_dimensions = [{inner_b}]>"
    )
    exact = "#stablehlo<precision HIGHEST>"
    words = f"dot_dimension_numbers = {numbers}, precision_config = [{exact}, {exact}]"
    dims = (*batch, a.sizes[outer_a], b.sizes[outer_b])
    into = dt.float32 if dtype in _HALVES else dtype
    return w.convert(w.emit("dot_general", [a, b], into, dims, words), dtype)


@hlo_rule("MatMul")
def matmul(w: BlockWriter, op: MatMul, a: HloValue, b: HloValue) -> HloValue:
    """The product of two matrices."""
    return product(w, a, b, op.transpose_a, op.transpose_b)


@hlo_rule("BatchMatMul", "BatchMatMulV2")
def batch_matmul(w: BlockWriter, op: BatchMatMulV2, x: HloValue, y: HloValue) -> HloValue:
    """Products of many matrices."""
    return product(w, x, y, op.adj_x, op.adj_y)


@hlo_rule("BatchMatMulV3")
def batch_matmul_into(w: BlockWriter, op: BatchMatMulV3, x: HloValue, y: HloValue) -> HloValue:
    """Products of many matrices, in a dtype of their own."""
    return product(w, w.convert(x, op.Tout), w.convert(y, op.Tout), op.adj_x, op.adj_y)


@hlo_rule("_Products")
def products(w: BlockWriter, op: Products, a: HloValue, b: HloValue) -> HloValue:
    """Products of many matrices, as machine code has them."""
    return product(w, a, b, op.transpose_a, op.transpose_b)


@hlo_rule("L2Loss")
def l2_loss(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """Half of the sum of squares."""
    flat = w.reshape(x, (1, int(np.prod(x.sizes))))
    total = w.reshape(product(w, flat, flat, False, True), ())
    return w.same("multiply", total, w.constant(0.5, x.dtype, ()))
