"""The runtime that `types.specs` declares: tensors, for specs."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import convert
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims
from graphwright.values.tensor import Tensor


class TensorRuntime:
    """The runtime of the specs."""

    tensor_class = Tensor

    def convert(self, value: TensorLike, dtype: DType | None) -> Any:
        """A tensor of `value`."""
        return convert(value, dtype)

    def refine(self, tensor: Any, dims: Dims | None) -> Any:
        """The same tensor, known from now on to be of these dims."""
        tensor.set_shape(dims)
        return tensor
