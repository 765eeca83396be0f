"""Rules of ops that deal places of images out to channels or batches: transposed blocks."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.core.rule_words import Rule, dims_of, host, padded
from graphwright.ops.core.space_blocks import (
    BatchToSpaceND,
    DepthToSpace,
    Regrouping,
    SpaceToBatchND,
    SpaceToDepth,
)
from graphwright.ops.linalg.tridiagonal import Cross


def in_blocks(x: Any, pieces: list[Any], order: list[int], wanted: list[Any]) -> Any:
    """x with its axes taken apart, the pieces in another order, and these put together."""
    return reshape(transpose(reshape(x, pieces), order), wanted)


def regrouped(op: Regrouping, x: Any) -> Any:
    """Blocks of space as channels, or channels as these"""
    return None if None in x.shape[1:] else in_blocks(x, *op.plan(dims_of(x)))


def space_to_batch(op: SpaceToBatchND, x: Any, block_shape: Any, paddings: Any) -> Any:
    """Padded, and blocks of space as batches"""
    blocks, pairs = host(block_shape), host(paddings)
    if blocks is None or pairs is None or None in x.shape[1 : len(blocks) + 1]:
        return None
    count = len(blocks)
    rest = x.shape.rank - count - 1
    x = padded(x, [(0, 0), *pairs, *[(0, 0)] * rest], cast(0, x.dtype))
    n, *dims = dims_of(x)
    pieces = [n, *chain(*[[d // b, b] for d, b in zip(dims, blocks)]), *dims[count:]]
    order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2)]
    order += range(2 * count + 1, 2 * count + 1 + rest)
    space = [d // b for d, b in zip(dims, blocks)]
    return in_blocks(x, pieces, order, [n * math.prod(blocks), *space, *dims[count:]])


def batch_to_space(op: BatchToSpaceND, x: Any, block_shape: Any, crops: Any) -> Any:
    """Batches as blocks of space, cropped"""
    blocks, pairs = host(block_shape), host(crops)
    if blocks is None or pairs is None or None in x.shape[: len(blocks) + 1]:
        return None
    count = len(blocks)
    n, *dims = dims_of(x)
    batch = n // math.prod(blocks)
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += range(2 * count + 1, count + 1 + len(dims))
    space = [d * b for d, b in zip(dims, blocks)]
    whole = in_blocks(x, [*blocks, batch, *dims], order, [batch, *space, *dims[count:]])
    kept = [slice(a, d - b) for d, (a, b) in zip(space, pairs)]
    index: Any = (slice(None), *kept)
    return whole[index]


def cross(op: Cross, a: Any, b: Any) -> Any:
    """The differences of the products of the other two elements"""
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        return None
    (u, v, w), (x, y, z) = [[t[..., i : i + 1] for i in range(3)] for t in (a, b)]
    return concat([v * z - w * y, w * x - u * z, u * y - v * x], -1)


RULES: dict[type[Op], Rule] = {
    BatchToSpaceND: batch_to_space,
    Cross: cross,
    DepthToSpace: regrouped,
    SpaceToBatchND: space_to_batch,
    SpaceToDepth: regrouped,
}
