"""The checking mode: every call runs in both tiers, and what differs is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.errors import InternalError
from graphwright.ir.graph import Graph

Run = Callable[..., tuple[Any, ...]]

#: How far results may be apart, relative to the greatest of the array: sums are taken in another
#: order and elementary functions round otherwise, which cancellation makes visible.
TOLERANCES = {"float16": 1e-2, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-12}


def checked(fast: Run, slow: Run, graph: Graph) -> Run:
    """Runs both, compares, returns what the fast one gave."""
    if graph.is_stateful:
        return fast  # it would happen twice

    def run(*arrays: Any) -> tuple[Any, ...]:
        results = fast(*arrays)
        for i, (own, other) in enumerate(zip(results, slow(*arrays))):
            difference = compare(np.asarray(own), np.asarray(other))
            if difference:
                raise InternalError(
                    None,
                    None,
                    f"result {i} of {graph.name} differs between its machine code and its "
                    f"kernels: {difference}",
                )
        return results

    return run


def compare(own: Any, other: Any) -> str:
    """What is different, in words; nothing if the arrays agree."""
    if own.dtype != other.dtype or own.shape != other.shape:
        return f"{own.dtype}{own.shape} and {other.dtype}{other.shape}"
    if own.dtype == object or not own.size:
        return ""
    if own.dtype.kind == "c":
        return compare(own.real, other.real) or compare(own.imag, other.imag)
    tolerance = TOLERANCES.get(own.dtype.name)
    if tolerance is None:  # of small floats, NaN is equal by its bits
        same_bits = own.tobytes() == other.tobytes()
        return "" if same_bits or np.array_equal(own, other) else f"{own!r} and {other!r}"
    if own.dtype.itemsize == 2:
        own, other = own.astype(np.float32), other.astype(np.float32)
    finite = np.isfinite(other)
    scale = np.max(np.abs(other[finite]), initial=0.0)
    apart = max(tolerance * scale, float(np.finfo(own.dtype).eps))  # what is left of 1 - 1
    same = np.isclose(own, other, rtol=tolerance, atol=apart, equal_nan=True)
    return "" if same.all() else f"{own[~same][:4]!r} and {other[~same][:4]!r}"
