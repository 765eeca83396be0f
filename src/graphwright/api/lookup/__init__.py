"""`tf.lookup`: tables from keys to values."""

from graphwright.api.lookup import experimental
from graphwright.edge.lookup import StaticHashTable, StaticVocabularyTable
from graphwright.edge.lookup_initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "StaticVocabularyTable",
    "TextFileIndex",
    "TextFileInitializer",
    "experimental",
]
