"""Functions of TensorFlow 1 that have no namesake in TensorFlow 2."""

from __future__ import annotations

import re

from graphwright.library.checkpoint.checkpoint_files import is_there
from graphwright.library.config.compat import as_str_any
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.identity import stop_gradient
from graphwright.ops.core.movement import reshape
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.math.arithmetic import floordiv, truediv
from graphwright.ops.math.comparison import not_equal
from graphwright.ops.nn import softmax
from graphwright.ops.nn.bias import bias_add
from graphwright.ops.strings.strings import regex_replace
from graphwright.ragged import ragged_strings
from graphwright.ragged.ragged_conversion import to_sparse
from graphwright.ragged.ragged_gathering import boolean_mask
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.values.convert import convert, convert_pair
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.variable import Variable


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides as Python 2 did: integers are rounded down, and floats are not.

    Args:
        x: A tensor of a numeric dtype.
        y: A tensor of the same dtype, whose shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the same dtype.

    >>> import graphwright as tf
    >>> tf.compat.v1.div([7, -7], 2).numpy().tolist(), float(tf.compat.v1.div(7.0, 2.0))
    ([3, -4], 3.5)
    """
    a, b = convert_pair(x, y)
    return (floordiv if a.dtype.is_integer else truediv)(a, b, name=name)


def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """Returns `x @ weights + biases`.

    Args:
        x: A tensor of shape [rows, inner].
        weights: A tensor of shape [inner, columns].
        biases: A tensor of shape [columns].
        name: A name for the op.

    Returns:
        A tensor of shape [rows, columns].

    >>> import graphwright as tf
    >>> tf.compat.v1.nn.xw_plus_b([[1.0, 2.0]], [[3.0], [4.0]], [0.5]).numpy().tolist()
    [[11.5]]
    """
    return bias_add(matmul(x, weights), biases, name=name or "xw_plus_b")


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Says whether there is a checkpoint of a path.

    Args:
        checkpoint_prefix: A path as `Saver.save` returns it.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.checkpoint_exists("no/such/model-7")
    False
    """
    return is_there(str(checkpoint_prefix))


def scatter_update(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Variable:
    """Replaces rows of a variable.

    Args:
        ref: A variable.
        indices: A tensor of int32 or int64, of any shape: the rows.
        updates: A tensor of the variable's dtype and of the shape `indices.shape + ref.shape[1:]`.
        use_locking: It has no effect.
        name: A name for the op.

    Returns:
        The variable.

    >>> import graphwright as tf
    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.scatter_update(v, [1], [[5, 6]]).numpy().tolist()
    [[1, 2], [5, 6]]
    """
    return ref.scatter_update(IndexedSlices(convert(updates, ref.dtype), indices), name=name)


def scatter_add(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Variable:
    """Adds to rows of a variable.

    Args:
        ref: A variable.
        indices: A tensor of int32 or int64, of any shape: the rows.
        updates: A tensor of the variable's dtype and of the shape `indices.shape + ref.shape[1:]`.
        use_locking: It has no effect.
        name: A name for the op.

    Returns:
        The variable.

    >>> import graphwright as tf
    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.scatter_add(v, [1], [[5, 6]]).numpy().tolist()
    [[1, 2], [8, 10]]
    """
    return ref.scatter_add(IndexedSlices(convert(updates, ref.dtype), indices), name=name)


def scatter_sub(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Variable:
    """Subtracts from rows of a variable.

    Args:
        ref: A variable.
        indices: A tensor of int32 or int64, of any shape: the rows.
        updates: A tensor of the variable's dtype and of the shape `indices.shape + ref.shape[1:]`.
        use_locking: It has no effect.
        name: A name for the op.

    Returns:
        The variable.

    >>> import graphwright as tf
    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.scatter_sub(v, [1], [[5, 6]]).numpy().tolist()
    [[1, 2], [-2, -2]]
    """
    return ref.scatter_sub(IndexedSlices(convert(updates, ref.dtype), indices), name=name)


def softmax_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """Returns the cross entropy of classes, whose gradient does not flow into the labels.

    Args:
        labels: A tensor of floats of shape [..., classes]: the probabilities of classes.
        logits: A tensor of floats of the same shape.
        dim: The axis of the classes.
        name: A name for the op.
        axis: The same as `dim`.

    Returns:
        A tensor of floats of shape [...].

    Raises:
        ValueError: `labels` or `logits` is None.

    >>> import graphwright as tf
    >>> nn = tf.compat.v1.nn
    >>> float(nn.softmax_cross_entropy_with_logits(labels=[0.0, 1.0], logits=[0.0, 0.0]))
    0.6931471824645996
    """
    if labels is None or logits is None:
        raise ValueError("Both `labels` and `logits` must be provided.")
    place = dim if axis is None else axis
    return softmax.softmax_cross_entropy_with_logits(stop_gradient(labels), logits, place, name)


def split(
    input: TensorLike | None = None,
    sep: TensorLike | None = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: TensorLike | None = None,
    name: str | None = None,
) -> RaggedTensor | SparseTensor:
    """Splits strings into parts, as a sparse tensor unless a ragged one is asked for.

    Args:
        input: A tensor of strings. One string is a vector of one.
        sep: The string between parts. None or "" means any whitespace.
        maxsplit: The most splits of a string; -1 sets no limit.
        result_type: "SparseTensor" or "RaggedTensor".
        source: The same as `input`.
        name: A name for the op.

    Returns:
        A `tf.SparseTensor` or a `tf.RaggedTensor` of strings, with one axis more than `input`.

    Raises:
        ValueError: There is no such type, or nothing to split.

    >>> import graphwright as tf
    >>> tf.compat.v1.strings.split(["a b", "c"]).values.numpy().tolist()
    [b'a', b'b', b'c']
    """
    given = source if input is None else input
    if given is None:
        raise ValueError("Must specify the strings to split.")
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    strings = given if isinstance(given, RaggedTensor) else convert(given)
    if not isinstance(strings, RaggedTensor) and strings.type.dims == ():
        strings = reshape(strings, [1])
    parts = ragged_strings.split(strings, sep, maxsplit, name)
    return parts if result_type == "RaggedTensor" else to_sparse(parts)


def string_split(
    source: TensorLike,
    sep: str | bytes | None = None,
    skip_empty: bool = True,
    delimiter: str | bytes | None = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> RaggedTensor | SparseTensor:
    """Splits strings at each of some characters.

    Args:
        source: A vector of strings.
        sep: The characters between parts; None is a space, and "" splits between all bytes.
        skip_empty: A bool: whether empty parts are left out.
        delimiter: An earlier name of `sep`.
        result_type: "SparseTensor" or "RaggedTensor".
        name: A name for the op.

    Returns:
        A `tf.SparseTensor` or a `tf.RaggedTensor` of strings, with a row for each string.

    Raises:
        ValueError: There is no such type, or both `sep` and `delimiter` are given.

    >>> import graphwright as tf
    >>> tf.compat.v1.string_split(["a,b;;c", "d"], ",;").values.numpy().tolist()
    [b'a', b'b', b'c', b'd']
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    if sep is not None and delimiter is not None:
        raise ValueError("Cannot specify both 'sep' and 'delimiter'")
    given = delimiter if sep is None else sep
    marks = " " if given is None else as_str_any(given)
    strings = convert(source, dt.string)
    if not marks:
        parts = ragged_strings.bytes_split(strings, name)
    else:
        if len(marks) > 1:
            strings = regex_replace(strings, f"[{re.escape(marks)}]", marks[0])
        parts = ragged_strings.split(strings, marks[0], name=name)
    # An empty string has no parts at all, and none that is empty.
    whole = parts.values if skip_empty else gather(strings, parts.value_rowids())
    parts = boolean_mask(parts, parts.with_values(not_equal(whole, "")))
    return parts if result_type == "RaggedTensor" else to_sparse(parts)
