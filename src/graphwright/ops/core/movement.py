"""Ops that move elements without computing: reshape, expand, squeeze, transpose, broadcast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.batching import Each, Refusal
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, is_staged
from graphwright.op.one_op import one_op
from graphwright.op.op import (
    REGISTRY,
    Call,
    Hooks,
    LateRefusal,
    Op,
    Shapes,
    freeze,
    is_nested,
    not_differentiable,
)
from graphwright.op.refusal import fitting_axis
from graphwright.ops.core.rule_words import in_float32
from graphwright.ops.core.shapes import BroadcastGradientArgs, rank_of, shape_of, summed_axes
from graphwright.ops.core.shapes import shape as shape_vector
from graphwright.ops.core.static import NUMPY, PYTHON, check_whole
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, num_elements, show_dims, single

# -- other shapes of the same elements ------------------------------------------------------


class Reshape(Op):
    """The same elements in another shape; an entry of -1 is what is left."""

    type_name = "Reshape"
    inputs = ("tensor: T", "shape: Tshape host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tshape": dt.INDEX}
    computes = False

    def shapes(self, tensor: TensorType, shape: int | Dims | None) -> Shapes:
        return (reshaped_dims(tensor.dims, shape),)

    def kernel(self, tensor: Array, shape: tuple[int, ...]) -> Any:
        try:
            result = tensor.reshape(shape)
        except (TypeError, ValueError):
            if isinstance(shape, tuple) and None in shape:
                raise
            return np.reshape(tensor, checked_reshape(np.shape(tensor), shape))
        if result.size and result.shape == shape:
            return result
        if result.size == 0 or (-1 not in shape and min(shape, default=0) < 0):
            # NumPy takes more than is meant.
            return np.reshape(tensor, checked_reshape(np.shape(tensor), shape))
        return result

    def known(self, tensor: HostValue, shape: Any) -> Any:
        if tensor is None or not known_entirely(shape):
            return None
        array = np.array(tensor, dtype=object)
        try:
            return freeze(array.reshape(checked_reshape(array.shape, shape)).tolist())
        except ValueError:
            return None

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return reshape(g, shape_of(call.inputs[0])), None

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.longer(each.same(1)))


def known_entirely(value: HostValue) -> bool:
    """Whether a known host value has no unknown entry."""
    if isinstance(value, tuple):
        return all(known_entirely(v) for v in value)
    return value is not None


def checked_reshape(dims: Dims, shape: tuple[int, ...]) -> Dims:
    """The shape that results, with -1 resolved as TensorFlow does for empty tensors."""
    result = reshaped_dims(dims, shape)
    assert result is not None
    return result


def reshaped_dims(dims: Dims | None, shape: Any) -> Dims | None:
    """The shape of a Reshape; ValueError where the elements do not fit."""
    if shape is None:
        return None
    if not isinstance(shape, tuple) or any(isinstance(d, tuple) for d in shape):
        raise ValueError(f"sizes input must be 1-D, not {show_dims(np.shape(shape))}")
    inferred = [i for i, d in enumerate(shape) if d == -1]
    if len(inferred) > 1:
        raise ValueError(f"Only one input size may be -1, not both {inferred[0]} and {inferred[1]}")
    for i, d in enumerate(shape):
        if d is not None and d < -1:
            raise ValueError(f"Size {i} must be non-negative, not {d}")
    result = tuple([None if d == -1 else d for d in shape])
    total = num_elements(dims)
    unknown = result.count(None)
    if total is None or unknown > 1:
        return result
    rest = num_elements(tuple([d for d in result if d is not None])) or 0
    if unknown == 0:
        if rest != total:
            raise ValueError(
                f"Input to reshape is a tensor with {total} values, but the requested shape has "
                f"{rest}{fitting_shape(total, shape)}"
            )
        return result
    return _filled_dims(result, dims or (), total, rest, bool(inferred))


def fitting_shape(total: int, shape: tuple[int, ...]) -> str:
    """A line with a reshape of so many elements whose first size is left open, if one works."""
    row = num_elements(shape[1:]) or 0
    if not total or not row or total % row:
        return ""
    return f"\n    tf.reshape(tensor, {[-1, *shape[1:]]}) fits"


def _filled_dims(result: Dims, dims: Dims, total: int, rest: int, inferred: bool) -> Dims:
    """`result` with its one unknown dimension worked out from the number of elements.

    Where that number is 0 on both sides, the sizes that are not 0 decide.
    """
    if rest == 0:
        if total != 0:
            raise ValueError(
                f"Input to reshape is a tensor with {total} values, but the requested shape has 0"
            )
        if not inferred:
            return result
        total = num_elements(tuple([d for d in dims if d])) or 0
        rest = num_elements(tuple([d for d in result if d])) or 1
        return tuple([total // rest if d is None else d for d in result])
    if total % rest:
        raise ValueError(
            f"Input to reshape is a tensor with {total} values, but the requested shape requires "
            f"a multiple of {rest}"
        )
    return tuple([total // rest if d is None else d for d in result])


class ExpandDims(Op):
    """A new axis of size 1."""

    type_name = "ExpandDims"
    inputs = ("input: T", "dim: Tdim host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tdim": dt.INDEX}
    computes = False

    def shapes(self, x: TensorType, dim: int | Dims | None) -> Shapes:
        if x.dims is None:
            return (None,)
        axis = single(dim, "dim")
        rank = len(x.dims)
        if axis is None:
            return ((None,) * (rank + 1),)
        if not -rank - 1 <= axis <= rank:
            raise ValueError(
                f"Tried to expand dim index {axis} for tensor with {rank} dimensions."
                f"{fitting_axis(axis, rank + 1)}"
            )
        place = axis + rank + 1 if axis < 0 else axis
        return ((*x.dims[:place], 1, *x.dims[place:]),)

    def kernel(self, x: Array, dim: int | tuple[int, ...]) -> Any:
        array = np.asarray(x)
        dims, axis = array.shape, single(dim, "dim")
        rank = len(dims)
        if not -rank - 1 <= axis <= rank:
            raise ValueError(f"dim {axis} is none of {rank} dimensions")
        place = axis + rank + 1 if axis < 0 else axis
        return array.reshape((*dims[:place], 1, *dims[place:]))

    def known(self, x: HostValue, dim: HostValue) -> Any:
        return None if isinstance(x, tuple) or dim is None else (x,)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return reshape(g, shape_of(call.inputs[0])), None

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.axes(1))


class Squeeze(Op):
    """Without the axes of size 1: those of `squeeze_dims`, or all of them."""

    type_name = "Squeeze"
    inputs = ("input: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    computes = False

    squeeze_dims: tuple[int, ...] = ()

    def shapes(self, x: TensorType) -> Shapes:
        dims = x.dims
        if dims is None or (not self.squeeze_dims and None in dims):
            return (None,)
        if not self.squeeze_dims:
            return (tuple([d for d in dims if d != 1]),)
        rank = len(dims)
        dropped = set()
        for axis in self.squeeze_dims:
            if not -rank <= axis < rank:
                raise ValueError(
                    f"Tried to squeeze dim index {axis} for tensor with {rank} dimensions."
                    f"{squeezable_axis(dims)}"
                )
            place = axis % rank
            if dims[place] not in (1, None):
                raise ValueError(
                    f"Can not squeeze dim[{place}], expected a dimension of 1, got {dims[place]}"
                    f"{squeezable_axis(dims)}"
                )
            dropped.add(place)
        return (tuple([d for i, d in enumerate(dims) if i not in dropped]),)

    def kernel(self, x: Array) -> Any:
        return np.asarray(x).squeeze(self.squeeze_dims or None)

    def known(self, x: HostValue) -> Any:
        return x[0] if isinstance(x, tuple) and len(x) == 1 and not is_nested(x) else None

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (reshape(g, shape_of(call.inputs[0])),)

    def batched(self, each: Each) -> Any:
        rank = each.rank(0)
        axes = [axis % rank + 1 for axis in self.squeeze_dims]
        if not axes:
            dims = each.types[0].dims
            if dims is None or None in dims:
                raise Refusal("which of its axes are of size 1 is not known")
            axes = [axis + 1 for axis, d in enumerate(dims) if d == 1]
        return apply(Squeeze.of(tuple(axes)), each.inputs[0]) if axes else each.inputs[0]


class Transpose(Op):
    """Axis i of the result is axis perm[i] of the operand."""

    type_name = "Transpose"
    inputs = ("x: T", "perm: Tperm host")
    outputs = ("y: T",)
    dtypes = {"T": dt.ANY, "Tperm": dt.INDEX}
    computes = False

    def shapes(self, x: TensorType, perm: int | Dims | None) -> Shapes:
        return (transposed_dims(x.dims, perm),)

    def kernel(self, x: Array, perm: tuple[int, ...]) -> Any:
        return x.transpose(perm) if type(x) is np.ndarray else np.transpose(x, perm)

    def known(self, x: HostValue, perm: HostValue) -> Any:
        return x if perm == (0,) else None

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return transpose(g, inverse_permutation(call.inputs[1])), None

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.longer(each.axes(1), 0))


class ConjugateTranspose(Transpose):
    """The conjugate of the transpose."""

    type_name = "ConjugateTranspose"

    def kernel(self, x: Array, perm: tuple[int, ...]) -> Any:
        moved = np.transpose(x, perm)
        return np.conj(moved) if moved.dtype.kind == "c" else moved

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return transpose(g, inverse_permutation(call.inputs[1]), conjugate=True), None

    def expand(self, x: GraphTensor, perm: GraphTensor) -> Any:
        return apply(Transpose.of(), x, perm)  # of real numbers: others have no native form


def fitting_order(perm: Dims, rank: int) -> str:
    """A line with a permutation of the last axes as `perm` has it, where more come before them.

    >>> fitting_order((1, 0), 3), fitting_order((0, 2, 1), 2)
    ('\\n    perm=[0, 2, 1] fits', '')
    """
    before = rank - len(perm)
    if before < 1 or set(perm) != set(range(len(perm))):
        return ""
    return f"\n    perm={[*range(before), *[before + a for a in perm if a is not None]]} fits"


def squeezable_axis(dims: Dims) -> str:
    """A line with the only axis of size 1, if there is one."""
    ones = [i for i, size in enumerate(dims) if size == 1]
    return f"\n    axis={ones[0]} fits" if len(ones) == 1 else ""


def transposed_dims(dims: Dims | None, perm: int | Dims | None) -> Dims | None:
    """`dims` in the order of `perm`; ValueError if it is no permutation of the axes."""
    if perm is None:
        return None if dims is None else (None,) * len(dims)
    if not isinstance(perm, tuple):
        raise ValueError("perm must be rank 1, got shape []")
    rank = len(perm)
    if dims is not None and len(dims) != rank:
        raise ValueError(
            f"transpose expects a vector of size {len(dims)}. But input(1) is a vector of size "
            f"{rank}{fitting_order(perm, len(dims))}"
        )
    for axis in perm:
        if axis is not None and not -rank <= axis < rank:
            raise ValueError(f"{axis} is out of range [0 .. {rank})")
    order = [None if axis is None else axis % rank for axis in perm]
    if None not in order:
        for axis in range(rank):
            if axis not in order:
                words = f"{axis} is missing from {{{','.join(map(str, perm))}}}."
                raise LateRefusal(words)
    return tuple([None if dims is None or axis is None else dims[axis] for axis in order])


class InvertPermutation(Op):
    """The permutation that undoes `x`."""

    type_name = "InvertPermutation"
    inputs = ("x: T",)
    outputs = ("y: T",)
    dtypes = {"T": dt.INDEX}
    gradient = not_differentiable

    def shapes(self, x: TensorType) -> Shapes:
        if x.rank not in (1, None):
            raise ValueError(f"Shape must be rank 1 but is rank {x.rank}: invert_permutation")
        return (x.dims if x.dims is not None else (None,),)

    def kernel(self, x: Array) -> Any:
        if np.ndim(x) != 1:
            raise ValueError("invert_permutation expects a 1D vector.")
        size = len(x)
        bad = (x < 0) | (x >= size)
        if bad.any():
            raise InvalidArgumentError(None, None, f"{x[bad][0]} is not between 0 and {size}")
        result = np.full(size, -1, x.dtype)
        result[x] = np.arange(size, dtype=x.dtype)
        if (result < 0).any():
            twice = next(v for v in x if np.count_nonzero(x == v) > 1)
            raise InvalidArgumentError(None, None, f"{twice} is duplicated in the input.")
        return result

    def known(self, x: Any) -> Any:
        if not isinstance(x, tuple) or None in x or sorted(x) != list(range(len(x))):
            return None
        return tuple(sorted(range(len(x)), key=x.__getitem__))


def inverse_permutation(perm: tuple[int, ...] | TensorValue) -> Any:
    """The inverse of a permutation given as a host operand."""
    if isinstance(perm, tuple):
        return tuple(sorted(range(len(perm)), key=lambda i: perm[i] % len(perm)))
    return apply(INVERT_PERMUTATION, convert(perm))


class BroadcastTo(Op):
    """The tensor repeated along axes of size 1 and new leading axes, to a given shape."""

    type_name = "BroadcastTo"
    inputs = ("input: T", "shape: Tidx host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tidx": dt.INDEX}
    computes = False

    def shapes(self, x: TensorType, shape: Dims | None) -> Shapes:
        if shape is None:
            return (None,)
        for d in shape:
            if d is not None and d < 0:
                raise ValueError(f"Dimension {d} must be >= 0")
        if x.dims is None:
            return (shape,)
        if len(x.dims) > len(shape):
            raise ValueError(
                f"Rank of input ({len(x.dims)}) must be no greater than rank of output shape "
                f"({len(shape)})."
            )
        extra = len(shape) - len(x.dims)
        result = list(shape)
        for i, have in enumerate(x.dims):
            if have in (1, None):
                continue
            if result[extra + i] not in (None, have):
                raise ValueError(f"Incompatible shapes: {show_dims(x.dims)} vs. {show_dims(shape)}")
            result[extra + i] = have
        return (tuple(result),)

    def kernel(self, x: Array, shape: tuple[int, ...]) -> Any:
        if np.ndim(x) > len(shape):
            raise ValueError(f"an operand of rank {np.ndim(x)} for the shape {shape}")
        result = np.empty(shape, np.asarray(x).dtype)
        result[...] = x
        return result

    def known(self, x: HostValue, shape: Any) -> Any:
        if not isinstance(shape, tuple) or len(shape) != 1 or None in shape or shape[0] > 1024:
            return None
        if isinstance(x, tuple):
            return x * shape[0] if len(x) == 1 else x
        return (x,) * shape[0]

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x = call.inputs[0]
        return sum_to(g, x), None

    def batched(self, each: Each) -> Any:
        return each.broadcast(0, each.same(1))


class SumTo(Op):
    """The sum over the axes along which a tensor of shape `shape` is repeated in `x`. It is the
    cotangent of a broadcast operand whose shape only a run tells.

    In a GraphDef it is what TensorFlow has for it, `Sum` over axes that `BroadcastGradientArgs`
    computes.
    """

    type_name = "GraphwrightSumTo"
    combination = "sum"
    node_name = "SumTo"
    inputs = ("x: T", "shape: Tshape host")
    outputs = ("sum: T",)
    dtypes = {"T": dt.NUMERIC, "Tshape": dt.INDEX}
    expand = in_float32

    def shapes(self, x: TensorType, shape: Dims | None) -> Shapes:
        return (shape,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        added = REGISTRY["Sum"].of(False).bind(types)

        def kernel(x: Array, shape: tuple[int, ...]) -> Any:
            axes = summed_axes(shape, np.broadcast_shapes(shape, x.shape))
            return added(x, axes).reshape(shape) if axes else x

        return kernel

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return broadcast_to(g, shape_of(call.inputs[0])), None

    def batched(self, each: Each) -> Any:
        x, shape = each.inputs[0], each.same(1)
        entries = convert(shape, dtype=dt.int32) if isinstance(shape, tuple) else shape
        axes = apply(BroadcastGradientArgs.of(), entries, shape_vector(x)[1:])[0]
        return reshape(apply(REGISTRY["Sum"].of(False), x, axes + 1), each.longer(shape))


def sum_to(g: Cotangent, x: TensorValue) -> Any:
    """`g` summed over the axes along which `x` was broadcast to its shape."""
    # The sum is found by name: `reduction` needs this file for its own adjoints.
    add_up = REGISTRY["Sum"].of(False)
    have: Any = x.type.dims
    want: Any = g.type.dims
    if x.type.is_static and g.type.is_static:
        extra = len(want) - len(have)
        axes = (*range(extra), *[i + extra for i, d in enumerate(have) if d != want[i + extra]])
        return reshape(apply(add_up, g, axes), have) if axes else g
    return apply(SUM_TO, g, shape_of(x))


RESHAPE, EXPAND_DIMS, INVERT_PERMUTATION = Reshape(), ExpandDims(), InvertPermutation()
TRANSPOSE, CONJUGATE_TRANSPOSE, BROADCAST_TO = Transpose(), ConjugateTranspose(), BroadcastTo()
SUM_TO = SumTo()


# -- the public functions -------------------------------------------------------------------


def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Arranges the elements of a tensor, in row-major order, in another shape.

    Args:
        tensor: A tensor of any dtype and shape.
        shape: A list of ints, or a vector of int32 or int64. One size may be -1: what the others
            leave.
        name: A name for the op.

    Returns:
        A tensor of `shape` and the dtype of `tensor`.

    Raises:
        InvalidArgumentError: The numbers of elements differ, or two sizes are -1.
        ValueError: The same, while tracing.

    >>> import graphwright as tf
    >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1])
    <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)>
    """
    sizes: Any = shape
    if type(sizes) is int or (type(sizes) is Hooks.eager and not sizes.ndim and not is_staged()):
        sizes = (sizes,)
    return apply(RESHAPE, convert(tensor), sizes, name=name)


def expand_dims(input: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """Inserts an axis of size 1 into the shape of a tensor.

    Args:
        input: A tensor of any dtype and shape.
        axis: The place of the new axis: an int or a scalar, from -rank - 1 to rank.
        name: A name for the op.

    Returns:
        A tensor of one rank more.

    Raises:
        ValueError: `axis` is None.
        InvalidArgumentError: `axis` is out of range.

    >>> import graphwright as tf
    >>> tf.expand_dims([1, 2, 3], -1).shape
    TensorShape([3, 1])
    """
    if axis is None:
        raise ValueError("Argument `axis` not specified.")
    return apply(EXPAND_DIMS, convert(input), axis, name=name)


def squeeze(
    input: TensorLike,
    axis: Any = None,
    name: str | None = None,
) -> Tensor:
    """Removes axes of size 1 from the shape of a tensor.

    Args:
        input: A tensor of any dtype and shape.
        axis: The axes to remove, as an int or a list of ints. None means all of size 1.
        name: A name for the op.

    Returns:
        A tensor of the same elements, of lower rank.

    Raises:
        InvalidArgumentError: An axis of `axis` is not of size 1, or out of range.

    >>> import graphwright as tf
    >>> tf.squeeze(tf.ones([1, 2, 1, 3])).shape
    TensorShape([2, 3])
    """
    if any(isinstance(a, str) for a in (axis if isinstance(axis, (list, tuple)) else [axis])):
        raise TypeError(f"Expected int for argument 'axis' not {axis!r}.")
    check_whole(axis, "axis", cut=(PYTHON, NUMPY))
    if axis is None:
        axes: tuple[int, ...] = ()
    elif isinstance(axis, (list, tuple)):
        axes = tuple(dict.fromkeys([int(a) for a in axis]))
    else:
        axes = (int(axis),)
    return apply(Squeeze.of(axes), convert(input), name=name)


def transpose(
    a: TensorLike,
    perm: TensorLike | None = None,
    conjugate: bool = False,
    name: str | None = "transpose",
) -> Tensor:
    """Permutes the axes of a tensor.

    Args:
        a: A tensor of any dtype and shape.
        perm: The axis of `a` that each axis of the result is, as a list of ints or a vector of
            int32 or int64. None means the reversed order.
        conjugate: Whether complex elements are conjugated too.
        name: A name for the op.

    Returns:
        A tensor of the dtype and rank of `a`.

    Raises:
        InvalidArgumentError: `perm` is no permutation of the axes.

    >>> import graphwright as tf
    >>> tf.transpose([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)>
    """
    x = convert(a)
    op = CONJUGATE_TRANSPOSE if conjugate and x.dtype.is_complex else TRANSPOSE
    return apply(op, x, reversed_axes(x) if perm is None else perm, name=name)


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the inverse of a permutation.

    Args:
        x: A vector of int32 or int64 that holds each of 0, 1, ..., len(x) - 1 once.
        name: A name for the op.

    Returns:
        A vector like `x`: `y` with `y[x[i]] == i`.

    Raises:
        InvalidArgumentError: `x` is no permutation.

    >>> import graphwright as tf
    >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]
    """
    return apply(INVERT_PERMUTATION, convert(x, None, dt.int32), name=name)


def reversed_axes(x: TensorValue) -> Any:
    """rank - 1, ..., 0."""
    rank = rank_of(x)
    if isinstance(rank, int):
        return tuple(range(rank - 1, -1, -1))
    return apply(REGISTRY["Range"].of(dt.int32), rank - 1, -1, -1)


def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Broadcasts a tensor to a shape.

    Args:
        input: A tensor of any dtype.
        shape: A list of ints, or a vector of int32 or int64, that `input` broadcasts to.
        name: A name for the op.

    Returns:
        A tensor of `shape` and the dtype of `input`.

    Raises:
        InvalidArgumentError: The shape of `input` does not broadcast to `shape`.

    >>> import graphwright as tf
    >>> tf.broadcast_to([1, 2], [2, 2])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [1, 2]], dtype=int32)>
    """
    return apply(BROADCAST_TO, convert(input), shape, name=name)


one_op(reshape, expand_dims, transpose, broadcast_to, hosts=1)
one_op(squeeze, attributes=1)
