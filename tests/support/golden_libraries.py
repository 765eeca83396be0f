"""The golden cases of ops as functions of libraries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from support.goldens import area_of, departs, tolerance_of, unequal
from support.library_calls import LibraryError, LoadedLibrary

import graphwright as tf
from graphwright.portable.native_library.library_program import parts_of
from graphwright.portable.native_library.whole_graph import NotCompilable, whole
from tools import golden_format as gf


class GoldenCase(NamedTuple):
    """A case with what TensorFlow computed, and the trace of it that may be a library."""

    text: str
    concrete: Any
    arrays: list[Any]
    expected: list[Any]
    tolerance: Any


def cases_of(area: str, level: str, step: int = 1) -> Iterator[GoldenCase]:
    """The cases of an area that can be libraries, traced with some of their shapes; every
    `step`-th of those of a function."""
    module, store, groups = area_of(area)
    for function, group in groups.items():
        for case in group[::step]:
            outcome = store.index.get(gf.digest(case))
            if departs(module, case) or outcome is None or "values" not in outcome:
                continue
            values = [store.unpack(entry) for entry in outcome["values"]]
            expected = [value for value in values if isinstance(value, np.ndarray)]
            golden = compilable(case, level, expected, tolerance_of(module, function))
            if golden is not None:
                yield golden


def compilable(case: gf.Case, level: str, expected: list[Any], tolerance: Any) -> GoldenCase | None:
    """A case whose trace has a native form from end to end; None for others."""
    arrays, _ = gf.split(case)
    specs = [tf.TensorSpec(gf.shape_at(a.shape, level), gf.as_dtype(tf, a)) for a in arrays]

    def body(tensors: Any) -> Any:
        return [leaf for leaf in gf.call(tf, case, tensors) if tf.is_tensor(leaf)]

    function = tf.function(body, input_signature=[specs], autograph=False)
    try:
        concrete = function.get_concrete_function()
        if not arrays or not concrete.outputs:
            return None
        parts_of(whole(concrete.graph))
    except NotCompilable:
        return None
    except Exception:  # noqa: BLE001 - the goldens themselves say what may be traced
        return None
    return GoldenCase(gf.describe(case), concrete, arrays, expected, tolerance)


def wrong(cases: Sequence[GoldenCase], path: Path, may_refuse_sizes: bool) -> list[str]:
    """How the functions of one library differ from what was recorded."""
    tf.compile_library({f"f{i}": case.concrete for i, case in enumerate(cases)}, path)
    library = LoadedLibrary(path)
    lines = []
    for i, case in enumerate(cases):
        try:
            results = library.call(f"f{i}", *map(np.asarray, case.arrays))
        except LibraryError as error:
            if not (may_refuse_sizes and error.code == 1):
                lines.append(f"{case.text}: {error}")
            continue
        lines += [
            f"{case.text}: {line}"
            for line in unequal("library", results, case.expected, case.tolerance)
        ]
    return lines
