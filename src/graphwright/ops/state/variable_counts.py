"""Counting up to a limit in a variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError, OutOfRangeError
from graphwright.op.interpreter import apply
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.ops.state.variable_ops import Storage
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, show_dims


class ResourceCountUpTo(Op):
    """The value of a variable, which grows by one; an error once it is the limit."""

    type_name = "ResourceCountUpTo"
    inputs = ("resource: resource",)
    outputs = ("output: T",)
    dtypes = {"T": dt.INDEX}
    behind = Storage
    effect = Effect.WRITE
    gradient = not_differentiable
    private = frozenset({"shape"})

    limit: int
    T: DType = dt.int32
    shape: Dims | None = None

    def shapes(self, resource: TensorType) -> Shapes:
        if self.shape:
            raise ValueError(f"Shape must be rank 0 but is rank {len(self.shape)}: the variable")
        return ((),)

    def kernel(self, storage: Storage) -> Any:
        if self.limit > np.iinfo(self.T.numpy_dtype).max:
            words = f"Attr limit has value {self.limit} out of range for an {self.T.name}"
            raise InvalidArgumentError(None, None, words)
        before: list[Array] = []

        def count(array: Array) -> Array:
            storage.check_dtype(np.empty((), self.T.numpy_dtype))
            if np.shape(array):
                words = f"input is not a scalar: {show_dims(np.shape(array))}"
                raise InvalidArgumentError(None, None, words)
            if array >= self.limit:
                raise OutOfRangeError(None, None, f"Reached limit of {self.limit}")
            before.append(array)
            return np.asarray(array + self.T.numpy_dtype.type(1))

        storage.update(count)
        return before[0]


def count_up_to(
    handle: TensorValue, limit: object, value: TensorType, name: str | None = None
) -> Any:
    """The value of the variable behind `handle`, of this type, which then grows by one."""
    dtype = ResourceCountUpTo.dtype_for("T", value.dtype)
    return apply(ResourceCountUpTo.of(whole(limit), dtype, value.dims), handle, name=name)


def whole(limit: Any) -> int:
    """The limit as an int, as TensorFlow makes one; TypeError where there is none."""
    try:
        if not isinstance(limit, str):
            return int(limit)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"Expected int for argument 'limit' not {limit!r}.")
