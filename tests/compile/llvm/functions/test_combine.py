"""What reductions begin with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graphwright.compile.llvm.functions.combine import identity
from graphwright.compile.nests.element_kinds import KINDS

#: What NumPy combines with.
COMBINED: dict[str, Any] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "peak": np.maximum,
    "trough": np.minimum,
    "logsumexp": np.logaddexp,
}


@pytest.mark.parametrize("dtype", KINDS, ids=lambda d: d.name)
@pytest.mark.parametrize("combine", COMBINED)
def test_it_changes_nothing(combine: str, dtype: Any) -> None:
    kind = KINDS[dtype]
    if combine == "logsumexp" and not dtype.is_floating:
        pytest.skip("there is none of integers")
    if kind == "b1" and combine in ("sum", "prod"):
        pytest.skip("bools are not added up")
    ends = [False] if dtype.is_bool else [dtype.min, dtype.max]
    if dtype.is_floating:
        ends += [-np.inf, np.inf, -1.0]
    values = np.array([0, 1, *ends], dtype.as_numpy_dtype)
    start = np.array(identity(combine, kind), values.dtype)
    np.testing.assert_array_equal(COMBINED[combine](values, start), values)
