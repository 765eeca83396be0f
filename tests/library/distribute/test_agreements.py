"""How errors name collectives."""

from __future__ import annotations

import numpy as np

from graphwright.library.distribute.agreements import describe


def test_arrays_are_named_by_dtype_and_shape() -> None:
    assert describe(np.dtype(np.float32), [2, 3]) == "float32[2,3]"
    assert describe(np.dtype(np.int64), []) == "int64[]"
