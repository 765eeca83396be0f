"""The least that specs need of tensors, and the names of the types as TensorFlow has them."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from graphwright.types import dtypes, shape, specs, trace_type, tree, type_spec
from graphwright.types.dtypes import DType, of_numpy
from graphwright.types.tensor_type import TensorType


@dataclass(frozen=True)
class Tensor:
    """A static type, of no value."""

    type: TensorType

    @property
    def shape(self) -> shape.TensorShape:
        return shape.TensorShape.from_dims(self.type.dims)


def constant(value: Any, dtype: DType | None = None) -> Tensor:
    """The tensor of a number, text, list or array."""
    array = np.array(value)
    if array.dtype.kind == "O":
        raise ValueError(f"no tensor can be made of {value!r}")
    if array.dtype.kind == "U":
        result = dtypes.string
        if dtype not in (None, result):
            raise TypeError(f"{value!r} has no {dtype}")
    elif isinstance(value, np.ndarray):
        result = of_numpy(array.dtype)
    else:
        result = dtypes.float32 if array.dtype.kind == "f" else dtypes.int32
    return Tensor(TensorType(dtype or result, array.shape))


class Runtime:
    """Tensors that are types only."""

    tensor_class = Tensor

    def convert(self, value: Any, dtype: DType | None) -> Tensor:
        return constant(value, dtype)

    def refine(self, tensor: Tensor, dims: Any) -> Tensor:
        return Tensor(tensor.type.with_dims(dims))


TF = SimpleNamespace(
    **{name: getattr(dtypes, name) for name in ["float32", "int32", "uint8", "string"]},
    as_dtype=dtypes.as_dtype,
    nest=tree,
    constant=constant,
    TensorShape=shape.TensorShape,
    TypeSpec=type_spec.TypeSpec,
    TensorSpec=specs.TensorSpec,
    BoundedTensorSpec=specs.BoundedTensorSpec,
    type_spec_from_value=specs.type_spec_from_value,
    types=SimpleNamespace(
        experimental=SimpleNamespace(
            TraceType=trace_type.TraceType,
            SupportsTracingProtocol=trace_type.SupportsTracingProtocol,
        )
    ),
)
