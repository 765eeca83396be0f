"""Every kernel gives what TensorFlow gave: the same dtype, shape and values within the recorded
distance.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from tests.kernels import goldens


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{family}-{case}")
        for family in goldens.families()
        for case in goldens.load(family)
    ],
)
def test_recorded(case: goldens.Case) -> None:
    module, function = case.kernel.split(".")
    kernel = getattr(importlib.import_module(f"graphwright.kernels.{module}"), function)
    result = kernel(*case.args, **case.kwargs)
    several = isinstance(case.result, tuple)
    for got, expected in zip(
        result if several else [result], case.result if several else [case.result], strict=True
    ):
        _assert_close(np.asarray(got), np.asarray(expected), case)


def _assert_close(got: Any, expected: Any, case: goldens.Case) -> None:
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    if case.ulps == 0 or expected.dtype == object:
        np.testing.assert_array_equal(got, expected)
        return
    finite = np.isfinite(expected.astype(np.complex128))
    np.testing.assert_array_equal(got[~finite], expected[~finite])
    size = np.abs(expected[finite])
    if case.of_largest and size.size:
        size = np.full_like(size, size.max())
    distance = np.abs(got[finite].astype(np.complex128) - expected[finite].astype(np.complex128))
    allowed = np.spacing(size).astype(np.float64) * case.ulps
    excess = distance - allowed
    assert np.all(excess <= 0), (
        f"off by {np.max(distance / np.spacing(size).astype(np.float64))} ulps"
    )
