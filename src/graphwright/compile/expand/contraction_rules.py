"""Rules of products over batches: products of matrices, one after another."""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import Any

from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.movement import broadcast_to, reshape, transpose
from graphwright.ops.core.own_ops import Products
from graphwright.ops.core.rule_words import HALVES, Rule, dims_of, widened
from graphwright.ops.linalg.contraction import BatchMatMulV2, BatchMatMulV3, BatchProduct, MatMul
from graphwright.ops.linalg.einsum import Einsum, parse
from graphwright.ops.math.reduction import reduce_sum


def product(op: MatMul, x: Any, y: Any) -> Any:
    """x @ y of halves, summed in float32 and rounded once"""
    if x.dtype not in HALVES:
        return None
    return cast(apply(op, widened(x), widened(y)), x.dtype)


def batch_product(op: BatchProduct, x: Any, y: Any) -> Any:
    """x @ y; of halves summed in float32 and rounded once"""
    if {x.dtype, y.dtype, getattr(op, "Tout", x.dtype)} != {x.dtype}:
        return None
    return cast(products(widened(x), widened(y), op.adj_x, op.adj_y), x.dtype)


def products(x: Any, y: Any, transpose_x: bool, transpose_y: bool) -> Any:
    """x @ y over leading dimensions that broadcast; those that x alone has are more rows."""
    outer, other = dims_of(x)[:-2], dims_of(y)[:-2]
    if not (outer or other):
        return apply(MatMul.of(transpose_x, transpose_y), x, y)
    if not (other or transpose_x):
        *rows, inner = dims_of(x)
        z = apply(MatMul.of(False, transpose_y), reshape(x, [total(rows), inner]), y)
        return reshape(z, [*rows, dims_of(z)[1]])
    count = max(len(outer), len(other))
    ones = [[1] * (count - len(own)) + own for own in (outer, other)]
    batch = [b if is_one(a) else a for a, b in zip(*ones)]
    return apply(Products.of(transpose_x, transpose_y), spread(x, batch), spread(y, batch))


def spread(x: Any, batch: list[Any]) -> Any:
    """Matrices for all of the batch: the same ones where x has but one."""
    *outer, rows, columns = dims_of(x)
    fits = len(outer) == len(batch) and all(
        is_one(b) or not is_one(a) for a, b in zip(outer, batch)
    )
    return x if fits else broadcast_to(x, [*batch, rows, columns])


def is_one(size: Any) -> bool:
    """Whether a size is known to be 1."""
    return isinstance(size, int) and size == 1


def total(sizes: list[Any]) -> Any:
    """The product of sizes."""
    return reduce(mul, sizes, 1)


def einsum(op: Einsum, *operands: Any) -> Any:
    """Sums, transposes and one product, where each label is but once in an operand"""
    terms = parse(op.equation, tuple([x.shape.rank for x in operands]))
    if any(len(set(labels)) < len(labels) for labels in terms.operands):
        return None
    if not set(terms.stretched) <= set(terms.result):
        return None
    wide = [widened(x) for x in operands]
    if len(operands) == 1:
        (z,), (labels,) = wide, terms.operands
        z, labels = summed(z, labels, terms.result)
        return cast(arranged(z, labels, terms.result), operands[0].dtype)
    (x, a), (y, b) = [
        summed(v, own, terms.result + other)
        for v, own, other in zip(wide, terms.operands, terms.operands[::-1])
    ]
    batch = "".join(c for c in terms.result if c in a and c in b)
    inner = "".join(c for c in a if c in b and c not in terms.result)
    rows, columns = [
        "".join(c for c in terms.result if c in own and c not in batch) for own in (a, b)
    ]
    x, flip_x, left = as_matrices(x, a, batch, rows, inner)
    y, flip_y, right = as_matrices(y, b, batch, inner, columns)
    z = products(x, y, flip_x, flip_y)
    sizes = [*dims_of(z)[: len(batch)], *left[: len(rows)], *right[len(inner) :]]
    return cast(
        arranged(reshape(z, sizes), batch + rows + columns, terms.result), operands[0].dtype
    )


def summed(x: Any, labels: str, kept: str) -> tuple[Any, str]:
    """x without the labels that nobody else has, and the others."""
    axes = [i for i, c in enumerate(labels) if c not in kept]
    rest = "".join(c for c in labels if c in kept)
    return (reduce_sum(x, axes), rest) if axes else (x, rest)


def arranged(x: Any, labels: str, wanted: str) -> Any:
    """x with its axes in another order."""
    return x if labels == wanted else transpose(x, [labels.index(c) for c in wanted])


def as_matrices(
    x: Any, labels: str, batch: str, rows: str, columns: str
) -> tuple[Any, bool, list[Any]]:
    """Matrices of these rows and columns, whether they are transposed, and the sizes of both."""
    flip = labels == batch + columns + rows != batch + rows + columns
    first, second = (columns, rows) if flip else (rows, columns)
    x = arranged(x, labels, batch + first + second)
    sizes = dims_of(x)[len(batch) :]
    own = sizes[: len(first)], sizes[len(first) :]
    if len(first) != 1 or len(second) != 1:
        x = reshape(x, [*dims_of(x)[: len(batch)], *map(total, own)])
    return x, flip, [*own[1], *own[0]] if flip else sizes


RULES: dict[type[Op], Rule] = {
    **dict.fromkeys((BatchMatMulV2, BatchMatMulV3), batch_product),
    Einsum: einsum,
    MatMul: product,
}
