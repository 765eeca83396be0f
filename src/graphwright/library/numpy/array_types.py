"""What NumPy says of dtypes, for the package's dtypes too; its constants."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from graphwright.types.dtypes import DType


def finfo(dtype: Any) -> Any:
    """The limits of a dtype of floats."""
    limits: Any = ml_dtypes.finfo
    return limits(numpys(dtype))


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether a dtype is of a kind."""
    return np.issubdtype(numpys(arg1), numpys(arg2))


def numpys(dtype: Any) -> Any:
    """A dtype as NumPy has it."""
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype


pi, e, inf = math.pi, math.e, math.inf
