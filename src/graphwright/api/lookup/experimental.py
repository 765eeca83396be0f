"""`tf.lookup.experimental`: tables that change."""

from graphwright.edge.lookup import DenseHashTable, MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]
