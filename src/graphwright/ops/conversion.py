"""From one dtype to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwright.op.families import Elementwise, no_element
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType, as_dtype


@dataclass(frozen=True)
class Cast(Elementwise):
    """The elements as another dtype."""

    type_name = "Cast"
    inputs = ("x: SrcT",)
    outputs = ("y: DstT",)
    dtypes = {"SrcT": dt.NUMERIC | dt.BOOL | dt.QUANTIZED | dt.FLOAT8}
    element = no_element

    DstT: DType
    Truncate: bool = False

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return self.kernel

    def kernel(self, x: Any) -> Any:
        if x.dtype.kind == "c" and not self.DstT.is_complex:
            x = x.real
        return np.asarray(x).astype(self.DstT.numpy_dtype)

    def known(self, x: Any) -> Any:
        return x if self.DstT.is_integer else None

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        source = call.inputs[0].dtype
        differentiable = (source.is_floating or source.is_complex) and (
            self.DstT.is_floating or self.DstT.is_complex
        )
        return (cast(g, source) if differentiable else None,)


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """`x` with elements of another dtype.

    >>> import graphwright as tf
    >>> tf.cast([1.8, 2.2], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    to = as_dtype(dtype)
    x = convert(x)
    return x if x.dtype is to else apply(Cast.of(to), x, name=name)
