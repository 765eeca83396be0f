"""NumPy's arrays and dtypes as types: of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    ArrayDType = np.dtype[Any]
else:
    Array = np.ndarray
    ArrayDType = np.dtype
