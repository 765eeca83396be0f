"""How far machine code and kernels may be apart, op by op, in units in the last place.

docs/native.md has these numbers. What is not here agrees bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from ml_dtypes import finfo

#: Of each element, where either rounds more than once.
ELEMENTS = {
    "Acos": 4, "Acosh": 4, "Asin": 4, "Asinh": 4, "Atan": 4, "Atan2": 4, "Atanh": 4,
    "BesselI0": 12, "BesselI0e": 12, "BesselI1": 12, "BesselI1e": 12, "BesselK0": 12,
    "BesselK0e": 12, "BesselK1": 12, "BesselK1e": 12, "Cos": 4, "Cosh": 4, "Elu": 4, "Erf": 4,
    "Erfc": 12, "Exp": 4, "Expm1": 4, "LRN": 5, "Log": 4, "Log1p": 4, "Pow": 4, "Selu": 5,
    "Sigmoid": 4, "Sin": 4, "Sinh": 4, "Softplus": 5, "SoftplusGrad": 5, "Tan": 4, "Tanh": 4,
    "Xlog1py": 5, "Xlogy": 5,
    # Near zeros that no number of float64 meets.
    "BesselJ0": 1024, "BesselJ1": 1024, "BesselY0": 1024, "BesselY1": 1024, "Digamma": 1024,
    "Expint": 1024,
}  # fmt: skip

#: Of the greatest number that an op is given or gives, where some are added up: in another order.
SUMS = {
    "AddN": 2, "AdjustContrastv2": 4, "BatchMatMulV2": 4, "BatchMatMulV3": 4, "BiasAddGrad": 4,
    "Cholesky": 4, "Cumprod": 4, "Cumsum": 4, "CumulativeLogsumexp": 4, "Einsum": 4,
    "EuclideanNorm": 4, "FakeQuantWithMinMaxVarsGradient": 4,
    "FakeQuantWithMinMaxVarsPerChannelGradient": 4, "FusedBatchNormGradV3": 8,
    "FusedBatchNormV3": 4, "L2Loss": 4, "LRNGrad": 8, "LogSoftmax": 4, "MatMul": 4,
    "MatrixDeterminant": 4, "MatrixInverse": 4, "MatrixSolve": 4, "MatrixTriangularSolve": 4,
    "Mean": 4, "Prod": 4, "SegmentMean": 4, "SegmentProd": 4,
    "SegmentSum": 4, "Softmax": 4, "SoftmaxCrossEntropyWithLogits": 4,
    "SparseSoftmaxCrossEntropyWithLogits": 4, "Sum": 4, "UnsortedSegmentProd": 4,
    "UnsortedSegmentSum": 4,
}  # fmt: skip


def distance(found: Any, expected: Any) -> float:
    """The greatest difference in units in the last place; infinite where only one is NaN."""
    if expected.dtype.kind in "iub":
        return 0.0 if np.array_equal(found, expected) else np.inf
    nan = np.isnan(expected)
    if not np.array_equal(np.isnan(found), nan):
        return np.inf
    integer = np.dtype(f"i{expected.dtype.itemsize}")
    places = []
    for array in (found, expected):
        bits = np.where(nan, 0, array).astype(expected.dtype).view(integer).astype(object)
        places.append(np.where(bits < 0, np.iinfo(integer).min - bits, bits))
    return float(np.max(abs(places[0] - places[1]), initial=0))


def of_greatest(found: Any, expected: Any, numbers: Iterable[Any]) -> float:
    """The same of sums: in units of the greatest of these arrays' numbers, not of each element."""
    if distance(found, expected) in (0, np.inf) or expected.dtype.kind in "iub":
        return distance(found, expected)
    greatest = max(np.max(np.abs(finite(x)), initial=0) for x in numbers)
    apart = np.max(np.abs(finite(found) - finite(expected)), initial=0)
    return float(apart / greatest / float(finfo(expected.dtype).eps))


def finite(array: Any) -> Any:
    """The numbers in double precision, 0 where they are not finite."""
    wide = array.astype(np.float64)
    return np.where(np.isfinite(wide), wide, 0)
