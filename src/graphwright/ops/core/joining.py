"""Several tensors into one, and one into several."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import STATE, apply, convert, convert_many, is_tensor
from graphwright.op.one_op import one_op
from graphwright.op.op import REGISTRY, Call, Op, Shapes, is_nested
from graphwright.op.refusal import fitting_axis
from graphwright.ops.core.identity import identity
from graphwright.ops.core.rule_words import along, host, pieces
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.slicing import entry
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, merge_dims, show_dims, single

#: Tensors of so many elements are stacked one by one. NumPy's way takes a microsecond longer, but
#: goes through them in the order of memory.
_SMALL = 1 << 10


class Pack(Op):
    """Tensors of one shape along a new axis."""

    type_name = "Pack"
    inputs = ("values: T*",)
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    computes = False
    least = {"values": 1}

    axis: int = 0

    def shapes(self, *values: TensorType) -> Shapes:
        dims = values[0].dims
        for i, value in enumerate(values):
            try:
                dims = merge_dims(dims, value.dims)
            except ValueError:
                raise ValueError(
                    f"Shapes of all inputs must match: values[0].shape = "
                    f"{show_dims(values[0].dims)} != values[{i}].shape = {show_dims(value.dims)}"
                    f"{self.fitting([v.dims for v in values])}"
                ) from None
        if dims is None:
            return (None,)
        place = new_axis(self.axis, len(dims))
        return ((*dims[:place], len(values), *dims[place:]),)

    def fitting(self, shapes: Sequence[Dims | None]) -> str:
        """A line with a call that stacks rows of several lengths; empty if none does."""
        ranks = {None if dims is None else len(dims) for dims in shapes}
        is_ragged = self.axis == 0 and len(ranks) == 1 and None not in ranks
        return "\n    tf.ragged.stack(values) takes them" if is_ragged else ""

    def kernel(self, *values: Any) -> Any:
        dims = values[0].shape
        place = new_axis(self.axis, len(dims))
        for value in values:
            if value.shape != dims:
                raise ValueError("Shapes of all inputs must match")
        if place or values[0].size > _SMALL:
            rows = (*dims[:place], 1, *dims[place:])
            return np.concatenate([value.reshape(rows) for value in values], place)
        result = np.empty((len(values), *dims), values[0].dtype)
        for i, value in enumerate(values):
            result[i, ...] = value  # text of rank 0 would be an array as an element
        return result

    def known(self, *values: Any) -> Any:
        return tuple(values) if self.axis == 0 else None

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return list(unstack(g, len(call.inputs), self.axis))

    def batched(self, each: Each) -> Any:
        count = len(each.inputs)
        axis = new_axis(self.axis, each.rank(0)) + 1
        return apply(Pack.of(axis), *[each.full(i) for i in range(count)])


def new_axis(axis: int, rank: int) -> int:
    """A non-negative place for a new axis in a tensor of `rank`."""
    if not -rank - 1 <= axis <= rank:
        raise ValueError(
            f"Argument `axis` = {axis} not in range [{-rank - 1}, {rank + 1})"
            f"{fitting_axis(axis, rank + 1)}"
        )
    return axis + rank + 1 if axis < 0 else axis


class Unpack(Op):
    """The `num` slices along an axis."""

    type_name = "Unpack"
    gives_parts = True
    inputs = ("value: T",)
    outputs = ("output: T*",)
    returns_tuple = True
    dtypes = {"T": dt.ANY}
    computes = False
    least = {"num": 0}

    num: int
    axis: int = 0

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return super().result_dtypes(types) * self.num

    def shapes(self, value: TensorType) -> Shapes:
        dims = value.dims
        if dims is None:
            return (None,) * self.num
        rank = len(dims)
        if not -rank <= self.axis < rank:
            raise ValueError(f"axis = {self.axis} not in [{-rank}, {rank})")
        place = self.axis % rank
        if dims[place] not in (None, self.num):
            raise ValueError(
                f"Input shape axis {place} must equal {self.num}, got shape {show_dims(dims)}"
            )
        return ((*dims[:place], *dims[place + 1 :]),) * self.num

    def kernel(self, value: Array) -> Any:
        rows = np.moveaxis(value, self.axis, 0) if self.axis else value
        if len(rows) != self.num:
            raise ValueError(
                f"Input shape axis {self.axis} must equal {self.num}, got shape "
                f"{show_dims(np.shape(value))}"
            )
        return tuple([rows[i, ...] for i in range(self.num)])

    def known(self, value: HostValue) -> Any:
        if isinstance(value, tuple) and len(value) == self.num and self.axis == 0:
            return value
        return (None,) * self.num

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        return (stack(zeros_for_none(call, cotangents), self.axis),)

    def expand(self, value: GraphTensor) -> Any:
        rank = value.shape.rank
        return tuple([value[along(rank, self.axis % rank, i)] for i in range(self.num)])

    def batched(self, each: Each) -> Any:
        return apply(Unpack.of(self.num, self.axis % each.rank(0) + 1), each.inputs[0])


def zeros_for_none(call: Call, cotangents: Sequence[Cotangent | None]) -> list[Any]:
    """The cotangents of all results, zeros for those on which nothing depends."""
    zeros_like = REGISTRY["ZerosLike"].of()
    return [apply(zeros_like, y) if g is None else g for y, g in zip(call.outputs, cotangents)]


class ConcatV2(Op):
    """Tensors one after another along an axis."""

    type_name = "ConcatV2"
    inputs = ("values: T*", "axis: Tidx host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tidx": dt.INDEX}
    computes = False
    least = {"values": 2}

    def shapes(self, *operands: Any) -> Shapes:
        return (concatenated_dims([o.dims for o in operands[:-1]], operands[-1]),)

    def kernel(self, *operands: Any) -> Any:
        return np.concatenate(operands[:-1], operands[-1])

    def known(self, *operands: Any) -> Any:
        *values, axis = operands
        is_first = axis == 0 or (axis == -1 and not any(map(is_nested, values)))
        if not is_first or not all(isinstance(v, tuple) for v in values):
            return None
        return tuple([entry for value in values for entry in value])

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        values, axis = call.inputs[:-1], call.inputs[-1]
        return *split_like(g, values, axis), None

    def batched(self, each: Each) -> Any:
        last = len(each.inputs) - 1
        return apply(self, *[each.full(i) for i in range(last)], each.axes(last))


def concatenated_dims(shapes: Sequence[Dims | None], axis: int | None) -> Dims | None:
    """The shape of a concatenation; ValueError where the operands do not fit together."""
    rank = next((len(s) for s in shapes if s is not None), None)
    for i, dims in enumerate(shapes):
        if dims == ():
            raise ValueError("Can't concatenate scalars (use tf.stack instead)")
        if dims is not None and len(dims) != rank:
            raise ValueError(
                "Ranks of all input tensors should match: "
                f"shape[0] = {show_dims(shapes[0])} vs. shape[{i}] = {show_dims(dims)}"
                f"{fitting_rank(shapes, i)}"
            )
    if rank is None:
        return None
    if axis is None:
        return (None,) * rank
    if not -rank <= axis < rank:
        raise ValueError(
            f"Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}"
            f"{fitting_axis(axis, rank)}"
        )
    place = axis % rank
    result: list[int | None] = [None] * rank
    for i, dims in enumerate(shapes):
        for k, d in enumerate(dims or ()):
            if k == place or d is None:
                continue
            if result[k] not in (None, d):
                raise ValueError(
                    f"Dimension {k} in both shapes must be equal: "
                    f"shape[0] = {show_dims(shapes[0])} vs. shape[{i}] = {show_dims(dims)}"
                    f"{joining_axis(shapes, rank)}"
                )
            result[k] = d
    along = [None if dims is None else dims[place] for dims in shapes]
    result[place] = None if None in along else sum(d for d in along if d is not None)
    return tuple(result)


def joining_axis(shapes: Sequence[Dims | None], rank: int) -> str:
    """A line with the axis along which operands differ, if there is one alone.

    >>> joining_axis([(2, 3), (4, 3)], 2), joining_axis([(2, 3), (4, 5)], 2)
    ('\\n    axis=0 fits', '')
    """
    known = [dims for dims in shapes if dims is not None]
    differ = [k for k in range(rank) if len({dims[k] for dims in known} - {None}) > 1]
    return f"\n    axis={differ[0]} fits" if len(differ) == 1 else ""


def fitting_rank(shapes: Sequence[Dims | None], place: int) -> str:
    """A line with the axis that one operand lacks beside the first, if that is clear.

    >>> fitting_rank([(2, 3), (3,)], 1), fitting_rank([(3,), (2, 3)], 1)
    ('\\n    tf.expand_dims(values[1], 0) fits', '\\n    tf.expand_dims(values[0], 0) fits')
    """
    first, other = shapes[0], shapes[place]
    if first is None or other is None:
        return ""
    is_later = len(other) < len(first)
    short, long = (other, first) if is_later else (first, other)
    lacking = place if is_later else 0
    return f"\n    tf.expand_dims(values[{lacking}], 0) fits" if short == long[1:] else ""


class Split(Op):
    """`num_split` equal pieces along an axis."""

    type_name = "Split"
    gives_parts = True
    inputs = ("split_dim: int32 host", "value: T")
    outputs = ("output: T*",)
    returns_tuple = True
    dtypes = {"T": dt.ANY}
    computes = False
    least = {"num_split": 1}

    num_split: int

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return super().result_dtypes(types) * self.num_split

    def shapes(self, split_dim: int | None, value: TensorType) -> Shapes:
        dims = value.dims
        if dims is None:
            return (None,) * self.num_split
        if split_dim is None:
            return ((None,) * len(dims),) * self.num_split
        place = split_axis(split_dim, len(dims))
        size = dims[place]
        if size is not None and size % self.num_split:
            raise ValueError(
                f"Number of ways to split should evenly divide the split dimension, but got "
                f"split_dim {place} (size = {size}) and num_split {self.num_split}"
                f"{fitting_pieces(size, self.num_split)}"
            )
        piece = None if size is None else size // self.num_split
        return ((*dims[:place], piece, *dims[place + 1 :]),) * self.num_split

    def kernel(self, split_dim: int, value: Array) -> Any:
        return tuple(np.split(value, self.num_split, split_dim))

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        return None, concat(zeros_for_none(call, cotangents), call.inputs[0])

    def expand(self, axis: GraphTensor, value: GraphTensor) -> Any:
        """Slices, where the size of the axis is known."""
        place = host(axis)
        size = None if place is None else value.shape[place]
        if size is None or size % self.num_split:
            return None
        return pieces(value, place % value.shape.rank, [size // self.num_split] * self.num_split)

    def batched(self, each: Each) -> Any:
        return apply(self, each.axes(0), each.inputs[1])


def fitting_pieces(size: int, count: int) -> str:
    """A line with sizes of so many pieces that differ by one at most; empty for many pieces.

    >>> fitting_pieces(5, 2)
    '\\n    num_or_size_splits=[3, 2] fits'
    """
    sizes = [(size + i) // count for i in reversed(range(count))]
    return f"\n    num_or_size_splits={sizes} fits" if sizes[-1] > 0 and count <= 8 else ""


class SplitV(Op):
    """Pieces of the given sizes along an axis; one size may be -1: what is left."""

    type_name = "SplitV"
    gives_parts = True
    inputs = ("value: T", "size_splits: Tlen host", "split_dim: int32 host")
    outputs = ("output: T*",)
    returns_tuple = True
    dtypes = {"T": dt.ANY, "Tlen": frozenset({dt.int8, dt.int32, dt.int64})}
    least = {"num_split": 1}
    computes = False

    num_split: int

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return super().result_dtypes(types) * self.num_split

    def shapes(
        self, value: TensorType, size_splits: Dims | None, split_dim: int | Dims | None
    ) -> Shapes:
        dims = value.dims
        if dims is None:
            return (None,) * self.num_split
        if split_dim is None:
            return ((None,) * len(dims),) * self.num_split
        if isinstance(split_dim, tuple):
            raise ValueError("split_dim of SplitV must be a scalar, not a list")
        place = split_axis(split_dim, len(dims))
        sizes = piece_sizes(dims[place], size_splits or (None,) * self.num_split)
        self.check_count(sizes)
        return tuple([(*dims[:place], size, *dims[place + 1 :]) for size in sizes])

    def kernel(
        self, value: Array, size_splits: tuple[int, ...], split_dim: int | tuple[int, ...]
    ) -> Any:
        axis = split_dim if isinstance(split_dim, int) else single(split_dim, "split_dim")
        sizes: Any = piece_sizes(np.shape(value)[axis], size_splits)
        self.check_count(sizes)
        return tuple(np.split(value, list(accumulate(sizes[:-1])), axis))

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        return concat(zeros_for_none(call, cotangents), call.inputs[2]), None, None

    def expand(self, value: GraphTensor, sizes: GraphTensor, axis: GraphTensor) -> Any:
        """Slices, where their sizes are known."""
        place, wanted = host(axis), host(sizes)
        size = None if place is None or wanted is None else value.shape[place]
        if size is None:
            return None
        rest = size - sum(n for n in wanted if n != -1)
        exact = [rest if n == -1 else n for n in wanted]
        return pieces(value, place % value.shape.rank, exact) if sum(exact) == size else None

    def check_count(self, sizes: Dims) -> None:
        """ValueError unless there is a size for each piece."""
        if len(sizes) != self.num_split:
            raise ValueError(
                f"size_splits must have num_split = {self.num_split} entries, got {len(sizes)}"
            )

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.same(1), each.axes(2))


def split_axis(axis: int, rank: int) -> int:
    """A non-negative axis along which a tensor of `rank` can be split."""
    if not -rank <= axis < rank:
        raise ValueError(
            f"-input rank({-rank}) <= split_dim < input rank ({rank}), but got {axis}"
            f"{fitting_axis(axis, rank)}"
        )
    return axis % rank


def piece_sizes(total: int | None, sizes: Any) -> tuple[int | None, ...]:
    """The sizes of the pieces of an axis of size `total`, with -1 worked out."""
    if sizes == (-1,):
        raise ValueError(
            "If there is only one output, it must have the same size as the input. Input size: "
            f"{total} output size: -1"
        )
    if sizes.count(-1) > 1:
        raise ValueError("There can only be one -1 in the input.")
    if any(s is not None and s < -1 for s in sizes):
        raise ValueError(f"Split size at index {[s < -1 for s in sizes].index(True)} must be >= 0")
    if total is None or None in sizes:
        return tuple([None if s == -1 else s for s in sizes])
    known = sum(s for s in sizes if s != -1)
    if known > total or (known != total and -1 not in sizes):
        raise ValueError(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {known}, but the input has size {total}"
        )
    return tuple([total - known if s == -1 else s for s in sizes])


def split_like(x: TensorLike, parts: Sequence[TensorValue], axis: int | TensorValue) -> list[Any]:
    """`x` split along `axis` into pieces of the sizes that `parts` have there."""
    sizes: Any = None
    if isinstance(axis, int):
        sizes = [p.type.dims and p.type.dims[axis] for p in parts]
    if sizes is None or None in sizes:
        sizes = stack([entry(shape(p), axis) for p in parts])
    return list(apply(SplitV.of(len(parts)), x, sizes, axis))


# -- the public functions -------------------------------------------------------------------


def stack(values: Sequence[TensorLike], axis: int = 0, name: str | None = "stack") -> Tensor:
    """Stacks tensors of one shape along a new axis.

    Args:
        values: A list of tensors of one dtype and shape.
        axis: The place of the new axis, an int from -rank - 1 to rank.
        name: A name for the op.

    Returns:
        A tensor of one rank more than the operands.

    Raises:
        ValueError: `axis` is out of range.
        InvalidArgumentError: The shapes differ; while tracing, this is a ValueError.

    >>> import graphwright as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 3],
           [2, 4]], dtype=int32)>
    """
    is_one = is_tensor(values) or not hasattr(values, "__iter__")
    if axis == 0 and (is_one or not any(map(is_tensor, values))):
        with suppress(TypeError, ValueError):  # of rows that differ, the op says what differs
            return convert(values, name=name)
    tensors = convert_many(values)
    rank = tensors[0].ndim
    if rank is not None:
        new_axis(axis, rank)
    return apply(Pack.of(axis), *tensors, name=name)


def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """Splits a tensor into its slices along an axis.

    Args:
        value: A tensor of any dtype, of rank 1 or more.
        num: The size of the axis. None takes it from the static shape.
        axis: The axis, an int; negative ones count from the end.
        name: A name for the op.

    Returns:
        A list of tensors of one rank less than `value`.

    Raises:
        ValueError: `axis` is out of range, or `num` is neither given nor known.
        InvalidArgumentError: `num` is not the size of the axis.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    value = convert(value)
    if num is None:
        dims = value.dims
        if dims is not None:
            if not -len(dims) <= axis < len(dims):
                raise ValueError(
                    f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})"
                    f"{fitting_axis(axis, len(dims))}"
                )
            num = dims[axis]
        if num is None:
            raise ValueError(
                f"Cannot infer argument `num` from shape {value.shape}. Pass it: "
                "tf.unstack(value, num=...)"
            )
    return list(apply(Unpack.of(num, axis), value, name=name)) if num else []


def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: TensorLike = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """Splits a tensor along an axis into equal pieces, or into pieces of given sizes.

    Args:
        value: A tensor of any dtype, of rank 1 or more.
        num_or_size_splits: The number of equal pieces, an int; or the size of each piece, of which
            one may be -1: the rest.
        axis: The axis: an int or a scalar of int32.
        num: The number of pieces, where the sizes are a tensor of unknown length.
        name: A name for the op.

    Returns:
        A list of tensors of the dtype and rank of `value`.

    Raises:
        InvalidArgumentError: The sizes do not add up to the size of the axis, or it is not
            divisible.
        ValueError: The sizes are a scalar tensor, or their number is not known.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.split([1, 2, 3, 4, 5, 6], [1, 3, -1])]
    [[1], [2, 3, 4], [5, 6]]
    """
    value = convert(value)
    if isinstance(num_or_size_splits, (int, np.integer)):
        if num_or_size_splits > dt.int32.max:
            raise ValueError(f"Number of outputs is too big: {num_or_size_splits}")
        return list(apply(Split.of(int(num_or_size_splits)), axis, value, name=name))
    sizes = num_or_size_splits
    if is_tensor(sizes):
        if sizes.type.rank == 0:
            raise ValueError(
                "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
                f"Argument provided: {sizes}"
            )
        if num is None:
            num = sizes.type.dims[0] if sizes.type.dims else None
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {sizes.shape}")
    else:
        num = len(sizes)
    return list(apply(SplitV.of(num), value, sizes, axis, name=name))


def concat(values: TensorLike, axis: TensorLike, name: str | None = "concat") -> Tensor:
    """Joins tensors along an axis that they have.

    Args:
        values: A list of tensors of one dtype and rank, whose other axes are of the same sizes; or
            one tensor.
        axis: The axis: an int, or a scalar of int32 or int64. Negative ones count from the end.
        name: A name for the op.

    Returns:
        A tensor of the dtype and rank of the operands; of a single tensor, that tensor.

    Raises:
        InvalidArgumentError: The shapes do not fit, or the axis is out of range; while tracing,
            this is a ValueError.
        ValueError: The same, while tracing; and an axis that is no scalar.

    >>> import graphwright as tf
    >>> tf.concat([[[1, 2]], [[3, 4]]], axis=0)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    """
    if not isinstance(values, (list, tuple)):
        if getattr(values, "_is_list", False):
            raise TypeError(f"how many tensors there are in {values!r}, only the graph knows")
        values = [values]
    if axis is None:
        raise ValueError("concat needs an `axis`: None is no axis")
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        (axis,) = axis
    if len(values) == 1:
        if not isinstance(axis, int):
            check_axis(axis)
        return identity(values[0], name=name)
    return apply(CONCAT, *convert_many(values), axis, name=name)


def check_axis(axis: TensorLike) -> None:
    """Raises ValueError for an axis that is no scalar, as where a program gives it first."""
    place = axis if is_tensor(axis) else convert(axis, dt.int32)
    if place.type.rank not in (None, 0):
        raise ValueError(
            f"Shape {place.type.dims} must have rank 0: the axis of `tf.concat(values, axis)`"
        )


def parallel_stack(values: Sequence[TensorLike], name: str | None = "parallel_stack") -> Tensor:
    """Stacks tensors of one known shape along a new first axis, only while tracing.

    Args:
        values: A list of tensors of one dtype and of one shape that is known.
        name: A name for the op.

    Returns:
        A tensor of one rank more than the operands.

    Raises:
        RuntimeError: No function is being traced.
        ValueError: The shape of an operand is not known.

    >>> import graphwright as tf
    >>> @tf.function
    ... def f():
    ...     return tf.parallel_stack([[1, 2], [3, 4]])
    >>> f().numpy().tolist()
    [[1, 2], [3, 4]]
    """
    if STATE.active is None:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    tensors = convert_many(values)
    if any(not x.type.is_static for x in tensors):
        raise ValueError("All inputs to parallel_stack must have known shapes.")
    return apply(Pack.of(0), *tensors, name=name)


CONCAT = ConcatV2()

one_op(stack, attributes=1, is_list=True)
one_op(concat, hosts=1, is_list=True)
