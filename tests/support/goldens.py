"""The golden cases of ops, and how a case behaves otherwise than TensorFlow did."""

from __future__ import annotations

import importlib
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import graphwright as tf
from graphwright.types.tensor_type import is_compatible, is_subshape
from tools import golden_format as gf

AREAS = sorted(p.stem.removeprefix("ops_") for p in gf.GOLDEN.glob("ops_*.npz"))
#: Rounding differs between libraries: by this many units in the last place unless an area says.
ULPS = 4
#: A gradient is computed in several steps, each rounded: units of the largest cotangent.
GRADIENT_ULPS = 32
#: TensorFlow has no kernel there on its CPU, or a faulty one; ours may work.
NO_KERNEL = ("NotFoundError", "InternalError")
#: What a program that cannot work may be refused with while it is traced or when it runs.
REFUSALS = (tf.errors.OpError, ValueError, TypeError, NotImplementedError, AttributeError)


class Tolerance(NamedTuple):
    """How far results may differ: units in the last place, an absolute error, and units in the
    last place of the greatest element, for sums in which terms cancel.
    """

    ulps: float
    absolute: float = 0.0
    spread: float = 0.0


@cache
def area_of(name: str) -> tuple[Any, gf.Store, dict[str, list[gf.Case]]]:
    """An area's module, its recorded outcomes, and its cases by function."""
    module = importlib.import_module(f"tools.golden.{name}")
    groups: dict[str, list[gf.Case]] = defaultdict(list)
    for case in gf.cases_of(name):
        groups[case[0]].append(case)
    return module, gf.Store.load(name), groups


def functions() -> Iterator[tuple[str, str]]:
    """The areas and the functions that they have cases of."""
    for area in AREAS:
        for function in area_of(area)[2]:
            yield area, function


def digests() -> dict[str, str]:
    """The digest of each case, by its area, its function and its number there."""
    return {
        f"{area} {function} {number}": gf.digest(case)
        for area, function in functions()
        for number, case in enumerate(area_of(area)[2][function])
    }


def departs(module: Any, case: gf.Case) -> bool:
    """Whether a case is meant to differ."""
    patterns = getattr(module, "DEPARTURES", ())
    return bool(patterns) and any(re.search(p, gf.describe(case)) for p, _ in patterns)


def differences(
    module: Any, case: gf.Case, outcome: dict[str, Any], store: gf.Store
) -> Iterator[str]:
    """How a case behaves otherwise than recorded."""
    if "error" in outcome:
        if outcome["error"] not in NO_KERNEL:
            yield from refusals(case, outcome["error"], outcome["shapes"])
        return
    expected = [store.unpack(entry) for entry in outcome["values"]]
    tolerance = tolerance_of(module, case[0])
    try:
        yield from unequal("eager", gf.run_eager(tf, case), expected, tolerance)
    except Exception as error:  # noqa: BLE001 - an error is a difference like any other
        yield f"eager: raises {type(error).__name__}: {error}"
        return
    for level, shapes in zip(gf.LEVELS, outcome["shapes"]):
        lines = traced(case, level, shapes, expected, tolerance)
        yield from unless_refused(module, case, level, lines)
    further = re.search(getattr(module, "FURTHER_GRADIENTS", "$^"), case[0])
    if "gradient" in outcome and not further:
        wanted = [store.unpack(entry) for entry in outcome["gradient"]]
        yield from differentiated(case, False, wanted, tolerance)
        if "unshaped" in outcome:
            lines = differentiated(case, True, wanted, tolerance)
            yield from unless_refused(module, case, "none", lines)


def unless_refused(module: Any, case: gf.Case, level: str, lines: Iterator[str]) -> Iterator[str]:
    """The differences, but for words that say what of a shape must be known, where it may."""
    patterns = {"none": ("NEEDS_RANK", "NEEDS_SHAPE"), "partial": ("NEEDS_SHAPE",), "full": ()}
    asks = any(re.search(getattr(module, n, "$^"), case[0]) for n in patterns[level])
    for line in lines:
        if not (asks and "ValueError" in line and "needs to know" in line):
            yield line


def differentiated(
    case: gf.Case, traced: bool, wanted: list[Any], tolerance: Tolerance
) -> Iterator[str]:
    """How a case's gradient differs, computed eagerly or traced without shapes."""
    label = "gradient traced" if traced else "gradient"
    spread = max(tolerance.ulps, tolerance.spread, GRADIENT_ULPS)
    tolerance = tolerance._replace(spread=spread)
    try:
        yield from unequal(label, gf.run_gradient(tf, case, traced), wanted, tolerance)
    except Exception as error:  # noqa: BLE001 - an error is a difference like any other
        yield f"{label}: raises {type(error).__name__}: {error}"


def refusals(case: gf.Case, error: str, levels: list[Any]) -> Iterator[str]:
    """How a case that must fail does not, eagerly and where TensorFlow fails when traced."""
    try:
        values = gf.run_eager(tf, case)
        yield f"eager: {error} was expected, not {shorten(values)}"
    except Exception as found:  # noqa: BLE001 - which error is what is tested
        names = {k.__name__ for k in type(found).__mro__}
        if error not in names:
            yield f"eager: {error} was expected, not {type(found).__name__}: {found}"
    for level, outcome in zip(gf.LEVELS, levels):
        if not isinstance(outcome, str) or outcome in NO_KERNEL:
            continue
        try:
            _, values = gf.run_traced(tf, case, level)
            yield f"{level}: an error was expected, not {shorten(values)}"
        except REFUSALS:
            pass


def traced(
    case: gf.Case, level: str, shapes: Any, expected: list[Any], tolerance: Tolerance
) -> Iterator[str]:
    """How a traced case differs in its values or knows less of its shapes."""
    try:
        result, values = gf.run_traced(tf, case, level)
    except Exception as error:  # noqa: BLE001 - an error is a difference like any other
        if isinstance(shapes, list):
            yield f"{level}: raises {type(error).__name__}: {error}"
        return
    arrays = [e for e in expected if not isinstance(e, str)]
    if not isinstance(shapes, list) or len(values) == len(arrays):
        yield from unequal(level, values, arrays, tolerance)
    if isinstance(shapes, list):
        for ours, theirs, value in zip(result, shapes, values):
            dims, wanted = as_dims(ours), as_dims(theirs)
            if not is_compatible(wanted, value.shape):
                wanted = None  # TensorFlow's own is wrong there
            if not is_subshape(dims, wanted) or not is_compatible(dims, value.shape):
                yield f"{level}: static shape {dims}, TensorFlow's is {wanted}"


def as_dims(dims: Any) -> Any:
    """A recorded shape as a tuple."""
    return None if dims is None else tuple(dims)


def tolerance_of(module: Any, name: str) -> Tolerance:
    """What is allowed in the results of a function."""
    for pattern, *numbers in getattr(module, "TOLERANCES", ()):
        if re.search(pattern, name):
            return Tolerance(*numbers)
    return Tolerance(ULPS)


def unequal(
    label: str, found: list[Any], expected: list[Any], tolerance: Tolerance
) -> Iterator[str]:
    """Where results differ in number, dtype, shape or value."""
    if len(found) != len(expected):
        yield f"{label}: {len(found)} results, not {len(expected)}"
        return
    for value, wanted in zip(found, expected):
        if value is None or wanted is None:
            # No cotangent is as good as one of zeros.
            other = wanted if value is None else value
            if other is not None and np.any(np.nan_to_num(np.asarray(other, np.complex128))):
                yield f"{label}: {shorten(value)}, not {shorten(wanted)}"
        elif isinstance(wanted, str) or isinstance(value, str):
            if str(value) != str(wanted):
                yield f"{label}: {value}, not {wanted}"
        elif value.dtype != wanted.dtype or value.shape != wanted.shape:
            yield (
                f"{label}: {value.dtype.name}{list(value.shape)}, not "
                f"{wanted.dtype.name}{list(wanted.shape)}"
            )
        elif not close(value, wanted, tolerance):
            yield f"{label}: {shorten(value)}, not {shorten(wanted)}"


def close(value: Any, wanted: Any, tolerance: Tolerance) -> bool:
    """Whether arrays are equal, floats within a tolerance.

    Numbers too small to be normal may be 0: TensorFlow computes without them.
    """
    if wanted.dtype.name.startswith("float8"):
        value, wanted = value.astype(np.float32), wanted.astype(np.float32)
    elif wanted.dtype.name not in gf.DIFFERENTIABLE:
        return bool(np.array_equal(value, wanted))
    eps, (ulps, absolute, spread) = EPSILON[wanted.dtype.name], tolerance
    a, b = value.astype(np.complex128), wanted.astype(np.complex128)
    with np.errstate(all="ignore"):
        tiny = float(ml_dtypes.finfo(wanted.dtype).tiny)
        greatest = np.max(np.abs(b), initial=0.0, where=np.isfinite(b))
        bound = eps * (ulps * np.maximum(np.abs(a), np.abs(b)) + spread * greatest)
        bound += absolute + tiny
        near = (a == b) | (np.abs(a - b) <= bound) | (np.isnan(a) & np.isnan(b))
    return bool(near.all())


EPSILON = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-23,
    "float64": 2.0**-52,
    "complex64": 2.0**-23,
    "complex128": 2.0**-52,
}


def shorten(value: Any) -> str:
    """A value's text, cut where it is long."""
    text = re.sub(r"\s+", " ", repr(value))
    return text if len(text) <= 160 else text[:157] + "..."
