"""Random initial values, as TensorFlow 1 makes them by default."""

from __future__ import annotations

import math
from typing import Any

from graphwright.library.optimizers.initializers import Initializer
from graphwright.ops.random.stateful_random import normal, truncated_normal, uniform
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike
from graphwright.types.shape import TensorShape

#: The standard deviation of a normal distribution that is cut at 2, as SciPy's `truncnorm` has it.
_CUT = 0.87962566103423978


def fans(shape: TensorShape) -> tuple[float, float]:
    """How many numbers go into a unit of a kernel of this shape, and how many come out."""
    dims = [size or 0 for size in shape.as_list()]
    if len(dims) < 2:
        size = float(dims[0]) if dims else 1.0
        return size, size
    field = math.prod(dims[:-2])
    return float(field * dims[-2]), float(field * dims[-1])


class VarianceScaling(Initializer):
    """Makes random numbers whose variance is `scale` over a number of units.

    Args:
        scale: A positive number.
        mode: "fan_in", "fan_out" or "fan_avg": the units that the numbers come from, go to, or the
            mean of both.
        distribution: "truncated_normal", "untruncated_normal" or "uniform".
        seed: An int, or None.
        dtype: The dtype of values where a call says none.

    Raises:
        ValueError: An argument is another one.

    >>> import graphwright as tf
    >>> make = tf.compat.v1.variance_scaling_initializer(distribution="uniform", seed=1)
    >>> bool(tf.reduce_all(abs(make([100, 3])) <= 0.1 * 3 ** 0.5))
    True
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: DTypeLike = dt.float32,
    ) -> None:
        distribution = {"normal": "truncated_normal"}.get(distribution, distribution)
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). "
                f"Received: {mode}"
            )
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, dt.as_dtype(dtype)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Any:
        kind = self.dtype if dtype is None else dt.as_dtype(dtype)
        fan_in, fan_out = fans(TensorShape(shape))
        units = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}
        scale = self.scale / max(1.0, units[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return uniform(shape, -limit, limit, kind, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return normal(shape, 0.0, math.sqrt(scale), kind, seed=self.seed)
        return truncated_normal(shape, 0.0, math.sqrt(scale) / _CUT, kind, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal initializer."""
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class GlorotUniform(VarianceScaling):
    """Makes uniform random numbers of variance `2 / (fan_in + fan_out)`: Glorot and Bengio (2010).

    Args:
        seed: An int, or None.
        dtype: The dtype of values where a call says none.

    >>> import graphwright as tf
    >>> make = tf.compat.v1.glorot_uniform_initializer(seed=1)
    >>> make([3, 3]).shape
    TensorShape([3, 3])
    """

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dt.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Makes normal random numbers of variance `2 / (fan_in + fan_out)`: Glorot and Bengio (2010).

    Args:
        seed: An int, or None.
        dtype: The dtype of values where a call says none.

    >>> import graphwright as tf
    >>> tf.compat.v1.glorot_normal_initializer()([3, 3]).dtype
    tf.float32
    """

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dt.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


class TruncatedInitializer(Initializer):
    """Makes normal random numbers, none of them further from the mean than two deviations.

    Args:
        mean: A number.
        stddev: The standard deviation before numbers are drawn anew.
        seed: An int, or None.
        dtype: The dtype of values where a call says none.

    >>> import graphwright as tf
    >>> make = tf.compat.v1.truncated_normal_initializer(stddev=0.1)
    >>> bool(tf.reduce_all(abs(make([100])) <= 0.2))
    True
    """

    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = dt.float32,
    ) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dt.as_dtype(dtype)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Any:
        kind = self.dtype if dtype is None else dt.as_dtype(dtype)
        return truncated_normal(shape, self.mean, self.stddev, kind, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal initializer."""
        return {
            "mean": self.mean, "stddev": self.stddev, "seed": self.seed, "dtype": self.dtype.name
        }  # fmt: skip


class UniformInitializer(Initializer):
    """Makes uniform random numbers.

    Args:
        minval: The least number.
        maxval: What all numbers are less than; None means 1.
        seed: An int, or None.
        dtype: The dtype of values where a call says none.

    >>> import graphwright as tf
    >>> make = tf.compat.v1.random_uniform_initializer(2.0, 3.0)
    >>> bool(tf.reduce_all(make([100]) >= 2.0))
    True
    """

    def __init__(
        self,
        minval: float = 0.0,
        maxval: float | None = None,
        seed: int | None = None,
        dtype: DTypeLike = dt.float32,
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed
        self.dtype = dt.as_dtype(dtype)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Any:
        kind = self.dtype if dtype is None else dt.as_dtype(dtype)
        return uniform(shape, self.minval, self.maxval, kind, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal initializer."""
        return {
            "minval": self.minval, "maxval": self.maxval, "seed": self.seed,
            "dtype": self.dtype.name,
        }  # fmt: skip


class NormalInitializer(TruncatedInitializer):
    """Makes normal random numbers.

    Args:
        mean: A number.
        stddev: The standard deviation.
        seed: An int, or None.
        dtype: The dtype of values where a call says none.

    >>> import graphwright as tf
    >>> tf.compat.v1.random_normal_initializer(stddev=0.1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = dt.float32,
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Any:
        kind = self.dtype if dtype is None else dt.as_dtype(dtype)
        return normal(shape, self.mean, self.stddev, kind, seed=self.seed)
