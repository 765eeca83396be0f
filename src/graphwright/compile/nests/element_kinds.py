"""The kinds of elements in native code, by dtype, and which ops on them cost little."""

from __future__ import annotations

from typing import Any

from graphwright.compile.nests.sizes import NotNative
from graphwright.op.late_imports import late_module
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

KINDS: dict[DType, str] = {
    dt.float32: "f32",
    dt.float64: "f64",
    dt.int8: "i8",
    dt.int16: "i16",
    dt.int32: "i32",
    dt.int64: "i64",
    dt.uint8: "u8",
    dt.uint16: "u16",
    dt.uint32: "u32",
    dt.uint64: "u64",
    dt.bool_: "b1",
    dt.float16: "f16",
    dt.bfloat16: "bf16",
}

#: Kinds for storage only: element expressions compute with them in f32, and round.
HALVES = ("f16", "bf16")

INTEGERS = frozenset({kind for dtype, kind in KINDS.items() if dtype.is_integer})

#: Ops whose element function is an instruction or two.
SIMPLE = frozenset({
    *("AddV2", "Sub", "Mul", "Neg", "Abs", "Square", "Maximum", "Minimum", "Relu", "Cast"),
    *("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "SelectV2"),
    *("LogicalAnd", "LogicalOr", "LogicalNot", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Invert"),
    *("LeftShift", "RightShift", "IsNan", "IsFinite", "_Reinterpreted"),
})  # fmt: skip

DTYPES = {kind: dtype for dtype, kind in KINDS.items()}

_SIZES = {"ptr": 8, **{kind: dtype.size for kind, dtype in DTYPES.items()}}


def kind_of(dtype: DType) -> str:
    """The kind of a dtype's elements. `NotNative` if there is none."""
    try:
        return KINDS[dtype]
    except KeyError:
        raise NotNative(f"{dtype.name} has no native form") from None


def is_native_dtype(dtype: DType) -> bool:
    """Whether elements of this dtype have a native form on this processor."""
    return dtype in KINDS and (dtype is not dt.float16 or converts_float16())


def converts_float16() -> bool:
    """Whether the processor converts float16 in hardware: all do but old ones of x86, and what runs
    WebAssembly."""
    targets: Any = late_module("graphwright.machine.targets")  # few programs have such numbers
    aim = targets.target()
    return aim.family != "wasm32" and (aim.family != "x86_64" or "+f16c" in aim.features)


def item_size(kind: str) -> int:
    """The bytes of an element in memory."""
    return _SIZES[kind]
