"""Matrix products: of two matrices, and of batches of them that broadcast.

float16 and bfloat16 are multiplied and summed in float32 and rounded once.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.base.errors import InvalidArgumentError
from graphwright.machine.preparation import WORTH
from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert_first
from graphwright.op.late_imports import late_module
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, Op, Shapes
from graphwright.op.refusal import advise
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes, gather, host_vector
from graphwright.ops.core.indexing import boolean_mask
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import (
    broadcast_to,
    expand_dims,
    reshape,
    squeeze,
    sum_to,
    transpose,
)
from graphwright.ops.core.own_ops import Products
from graphwright.ops.core.rule_words import dims_of, in_float32, widened
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import rank, shape
from graphwright.ops.core.static import known_int
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import equal, logical_not
from graphwright.ops.math.reduction import reduce_any, reduce_prod, reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import (
    Dims,
    TensorType,
    broadcast_dims,
    num_elements,
    show_dims,
)

#: What `tensordot` sums over: so many axes, or the axes of each operand.
SummedAxes: TypeAlias = int | Sequence[npt.ArrayLike] | Array

NARROW = (dt.float16, dt.bfloat16)
PRODUCTS = dt.INEXACT | dt.UNSIGNED | {dt.int32, dt.int64}


def no_matrix(a: Dims, b: Dims) -> ValueError:
    """The error for an operand of MatMul that is no matrix."""
    position = 0 if len(a) != 2 else 1
    return ValueError(
        f"In[{position}] ndims must be 2 in a product of matrices: {show_dims(a)} and "
        f"{show_dims(b)}"
    )


def sizes_differ(a: Dims | None, b: Dims | None) -> ValueError:
    """The error for inner dimensions that do not match."""
    return ValueError(f"Matrix size-incompatible: In[0]: {show_dims(a)}, In[1]: {show_dims(b)}")


def matrix_product(a: Array, b: Array) -> Any:
    """The product of two matrices."""
    if a.ndim != 2 or b.ndim != 2:
        raise no_matrix(a.shape, b.shape)
    return large_product(a, b) if len(a) * b.size > WORTH else a.dot(b)


def large_product(a: Array, b: Array) -> Array:
    """The product of matrices, by native kernels where these are faster."""
    product: Array = _kernels().matmul(a, b)
    return product


@functools.cache
def _kernels() -> Any:
    """The kernels of products, which need many modules."""
    return late_module("graphwright.machine.matmul")


class Contraction(Op):
    """An op that sums products: of matrices, which have kernels of their own, or in any order."""

    def is_product(self, types: Sequence[TensorType]) -> bool:
        """Whether machine code takes it as a product of matrices, not element by element."""
        raise NotImplementedError


class MatMul(Contraction):
    """a @ b of two matrices, either of them transposed first."""

    type_name = "MatMul"
    inputs = ("a: T", "b: T")
    outputs = ("product: T",)
    dtypes = {"T": PRODUCTS}

    transpose_a: bool = False
    transpose_b: bool = False
    grad_a: bool = False
    grad_b: bool = False

    def shapes(self, a: TensorType, b: TensorType) -> Shapes:
        for x in (a, b):
            if x.rank not in (2, None):
                raise no_matrix(*((2, 2) if o.dims is None else o.dims for o in (a, b)))
        rows, inner = (a.dims or (None, None))[:: -1 if self.transpose_a else 1]
        inner_b, columns = (b.dims or (None, None))[:: -1 if self.transpose_b else 1]
        if None not in (inner, inner_b) and inner != inner_b:
            raise sizes_differ(a.dims, b.dims)
        return ((rows, columns),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if types[0] in NARROW:
            return self.narrow_kernel
        if not (self.transpose_a or self.transpose_b):
            return matrix_product
        return self.kernel

    def kernel(self, a: Array, b: Array) -> Any:
        return matrix_product(a.T if self.transpose_a else a, b.T if self.transpose_b else b)

    def narrow_kernel(self, a: Array, b: Array) -> Any:
        """Sums in float32."""
        return self.kernel(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        a, b = conj(call.inputs[0]), conj(call.inputs[1])
        ta, tb = self.transpose_a, self.transpose_b
        if ta:
            first = multiplied(b, g, tb, True, grad_b=True)
        else:
            first = multiplied(g, b, False, not tb, grad_a=True)
        if tb:
            second = multiplied(g, a, True, ta, grad_a=True)
        else:
            second = multiplied(a, g, not ta, False, grad_b=True)
        return first, second

    def expand(self, a: GraphTensor, b: GraphTensor) -> Any:
        """Sums written out, or the product itself, of halves in float32."""
        flags = self.transpose_a, self.transpose_b
        if self.is_product([a.type, b.type]):
            return in_float32(self, a, b)
        return cast(written_out(widened(a), widened(b), *flags), a.dtype)

    def is_product(self, types: Sequence[TensorType]) -> bool:
        return not is_written_out(*matrix_dims(types, self.transpose_a, self.transpose_b))

    def batched(self, each: Each) -> Any:
        a_flag, b_flag = each.stacked
        if a_flag and not b_flag and not self.transpose_a:
            return each.split(apply(self, each.merged(0), each.inputs[1]), 0)
        flags = self.transpose_a, self.transpose_b
        factors = [conj(x) if flag else x for x, flag in zip(each.inputs, flags)]  # no adjoints
        return apply(BatchMatMulV2.of(*flags), *factors)


def multiplied(
    a: TensorValue,
    b: TensorValue,
    ta: bool,
    tb: bool,
    *,
    grad_a: bool = False,
    grad_b: bool = False,
) -> Any:
    """A product inside a gradient: `grad_a` or `grad_b` marks the cotangent."""
    return apply(MatMul.of(ta, tb, grad_a, grad_b), a, b)


def adjoint_array(x: Array) -> Any:
    """The conjugate transpose of the innermost matrices."""
    x = np.swapaxes(x, -1, -2)
    return np.conj(x) if x.dtype.kind == "c" else x


#: The longest sums and rows or columns of a product that is written out, and its fewest elements.
_SHORT, _FEWEST = 4, 17


def matrix_dims(types: Sequence[TensorType], transpose_x: bool, transpose_y: bool) -> list[Dims]:
    """The leading dimensions of a product, and those of its two matrices."""
    x, y = [type_.dims or (None, None) for type_ in types]
    outer = broadcast_dims(x[:-2], y[:-2]) or ()
    return [outer, x[-2:][:: -1 if transpose_x else 1], y[-2:][:: -1 if transpose_y else 1]]


def is_written_out(outer: Dims, x: Dims, y: Dims) -> bool:
    """Whether machine code takes a product of matrices as sums of a few elements, in vectors.

    The sums are short, and the rows or the columns, as those of rotations.
    """
    rows, inner, columns = *x, y[1]
    is_short = [size is not None and size <= _SHORT for size in (inner, rows, columns)]
    known = [size for size in (*outer, rows, columns) if size is not None]
    is_large = len(known) < len(outer) + 2 or math.prod(known) >= _FEWEST
    return is_short[0] and any(is_short[1:]) and is_large


def written_out(x: GraphTensor, y: GraphTensor, transpose_x: bool, transpose_y: bool) -> Any:
    """x @ y as sums over products of elements."""
    rows = expand_dims(swapped(x) if transpose_x else x, -2)
    columns = expand_dims(y if transpose_y else swapped(y), -3)
    return reduce_sum(rows * columns, -1)


def swapped(x: GraphTensor) -> Any:
    """x with each matrix transposed."""
    count = x.shape.rank
    return transpose(x, [*range(count - 2), count - 1, count - 2])


def products(x: GraphTensor, y: GraphTensor, transpose_x: bool, transpose_y: bool) -> Any:
    """x @ y over leading dimensions that broadcast; those that x alone has are more rows."""
    if is_written_out(*matrix_dims([x.type, y.type], transpose_x, transpose_y)):
        return written_out(x, y, transpose_x, transpose_y)
    outer, other = dims_of(x)[:-2], dims_of(y)[:-2]
    if not (outer or other):
        return apply(MatMul.of(transpose_x, transpose_y), x, y)
    if not (other or transpose_x):
        *rows, inner = dims_of(x)
        z = apply(MatMul.of(False, transpose_y), reshape(x, [total(rows), inner]), y)
        return reshape(z, [*rows, dims_of(z)[1]])
    count = max(len(outer), len(other))
    ones = [[1] * (count - len(dims)) + dims for dims in (outer, other)]
    batch = [b if is_one(a) else a for a, b in zip(*ones)]
    return apply(Products.of(transpose_x, transpose_y), over_batch(x, batch), over_batch(y, batch))


def over_batch(x: GraphTensor, batch: Sequence[Any]) -> Any:
    """Matrices for all of the batch: the same ones where x has but one."""
    *outer, rows, columns = dims_of(x)
    fits = len(outer) == len(batch) and all(
        is_one(b) or not is_one(a) for a, b in zip(outer, batch)
    )
    return x if fits else broadcast_to(x, [*batch, rows, columns])


def is_one(size: object) -> bool:
    """Whether a size is known to be 1."""
    return isinstance(size, int) and size == 1


def total(sizes: Sequence[Any]) -> Any:
    """The product of sizes."""
    return functools.reduce(operator.mul, sizes, 1)


class BatchProduct(Contraction):
    """The rules of both batched products: x @ y over batch dimensions that broadcast."""

    adj_x: bool = False
    adj_y: bool = False
    grad_x: bool = False
    grad_y: bool = False

    def shapes(self, x: TensorType, y: TensorType) -> Shapes:
        for name, operand in (("In[0]", x), ("In[1]", y)):
            if operand.rank is not None and operand.rank < 2:
                raise ValueError(f"{name} ndims must be >= 2: {operand.rank}")
        if x.dims is None or y.dims is None:
            return (None,)
        rows, inner = x.dims[-2:][:: -1 if self.adj_x else 1]
        inner_y, columns = y.dims[-2:][:: -1 if self.adj_y else 1]
        if None not in (inner, inner_y) and inner != inner_y:
            raise sizes_differ(x.dims, y.dims)
        try:
            batch = broadcast_dims(x.dims[:-2], y.dims[:-2])
        except ValueError:
            raise ValueError(
                "In[0] and In[1] must have compatible batch dimensions: "
                f"{show_dims(x.dims)} vs. {show_dims(y.dims)}"
            ) from None
        return ((*(batch or ()), rows, columns),)

    def product(
        self, x: Array, y: Array, accumulate: npt.DTypeLike, result: npt.DTypeLike
    ) -> Array:
        """The product, summed in the dtype `accumulate` and rounded to `result`."""
        if x.ndim < 2 or y.ndim < 2:
            name, rank = ("In[0]", x.ndim) if x.ndim < 2 else ("In[1]", y.ndim)
            raise ValueError(f"{name} ndims must be >= 2: {rank}")
        x = x.astype(accumulate, copy=False)
        y = y.astype(accumulate, copy=False)
        x = adjoint_array(x) if self.adj_x else x
        y = adjoint_array(y) if self.adj_y else y
        small = x.ndim == y.ndim == 2 and x.size * y.shape[1] <= WORTH
        z: Array = np.matmul(x, y) if small else large_product(x, y)
        return z.astype(result, copy=False)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs
        ax, ay = self.adj_x, self.adj_y
        gx = self.cotangent(y, g, ay, True) if ax else self.cotangent(g, y, False, not ay)
        gy = self.cotangent(g, x, True, ax) if ay else self.cotangent(x, g, not ax, False)
        return sum_to(gx, x), sum_to(gy, y)

    def expand(self, x: GraphTensor, y: GraphTensor) -> Any:
        """x @ y; of halves summed in float32 and rounded once."""
        if {x.dtype, y.dtype, getattr(self, "Tout", x.dtype)} != {x.dtype}:
            return None
        return cast(products(widened(x), widened(y), self.adj_x, self.adj_y), x.dtype)

    def is_product(self, types: Sequence[TensorType]) -> bool:
        return not is_written_out(*matrix_dims(types, self.adj_x, self.adj_y))

    def cotangent(self, x: TensorValue, y: TensorValue, adj_x: bool, adj_y: bool) -> Any:
        """A product inside the gradient."""
        return apply(BatchMatMulV2.of(adj_x, adj_y), x, y)

    def batched(self, each: Each) -> Any:
        rank = max(each.rank(0), each.rank(1))
        return apply(self, each.aligned(0, rank), each.aligned(1, rank))


class BatchMatMulV2(BatchProduct):
    """x @ y of the innermost matrices, either of them conjugate transposed first."""

    type_name = "BatchMatMulV2"
    node_name = "MatMul"
    inputs = ("x: T", "y: T")
    outputs = ("output: T",)
    dtypes = {"T": PRODUCTS | {dt.int16}}

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        result = types[0].numpy_dtype
        accumulate = np.float32 if types[0] in NARROW else result
        return lambda x, y: self.product(x, y, accumulate, result)


class BatchMatMulV3(BatchProduct):
    """x @ y with a result of another dtype, in which the sums are taken."""

    type_name = "BatchMatMulV3"
    inputs = ("x: Ta", "y: Tb")
    outputs = ("output: Tout",)
    dtypes = {
        "Ta": dt.INEXACT | dt.SIGNED | {dt.uint8},
        "Tb": dt.INEXACT | dt.SIGNED | {dt.uint8},
    }

    Tout: DType = dt.int32

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        result = self.Tout.numpy_dtype
        accumulate = np.float32 if self.Tout in NARROW else result
        return lambda x, y: self.product(x, y, accumulate, result)


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices: the innermost two axes of both operands; the other axes broadcast.

    Args:
        a: A tensor of numbers, of shape [..., m, k]. Without `output_type` int8 is refused, and
            int16 in a product of two matrices without batch axes.
        b: A tensor of the dtype of `a`, of shape [..., k, n].
        transpose_a: Whether to transpose `a` first.
        transpose_b: Whether to transpose `b` first.
        adjoint_a: Whether to transpose and conjugate `a` first.
        adjoint_b: Whether to transpose and conjugate `b` first.
        a_is_sparse: Has no effect.
        b_is_sparse: Has no effect.
        output_type: The dtype of the result, as int32 for operands of int8. None means that of the
            operands.
        grad_a: An attribute of the op, without effect on the result.
        grad_b: An attribute of the op, without effect on the result.
        name: A name for the op.

    Returns:
        A tensor of shape [..., m, n], of `output_type` or the dtype of the operands.

    Raises:
        ValueError: An operand is to be both transposed and adjoint.
        InvalidArgumentError: The shapes do not match (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.matmul([[1, 2], [3, 4]], [[1, 0], [1, 1]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[3, 2],
           [7, 4]], dtype=int32)>
    """
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise twice_transposed(transpose_a, adjoint_a, transpose_b, adjoint_b)
    x: TensorValue = convert_first(a)
    y: TensorValue = convert_first(b, None, x.dtype)
    rank_x, rank_y = x.ndim, y.ndim
    plain = rank_x is not None and rank_y is not None and rank_x <= 2 and rank_y <= 2
    if plain and x.dtype is not y.dtype and {x.dtype, y.dtype} == _MIXED:
        x, y = cast(x, dt.float32), cast(y, dt.float32)
    flipped_a = True if adjoint_a else transpose_a
    flipped_b = True if adjoint_b else transpose_b
    flags = (flipped_a, flipped_b, grad_a, grad_b)
    try:
        if plain and output_type is None:
            factors = conj(x) if adjoint_a else x, conj(y) if adjoint_b else y
            return apply(MatMul.of(*flags), *factors, name=name)
        # The batched ops know only adjoints: a transpose is the adjoint of the conjugate.
        factors = conj(x) if transpose_a else x, conj(y) if transpose_b else y
        if output_type is None:
            return apply(BatchMatMulV2.of(*flags), *factors, name=name)
        dtype = as_dtype(output_type)
        if plain and dtype is x.dtype is y.dtype:
            return matmul(x, y, transpose_a, transpose_b, adjoint_a, adjoint_b, name=name)
        return apply(BatchMatMulV3.of(*flags, dtype), *factors, name=name)
    except (ValueError, InvalidArgumentError) as error:
        if x.dtype is y.dtype and not (flipped_a or flipped_b):
            advise(error, fitting_call(x.dims, y.dims, x.dtype))
        raise


def fitting_call(a: Dims | None, b: Dims | None, dtype: DType = dt.float32) -> str:
    """A call that multiplies operands whose shapes `matmul` refuses; empty if none is likely.

    >>> fitting_call((32, 28, 28), (784, 10))
    'tf.reshape(a, [32, 784]) fits'
    >>> fitting_call((32, 100), (784, 10))
    'b=tf.zeros([100, 10]) fits'
    """
    if not a or not b:
        return ""
    if len(b) == 1:
        call = "tf.tensordot(a, b, 1)" if len(a) == 1 else "tf.linalg.matvec(a, b)"
        return f"{call} multiplies them" if a[-1] == b[0] else ""
    if len(a) == 1:
        fits = a[0] == b[-2] and len(b) == 2
        return "tf.linalg.matvec(b, a, transpose_a=True) multiplies them" if fits else ""
    if a[-1] == b[-2] or None in (a[-1], b[-2]):
        return ""
    if len(b) == 2:
        for first in range(len(a) - 2, -1, -1):  # pictures as rows
            rows, row = a[:first] or (1,), a[first:]
            if num_elements(row) == b[0] and rows.count(None) < 2:
                sizes = ["-1" if size is None else str(size) for size in (*rows, b[0])]
                return f"tf.reshape(a, [{', '.join(sizes)}]) fits"
    for name, dims, fits in (("b", b, a[-1] == b[-1]), ("a", a, a[-2] == b[-2])):
        if fits:
            return f"tf.{'transpose' if len(dims) == 2 else 'linalg.matrix_transpose'}({name}) fits"
    if None in b or (len(b) > 2 and a[:-2] != b[:-2]):
        return ""
    numbers = "" if dtype is dt.float32 else f", {dtype!r}"
    return f"b=tf.zeros({[*b[:-2], a[-1], b[-1]]}{numbers}) fits"


#: Dtypes whose products are float32: TensorFlow takes such operands for sparse ones.
_MIXED = {dt.bfloat16, dt.float32}


def twice_transposed(
    transpose_a: bool, adjoint_a: bool, transpose_b: bool, adjoint_b: bool
) -> ValueError:
    """The error for an operand that is to be transposed in two ways."""
    first = transpose_a and adjoint_a
    operand = "a" if first else "b"
    flags = (transpose_a, adjoint_a) if first else (transpose_b, adjoint_b)
    return ValueError(
        f"Only one of `transpose_{operand}` and `adjoint_{operand}` can be True. Received "
        f"`transpose_{operand}`={flags[0]}, `adjoint_{operand}`={flags[1]}."
    )


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices by vectors; the axes before them broadcast.

    Args:
        a: A tensor of numbers (not int8), of shape [..., m, n].
        b: A tensor of the dtype of `a`, of shape [..., n].
        transpose_a: Whether to transpose `a` first.
        adjoint_a: Whether to transpose and conjugate `a` first.
        a_is_sparse: Has no effect.
        b_is_sparse: Has no effect.
        name: A name, which has no effect.

    Returns:
        A tensor of the dtype of `a`, of shape [..., m].

    Raises:
        ValueError: `a` is to be both transposed and adjoint.
        InvalidArgumentError: The shapes do not match (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 10])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([21, 43], dtype=int32)>
    """
    a = convert_first(a)
    b = convert_first(b, None, a.dtype)
    product = matmul(a, expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, [-1])


def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Tensor:
    """Sums products over axes of two tensors.

    Args:
        a: A tensor of numbers (not int8 or int16), of any shape.
        b: A tensor of the dtype of `a`.
        axes: The number of axes to sum over, the last of `a` and the first of `b`. Or two lists:
            the axes of `a` and those of `b`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `a`, of the other axes of `a` and then those of `b`.

    Raises:
        ValueError: There are not so many axes, or the two lists differ in length.
        IndexError: A list names an axis that there is not.
        TypeError: An axis is no integer.
        InvalidArgumentError: The axes to sum over differ in size (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.tensordot([[1, 2], [3, 4]], [1, 10], 1)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([21, 43], dtype=int32)>
    >>> tf.tensordot([[1, 2], [3, 4]], [[1, 2], [3, 4]], [[0, 1], [0, 1]])
    <tf.Tensor: shape=(), dtype=int32, numpy=30>
    """
    a = convert_first(a)
    b = convert_first(b, None, a.dtype)
    summed: SummedAxes = known_int(axes.numpy().tolist() if hasattr(axes, "numpy") else axes)
    if a.type.rank is None or b.type.rank is None:
        return tensordot_of_unknown_rank(a, b, summed, name)
    over_a, over_b = contracted_axes(a.type.rank, b.type.rank, summed)
    left, outer_a = as_matrix(a, over_a, rows_first=True)
    right, outer_b = as_matrix(b, over_b, rows_first=False)
    return reshape(matmul(left, right), host_vector([*outer_a, *outer_b]), name=name)


def tensordot_of_unknown_rank(
    a: TensorValue, b: TensorValue, axes: SummedAxes, name: str | None
) -> Any:
    """`tensordot` where shapes and ranks are known only when it runs."""
    if isinstance(axes, int):
        over_a, over_b = range_of(rank(a) - axes, rank(a)), range_of(0, axes)
    else:
        over_a, over_b = (stack(placed(x, o)) for x, o in zip((a, b), listed_axes(axes)))
    free_a, free_b = other_axes(a, over_a), other_axes(b, over_b)
    rows, columns = gather(shape(a), free_a), gather(shape(b), free_b)
    inner_a, inner_b = reduce_prod(gather(shape(a), over_a)), reduce_prod(gather(shape(b), over_b))
    left = transpose(a, concat([free_a, over_a], 0))
    right = transpose(b, concat([over_b, free_b], 0))
    # Not -1: of operands without elements it means another size.
    left = reshape(left, stack([reduce_prod(rows), inner_a]))
    right = reshape(right, stack([inner_b, reduce_prod(columns)]))
    return reshape(matmul(left, right), concat([rows, columns], 0), name=name)


def placed(x: TensorValue, axes: Sequence[int]) -> list[Any]:
    """Axes of a tensor of unknown rank, counted from the front."""
    return [a if a >= 0 else a + rank(x) for a in axes]


def other_axes(x: TensorValue, axes: TensorValue) -> Any:
    """The axes of a tensor of unknown rank that are not among `axes`."""
    places = range_of(0, rank(x))
    taken = reduce_any(equal(places[:, None], axes[None, :]), 1)
    return boolean_mask(places, logical_not(taken))


def listed_axes(axes: Sequence[npt.ArrayLike] | Array) -> tuple[list[int], list[int]]:
    """The two lists of axes; ValueError unless they are two of one length."""
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    over_a, over_b = ([operator.index(x) for x in np.ravel(o)] for o in axes)
    if len(over_a) != len(over_b):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(over_a)} != {len(over_b)}."
        )
    return over_a, over_b


def contracted_axes(rank_a: int, rank_b: int, axes: SummedAxes) -> tuple[list[int], list[int]]:
    """The axes of both operands over which `tensordot` sums."""
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > min(rank_a, rank_b):
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor a or b. "
                f"Received: {axes}, vs tensor dimensions {rank_a} and {rank_b}."
            )
        return list(range(rank_a - axes, rank_a)), list(range(axes))
    over_a, over_b = listed_axes(axes)
    return counted_axes(rank_a, over_a), counted_axes(rank_b, over_b)


def counted_axes(rank: int, axes: Sequence[int]) -> list[int]:
    """Axes counted from the front; IndexError for one that there is not."""
    for axis in axes:
        if not -rank <= axis < rank:
            raise IndexError(f"Axis {axis} is out of range for a tensor of rank {rank}.")
    return [axis % rank for axis in axes]


def as_matrix(x: TensorValue, over: list[int], rows_first: bool) -> tuple[Any, list[Any]]:
    """A tensor as a matrix with the axes `over` as columns, or rows; and the other axes' sizes."""
    sizes = axis_sizes(x)
    free = [i for i in range(len(sizes)) if i not in over]
    groups = (free, over) if rows_first else (over, free)
    order = [i for group in groups for i in group]
    if order != list(range(len(order))):
        x = transpose(x, tuple(order))
    dims = [joined_size([sizes[i] for i in group]) for group in groups]
    return reshape(x, host_vector(dims)), [sizes[i] for i in free]


def joined_size(sizes: Sequence[int | TensorValue]) -> Any:
    """The product of sizes, some of which may be tensors."""
    size: Any = 1
    for s in sizes:
        size = s * size
    return size


one_op(matmul, tensors=2, attributes=2, by_rank=True)
