"""Lists of tensors as one value of dtype variant: what TensorArrays and loops' gradients hold.

A list is immutable to its holders. Versions of a list share a store, which has the items of the
newest and a log of what changed. So changing the newest version costs O(1), and an older one that
somebody still uses is copied out then.
"""

from __future__ import annotations

import threading
from typing import Any, TypeAlias, Union

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.forks import held_over_forks
from graphwright.op.op import c_name
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, merge_dims, show_dims

HANDLE: TensorType = TensorType(dt.variant, ())
#: What the operand `element_shape` says about the items' shape: None and -1 stand for the unknown.
ElementShape: TypeAlias = int | Dims | None
#: An item of a list: an array, a list of a list of lists, None before it is written.
Item: TypeAlias = Union[Array, "TensorList", None]
_LOCK = held_over_forks(threading.Lock())  # two threads may go on from one version
_LOG = 64  # changes that a store remembers, beyond one for each item


class ListStore:
    """The items of the newest version, and what to undo to get the older ones.

    An entry of the log is (index, old item), (_GREW, old size) or (_SHRANK, lost items). Version n
    of the list is the items with all entries after the first n undone.
    """

    __slots__ = ("blank", "items", "log", "rows")

    def __init__(self, items: list[Item], blank: bool = False) -> None:
        self.items = items
        self.blank = blank  # whether all were None to begin with: the log tells which are not
        self.log: list[tuple[int, Any]] = []
        self.rows: Any = None  # the array whose rows the first version's items are, if one is

    def as_of(self, version: int) -> list[Any]:
        """A copy of the items as they were in a version."""
        items = self.items.copy()
        for place, old in reversed(self.log[version:]):
            if place == _GREW:
                del items[old:]
            elif place == _SHRANK:
                items.extend(old)
            else:
                items[place] = old
        return items


_GREW, _SHRANK = -1, -2


class TensorList:
    """One version of a list of arrays of one dtype; items not written yet are None.

    `dims` is what is known of all items' shape. `dtype` and `tensor_type` say to the eager
    interpreter what kind of operand this is.
    """

    __slots__ = ("_place", "dims", "element_dtype", "limit")
    dtype = dt.variant
    shape = ()
    tensor_type = HANDLE

    def __init__(
        self,
        items: list[Item],
        element_dtype: DType,
        dims: Dims | None,
        limit: int | None = None,
        blank: bool = False,
    ) -> None:
        #: The store, and the number of this version in it: one object, since other threads read it.
        self._place = ListStore(items, blank), 0
        self.element_dtype = element_dtype
        self.dims = dims
        self.limit = limit

    def _newest_store(self) -> ListStore:
        """A store of which this is the newest version; the lock is held."""
        store, version = self._place
        if version != len(store.log):
            store = ListStore(store.as_of(version))
            self._place = store, 0
        return store

    # Another thread may go on from this version at any moment, and changes the store. It adds to
    # the log before it changes the items. So what was read is right if the log is as before.

    @property
    def items(self) -> list[Any]:
        """The items, in a list that nobody else has."""
        store, version = self._place
        items = store.items.copy()
        if version == len(store.log):
            return items
        with _LOCK:
            return self._newest_store().items.copy()

    @property
    def rows(self) -> Any:
        """The array whose rows the items are, None if that is not known."""
        store, _ = self._place
        return None if store.log else store.rows

    @rows.setter
    def rows(self, rows: Array) -> None:
        self._place[0].rows = rows

    @property
    def is_sparse(self) -> bool:
        """Whether the log tells which items were written."""
        return self._place[0].blank

    @property
    def written(self) -> set[int] | None:
        """The places of all items that were written, if it takes no search to tell."""
        store, version = self._place
        if not store.blank:
            return None
        return {place for place, _ in store.log[:version] if place >= 0}

    def get(self, index: int) -> Any:
        """The item at a place that exists."""
        store, version = self._place
        item = store.items[index : index + 1]
        if version == len(store.log):
            return item[0]
        with _LOCK:
            return self._newest_store().items[index]

    def _changed(self, place: int, value: Any) -> TensorList:
        """The next version: an item set, the list grown or cut to a size."""
        newer = TensorList.__new__(TensorList)
        newer.element_dtype, newer.dims, newer.limit = self.element_dtype, self.dims, self.limit
        with _LOCK:
            store = self._newest_store()
            items, log = store.items, store.log
            if len(log) > len(items) + _LOG:  # forget what led here; costs O(1) on average
                store = ListStore(items.copy())
                items, log = store.items, store.log
            if place < 0:
                store.blank = False
            if place == _GREW:
                log.append((_GREW, len(items)))
                items.extend(value)
            elif place == _SHRANK:
                log.append((_SHRANK, items[value:]))
                del items[value:]
            else:
                log.append((place, items[place]))
                items[place] = value
            newer._place = store, len(log)
        return newer

    def set(self, index: int, item: Item) -> TensorList:
        """The list with another item at a place that exists."""
        return self._changed(index, item)

    def push(self, item: Item) -> TensorList:
        """The list with one more item."""
        return self._changed(_GREW, (item,))

    def extend(self, items: list[Item]) -> TensorList:
        """The list with more items."""
        return self._changed(_GREW, items.copy())

    def resize(self, size: int) -> TensorList:
        """The list cut, or filled up with unwritten items."""
        missing = size - len(self)
        if missing < 0:
            return self._changed(_SHRANK, size)
        return self._changed(_GREW, (None,) * missing)

    def like(self, items: list[Item]) -> TensorList:
        """A list of other items of the same kind."""
        return TensorList(items, self.element_dtype, self.dims, self.limit)

    def __len__(self) -> int:
        store, version = self._place
        size = len(store.items)
        if version == len(store.log):
            return size
        with _LOCK:
            return len(self._newest_store().items)

    def __repr__(self) -> str:
        return "<TensorList>"


# -- common parts of the ops --------------------------------------------------------------------


def refuse(message: str) -> InvalidArgumentError:
    """The error of a list op."""
    return InvalidArgumentError(None, None, message)


def known_dims(element_shape: ElementShape) -> Dims | None:
    """An `element_shape` operand, in which -1 means unknown, as dims."""
    if not isinstance(element_shape, tuple):
        if element_shape not in (-1, None):
            raise ValueError(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1, "
                f"not {element_shape}"
            )
        return None
    if any(d is not None and d < -1 for d in element_shape):
        raise ValueError(f"element_shape must be of sizes, or -1 for unknown ones: {element_shape}")
    return tuple([None if d is None or d < 0 else d for d in element_shape])


def host_shape(dims: Dims | None) -> Any:
    """Dims as the operand `element_shape`."""
    return -1 if dims is None else tuple([-1 if d is None else d for d in dims])


def check_dtype(items: TensorList, dtype: DType) -> None:
    """InvalidArgumentError unless the list holds tensors of this dtype."""
    if items.element_dtype is not dtype:
        raise refuse(
            f"Invalid data types; op elements {c_name(dtype)} but list elements "
            f"{c_name(items.element_dtype)}"
        )


def merged(a: Dims | None, b: Dims | None) -> Dims | None:
    """What is known of a shape when both hold; InvalidArgumentError if they do not agree."""
    try:
        return merge_dims(a, b)
    except ValueError:
        raise refuse(
            f"PartialTensorShape: Incompatible shapes during merge: {show_dims(a)} vs. "
            f"{show_dims(b)}"
        ) from None


def element_dims(items: TensorList, known: Dims | None) -> Dims | None:
    """What is known of the items' shape: `known`, the list's, and that of the items written."""
    dims = merged(known, items.dims)
    if dims is None or None in dims:
        for item in items.items:
            if item is not None:
                dims = merged(dims, np.shape(item))
    return dims


def blank(items: TensorList, dims: Dims | None, message: str) -> Any:
    """The value of an item that was never written: zeros, where the shape is known."""
    if dims is None or None in dims:
        raise refuse(message.format(show_dims(dims)))
    return zeros_of(items.element_dtype, dims)


def zeros_of(dtype: DType, dims: Dims) -> Any:
    """An array of zeros (of empty strings)."""
    if dtype is dt.string:
        return np.full(dims, b"", dtype=object)
    return np.zeros(dims, dtype.numpy_dtype)


def filled(items: TensorList, known: Dims | None, message: str) -> list[Any]:
    """All items, those never written as zeros."""
    stored = items.items
    if None not in map(type_or_none, stored):
        return stored
    dims = element_dims(items, known)
    return [blank(items, dims, message) if item is None else item for item in stored]


def type_or_none(item: object) -> Any:
    """None for None, else True: a look-up that does not compare arrays."""
    return None if item is None else True


def item_at(items: TensorList, index: int, element_shape: ElementShape, dtype: DType) -> Any:
    """One item, or the zeros that stand for it."""
    check_dtype(items, dtype)
    size = len(items)
    if not 0 <= index < size:
        raise refuse(f"Trying to access element {index} in a list with {size} elements.")
    item = items.get(index)
    if item is not None:
        return item
    return blank(
        items,
        element_dims(items, known_dims(element_shape)),
        "Trying to read an uninitialized tensor but element_shape is not fully defined: {} and "
        "no list element is set.",
    )
