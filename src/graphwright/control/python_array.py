"""The items of a TensorArray outside of graphs: a Python list."""

from __future__ import annotations

import operator
from typing import Any

from graphwright.base.errors import InvalidArgumentError, OutOfRangeError
from graphwright.op.interpreter import apply, convert, host_array
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.joining import concat, stack, unstack
from graphwright.ops.state import list_ops
from graphwright.ops.state.tensor_list import host_shape
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import Dims, is_compatible, merge_dims


def number_of(index: TensorLike) -> int:
    """An index as an int; TypeError for a number that is none."""
    value: Any = index
    return operator.index(value)


class PythonArray:
    """A TensorArray that runs eagerly: a list of tensors, changed in place."""

    def __init__(
        self, dtype: DType, size: int, dynamic: bool, dims: Dims | None, infer: bool, clear: bool
    ) -> None:
        self.dtype = dtype
        self.dynamic = dynamic
        self.dims = dims
        self.infer = infer
        self.clear = clear
        self.tensors: list[Any] = [None] * size
        self.cleared: set[int] = set()

    @property
    def flow(self) -> Any:
        """Nothing flows: a constant."""
        return convert(0)

    def write(self, index: TensorLike, value: TensorLike) -> PythonArray:
        """Sets an item."""
        place = self.place(number_of(index))
        item = self.converted(value)
        if not is_compatible(self.dims, item.type.dims):
            expected = TensorShape.from_dims(self.dims)
            raise ValueError(f"Incompatible shape for value ({item.shape}), expected ({expected})")
        if self.infer:
            self.dims = merge_dims(self.dims, item.type.dims)
        self.tensors[place] = item
        return self

    def converted(self, value: TensorLike) -> Any:
        """A tensor of the dtype of the items."""
        tensor = convert(value, None, self.dtype)
        if tensor.dtype is not self.dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype "
                f"{tensor.dtype.name} ",
            )
        return tensor

    def place(self, index: int) -> int:
        """An index to write to; the array grows to it where it may."""
        size = len(self.tensors)
        if index < 0:
            raise OutOfRangeError(
                None, None, f"Writing to negative indices (index {index}) is not allowed."
            )
        if index >= size:
            if not self.dynamic:
                raise OutOfRangeError(
                    None,
                    None,
                    f"Tried to write to index {index} but array is not resizeable and size is: "
                    f"{size} ",
                )
            self.tensors.extend([None] * (index + 1 - size))
        return index

    def read(self, index: TensorLike) -> Any:
        """An item; the array drops it then if it was made with `clear`."""
        place = number_of(index)
        if place < 0:
            raise OutOfRangeError(
                None, None, f"Reading from negative indices (index {place}) is not allowed."
            )
        if place >= len(self.tensors):
            raise OutOfRangeError(
                None,
                None,
                f"Tried to read from index {place} but array size is: {len(self.tensors)} ",
            )
        value = self.item(place)
        if self.clear:
            self.tensors[place] = None
            self.cleared.add(place)
        return value

    def item(self, index: int) -> Any:
        """An item, or the zeros that stand for it."""
        value = self.tensors[index]
        if value is not None:
            return value
        if index in self.cleared:
            raise InvalidArgumentError(
                None,
                None,
                f"Could not read index {index} twice because it was cleared after a previous "
                "read (perhaps try setting clear_after_read = false?)",
            )
        if self.dims is None or None in self.dims:
            raise ValueError(
                f"Item {index} of the TensorArray was not written, and its shape "
                f"{TensorShape.from_dims(self.dims)} is not fully known."
            )
        return zeros(self.dims, self.dtype)

    def stack(self) -> Any:
        """All items as one tensor."""
        if not self.tensors:
            dims = self.dims if self.dims is not None and None not in self.dims else ()
            return zeros((0, *dims), self.dtype)
        return stack([self.item(i) for i in range(len(self.tensors))])

    def gather(self, indices: TensorLike) -> Any:
        """Chosen items as one tensor."""
        return stack([self.item(operator.index(i)) for i in host_array(indices)])

    def concat(self) -> Any:
        """All items joined along their first axis."""
        items = [self.item(i) for i in range(len(self.tensors))]
        for i, item in enumerate(items):
            if item.type.rank == 0:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Concat saw a scalar shape at index {i} but requires at least vectors.",
                )
        return concat(items, 0)

    def unstack(self, value: TensorLike) -> PythonArray:
        """The rows of a tensor, in place of all items; later items may have another shape."""
        rows = unstack(self.converted(value))
        if len(rows) > len(self.tensors) and not self.dynamic:
            raise ValueError(
                f"Cannot unstack {len(rows)} tensors into a TensorArray of static size "
                f"{len(self.tensors)} "
            )
        self.tensors, self.cleared = list(rows), set()
        return self

    def scatter(self, indices: TensorLike, value: TensorLike) -> PythonArray:
        """Sets the items at `indices` to the rows of a tensor."""
        rows = unstack(convert(value, None, self.dtype))
        for index, row in zip(host_array(indices), rows):
            self.write(index, row)
        return self

    def split(self, value: TensorLike, lengths: TensorLike) -> PythonArray:
        """Consecutive pieces of a tensor, in place of all items."""
        value = convert(value, None, self.dtype)
        sizes = host_array(lengths)
        if sizes.sum() != value.shape[0]:
            raise InvalidArgumentError(
                None,
                None,
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sizes.sum()} and value's shape is: {value.shape.as_list()} ",
            )
        if not self.dynamic and len(sizes) != len(self.tensors):
            raise InvalidArgumentError(
                None,
                None,
                "TensorArray's size is not equal to the size of lengths "
                f"({len(self.tensors)} vs. {len(sizes)}), and the TensorArray is not marked as "
                "dynamically resizeable.",
            )
        ends = sizes.cumsum()
        self.tensors = [value[int(e - n) : int(e)] for n, e in zip(sizes, ends)]
        return self

    def size(self) -> Any:
        """The number of items."""
        return convert(len(self.tensors), dt.int32)

    def identity(self) -> PythonArray:
        """The array itself."""
        return self

    def as_flow(self) -> Any:
        """The array as one tensor of dtype variant, through ops that gradients pass."""
        empty = apply(list_ops.EmptyTensorList.of(self.dtype), host_shape(self.dims), -1)
        for i in range(len(self.tensors)):
            empty = apply(list_ops.PUSH_BACK, empty, self.item(i))
        return empty
