"""`tf.lookup.experimental`: tables that change."""

from graphwright.library.lookup.lookup import DenseHashTable, MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]
