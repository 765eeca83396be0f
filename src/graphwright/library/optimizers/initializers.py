"""Initial values of variables, as functions of a shape and a dtype: `tf.zeros_initializer`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.ops.core import creation
from graphwright.ops.random import stateful_random
from graphwright.ops.random.stateless_random import stateless_normal, stateless_uniform
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.values.convert import constant

#: What a call takes beside a shape and a dtype: the part of a larger value that is made.
_PARTITION = ("partition_shape", "partition_offset")


def part_shape(shape: ShapeLike, arguments: Mapping[str, object]) -> ShapeLike:
    """The shape of the part that is asked for, or the whole; TypeError for other arguments."""
    for name in arguments:
        if name not in _PARTITION:
            known = list(_PARTITION)
            raise TypeError(f"Keyword argument should be one of {known}. Received: {name}")
    part: Any = arguments.get("partition_shape")
    return shape if part is None else part


class Initializer:
    """Makes a tensor of a shape and a dtype."""

    def __call__(self, shape: ShapeLike, dtype: Any = None, **kwargs: object) -> Any:
        """Makes an initial value.

        Args:
            shape: The shape of the value.
            dtype: Its dtype: by default tf.float32, and that of the constant for
                `tf.constant_initializer`.
            **kwargs: `partition_shape`, the shape of the part of the value that is made, and
                `partition_offset`, where it begins.

        Returns:
            A tensor.

        Raises:
            TypeError: An argument is another one.
            ValueError: The initializer makes no values of this dtype, or no parts.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, object]) -> Any:
        """Makes an initializer of what `get_config` returns.

        Args:
            config: A dict of arguments by name.

        Returns:
            An initializer of this class.
        """
        config.pop("dtype", None)
        return cls(**config)


def numeric(dtype: DTypeLike) -> DType:
    """The dtype; ValueError unless it is numeric or bool."""
    kind = as_dtype(dtype)
    if not (kind.is_numeric or kind is dt.bool_):
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {kind}.")
    return kind


def floats(dtype: DTypeLike) -> DType:
    """The dtype; ValueError unless it is floating."""
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"Argument `dtype` expected to be floating point. Received {kind}.")
    return kind


class Zeros(Initializer):
    """Makes zeros of a shape and a dtype.

    >>> import graphwright as tf
    >>> tf.zeros_initializer()([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = dt.float32, **kwargs: object) -> Any:
        return creation.zeros(part_shape(shape, kwargs), numeric(dtype))


class Ones(Initializer):
    """Makes ones of a shape and a dtype.

    >>> import graphwright as tf
    >>> tf.ones_initializer()([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = dt.float32, **kwargs: object) -> Any:
        return creation.ones(part_shape(shape, kwargs), numeric(dtype))


class Constant(Initializer):
    """Makes tensors of a constant.

    Args:
        value: A number, a string, or a list or array of as many elements as the shape has.
        support_partition: A bool: whether a call takes arguments about a part, of which the value
            does not depend.

    >>> import graphwright as tf
    >>> tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist()
    [[1, 2], [3, 4]]
    """

    def __init__(self, value: TensorLike = 0, support_partition: bool = False) -> None:
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Any:
        part_shape(shape, kwargs)
        if kwargs and not self.support_partition:
            raise ValueError("Constant initializer doesn't support partition-related arguments")
        return constant(self.value, dtype=dtype, shape=TensorShape(shape))

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}


class RandomUniform(Initializer):
    """Makes numbers from a uniform distribution.

    Args:
        minval: A number: the least value.
        maxval: A number: the bound, which is not reached.
        seed: An int, with which each call makes the same numbers. None makes others each time.

    >>> import graphwright as tf
    >>> initializer = tf.random_uniform_initializer(0.0, 1.0, seed=7)
    >>> tf.reduce_all(initializer([3]) == initializer([3])).numpy()
    np.True_
    """

    def __init__(
        self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: TensorLike | None = None
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = dt.float32, **kwargs: object) -> Any:
        kind = as_dtype(dtype)
        if not (kind.is_floating or kind.is_integer):
            raise ValueError(
                f"Argument `dtype` expected to be numeric or boolean. Received {kind}."
            )
        shape = part_shape(shape, kwargs)
        if self.seed is None:
            return stateful_random.uniform(shape, self.minval, self.maxval, kind)
        return stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, kind)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class RandomNormal(Initializer):
    """Makes numbers from a normal distribution.

    Args:
        mean: A number.
        stddev: A number: the standard deviation.
        seed: An int, with which each call makes the same numbers. None makes others each time.

    >>> import graphwright as tf
    >>> tf.random_normal_initializer(stddev=0.01)([3, 2]).shape
    TensorShape([3, 2])
    """

    def __init__(
        self, mean: TensorLike = 0.0, stddev: TensorLike = 0.05, seed: TensorLike | None = None
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = dt.float32, **kwargs: object) -> Any:
        kind = floats(dtype)
        shape = part_shape(shape, kwargs)
        if self.seed is None:
            return stateful_random.normal(shape, self.mean, self.stddev, kind)
        return stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, kind)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}
