"""`tf.dtypes`: the types of elements, and conversion between them."""

from __future__ import annotations

from graphwright.api.dtypes import experimental
from graphwright.ops.core.casting import cast
from graphwright.ops.math.clipping import saturate_cast
from graphwright.ops.math.complex_parts import complex
from graphwright.types.dtypes import (
    QUANTIZED as QUANTIZED_DTYPES,
)
from graphwright.types.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from graphwright.types.dtypes import bool_ as bool

__all__ = [
    "QUANTIZED_DTYPES",
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "cast",
    "complex",
    "complex64",
    "complex128",
    "double",
    "experimental",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "qint8",
    "qint16",
    "qint32",
    "quint8",
    "quint16",
    "resource",
    "saturate_cast",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "variant",
]

TOP_LEVEL = tuple([name for name in __all__ if name not in ("QUANTIZED_DTYPES", "experimental")])
