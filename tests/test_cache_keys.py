"""Each part of the key of each cache counts.

`ROWS` has for each cache pairs of calls that differ in one part of its key alone. Asked in both
orders, each must get what it gets where nobody asked before.
"""

from __future__ import annotations

import ast
import collections
import functools
import gc
import itertools
import re
import shutil
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import graphwright as tf
from graphwright.base.identities import IdentityTable
from graphwright.compile.llvm import emitter
from graphwright.compile.llvm import runtime as native_machine
from graphwright.compile.llvm.functions import elementary
from graphwright.compile.run import executable, generated_text
from graphwright.compile.select import native_words
from graphwright.ir.graph import Graph
from graphwright.ir.once import once_per_graph
from graphwright.library.dispatch import raw_ops
from graphwright.library.io import proto_coding
from graphwright.machine import (
    array_layout,
    blas,
    compiler,
    linking,
    matmul,
    process_settings,
    products,
    targets,
)
from graphwright.machine.disk_cache import DiskCache
from graphwright.machine.targets import Vectors
from graphwright.op import dispatch, late_imports, op, refusal, special_functions
from graphwright.op.one_op import Roles
from graphwright.ops.convolution import implicit, sliding, tap_geometry
from graphwright.ops.convolution.windows import Windows
from graphwright.ops.core import repetition
from graphwright.ops.image import resize_kernels
from graphwright.ops.linalg import einsum, matrices
from graphwright.ops.random import simon
from graphwright.ops.signal import line_transforms
from graphwright.ops.signal.transform_code import FourierCode
from graphwright.ops.strings import csv_records, pattern_automata, pattern_search, regex
from graphwright.trace import tracer
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType
from graphwright.values import convert, eager, prepared_calls

SOURCES = Path(tf.__file__).parent
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)

Ask = Callable[..., Any]


class Row(NamedTuple):
    """A part of a key, and two calls that differ in nothing else."""

    caches: tuple[str, ...]
    part: str
    fresh: Callable[[], Ask]  # gives somebody to ask, who was not asked before
    first: tuple[Any, ...]
    second: tuple[Any, ...]


ROWS: list[Row] = []


def described(value: Any, depth: int = 6) -> Any:
    """All that can be told of a value, to be compared."""
    if isinstance(value, (tf.Tensor, tf.Variable)):
        value = value.numpy()
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.ndarray):
        return "objects", value.shape, [described(v) for v in value.ravel()]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *[described(v, depth) for v in value]]
    if isinstance(value, types.FunctionType):
        closure = [c.cell_contents for c in value.__closure__ or ()]
        return value.__qualname__, [described(v, depth - 1) for v in closure] if depth else []
    if isinstance(value, BaseException):
        return type(value).__name__, str(value)
    if depth and type(value).__module__.startswith("graphwright") and hasattr(value, "__dict__"):
        return type(value).__name__, described(list(vars(value).values()), depth - 1)
    return re.sub(r" at 0x\w+", "", repr(value))


def answer(ask: Ask, arguments: tuple[Any, ...]) -> Any:
    """What comes of a call, a refusal too."""
    made = [a() if isinstance(a, Late) else a for a in arguments]
    try:
        return described(ask(*made))
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return described(error)


class Late(NamedTuple):
    """An argument that is made for each call."""

    make: Callable[[], Any]

    def __call__(self) -> Any:
        return self.make()


def pairs(caches: str, fresh: Callable[[], Ask], /, **parts: Any) -> None:
    """Adds rows for one cache, or several that are asked one after the other."""
    for part, (first, second) in parts.items():
        ROWS.append(Row(tuple(caches.split()), part, fresh, first, second))


OFTEN = 10  # calls after which the fast path has generated code


OFTEN = 10  # calls after which the fast path has code for what comes again


def codes_in(code: Any) -> list[Any]:
    """The code objects in a code object, and itself."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return [code, *[result for each in inner for result in codes_in(each)]]


# -- functions of values ----------------------------------------------------------------------


def cleared(function: Any, cached: Any = None) -> Callable[[], Ask]:
    """Gives a function whose cache is empty, or one that goes by such a function."""

    def fresh() -> Ask:
        (cached or function).cache_clear()
        return function

    return fresh


def of(place: str, function: Any, cached: Any = None, /, **parts: Any) -> None:
    """Adds rows for a function whose results are remembered by its arguments."""
    pairs(place, cleared(function, cached), **parts)


def table(x: Any) -> Any:
    return np.arange(np.prod(x), dtype=np.float32).reshape(x)


def numbers_of(part: Any) -> Any:
    """A tuple of arrays and numbers as lists."""
    if isinstance(part, tuple):
        return [numbers_of(each) for each in part]
    return np.array(part).tolist()


def contracted(equation: str) -> Any:
    terms = einsum.parse(equation, tuple(len(o) for o in equation.split("->")[0].split(",")))
    arrays = [table((2, 2)) + i for i in range(len(terms.operands))]
    return einsum.contraction(terms)(*arrays)


of(
    "ops/linalg/einsum.py:parse", einsum.parse,
    equation=(("ij->ij", (2,)), ("ij->ji", (2,))),
    rank=(("...->...", (1,)), ("...->...", (2,))),
)  # fmt: skip
of(
    "ops/linalg/einsum.py:contraction", contracted, einsum.contraction,
    operands=(("ij,jk->ik",), ("ij,kj->ik",)),
    result=(("ij,jk->ik",), ("ij,jk->ki",)),
)  # fmt: skip
of(
    "ops/linalg/einsum.py:planned", lambda e, *dims: einsum.planned(e, dims)(*map(table, dims)),
    einsum.planned,
    equation=(("ij,jk->ik", (2, 2), (2, 2)), ("ij,jk->ki", (2, 2), (2, 2))),
    shape=(("ij,jk->ik", (2, 2), (2, 2)), ("ij,jk->ik", (2, 2), (2, 3))),
    fits=(("ij,jk->ik", (2, 2), (2, 2)), ("ij,jk->ik", (2, 2), (3, 2))),
)  # fmt: skip
of(
    "ops/linalg/einsum.py:pairs",
    lambda text, *sizes: einsum.pairs(einsum.parse(text, (2, 2, 2)), tuple(zip("ijkl", sizes))),
    einsum.pairs,
    terms=(("ij,jk,kl->il", 2, 9, 2, 9), ("ij,kl,jk->il", 2, 9, 2, 9)),
    sizes=(("ij,jk,kl->il", 2, 9, 2, 9), ("ij,jk,kl->il", 9, 2, 9, 2)),
)  # fmt: skip
of(
    "ops/linalg/einsum.py:check_equation", einsum.check_equation,
    equation=(("i,j->ij", 2), ("i,j->ik", 2)),
    count=(("i,j->ij", 2), ("i,j->ij", 3)),
)  # fmt: skip
of(
    "ops/core/repetition.py:tiled_dims", repetition.tiled_dims,
    dims=(((2, 3), (1, 2)), ((2, 4), (1, 2))),
    multiples=(((2, 3), (1, 2)), ((2, 3), (2, 1))),
)  # fmt: skip
of(
    "ops/linalg/matrices.py:band", matrices.band,
    rows=((3, 3, -1, 1, "LEFT_LEFT"), (4, 3, -1, 1, "LEFT_LEFT")),
    columns=((3, 3, -1, 1, "LEFT_LEFT"), (3, 4, -1, 1, "LEFT_LEFT")),
    lower=((3, 3, -1, 1, "LEFT_LEFT"), (3, 3, 0, 1, "LEFT_LEFT")),
    upper=((3, 3, -1, 1, "LEFT_LEFT"), (3, 3, -1, 0, "LEFT_LEFT")),
    align=((3, 3, -1, 1, "LEFT_LEFT"), (3, 3, -1, 1, "RIGHT_LEFT")),
)  # fmt: skip
of(
    "library/dispatch/raw_ops.py:raw_op", raw_ops.raw_op,
    name=(("Neg",), ("Abs",)),
)  # fmt: skip


def described_message(*fields: str) -> bytes:
    from google.protobuf import descriptor_pb2

    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="m.proto", package="p")
    for name in ("M", "N"):
        message = file.message_type.add(name=name)
        for i, field in enumerate(fields):
            message.field.add(name=field, number=i + 1, type=5, label=1)
    return files.SerializeToString()


def fields_of(name: str, *fields: str) -> Any:
    source = "bytes://" + described_message(*fields).decode("latin-1")
    descriptor = proto_coding.message_class(proto_coding.DescriptorSource(name, source)).DESCRIPTOR
    return descriptor.full_name, [field.name for field in descriptor.fields]


of(
    "library/io/proto_coding.py:message_class", fields_of, proto_coding.message_class,
    type=(("p.M", "a"), ("p.N", "a")),
    descriptors=(("p.M", "a"), ("p.M", "b")),
)  # fmt: skip
of(
    "ops/random/simon.py:small_shuffle", simon.small_shuffle,
    key=(((1, 2, 3), 9, 4), ((1, 2, 4), 9, 4)),
    last=(((1, 2, 3), 9, 4), ((1, 2, 3), 8, 4)),
    rounds=(((1, 2, 3), 9, 4), ((1, 2, 3), 9, 6)),
)  # fmt: skip
of(
    "machine/products.py:kernels", lambda dtype: products.kernels(dtype).tile.text(),
    products.kernels, dtype=((F32,), (F64,)),
)  # fmt: skip
of(
    "machine/products.py:_remembered_steps", products._remembered_steps,
    shape=(((2, 3), (8, 4)), ((3, 2), (8, 4))),
    strides=(((2, 3), (8, 4)), ((2, 3), (4, 8))),
)  # fmt: skip
of(
    "machine/matmul.py:_starts", matmul._starts,
    batch=(((2,), (8,), (4,)), ((3,), (8,), (4,))),
    strides=(((2,), (8,), (4,)), ((2,), (8,), (0,))),
)  # fmt: skip
of("ops/signal/line_transforms.py:factors", line_transforms.factors, n=((12,), (15,)))


def outline_of_tables(plan: Any) -> Any:
    """Tables of a transform, and what lies where in them."""
    return outline(plan.passes), described(plan.tables), plan.cells, plan.is_split


CODE = FourierCode(Vectors(256, 16, True), 32)
of(
    "ops/signal/line_transforms.py:plan",
    lambda *key: outline_of_tables(line_transforms.plan(*key)), line_transforms.plan,
    n=((256, False, CODE), (128, False, CODE)),
    split=((256, False, CODE), (256, True, CODE)),
    code=((256, False, CODE), (256, False, CODE._replace(bits=64))),
)  # fmt: skip
PLACES = line_transforms.TransformLines(1, 9, (0, 512, 8), (0, 512, 8))
TRANSFORM = (PLACES, 64, 0, False, 1.0, 32, 1)
PRODUCT = ((64, 64, 64), (256, 4), (256, 4), F32, 1, 64, 0)


def but(usual: tuple[Any, ...], place: int, other: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Arguments, and those with another one in a place."""
    return usual, (*usual[:place], other, *usual[place + 1 :])


def outline(plan: Any) -> Any:
    """A plan of kernels without the addresses in its tables."""
    if isinstance(plan, np.ndarray):
        return plan.dtype, plan.shape, outline(plan.ravel().tolist())
    if isinstance(plan, (list, tuple)):
        return [outline(part) for part in plan]
    if type(plan) is int:
        return "an address" if plan >> 40 else plan
    return outline(list(vars(plan).values())) if hasattr(plan, "__dict__") else plan


of(
    "ops/signal/line_transforms.py:preset",
    lambda *key: (outline(chosen := line_transforms.preset(*key).words), chosen[-3:]),
    line_transforms.preset,
    lines=but(TRANSFORM, 0, PLACES._replace(lines=17)),
    n=but(TRANSFORM, 1, 128),
    spectra=but(TRANSFORM, 2, 1),
    inverse=but(TRANSFORM, 3, True),
    scale=but(TRANSFORM, 4, 0.5),
    bits=but(TRANSFORM, 5, 64),
    shares=but((PLACES._replace(lines=999), *TRANSFORM[1:]), 6, 2),
)  # fmt: skip


of(
    "machine/matmul.py:_plan", lambda *key: outline(matmul._plan(*key)), matmul._plan,
    sizes=but(PRODUCT, 0, (64, 64, 65)),
    left=but(PRODUCT, 1, (4, 256)),
    right=but(PRODUCT, 2, (4, 256)),
    dtype=but(PRODUCT, 3, F64),
    shared=but(PRODUCT, 4, 2),
    most=but(PRODUCT, 5, 32),
    mode=but(PRODUCT, 6, 1),
)  # fmt: skip
WINDOWS = Windows((8, 8), (3, 3), (1, 1), (1, 1), ((1, 1), (1, 1)), (8, 8))
OTHER_WINDOWS = {
    "sizes": WINDOWS._replace(sizes=(9, 8)),
    "kernel": WINDOWS._replace(kernel=(3, 2)),
    "strides": WINDOWS._replace(strides=(2, 2)),
    "dilations": WINDOWS._replace(dilations=(1, 2)),
    "pads": WINDOWS._replace(pads=((0, 1), (1, 1))),
}
COSTS = implicit.Costs(2, 1000, 1 << 14)
CASE = implicit.ConvolutionCase((2, 8, 8, 4), (3, 3, 4, 16), WINDOWS, F32, COSTS)
OTHER_CASES = {
    "shape": CASE._replace(shape=(3, 8, 8, 4)),
    "filters": CASE._replace(filters=(3, 3, 4, 32)),
    "dtype": CASE._replace(dtype=F64),
    "threads": CASE._replace(costs=implicit.Costs(4, 1000, 1 << 14)),
    "strip": CASE._replace(costs=implicit.Costs(2, 1000, 1 << 8)),
}


of(
    "ops/convolution/tap_geometry.py:backward", tap_geometry.backward,
    **{part: ((WINDOWS,), (other,)) for part, other in OTHER_WINDOWS.items()},
)  # fmt: skip
IMAGE = (5, 7, 3), (9, 4), "half_pixel", (21, 3)
of(
    "ops/image/resize_kernels.py:grid_of",
    lambda *key: resize_kernels.grid_of(*key)._replace(addresses=()), resize_kernels.grid_of,
    dims=(IMAGE, ((6, 7, 3), *IMAGE[1:])),
    sizes=(IMAGE, (IMAGE[0], (9, 5), *IMAGE[2:])),
    centres=(IMAGE, (*IMAGE[:2], "legacy", IMAGE[3])),
    steps=(IMAGE, (*IMAGE[:3], (42, 6))),
)  # fmt: skip
AXIS = "bicubic", 7, 9, "half_pixel"
of(
    "ops/image/resize_kernels.py:resampling", resize_kernels.resampling,
    method=(AXIS, ("area", *AXIS[1:])),
    size=(AXIS, (AXIS[0], 8, *AXIS[2:])),
    count=(AXIS, (*AXIS[:2], 10, AXIS[3])),
    centres=(AXIS, (*AXIS[:3], "legacy")),
)  # fmt: skip
AROUND = "lanczos3", 9, 7, np.float32(0.75), np.float32(0), True
of(
    "ops/image/resize_kernels.py:scaled", resize_kernels.scaled,
    kernel_type=(AROUND, ("gaussian", *AROUND[1:])),
    size=(AROUND, (AROUND[0], 8, *AROUND[2:])),
    count=(AROUND, (*AROUND[:2], 6, *AROUND[3:])),
    scale=(AROUND, (*AROUND[:3], np.float32(0.5), *AROUND[4:])),
    translation=(AROUND, (*AROUND[:4], np.float32(0.5), True)),
    antialias=(AROUND, (*AROUND[:5], False)),
)  # fmt: skip
for name, function, more in (
    ("_convolution", implicit._convolution, ()),
    ("_input_gradient", implicit._input_gradient, (4,)),
    ("_filter_gradient", implicit._filter_gradient, ()),
):
    of(
        f"ops/convolution/implicit.py:{name}",
        lambda *key, make=function: outline(make(*key)), function,
        **{part: ((CASE, *more), (other, *more)) for part, other in OTHER_CASES.items()},
        windows=((CASE, *more), (CASE._replace(windows=OTHER_WINDOWS["dilations"]), *more)),
    )  # fmt: skip
of(
    "ops/convolution/implicit.py:_input_gradient",
    lambda *key: outline(implicit._input_gradient(*key)), implicit._input_gradient,
    channels=((CASE, 4), (CASE, 8)),
)  # fmt: skip
SLID = (
    WINDOWS, (2, 8, 8, 4), ((1600, 160, 16, 4), (1024, 128, 16, 4)), (False, True), False,
)  # fmt: skip
of(
    "ops/convolution/sliding.py:_plan", lambda *key: outline(sliding._plan(*key)), sliding._plan,
    windows=but(SLID, 0, OTHER_WINDOWS["strides"]),
    results=but(SLID, 1, (1, 8, 8, 4)),
    strides=but(SLID, 2, ((1600, 160, 16, 4), (2048, 128, 16, 4))),
    dense=but(but(SLID, 0, OTHER_WINDOWS["strides"])[1], 3, (False, False)),
)  # fmt: skip
TARGET = targets.Target("x86_64-unknown-linux-gnu", "znver3", frozenset({"+avx2", "+fma"}))
of(
    "machine/targets.py:_vectors_of", targets._vectors_of,
    features=((TARGET,), (TARGET._replace(features=frozenset({"+sse2"})),)),
)  # fmt: skip
of("machine/blas.py:address", blas.address, name=(("sgemm",), ("dgemm",)))
of(
    "machine/array_layout.py:python_function", array_layout.python_function,
    name=(("Py_IncRef",), ("Py_DecRef",)),
)  # fmt: skip
of(
    "machine/process_settings.py:_unchanged", process_settings._unchanged,
    text=(("malloc",), ("malloc, turns",)),
)  # fmt: skip
of("op/special_functions.py:_scipys", special_functions._scipys, name=(("erf",), ("erfc",)))
of(
    "op/late_imports.py:late_extension", late_imports.late_extension,
    name=(("scipy.linalg._flapack",), ("scipy.linalg._fblas",)),
)  # fmt: skip
of(
    "ops/strings/csv_records.py:ends", csv_records.ends,
    delimiter=((b",",), (b";",)),
)  # fmt: skip
of(
    "ops/strings/regex.py:compile_pattern",
    lambda pattern: regex.compile_pattern(pattern).matches([b"a", b"A", b"b"]),
    regex.compile_pattern,
    pattern=((b"a",), (b"b",)), flags=((b"a",), (b"(?i)a",)),
)  # fmt: skip
of(
    "ops/strings/regex.py:ascii_members", regex.ascii_members,
    pattern=((b"[a]",), (b"[b]",)), flags=((b"[a-c]",), (b"[^a-c]",)),
)  # fmt: skip
of(
    "ops/strings/pattern_automata.py:automaton_of",
    lambda pattern: [table.tolist() for table in pattern_automata.automaton_of(pattern) or ()],
    pattern_automata.automaton_of,
    pattern=((b"a",), (b"b",)), counts=((b"a+",), (b"a*",)),
)  # fmt: skip
of(
    "ops/strings/pattern_search.py:search_automaton",
    lambda pattern: numbers_of(pattern_search.search_automaton(pattern) or ()),
    pattern_search.search_automaton,
    pattern=((b"a",), (b"b",)), laziness=((b"a+b",), (b"a+?",)), groups=((b"ab",), (b"(a)b",)),
)  # fmt: skip
of("machine/linking.py:c_function", linking.c_function, name=(("memcpy",), ("memset",)))
of(
    "values/eager.py:_executor",
    lambda hosts, quiet: list(eager._executor(hosts, quiet).__code__.co_names),
    eager._executor,
    hosts=((("", "as_ints"), True), (("", ""), True)),
    lists=((("", ""), True), (None, True)),
    quiet=((("", ""), True), (("", ""), False)),
)  # fmt: skip
ONE_TENSOR = (Roles(1, 1, 1, False, False, False), 4, (True,), ("bool",), ("as_ints",), True)
of(
    "values/prepared_calls.py:code_of",
    lambda *key: [
        (code.co_code, code.co_names, code.co_varnames)
        for code in codes_in(prepared_calls.code_of(prepared_calls.CallForm(*key)).__code__)
    ],
    prepared_calls.code_of,
    roles=but(ONE_TENSOR, 0, Roles(1, 1, 1, True, False, False)),
    parameters=but(ONE_TENSOR, 1, 5),
    optional=but(ONE_TENSOR, 2, (False,)),
    attributes=but(ONE_TENSOR, 3, ("int",)),
    makers=but(ONE_TENSOR, 4, ("as_host",)),
    quiet=but(ONE_TENSOR, 5, False),
)  # fmt: skip
MUL, DIV, NEXT = (raw_ops.REGISTRY[name]() for name in ("Mul", "FloorDiv", "NextAfter"))
of(
    "compile/select/native_words.py:_has_words", native_words._has_words,
    op=((MUL, (dt.int32,) * 2), (NEXT, (dt.int32,) * 2)),
    dtypes=((NEXT, (dt.float32,) * 2), (NEXT, (dt.int32,) * 2)),
)  # fmt: skip
of(
    "compile/select/native_words.py:refuses", native_words.refuses,
    op=((MUL, ("i32", "i32")), (DIV, ("i32", "i32"))),
    kinds=((DIV, ("i32", "i32")), (DIV, ("f32", "f32"))),
)  # fmt: skip
of(
    "compile/llvm/functions/elementary.py:writer", elementary.writer,
    module=(("angles", "cos"), ("logarithms", "log")), name=(("angles", "cos"), ("angles", "sin")),
)  # fmt: skip
of(
    "compile/llvm/emitter.py:type_of", emitter.type_of,
    kind=(("f32", 1), ("i32", 1)), lanes=(("f32", 1), ("f32", 4)),
)  # fmt: skip
of(
    "compile/llvm/emitter.py:constant", lambda *key: str(emitter.constant(*key)), emitter.constant,
    kind=(("f32", 1.0, 1.0, 1), ("f64", 1.0, 1.0, 1)),
    value=(("f32", 1.0, 1.0, 1), ("f32", 2.0, 1.0, 1)),
    sign=(("f32", 0.0, 1.0, 1), ("f32", -0.0, -1.0, 1)),
    lanes=(("f32", 1.0, 1.0, 1), ("f32", 1.0, 1.0, 8)),
)  # fmt: skip
DECLARED = ("abs", "i32", 1, "i32", ("i32", "i1"), "")
of(
    "compile/llvm/emitter.py:declared", emitter.declared,
    name=but(DECLARED, 0, "ctlz"),
    kind=but(DECLARED, 1, "i64"),
    lanes=but(DECLARED, 2, 4),
    result=but(DECLARED, 3, "i64"),
    types=but(DECLARED, 4, ("i64", "i1")),
    flags=but(DECLARED, 5, ", i1"),
)  # fmt: skip
of("compile/llvm/runtime.py:_outside", native_machine._outside, name=(("memcpy",), ("memset",)))
of(
    "op/dispatch.py:defaults_of", dispatch.defaults_of,
    function=((lambda x, n=1: x,), (lambda x, n=2: x,)),
)  # fmt: skip
of(
    "op/refusal.py:_templates",
    lambda first: [c.co_varnames for code in refusal._templates(first) for c in codes_in(code)],
    refusal._templates, first=((0,), (16,)),
)  # fmt: skip
of("op/op.py:parse_operand", op.parse_operand, text=(("x: T",), ("x: T*",)))
for name in ("host_casts", "host_ints", "operand_names"):
    method = vars(op.Op)[name].__func__
    of(
        f"op/op.py:{name}", method,
        kind=((raw_ops.REGISTRY["Sum"], 2), (raw_ops.REGISTRY["Atan2"], 2)),
        count=((raw_ops.REGISTRY["ConcatV2"], 2), (raw_ops.REGISTRY["ConcatV2"], 3)),
    )  # fmt: skip
of(
    "trace/tracer.py:places", lambda *key: tracer.places(*key)[0].value.array, tracer.places,
    value=((1, dt.int32), (2, dt.int32)),
    nesting=((1, dt.int32), ((1,), dt.int32)),
    length=(((1,), dt.int32), ((1, 1), dt.int32)),
    dtype=((1, dt.int32), (1, dt.int64)),
)  # fmt: skip
of(
    "trace/tracer.py:number", lambda *key: tracer.number(*key).value.array, tracer.number,
    zero=tuple((np.dtype("f4"), np.float32(zero).tobytes()) for zero in (0.0, -0.0)),
    dtype=tuple((np.dtype(code), bytes(4)) for code in ("f4", "i4")),
)  # fmt: skip


# -- calls of a function ----------------------------------------------------------------------


def seen(*args: Any, **kwargs: Any) -> Any:
    """What a trace knows of its arguments, as text, and what they hold."""
    tensors: list[Any] = []
    text = [shown(value, tensors) for value in args]
    text += [f"{name}={shown(kwargs[name], tensors)}" for name in kwargs]
    sums = [tf.cast(tf.reduce_sum(t), tf.float64) for t in tensors]
    values = [total * 10.0**i for i, total in enumerate(sums)]
    return tf.constant(f"{tf.inside_function()} {text}"), tf.stack(
        [tf.constant(0.0, tf.float64), *values]
    )


def shown(value: Any, tensors: list[Any]) -> str:
    """An argument as a trace sees it; adds its tensors."""
    kind = type(value).__name__
    if isinstance(value, tf.Variable):
        which = next((i for i, t in enumerate(tensors) if t is value), len(tensors))
        tensors.append(value)
        return f"variable {which} {value.dtype.name}{value.shape} {value.trainable}"
    if isinstance(value, tf.Tensor):
        tensors.append(value)
        return f"{value.dtype.name}{value.shape}"
    if isinstance(value, (list, tuple)):
        return f"{kind}({', '.join(shown(v, tensors) for v in value)})"
    if isinstance(value, dict):
        parts = [f"{type(k).__name__} {k!r}: {shown(value[k], tensors)}" for k in value]
        return f"{kind}({', '.join(parts)})"
    if isinstance(value, (tf.data.Dataset, tf.data.Iterator)):
        return repr(tf.type_spec_from_value(value))
    if isinstance(value, (tf.RaggedTensor, tf.SparseTensor, tf.IndexedSlices, Marked)):
        spec = tf.type_spec_from_value(value)
        tensors += tf.nest.flatten(value, expand_composites=True)
        return repr(spec)
    return f"{kind} {value!r}"


class Marked(tf.experimental.ExtensionType):
    """A composite with a part that is no tensor."""

    x: tf.Tensor
    mark: str


class Text(str):
    """A text of a class of its own."""


class One(collections.namedtuple("One", "a")):
    """A named tuple."""


class Other(collections.namedtuple("Other", "a")):
    """A named tuple with the same fields."""


ONES, TWOS = np.ones(2, np.float32), np.full(2, 2, np.float32)
X = Late(lambda: tf.constant(ONES))


def variable(**options: Any) -> Any:
    return Late(lambda: tf.Variable(ONES, **options))


def together(make: Callable[[], Any]) -> tuple[Any, ...]:
    """One argument, which is a list made for each call."""
    return (Late(make),)


def dataset(elements: Any) -> tuple[Any, ...]:
    return (Late(lambda: tf.data.Dataset.from_tensors(elements)),)


def iterator(elements: Any) -> tuple[Any, ...]:
    return (Late(lambda: iter(tf.data.Dataset.from_tensors(elements))),)


def same_variable() -> Any:
    v = tf.Variable(ONES)
    return [v, v]


def new(*args: Any, **kwargs: Any) -> Any:
    """A function that nobody has called; arguments by name come in a dictionary."""
    function = tf.function(lambda *a, **k: seen(*a, **k))
    return lambda *a, **k: function(*a, **k)


def named(**given: Any) -> Any:
    """Arguments by name, for `by_name`."""
    return (given,)


def by_name() -> Ask:
    """Asks with arguments by name."""

    def with_defaults(x: Any = 1, y: Any = 2, *more: Any, **others: Any) -> Any:
        return seen(x, y, *more, **others)

    function = tf.function(with_defaults)

    def ask(given: dict[str, Any], *args: Any) -> Any:
        return function(*args, **{n: v() if isinstance(v, Late) else v for n, v in given.items()})

    return ask


TRACES = (
    "trace/trace_dispatch.py:_traces trace/trace_dispatch.py:_general function/fast_path.py:entries"
)
RAGGED = [[1.0], [2.0, 3.0]]


def ragged(**options: Any) -> tuple[Any, ...]:
    return together(lambda: tf.ragged.constant(RAGGED, **options))


pairs(
    TRACES, new,
    dtype=((tf.constant(1.0),), (tf.constant(1),)),
    shape=((tf.ones([2]),), (tf.ones([3]),)),
    rank=((tf.ones([1]),), (tf.ones([]),)),
    array=((np.ones(2, np.float32),), (np.ones(2, np.float64),)),
    array_or_list=((np.ones(2, np.float32),), ([1.0, 1.0],)),
    number=((1,), (2,)),
    true=((1,), (True,)),
    float=((1,), (1.0,)),
    complex=((1.0,), (1 + 0j,)),
    zero=((0.0,), (-0.0,)),
    complex_zero=((complex(0.0, 0.0),), (complex(0.0, -0.0),)),
    false=((0,), (False,)),
    not_a_number=((0.0,), (float("nan"),)),
    none=((None,), (0,)),
    text=(("a",), (b"a",)),
    text_class=(("a",), (Text("a"),)),
    class_of_key=(({"a": 1},), ({Text("a"): 1},)),
    list_or_tuple=(([1],), ((1,),)),
    true_in_list=(([1, 2],), ([True, 2],)),
    zero_in_tuple=(((0.0,),), ((-0.0,),)),
    length=(((1, 1),), ((1, 1, 1),)),
    nesting=((((1,), 1),), (((1, 1),),)),
    count=((1, 1), ((1, 1),)),
    keys=(({"a": 1},), ({"b": 1},)),
    key=(({1: 1},), ({True: 1},)),
    float_key=(({1: 1},), ({1.0: 1},)),
    zero_key=(({0.0: 1},), ({-0.0: 1},)),
    tuple_key=(({(1,): 1},), ({(True,): 1},)),
    zero_in_key=(({(0.0,): 1},), ({(-0.0,): 1},)),
    deep_key=(({((1,), 2): 1},), ({((1.0,), 2): 1},)),
    set_key=(({frozenset({1}): 1},), ({frozenset({True}): 1},)),
    mapping=(({"a": 1},), (collections.OrderedDict(a=1),)),
    named_tuple=((One(1),), (Other(1),)),
    named_or_plain=((One(1),), ((1,),)),
    variable=(together(lambda: [tf.Variable(ONES)]), together(lambda: [tf.constant(ONES)])),
    variable_dtype=((variable(),), (variable(dtype=tf.float64),)),
    variable_shape=((variable(),), together(lambda: [tf.Variable(np.ones(3, np.float32))])),
    trainable=((variable(),), (variable(trainable=False),)),
    trainable_of_unknown_shape=(
        (variable(shape=[None]),), (variable(shape=[None], trainable=False),),
    ),
    alias=(together(same_variable), together(lambda: [tf.Variable(ONES), tf.Variable(ONES)])),
    ragged=(ragged(), together(lambda: tf.constant([[1.0, 2.0]]))),
    splits=(ragged(), ragged(row_splits_dtype=tf.int32)),
    ragged_rank=(
        together(lambda: tf.ragged.constant([[[1.0]]], ragged_rank=1)),
        together(lambda: tf.ragged.constant([[[1.0]]], ragged_rank=2)),
    ),
    sparse=(
        together(lambda: tf.sparse.from_dense([[1.0, 0.0]])),
        together(lambda: tf.sparse.from_dense([[1.0], [0.0]])),
    ),
    mark=(
        together(lambda: Marked(tf.constant(ONES), "a")),
        together(lambda: Marked(tf.constant(ONES), "b")),
    ),
    part=(
        together(lambda: Marked(tf.constant(ONES), "a")),
        together(lambda: Marked(tf.constant([1, 1]), "a")),
    ),
    iterator=(iterator(ONES), iterator(TWOS.astype(np.float64))),
    iterator_shape=(iterator(ONES), iterator([ONES])),
    iterator_structure=(iterator((ONES,)), iterator({"a": ONES})),
    iterator_named_tuple=(iterator((ONES,)), iterator(One(ONES))),
    iterator_of_named_tuples=(iterator(One(ONES)), iterator(Other(ONES))),
    iterator_or_dataset=(iterator(ONES), dataset(ONES)),
    dataset=(dataset(ONES), dataset(TWOS.astype(np.float64))),
    dataset_structure=(dataset((ONES,)), dataset(One(ONES))),
)  # fmt: skip
pairs(
    TRACES, by_name,
    name=(named(x=X), named(y=X)),
    other_name=(named(a=X), named(b=X)),
    order=(
        named(x=Late(lambda: ONES), y=Late(lambda: TWOS)),
        named(y=Late(lambda: ONES), x=Late(lambda: TWOS)),
    ),
    default=(named(), named(x=True)),
    default_float=(named(), named(y=2.0)),
    by_place=((named()[0], 3), named(y=3)),
    more=((named()[0], 1, 2), (named()[0], 1, 2, 3)),
    more_or_name=((named()[0], 1, 2, 3), (named(a=3)[0], 1, 2)),
    true=(named(a=1), named(a=True)),
)  # fmt: skip


class Thing:
    """What a function knows by who it is."""

    def __init__(self, number: float) -> None:
        self.number = number

    @tf.function
    def method(self) -> Any:
        return tf.constant(self.number)


def things() -> Ask:
    """A function of objects that are gone after each call."""
    function = tf.function(lambda thing: tf.constant(thing.number))

    def ask(number: float) -> Any:
        return function(Thing(number))

    return ask


@once_per_graph
def name_of(graph: Graph) -> str:
    """What is found out of a graph."""
    return graph.name


def option(**first: Any) -> Any:
    """A function with options, made anew for each call of one Python function."""
    return first


def by_options() -> Ask:
    """Asks functions of one Python function with options."""

    def choose(x: Any) -> Any:
        made = seen(x)
        if isinstance(x, tf.Tensor):
            try:
                made = (*made, 1.0 if tf.reduce_sum(x) > 0 else 2.0)
            except TypeError:
                made = (*made, 3.0)
        return made

    return lambda options, x: tf.function(choose, **options)(x)


def eagerly() -> Ask:
    """Asks one function while functions run as traces, or as plain Python."""
    function = tf.function(lambda x: seen(x))

    def ask(eager: bool) -> Any:
        tf.config.run_functions_eagerly(eager)
        try:
            return function(tf.constant(ONES))
        finally:
            tf.config.run_functions_eagerly(False)

    return ask


def closures() -> Ask:
    """Asks closures of one code that differ in what they call."""

    def make(inner: Any) -> Any:
        def outer(x: Any) -> Any:
            return inner(x)

        return outer

    return lambda inner: tf.function(make(inner))(tf.constant(ONES))


def sign_of(x: Any) -> Any:
    return 1.0 if tf.reduce_sum(x) > 0 else -1.0


def size_of(x: Any) -> Any:
    return 3.0 if tf.reduce_sum(x) > 5 else 4.0


pairs(TRACES, things, identity=((1.0,), (2.0,)))
pairs(
    "function/polymorphic.py:_methods base/identities.py:entries",
    lambda: lambda number: Thing(number).method(), identity=((1.0,), (2.0,)),
)  # fmt: skip
pairs(
    "ir/once.py:results", lambda: lambda name: name_of(Graph(name)), identity=(("a",), ("b",)),
)  # fmt: skip
pairs(
    f"{TRACES} autograph/conversion.py:_codes autograph/exempt.py:_converted", by_options,
    autograph=((option(), X), (option(autograph=False), X)),
    signature=((option(), X), (option(input_signature=[tf.TensorSpec([None])]), X)),
    compiled=((option(), X), (option(jit_compile=True, input_signature=[tf.TensorSpec(None)]), X)),
)  # fmt: skip
pairs("function/fast_path.py:entries", eagerly, eager=((True,), (False,)))
pairs(
    "autograph/conversion.py:_codes", closures, function=((sign_of,), (size_of,)),
    marked=((sign_of,), (lambda x: tf.autograph.experimental.do_not_convert(seen)(x),)),
)  # fmt: skip


# -- ops ----------------------------------------------------------------------------------------


def new_ops(*names: str) -> Callable[[], Ask]:
    """Asks raw ops of which no instance was made."""

    def fresh() -> Ask:
        for name in names:
            kind = raw_ops.REGISTRY[name]
            kind._instances, kind._masks = {}, {}

        def ask(name: str, options: dict[str, Any]) -> Any:
            given = {n: v() if isinstance(v, Late) else v for n, v in options.items()}
            return getattr(tf.raw_ops, name)(**given)

        return ask

    return fresh


def traced_ops(*names: str) -> Callable[[], Ask]:
    """Asks raw ops in a trace for the types of their results."""

    def fresh() -> Ask:
        ask = new_ops(*names)()

        def types(name: str, options: dict[str, Any]) -> Any:
            outcome: list[Any] = []

            def body() -> None:
                result = ask(name, options)
                outcome.extend((r.dtype, r.shape) for r in tf.nest.flatten(result))

            tf.function(body, autograph=False).get_concrete_function()
            return repr(outcome)

        return types

    return fresh


MATRIX = Late(lambda: tf.constant([[1.0, -2.0, 3.0], [-0.0, 5.0, 6.0]]))


def options(name: str, usual: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """Pairs of calls of a raw op, which differ in one option each."""
    return {part: ((name, usual), (name, {**usual, part: other})) for part, other in parts.items()}


OPS = "op/op.py:_instances op/op.py:_kernels op/op.py:_bound op/op.py:_result_dtypes"
SUMS = {"x": MATRIX, "axis": 1, "exclusive": False, "reverse": False}
pairs(OPS, new_ops("Cumsum"), **options("Cumsum", SUMS, axis=0, exclusive=True, reverse=True))
pairs(
    OPS, new_ops("LeakyRelu"),
    **options("LeakyRelu", {"features": MATRIX, "alpha": 0.5}, alpha=0.25),
    zero=(
        ("LeakyRelu", {"features": MATRIX, "alpha": 0.0}),
        ("LeakyRelu", {"features": MATRIX, "alpha": -0.0}),
    ),
)  # fmt: skip
pairs(
    OPS, new_ops("Cast"),
    **options("Cast", {"x": MATRIX, "DstT": tf.int32}, DstT=tf.int64, x=X),
)  # fmt: skip
ADD = {"x": Late(lambda: tf.constant([7, 2])), "y": Late(lambda: tf.constant([2, 2]))}
NUMBERS = {name: Late(lambda v=v: tf.cast(v.make(), tf.float32)) for name, v in ADD.items()}
pairs(OPS, new_ops("Div"), dtypes=(("Div", ADD), ("Div", NUMBERS)))
PARTS = Late(lambda: [tf.constant([1.0]), tf.constant([2.0])])
pairs(
    f"{OPS} op/op.py:_masks", new_ops("ConcatV2"),
    **options(
        "ConcatV2", {"values": PARTS, "axis": 0}, values=Late(lambda: [*PARTS.make(), tf.ones([1])])
    ),
)  # fmt: skip
pairs(
    "op/op.py:_inferred op/op.py:_result_dtypes", traced_ops("AddV2", "IdentityN"),
    dtype=(("AddV2", ADD), ("AddV2", NUMBERS)),
    shape=(("AddV2", ADD), ("AddV2", {**ADD, "x": Late(lambda: tf.constant([[1], [2]]))})),
    order=(
        ("IdentityN", {"input": Late(lambda: [tf.constant(1), tf.constant(1.0)])}),
        ("IdentityN", {"input": Late(lambda: [tf.constant(1.0), tf.constant(1)])}),
    ),
)  # fmt: skip
SLICE = {
    "input": MATRIX, "begin": [0, 0], "end": [2, 3], "strides": [1, 1], "begin_mask": 0,
    "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0,
}  # fmt: skip
pairs(
    "ops/core/slicing.py:index", new_ops("StridedSlice"),
    **options(
        "StridedSlice", SLICE, begin=[1, 0], end=[1, 3], strides=[1, 2], new_axis_mask=1,
        shrink_axis_mask=1,
    ),
    **options("StridedSlice", {**SLICE, "begin": [1, 1]}, begin_mask=2, ellipsis_mask=1),
)  # fmt: skip
PIECE = {"input": MATRIX, "begin": [0, 1], "size": [-1, 1]}
pairs(
    "ops/core/slicing.py:index", new_ops("Slice"),
    **options(
        "Slice", PIECE, begin=[1, 1], size=[1, 1], input=Late(lambda: tf.transpose(MATRIX.make()))
    ),
)  # fmt: skip


# -- values --------------------------------------------------------------------------------------


def no_scalars() -> Ask:
    convert._SCALARS.clear()
    return lambda value, dtype=None, hint=None: convert.eager_constant(value, dtype, hint)


def no_types() -> Ask:
    """Asks for interned types by their sizes, none of which is there yet."""
    gc.collect()
    return lambda dtype, dims: (TensorType(dtype, dims).dtype.name, TensorType(dtype, dims).dims)


class Degrees:
    """What a conversion makes tensors of."""

    value = 1.0


class Kelvin(Degrees):
    """What inherits it."""


def conversions() -> Ask:
    """Converts by the conversion that was registered last."""

    def ask(kind: Any, factor: float) -> Any:
        def made(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
            return tf.constant(value.value * factor)

        tf.register_tensor_conversion_function(Degrees, made)
        return tf.convert_to_tensor(kind())

    return ask


pairs(
    "values/convert.py:_SCALARS", no_scalars,
    value=((1,), (2,)),
    true=((1,), (True,)),
    float=((1,), (1.0,)),
    zero=((0.0,), (-0.0,)),
    dtype=((1, tf.float32), (1, tf.float64)),
    hint=((1, None, tf.float32), (1, None, tf.int64)),
    dtype_or_hint=((2.5, tf.float64), (2.5, None, tf.float16)),
)  # fmt: skip
pairs(
    "types/dtypes.py:interned", no_types,
    dtype=((dt.float32, (3, 71)), (dt.float64, (3, 71))),
    size=((dt.float32, (3, 71)), (dt.float32, (3, 72))),
    unknown=((dt.float32, (3, 71)), (dt.float32, (None, 71))),
    rank=((dt.float32, None), (dt.float32, ())),
)  # fmt: skip
pairs(
    "values/convert.py:_CONVERSIONS", conversions,
    function=((Degrees, 1.0), (Degrees, 2.0)), inherited=((Kelvin, 1.0), (Kelvin, 2.0)),
)  # fmt: skip


# -- gradients -------------------------------------------------------------------------------------


def gradients(make: Callable[[], Any]) -> Callable[[], Ask]:
    """Asks for gradients of one function, with respect to some of its operands."""

    def fresh() -> Ask:
        function = tf.function(make())

        def ask(*wanted: int, persistent: bool = False) -> Any:
            operands = [tf.constant(2.0), tf.constant(3.0)]
            with tf.GradientTape() as tape:
                for i in wanted:
                    tape.watch(operands[i])
                result = function(*operands)
            return tape.gradient(result, operands)

        return ask

    return fresh


def straight(x: Any, y: Any) -> Any:
    return x * x * y + tf.exp(y)


def branching(x: Any, y: Any) -> Any:
    return tf.cond(x > 0.0, lambda: x * y, lambda: x + y)


def looping(x: Any, y: Any) -> Any:
    return tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * y), (0, x))[1]


for cache, body in (
    ("control/derivative.py:_traced", straight),
    ("control/branch_gradient.py:_traced control/derivative.py:_traced", branching),
    ("control/loop_gradient.py:_backward control/derivative.py:_traced", looping),
):
    pairs(
        cache, gradients(lambda body=body: lambda x, y: body(x, y)),
        needed=((0,), (1,)), both=((0,), (0, 1)), none=((), (1,)),
    )  # fmt: skip


def two_results(x: Any, y: Any) -> Any:
    return x * y, x + y * y


def two_of_a_branch(x: Any, y: Any) -> Any:
    return tf.cond(x > 0.0, lambda: two_results(x, y), lambda: (x, y))


def two_of_a_loop(x: Any, y: Any) -> Any:
    def turn(i: Any, a: Any, b: Any) -> Any:
        return i + 1, a * y, b + y

    return tf.while_loop(lambda i, a, b: i < 2, turn, (0, x, x + y * y - 2.0 * y))[1:]


def gradients_of(body: Callable[..., Any]) -> Callable[[], Ask]:
    """Asks for gradients of some results of one function."""

    def fresh() -> Ask:
        function = tf.function(lambda x, y: body(x, y))

        def ask(*given: int) -> Any:
            operands = [tf.constant(2.0), tf.constant(3.0)]
            with tf.GradientTape() as tape:
                tape.watch(operands)
                results = function(*operands)
            return tape.gradient([results[i] for i in given], operands)

        return ask

    return fresh


for cache, body in (
    ("control/derivative.py:_traced", two_results),
    ("control/branch_gradient.py:_traced", two_of_a_branch),
    ("control/loop_gradient.py:_backward", two_of_a_loop),
):
    pairs(cache, gradients_of(body), given=((0,), (1,)), all=((0,), (0, 1)))


@pytest.mark.parametrize("body", [two_results, two_of_a_branch, two_of_a_loop])
@pytest.mark.parametrize("given", list(itertools.permutations([(0,), (1,), (0, 1)])))
def test_gradients_of_one_op_from_different_results(body, given):
    @tf.function
    def f(x, y):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            results = body(x, y)
        return [tape.gradient([results[i] for i in some], [x, y]) for some in given]

    slopes = {two_of_a_loop: [(9.0, 12.0), (1.0, 6.0)]}.get(body, [(3.0, 2.0), (1.0, 6.0)])
    for some, computed in zip(given, f(tf.constant(2.0), tf.constant(3.0))):
        np.testing.assert_allclose(computed, np.sum([slopes[i] for i in some], 0), rtol=1e-6)


@pytest.mark.parametrize("body", [straight, branching, looping])
@pytest.mark.parametrize("wanted", list(itertools.permutations([(0,), (1,), (0, 1)])))
def test_gradients_of_one_op_by_different_operands(body, wanted):
    """Of one branch or loop of one trace: in it are the tape and all that is asked of it."""

    @tf.function
    def f(*operands):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(operands)
            result = body(*operands)
        return [tape.gradient(result, [operands[i] for i in some]) for some in wanted]

    expected = {straight: (12.0, 4 + np.exp(3)), branching: (3.0, 2.0), looping: (27.0, 54.0)}
    for some, outcome in zip(wanted, f(tf.constant(2.0), tf.constant(3.0))):
        np.testing.assert_allclose(outcome, [expected[body][i] for i in some], rtol=1e-6)


# -- machine code ----------------------------------------------------------------------------------


def compiled() -> Ask:
    """Asks functions of one name, each of which is compiled."""

    def ask(body: Any, *args: Any) -> Any:
        def alike(*inner: Any) -> Any:
            return body(*inner)

        return tf.function(alike, jit_compile=True, autograph=False)(*args)

    return ask


def texts() -> Ask:
    return lambda text, n: generated_text.make_function(text, {"n": n})(1)


def library_says(text: str) -> Any:
    """What the function of a module gives."""
    import ctypes

    library = executable.library_of(text, False)  # whose code is there as long as it is
    return ctypes.CFUNCTYPE(ctypes.c_int64)(library.addresses["seven"])()


MODULE = "define i64 @seven() {{\n  ret i64 {}\n}}\n"
V = tf.constant([-1.5, 2.5, 0.5])
FAMILIES = (
    "compile/select/size_families.py:_LOOKALIKES compile/select/size_families.py:kin "
    "compile/select/size_families.py:families"
)
pairs(
    FAMILIES, compiled,
    op=((lambda x: x * 2.0, V), (lambda x: x + 2.0, V)),
    constant=((lambda x: x * 2.0, V), (lambda x: x * 3.0, V)),
    zero=((lambda x: x * 0.0, V), (lambda x: x * -0.0, V)),
    order=((lambda x: x - 2.0, V), (lambda x: 2.0 - x, V)),
    dtype=((lambda x: x * x, V), (lambda x: x * x, tf.cast(V, tf.int32))),
    attribute=((lambda x: tf.cumsum(x), V), (lambda x: tf.cumsum(x, reverse=True), V)),
    size=((lambda x: x + tf.reduce_sum(x), V), (lambda x: x + tf.reduce_sum(x), V[:2])),
    one=((lambda x, y: x * y, V, V), (lambda x, y: x * y, V, V[:1])),
    empty=((lambda x: tf.reduce_sum(x), V), (lambda x: tf.reduce_sum(x), V[:0])),
    rank=((lambda x: x * x, V), (lambda x: x * x, V[None])),
    results=((lambda x: (x * 2.0, x + 1.0), V), (lambda x: (x + 1.0, x * 2.0), V)),
    axis=(
        (lambda x: tf.reduce_sum(x, 0), tf.stack([V, V])),
        (lambda x: tf.reduce_sum(x, 1), tf.stack([V, V])),
    ),
)  # fmt: skip
pairs(
    "compile/run/generated_text.py:_TEXTS", texts,
    text=(("def f(x): return x + n", 1), ("def f(x): return x - n", 1)),
    binding=(("def f(x): return x + n", 1), ("def f(x): return x + n", 2)),
)  # fmt: skip
pairs(
    "compile/run/executable.py:_LIBRARIES", lambda: library_says,
    text=((MODULE.format(7),), (MODULE.format(8),)),
)  # fmt: skip


class Circumstances(NamedTuple):
    """What code on the disk depends on."""

    text: str = "a text"
    version: str = "20.1"
    triple: str = "x86_64"
    processor: str = "znver3"
    features: frozenset[str] = frozenset({"+avx2"})
    python: str = "3.12"
    numpy: str = "2.0"


def on_disk() -> Ask:
    """Asks for code while there is a cache on the disk; code says what it was made in."""
    folder = Path(tempfile.mkdtemp())
    FOLDERS.append(folder)

    def ask(now: Circumstances) -> Any:
        target = targets.Target(now.triple, now.processor, now.features)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiler, "disk_cache", lambda: DiskCache(folder))
            patch.setattr(compiler, "target", lambda: target)
            patch.setattr(compiler, "description", lambda: targets.Description(now.version, target))
            patch.setattr(sys, "version", now.python)
            patch.setattr(np, "__version__", now.numpy)
            patch.setattr(linking, "is_known", lambda: False)
            made = repr([*now[:4], sorted(now.features), *now[5:]]).encode()
            patch.setattr(compiler.codegen, "generate", lambda text, is_quick: made)
            patch.setattr(compiler, "_loaded", lambda data, text, resolve: data)
            return compiler.link(now.text, lambda name: None)

    return ask


FOLDERS: list[Path] = []
HERE = Circumstances()
pairs(
    "machine/compiler.py:_circumstances", on_disk,
    text=((HERE,), (HERE._replace(text="another"),)),
    version=((HERE,), (HERE._replace(version="20.2"),)),
    triple=((HERE,), (HERE._replace(triple="aarch64"),)),
    processor=((HERE,), (HERE._replace(processor="znver4"),)),
    features=((HERE,), (HERE._replace(features=frozenset({"+avx2", "+fma"})),)),
    lost_feature=((HERE,), (HERE._replace(features=frozenset({"-avx2"})),)),
    python=((HERE,), (HERE._replace(python="3.13"),)),
    numpy=((HERE,), (HERE._replace(numpy="2.1"),)),
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _folders():
    yield
    for folder in FOLDERS:
        shutil.rmtree(folder)


# -- which caches there are ------------------------------------------------------------------------

#: What remembers results, by decorator or by what makes it.
CACHING = {"cache", "lru_cache", "once_per_graph"}
TABLES = {"WeakKeyDictionary", "WeakValueDictionary", "IdentityTable"}
#: What caches are called that are plain dictionaries.
CALLED = re.compile(
    r"(backward|bound|caches?|codes|conversions|descriptions|entries|expressions|families|found|"
    r"general|inferred|instances|interned|kernels|known|lambdas|lately|masks|memo|methods|names|"
    r"ops|remembered|result_dtypes|scalars|traced|traces)$",
    re.IGNORECASE,
)
ONE = "it has no key: a process has one"
GRAPH = "`ir/once.py:results` stands for it: the key is the graph"
ONE_PASS = "it lasts for one pass over one graph, and each value has one entry"
#: Caches without rows, and why.
WITHOUT_ROWS = {
    "data/experimental/session_iterator.py:_POSITIONS": "programs hold its keys, which it draws",
    "machine/process_settings.py:_loaded_blas": "its key is whether SciPy is there, which brings "
    "a library: both entries are right when they are made",
    **dict.fromkeys(
        (
            "hooks.py:register_meanings", "library/dispatch/raw_ops.py:load_all",
            "library/io/records.py:checksum_tables",
            "machine/array_layout.py:is_known",
            "machine/disk_cache.py:disk_cache",
            "machine/large_arrays.py:allocator", "machine/large_arrays.py:functions",
            "machine/llvm_library.py:llvm_library",
            "machine/linking.py:_clear_cache", "machine/linking.py:_processor",
            "machine/linking.py:_system", "machine/matmul.py:_has_vectors",
            "machine/process_settings.py:is_glibc",
            "machine/process_settings.py:keep_freed",
            "ops/random/shuffling.py:_swap", "machine/source_digest.py:source_digest",
            "machine/targets.py:description", "machine/threads.py:cores",
            "ops/core/place_code.py:functions", "ops/strings/key_code.py:_functions",
            "ops/image/image_codecs.py:has_simplejpeg",
            "ops/image/interpolation_code.py:functions", "ops/io/example_code.py:functions",
            "ops/image/projection_code.py:functions", "ops/strings/pattern_search.py:_functions",
            "ops/image/resampling_code.py:functions", "ops/linalg/small_factors.py:functions",
            "ops/math/hit_code.py:functions", "ops/math/search_code.py:functions",
            "ops/strings/letter_code.py:_functions",
            "ops/linalg/small_factors.py:root_functions", "ops/strings/byte_pieces.py:functions",
            "ops/linalg/small_systems.py:functions", "ops/strings/join_code.py:functions",
            "ops/strings/numerals.py:functions", "ops/strings/pattern_search.py:_group_functions",
            "ops/strings/field_code.py:functions", "ops/random/variates.py:_functions",
            "ops/random/variates.py:_stirling_tails", "ops/strings/edit_distance.py:_functions",
            "ops/linalg/small_factors.py:triangle_functions",
            "ops/strings/string_code.py:_functions", "ops/strings/unicode_scripts.py:_runs",
            "compile/llvm/boundary.py:boundary",
            "compile/select/native_op.py:slow", "data/stages/shuffle_buffers.py:_exchange",
            "data/stages/turn_code.py:_functions",
        ),
        ONE,
    ),
    **dict.fromkeys(
        (
            "ir/execution.py:has_stream", "ir/execution.py:is_pure", "ir/execution.py:whole_size",
            "compile/run/checking.py:is_repeatable", "compile/graph/inline.py:has_inlined",
            "compile/lists/list_uses.py:has_lists", "compile/lists/nested_lists.py:has_nested",
            "autodiff/reach.py:needs_within",
        ),
        GRAPH,
    ),
    **dict.fromkeys(
        (
            "control/assertions.py:known", "control/derivative.py:_descriptions",
            "control/derivative.py:_expressions", "ir/graphdef.py:_names",
            "compile/lists/list_types.py:memo",
            "compile/llvm/statement_code.py:scalars",
            "compile/nests/nesting.py:memo",
            "compile/verifier/quantities.py:_known", "compile/verifier/known_scalars.py:_known",
            "compile/nests/sizes.py:known", "compile/run/straight_line.py:kernels",
            "compile/run/straight_line.py:names",
        ),
        ONE_PASS,
    ),
    "api/__init__.py:open_methods": "it changes a class, once",
    "base/named_tuples.py:_code": "its key is one number",
    "data/element_type.py:_ops": "its key is a class, and each element type has its own",
    "portable/classic/former_namespaces.py:former": "its key is a path of a table",
    "portable/classic/classic_names.py:altered": "its key is a path of a table",
    "portable/classic/figures/summary_ops.py:limits": "it has no key: the table is one",
    "portable/classic/former_signatures.py:signatures": "it has no key: the table is one",
    "library/presence/absent_names.py:places": "it has no key: the table is one",
    "library/numpy/dtype_lattice.py:above": "its key is a dtype of a table",
    "library/numpy/dtype_lattice.py:joined": "its key is two dtypes of a table",
    "data/threads/held_work.py:_WORKS": "it lists what is alive, and remembers no result",
    "data/tuning/pipeline_budget.py:claims": "it lists what is alive, and remembers no result",
    "data/stage.py:kernels": "the key is a kernel, and the table is that of one iteration",
    "ir/draws.py:kernels": "the key is a place in one graph",
    "library/checkpoint/tensor_bundle.py:_entries": "it is the content of one file",
    "portable/model_functions.py:_names": "the functions live as long as the table",
    "portable/function_import.py:_ops": "the key is all that an op is made of",
    "portable/saved_objects.py:_traces": "the key is the name of a function of one model",
    "portable/structured_values.py:named_tuple": "the key is all that a class is made of",
    "autograph/sites.py:_codes": "the key is the number of a statement in one function",
    "autograph/live_source.py:_lambdas": "an entry counts for the same list of lines only",
    "control/graph_list.py:_living": "the keys are serial numbers",
    "ops/linalg/contraction.py:_kernels": "it is one module",
    "portable/onnx/counterpart.py:counterparts": "it is the one table of rules",
    "portable/onnx/meaning.py:meanings": "it is the one table of rules",
    "portable/stablehlo/hlo_rule.py:hlo_rules": "it is the one table of rules",
    "library/distribute/strategy.py:_functions": "an `IdentityTable`, which has rows of its own",
    "types/type_spec.py:SAVED_SPECS": "it names the classes of the program",
    "library/dtensor/parts_graph.py:parts_graphs": "ranks ask for it: dtensor/test_parts_graph.py",
    "library/dtensor/layout_notes.py:STATED": "what programs say of nodes; nothing computes it",
    "library/distribute/strategy.py:_OWNERS": "an `IdentityTable`, which has rows of its own",
    "explain/debugging.py:_INNER": "the key is a graph, and the value grows",
    "autograph/traced_form.py:_callees": "the key is a code object, from which the value follows",
    "explain/facts.py:_FACTS": "the key is a code object, from which the value follows",
    "explain/trace_record.py:FAMILIES": "an `IdentityTable`, which has rows of its own",
    "machine/drafts.py:_DRAFTS": "it lists what is alive, and remembers no result",
    "machine/products.py:_quick_kernels": "its text is that of `kernels`, which has rows",
    "machine/products.py:preparation": "what it prepares is `kernels`, which has rows",
    "ops/signal/line_transforms.py:kernel": "its key is 32 or 64, the bits of a dtype",
    "ops/signal/line_transforms.py:preparation": "what it prepares is `kernel`",
    "ops/convolution/sliding.py:functions": "its key is a dtype as in `products.kernels`",
    "ops/convolution/sliding.py:preparation": "what it prepares is `functions`",
    "ops/random/seeds.py:graphs": "the key is a graph, and the value is a state",
    "library/summary/profiler.py:traces": "it is a set, in the order of the traces",
    "values/variable.py:RESTORING": "it is a set",
}  # fmt: skip


def name_of_node(node: ast.AST) -> str:
    """The last part of what is called or named."""
    while isinstance(node, (ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def caches_in(tree: ast.AST) -> set[str]:
    """The names of the caches of a module."""
    result = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and CACHING & set(
            map(name_of_node, node.decorator_list)
        ):
            result.add(node.name)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name = name_of_node(target)
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                name = str(target.slice.value)  # self.__dict__["_kernels"] = {}
            is_empty = isinstance(node.value, ast.Dict) and not node.value.keys
            lasts = not isinstance(target, ast.Name) or name.isupper() or name.startswith("_")
            calls = isinstance(node.value, ast.Call)
            if (calls and name_of_node(node.value) in CACHING | TABLES) or (
                is_empty and lasts and CALLED.search(name)
            ):
                result.add(name)
    return result


def all_caches() -> set[str]:
    """The caches of the package; the linter, which runs for itself, has none that lasts."""
    return {
        f"{path.relative_to(SOURCES).as_posix()}:{name}"
        for path in SOURCES.rglob("*.py")
        if "lint" not in path.relative_to(SOURCES).parts
        for name in caches_in(ast.parse(path.read_text()))
    }


def test_the_search_notices_each_kind_of_cache():
    text = """
@functools.cache
def a(): ...
@lru_cache(maxsize=2)
def b(): ...
c = lru_cache(2)(f)
_d: dict[int, int] = WeakKeyDictionary()
E_MEMO = {}
class F:
    def __init__(self):
        self._cache = {}
        self.__dict__["_known"] = {}
        here_known = {}
"""
    assert caches_in(ast.parse(text)) == {"a", "b", "c", "_d", "E_MEMO", "_cache", "_known"}


def test_each_cache_has_rows_or_a_reason_for_having_none():
    with_rows = {cache for row in ROWS for cache in row.caches} - NOT_DICTIONARIES
    assert with_rows | set(WITHOUT_ROWS) == all_caches()
    assert not with_rows & set(WITHOUT_ROWS)


#: Caches of any number of entries, and why there are not many.
UNBOUNDED = {
    **dict.fromkeys(
        ("library/dispatch/raw_ops.py:raw_op", "op/special_functions.py:_scipys",
         "op/dispatch.py:defaults_of", "op/op.py:parse_operand", "op/refusal.py:_templates"),
        "its keys are the package's own functions and ops, or follow from them",
    ),
    **dict.fromkeys(
        ("machine/blas.py:address", "machine/linking.py:c_function",
         "machine/array_layout.py:python_function",
         "op/late_imports.py:late_extension",
         "compile/llvm/runtime.py:_outside", "compile/llvm/functions/elementary.py:writer"),
        "its keys are names of C functions and modules that the package writes",
    ),
    **dict.fromkeys(
        ("compile/llvm/emitter.py:type_of", "compile/llvm/emitter.py:declared",
         "machine/products.py:kernels", "machine/products.py:_quick_kernels",
         "machine/products.py:preparation", "ops/signal/line_transforms.py:kernel",
         "ops/signal/line_transforms.py:preparation",
         "ops/convolution/sliding.py:functions", "ops/convolution/sliding.py:preparation"),
        "its keys are names of the package, dtypes and lengths of vectors",
    ),
    "base/named_tuples.py:_code": "its key is the number of fields of a class",
    "machine/process_settings.py:_loaded_blas": "its key is whether SciPy is there",
    "machine/process_settings.py:_unchanged": "its key is an environment variable",
    "api/__init__.py:open_methods": "its keys are the package's own classes",
    "portable/classic/former_namespaces.py:former": "its keys are those of a table",
    "portable/classic/classic_names.py:altered": "its keys are those of a table",
    "library/numpy/dtype_lattice.py:above": "its keys are 20 dtypes",
    "library/numpy/dtype_lattice.py:joined": "its keys are pairs of 20 dtypes",
    "values/prepared_calls.py:code_of": "a key says what the parameters of one of the package's "
    "functions are",
    "values/eager.py:_executor": "a key says of each of at most twelve operands which of 3 kinds",
}  # fmt: skip


def unbounded(tree: ast.AST) -> set[str]:
    """The functions of a module whose results are all remembered, by their arguments."""
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and (node.args.args or node.args.vararg)
        for decorator in node.decorator_list
        if ast.unparse(decorator) in ("cache", "functools.cache", "lru_cache(None)")
    }


def test_each_cache_without_bound_has_few_keys():
    texts = {path: path.read_text() for path in SOURCES.rglob("*.py")}
    names = {
        f"{path.relative_to(SOURCES).as_posix()}:{name}"
        for path, text in texts.items()
        if "cache" in text
        for name in unbounded(ast.parse(text))
    }
    assert names == set(UNBOUNDED)


#: What has rows, though the search does not see it: the key of what lies on the disk.
NOT_DICTIONARIES = {"machine/compiler.py:_circumstances"}


# -- the tests --------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.caches[0]} {row.part}")
def test_no_call_gets_the_answer_of_another(row, turned):
    calls = (row.second, row.first) if turned else (row.first, row.second)
    expected = [answer(row.fresh(), call) for call in calls]
    assert expected[0] != expected[1], "no program could tell the two apart"
    ask = row.fresh()
    for i in [0] * OFTEN + [1] * OFTEN + [0, 1, 0]:
        assert answer(ask, calls[i]) == expected[i]


def reused_identity(answers: Callable[[int], tuple[int, Any]]) -> None:
    """Asks for objects one after the other, each gone before the next, until identities have come
    again often."""
    used: list[int] = []
    for number in range(60):
        identity, answer = answers(number)
        assert answer == number
        used.append(identity)
    assert len(set(used)) < len(used) - 20


@pytest.mark.parametrize("through", ["method", "argument", "graph", "table"])
def test_an_identity_that_comes_again_gets_nothing_of_the_object_that_is_gone(through):
    table, functions = IdentityTable(), tf.function(lambda thing: tf.constant(thing.number))

    def answers(number):
        if through == "graph":
            graph = Graph(str(number))
            return id(graph), int(name_of(graph))
        thing = Thing(number)
        if through == "table":
            return id(thing), table.add(thing, number)
        return id(thing), int(thing.method() if through == "method" else functions(thing))

    with warnings.catch_warnings():
        reused_identity(answers)


def test_a_converted_form_that_wraps_copied_is_that_of_another():
    """All wrappers have one code; each has in its `__dict__` what became of the one it wraps."""

    def adding(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(x) + (1.0 if x > 0.0 else 2.0)

        return wrapper

    def function(x):
        return x

    for depth in range(1, 4):
        function = adding(function)
        assert tf.function(function)(tf.constant(5.0)) == 5.0 + depth
