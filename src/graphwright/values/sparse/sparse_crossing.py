"""`tf.sparse.cross`: every row's combinations of one value of each tensor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import apply
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.indexing import where
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.sparse.sparse_cross import CrossRows
from graphwright.ops.strings.string_pieces import as_bytes
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_arithmetic import parts
from graphwright.values.sparse.sparse_functions import reorder
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.tensor import Tensor

_HASH_KEY = 0xDECAFCAFFE


def cross(
    inputs: Sequence[TensorLike], name: str | None = None, separator: str | bytes | None = None
) -> SparseTensor:
    """Joins each combination of the values in a row of several matrices as text.

    Args:
        inputs: A list of tensors and sparse tensors of numbers or strings, of shape [rows,
            values]. The values of sparse ones come first.
        name: A name for the op.
        separator: The text between two values; None means "_X_".

    Returns:
        A sparse tensor of strings as wide as its longest row.

    Raises:
        TypeError: An input is neither a tensor nor a sparse tensor.
        InvalidArgumentError: The numbers of rows differ, or a dtype or rank is not valid.

    >>> import graphwright as tf
    >>> colors = tf.constant([["red"], ["blue"]])
    >>> sizes = tf.constant([[1, 2], [3, 4]])
    >>> tf.sparse.cross([colors, sizes]).values.numpy()[:2].tolist()
    [b'red_X_1', b'red_X_2']
    """
    check_kinds(inputs, "All inputs must be Tensor or SparseTensor.")
    between = b"_X_" if separator is None else as_bytes(separator)
    return combined(inputs, CrossRows.of(dt.string, between, None, 0), name)


def cross_hashed(
    inputs: Sequence[TensorLike],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Hashes each combination of the values in a row of several matrices to a number.

    Args:
        inputs: A list of tensors and sparse tensors of numbers or strings, of shape [rows,
            values]. The values of sparse ones come first.
        num_buckets: The results are in [0, num_buckets); 0 means any numbers of int64.
        hash_key: An int that selects the hash function; None means a fixed one.
        name: A name for the op.

    Returns:
        A sparse tensor of int64 as wide as its longest row.

    Raises:
        TypeError: An input is neither a tensor nor a sparse tensor.
        InvalidArgumentError: The numbers of rows differ, or a dtype or rank is not valid.

    >>> import graphwright as tf
    >>> colors, sizes = tf.constant([["red"], ["blue"]]), tf.constant([[1], [3]])
    >>> tf.sparse.cross_hashed([colors, sizes], num_buckets=100).values.numpy().tolist()
    [4, 39]
    """
    check_kinds(inputs, "All inputs must be SparseTensors")
    key = _HASH_KEY if hash_key is None else int(hash_key)
    return combined(inputs, CrossRows.of(dt.int64, b"", key, int(num_buckets)), name)


def check_kinds(inputs: Iterable[object], words: str) -> None:
    """TypeError unless all are tensors or sparse tensors; variables are neither."""
    if not all(isinstance(value, (SparseTensor, Tensor)) for value in inputs):
        raise TypeError(words)


def combined(inputs: Sequence[TensorLike], op: CrossRows, name: str | None) -> SparseTensor:
    """What an op of rows makes of matrices, dense and sparse."""
    sparse = [reorder(plain(x)) for x in inputs if isinstance(x, SparseTensor)]
    dense = [whole(convert(x)) for x in inputs if not isinstance(x, SparseTensor)]
    rows = [parts(plain(x)) for x in [*sparse, *dense]]
    operands = [part for kind in zip(*rows) for part in kind]
    return SparseTensor(*apply(op, *operands, name=name))


def plain(x: SparseTensor) -> SparseTensor:
    """A sparse matrix of strings or int64, which other numbers are cast to."""
    if x.dtype is dt.string or x.dtype is dt.int64:
        return x
    return x.with_values(cast(x.values, dt.int64))


def whole(x: TensorValue) -> SparseTensor:
    """A dense matrix as a sparse one that has all elements; InvalidArgumentError for no matrix."""
    if x.type.rank not in (2, None):
        raise InvalidArgumentError(
            None, None, f"Dense inputs should be a matrix but received shape {x.shape}"
        )
    places = where(fill(shape_of(x), True))
    return SparseTensor(places, reshape(x, [-1]), shape_of(x, out_type=dt.int64))
