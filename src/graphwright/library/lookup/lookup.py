"""`tf.lookup`: tables from keys to values, fixed or changing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.library.checkpoint.object_graph import Tracked
from graphwright.library.lookup.lookup_columns import Columns
from graphwright.library.lookup.lookup_initializers import (
    TableInitializer,
    TextFileInitializer,
    outside,
)
from graphwright.op.interpreter import apply, convert, host_array, is_tensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.indexing import where
from graphwright.ops.math.arithmetic import add
from graphwright.ops.math.comparison import not_equal
from graphwright.ops.state import tables
from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import HANDLE
from graphwright.ops.strings.encoding import as_string, to_hash_bucket_fast
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.trace.scopes import init_scope
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.tensor import EagerTensor, box


class TrackableResource(Tracked):
    """What functions hold behind a handle and models are saved with: each table is one."""


class LookupTable(TrackableResource):
    """The base of tables: a cell behind a handle, which maps keys to values."""

    def __init__(self, cell: Table, default_value: TensorValue) -> None:
        self._table_handle = box(cell, HANDLE)
        self._default_value = default_value

    @property
    def _cell(self) -> Table:
        cell: Table = self._table_handle._array
        return cell

    @property
    def resource_handle(self) -> EagerTensor:
        """The resource that graphs capture."""
        return self._table_handle

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._cell.key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._cell.value_dtype

    @property
    def name(self) -> None:
        """None: tables have no names."""

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys.

        Args:
            name: A name for the op.

        Returns:
            A scalar of int64.
        """
        return apply(tables.SIZE, self._table_handle, name=name)

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """Returns all keys and their values.

        Args:
            name: A name for the op.

        Returns:
            A pair of tensors: the keys, and the values in the same order.

        >>> import graphwright as tf
        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        >>> table.insert(["a"], [1])
        >>> [x.numpy().tolist() for x in table.export()]
        [[b'a'], [1]]
        """
        shape = self._cell.value_shape
        op = tables.LookupTableExportV2.of(self.key_dtype, self.value_dtype, shape)
        keys, values = apply(op, self._table_handle, name=name)
        return keys, values

    def __getitem__(self, keys: TensorLike) -> Any:
        return self._find(keys, None, None)

    def _find(self, keys: TensorLike, default: TensorLike | None, name: str | None) -> Any:
        """The values of keys, in a tensor of the keys' kind: dense, sparse or ragged."""
        if isinstance(keys, SparseTensor):
            return keys.with_values(self._find(keys.values, default, name))
        if isinstance(keys, RaggedTensor):
            return keys.with_flat_values(self._find(keys.flat_values, default, name))
        keys = self._keys(keys)
        default = self._default_value if default is None else convert(default, self.value_dtype)
        op = tables.LookupTableFindV2.of(self._cell.value_shape)
        return apply(op, self._table_handle, keys, default, name=name)

    def _keys(self, keys: TensorLike) -> TensorValue:
        """Keys as a tensor; TypeError for a tensor of another dtype."""
        if is_tensor(keys) and keys.dtype is not self.key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self.key_dtype!r}, received: {keys.dtype!r}"
            )
        return convert(keys, self.key_dtype)


class StaticHashTable(LookupTable):
    """A table that an initializer fills and nothing changes.

    Args:
        initializer: A `tf.lookup.KeyValueTensorInitializer` or a `tf.lookup.TextFileInitializer`.
        default_value: A scalar: the value of keys that the table does not have.
        name: A name, which has no effect.
        experimental_is_anonymous: A bool, which has no effect.

    Raises:
        ValueError: `default_value` is no scalar.
        FailedPreconditionError: A key comes again with another value.

    >>> import graphwright as tf
    >>> init = tf.lookup.KeyValueTensorInitializer([1, 2], ["one", "two"])
    >>> table = tf.lookup.StaticHashTable(init, "many")
    >>> table.lookup(tf.constant([2, 5])).numpy()
    array([b'two', b'many'], dtype=object)
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: TensorLike,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        with init_scope():
            # An initializer that a program wrote may have names of dtypes.
            key_dtype = as_dtype(initializer.key_dtype)
            value_dtype = as_dtype(initializer.value_dtype)
        default = outside(default_value, value_dtype)
        with init_scope():
            default.shape.assert_is_compatible_with(())
            super().__init__(Table(key_dtype, value_dtype, is_fixed=True), default)
            initializer.initialize(self)
        self._cell.source = initializer if isinstance(initializer, TextFileInitializer) else None

    @property
    def default_value(self) -> TensorValue:
        """The value of keys that the table does not have."""
        return self._default_value

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """Returns the values of keys.

        Args:
            keys: A tensor of `key_dtype`; a sparse or a ragged one has its values looked up.
            name: A name for the op.

        Returns:
            A tensor of `value_dtype`, dense, sparse or ragged as `keys`.

        Raises:
            TypeError: The keys are of another dtype.
        """
        return self._find(keys, None, name)


class StaticVocabularyTable(TrackableResource):
    """A fixed table from words to numbers, which hashes all other words to further numbers.

    Args:
        initializer: A `tf.lookup.KeyValueTensorInitializer` or a `tf.lookup.TextFileInitializer` of
            words and their numbers, int64. None means that all words are hashed.
        num_oov_buckets: An int above 0: how many numbers, behind those of the initializer, other
            words get.
        lookup_key_dtype: tf.string or an integer dtype of the words; None takes that of the
            initializer.
        name: A name, which has no effect.
        experimental_is_anonymous: A bool, which has no effect.

    Raises:
        ValueError: `num_oov_buckets` is not above 0.
        TypeError: A dtype is another.

    >>> import graphwright as tf
    >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    >>> table = tf.lookup.StaticVocabularyTable(init, num_oov_buckets=3)
    >>> table.lookup(tf.constant(["b", "x"])).numpy()
    array([1, 4])
    """

    def __init__(
        self,
        initializer: TableInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: DTypeLike | None = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        key_dtype = None if lookup_key_dtype is None else as_dtype(lookup_key_dtype)
        self._table: StaticHashTable | None = None
        if initializer is None:
            key_dtype = key_dtype or dt.string
        else:
            stored, values = as_dtype(initializer.key_dtype), as_dtype(initializer.value_dtype)
            if values is not dt.int64:
                raise TypeError(
                    f"Invalid `value_dtype`, expected {dt.int64!r} but got {values!r}. Give the "
                    "initializer `value_dtype=tf.int64`; tensors, `tf.cast(values, tf.int64)`."
                )
            if stored not in (dt.int64, dt.string):
                raise TypeError(
                    "Invalid `key_dtype`, expected one of (tf.int64, tf.string), but got "
                    f"{stored!r}."
                )
            key_dtype = key_dtype or stored
            if key_dtype.is_integer != stored.is_integer:
                raise TypeError(f"Invalid `key_dtype`, expected {key_dtype!r} but got {stored!r}.")
            self._table = StaticHashTable(initializer, -1)
        self._key_dtype = key_dtype
        self._buckets = num_oov_buckets

    @property
    def key_dtype(self) -> DType:
        """The dtype of the words."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """int64."""
        return dt.int64

    @property
    def resource_handle(self) -> EagerTensor | None:
        """The resource that graphs capture, or None without an initializer."""
        return None if self._table is None else self._table.resource_handle

    @property
    def name(self) -> None:
        """None: tables have no names."""

    def size(self, name: str | None = None) -> Any:
        """Returns the number of all numbers of words, hashes included.

        Args:
            name: A name for the op.

        Returns:
            A scalar of int64.
        """
        count = convert(0, dt.int64) if self._table is None else self._table.size()
        return add(count, self._buckets, name)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """Returns the numbers of words.

        Args:
            keys: A tensor of `key_dtype`; a sparse or a ragged one has its values looked up.
            name: A name for the op.

        Returns:
            A tensor of int64, dense, sparse or ragged as `keys`.

        Raises:
            TypeError: The words are of another dtype.
        """
        if isinstance(keys, SparseTensor):
            return keys.with_values(self.lookup(keys.values, name))
        if isinstance(keys, RaggedTensor):
            return keys.with_flat_values(self.lookup(keys.flat_values, name))
        keys = convert(keys)
        if keys.dtype is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype!r}, received: {keys.dtype!r}"
            )
        words = keys if keys.dtype is dt.string else as_string(keys)
        hashed = to_hash_bucket_fast(words, self._buckets, name=name)
        if self._table is None:
            return hashed
        table = self._table
        same = table.key_dtype is keys.dtype
        numbers = table.lookup(keys if same else cast(keys, table.key_dtype))
        return where(not_equal(numbers, table.default_value), numbers, hashed + table.size())

    def __getitem__(self, keys: TensorLike) -> Any:
        return self.lookup(keys)


class MutableHashTable(LookupTable):
    """A table that insertions and removals change.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
        default_value: A tensor: the value of keys that the table does not have. All values have its
            shape.
        name: A name, which has no effect.
        checkpoint: A bool: whether checkpoints save the table.
        experimental_is_anonymous: A bool, which has no effect.

    >>> import graphwright as tf
    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.remove(["b"])
    >>> table.lookup(["a", "b"]).numpy()
    array([ 1, -1])
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self._make(as_dtype(key_dtype), as_dtype(value_dtype), default_value, checkpoint, {})

    def _make(
        self,
        key: DType,
        value: DType,
        default: TensorLike,
        checkpoint: bool,
        reserved: Mapping[object, str],
    ) -> None:
        default = outside(default, value)
        with init_scope():
            dims: Any = default.shape.as_list()
            cell = Table(key, value, tuple(dims), reserved)
        super().__init__(cell, default)
        self._columns = Columns(cell) if checkpoint else None

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        return children if self._columns is None else {**children, **self._columns.by_name}

    def lookup(
        self,
        keys: TensorLike,
        dynamic_default_values: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Returns the values of keys.

        Args:
            keys: A tensor of `key_dtype`; a sparse or a ragged one has its values looked up.
            dynamic_default_values: The value of keys that the table does not have, or one for each
                key. None means `default_value`.
            name: A name for the op.

        Returns:
            A tensor of `value_dtype`, dense, sparse or ragged as `keys`.

        Raises:
            TypeError: The keys are of another dtype.

        >>> import graphwright as tf
        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
        >>> table.lookup(["a", "b"], dynamic_default_values=[7, 8]).numpy()
        array([7, 8])
        """
        return self._find(keys, dynamic_default_values, name)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Any:
        """Sets the values of keys.

        Args:
            keys: A tensor of `key_dtype`.
            values: A tensor of `value_dtype`, of the shape of `keys` and then that of a value.
            name: A name for the op.

        Returns:
            A `tf.Operation` in a block of `tf.Graph.as_default`, else None.
        """
        operands = convert(keys, self.key_dtype), convert(values, self.value_dtype)
        return apply(tables.INSERT, self._table_handle, *operands, name=name)

    def remove(self, keys: TensorLike, name: str | None = None) -> Any:
        """Removes keys that are in the table.

        Args:
            keys: A tensor of `key_dtype`.
            name: A name for the op.

        Returns:
            A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

        Raises:
            TypeError: The keys are of another dtype.
        """
        return apply(tables.REMOVE, self._table_handle, self._keys(keys), name=name)


class DenseHashTable(MutableHashTable):
    """A table that insertions and removals change, with two reserved keys.

    TensorFlow's marks free places by them; this one only refuses them, and does not export them.
    The other arguments are those of `tf.lookup.experimental.MutableHashTable`.

    Args:
        empty_key: A scalar of `key_dtype`: a key that may not be used.
        deleted_key: Another one.
        initial_num_buckets: It has no effect.

    Raises:
        InvalidArgumentError: The two keys are equal, or no scalars.

    >>> import graphwright as tf
    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.int64, default_value=0, empty_key=-1, deleted_key=-2
    ... )
    >>> table.insert_or_assign([5], [50])
    >>> table.lookup([5, 6]).numpy()
    array([50,  0])
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        dtype = as_dtype(key_dtype)
        empty, deleted = (host_array(outside(key, dtype)) for key in (empty_key, deleted_key))
        if np.ndim(empty) or np.ndim(deleted):
            raise InvalidArgumentError(None, None, "Empty and deleted keys must be scalars")
        keys = [key if isinstance(key, bytes) else key.item() for key in (empty, deleted)]
        if keys[0] == keys[1]:
            raise InvalidArgumentError(None, None, "Empty and deleted keys cannot be equal")
        reserved = dict(zip(keys, ("empty_key", "deleted_key")))
        self._make(dtype, as_dtype(value_dtype), default_value, checkpoint, reserved)

    def insert_or_assign(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Any:
        """Sets the values of keys, as `insert`.

        Args:
            keys: A tensor of `key_dtype`.
            values: A tensor of `value_dtype`, of the shape of `keys` and then that of a value.
            name: A name for the op.

        Returns:
            A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

        Raises:
            InvalidArgumentError: A key may not be used.
        """
        return self.insert(keys, values, name)

    def erase(self, keys: TensorLike, name: str | None = None) -> Any:
        """Removes keys, as `remove`.

        Args:
            keys: A tensor of `key_dtype`.
            name: A name for the op.

        Returns:
            A `tf.Operation` in a block of `tf.Graph.as_default`, else None.
        """
        return self.remove(keys, name)
