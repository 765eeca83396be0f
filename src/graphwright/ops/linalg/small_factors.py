"""Factors, vectors and roots of small matrices by machine code, in 64 bits."""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np

from graphwright.base.scalar_code import module_text
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.linalg import root_code, rotation_code, triangle_code
from graphwright.ops.linalg.lapack_routines import lapack
from graphwright.ops.linalg.row_texts import ROW_TEXTS
from graphwright.types.arrays import Array

#: The most rows for singular vectors: LAPACK divides larger matrices, and its vectors have other
#: signs then.
MOST = 25
#: The same for eigenvectors. From 26 rows on LAPACK is asked for those of undivided matrices.
MOST_OF_EIGENVECTORS = 64
#: The same for roots, since SciPy's take less time for larger ones, and for those of real matrices
#: with complex eigenvalues.
MOST_OF_ROOTS, MOST_OF_COMPLEX_ROOTS = 64, 32
#: The same for triangular factors, by the bytes of a number. LAPACK divides larger matrices.
MOST_OF_TRIANGLES = {4: 48, 8: 64}
#: LAPACK's work of a call from which on the code is worth to be made, and how often less is worth
#: it: the entries of matrices, and so many for each matrix and for the call.
_WORTH, _PATIENCE, _MATRIX, _CALL = 1 << 16, 4, 1 << 5, 1 << 8

_LEAST = float(np.finfo(np.float64).tiny)
_EPS = float(np.finfo(np.float64).eps) / 2
#: The relative error at which LAPACK's iterations for singular values end.
_TOL = max(10.0, min(100.0, _EPS**-0.125)) * _EPS


@functools.cache
def functions() -> dict[str, Any]:
    """The functions, by their names."""
    place, number, real, flag = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_bool
    kinds = {
        "self_adjoint": [*[place] * 3, number, number, flag, real, real, place],
        "singular": [*[place] * 4, number, number, flag, real, real, real, place],
    }
    return lasting_functions(
        module_text(rotation_code.FUNCTIONS, ROW_TEXTS),
        {name: ctypes.CFUNCTYPE(number, *kind) for name, kind in kinds.items()},
    )


@functools.cache
def root_functions() -> dict[str, Any]:
    """The function of roots, by its name."""
    place, number, real = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
    kind = ctypes.CFUNCTYPE(number, place, place, *[number] * 3, real, real, number, place)
    return lasting_functions(module_text(root_code.FUNCTIONS, ROW_TEXTS), {"square_roots": kind})


@functools.cache
def triangle_functions() -> dict[str, Any]:
    """The function of triangular factors, by its name."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    kind = ctypes.CFUNCTYPE(number, place, place, number, number, ctypes.c_bool)
    text = module_text(triangle_code.FUNCTIONS, ROW_TEXTS)
    return lasting_functions(text, {"triangular_factors": kind})


PREPARATION = Preparation(functions, patience=_PATIENCE)
ROOT_PREPARATION = Preparation(root_functions, patience=_PATIENCE)
TRIANGLE_PREPARATION = Preparation(triangle_functions, is_brief=True, patience=_PATIENCE)
#: SciPy takes longer for a root than LAPACK for vectors.
_WORTH_OF_ROOTS = 1 << 13


def is_ready_for(
    x: Array,
    fewest: int,
    most: int = MOST,
    preparation: Preparation = PREPARATION,
    worth: int = _WORTH,
    dtype_kinds: str = "f",
) -> bool:
    """Whether machine code is there for matrices [..., n, n] of so many rows."""
    rows, columns = x.shape[-2:]
    is_taken = rows == columns and fewest <= rows <= most and x.dtype.kind in dtype_kinds
    if not is_taken or not x.size:
        return False
    work = x.size + _MATRIX * (x.size // (rows * rows)) + _CALL
    return preparation.is_ready_for(work, worth)


def square_roots(x: Array, share: float) -> Array | None:
    """The principal roots of matrices [count, n, n]; None for SciPy to do it.

    Those of real ones are NaN where imaginary parts are more than a share of the greatest entry.
    """
    if not is_ready_for(x, 1, MOST_OF_ROOTS, ROOT_PREPARATION, _WORTH_OF_ROOTS, "fc"):
        return None
    is_complex = x.dtype.kind == "c"
    matrices = np.ascontiguousarray(x, np.complex128 if is_complex else np.float64)
    count, n = x.shape[:2]
    roots, work = np.empty_like(matrices), np.empty(6 * n * n + 3 * n, np.float64)
    done = root_functions()["square_roots"](
        address(matrices), address(roots), count, n, 1 + is_complex, _EPS, share,
        MOST_OF_ROOTS if is_complex else MOST_OF_COMPLEX_ROOTS, address(work),
    )  # fmt: skip
    return roots if done == count else None


def triangular(x: Array) -> tuple[Array, Array] | None:
    """L below and U above the diagonals, and the order of rows.

    None for others to do it, or where a matrix is singular or begins with NaN.
    """
    most = MOST_OF_TRIANGLES.get(x.itemsize, 0)
    if not is_ready_for(x, 1, most, TRIANGLE_PREPARATION):
        return None
    factors, order = np.array(x, np.float64, order="C"), np.empty(x.shape[:-1], np.int64)
    n = x.shape[-1]
    count = order.size // n
    done = triangle_functions()["triangular_factors"](
        address(factors), address(order), count, n, x.dtype == np.float32
    )
    return (factors.astype(x.dtype, copy=False), order) if done == count else None


def self_adjoint(x: Array, has_vectors: bool) -> tuple[Array, Array] | None:
    """The eigenvalues and vectors of matrices, of which the lower triangles are read.

    None where LAPACK must look at one of them.
    """
    if not is_ready_for(x, 1, MOST_OF_EIGENVECTORS):
        return None
    matrices = np.ascontiguousarray(x, np.float64)
    n = x.shape[-1]
    count = math.prod(x.shape[:-2])
    values = np.empty(x.shape[:-1], np.float64)
    vectors = np.empty(x.shape if has_vectors else 0, np.float64)
    work = np.empty(2 * n * n + 3 * n, np.float64)
    done = functions()["self_adjoint"](
        address(matrices), address(values), address(vectors), count, n, has_vectors, _EPS, _LEAST,
        address(work),
    )  # fmt: skip
    if done < count:
        return None
    return values.astype(x.dtype, copy=False), vectors.astype(x.dtype, copy=False)


def self_adjoint_by_lapack(x: Array) -> tuple[Array, Array]:
    """The same by LAPACK in 64 bits, whose vectors have the signs of those by machine code."""
    if x.dtype.kind != "f" or not MOST < x.shape[-1] <= MOST_OF_EIGENVECTORS:
        return np.linalg.eigh(x)
    values, vectors = np.empty(x.shape[:-1], x.dtype), np.empty(x.shape, x.dtype)
    for i in np.ndindex(x.shape[:-2]):
        values[i], vectors[i], failed = lapack("syev", np.float64)(x[i], lower=True)
        if failed:
            raise np.linalg.LinAlgError
    return values, vectors


def singular(x: Array, has_vectors: bool) -> tuple[Array, Array, Array] | None:
    """The singular values of square matrices, and the left and right vectors.

    None where LAPACK must look at one of them.
    """
    if not is_ready_for(x, 2):
        return None
    matrices = np.ascontiguousarray(x, np.float64)
    n = x.shape[-1]
    count = math.prod(x.shape[:-2])
    values = np.empty(x.shape[:-1], np.float64)
    left, right = [np.empty(x.shape if has_vectors else 0, np.float64) for _ in range(2)]
    work = np.empty(3 * n * n + 5 * n, np.float64)
    done = functions()["singular"](
        address(matrices), address(values), address(left), address(right), count, n, has_vectors,
        _EPS, _TOL, _LEAST, address(work),
    )  # fmt: skip
    if done < count:
        return None
    values, left, right = [each.astype(x.dtype, copy=False) for each in (values, left, right)]
    return values, left, right
