"""Products of matrices, and linear algebra."""

from __future__ import annotations

from graphwright.op.op import Op
from graphwright.ops.core.own_ops import Products
from graphwright.ops.linalg.contraction import BatchMatMulV2, BatchMatMulV3, MatMul
from graphwright.ops.linalg.einsum import Einsum
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart


def turned(w: NodeWriter, x: Wire, transposed: bool) -> Wire:
    """Matrices, transposed or as they are."""
    if not transposed:
        return x
    rank = w.rank(x)
    return w.transposed(x, [*range(rank - 2), rank - 1, rank - 2])


def product(w: NodeWriter, a: Wire, b: Wire, flip_a: bool, flip_b: bool) -> Wire:
    """a @ b, each transposed or not."""
    if a.dtype.is_complex:
        raise NoCounterpart("MatMul of ONNX takes no complex numbers")
    return w.emit("MatMul", turned(w, a, flip_a), turned(w, b, flip_b))


@counterpart("MatMul", onnx="MatMul, Transpose")
def matmul(w: NodeWriter, op: MatMul, a: Wire, b: Wire) -> Wire:
    """The product of two matrices."""
    return product(w, a, b, op.transpose_a, op.transpose_b)


@counterpart("BatchMatMulV2", onnx="MatMul, Transpose")
def batch_matmul(w: NodeWriter, op: BatchMatMulV2, x: Wire, y: Wire) -> Wire:
    """Products of many matrices."""
    return product(w, x, y, op.adj_x, op.adj_y)


@counterpart("BatchMatMulV3", onnx="Cast, MatMul, Transpose")
def batch_matmul_into(w: NodeWriter, op: BatchMatMulV3, x: Wire, y: Wire) -> Wire:
    """Products of many matrices, in a dtype of their own."""
    return product(w, w.cast(x, op.Tout), w.cast(y, op.Tout), op.adj_x, op.adj_y)


@counterpart("_Products", onnx="MatMul, Transpose")
def products(w: NodeWriter, op: Products, a: Wire, b: Wire) -> Wire:
    """Products of many matrices, as machine code has them."""
    return product(w, a, b, op.transpose_a, op.transpose_b)


@counterpart("Einsum", onnx="Einsum")
def einsum(w: NodeWriter, op: Einsum, terms: list[Wire]) -> Wire:
    """Sums of products, by an equation."""
    ranks = {term.type.rank for term in terms}
    if "." in op.equation and (len(ranks) > 1 or None in ranks):
        raise NoCounterpart("Einsum of ONNX gives dots one meaning for all operands")
    return w.emit("Einsum", *terms, equation=op.equation.replace(" ", ""))


@counterpart("MatrixDeterminant", onnx="Det")
def determinant(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """The determinants of matrices."""
    return w.emit("Det", x)
