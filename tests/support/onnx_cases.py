"""Golden cases as models of ONNX: what ONNX Runtime computes, or ONNX's own evaluator.

This needs the packages `onnx` and `onnxruntime`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator
from support.goldens import Tolerance, area_of, departs, shorten, tolerance_of, unequal

import graphwright as tf
from tools import golden_format as gf

#: What ONNX Runtime raises for ops that it has no kernel for, and dtypes that its Python lacks.
_LACKS = (
    "NOT_IMPLEMENTED", "is not a registered function/op", "Unsupported type", "MLDataType",
    "No corresponding Numpy type", "is not supported with ScatterND", "not currently supported",
)  # fmt: skip
#: Units in the last place: ONNX Runtime's functions are less precise than ours.
_ULPS = 64


class Outcome(NamedTuple):
    """What became of a case: "same", "refused", "not run" or "differs", by whom, and why."""

    kind: str
    by: str = ""
    words: str = ""


class NobodyRuns(Exception):
    """Neither ONNX Runtime nor ONNX's own evaluator has all kernels of a model."""


def run_model(path: str | Path, inputs: Sequence[Any]) -> tuple[str, list[Any]]:
    """Who ran a model, and its results."""
    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        names = [argument.name for argument in session.get_inputs()]
        given = [as_text(array) for array in inputs]
        return "onnxruntime", session.run(None, dict(zip(names, given)))
    except Exception as error:
        if not any(words in str(error) for words in _LACKS):
            raise
    model = onnx.load(str(path))
    names = [argument.name for argument in model.graph.input]
    try:
        return "onnx", ReferenceEvaluator(model).run(None, dict(zip(names, inputs)))
    except Exception as error:
        raise NobodyRuns(f"{type(error).__name__}: {error}") from error


def as_text(array: Any) -> Any:
    """Strings as ONNX Runtime takes them; other arrays as they are."""
    if array.dtype.kind not in "OS":
        return array
    words = [word.decode() if isinstance(word, bytes) else word for word in array.reshape(-1)]
    return np.array(words, object).reshape(array.shape)


def golden_outcomes(area: str, level: str, folder: Path, opset: int | None) -> Iterator[Any]:
    """The cases of an area with what becomes of each."""
    module, store, groups = area_of(area)
    for group in groups.values():
        for case in group:
            recorded = store.index.get(gf.digest(case), {"error": ""})
            if "error" not in recorded and not departs(module, case):
                yield case, outcome_of(module, case, level, folder / "case.onnx", opset)


def outcome_of(module: Any, case: gf.Case, level: str, path: Path, opset: int | None) -> Outcome:
    """What becomes of a golden case as a model."""
    arrays, _ = gf.split(case)
    specs = [tf.TensorSpec(gf.shape_at(a.shape, level), gf.as_dtype(tf, a)) for a in arrays]

    def body(*tensors: Any) -> Any:
        return [leaf for leaf in gf.call(tf, case, tensors) if tf.is_tensor(leaf)]

    function = tf.function(body, input_signature=specs, autograph=False)
    try:
        concrete = function.get_concrete_function()
    except Exception as error:  # noqa: BLE001 - another test is about what cannot be traced
        return Outcome("not run", "tracing", str(error)[:200])
    if not concrete.outputs:
        return Outcome("not run", "no results")
    expected = [gf.as_array(leaf) for leaf in function(*gf.constants(tf, case))]
    return compared(concrete, arrays, expected, path, opset, tolerance_of(module, case[0]))


def compared(
    f: Any, arrays: Sequence[Any], expected: Sequence[Any], path: Path, opset: int | None,
    tolerance: Tolerance,
) -> Outcome:  # fmt: skip
    """What becomes of a function as a model, for these arguments."""
    try:
        tf.onnx.export(f, path, opset)
    except (tf.errors.UnimplementedError, ValueError) as error:
        return Outcome("refused", "", str(error))
    try:
        by, values = run_model(path, arrays)
    except NobodyRuns as error:
        return Outcome("not run", "no kernel", str(error)[:200])
    except Exception as error:  # noqa: BLE001 - whatever it raises is the outcome
        return Outcome("differs", "raises", f"{type(error).__name__}: {str(error)[:300]}")
    ulps = max(_ULPS, tolerance.ulps)
    wide = tolerance._replace(ulps=ulps, spread=max(tolerance.spread, ulps))
    found = [as_recorded(value, wanted) for value, wanted in zip(values, expected)]
    lines = list(unequal("onnx", found, list(expected), wide))
    return Outcome("differs" if lines else "same", by, "; ".join(map(shorten, lines)))


def as_recorded(value: Any, wanted: Any) -> Any:
    """A result with strings as bytes, in the way of NumPy that ours has."""
    array = np.asarray(value)
    if wanted.dtype.name.startswith("float8") and array.dtype == np.uint8:
        return array.view(wanted.dtype)
    if wanted.dtype == object:
        words = [s.encode() if isinstance(s, str) else s for s in array.reshape(-1)]
        return np.array(words, object).reshape(array.shape)
    return array
