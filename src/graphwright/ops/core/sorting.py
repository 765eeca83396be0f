"""Order: extremes' places, the greatest elements, sorting, and search in what is sorted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.batching import Each, batches, last_axes
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.late_imports import late_module
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, LateRefusal, Op, Shapes, not_differentiable
from graphwright.op.refusal import fitting_axis
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_size, host_vector
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape, transpose
from graphwright.ops.core.rule_words import extent, host, inhabited, moved, required
from graphwright.ops.core.segment_reduction import unsorted_segment_sum
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.core.shapes import rank_of, shape, shape_of, size
from graphwright.ops.core.static import check_whole, known_int
from graphwright.ops.math.arithmetic import minimum, negative, subtract
from graphwright.ops.math.comparison import (
    equal,
    greater,
    less,
    logical_and,
    logical_not,
    logical_or,
    select,
)
from graphwright.ops.math.reduction import range_vector, reduce_max, reduce_min, reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

# -- the places of extremes -----------------------------------------------------------------

ORDERED = dt.REAL | dt.BOOL


class ExtremePlace(Op):
    """The index of an extreme along an axis, the first one of equals; NaN is passed over."""

    inputs = ("input: T", "dimension: Tidx host")
    outputs = ("output: output_type",)
    dtypes = {"T": ORDERED, "Tidx": dt.INDEX, "output_type": dt.INDEX}
    gradient = not_differentiable
    find: ClassVar[Callable[..., Any]]
    extreme: ClassVar[Callable[..., Any]]
    beyond: ClassVar[float]

    output_type: DType = dt.int64

    def shapes(self, x: TensorType, axis: int | Dims | None) -> Shapes:
        if isinstance(axis, tuple):
            raise ValueError(f"{self.type_name}: dimension must be a scalar, not {list(axis)}")
        if x.dims is None:
            return (None,)
        if axis is None:
            return ((None,) * (len(x.dims) - 1),)
        rank = len(x.dims)
        if not -rank <= axis < rank:
            kind = LateRefusal if rank < 2 else ValueError
            raise kind(
                f"Expected dimension in the range [{-rank}, {rank}), but got {axis}"
                f"{fitting_axis(axis, rank)}"
            )
        axis %= rank
        return (x.dims[:axis] + x.dims[axis + 1 :],)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        find, dtype = type(self).find, self.output_type.numpy_dtype
        if not types[0].is_floating:
            return lambda x, axis: find(searchable(x, axis), axis=axis).astype(dtype)
        beyond = types[0].numpy_dtype.type(type(self).beyond)

        def place(x: Array, axis: int) -> Any:
            total = np.add.reduce(searchable(x, axis), axis=None)
            if total != total:  # a NaN, or infinities: rarely
                x = np.where(np.isnan(x), beyond, x)
            return find(x, axis=axis).astype(dtype)

        return place

    def expand(self, x: GraphTensor, axis: GraphTensor) -> Any:
        """The first place of an extreme, which is found before."""
        place = host(axis)
        if place is None or not x.shape.rank:
            return None
        place %= x.shape.rank
        x = inhabited(x, place)
        x = cast(x, dt.uint8) if x.dtype is dt.bool_ else x
        if x.dtype.is_floating:
            x = select(equal(x, x), x, cast(type(self).beyond, x.dtype))
        extreme = type(self).extreme(x, place, True)
        numbers = reshape(steps(extent(x, place)), [-1, *[1] * (x.shape.rank - place - 1)])
        places = select(equal(x, extreme), numbers, numbers.dtype.max)
        return cast(reduce_min(places, place), self.output_type)

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.axes(1))


def searchable(x: Array, axis: int) -> Any:
    """The array; ValueError where nothing is along the axis. NumPy would search all of a scalar.

    The rule of shapes takes an empty axis: a graph fails when it runs, if it comes there.
    """
    if np.ndim(x) == 0:
        raise ValueError("Expected dimension in the range [0, 0)")
    if x.shape[axis] == 0:
        raise ValueError(f"Reduction axis {axis % x.ndim} is empty in shape {show_dims(x.shape)}")
    return x


class ArgMax(ExtremePlace):
    """The index of the greatest element along an axis."""

    type_name = "ArgMax"
    dtypes = ExtremePlace.dtypes | {"output_type": dt.INDEX | {dt.int16, dt.uint16}}
    find = staticmethod(np.argmax)
    extreme = staticmethod(reduce_max)
    beyond = -np.inf


class ArgMin(ExtremePlace):
    """The index of the least element along an axis."""

    type_name = "ArgMin"
    find = staticmethod(np.argmin)
    extreme = staticmethod(reduce_min)
    beyond = np.inf


# -- the greatest, the nth ------------------------------------------------------------------


#: The dtypes of places.
PLACES = dt.INDEX | {dt.int16}


#: The comparisons of a row in machine code; where there are more, kernels sort it in less time.
MOST_COMPARISONS = 1 << 15

#: The most elements that are found one after the other, and how many times as many a row must have.
MOST_ROUNDS, LEAST_OF_ROUND = 8, 8


class TopKV2(Op):
    """The k greatest elements along the last axis, descending, and their indices."""

    type_name = "TopKV2"
    inputs = ("input: T", "k: Tk host")
    outputs = ("values: T", "indices: index_type")
    dtypes = {"T": dt.REAL, "Tk": PLACES, "index_type": PLACES}
    batched = last_axes

    sorted: bool = True
    index_type: DType = dt.int32

    def shapes(self, x: TensorType, k: int | Dims | None) -> Shapes:
        if isinstance(k, tuple):
            raise ValueError(f"TopKV2: k must be a scalar, not {list(k)}")
        if k is not None and k < 0:
            raise ValueError(f"Need k >= 0, got {k}")
        if x.dims is None:
            return (None, None)
        if not x.dims:
            raise ValueError(f"input must be >= 1-D, got shape {show_dims(x.dims)}")
        if k is not None and x.dims[-1] is not None and x.dims[-1] < k:
            raise ValueError(f"input must have at least k columns. Had {x.dims[-1]}, needed {k}")
        dims = (*x.dims[:-1], k)
        return (dims, dims)

    def kernel(self, x: Array, k: int) -> Any:
        x = np.asarray(x)
        if not x.ndim or not 0 <= k <= x.shape[-1]:
            raise ValueError(f"TopKV2 of shape {x.shape} and k {k}")
        places = greatest(without_nan(x), k)
        starts = np.arange(math.prod(x.shape[:-1])).reshape((*x.shape[:-1], 1)) * x.shape[-1]
        values = x.reshape(-1).take(places + starts)
        return values, places.astype(self.index_type.numpy_dtype)

    def gradient(self, call: Call, g: Cotangent, unused: Cotangent) -> Sequence[Any]:
        x, places = call.inputs[0], cast(call.outputs[1], dt.int32)
        columns = shape(x)[-1]
        rows = reshape(places, [-1, shape(places)[-1]])
        starts = expand_dims(range_vector(shape(rows)[0]) * columns, 1)
        flat = reshape(rows + starts, [-1])
        return reshape(unsorted_segment_sum(reshape(g, [-1]), flat, size(x)), shape(x)), None

    def expand(self, x: GraphTensor, k: GraphTensor) -> Any:
        """A few of long rows come one after the other; short rows are put in order as a whole."""
        count = host(k)
        if count is None or not x.shape.rank:
            return None
        size = x.shape[-1]
        keys = x
        if x.dtype.is_floating:  # NaN is the least
            keys = select(equal(x, x), x, cast(float("-inf"), x.dtype))
        if 0 < count <= MOST_ROUNDS and (size is None or size > LEAST_OF_ROUND * count):
            places = leaders(keys, count)
        elif size is not None and size * (size + count) <= MOST_COMPARISONS:
            places = ranked(keys, count, size)
        else:
            return None
        last = x.shape.rank - 1
        values = moved(x, last, [places], last)
        return values, cast(places, self.index_type) if self.index_type is not dt.int32 else places


def ranked(keys: GraphTensor, count: int, size: int) -> Any:
    """The places of the greatest in short rows: the kth is the element that k others come before.

    No step of that waits for another one.
    """
    numbers = steps(size)
    here, there = expand_dims(keys, -1), expand_dims(keys, -2)
    earlier = cast(numbers < expand_dims(numbers, -1), dt.int32)
    before = select(there > here, 1, select(equal(there, here), earlier, 0))
    places = reduce_sum(before, -1)
    hits = equal(expand_dims(places, -2), expand_dims(steps(count), -1))
    return reduce_sum(select(hits, numbers, 0), -1)


def leaders(keys: GraphTensor, count: int) -> Any:
    """The places of the greatest in rows of any length, each found after the one before it.

    Of equal elements the first one comes first. So those that are left are less than the last one
    found, or equal to it and behind it.
    """
    length = cast(extent(keys, -1), dt.int32)
    numbers = steps(length)
    least = cast(keys.dtype.min if keys.dtype.is_integer else float("-inf"), keys.dtype)
    rest: Any = None
    places: list[Any] = []
    for _ in range(count):
        best = reduce_max(keys if rest is None else select(rest, keys, least), -1, keepdims=True)
        same = equal(keys, best)
        hits = same if rest is None else logical_and(rest, same)
        place = reduce_min(select(hits, numbers, length), -1, keepdims=True)
        behind = logical_and(same, greater(numbers, place))
        rest = logical_or(less(keys, best), behind)
        places.append(required(place, less(place, length)))
    return concat(places, -1)


#: So many elements of these dtypes are sorted by numbers that tell equals apart.
MANY, PACKED = 1 << 10, (np.dtype(np.float32), np.dtype(np.int32))

#: So many elements are sorted before the next ones.
NEAR = 1 << 15

#: The bits of such a number that say where the element is.
LOW = (1 << 32) - 1


def greatest(x: Array, k: int) -> Any:
    """The places of the k greatest in each row, descending, of equals the first ones first."""
    size = x.shape[-1]
    if 0 < k < size // 16:  # the others need not be sorted
        bound = np.partition(x, size - k, axis=-1)[..., size - k, None]
        chosen = np.flatnonzero(x >= bound)
        if chosen.size * size != x.size * k:  # some equal the last one
            above, level = x > bound, x == bound
            missing = k - np.count_nonzero(above, axis=-1, keepdims=True)
            level &= np.cumsum(level, axis=-1, dtype=np.int32) <= missing
            chosen = np.flatnonzero(above | level)
        places = chosen.reshape((*x.shape[:-1], k)) % size
        order = greatest(np.take_along_axis(x, places, axis=-1), k)
        return np.take_along_axis(places, order, axis=-1)
    if x.size >= MANY and x.dtype in PACKED and size < 1 << 31:
        return greatest_by_numbers(x, k)
    # Sorted backwards and turned round, equals stay in the order of their indices.
    order = np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return size - 1 - order[..., :k]


def greatest_by_numbers(x: Array, k: int) -> Any:
    """The same by numbers of 64 bits: an element, and behind it how far its place is from the end.

    No two are equal, so that NumPy's vectors may sort them, which keep no order of equals.
    """
    rows, size = x.reshape(-1, x.shape[-1]), x.shape[-1]
    places = np.empty((len(rows), k), np.int64)
    block = max(NEAR // max(size, 1), 1)  # of rows, that stay in the cache
    for first in range(0, len(rows), block):
        part = rows[first : first + block]
        bits = part if part.dtype == np.int32 else ordered_bits(part)
        keys = bits.astype(np.int64)
        keys <<= 32
        keys |= np.arange(size - 1, -1, -1)
        if 0 < k < size // 2:
            keys.partition(size - k, axis=-1)
            keys = keys[:, size - k :]
        keys.sort(axis=-1)
        np.subtract(size - 1, keys[:, ::-1][:, :k] & LOW, out=places[first : first + block])
    return places.reshape((*x.shape[:-1], k))


def ordered_bits(x: Array) -> Any:
    """Numbers in the order of an array of float32 without NaN; zeros of both signs are equal."""
    bits = (x + np.float32(0)).view(np.int32)
    return bits ^ ((bits >> 31) & np.int32(0x7FFFFFFF))


def without_nan(x: Array) -> Any:
    """The array with the lowest value in the place of each NaN, so that it sorts as one."""
    if x.dtype.kind in "iu":
        return x
    missing = np.isnan(x)
    return np.where(missing, x.dtype.type(-np.inf), x) if missing.any() else x


class NthElement(Op):
    """The element that would stand at place n of the sorted last axis."""

    type_name = "NthElement"
    inputs = ("input: T", "n: int32 host")
    outputs = ("values: T",)
    dtypes = {"T": dt.REAL}
    batched = last_axes

    reverse: bool = False

    def shapes(self, x: TensorType, n: int | None) -> Shapes:
        if n is not None and n < 0:
            raise ValueError(f"n must be non-negative but is {n}")
        if x.dims is None:
            return (None,)
        if not x.dims:
            raise ValueError("Input must be >= 1-D, got a scalar")
        if n is not None and x.dims[-1] is not None and x.dims[-1] <= n:
            raise ValueError(f"Input must have last dimension > n = {n}")
        return (x.dims[:-1],)

    def kernel(self, x: Array, n: int) -> Any:
        size = np.shape(x)[-1]
        if not 0 <= n < size:
            raise ValueError(f"Input must have last dimension > n = {n}")
        place = size - 1 - n if self.reverse else n
        return np.partition(x, place, axis=-1)[..., place]

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        chosen = cast(equal(call.inputs[0], expand_dims(call.outputs[0], -1)), g.dtype)
        return chosen / reduce_sum(chosen, -1, True) * expand_dims(g, -1), None


# -- search ---------------------------------------------------------------------------------


#: A search in longer rows has no native form: its steps are written out.
_MOST_SEARCHED = 1 << 12

#: So many values may be worth machine code.
_FEW_SEARCHED = 1 << 6


class Bound(Op):
    """Where each value would be inserted into its sorted row."""

    inputs = ("sorted_inputs: T", "values: T")
    outputs = ("output: out_type",)
    dtypes = {"T": dt.REAL | dt.STRING, "out_type": dt.INDEX}
    ranks = {"sorted_inputs": 2, "values": 2}
    gradient = not_differentiable
    batched = batches
    #: Whether the search goes on past an element of the row.
    passes: ClassVar[Callable[..., Any]]
    #: The same in ops.
    goes_on: ClassVar[Callable[..., Any]]
    side: ClassVar[Any]

    out_type: DType = dt.int32

    def shapes(self, rows: TensorType, values: TensorType) -> Shapes:
        if rows.dims and values.dims and not is_compatible(rows.dims[:1], values.dims[:1]):
            raise ValueError(
                "Leading dim_size of both tensors must match: "
                f"{show_dims(rows.dims)} and {show_dims(values.dims)}"
            )
        return (values.dims,)

    def kernel(self, rows: Array, values: Array) -> Any:
        dtype = self.out_type.numpy_dtype
        if values.size >= _FEW_SEARCHED:
            code = late_module("graphwright.ops.math.search_code")  # most programs need none
            places: Array | None = code.places(rows, values, type(self).side)
            if places is not None:
                return places.astype(dtype, copy=False)
        # NumPy takes NaN for the greatest of all, but a comparison with it is false.
        can_be_nan = values.dtype.kind in "fV"
        has_nan = can_be_nan and any(np.any(end != end) for end in (values, rows[:, -1:]))
        if len(rows) == 1 and not has_nan:
            return np.searchsorted(rows[0], values, self.side).astype(dtype)
        return bisected(rows, values, type(self).passes).astype(dtype)

    def expand(self, rows: GraphTensor, values: GraphTensor) -> Any:
        """The binary search, step by step, where the sizes are known."""
        dims = (*rows.shape, *values.shape)
        if None in dims or 0 in dims or dims[1] > _MOST_SEARCHED:
            return None
        count, length = dims[:2]
        flat = reshape(rows, [count * length])
        starts = np.arange(0, count * length, length, dtype=np.int32)[:, None]
        low: Any = np.zeros(dims[2:], np.int32)
        high: Any = np.full(dims[2:], length, np.int32)
        for _ in range(length.bit_length()):
            middle = (low + high) // 2
            place: Any = starts + minimum(middle, np.int32(length - 1))
            on = logical_and(less(low, high), type(self).goes_on(moved(flat, 0, [place]), values))
            low, high = select(on, middle + 1, low), select(on, high, middle)
        return cast(low, self.out_type)


def bisected(rows: Array, values: Array, passes: Callable[[Array, Array], Array]) -> Any:
    """A binary search in all rows at once."""
    low = np.zeros(values.shape, np.int64)
    high = np.full(values.shape, rows.shape[1], np.int64)
    for _ in range(int(rows.shape[1]).bit_length()):
        middle = (low + high) // 2
        probe = np.take_along_axis(rows, np.minimum(middle, rows.shape[1] - 1), axis=1)
        on = (low < high) & passes(probe, values).astype(np.bool_)
        low = np.where(on, middle + 1, low)
        high = np.where(on, high, middle)
    return low


class LowerBound(Bound):
    """Before the elements that are equal."""

    type_name = "LowerBound"
    passes = staticmethod(np.less)
    goes_on = staticmethod(less)
    side = "left"


class UpperBound(Bound):
    """Behind the elements that are equal."""

    type_name = "UpperBound"
    passes = staticmethod(lambda probe, value: ~np.greater(probe, value).astype(np.bool_))
    goes_on = staticmethod(lambda probe, value: logical_not(greater(probe, value)))
    side = "right"


# -- the public functions -------------------------------------------------------------------


class TopK(NamedTuple):
    """The greatest elements and their indices."""

    values: Tensor
    indices: Tensor


TopK.__name__ = TopK.__qualname__ = "TopKV2"


def argmax(
    input: TensorLike,
    axis: TensorLike | None = None,
    output_type: DTypeLike = dt.int64,
    name: str | None = None,
) -> Tensor:
    """Returns the index of the greatest element along an axis, of equal ones the first.

    NaN is passed over.

    Args:
        input: A tensor of real numbers or bools, of rank 1 or more.
        axis: The axis: an int or a scalar of int32 or int64. None means 0.
        output_type: int16, uint16, int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of `output_type`, of the shape of `input` without the axis.

    Raises:
        InvalidArgumentError: The axis is out of range or empty.

    >>> import graphwright as tf
    >>> tf.argmax([[1, 9, 3], [7, 5, 7]], axis=1)
    <tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 0])>
    """
    check_whole(axis, "axis")
    op = ArgMax.of(ArgMax.dtype_for("output_type", output_type))
    return apply(op, convert(input), 0 if axis is None else axis, name=name)


def argmin(
    input: TensorLike,
    axis: TensorLike | None = None,
    output_type: DTypeLike = dt.int64,
    name: str | None = None,
) -> Tensor:
    """Returns the index of the least element along an axis, of equal ones the first.

    NaN is passed over.

    Args:
        input: A tensor of real numbers or bools, of rank 1 or more.
        axis: The axis: an int or a scalar of int32 or int64. None means 0.
        output_type: int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of `output_type`, of the shape of `input` without the axis.

    Raises:
        InvalidArgumentError: The axis is out of range or empty.

    >>> import graphwright as tf
    >>> tf.argmin([[1, 9, 3], [7, 5, 5]], axis=1).numpy().tolist()
    [0, 1]
    """
    op = ArgMin.of(ArgMin.dtype_for("output_type", output_type))
    return apply(op, convert(input), 0 if axis is None else axis, name=name)


def top_k(
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DTypeLike = dt.int32,
    name: str | None = None,
) -> TopK:
    """Finds the greatest elements along the last axis, in descending order, and their indices.

    Of equal elements, that of lower index comes first. NaN comes last.

    Args:
        input: A tensor of real numbers, of rank 1 or more.
        k: How many elements: an int or a scalar of int16, int32 or int64.
        sorted: Recorded in the op; the elements are sorted in either case.
        index_type: int16, int32 or int64: the dtype of the indices.
        name: A name for the op.

    Returns:
        A named tuple `(values, indices)`. Both are of the shape of `input` with a last axis of size
        `k`.

    Raises:
        InvalidArgumentError: `k` is negative or above the size of the last axis, or `input` is a
            scalar.

    >>> import graphwright as tf
    >>> tf.math.top_k([1, 5, 3], k=2).indices
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    op = TopKV2.of(sorted, TopKV2.dtype_for("index_type", index_type))
    return TopK(*apply(op, convert(input), k, name=name))


def sort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """Sorts the elements along an axis.

    NaN comes last.

    Args:
        values: A tensor of real numbers, of rank 1 or more.
        axis: The axis, an int.
        direction: "ASCENDING" or "DESCENDING".
        name: A name for the op.

    Returns:
        A tensor like `values`.

    Raises:
        ValueError: `direction` is neither of the two, or `axis` is not a known number.
        InvalidArgumentError: `axis` is out of range.

    >>> import graphwright as tf
    >>> tf.sort([3, 1, 2], direction="DESCENDING")
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([3, 2, 1], dtype=int32)>
    """
    x, axis = convert(values), constant_axis(axis)
    if is_descending(direction):
        return descending(x, axis).values
    return mirrored(descending(mirrored(x), axis).values)


def argsort(
    values: TensorLike,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the indices that sort a tensor along an axis.

    Equal elements keep their order.

    Args:
        values: A tensor of real numbers, of rank 1 or more.
        axis: The axis, an int.
        direction: "ASCENDING" or "DESCENDING".
        stable: Accepted for TensorFlow's signature; the sort is stable in either case.
        name: A name for the op.

    Returns:
        A tensor of int32 of the shape of `values`.

    Raises:
        ValueError: `direction` is neither of the two, or `axis` is not a known number.
        InvalidArgumentError: `axis` is out of range.

    >>> import graphwright as tf
    >>> tf.argsort([3, 1, 2])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 0], dtype=int32)>
    """
    x, axis = convert(values), constant_axis(axis)
    return descending(x if is_descending(direction) else mirrored(x), axis).indices


def constant_axis(axis: object) -> int:
    """An axis as an int; ValueError unless it is a number, and known."""
    number = known_int(axis)
    if isinstance(number, (int, float, np.floating)):
        return int(number)
    raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis!r}.")


def is_descending(direction: str) -> bool:
    """Whether a sort is descending; ValueError if it is not ascending either."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    return direction == "DESCENDING"


def mirrored(x: TensorValue) -> Any:
    """The same elements in the opposite order of size; its own inverse."""
    dtype = x.dtype
    if dtype.is_unsigned:
        return subtract(convert(dtype.max, dtype), x)
    return subtract(negative(x), 1) if dtype.is_integer else negative(x)


def descending(x: TensorValue, axis: int, count: int | TensorValue | None = None) -> Any:
    """All elements sorted along an axis, descending, and their indices; or the first `count`."""
    rank = x.type.rank
    count = axis_size(x, axis) if count is None else count
    if axis == -1 or axis + 1 == rank:
        return top_k(x, count)
    if rank is None:
        last = rank_of(x) - 1
        places = range_vector(last + 1)
        place = convert(axis) if axis >= 0 else last + 1 + axis
        swapped: Any = select(equal(places, last), place, places)
        swapped = select(equal(places, place), last, swapped)
    else:
        axis %= rank
        swapped = [*[rank - 1 if i == axis else i for i in range(rank - 1)], axis]
    sorted_last = top_k(transpose(x, swapped), count)
    return TopK(*[transpose(result, swapped) for result in sorted_last])


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dt.int32,
    name: str | None = None,
) -> Tensor:
    """Returns where each value would be inserted into a sorted sequence.

    Args:
        sorted_sequence: A tensor of real numbers or strings, ascending along its last axis.
        values: A tensor of the same dtype; the leading axes of both are the same.
        side: "left" for the place before equal elements, "right" for the place behind them.
        out_type: int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of `out_type`, of the shape of `values`.

    Raises:
        ValueError: `side` is neither of the two.
        InvalidArgumentError: The leading axes differ.

    >>> import graphwright as tf
    >>> tf.searchsorted([1, 3, 3, 5], [0, 3, 9], side="right")
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 3, 4], dtype=int32)>
    """
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    rows, wanted = convert(sorted_sequence), convert(values)
    kind: type[Bound] = LowerBound if side == "left" else UpperBound
    op = kind.of(kind.dtype_for("out_type", out_type))
    flat_rows = reshape(rows, host_vector([-1, axis_size(rows, -1)]))
    flat_values = reshape(wanted, host_vector([-1, axis_size(wanted, -1)]))
    return reshape(apply(op, flat_rows, flat_values), shape_of(wanted), name)


def approx_max_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the greatest elements along an axis, in descending order, and their indices.

    The result is exact: the arguments on the quality of an approximation have no effect.

    Args:
        operand: A tensor of bfloat16, float16 or float32, of rank 1 or more.
        k: How many elements, an int.
        reduction_dimension: The axis, an int.
        recall_target: Accepted for TensorFlow's signature and not used.
        reduction_input_size_override: Accepted for TensorFlow's signature and not used.
        aggregate_to_topk: Accepted for TensorFlow's signature and not used.
        name: A name for the op.

    Returns:
        A named tuple `(values, indices)`. Both are of the shape of `operand` with `k` along the
        axis; the indices are of int32.

    Raises:
        InvalidArgumentError: The dtype is another, or the axis has less than `k` elements.

    >>> import graphwright as tf
    >>> values, indices = tf.math.approx_max_k([1.0, 5.0, 3.0], 2)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([5.0, 3.0], [1, 2])
    """
    x = approximable(operand, k, reduction_dimension)
    return ApproxTopK(*descending(x, reduction_dimension, k))


def approx_min_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the least elements along an axis, in ascending order, and their indices.

    The result is exact: the arguments on the quality of an approximation have no effect.

    Args:
        operand: A tensor of bfloat16, float16 or float32, of rank 1 or more.
        k: How many elements, an int.
        reduction_dimension: The axis, an int.
        recall_target: Accepted for TensorFlow's signature and not used.
        reduction_input_size_override: Accepted for TensorFlow's signature and not used.
        aggregate_to_topk: Accepted for TensorFlow's signature and not used.
        name: A name for the op.

    Returns:
        A named tuple `(values, indices)`. Both are of the shape of `operand` with `k` along the
        axis; the indices are of int32.

    Raises:
        InvalidArgumentError: The dtype is another, or the axis has less than `k` elements.

    >>> import graphwright as tf
    >>> values, indices = tf.math.approx_min_k([1.0, 5.0, 3.0], 2)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([1.0, 3.0], [0, 2])
    """
    x = approximable(operand, k, reduction_dimension)
    values, places = descending(-x, reduction_dimension, k)
    return ApproxTopK(-values, places)


def approximable(operand: TensorLike, k: int, axis: int) -> Any:
    """The operand as a tensor; InvalidArgumentError for other dtypes than floats of 32 bits at
    most, and where there are fewer than `k` elements."""
    x = convert(operand)
    if x.dtype not in (dt.bfloat16, dt.float16, dt.float32):
        raise InvalidArgumentError(
            None,
            None,
            f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: bfloat16, "
            "float16, float32 [Op:ApproxTopK]",
        )
    size = x.type.dims[axis] if x.type.dims else None
    if size is not None and size < k:
        raise InvalidArgumentError(
            None, None, f"input must have at least {k} elements along axis {axis}, got {size}"
        )
    return x


class ApproxTopK(NamedTuple):
    """The extremes and their indices."""

    values: Tensor
    indices: Tensor

one_op(argmax, argmin, hosts=1, attributes=1)
