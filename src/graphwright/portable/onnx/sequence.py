"""Sequences of ONNX as our lists of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.control.branch import traced_cond
from graphwright.control.loop import while_loop
from graphwright.op.interpreter import apply
from graphwright.ops.core.casting import cast
from graphwright.ops.core.indexing import where
from graphwright.ops.core.movement import transpose
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.comparison import equal
from graphwright.ops.state.list_ops import (
    EmptyTensorList,
    TensorListGetItem,
    TensorListLength,
    TensorListPushBack,
    TensorListReserve,
    TensorListSetItem,
)
from graphwright.ops.state.list_tensors import TensorListFromTensor, TensorListStack
from graphwright.portable.model_error import malformed
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor

#: The shape of items of which nothing is known.
_ANY = -1


class ItemSequence:
    """A sequence of tensors of one dtype: the handle of a list, and what all items have in common.

    `type` is None as long as there is no item.
    """

    def __init__(self, handle: TensorValue, dtype: DType, type: TensorType | None) -> None:
        self.handle: Any = handle
        self.item = dtype
        self.type = type

    def joined(self, type: TensorType | None) -> TensorType | None:
        """What the items and one more have in common."""
        if self.type is None or type is None:
            return self.type or type
        both = self.type.join(type)
        if both is None:
            words = f"a sequence of {self.item.name} takes an item of {type.dtype.name}"
            raise malformed("a sequence", words)
        return both

    @classmethod
    def empty(cls, dtype: DType) -> ItemSequence:
        """A sequence without items."""
        return cls(apply(EmptyTensorList.of(dtype), _ANY, -1), dtype, None)

    @classmethod
    def of_items(cls, items: Sequence[TensorLike], item: TensorType, where: str) -> ItemSequence:
        """A sequence of what a program gives; each item is of a type."""
        made = cls.empty(item.dtype)
        for number, value in enumerate(items):
            tensor = convert(value, item.dtype)
            if not tensor.shape.is_compatible_with(item.dims):
                raise ValueError(
                    f"{where} takes items of shape {TensorShape.from_dims(item.dims)}, and item "
                    f"{number} has the shape {tensor.shape}"
                )
            made = made.pushed(tensor)
        return made

    def items(self, where: str) -> list[Any]:
        """The items, as many as there are now; NotImplementedError in a trace."""
        if not isinstance(self.handle, EagerTensor):
            raise NotImplementedError(
                f"{where} is a sequence, whose length a trace does not know: call the model where "
                "ops run at once"
            )
        return [self._item(convert(place)) for place in range(int(self.length()))]

    @classmethod
    def of_slices(cls, tensor: TensorValue) -> ItemSequence:
        """The slices of a tensor along its first axis."""
        rest = tensor.type.dims[1:] if tensor.type.dims else None
        if rest is not None and 0 in rest:  # items that are to be written: of any shape
            count = shape(tensor)[0]
            return cls(apply(TensorListReserve.of(tensor.dtype), _ANY, count), tensor.dtype, None)
        known = rest if rest is not None and None not in rest else _ANY
        made = apply(TensorListFromTensor.of(), tensor, known)
        return cls(made, tensor.dtype, TensorType(tensor.dtype, rest))

    def length(self) -> Any:
        """How many items there are, as int32."""
        return apply(TensorListLength.of(), self.handle)

    def place(self, index: TensorValue) -> Any:
        """A place that counts from the start, for one that may count from the end."""
        number = cast(index, dt.int32)
        return where(number < 0, number + self.length(), number)

    def at(self, index: TensorValue) -> Any:
        """The item at a place."""
        return self._item(self.place(index))

    def pushed(self, item: TensorValue) -> ItemSequence:
        """With one more item."""
        made = apply(TensorListPushBack.of(), self.handle, item)
        return ItemSequence(made, self.item, self.joined(item.type))

    def set(self, index: TensorValue, item: TensorValue) -> ItemSequence:
        """With another item at a place."""
        made = apply(TensorListSetItem.of(False), self.handle, self.place(index), item)
        return ItemSequence(made, self.item, self.joined(item.type))

    def inserted(self, index: TensorValue, item: TensorValue) -> ItemSequence:
        """With one more item at a place."""
        place, count = self.place(index), self.length()

        def step(i: TensorValue, handle: TensorValue) -> Any:
            source = where(i < place, i, i - 1)
            chosen = traced_cond(
                equal(i, place), lambda: item, lambda: self._item(source), "inserted"
            )
            return i + 1, apply(TensorListPushBack.of(), handle, chosen)

        start = ItemSequence.empty(self.item).handle
        loop = while_loop(lambda i, _: i <= count, step, (convert(0), start))
        return ItemSequence(loop[1], self.item, self.joined(item.type))

    def transposed(self, axes: list[int]) -> ItemSequence:
        """The items, each with its axes in another order; they have a rank."""
        count = self.length()

        def step(i: TensorValue, handle: TensorValue) -> Any:
            item = transpose(self._item(i), axes)
            return i + 1, apply(TensorListPushBack.of(), handle, item)

        start = ItemSequence.empty(self.item).handle
        loop = while_loop(lambda i, _: i < count, step, (convert(0), start))
        dims = None if self.type is None else self.type.dims
        turned = None if dims is None else tuple([dims[axis] for axis in axes])
        return ItemSequence(loop[1], self.item, TensorType(self.item, turned))

    def erased(self, index: TensorValue) -> ItemSequence:
        """Without the item at a place."""
        place, count = self.place(index), self.length()

        def step(i: TensorValue, handle: TensorValue) -> Any:
            source = where(i < place, i, i + 1)
            return i + 1, apply(TensorListPushBack.of(), handle, self._item(source))

        start = ItemSequence.empty(self.item).handle
        loop = while_loop(lambda i, _: i < count - 1, step, (convert(0), start))
        return ItemSequence(loop[1], self.item, self.type)

    def _item(self, place: TensorValue) -> Any:
        return apply(TensorListGetItem.of(self.item), self.handle, place, self._shape())

    def _shape(self) -> Any:
        """What is known of the shape of items, as ops on lists take it."""
        dims = None if self.type is None else self.type.dims
        return _ANY if dims is None else [-1 if size is None else size for size in dims]

    def stacked(self) -> Any:
        """The items along a new first axis."""
        return apply(TensorListStack.of(self.item, -1), self.handle, self._shape())


class Erased(ItemSequence):
    """A sequence without one item, which is only made if something else than a write follows."""

    def __init__(self, whole: ItemSequence, index: TensorValue) -> None:
        self.whole = whole
        self.index = index
        self.item, self.type = whole.item, whole.type
        self._handle: Any = None

    @property
    def handle(self) -> Any:  # made when it is asked for
        """The handle of the shorter list."""
        if self._handle is None:
            self._handle = self.whole.erased(self.index).handle
        return self._handle
