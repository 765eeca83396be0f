"""Rules of ops that order elements: by comparing each with all others, where there are few.

No step of that waits for another one, so short rows are in order long before a kernel is called.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.interpreter import convert
from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.indexing import where
from graphwright.ops.core.movement import expand_dims
from graphwright.ops.core.rule_words import Rule, host, moved
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.core.sorting import TopKV2
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.counting import Bucketize
from graphwright.ops.math.reduction import reduce_sum
from graphwright.types import dtypes as dt

#: The comparisons of a row; where there are more, kernels sort it in less time.
_MOST = 1 << 15

#: The boundaries that each number is compared with; among more, kernels search.
_FEW = 64


def top(op: Any, x: Any, k: Any) -> Any:
    """The place of each element is how many come before it; the kth is the one whose place is k"""
    count, size = host(k), x.shape[-1] if x.shape.rank else None
    if count is None or size is None or size * (size + count) > _MOST:
        return None
    own = x
    if x.dtype.is_floating:  # NaN is the least
        own = where(equal(x, x), x, cast(float("-inf"), x.dtype))
    numbers = steps(size)
    here, there = expand_dims(own, -1), expand_dims(own, -2)
    earlier = numbers < expand_dims(numbers, -1)
    before = (there > here) | (equal(there, here) & earlier)
    places = reduce_sum(cast(before, dt.int32), -1)
    hits = equal(expand_dims(places, -2), expand_dims(steps(count), -1))
    chosen = reduce_sum(where(hits, numbers, 0), -1)
    last = x.shape.rank - 1
    values = moved(x, last, [chosen], last)
    return values, cast(chosen, op.index_type) if op.index_type is not dt.int32 else chosen


def bucket(op: Any, x: Any) -> Any:
    """How many boundaries are not above each number"""
    if not 0 < len(op.boundaries) <= _FEW:
        return None
    bounds = convert(np.array(op.boundaries, np.float32))
    wide = x if x.dtype is dt.float32 else cast(x, dt.float64)
    below = wide[..., None] < cast(bounds, wide.dtype)
    return reduce_sum(cast(~below, dt.int32), -1)


RULES: dict[type[Op], Rule] = {
    Bucketize: bucket,
    TopKV2: top,
}
