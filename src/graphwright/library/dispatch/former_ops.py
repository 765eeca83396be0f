"""Raw ops of earlier versions, in terms of today's ops.

Programs that were written for them find them in `tf.raw_ops`; the graphs have today's ops. Those
for which TensorFlow itself has no kernel any more are left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from graphwright.library.dispatch.raw_ops import published, raw_op
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.reversal import reverse
from graphwright.ops.core.scattering import tensor_scatter_nd_update
from graphwright.ops.core.shapes import rank, shape_of
from graphwright.ops.core.space_blocks import batch_to_space_nd, space_to_batch_nd
from graphwright.ops.math.arithmetic import add, subtract
from graphwright.ops.random.stateless_random import (
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, PythonFunction, ShapeLike, TensorLike

#: The ops by name.
FORMER: dict[str, Callable[..., Any]] = {}


def renamed(name: str, now: str, *left_out: str, **arguments: str) -> None:
    """Publishes an op of today under a former name; `arguments` maps former names to its own."""
    op = raw_op(now)
    today = inspect.signature(op)
    before = {new: old for old, new in arguments.items()}

    def function(**values: object) -> Any:
        bound = signature.bind(**values)
        return op(**{arguments.get(key, key): value for key, value in bound.arguments.items()})

    parameters = [p for p in today.parameters.values() if p.name not in left_out]
    signature = inspect.Signature([p.replace(name=before.get(p.name, p.name)) for p in parameters])
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The former {now}."
    function.__signature__ = signature  # type: ignore[attr-defined]
    FORMER[name] = published(name, function)


renamed("BatchMatMul", "BatchMatMulV2")
renamed("BiasAddV1", "BiasAdd", "data_format")
renamed("DeepCopy", "Identity", x="input")
renamed("Inv", "Reciprocal")
renamed("Mod", "TruncateMod")
renamed("ParallelDynamicStitch", "DynamicStitch")
renamed("ScatterNdNonAliasingAdd", "TensorScatterAdd", input="tensor")
renamed("Snapshot", "Identity")


def former(function: PythonFunction) -> Callable[..., Any]:
    """Publishes a function as the op of its name."""
    FORMER[function.__name__] = published(function.__name__, function)
    return function


def as_images(x: TensorLike) -> Any:
    """A tensor that is known to have the four axes of images."""
    return raw_op("EnsureShape")(input=x, shape=[None] * 4)


@former
def BatchToSpace(
    *, input: TensorLike, crops: TensorLike, block_size: int, name: str | None = None
) -> Any:
    """Blocks of two axes taken out of the batch."""
    return batch_to_space_nd(as_images(input), [block_size, block_size], crops, name=name)


@former
def SpaceToBatch(
    *, input: TensorLike, paddings: TensorLike, block_size: int, name: str | None = None
) -> Any:
    """Blocks of two axes moved into the batch."""
    return space_to_batch_nd(as_images(input), [block_size, block_size], paddings, name=name)


@former
def Concat(*, concat_dim: TensorLike, values: Sequence[TensorLike], name: str | None = None) -> Any:
    """The tensors one after the other along an axis."""
    return concat(values, concat_dim, name=name or "Concat")


@former
def ParallelConcat(
    *, values: Sequence[TensorLike], shape: ShapeLike, name: str | None = None
) -> Any:
    """Tensors with one row each one after the other: a tensor of this shape."""
    return raw_op("EnsureShape")(input=concat(values, 0), shape=shape, name=name)


@former
def Gather(
    *,
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Slices along the first axis."""
    return gather(params, indices, name=name)


@former
def InTopK(*, predictions: TensorLike, targets: TensorLike, k: int, name: str | None = None) -> Any:
    """Whether the target is among the k greatest of each row."""
    targets = convert(targets, None, dt.int32)
    op = raw_op("InTopKV2")
    return op(predictions=predictions, targets=targets, k=cast(k, targets.dtype), name=name)


@former
def InplaceUpdate(*, x: TensorLike, i: TensorLike, v: TensorLike, name: str | None = None) -> Any:
    """The tensor with other rows."""
    return tensor_scatter_nd_update(x, expand_dims(i, -1), v, name=name)


@former
def InplaceAdd(*, x: TensorLike, i: TensorLike, v: TensorLike, name: str | None = None) -> Any:
    """The tensor with values added to rows; of equal rows the last counts."""
    return InplaceUpdate(x=x, i=i, v=add(gather(x, i), v), name=name)


@former
def InplaceSub(*, x: TensorLike, i: TensorLike, v: TensorLike, name: str | None = None) -> Any:
    """The tensor with values subtracted from rows; of equal rows the last counts."""
    return InplaceUpdate(x=x, i=i, v=subtract(gather(x, i), v), name=name)


@former
def MatrixDiag(*, diagonal: TensorLike, name: str | None = None) -> Any:
    """Matrices that are zero beside the diagonal."""
    diagonal = convert(diagonal)
    op = raw_op("MatrixDiagV3")
    zero = convert(0, diagonal.dtype)
    return op(diagonal=diagonal, k=0, num_rows=-1, num_cols=-1, padding_value=zero, name=name)


@former
def MatrixDiagPart(*, input: TensorLike, name: str | None = None) -> Any:
    """The diagonals of matrices."""
    input = convert(input)
    zero = convert(0, input.dtype)
    return raw_op("MatrixDiagPartV3")(input=input, k=0, padding_value=zero, name=name)


@former
def MatrixSetDiag(*, input: TensorLike, diagonal: TensorLike, name: str | None = None) -> Any:
    """Matrices with other diagonals."""
    return raw_op("MatrixSetDiagV3")(input=input, diagonal=diagonal, k=0, name=name)


@former
def Reverse(*, tensor: TensorLike, dims: TensorLike, name: str | None = None) -> Any:
    """The tensor turned round along the axes for which `dims` is true."""
    return reverse(tensor, reshape(where(dims), [-1]), name=name)


@former
def Select(*, condition: TensorLike, x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Elements of x or y; rows of them, where the condition is a vector."""
    condition, x = convert(condition), convert(x)
    if condition.type.rank != x.type.rank or x.type.rank is None:
        beside = rank(x) - rank(condition)
        condition = reshape(condition, concat([shape_of(condition), ones([beside], dt.int32)], 0))
    return where(condition, x, y, name=name)


@former
def SparseMatMul(
    *,
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of two matrices, of float32."""
    left, right = cast(a, dt.float32), cast(b, dt.float32)
    op = raw_op("MatMul")
    return op(a=left, b=right, transpose_a=transpose_a, transpose_b=transpose_b, name=name)


@former
def StatelessRandomNormal(
    *, shape: ShapeLike, seed: TensorLike, dtype: DTypeLike = dt.float32, name: str | None = None
) -> Any:
    """Normal numbers that the seed determines."""
    return stateless_normal(shape, seed, dtype=dtype, name=name, alg="philox")


@former
def StatelessRandomUniform(
    *, shape: ShapeLike, seed: TensorLike, dtype: DTypeLike = dt.float32, name: str | None = None
) -> Any:
    """Numbers in [0, 1) that the seed determines."""
    return stateless_uniform(shape, seed, dtype=dtype, name=name, alg="philox")


@former
def StatelessRandomUniformInt(
    *,
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike,
    maxval: TensorLike,
    name: str | None = None,
) -> Any:
    """Integers in [minval, maxval) that the seed determines."""
    low = convert(minval)
    return stateless_uniform(shape, seed, low, maxval, low.dtype, name=name, alg="philox")


@former
def StatelessRandomUniformFullInt(
    *, shape: ShapeLike, seed: TensorLike, dtype: DTypeLike = dt.uint64, name: str | None = None
) -> Any:
    """Integers of the whole range that the seed determines."""
    return stateless_uniform(shape, seed, None, None, dtype, name=name, alg="philox")


@former
def StatelessTruncatedNormal(
    *, shape: ShapeLike, seed: TensorLike, dtype: DTypeLike = dt.float32, name: str | None = None
) -> Any:
    """Normal numbers within two deviations that the seed determines."""
    return stateless_truncated_normal(shape, seed, dtype=dtype, name=name, alg="philox")
