"""Element functions compiled over arrays, many of them in one module."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import ml_dtypes
import numpy as np

import graphwright as tf
from graphwright.compile.llvm.emitter import KINDS, Emitter, Reg, bits, type_of
from graphwright.compile.llvm.functions.elements import VectorScalars
from graphwright.compile.nests.element_kinds import DTYPES
from graphwright.op.op import REGISTRY
from graphwright.op.op_families import Elementwise, no_element

#: How arrays hold elements of a kind.
ARRAYS = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "b1": np.bool_,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}  # fmt: skip
#: The kinds of dtypes, by name.
KIND_OF = {dtype.name: kind for kind, dtype in DTYPES.items()}
#: Words that have no native form yet.
HOST = {"Lgamma"}


class Case(NamedTuple):
    """A function of registers, and the kinds of its operands."""

    name: str
    rule: Callable[..., Reg]
    kinds: Sequence[str]
    lanes: int = 16


class Native:
    """Compiled cases: each called with arrays, giving an array and the lanes it refused."""

    def __init__(self, cases: Sequence[Case]) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        declarations: dict[str, str] = {}
        self.cases = {case.name: case for case in cases}
        self.kinds: dict[str, str] = {}
        texts = []
        for case in cases:
            emitter, result = body(case)
            self.kinds[case.name] = result
            declarations.update(emitter.declarations)
            texts.append("\n".join(emitter.lines))
        self.text = "\n".join([*declarations.values(), *texts])
        module = llvm.parse_assembly(self.text)
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=1
        )
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()

    def __call__(self, name: str, *arrays: Any) -> Any:
        return self.run(name, *arrays)[0]

    def run(self, name: str, *arrays: Any) -> tuple[Any, bool]:
        """The result, and whether any element was reported as an error."""
        call = self.ready(name, *arrays)
        out, refused = call()
        return out[: len(arrays[0])], bool(refused[0])

    def ready(self, name: str, *arrays: Any) -> Callable[[], tuple[Any, Any]]:
        """A call without arguments, that does nothing but run the code."""
        case = self.cases[name]
        padded = [
            np.resize(np.asarray(a, ARRAYS[k]), -(-len(a) // case.lanes) * case.lanes)
            for a, k in zip(arrays, case.kinds)
        ]
        out = np.empty(len(padded[0]), ARRAYS[self.kinds[name]])
        refused = np.zeros(1, np.int8)
        pointers = [a.ctypes.data for a in (*padded, out, refused)]
        kinds = [ctypes.c_void_p] * len(pointers) + [ctypes.c_int64]
        function = ctypes.CFUNCTYPE(None, *kinds)(self.engine.get_function_address(name))

        def call() -> tuple[Any, Any]:
            function(*pointers, len(out))
            return out, refused

        call.operands = padded  # type: ignore[attr-defined]  # they must outlive the pointers
        return call


def body(case: Case) -> tuple[Emitter, str]:
    """The text of one function: a loop over whole vectors."""
    emitter, lanes = Emitter(), case.lanes
    names = [f"%a{i}" for i in range(len(case.kinds))]
    pointers = ", ".join(f"ptr {name}" for name in (*names, "%out", "%refused"))
    emitter.lines.append(f"define void @{case.name}({pointers}, i64 %n) {{")
    emitter.label("entry")
    emitter.line("br label %body")
    emitter.label("body")
    at = len(emitter.lines)
    emitter.line("%i = phi")
    operands = [load(emitter, n, k, lanes) for n, k in zip(names, case.kinds)]

    def on_zero(condition: Reg) -> None:
        wide = emitter.cast("zext", condition, "i8")
        if lanes > 1:
            symbol = f"llvm.vector.reduce.or.v{lanes}i8"
            emitter.declarations[symbol] = f"declare i8 @{symbol}({wide.type})"
            wide = emitter.assign("i8", 1, f"call i8 @{symbol}({wide})")
        old = emitter.assign("i8", 1, "load i8, ptr %refused")
        emitter.line(f"store {emitter.binary('or', old, wide)}, ptr %refused")

    result = case.rule(VectorScalars(emitter, on_zero), *operands)
    stored = emitter.cast("zext", result, "i8") if result.kind == "b1" else result
    address = emitter.assign("ptr", 1, f"getelementptr {type_of(stored.kind, 1)}, ptr %out, i64 %i")
    emitter.line(f"store {stored}, {address}, align {bits(stored.kind) // 8}")
    emitter.line(f"%next = add i64 %i, {lanes}")
    emitter.line("%more = icmp slt i64 %next, %n")
    emitter.line("br i1 %more, label %body, label %end")
    emitter.lines[at] = f"  %i = phi i64 [ 0, %entry ], [ %next, %{emitter.block} ]"
    emitter.label("end")
    emitter.line("ret void")
    emitter.lines.append("}")
    return emitter, result.kind


def load(emitter: Emitter, pointer: str, kind: str, lanes: int) -> Reg:
    """A vector of an array, from the loop's index on."""
    held = "i8" if kind == "b1" else kind
    address = emitter.assign("ptr", 1, f"getelementptr {KINDS[held][0]}, ptr {pointer}, i64 %i")
    text = f"load {type_of(held, lanes)}, {address}, align {bits(held) // 8}"
    value = emitter.assign(held, lanes, text)
    return emitter.compare("ne", value, emitter.like(0, value)) if kind == "b1" else value


def unary(name: str, function: str, kind: str, lanes: int = 16) -> Case:
    """A word of one operand."""
    return Case(name, lambda scalars, x: scalars.unary(function, x), [kind], lanes)


def binary(name: str, function: str, kind: str, lanes: int = 16) -> Case:
    """A word of two operands."""
    return Case(name, lambda scalars, x, y: scalars.binary(function, x, y), [kind, kind], lanes)


def records() -> Iterator[tuple[Elementwise, str]]:
    """The ops that state an element expression, each with a dtype that has a native form."""
    for _, op in sorted(REGISTRY.items()):
        ours = op.__module__.startswith("graphwright.")
        if not ours or not issubclass(op, Elementwise) or op.element is no_element:
            continue
        with contextlib.suppress(TypeError):  # attributes without defaults
            record = op()
            variables = [v for v in op.dtypes if any(o.dtype == v for o in op.operands)]
            for name in KIND_OF:
                if not variables or tf.as_dtype(name) in op.dtypes[variables[0]]:
                    yield record, name
                if not variables:
                    break


RECORDS = [(op, name) for op, name in records() if op.type_name not in HOST]


def dtypes(op: Elementwise, name: str) -> list[Any]:
    """The dtypes of the operands, where the op's own is `name`."""
    return [tf.as_dtype(name if o.dtype in op.dtypes else o.dtype) for o in op.operands]


def kinds(op: Elementwise, name: str) -> list[str]:
    return [KIND_OF[dtype.name] for dtype in dtypes(op, name)]
