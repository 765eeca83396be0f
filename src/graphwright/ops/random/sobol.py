"""The points of Sobol's sequence, which fill a cube evenly."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import apply
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.dtypes import DType


class SobolSample(Op):
    """Points of the sequence from number `skip` on; the first of all, the origin, is left out."""

    type_name = "SobolSample"
    inputs = ("dim: int32 host", "num_results: int32 host", "skip: int32 host")
    outputs = ("samples: dtype",)
    dtypes = {"dtype": frozenset({dt.float32, dt.float64})}
    gradient = not_differentiable
    ruled = True

    dtype: DType = dt.float32

    def shapes(self, dim: int | None, num_results: int | None, skip: int | None) -> Shapes:
        if dim is not None and dim < 1:
            raise ValueError(f"dim must be at least one, got {dim}")
        if num_results is not None and num_results < 1:
            raise ValueError(f"num_results must be at least one, got {num_results}")
        if skip is not None and skip < 0:
            raise ValueError(f"skip must be non-negative, got {skip}")
        return ((num_results, dim),)

    def kernel(self, dim: int, num_results: int, skip: int) -> Any:
        from scipy.stats import qmc  # takes longer to import than all of this package

        points = qmc.Sobol(dim, scramble=False, bits=32).fast_forward(skip + 1).random(num_results)
        return points.astype(self.dtype.numpy_dtype)


def sobol_sample(
    dim: TensorLike,
    num_results: TensorLike,
    skip: TensorLike = 0,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> Tensor:
    """Returns points of Sobol's low-discrepancy sequence in the unit cube.

    The first point of the sequence, the origin, is left out.

    Args:
        dim: A positive int: the number of coordinates.
        num_results: A positive int: the number of points.
        skip: An int of at least 0: the number of points to leave out.
        dtype: The dtype of the result: float32 or float64.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [num_results, dim].

    Raises:
        InvalidArgumentError: A size is not positive, or `skip` is negative.

    >>> import graphwright as tf
    >>> tf.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    op = SobolSample.of(SobolSample.dtype_for("dtype", dtype))
    return apply(op, dim, num_results, skip, name=name)
