"""`tf.lookup`: tables from keys to values, fixed or changing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.library.checkpoint.object_graph import Tracked
from graphwright.library.lookup.lookup_columns import Columns
from graphwright.library.lookup.lookup_initializers import TableInitializer
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


class LookupTable(Tracked):
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
        """The number of keys, an int64 scalar."""
        return apply(tables.SIZE, self._table_handle, name=name)

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """All keys, and their values in the same order."""
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

    Lookups give `default_value` for other keys.

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
            default = convert(default_value, initializer.value_dtype)
            default.shape.assert_is_compatible_with(())
            super().__init__(Table(initializer.key_dtype, initializer.value_dtype), default)
            initializer.initialize(self)

    @property
    def default_value(self) -> TensorValue:
        """The value of keys that are not in the table."""
        return self._default_value

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The values of keys, a dense, sparse or ragged tensor."""
        return self._find(keys, None, name)


class StaticVocabularyTable:
    """A fixed table from words to numbers, which hashes all other words to further numbers.

    The values of the initializer must be int64. Hashes are the `num_oov_buckets` numbers behind
    them. Without an initializer all words are hashed.

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
            if initializer.value_dtype is not dt.int64:
                raise TypeError(
                    f"Invalid `value_dtype`, expected {dt.int64!r} but got "
                    f"{initializer.value_dtype!r}."
                )
            if initializer.key_dtype not in (dt.int64, dt.string):
                raise TypeError(
                    "Invalid `key_dtype`, expected one of (tf.int64, tf.string), but got "
                    f"{initializer.key_dtype!r}."
                )
            key_dtype = key_dtype or initializer.key_dtype
            if key_dtype.is_integer != initializer.key_dtype.is_integer:
                raise TypeError(
                    f"Invalid `key_dtype`, expected {key_dtype!r} but got "
                    f"{initializer.key_dtype!r}."
                )
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
        """The number of all numbers of words, hashes included."""
        count = convert(0, dt.int64) if self._table is None else self._table.size()
        return add(count, self._buckets, name)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The numbers of words, a dense, sparse or ragged tensor."""
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
    """A table that insertions and removals change; checkpoints save it.

    Lookups give `default_value` for other keys; all values have its shape.

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
        with init_scope():
            default = convert(default, value)
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
        """The values of keys; others get `dynamic_default_values`, one or one for each key."""
        return self._find(keys, dynamic_default_values, name)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> None:
        """Sets the values of keys."""
        operands = convert(keys, self.key_dtype), convert(values, self.value_dtype)
        apply(tables.INSERT, self._table_handle, *operands, name=name)

    def remove(self, keys: TensorLike, name: str | None = None) -> None:
        """Removes keys that are in the table; TypeError for keys of another dtype."""
        apply(tables.REMOVE, self._table_handle, self._keys(keys), name=name)


class DenseHashTable(MutableHashTable):
    """A table that insertions and removals change, with two reserved keys.

    TensorFlow's marks free places by them; this one only refuses them, and does not export them.
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
        with init_scope():
            empty, deleted = (host_array(key, dtype) for key in (empty_key, deleted_key))
        if np.ndim(empty) or np.ndim(deleted):
            raise InvalidArgumentError(None, None, "Empty and deleted keys must be scalars")
        keys = [key if isinstance(key, bytes) else key.item() for key in (empty, deleted)]
        if keys[0] == keys[1]:
            raise InvalidArgumentError(None, None, "Empty and deleted keys cannot be equal")
        reserved = dict(zip(keys, ("empty_key", "deleted_key")))
        self._make(dtype, as_dtype(value_dtype), default_value, checkpoint, reserved)

    def insert_or_assign(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> None:
        """Sets the values of keys, as `insert`."""
        self.insert(keys, values, name)

    def erase(self, keys: TensorLike, name: str | None = None) -> None:
        """Removes keys, as `remove`."""
        self.remove(keys, name)
