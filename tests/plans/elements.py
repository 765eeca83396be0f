"""What elements are computed from others, in NumPy: the ops' own scalar definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from plans.memory import Refused, numpy_dtype

from graphwright.compile.nests.element_kinds import HALVES, KINDS
from graphwright.op.op import Op
from graphwright.op.scalars import CheckedScalars, NumpyScalars, caster
from graphwright.ops.core.casting import Cast
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

_HALVES = [numpy_dtype(kind) for kind in HALVES]

_ROUNDINGS = {"ceil", "floor", "rint"}

#: Words of integers that refuse a divisor of 0.
_QUOTIENTS = {"floordiv", "floormod", "truncdiv", "truncmod"}


class Elements(NumpyScalars, CheckedScalars[Any]):
    """The words of element expressions over arrays; what machine code reports is `Refused`."""

    def on_zero(self, condition: Any) -> None:
        """Refuses elements for which a condition holds."""
        if np.any(condition):
            raise Refused

    def bitcast(self, x: Any, dtype: DType) -> Any:
        """The bits as another dtype of the same size."""
        return np.ascontiguousarray(x).view(dtype.numpy_dtype)

    def unary(self, function: str, x: Any) -> Any:
        if function in _ROUNDINGS and np.asarray(x).dtype.kind in "iu":
            return x
        return rounded(super().unary, function, x)

    def binary(self, function: str, x: Any, y: Any) -> Any:
        if np.asarray(x).dtype.kind in "iu":
            if function in _QUOTIENTS:
                self.on_zero(np.equal(y, 0))
            if function == "pow":
                self.on_zero(np.less(y, 0))
        return rounded(super().binary, function, x, y)

    def div(self, x: Any, y: Any) -> Any:
        if np.asarray(x).dtype.kind in "iu":
            self.on_zero(np.equal(y, 0))
        return super().div(x, y)


def rounded(rule: Callable[..., Any], function: str, *operands: Any) -> Any:
    """A word's result; of halves it is computed in float32 and rounded."""
    own = np.asarray(operands[0]).dtype
    if own not in _HALVES:
        return rule(function, *operands)
    result = rule(function, *[np.asarray(x).astype(np.float32) for x in operands])
    return result.astype(own) if result.dtype == np.float32 else result


def element(op: Op, operands: list[Any], kind: str) -> Any:
    """An op's result for elements, or a conversion to a kind."""
    if isinstance(op, Cast):
        return caster(operands[0].dtype, numpy_dtype(kind))(operands[0])
    return np.asarray(op.element(Elements(), *operands))  # type: ignore[attr-defined]


def number(value: Any, kind: str) -> Any:
    """A number of a kind, as an array of one element."""
    return np.asarray([value]).astype(numpy_dtype(kind))


# -- what reductions and scans combine with --------------------------------------------------


class Beyond:
    """The function of peaks and troughs: a value gives way to one beyond it, and never to NaN.

    So NaN that is there stays. It has those methods of NumPy's functions that are used here.
    """

    def __init__(self, function: np.ufunc, start: float) -> None:
        self.function, self.start = function, start

    def __call__(self, x: Any, y: Any) -> Any:
        return self.function(x, self.known(y))

    def known(self, values: Any) -> Any:
        """Values, with one that all others are beyond in the place of NaN."""
        x = np.asarray(values)
        return np.where(np.isnan(x), self.start, x) if x.dtype.kind == "f" else x

    def reduce(self, values: Any, **options: Any) -> Any:
        """All values in one."""
        return self.function.reduce(self.known(values), **options)

    def accumulate(self, values: Any, **options: Any) -> Any:
        """All values up to each."""
        return self.function.accumulate(self.known(values), **options)

    def at(self, into: Any, places: Any, values: Any) -> None:
        """Values put into places of an array."""
        self.function.at(into, places, self.known(values))


class Newer:
    """The function of extremes from the last NaN on: only what is beyond the next one stays."""

    def __init__(self, is_beyond: np.ufunc) -> None:
        self.is_beyond = is_beyond

    def __call__(self, x: Any, y: Any) -> Any:
        return np.where(self.is_beyond(x, y), x, y)

    def at(self, array: Any, places: Any, values: Any) -> None:
        """Combines values with the elements of these places, one after the other."""
        for place, value in zip(np.ravel(places), np.broadcast_to(values, np.shape(places)).flat):
            array[place] = self(array[place], value)


#: The function, and what it starts from: the least or greatest number, or this one.
_COMBINE: dict[str, tuple[Any, Any]] = {
    "sum": (np.add, 0),
    "prod": (np.multiply, 1),
    "all": (np.logical_and, 1),
    "any": (np.logical_or, 0),
    "max": (np.maximum, "least"),
    "min": (np.minimum, "greatest"),
    "peak": (Beyond(np.maximum, -np.inf), "least"),
    "trough": (Beyond(np.minimum, np.inf), "greatest"),
    "fmax": (np.fmax, "greatest"),  # into memory that holds NaN
    "fmin": (np.fmin, "least"),
    "newer_max": (Newer(np.greater), "least"),
    "newer_min": (Newer(np.less), "greatest"),
    "logsumexp": (np.logaddexp, "least"),
}


def function(combine: str) -> Any:
    """The function of two arrays."""
    return _COMBINE[combine][0]


def start(combine: str, kind: str) -> Any:
    """What a reduction starts from; slices that replace elements start from zeros."""
    if not combine:
        return numpy_dtype(kind).type(0)
    result = _COMBINE[combine][1]
    if result not in ("least", "greatest"):
        return numpy_dtype(kind).type(result)
    if kind[0] in "fb" and kind != "b1":
        return numpy_dtype(kind).type(np.inf if result == "greatest" else -np.inf)
    if kind == "b1":
        return np.bool_(result == "greatest")
    limits = np.iinfo(numpy_dtype(kind))
    return numpy_dtype(kind).type(limits.max if result == "greatest" else limits.min)


def wide(values: Any) -> Any:
    """Floats in float64: sums of them are taken in any order."""
    x = np.asarray(values)
    return x.astype(np.float64) if is_float(x.dtype) else x


def is_float(dtype: Any) -> bool:
    """Whether elements are floats."""
    return dt.of_numpy(dtype).is_floating


def kind_of(x: Any) -> str:
    """The kind of an array's elements."""
    return KINDS[dt.of_numpy(x.dtype)]
