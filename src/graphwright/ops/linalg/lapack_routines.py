"""Routines of LAPACK and BLAS for arrays, as `scipy.linalg` has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.op.late_imports import late_extension

#: The first letters of routines, by the characters of dtypes.
_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


def lapack(name: str, dtype: npt.DTypeLike) -> Any:
    """A routine of LAPACK for a dtype."""
    routine = _wrapped("_flapack", name, dtype)
    if routine is None:
        from scipy.linalg import get_lapack_funcs

        routine = get_lapack_funcs(name, dtype=dtype)
    return routine


def blas(name: str, dtype: npt.DTypeLike) -> Any:
    """A routine of BLAS for a dtype."""
    routine = _wrapped("_fblas", name, dtype)
    if routine is None:
        from scipy.linalg import get_blas_funcs

        routine = get_blas_funcs(name, dtype=dtype)
    return routine


def _wrapped(module: str, name: str, dtype: npt.DTypeLike) -> Any:
    """A routine of one of SciPy's modules; None where that has none."""
    letter = _LETTERS.get(np.dtype(dtype).char)
    return letter and getattr(late_extension(f"scipy.linalg.{module}"), letter + name, None)
