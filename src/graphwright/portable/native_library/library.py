"""Functions as one shared library with a C header: `compile_library`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from graphwright.base.files import TextPath, write_whole
from graphwright.compile.llvm.render import render
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.ir.graph import Graph
from graphwright.machine import codegen
from graphwright.machine.targets import Target, aimed_at
from graphwright.portable.native_library import wasm_code
from graphwright.portable.native_library.c_header import header
from graphwright.portable.native_library.entry_code import EntryWriter, NumberedPart
from graphwright.portable.native_library.javascript_loader import loader
from graphwright.portable.native_library.library_interface import (
    RESERVED_NAMES,
    InterfaceArray,
    InterfaceFunction,
    identifier,
    names,
)
from graphwright.portable.native_library.library_linking import linked
from graphwright.portable.native_library.library_program import LibraryPart, parts_of
from graphwright.portable.native_library.library_targets import chosen
from graphwright.portable.native_library.module_text import joined, private
from graphwright.portable.native_library.support_code import services, support
from graphwright.portable.native_library.weights import Weights, reader, storage
from graphwright.portable.native_library.whole_graph import NotCompilable, whole
from graphwright.portable.only_trace import only_trace
from graphwright.types import tree

#: A trace, or a function that has one trace, or says which by an input signature.
OneTrace: TypeAlias = ConcreteFunction | PolymorphicFunction


def compile_library(
    function: OneTrace | Mapping[str, OneTrace],
    path: TextPath,
    weights: Literal["inside", "beside"] = "inside",
    target: str | None = None,
    processor: str | None = None,
) -> None:
    """Writes functions as one shared library that needs no Python, with a C header beside it.

    All of a function must be machine code. Variables and captured tensors become constants: the
    library has their present values. Sizes that a function does not fix arrive with each call. The
    header says how functions are called. `docs/portable.md` has examples in C and in Python.

    Args:
        function: A concrete function, or a function with an input signature. Several in a mapping
            from names share the library; a single one is called `run`.
        path: The file to write, as text or a path object. Its name without the extension begins
            all names of the library. The header has the extension `.h`.
        weights: The string "inside", or "beside" for a file of its own, with the extension
            `.weights`.
        target: None for this machine, or one of "x86_64-linux-gnu", "aarch64-linux-gnu" and
            "wasm32". The last one gets a loader in JavaScript instead of the header.
        processor: None for this one, or the usual one of another target. A name, such as
            "x86-64-v3", makes a library for all processors that have as much.

    Raises:
        ValueError: Parts of a function have no native form; each of them is named. Or the
            function, the target or a name is not one that a library may have.
        ImportError: No linker is installed.

    >>> import tempfile, graphwright as tf
    >>> double = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([None])])
    >>> path = tempfile.mkdtemp() + "/double.so"
    >>> tf.compile_library(double, path)  # doctest: +SKIP
    """
    place = Path(os.fspath(path))
    if weights not in ("inside", "beside"):
        raise ValueError(f"Unknown weights: {weights!r}. Must be one of inside, beside.")
    aim = chosen(target, processor)
    functions = function if isinstance(function, Mapping) else {"run": function}
    prefix = identifier(place.name.partition(".")[0].removeprefix("lib"))
    with aimed_at(aim):
        for name, content in written(prefix, functions, place, aim, weights == "inside").items():
            write_whole(name, content)


def written(
    prefix: str, functions: Mapping[str, OneTrace], place: Path, target: Target, are_inside: bool
) -> dict[Path, bytes]:
    """The content of each file of a library."""
    traces = {name: trace_of(name, function) for name, function in functions.items()}
    constants = Weights(are_inside)
    module = LibraryModule(prefix, constants)
    refusals: dict[str, NotCompilable] = {}
    for name, trace in traces.items():
        try:
            module.add(name, trace)
        except NotCompilable as reason:
            refusals[name] = reason
    if len(refusals) == len(traces) == 1:
        raise next(iter(refusals.values()))
    if refusals:
        each = [obstacle for reason in refusals.values() for obstacle in reason.obstacles]
        raise NotCompilable(" and ".join(refusals), each)
    code = codegen.relocatable(module.text(target))
    content = constants.content()
    files = {}
    if not are_inside:
        files[place.with_suffix(".weights")] = constants.head() + content
    files[place] = linked(
        code, target, module.exports(), place.name, content if are_inside else b""
    )
    beside = None if are_inside else place.with_suffix(".weights").name
    if target.family == "wasm32":
        script = place.with_suffix(".mjs")
        text = loader(prefix, module.functions, place.name, script.name, beside)
        files[script] = text.encode()
    else:
        files[place.with_suffix(".h")] = header(prefix, module.functions, beside).encode()
    return files


def trace_of(name: str, function: OneTrace) -> ConcreteFunction:
    """The one trace of a function; ValueError where it is not known which one."""
    if name in RESERVED_NAMES or identifier(name) != name:
        raise ValueError(
            f"A function of a library cannot be called {name!r}: that must be a name in C, and "
            f"none of {', '.join(RESERVED_NAMES)}."
        )
    only = only_trace(function)
    if only is not None:
        return only
    raise ValueError(
        f"A library has one trace of a function, and {function!r} does not say which one: pass "
        "`f.get_concrete_function(tf.TensorSpec(...))`, or give it an `input_signature`."
    )


class LibraryModule:
    """The module of a library under construction."""

    def __init__(self, prefix: str, weights: Weights) -> None:
        self.prefix = prefix
        self.weights = weights
        self.functions: list[InterfaceFunction] = []
        self.programs: list[str] = []  # the texts of programs
        self.entries: list[str] = []

    def add(self, name: str, trace: ConcreteFunction) -> None:
        """Adds a function. `NotCompilable` says what keeps it out."""
        graph = whole(trace.graph)
        parts = [self.numbered(part) for part in parts_of(graph)]
        function = interface(name, trace, graph, parts)
        symbol = f"{self.prefix}_{name}"
        writer = EntryWriter(symbol, function, graph, parts, self.weights)
        text = writer.text()
        self.entries.append("\n".join([*writer.e.declarations.values(), text]))
        self.functions.append(function)

    def numbered(self, part: LibraryPart) -> NumberedPart:
        """A program with its text in the module."""
        text, frame = render(part.program, is_watched=False)
        number = len(self.programs)
        self.programs.append(private(text, f".{number}"))
        return NumberedPart(part, number, frame)

    def text(self, target: Target) -> str:
        """The text of the whole module."""
        texts = [*self.programs, *self.entries]
        texts += support(texts)
        texts.append(services(self.prefix))
        texts.append(storage(self.weights, target))
        if not self.weights.are_inside:
            texts.append(reader(self.prefix, self.weights, target))
        if target.family == "wasm32":
            texts += [wasm_code.MEMORY, wasm_code.WIDE_PRODUCT]
        return joined(texts)

    def exports(self) -> list[str]:
        """The names of the functions that callers call."""
        names = [function.name for function in self.functions] + ["error", "free", "share"]
        if not self.weights.are_inside:
            names.append("load")
        return [f"{self.prefix}_{name}" for name in names]


def interface(
    name: str, trace: ConcreteFunction, graph: Graph, parts: Sequence[NumberedPart]
) -> InterfaceFunction:
    """What callers see of a trace."""
    ranks = {
        value: len(shape)
        for part, _, _ in parts
        for value, (_, shape) in zip(part.results, part.program.results)
    }
    values = [*trace.graph.parameters, *graph.results]
    labels = names([*[value.node.name for value in trace.graph.parameters], *result_names(trace)])
    arrays = []
    for label, value in zip(labels, values):
        dims = value.type.dims
        if dims is None:  # of a list's items, say: the program knows their number of axes
            dims = (None,) * ranks[value]
        arrays.append(InterfaceArray(label, value.type.dtype, dims))
    count = len(trace.graph.parameters)
    return InterfaceFunction(name, tuple(arrays[:count]), tuple(arrays[count:]))


def result_names(trace: ConcreteFunction) -> list[str]:
    """The names of results: the keys of a dict, else `result` and numbers."""
    outputs = trace.structured_outputs
    count = len(trace.graph.results)
    if isinstance(outputs, Mapping) and len(outputs) == count:
        return [str(key) for key in tree.flatten({key: key for key in outputs})]
    return ["result"] if count == 1 else [f"result_{i}" for i in range(count)]
