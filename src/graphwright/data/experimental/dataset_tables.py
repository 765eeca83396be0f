"""Lookup tables that are filled with the elements of datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.data.blocks import joined
from graphwright.data.dataset import Dataset
from graphwright.data.reader import Reader
from graphwright.library.lookup.lookup import StaticHashTable, StaticVocabularyTable
from graphwright.library.lookup.lookup_initializers import NewTable, fill
from graphwright.ops.core.casting import cast
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.dtypes import DType, as_dtype


class HasherSpec(NamedTuple):
    """How words are hashed that a table does not have."""

    hasher: str
    key: Any


_FAST_HASH = HasherSpec("fasthash", None)


class DatasetInitializer:
    """Fills a table with the elements of a dataset.

    Args:
        dataset: A dataset of pairs of a key and a value, both scalars.

    Raises:
        ValueError: The elements are no pairs.

    >>> import graphwright as tf
    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> init = tf.data.experimental.DatasetInitializer(pairs)
    >>> table = tf.lookup.StaticHashTable(init, default_value=-1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
    [2, -1]
    """

    def __init__(self, dataset: Dataset) -> None:
        if len(dataset.element_spec) != 2:
            raise ValueError(
                "A table is filled with a dataset of pairs of a key and a value, not of "
                f"{dataset.element_spec}."
            )
        self.dataset = dataset
        key, value = dataset.element_spec
        self._dtypes: tuple[DType, DType] = (key.dtype, value.dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._dtypes[0]

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtypes[1]

    def initialize(self, table: NewTable) -> None:
        """Fills a table.

        Args:
            table: A new table of these dtypes.

        Raises:
            FailedPreconditionError: A key comes again with another value.
        """
        reader = Reader(self.dataset._stage)
        blocks = list(iter(reader.dense_block, None))
        reader.close()
        if blocks:
            keys, values = map(np.asarray, joined(blocks).columns)
            fill(table, keys, values)


def table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: TensorLike | None = None,
    hasher_spec: HasherSpec = _FAST_HASH,
    key_dtype: DTypeLike = dt.string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """Returns a table that is filled with the elements of a dataset.

    Args:
        dataset: A dataset of pairs of a key and a value, both scalars.
        num_oov_buckets: An int: how many numbers, behind those of the dataset, other keys get by
            their hashes. With 0 they get `default_value`.
        vocab_size: An int: how many elements are taken. None means all.
        default_value: The value of keys that the table does not have; -1 for None.
        hasher_spec: How keys are hashed: "fasthash" alone.
        key_dtype: The dtype of the keys that are looked up.
        name: A name, which has no effect.

    Returns:
        A `tf.lookup.StaticHashTable`, or a `tf.lookup.StaticVocabularyTable` where there are
        buckets.

    Raises:
        ValueError: A number is out of range, or another hash is wanted.
        TypeError: `key_dtype` is neither an integer dtype nor string.
        FailedPreconditionError: A key comes again with another value.

    >>> import graphwright as tf
    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], tf.constant([3, 4], tf.int64)))
    >>> table = tf.data.experimental.table_from_dataset(pairs)
    >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
    [4, -1]
    """
    pairs: Any = dataset
    kind = as_dtype(key_dtype)
    if num_oov_buckets < 0:
        raise ValueError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if not (kind.is_integer or kind is dt.string):
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {kind!r}")
    if hasher_spec != _FAST_HASH:
        raise ValueError(f"words are hashed by fasthash alone, not by {hasher_spec}")
    if vocab_size is not None:
        pairs = pairs.take(vocab_size)
    if num_oov_buckets:
        if kind.is_integer:
            pairs = pairs.map(lambda key, value: (cast(key, dt.int64), value))
        return StaticVocabularyTable(DatasetInitializer(pairs), num_oov_buckets, kind)
    value = -1 if default_value is None else default_value
    return StaticHashTable(DatasetInitializer(pairs), value)


def index_table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: TensorLike = -1,
    hasher_spec: HasherSpec = _FAST_HASH,
    key_dtype: DTypeLike = dt.string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """Returns a table from the elements of a dataset to their numbers.

    Args:
        dataset: A dataset of keys, which are scalars.
        num_oov_buckets: An int: how many numbers, behind those of the dataset, other keys get by
            their hashes. With 0 they get `default_value`.
        vocab_size: An int: how many elements are taken. None means all.
        default_value: The value of keys that the table does not have.
        hasher_spec: How keys are hashed: "fasthash" alone.
        key_dtype: The dtype of the keys that are looked up.
        name: A name, which has no effect.

    Returns:
        A `tf.lookup.StaticHashTable`, or a `tf.lookup.StaticVocabularyTable` where there are
        buckets.

    Raises:
        ValueError: A number is out of range, or another hash is wanted.
        TypeError: `key_dtype` is neither an integer dtype nor string.
        FailedPreconditionError: A key comes twice.

    >>> import graphwright as tf
    >>> words = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> table = tf.data.experimental.index_table_from_dataset(words, num_oov_buckets=1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
    [1, 2]
    """
    keys: Any = dataset
    pairs = keys.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(
        pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )
