"""Sparse tensors as three strings each: indices, values and shape as TensorProtos."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError, UnimplementedError
from graphwright.library.io.serialization import parse
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.sparse import index_rows
from graphwright.ops.sparse.sparse_parts import check_counts, check_width, count_of
from graphwright.ops.strings.text_operands import texts
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype, of_numpy
from graphwright.types.tensor_type import TensorType, show_dims
from graphwright.values.sparse.sparse_tensor import SparseTensor

STORED = dt.ANY - {dt.resource, dt.variant}


class SerializeSparse(Op):
    """A sparse tensor as a vector of three strings."""

    type_name = "SerializeSparse"
    inputs = ("sparse_indices: int64", "sparse_values: T", "sparse_shape: int64")
    outputs = ("serialized_sparse: out_type",)
    dtypes = {"T": STORED}
    ranks = {"sparse_indices": 2, "sparse_values": 1, "sparse_shape": 1}
    gradient = not_differentiable

    out_type: DType = dt.string

    def shapes(self, indices: TensorType, values: TensorType, shape: TensorType) -> Shapes:
        return ((3,),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if self.out_type is not dt.string:
            raise UnimplementedError(
                None, None, f"{self.type_name} gives tf.string, not {self.out_type.name}"
            )
        return self.kernel

    def kernel(self, indices: Array, values: Array, shape: Array) -> Array:
        return strings_of(indices, values, shape)


class SerializeManySparse(SerializeSparse):
    """Each row of a sparse tensor as three strings, a matrix of them."""

    type_name = "SerializeManySparse"

    def shapes(self, indices: TensorType, values: TensorType, shape: TensorType) -> Shapes:
        if shape.dims is not None and shape.dims[0] in (0, 1):
            raise ValueError(
                f"{self.type_name} wants a sparse tensor of rank 2 at least, not of "
                f"{show_dims(shape.dims)} sizes"
            )
        check_counts(indices, values)
        check_width(indices, count_of(shape))
        return ((None, 3),)

    def kernel(self, indices: Array, values: Array, shape: Array) -> Array:
        index_rows.check(indices, shape, ordered=False)
        ends = np.searchsorted(indices[:, 0], np.arange(shape[0] + 1))
        result = np.empty((int(shape[0]), 3), object)
        for row, (first, last) in enumerate(pairwise(ends)):
            result[row] = strings_of(indices[first:last, 1:], values[first:last], shape[1:])
        return result


def strings_of(*parts: Array) -> Array:
    """The parts of a sparse tensor as strings."""
    from graphwright.ir.tensor_proto import packed_proto  # protobuf is large

    messages = [packed_proto(part, of_numpy(part.dtype)) for part in parts]
    return np.array([each.SerializeToString(deterministic=True) for each in messages], object)


class DeserializeManySparse(Op):
    """One sparse tensor that stacks sparse tensors, each stored as three strings."""

    type_name = "DeserializeManySparse"
    inputs = ("serialized_sparse: string",)
    outputs = ("sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64")
    gradient = not_differentiable

    dtype: DType

    def shapes(self, serialized: TensorType) -> Shapes:
        dims = serialized.dims
        if dims is not None and (len(dims) != 2 or dims[1] not in (3, None)):
            raise ValueError(f"serialized_sparse must be a matrix of 3 columns: {show_dims(dims)}")
        return (None, None), (None,), (None,)

    def kernel(self, serialized: Array) -> Any:
        rows = texts(serialized)
        if rows.ndim < 2 or rows.shape[-1] != 3:
            raise ValueError(
                f"serialized_sparse must be rows of 3 strings, not {show_dims(rows.shape)}"
            )
        leading = rows.shape[:-1]
        rows = rows.reshape(-1, 3)
        if not len(rows):
            raise InvalidArgumentError(None, None, "Must have at least 1 serialized SparseTensor")
        parts = [(parse(dt.int64, i), parse(self.dtype, v), parse(dt.int64, s)) for i, v, s in rows]
        ranks = {len(shape) for _, _, shape in parts}
        if len(ranks) > 1:
            raise InvalidArgumentError(
                None, None, f"Inconsistent shape across SparseTensors: ranks {sorted(ranks)}"
            )
        numbers = np.repeat(np.arange(len(parts)), [len(values) for _, values, _ in parts])
        places = np.unravel_index(numbers, leading)
        indices = np.concatenate([indices for indices, _, _ in parts])
        values = np.concatenate([values for _, values, _ in parts])
        shape = np.max([shape for _, _, shape in parts], axis=0)
        return np.column_stack([*places, indices]), values, np.concatenate([leading, shape])


# -- the public functions -------------------------------------------------------------------


def serialize_sparse(
    sp_input: SparseTensor, out_type: DTypeLike = dt.string, name: str | None = None
) -> Tensor:
    """Serializes a sparse tensor as three strings: its indices, values and shape.

    Args:
        sp_input: A `tf.SparseTensor` of any dtype but resource and variant.
        out_type: `tf.string`, the only dtype of the result.
        name: A name for the op.

    Returns:
        A string tensor of shape [3].

    Raises:
        TypeError: `sp_input` is no `tf.SparseTensor`.
        UnimplementedError: `out_type` is `tf.variant`.

    >>> import graphwright as tf
    >>> tf.io.serialize_sparse(tf.sparse.from_dense([[1, 0, 2]])).shape
    TensorShape([3])
    """
    return serialized(SerializeSparse, sp_input, out_type, name)


def serialize_many_sparse(
    sp_input: SparseTensor, out_type: DTypeLike = dt.string, name: str | None = None
) -> Tensor:
    """Serializes each row of a sparse tensor as three strings, like `tf.io.serialize_sparse`.

    Args:
        sp_input: A `tf.SparseTensor` of rank 2 or more; a row is a slice of the first axis.
        out_type: `tf.string`, the only dtype of the result.
        name: A name for the op.

    Returns:
        A string tensor of shape [rows, 3], which `tf.io.deserialize_many_sparse` reads.

    Raises:
        TypeError: `sp_input` is no `tf.SparseTensor`.
        UnimplementedError: `out_type` is `tf.variant`.

    >>> import graphwright as tf
    >>> tf.io.serialize_many_sparse(tf.sparse.from_dense([[1, 0, 2], [0, 0, 3]])).shape
    TensorShape([2, 3])
    """
    return serialized(SerializeManySparse, sp_input, out_type, name)


def serialized(
    kind: type[SerializeSparse], x: SparseTensor, out_type: DTypeLike, name: str | None
) -> Any:
    """Applies an op to the parts of a sparse tensor; TypeError for anything else."""
    if not isinstance(x, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return apply(kind.of(as_dtype(out_type)), x.indices, x.values, x.dense_shape, name=name)


def deserialize_many_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Stacks serialized sparse tensors into one, as its rows.

    Args:
        serialized_sparse: A string tensor of shape [n, 3], with n at least 1, of sparse tensors of
            one rank.
        dtype: The dtype of their values.
        rank: The rank of the result as an int, where it is known. None means unknown.
        name: A name for the op.

    Returns:
        A `tf.SparseTensor` with an axis of size n in front. Each other axis has the greatest size
        of the tensors.

    Raises:
        InvalidArgumentError: The strings are no sparse tensors of `dtype`, or differ in rank.

    >>> import graphwright as tf
    >>> text = tf.io.serialize_many_sparse(tf.sparse.from_dense([[1, 0, 2], [0, 0, 3]]))
    >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(text, tf.int32)).numpy().tolist()
    [[1, 0, 2], [0, 0, 3]]
    """
    op = DeserializeManySparse.of(as_dtype(dtype))
    indices, values, shape = apply(op, convert(serialized_sparse, dt.string), name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
