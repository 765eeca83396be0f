"""The points of Sobol's sequence, which fill a cube evenly."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import apply
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType


class SobolSample(Op):
    """Points of the sequence from number `skip` on; its very first, the origin, is left out."""

    type_name = "SobolSample"
    inputs = ("dim: int32 host", "num_results: int32 host", "skip: int32 host")
    outputs = ("samples: dtype",)
    dtypes = {"dtype": frozenset({dt.float32, dt.float64})}
    gradient = not_differentiable
    ruled = True

    dtype: DType = dt.float32

    def shapes(self, dim: Any, num_results: Any, skip: Any) -> Shapes:
        if dim is not None and dim < 1:
            raise ValueError(f"dim must be at least one, got {dim}")
        if num_results is not None and num_results < 1:
            raise ValueError(f"num_results must be at least one, got {num_results}")
        if skip is not None and skip < 0:
            raise ValueError(f"skip must be non-negative, got {skip}")
        return ((num_results, dim),)

    def kernel(self, dim: Any, num_results: Any, skip: Any) -> Any:
        from scipy.stats import qmc  # takes longer to import than all of this package

        points = qmc.Sobol(dim, scramble=False, bits=32).fast_forward(skip + 1).random(num_results)
        return points.astype(self.dtype.numpy_dtype)


def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = dt.float32, name: str | None = None
) -> Any:
    """[num_results, dim] points of Sobol's sequence in the unit cube."""
    op = SobolSample.of(SobolSample.dtype_for("dtype", dtype))
    return apply(op, dim, num_results, skip, name=name)
