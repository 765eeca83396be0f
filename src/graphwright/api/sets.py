"""`tf.sets`: the last axis of tensors as sets."""

from graphwright.values.sparse.sparse_sets import difference, intersection, size, union

__all__ = ["difference", "intersection", "size", "union"]
