"""Graphs as text of StableHLO."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from graphwright.base.errors import UnimplementedError
from graphwright.compile.graph.simplify import simplify
from graphwright.ir.graph import Graph, Value
from graphwright.op.interpreter import activate
from graphwright.portable.stablehlo.block_writer import TextParts
from graphwright.portable.stablehlo.hlo_graph import HloGraph
from graphwright.portable.stablehlo.hlo_value import ELEMENTS, HloValue, static_dims, type_text
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt


def stablehlo_text(graph: Graph) -> str:
    """The module of StableHLO that computes what a graph does."""
    with activate(None):
        return module_text(simplify(graph))


def module_text(graph: Graph) -> str:
    """The module of a graph that is simplified."""
    parts = TextParts()
    writer = HloGraph(parts)
    parameters = [argument(parts, value) for value in graph.parameters]
    captured = [capture(outside, value) for outside, value in graph.captures]
    results = writer.run(graph, [*parameters, *captured])
    if not parts.refused:
        for value, result in zip(graph.results, results):
            if not result.is_usable:
                words = f"a result is of {value.type.dtype.name}, which StableHLO has not"
                raise UnimplementedError(None, None, words)
    if parts.refused:
        lines = list(dict.fromkeys(map(str, parts.refused)))
        words = "these ops of the function have no counterpart in StableHLO:\n" + "\n".join(lines)
        raise UnimplementedError(None, None, words)
    taken = ", ".join([f"{v.name}: {type_text(v.dtype, v.sizes)}" for v in parameters])
    given = ", ".join([type_text(v.dtype, v.sizes) for v in results])
    refs = ", ".join(map(writer.ref, results))
    body = writer.block(f"return {refs} : {given}" if results else "return")
    name = "".join([c if c.isascii() and c.isalnum() else "_" for c in graph.name])
    return numbered(
        [
            f"module @{name if name[:1].isalpha() else '_' + name} {{",
            f"  func.func public @main({taken}) -> ({given}) {{",
            *[f"    {line}" for line in body],
            "  }",
            "}",
        ]
    )


def numbered(lines: list[str]) -> str:
    """The text of lines, whose results have numbers in the order in which they stand."""
    numbers: dict[str, str] = {}
    return re.sub(
        r"%\d+", lambda m: numbers.setdefault(m[0], f"%{len(numbers)}"), "\n".join([*lines, ""])
    )


def argument(parts: TextParts, value: Value) -> HloValue:
    """An argument of the module's function."""
    name, type_ = value.node.name, value.type
    if type_.dtype not in ELEMENTS:
        words = f"the argument {name!r} is of {type_.dtype.name}, which StableHLO has not here"
        raise ValueError(words)
    dims = static_dims(type_)
    if dims is None:
        example = [8, 4] if type_.dims is None else [8 if d is None else d for d in type_.dims]
        shown = None if type_.dims is None else list(type_.dims)
        raise ValueError(
            f"the argument {name!r} has the shape {shown}, and all sizes must be known: "
            f"tf.stablehlo.export(f, tf.TensorSpec({example}, tf.{type_.dtype.name})), of a "
            "function without an input signature of unknown sizes"
        )
    return HloValue(parts.unique(name), type_.dtype, dims)


def capture(outside: Any, value: Value) -> HloValue:
    """A tensor of outside as a constant, or the handle of a variable."""
    if isinstance(outside, SymbolicTensor):
        words = f"the function uses {outside!r} of a function around it: export that one"
        raise ValueError(words)
    dtype = value.type.dtype
    if dtype is dt.resource:
        variable = getattr(outside, "variable", None)
        return HloValue("", dtype, static_dims(value.type), variable=variable)
    if dtype not in ELEMENTS:
        return HloValue("", dtype, static_dims(value.type))
    array = np.asarray(outside.numpy(), dtype.numpy_dtype)
    return HloValue("", dtype, array.shape, array)
