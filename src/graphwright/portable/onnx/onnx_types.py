"""The `onnx` package, imported when it is needed, and dtypes by its numbers and words."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

if TYPE_CHECKING:
    import onnx

#: The opset that models are written in unless the caller names one, and the oldest and newest.
DEFAULT_OPSET, OLDEST_OPSET, NEWEST_OPSET = 21, 18, 26

#: The number of each dtype in a model, and its name in the schemas of ops.
_NAMES: dict[DType, tuple[int, str]] = {
    dt.float32: (1, "float"),
    dt.uint8: (2, "uint8"),
    dt.int8: (3, "int8"),
    dt.uint16: (4, "uint16"),
    dt.int16: (5, "int16"),
    dt.int32: (6, "int32"),
    dt.int64: (7, "int64"),
    dt.string: (8, "string"),
    dt.bool_: (9, "bool"),
    dt.float16: (10, "float16"),
    dt.float64: (11, "double"),
    dt.uint32: (12, "uint32"),
    dt.uint64: (13, "uint64"),
    dt.complex64: (14, "complex64"),
    dt.complex128: (15, "complex128"),
    dt.bfloat16: (16, "bfloat16"),
    dt.float8_e4m3fn: (17, "float8e4m3fn"),
    dt.float8_e4m3fnuz: (18, "float8e4m3fnuz"),
    dt.float8_e5m2: (19, "float8e5m2"),
    dt.float8_e5m2fnuz: (20, "float8e5m2fnuz"),
    dt.uint4: (21, "uint4"),
    dt.int4: (22, "int4"),
    dt.float4_e2m1fn: (23, "float4e2m1"),
    dt.uint2: (25, "uint2"),
    dt.int2: (26, "int2"),
}
NUMBER_OF = {dtype: number for dtype, (number, _) in _NAMES.items()}
WORD_OF = {dtype: word for dtype, (_, word) in _NAMES.items()}
OF_NUMBER = {number: dtype for dtype, number in NUMBER_OF.items()}
OF_WORD = {word: dtype for dtype, word in WORD_OF.items()}


def onnx_package() -> Any:
    """The `onnx` package; ModuleNotFoundError says how to install it."""
    try:
        return importlib.import_module("onnx")
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
        raise ModuleNotFoundError(
            "models in ONNX are written and read with the package `onnx`, which is not here: "
            "pip install 'graphwright[onnx]'",
            name="onnx",
        ) from None


def schema_of(kind: str, opset: int) -> onnx.defs.OpSchema | None:
    """What ONNX says of an op in an opset; None where there is none of that name."""
    defs = onnx_package().defs
    if not defs.has(kind):
        return None
    try:
        schema: onnx.defs.OpSchema = defs.get_schema(kind, opset)
    except defs.SchemaError:
        return None
    return schema
