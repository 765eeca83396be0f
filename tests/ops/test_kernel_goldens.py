"""Every kernel gives what TensorFlow gave: the same dtype, shape and values within the recorded
distance.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from support import kernel_goldens as goldens

pytestmark = pytest.mark.usefixtures("native_kernels")


#: Where the kernels are, by the first part of the names in the golden files.
HOMES = {
    "convolution": "convolution.convolution_kernels",
    "ctc": "nn.ctc_kernels",
    "pooling": "convolution.pooling_kernels",
    "random": "random.philox_draws",
    "resize": "image.resize_kernels",
    "scatter": "core.scatter_kernels",
    "segment": "core.segment_kernels",
    "strings": "strings.string_kernels",
    "threefry": "random.threefry",
    "truncated_normal": "random.truncated_normal",
    "variates": "random.variates",
}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{family}-{case}")
        for family in goldens.families()
        for case in goldens.load(family)
    ],
)
def test_recorded(case: goldens.Case) -> None:
    family, function = case.kernel.split(".")
    kernel = getattr(importlib.import_module(f"graphwright.ops.{HOMES[family]}"), function)
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
