"""Diagonals and bands of matrices; all axes before the last two are batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.batching import last_axes, last_axes_of_first
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.op import Call, LateRefusal, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones, zeros_like
from graphwright.ops.core.identity import ensure_shape, identity
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.rule_words import dims_of, extent, host
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.core.static import known_int
from graphwright.ops.linalg.stored_bands import StoredBand, is_inside
from graphwright.ops.math.arithmetic import minimum
from graphwright.ops.math.comparison import select
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import as_dtype
from graphwright.types.tensor_type import Dims, TensorType, merge_dims, show_dims

#: The operand k: the number of a diagonal, or the least and the greatest; None where unknown.
Offsets: TypeAlias = int | tuple["int | None", ...] | None

ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


class Band(NamedTuple):
    """The places where diagonals lower..upper of a matrix are stored, and their matrix entries.

    `row` and `place` index the stored diagonals for each matrix entry, of which those `inside` are
    on a diagonal. `i` and `j` index the matrix for each stored entry; entries that are not `valid`
    are padding.
    """

    inside: Any
    row: Any
    place: Any
    valid: Any
    i: Any
    j: Any


@lru_cache(maxsize=256)
def band(rows: int, columns: int, lower: int, upper: int, align: str) -> Band:
    """The correspondence between a matrix and its diagonals, stored as `align` says."""
    longest = diagonal_length(rows, columns, lower, upper)
    offsets = np.arange(upper, lower - 1, -1)
    lengths = np.minimum(rows + np.minimum(offsets, 0), columns - np.maximum(offsets, 0))
    above, below = align.split("_")
    left = ((offsets >= 0) & (above == "LEFT")) | ((offsets <= 0) & (below == "LEFT"))
    shift = np.where(left, 0, longest - lengths)

    distance = np.arange(columns) - np.arange(rows)[:, None]
    inside = (distance >= lower) & (distance <= upper)
    row = np.where(inside, upper - distance, 0)
    along = np.arange(columns) - np.maximum(distance, 0)
    place = np.where(inside, along + shift[row], 0)

    step = np.arange(longest) - shift[:, None]
    valid = (step >= 0) & (step < lengths[:, None])
    i = np.where(valid, step + np.maximum(-offsets, 0)[:, None], 0)
    j = np.where(valid, step + np.maximum(offsets, 0)[:, None], 0)
    return Band(inside, row, place, valid, i, j)


def diagonal_length(rows: int, columns: int, lower: int, upper: int) -> int:
    """The length of the longest diagonal."""
    return min(rows + min(upper, 0), columns - max(lower, 0))


def bounds_of(k: Offsets) -> tuple[int, int] | None:
    """The lowest and the highest diagonal of an operand `k`, or None where unknown."""
    if isinstance(k, tuple):
        if len(k) not in (1, 2):
            raise ValueError(
                f"diag_index must have only one or two elements, received {len(k)} elements."
            )
        lower, upper = k[0], k[-1]
    else:
        lower = upper = k
    if lower is None or upper is None:
        return None
    if lower > upper:
        raise ValueError(
            "lower_diag_index must not be larger than upper_diag_index, received lower_diag_index "
            f"= {lower}, upper_diag_index = {upper}"
        )
    return lower, upper


def check_bounds(lower: int, upper: int, rows: int | None, columns: int | None) -> None:
    """ValueError where the diagonals are not in the matrix."""
    for name, k in (("lower", lower), ("upper", upper)):
        too_low = rows is not None and k <= -rows and k != 0
        too_high = columns is not None and k >= columns and k != 0
        if too_low or too_high:
            raise ValueError(
                f"{name}_diag_index is out of bound: {k} It must be between "
                f"{'?' if rows is None else -rows} and {'?' if columns is None else columns}"
            )


def diagonal_dims(matrix: Dims, lower: int, upper: int) -> Dims:
    """The shape in which diagonals of a matrix (with its batches) are stored."""
    rows, columns = matrix[-2:]
    check_bounds(lower, upper, rows, columns)
    longest = None
    if rows is not None and columns is not None:
        longest = diagonal_length(rows, columns, lower, upper)
    count = () if lower == upper else (upper - lower + 1,)
    return (*matrix[:-2], *count, longest)


def need_matrix(dims: Dims, kind: type[ValueError] = ValueError) -> None:
    """An error of a kind where an operand has fewer than two axes."""
    if len(dims) < 2:
        raise kind(f"input must be at least 2-dim, received shape: {show_dims(dims)}")


class MatrixDiagV3(Op):
    """Matrices with these diagonals, and the padding value elsewhere."""

    type_name = "MatrixDiagV3"
    inputs = (
        "diagonal: T",
        "k: int32 host",
        "num_rows: int32 host",
        "num_cols: int32 host",
        "padding_value: T",
    )
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    ranks = {"num_rows": 0, "num_cols": 0, "padding_value": 0}
    batched = last_axes_of_first

    align: str = "RIGHT_LEFT"

    def shapes(
        self,
        diagonal: TensorType,
        k: Offsets,
        num_rows: int | None,
        num_cols: int | None,
        padding: TensorType,
    ) -> Shapes:
        if diagonal.dims is None:
            return (None,)
        if not diagonal.dims:
            raise ValueError("diagonal must be at least 1-dim, received shape: []")
        bounds = bounds_of(k)
        if bounds is None:
            return (None,)
        lower, upper = bounds
        stored = 1 if lower == upper else 2
        if len(diagonal.dims) < stored:
            raise ValueError(
                f"diagonal must have rank at least {stored}: {show_dims(diagonal.dims)}"
            )
        if stored == 2 and diagonal.dims[-2] not in (None, upper - lower + 1):
            raise ValueError(
                "The number of diagonals provided in the input does not match the lower_diag_index "
                f"and upper_diag_index range: {diagonal.dims[-2]} for {lower}..{upper}"
            )
        sizes = matrix_sizes(diagonal.dims[-1], lower, upper, num_rows, num_cols)
        return ((*diagonal.dims[:-stored], *sizes),)

    def kernel(
        self, diagonal: Array, k: Offsets, num_rows: int, num_cols: int, padding: Array
    ) -> Array:
        diagonal = np.asarray(diagonal)
        lower, upper = bounds_of(k) or (0, 0)
        like = TensorType(dt.float32, diagonal.shape)
        ((*_, rows, columns),) = self.shapes(like, k, num_rows, num_cols, like)  # type: ignore[misc]
        if lower == upper:
            result = np.empty((*diagonal.shape[:-1], rows, columns), diagonal.dtype)
            result[...] = padding
            steps = np.arange(diagonal.shape[-1])
            result[..., steps + max(-lower, 0), steps + max(lower, 0)] = diagonal
            return result
        places = band(rows, columns, lower, upper, self.align)
        return np.where(places.inside, diagonal[..., places.row, places.place], padding)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        part = apply(MatrixDiagPartV3.of(self.align), g, call.inputs[1], convert(0, g.dtype))
        return part, None, None, None, None

    def expand(
        self,
        diagonal: GraphTensor,
        k: GraphTensor,
        rows: GraphTensor,
        columns: GraphTensor,
        padding: GraphTensor,
    ) -> Any:
        """What is stored in the diagonals, and the value beside them."""
        bounds, wanted = bounds_of(host(k)), [host(rows), host(columns)]
        if bounds is None or None in wanted:
            return None
        size = extent(diagonal, -1)
        if wanted == [-1, -1]:
            sizes = [size + max(-bounds[1], bounds[0], 0)] * 2
        elif isinstance(size, int):
            sizes = list(matrix_sizes(size, *bounds, *wanted))
        else:
            return None
        return StoredBand(sizes[0], sizes[1], bounds, self.align).stored(diagonal, padding)


def matrix_sizes(
    longest: int | None, lower: int, upper: int, rows: int | None, columns: int | None
) -> tuple[int | None, int | None]:
    """(rows, columns) of the matrix of diagonals, where -1 is the least that holds them."""
    if longest is None:
        return (None if rows == -1 else rows, None if columns == -1 else columns)
    least_rows, least_columns = longest - min(upper, 0), longest + max(lower, 0)
    if rows == -1 and columns == -1:
        size = max(least_rows, least_columns)
        return size, size
    if rows is not None and rows != -1 and rows < least_rows:
        raise ValueError(f"The number of rows is too small: {rows} < {least_rows}")
    if columns is not None and columns != -1 and columns < least_columns:
        raise ValueError(f"The number of columns is too small: {columns} < {least_columns}")
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    if rows not in (None, least_rows) and columns not in (None, least_columns):
        raise ValueError(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            f"and diagonal: {rows} x {columns}"
        )
    return rows, columns


class MatrixDiagPartV3(Op):
    """The diagonals of matrices."""

    type_name = "MatrixDiagPartV3"
    inputs = ("input: T", "k: int32 host", "padding_value: T")
    outputs = ("diagonal: T",)
    dtypes = {"T": dt.ANY}
    batched = last_axes_of_first

    align: str = "RIGHT_LEFT"

    def shapes(self, x: TensorType, k: Offsets, padding: TensorType) -> Shapes:
        if x.dims is None:
            return (None,)
        need_matrix(x.dims)
        bounds = bounds_of(k)
        return (None if bounds is None else diagonal_dims(x.dims, *bounds),)

    def kernel(self, x: Array, k: Offsets, padding: Array) -> Any:
        like = TensorType(dt.float32, np.shape(x))
        (dims,) = self.shapes(like, k, like)
        lower, upper = bounds_of(k) or (0, 0)
        if lower == upper:  # no padding
            return np.array(np.diagonal(x, lower, -2, -1))
        places = band(*np.shape(x)[-2:], lower, upper, self.align)
        return np.where(places.valid, x[..., places.i, places.j], padding).reshape(dims)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, k, _ = call.inputs
        return apply(MatrixSetDiagV3.of(self.align), zeros_like(x), g, k), None, None

    def expand(self, x: GraphTensor, k: GraphTensor, padding: GraphTensor) -> Any:
        """The diagonals of matrices, padded to one length."""
        bounds = bounds_of(host(k))
        if bounds is None or not is_inside(bounds, x):
            return None
        return StoredBand(extent(x, -2), extent(x, -1), bounds, self.align).taken(x, padding)


class MatrixSetDiagV3(Op):
    """Matrices with other diagonals."""

    type_name = "MatrixSetDiagV3"
    ruled = True
    inputs = ("input: T", "diagonal: T", "k: int32 host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    batched = last_axes

    align: str = "RIGHT_LEFT"

    def shapes(self, x: TensorType, diagonal: TensorType, k: Offsets) -> Shapes:
        bounds = bounds_of(k)
        if x.dims is None:
            if bounds is None or diagonal.dims is None:
                return (None,)
            outer = len(diagonal.dims) - (1 if bounds[0] == bounds[1] else 2)
            return ((*diagonal.dims[:outer], None, None),)
        need_matrix(x.dims)
        if bounds is not None:
            fitting = diagonal_dims(x.dims, *bounds)
            try:
                merge_dims(fitting, diagonal.dims)
            except ValueError as error:
                raise LateRefusal(
                    f"diagonal of shape {show_dims(diagonal.dims)} does not fit the diagonals "
                    f"{bounds[0]}..{bounds[1]} of input of shape {show_dims(x.dims)}: {error}"
                ) from None
        return (x.dims,)

    def kernel(self, x: Array, diagonal: Array, k: Offsets) -> Array:
        x, diagonal = np.asarray(x), np.asarray(diagonal)
        lower, upper = bounds_of(k) or (0, 0)
        if lower == upper:
            result, along = np.array(x), np.arange(diagonal.shape[-1])
            result[..., along + max(-lower, 0), along + max(lower, 0)] = diagonal
            return result
        places = band(*x.shape[-2:], lower, upper, self.align)
        return np.where(places.inside, diagonal[..., places.row, places.place], x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, diagonal, k = call.inputs
        part = apply(MatrixDiagPartV3.of(self.align), g, k, convert(0, g.dtype))
        return apply(self, g, zeros_like(diagonal), k), part, None

    def expand(self, x: GraphTensor, diagonal: GraphTensor, k: GraphTensor) -> Any:
        """The matrix with what is stored in its diagonals."""
        bounds = bounds_of(host(k))
        if bounds is None or not is_inside(bounds, x):
            return None
        stored = StoredBand(extent(x, -2), extent(x, -1), bounds, self.align)
        if None in (diagonal.shape[-1], *x.shape[-2:]):  # it must be as long as it is to be
            diagonal = reshape(diagonal, [*dims_of(diagonal)[:-1], stored.longest])
        return stored.stored(diagonal, x)


class MatrixBandPart(Op):
    """Matrices with zeros outside a band around the main diagonal."""

    type_name = "MatrixBandPart"
    ruled = True
    inputs = ("input: T", "num_lower: Tindex host", "num_upper: Tindex host")
    outputs = ("band: T",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL, "Tindex": dt.INDEX}
    batched = last_axes_of_first

    def shapes(self, x: TensorType, num_lower: int | None, num_upper: int | None) -> Shapes:
        if x.dims is not None:
            need_matrix(x.dims, LateRefusal)
            for name, value, size in (
                ("num_lower", num_lower, x.dims[-2]),
                ("num_upper", num_upper, x.dims[-1]),
            ):
                if value is not None and size is not None and value > size:
                    raise LateRefusal(
                        f"{name} must be negative or less or equal to number of "
                        f"{'rows' if name == 'num_lower' else 'columns'} ({size}) got: {value}"
                    )
        return (x.dims,)

    def kernel(self, x: Array, num_lower: int, num_upper: int) -> Array:
        x = np.asarray(x)
        if num_upper >= 0:
            x = np.tril(x, num_upper)
        return np.triu(x, -num_lower) if num_lower >= 0 else x

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, num_lower, num_upper = call.inputs
        return apply(self, g, num_lower, num_upper), None, None

    def expand(self, x: GraphTensor, lower: GraphTensor, upper: GraphTensor) -> Any:
        """x near the diagonal, else 0."""
        bounds = host(lower), host(upper)
        if None in bounds:
            return None
        rows, columns = [steps(extent(x, i)) for i in (-2, -1)]
        distance = columns - expand_dims(rows, 1)
        for i, (bound, side) in enumerate(zip(bounds, (-distance, distance))):
            if bound > 0 and x.shape[i - 2] is None:  # the kernel refuses one beyond the matrix
                return None
            if bound >= 0:
                x = select(side <= cast(bound, dt.int32), x, zeros_like(x))
        return identity(x)


# -- the public functions -------------------------------------------------------------------


def diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Makes matrices of their diagonals, with a padding value elsewhere.

    Args:
        diagonal: A tensor of any dtype: one diagonal of each matrix, of shape [..., n]; or
            several, of shape [..., count, n], the highest first.
        name: A name for the op.
        k: The number of the diagonal, 0 for the main one and negative below; or a pair of ints,
            the lowest and the highest of several.
        num_rows: The number of rows. -1 means as few as are needed.
        num_cols: The number of columns. -1 means as few as are needed.
        padding_value: The other elements.
        align: To which side shorter diagonals above and below the main one are pushed within their
            rows: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
        A tensor of the dtype of `diagonal`, of shape [..., rows, columns]. Without either number
        the matrices are square.

    Raises:
        ValueError: `align` is another word.
        InvalidArgumentError: The diagonals do not fit the matrices (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.diag([1, 2], k=1).numpy().tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    x = convert(diagonal)
    padding = padding_of(x, padding_value)
    op = MatrixDiagV3.of(checked_align(align))
    return apply(op, x, k, num_rows, num_cols, padding, name=name)


def padding_of(x: TensorValue, value: TensorLike) -> TensorValue:
    """The padding value as a tensor of the dtype of `x`."""
    return convert(bool(value) if x.dtype is dt.bool_ else value, x.dtype)


def diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Reads diagonals of matrices.

    Args:
        input: A tensor of any dtype, of shape [..., m, n].
        name: A name for the op.
        k: The number of the diagonal, 0 for the main one and negative below; or a pair of ints,
            the lowest and the highest of several.
        padding_value: What fills the rows of shorter diagonals.
        align: To which side shorter diagonals above and below the main one are pushed within their
            rows: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
        A tensor of the dtype of `input`, of shape [..., length] for one diagonal. Several are rows
        of shape [..., count, length], the highest first.

    Raises:
        ValueError: `align` is another word.
        InvalidArgumentError: The matrices have no such diagonal (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    x = convert(input)
    padding = padding_of(x, padding_value)
    return apply(MatrixDiagPartV3.of(checked_align(align)), x, k, padding, name=name)


def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str | None = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Replaces diagonals of matrices.

    Args:
        input: A tensor of any dtype, of shape [..., m, n].
        diagonal: A tensor of the dtype of `input`, of the shape that `tf.linalg.diag_part` gives.
        name: A name for the op.
        k: The number of the diagonal, 0 for the main one and negative below; or a pair of ints,
            the lowest and the highest of several.
        align: To which side shorter diagonals above and below the main one are pushed within their
            rows: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        ValueError: `align` is another word.
        InvalidArgumentError: The diagonals do not fit the matrices (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [8, 9]).numpy().tolist()
    [[8, 2], [3, 9]]
    """
    x = convert(input)
    op = MatrixSetDiagV3.of(checked_align(align))
    return apply(op, x, convert(diagonal, x.dtype), k, name=name)


def checked_align(align: str) -> str:
    """The alignment; ValueError where there is no such, TypeError where it is no text."""
    if not isinstance(align, (str, bytes)):
        raise TypeError(f"Expected string for argument 'align' not {align!r}.")
    if align not in ALIGNMENTS:
        raise ValueError(f"align must be one of {', '.join(ALIGNMENTS)}, got {align!r}")
    return align


def band_part(
    input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None
) -> Tensor:
    """Sets the elements of matrices outside a band around the main diagonal to zero.

    Args:
        input: A tensor of numbers or bools, of shape [..., m, n].
        num_lower: The number of diagonals that stay below the main one, as an integer scalar. A
            negative number means all.
        num_upper: The number of diagonals that stay above the main one, as an integer scalar. A
            negative number means all.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: There are not so many diagonals (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    return apply(MatrixBandPart.of(), convert(input), num_lower, num_upper, name=name)


def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    batch_shape: ShapeLike = None,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> Tensor:
    """Makes an identity matrix, or one for each place of `batch_shape`.

    Args:
        num_rows: The number of rows, as an int or an integer scalar.
        num_columns: The number of columns. None means as many as rows.
        batch_shape: The axes before the matrices, as a list of ints or an integer vector. None
            means none.
        dtype: The dtype of the result.
        name: A name for the op.

    Returns:
        A tensor of `dtype`, of shape [*batch_shape, num_rows, num_columns].

    >>> import graphwright as tf
    >>> tf.eye(2, dtype=tf.int32).numpy().tolist()
    [[1, 0], [0, 1]]
    """
    rows = size_of(num_rows)
    columns = rows if num_columns is None else size_of(num_columns)
    length = smaller(rows, columns)
    batch: Any = () if batch_shape is None else batch_shape
    shape: Any = concat([batch, [length]], 0) if is_tensor(batch) else [*batch, length]
    diagonal = ones(shape, as_dtype(dtype))
    return diag(diagonal, name, num_rows=rows, num_cols=columns)


def size_of(number: TensorLike) -> Any:
    """A number of rows or columns: an int, or a tensor that is known to have no axes."""
    if isinstance(number, (float, complex, np.inexact)) or (
        isinstance(number, np.ndarray) and number.dtype.kind not in "iu"
    ):
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
            f"{number!r}"
        )
    size = known_int(number)
    return ensure_shape(size, []) if is_tensor(size) and size.type.dims is None else size


def smaller(x: int | TensorValue, y: int | TensorValue) -> Any:
    """The lesser of two ints or tensors."""
    return min(x, y) if isinstance(x, int) and isinstance(y, int) else minimum(x, y)
