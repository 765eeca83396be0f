"""`tf.sparse`: reductions of picked rows."""

from __future__ import annotations

from graphwright.ops.segment import sparse_segment_mean as segment_mean
from graphwright.ops.segment import sparse_segment_sqrt_n as segment_sqrt_n
from graphwright.ops.segment import sparse_segment_sum as segment_sum

__all__ = ["segment_mean", "segment_sqrt_n", "segment_sum"]
