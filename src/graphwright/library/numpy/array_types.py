"""NumPy's functions on dtypes, for the package's dtypes too; NumPy's constants."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from graphwright.types.arguments import DTypeLike
from graphwright.types.dtypes import DType


def finfo(dtype: DTypeLike) -> Any:
    """Returns the limits of a dtype of floats, like `numpy.finfo`.

    Args:
        dtype: A dtype of floats, of this package, NumPy or ml_dtypes, or its name.

    Returns:
        An object with `eps`, `max`, `min`, `tiny`, `bits` and more.

    >>> import graphwright as tf
    >>> float(tf.experimental.numpy.finfo(tf.float16).max)
    65504.0
    """
    limits: Any = ml_dtypes.finfo
    return limits(numpys(dtype))


def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> bool:
    """Says whether a dtype belongs to a kind of dtypes, like `numpy.issubdtype`.

    Args:
        arg1: A dtype, or its name.
        arg2: A dtype, or a kind such as `numpy.integer`.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.issubdtype(tf.int32, np.integer)
    True
    """
    return np.issubdtype(numpys(arg1), numpys(arg2))


def numpys(dtype: DTypeLike) -> Any:
    """The dtype as NumPy takes it."""
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype


pi, e, inf = math.pi, math.e, math.inf
