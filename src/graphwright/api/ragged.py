"""`tf.ragged`: tensors whose rows differ in length."""

from __future__ import annotations

from graphwright.ragged.construction import (
    constant,
    range,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
)
from graphwright.ragged.crossing import cross, cross_hashed
from graphwright.ragged.mapping import map_flat_values, stack_dynamic_partitions
from graphwright.ragged.ragged_gathering import boolean_mask
from graphwright.ragged.ragged_joining import stack

__all__ = [
    "boolean_mask",
    "constant",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]
