"""`graphwright diff A B`: what differs between two saved models.

Nothing of the models is loaded. Signatures, functions and files are compared by what `show` prints.
Functions are compared by the ops of their graphs too, and variables by their values.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from graphwright.base.errors import OpError
from graphwright.library.checkpoint.bundle_checkpoint import name_of
from graphwright.library.checkpoint.checkpoint_files import INDEX
from graphwright.library.checkpoint.tensor_bundle import OBJECTS, TensorBundle
from graphwright.portable.function_body import called_by
from graphwright.portable.saved_model import graph_of, read
from graphwright.portable.saved_model_names import VARIABLES_DIRECTORY, VARIABLES_FILENAME
from graphwright.portable.show_command import signatures, traces
from graphwright.proto.saved_model_pb2 import MetaGraphDef
from graphwright.types.tensor_type import TensorType


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("first", help="the folder of a model")
    parser.add_argument("second", help="the folder of another one")
    parser.add_argument("--tags", nargs="*", help="the tags of the graphs, if there are several")


def run(options: argparse.Namespace) -> int:
    """Prints what differs; 0 if nothing does, 1 if something does, 2 if one cannot be read."""
    try:
        lines = list(differences(options.first, options.second, options.tags or None))
    except (OSError, OpError, ValueError, NotImplementedError) as error:
        print(f"graphwright diff: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines) or "nothing differs")
    return int(bool(lines))


def differences(first: str, second: str, tags: list[str] | None = None) -> Iterator[str]:
    """The lines about what differs, under titles."""
    graphs = [graph_of(read(folder), tags) for folder in (first, second)]
    yield from section("signatures", changed(*[signatures(graph) for graph in graphs]))
    yield from section("functions", functions(*graphs))
    yield from section("variables", variables(first, second))
    yield from section("assets", changed(*[assets(graph) for graph in graphs]))


def section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines under a title, if there are any."""
    shown = list(lines)
    if shown:
        yield title
        yield from [f"  {line}" for line in shown]


def changed(first: Iterable[str], second: Iterable[str]) -> Iterator[str]:
    """The lines that only one side has, each behind its sign."""
    before, after = Counter(iter(first)), Counter(iter(second))
    yield from [f"- {line}" for line in sorted((before - after).elements())]
    yield from [f"+ {line}" for line in sorted((after - before).elements())]


def assets(graph: MetaGraphDef) -> list[str]:
    """The names of the files of a graph."""
    return [file.filename for file in graph.asset_file_def]


def functions(first: MetaGraphDef, second: MetaGraphDef) -> Iterator[str]:
    """What differs in the traces, and in the ops of those that both have."""
    sides = [dict(traces(graph)) for graph in (first, second)]
    yield from changed(*sides)
    counts = [Ops(graph) for graph in (first, second)]
    for text in sorted(sides[0].keys() & sides[1].keys()):
        before, after = [ops.of(side[text]) for ops, side in zip(counts, sides)]
        parts = [f"-{n} {op}" for op, n in sorted((before - after).items())]
        parts += [f"+{n} {op}" for op, n in sorted((after - before).items())]
        if parts:
            yield f"~ {text}: {', '.join(parts)}"


class Ops:
    """How many nodes of each op the functions of a graph have, with those that they call."""

    def __init__(self, graph: MetaGraphDef) -> None:
        self._functions = {f.signature.name: f for f in graph.graph_def.library.function}

    def of(self, name: str) -> Counter[str]:
        """The ops of a function, each function that it calls counted once."""
        counts: Counter[str] = Counter()
        names = [name]
        for called in names:
            function = self._functions.get(called)
            for node in () if function is None else function.node_def:
                counts[node.op] += 1
                names += [other for other in called_by(node) if other not in names]
        return counts


def variables(first: str, second: str) -> Iterator[str]:
    """What differs in the variables: which there are, their types, their values."""
    sides = [bundle_of(first), bundle_of(second)]
    keys = [[] if side is None else [key for key in side.keys if key != OBJECTS] for side in sides]
    yield from [f"- {name_of(key)}" for key in keys[0] if key not in keys[1]]
    yield from [f"+ {name_of(key)}" for key in keys[1] if key not in keys[0]]
    before, after = sides
    if before is None or after is None:
        return
    for key in keys[0]:
        if key not in keys[1]:
            continue
        types = [TensorType(side.dtype(key), side.shape(key)) for side in (before, after)]
        if types[0] != types[1]:
            yield f"~ {name_of(key)}: {types[0]!r}, then {types[1]!r}"
        elif words := value_difference(before.read(key), after.read(key)):
            yield f"~ {name_of(key)}: {types[0]!r}: {words}"


def bundle_of(folder: str) -> TensorBundle | None:
    """The variables of a model, if it has any."""
    prefix = os.path.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
    return TensorBundle(prefix) if os.path.exists(prefix + INDEX) else None


def value_difference(before: Any, after: Any) -> str:
    """How two arrays of one type differ; an empty text where they do not."""
    is_number = before.dtype.kind in "biufc" or before.dtype.kind == "V"
    if before.dtype == object or not is_number:
        count = int(np.sum(before != after))
        return f"{count} of {before.size} elements differ" if count else ""
    equal = (before == after) | ((before != before) & (after != after))  # NaNs are equal here
    count = int(before.size - np.sum(equal))
    if not count:
        return ""
    kind = np.complex128 if before.dtype.kind == "c" else np.float64
    distances = np.abs(after.astype(kind) - before.astype(kind))
    most = float(np.nanmax(distances, initial=0.0))
    return f"{count} of {before.size} elements differ, by at most {most:.6g}"
