"""How many insertions, deletions and exchanges lead from one sequence to another."""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.errors import InternalError
from graphwright.base.scalar_code import Integers, Reals, module_text
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings.key_code import distinct_strings
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims


class EditDistance(Op):
    """The Levenshtein distances of the rows of two sparse tensors; 0 where both have none."""

    type_name = "EditDistance"
    inputs = (
        "hypothesis_indices: int64",
        "hypothesis_values: T",
        "hypothesis_shape: int64 host",
        "truth_indices: int64",
        "truth_values: T",
        "truth_shape: int64 host",
    )
    outputs = ("output: float32",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL | dt.STRING}
    ranks = {
        "hypothesis_indices": 2, "hypothesis_values": 1, "hypothesis_shape": 1,
        "truth_indices": 2, "truth_values": 1, "truth_shape": 1,
    }  # fmt: skip
    gradient = not_differentiable

    normalize: bool = True

    def shapes(
        self, h_indices: TensorType, h_values: TensorType, h_shape: Dims | None,
        t_indices: TensorType, t_values: TensorType, t_shape: Dims | None,
    ) -> Shapes:  # fmt: skip
        for name, dims in (("hypothesis_shape", h_shape), ("truth_shape", t_shape)):
            if dims is not None and len(dims) < 2:
                raise ValueError(
                    f"Input SparseTensors of {self.type_name} must have rank at least 2, but "
                    f"{name} is {show_dims(dims)}"
                )
            if dims is not None and any(d is not None and d < 0 for d in dims):
                raise ValueError(f"Dimensions must be >= 0, but {name} is {show_dims(dims)}")
        if h_shape is None or t_shape is None:
            return (None,)
        if len(h_shape) != len(t_shape):
            raise ValueError(
                "Expected truth and hypothesis to have matching ranks, but their shapes are: "
                f"{show_dims(t_shape)} and {show_dims(h_shape)}"
            )
        pairs = list(zip(h_shape, t_shape))[:-1]
        return (tuple([None if a is None or b is None else max(a, b) for a, b in pairs]),)

    def kernel(
        self, h_indices: Array, h_values: Array, h_shape: tuple[int, ...],
        t_indices: Array, t_values: Array, t_shape: tuple[int, ...],
    ) -> Any:  # fmt: skip
        empty = TensorType(dt.int64, None)
        dims: Any = self.shapes(empty, empty, h_shape, empty, empty, t_shape)[0]
        if 0 in dims:
            raise ValueError(f"Got output shape {show_dims(dims)} which has 0 elements")
        check_rows("hypothesis", h_indices, h_values, h_shape)
        check_rows("truth", t_indices, t_values, t_shape)
        codes = codes_of(np.concatenate([h_values, t_values]))
        result = distances(h_indices, t_indices, codes, dims, self.normalize)
        return result.astype(np.float32).reshape(dims)


def check_rows(name: str, indices: Array, values: Array, shape: tuple[int, ...]) -> None:
    """ValueError unless there is an index for each value, and a number for each axis."""
    dims = show_dims(indices.shape)
    if len(values) != len(indices):
        raise ValueError(
            f"Expected {name}_values.NumElements == #rows({name}_indices), their shapes are: "
            f"[{len(values)}] and {dims}"
        )
    if len(shape) != indices.shape[1]:
        raise ValueError(
            f"Expected {name}_shape.NumElements == #cols({name}_indices), their shapes are: "
            f"[{len(shape)}] and {dims}"
        )


def codes_of(values: Array) -> npt.NDArray[np.int64]:
    """Whole numbers that are equal where values are; NaN equals nothing."""
    if values.dtype.kind in "biu":
        return values.astype(np.int64, copy=False)
    distinct = distinct_strings(values) if values.dtype == object else None
    if distinct is not None:
        return distinct[1]
    return np.unique(values, return_inverse=True, equal_nan=False)[1]


def distances(
    a_indices: Array, b_indices: Array, codes: Array, dims: tuple[int, ...], is_relative: bool
) -> npt.NDArray[np.float64]:
    """The distances of rows, flat.

    Args:
        a_indices: [m, rank], the places of the elements of the one tensor.
        b_indices: [n, rank], those of the other.
        codes: [m + n], the elements.
        dims: The shape of the result.
        is_relative: Whether a distance is divided by the length of the row of the other.
    """
    m, n = len(a_indices), len(b_indices)
    sizes, count = np.array(dims, np.int64), math.prod(dims)
    places = [np.ascontiguousarray(each, np.int64) for each in (a_indices, b_indices)]
    codes, row = np.ascontiguousarray(codes), np.empty(n + 1, np.int64)
    result = np.zeros(count)
    outside = _functions()["row_distances"](
        *map(address, (*places, codes, sizes)), m, n, len(dims), count, is_relative, math.inf,
        address(row), address(result),
    )  # fmt: skip
    if outside:
        raise InternalError(
            None,
            None,
            f"Got an inner product {outside} which would require writing to outside of the buffer "
            f"for the output tensor (max elements {count})",
        )
    return result


# -- the same for `base/scalar_code.py`, which makes machine code of it ------------------------


def _row(indices: Integers, i: int, sizes: Integers, rank: int) -> int:
    """The row of element i in a flat result of these sizes; an index has one number more."""
    row = 0
    for axis in range(rank):
        row = row * sizes[axis] + indices[i * (rank + 1) + axis]
    return row


def _end(indices: Integers, i: int, count: int, sizes: Integers, rank: int, row: int) -> int:
    """The first element from one on that is of another row than this."""
    while i < count and _row(indices, i, sizes, rank) == row:
        i += 1
    return i


def _distance(a: Integers, m: int, b: Integers, n: int, row: Integers) -> int:
    """The distance of m elements to n others.

    `row[j]` is the distance of the first i elements of `a` to the first j of `b`. It is the least
    of what comes from above, from the left above, and from the left.
    """
    for j in range(n + 1):
        row[j] = j
    for i in range(m):
        code, above_left, left = a[i], row[0], i + 1
        row[0] = left
        for j in range(n):
            above = row[j + 1]
            least = min(above + 1, above_left + int(b[j] != code))
            left = min(left + 1, least)
            above_left = above
            row[j + 1] = left
    return row[n]


def row_distances(
    a_indices: Integers, b_indices: Integers, codes: Integers, sizes: Integers, m: int, n: int,
    rank: int, count: int, is_relative: bool, infinity: float, row: Integers, out: Reals,
) -> int:  # fmt: skip
    """Goes through the rows of both together; 0, or the first one that is outside of the result."""
    i, j = 0, 0
    while i < m or j < n:
        if j == n:
            place = _row(a_indices, i, sizes, rank)
        elif i == m:
            place = _row(b_indices, j, sizes, rank)
        else:
            place = min(_row(a_indices, i, sizes, rank), _row(b_indices, j, sizes, rank))
        if place < 0 or place >= count:
            return place
        a_end = _end(a_indices, i, m, sizes, rank, place)
        b_end = _end(b_indices, j, n, sizes, rank, place)
        length = b_end - j
        distance = float(_distance(codes[i:], a_end - i, codes[m + j :], length, row))
        if is_relative and distance > 0.0:
            distance = distance / length if length > 0 else infinity
        out[place] = distance
        i, j = a_end, b_end
    return 0


@functools.cache
def _functions() -> dict[str, Any]:
    """The function of rows, by its name."""
    place, number, flag = ctypes.c_void_p, ctypes.c_int64, ctypes.c_bool
    kind = ctypes.CFUNCTYPE(
        number, *[place] * 4, *[number] * 4, flag, ctypes.c_double, place, place
    )
    text = module_text([_row, _end, _distance, row_distances])
    return lasting_functions(text, {"row_distances": kind})
