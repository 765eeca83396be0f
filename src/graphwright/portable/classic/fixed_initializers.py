"""Initial values that are no random numbers, as TensorFlow 1 makes them: each has a dtype."""

from __future__ import annotations

from typing import Any

from graphwright.library.optimizers.initializers import Initializer
from graphwright.portable.classic.classic_functions import constant
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike


class ConstantInitializer(Initializer):
    """Makes tensors of a value; where it has too few elements, the last one repeats.

    Args:
        value: A number, a string, a list or an array.
        dtype: The dtype of values where a call says none.
        verify_shape: A bool: whether the value must have the shape.

    >>> import graphwright as tf
    >>> tf.compat.v1.constant_initializer([1, 2], tf.int64)([3]).numpy()
    array([1, 2, 2])
    """

    def __init__(
        self, value: TensorLike = 0, dtype: DTypeLike = dt.float32, verify_shape: bool = False
    ) -> None:
        self.value, self.dtype, self.verify_shape = value, dt.as_dtype(dtype), verify_shape

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> Any:
        is_strict = bool(kwargs.get("verify_shape", self.verify_shape))
        kind = self.dtype if dtype is None else dt.as_dtype(dtype)
        return constant(self.value, kind, shape, verify_shape=is_strict)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal initializer."""
        return {"value": self.value, "dtype": self.dtype.name}


class ZerosInitializer(ConstantInitializer):
    """Makes tensors of zeros.

    Args:
        dtype: The dtype of values where a call says none.

    >>> import graphwright as tf
    >>> tf.compat.v1.zeros_initializer(tf.int32)([2]).numpy()
    array([0, 0], dtype=int32)
    """

    def __init__(self, dtype: DTypeLike = dt.float32) -> None:
        super().__init__(0, dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal initializer."""
        return {"dtype": self.dtype.name}


class OnesInitializer(ZerosInitializer):
    """Makes tensors of ones.

    Args:
        dtype: The dtype of values where a call says none.

    >>> import graphwright as tf
    >>> tf.compat.v1.ones_initializer(tf.int32)([2]).numpy()
    array([1, 1], dtype=int32)
    """

    def __init__(self, dtype: DTypeLike = dt.float32) -> None:
        super().__init__(dtype)
        self.value = 1
