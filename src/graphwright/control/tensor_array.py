"""`tf.TensorArray`: an array of tensors that is written and read one by one.

Eagerly it is a Python list, changed in place. In a graph it is a `TensorList`, a value of dtype
variant (the array's `flow`). Writing gives a new array, and loops and branches carry it like a
tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.python_array import PythonArray, number_of
from graphwright.ir.known import known
from graphwright.op.interpreter import apply, convert, makes_tensor
from graphwright.op.op import c_name
from graphwright.op.refusal import boundaries
from graphwright.ops.core.casting import cast
from graphwright.ops.core.identity import identity
from graphwright.ops.state import list_ops, list_tensors
from graphwright.ops.state.tensor_list import host_shape
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import Dims, is_compatible, merge_dims
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import holds_tensor

_NO_GRAD = (
    "TensorArray.grad is not supported: gradients flow through the array's operations by "
    "themselves."
)


class ListArray:
    """A TensorArray over a `TensorList`: every change gives a new array.

    `count` is the number of items where it is known and cannot change.
    """

    def __init__(
        self,
        dtype: DType,
        flow: TensorValue,
        dynamic: bool,
        dims: Dims | None,
        infer: bool,
        count: int | None = None,
    ) -> None:
        self.dtype = dtype
        self.flow = flow
        self.dynamic = dynamic
        self.dims = dims
        self.infer = infer
        self.count = None if dynamic else count
        #: The number of items where the program says it as a number, not as the size of a tensor:
        #: traces for other sizes share code with this one.
        self.stated: int | None = None

    def after(self, flow: TensorValue, dims: Dims | None, count: int | None = None) -> ListArray:
        """The array after a change."""
        changed = ListArray(self.dtype, flow, self.dynamic, dims, self.infer, count)
        changed.stated = self.stated if count == self.stated else None
        return changed

    def admitted(self, dims: Dims | None) -> Dims | None:
        """What is known of the items' shape once one of shape `dims` is in."""
        if not is_compatible(dims, self.dims):
            raise ValueError(
                f"Inconsistent shapes: saw {TensorShape.from_dims(dims)} but expected "
                f"{TensorShape.from_dims(self.dims)} "
            )
        return merge_dims(self.dims, dims) if self.infer else self.dims

    def write(self, index: TensorLike, value: TensorLike) -> ListArray:
        """The array with another item."""
        value = self.converted(value)
        op = list_ops.TensorListSetItem.of(self.dynamic)
        flow = apply(
            op, self.flow, index32(index), value, name="TensorArrayV2Write/TensorListSetItem"
        )
        return self.after(flow, self.admitted(value.type.dims), self.count)

    def converted(self, value: TensorLike) -> TensorValue:
        """A value as a tensor of the array's dtype; InvalidArgumentError if it has another."""
        tensor = convert(value, None, self.dtype)
        if tensor.dtype is not self.dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"Invalid data types; op elements {c_name(tensor.dtype)} but list elements "
                f"{c_name(self.dtype)}",
            )
        return tensor

    def read(self, index: TensorLike) -> Any:
        """An item."""
        op = list_ops.TensorListGetItem.of(self.dtype)
        name = "TensorArrayV2Read/TensorListGetItem"
        return apply(op, self.flow, index32(index), host_shape(self.dims), name=name)

    def push(self, value: TensorLike) -> ListArray:
        """The array with another item at its end."""
        value = self.converted(value)
        flow = apply(list_ops.PUSH_BACK, self.flow, value)
        return self.after(flow, self.admitted(value.type.dims))

    def pop(self) -> tuple[ListArray, Any]:
        """The array without its last item, and that item."""
        op = list_ops.TensorListPopBack.of(self.dtype)
        flow, item = apply(op, self.flow, host_shape(self.dims))
        return self.after(flow, self.dims), item

    def stack(self) -> Any:
        """All items as one tensor."""
        op = list_tensors.TensorListStack.of(self.dtype, -1 if self.count is None else self.count)
        name = "TensorArrayV2Stack/TensorListStack"
        return apply(op, self.flow, host_shape(self.dims), name=name)

    def gather(self, indices: TensorLike) -> Any:
        """Chosen items as one tensor."""
        op = list_tensors.TensorListGather.of(self.dtype)
        return apply(op, self.flow, index32(indices), host_shape(self.dims))

    def concat(self) -> Any:
        """All items joined along their first axis."""
        op = list_tensors.TensorListConcatV2.of(self.dtype)
        dims = self.dims
        shape = dims if not dims else (None, *dims[1:])
        return apply(op, self.flow, host_shape(shape), ())[0]

    def unstack(self, value: TensorLike) -> ListArray:
        """The rows of a tensor, in place of all items."""
        value = self.converted(value)
        dims = value.type.dims
        rest = None if dims is None else dims[1:]
        name = "TensorArrayUnstack/TensorListFromTensor"
        flow = apply(list_tensors.FROM_TENSOR, value, host_shape(rest), name=name)
        return self.filled(flow, self.admitted(rest), None if dims is None else dims[0])

    def scatter(self, indices: TensorLike, value: TensorLike) -> ListArray:
        """The array with the rows of a tensor at `indices`."""
        value = self.converted(value)
        dims = value.type.dims
        name = "TensorArrayScatter/TensorListScatterIntoExistingList"
        flow = apply(list_tensors.SCATTER_INTO, self.flow, value, index32(indices), name=name)
        return self.after(flow, self.admitted(None if dims is None else dims[1:]), self.count)

    def split(self, value: TensorLike, lengths: TensorLike) -> ListArray:
        """Consecutive pieces of a tensor, in place of all items."""
        value = self.converted(value)
        dims = value.type.dims
        item = dims if not dims else (None, *dims[1:])
        sizes = cast(convert(lengths), dt.int64)
        op = list_tensors.TensorListSplit.of()
        name = "TensorArraySplit/TensorListSplit"
        flow = apply(op, value, host_shape(item), sizes, name=name)
        count = sizes.type.dims[0] if sizes.type.dims else None
        return self.filled(flow, self.admitted(item), count)

    def filled(self, flow: TensorValue, dims: Dims | None, count: int | None) -> ListArray:
        """The array of `count` other items. One of a size of its own keeps that: reading all items
        of a list that has more or fewer fails."""
        return self.after(flow, dims, count if self.count is None else self.count)

    def size(self) -> Any:
        """The number of items."""
        if self.count is not None:
            return convert(self.count, dt.int32)
        return apply(list_ops.LENGTH, self.flow)

    def identity(self) -> ListArray:
        """An equal array."""
        return self.after(identity(self.flow), self.dims, self.count)

    def as_flow(self) -> Any:
        """The list."""
        return self.flow


def index32(index: TensorLike) -> Any:
    """An index, or several, as int32; TypeError for numbers that are none.

    A graph casts NumPy's floats, and tensors in a list.
    """
    tensor = convert(index)
    casts = isinstance(index, (np.ndarray, np.generic, list, tuple))
    if isinstance(index, (list, tuple)):
        casts = holds_tensor(index) or tensor.type.size == 0
    if not tensor.dtype.is_integer and not casts:
        raise TypeError(f"a place or size of a TensorArray must be an integer, got {index!r}")
    return tensor if tensor.dtype is dt.int32 else cast(tensor, dt.int32)


@boundaries
class TensorArray(Composite):
    """An array of tensors of one dtype, each written once and then read.

    Use what `write`, `unstack`, `scatter` and `split` return: in a graph they give a new array.

    Args:
        dtype: The dtype of the items.
        size: A scalar integer: the number of items.
        dynamic_size: A bool: whether writing past the end makes the array grow.
        clear_after_read: A bool: whether an eager array drops the items that were read; None means
            True.
        tensor_array_name: It has no effect.
        handle: It has no effect.
        flow: The `flow` of another array, which this one continues.
        infer_shape: A bool: whether all items must be of one shape.
        element_shape: What is known of the shape of all items.
        colocate_with_first_write_call: It has no effect.
        name: A name for the op.

    Raises:
        ValueError: There is neither `size` nor `flow`.

    >>> import graphwright as tf
    >>> array = tf.TensorArray(tf.float32, size=2)
    >>> array = array.write(0, 1.0).write(1, 2.0)
    >>> array.stack()
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """

    _impl: PythonArray | ListArray

    def __init__(
        self,
        dtype: DTypeLike,
        size: TensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: object = None,
        flow: TensorValue | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        kind = as_dtype(dtype)
        dims = TensorShape(element_shape)._dims
        dynamic = bool(dynamic_size)
        if flow is not None and flow.dtype is dt.variant:
            self._impl = ListArray(kind, flow, dynamic, dims, infer_shape)
            return
        eager = current_tracer() is None
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
                if eager
                else "Argument `size` must be provided if argument `flow` is not provided."
            )
        if makes_tensor(size):
            size = convert(size)
        if eager:
            clear = clear_after_read is None or clear_after_read
            self._impl = PythonArray(kind, number_of(size), dynamic, dims, infer_shape, clear)
            return
        op = list_ops.TensorListReserve.of(kind)
        count = static_size(size)
        flow = apply(op, host_shape(dims), index32(size), name=name or "TensorArrayV2")
        self._impl = ListArray(kind, flow, dynamic, dims, infer_shape, count)
        self._impl.stated = self._impl.count if isinstance(size, int) else None

    @classmethod
    def _of(cls, impl: PythonArray | ListArray) -> TensorArray:
        array = cls.__new__(cls)
        array._impl = impl
        return array

    @property
    def flow(self) -> Any:
        """The tensor that carries the array through a graph."""
        return self._impl.flow

    @property
    def handle(self) -> None:
        """None: there is no resource behind the array."""
        return None

    @property
    def dtype(self) -> DType:
        """The dtype of the items."""
        return self._impl.dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end makes it grow."""
        return self._impl.dynamic

    def _with_item_shape_of(self, left: TensorArray) -> TensorArray:
        """The array with the shape of the items that the body of a loop has put into `left`."""
        mine, impl = self._impl, left._impl
        if not isinstance(mine, ListArray) or mine.dims is not None or impl.dims is None:
            return self
        return self._of(mine.after(mine.flow, impl.dims, mine.count))

    def _with_size_of(self, entered: TensorArray) -> TensorArray:
        """The array that a loop leaves, of the size that the program says."""
        mine, impl = self._impl, entered._impl
        if not isinstance(mine, ListArray) or not isinstance(impl, ListArray):
            return self
        sized = mine.after(mine.flow, mine.dims, impl.stated)
        sized.stated = impl.stated
        return self._of(sized)

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of all items."""
        return TensorShape.from_dims(self._impl.dims)

    @property
    def __graphwright_spec__(self) -> TensorArraySpec:
        impl = self._impl
        return TensorArraySpec(self.element_shape, impl.dtype, impl.dynamic, impl.infer)

    @property
    def _differentiable_part(self) -> Any:
        return self.flow

    def identity(self) -> TensorArray:
        """An array with the same items."""
        return self._of(self._impl.identity())

    def grad(self, source: str, flow: object = None, name: str | None = None) -> Any:
        """Refuses: gradients flow through the array's ops, and need no array of their own.

        Args:
            source: A string.
            flow: A tensor.
            name: A string.

        Returns:
            Nothing.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(_NO_GRAD)

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """Returns the item at `index`.

        Args:
            index: A scalar integer.
            name: A name, which has no effect.

        Returns:
            A tensor.
        """
        return self._impl.read(index)

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Returns the array with `value` at `index`.

        Args:
            index: A scalar integer.
            value: A tensor of the array's dtype.
            name: A name, which has no effect.

        Returns:
            A `tf.TensorArray`.

        Raises:
            ValueError: The shape of `value` is not that of the other items.
        """
        return self._of(self._impl.write(index, value))

    def stack(self, name: str | None = None) -> Tensor:
        """Returns all items as one tensor; those never written are zeros.

        Args:
            name: A name, which has no effect.

        Returns:
            A tensor of shape [size, ...].
        """
        return self._impl.stack()

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Returns the items at `indices` as one tensor.

        Args:
            indices: A vector of integers.
            name: A name, which has no effect.

        Returns:
            A tensor of shape [len(indices), ...].

        >>> import graphwright as tf
        >>> array = tf.TensorArray(tf.int32, 3, clear_after_read=False).unstack([10, 20, 30])
        >>> array.gather([2, 0]).numpy()
        array([30, 10], dtype=int32)
        """
        return self._impl.gather(indices)

    def concat(self, name: str | None = None) -> Tensor:
        """Returns the items, which may differ in length, joined along their first axis.

        Args:
            name: A name, which has no effect.

        Returns:
            A tensor whose first axis has the lengths of all items together.

        >>> import graphwright as tf
        >>> array = tf.TensorArray(tf.int32, 2, infer_shape=False)
        >>> array.write(0, [1, 2]).write(1, [3]).concat().numpy()
        array([1, 2, 3], dtype=int32)
        """
        return self._impl.concat()

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Returns the array of the rows of `value`.

        Args:
            value: A tensor of the array's dtype, of shape [size, ...].
            name: A name, which has no effect.

        Returns:
            A `tf.TensorArray`.

        >>> import graphwright as tf
        >>> tf.TensorArray(tf.int32, 2).unstack([5, 6]).read(1).numpy()
        np.int32(6)
        """
        return self._of(self._impl.unstack(value))

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """Returns the array with the rows of `value` at `indices`.

        Args:
            indices: A vector of integers.
            value: A tensor of the array's dtype, of shape [len(indices), ...].
            name: A name, which has no effect.

        Returns:
            A `tf.TensorArray`.

        >>> import graphwright as tf
        >>> tf.TensorArray(tf.int32, 2).scatter([1, 0], [5, 6]).stack().numpy()
        array([6, 5], dtype=int32)
        """
        return self._of(self._impl.scatter(indices, value))

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Returns the array of consecutive pieces of `value`.

        Args:
            value: A tensor of the array's dtype.
            lengths: A vector of integers: how much of the first axis each piece has.
            name: A name, which has no effect.

        Returns:
            A `tf.TensorArray`.

        >>> import graphwright as tf
        >>> tf.TensorArray(tf.int32, 2, infer_shape=False).split([1, 2, 3], [2, 1]).read(0).numpy()
        array([1, 2], dtype=int32)
        """
        return self._of(self._impl.split(value, lengths))

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of items.

        Args:
            name: A name, which has no effect.

        Returns:
            A scalar of int32.
        """
        return self._impl.size()

    def close(self, name: str | None = None) -> None:
        """Does nothing: the memory goes with the array.

        Args:
            name: A name, which has no effect.
        """


def static_size(size: TensorLike) -> int | None:
    """The value of a size, where it is known while tracing."""
    if isinstance(size, SymbolicTensor):
        value = known(size.key)
        return value if isinstance(value, int) else None
    return int(size) if isinstance(size, np.inexact) else number_of(size)


@boundaries
class TensorArraySpec(TypeSpec):
    """The type of a `tf.TensorArray`: its dtype, and what is known of the shape of its items.

    Args:
        element_shape: A `tf.TensorShape`, or what makes one.
        dtype: The dtype of the items.
        dynamic_size: A bool: whether the array may grow.
        infer_shape: A bool: whether all items are of one shape.

    >>> import graphwright as tf
    >>> tf.type_spec_from_value(tf.TensorArray(tf.int32, 2, element_shape=[3]))
    TensorArraySpec(TensorShape([3]), tf.int32, False, True)
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(
        self,
        element_shape: ShapeLike = None,
        dtype: DTypeLike = dt.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> type:
        """`tf.TensorArray`."""
        return TensorArray

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], dt.variant)]

    def _to_components(self, value: TensorArray) -> Any:
        return [value._impl.as_flow()]

    def _from_components(self, components: Sequence[TensorValue]) -> TensorArray:
        dims = self._element_shape._dims
        impl = ListArray(self._dtype, components[0], self._dynamic_size, dims, self._infer_shape)
        return TensorArray._of(impl)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_shape, self._dtype, self._dynamic_size, self._infer_shape)

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """Returns the spec of an array.

        Args:
            value: A `tf.TensorArray`.

        Returns:
            A `tf.TensorArraySpec`.
        """
        return value.__graphwright_spec__
