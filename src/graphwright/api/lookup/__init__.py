"""`tf.lookup`: tables from keys to values."""

from graphwright.api.lookup import experimental
from graphwright.library.lookup.lookup import StaticHashTable, StaticVocabularyTable
from graphwright.library.lookup.lookup_initializers import (
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
