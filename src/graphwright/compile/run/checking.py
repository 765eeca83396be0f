"""The checking mode: every call runs in both tiers, and what differs is an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InternalError
from graphwright.ir.graph import Graph, subgraphs_of
from graphwright.ir.once import once_per_graph
from graphwright.op.op import Effect
from graphwright.ops.state.variable_ops import Storage
from graphwright.types import dtypes as dt
from graphwright.values.eager import REFUSALS

Run = Callable[..., tuple[Any, ...]]

#: How far results may be apart, relative to the greatest of the array: sums are taken in another
#: order and elementary functions round otherwise, which cancellation makes visible.
TOLERANCES = {"float16": 1e-2, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-12}

#: What is left of numbers near 1 that cancel may be apart by as many of their roundings.
_ROUNDINGS = 64


def checked(fast: Run, slow: Run, graph: Graph) -> Run:
    """Runs both, compares, returns what the fast one gave, or raises its error.

    What happens to variables happens to copies of them too, and is compared, so no other thread
    may change them meanwhile; what has other effects runs once.
    """
    if not is_repeatable(graph):
        return fast
    handles = [i for i, v in enumerate(graph.arguments) if v.type.dtype is dt.resource]

    def run(*arrays: Any) -> tuple[Any, ...]:
        cells = {arrays[i] for i in handles}
        if not all(isinstance(cell, Storage) for cell in cells):
            return fast(*arrays)
        copies = {cell: cell.copied() for cell in cells}
        others = [*arrays]
        for i in handles:
            others[i] = copies[arrays[i]]
        try:
            results = fast(*arrays)
        except REFUSALS as error:
            refused_too(slow, others, error, graph)
            agree_on(copies, graph)
            raise
        try:
            expected = slow(*others)
        except REFUSALS as error:
            raise InternalError(
                None,
                None,
                f"{graph.name} fails with {error}\nas kernels, and as machine code not at all",
            ) from error
        for i, (own, other) in enumerate(zip(results, expected)):
            agree(f"result {i}", own, other, graph)
        agree_on(copies, graph)
        return results

    return run


@once_per_graph
def is_repeatable(graph: Graph) -> bool:
    """Whether variables are all that running a graph may change."""
    return all(
        node.op.pure
        and not node.op.has_stream
        and (node.op.effect is Effect.NONE or any(v.type.dtype is dt.resource for v in node.inputs))
        and all(map(is_repeatable, subgraphs_of(node.op)))
        for node in graph.nodes
    )


def refused_too(slow: Run, arrays: Sequence[Any], error: Exception, graph: Graph) -> None:
    """InternalError where kernels do what machine code has refused, or refuse it otherwise."""
    try:
        slow(*arrays)
        words = "not at all"
    except REFUSALS as other:
        if type(other) is type(error):
            return
        words = f"with {other}"
    raise InternalError(
        None, None, f"{graph.name} fails with {error}\nas machine code, and as kernels {words}"
    )


def agree_on(copies: dict[Storage, Storage], graph: Graph) -> None:
    """InternalError where variables hold something else than their copies."""
    for cell, copy in copies.items():
        agree(f"variable {cell.name}", cell.array, copy.array, graph)


def agree(what: str, own: Any, other: Any, graph: Graph) -> None:
    """InternalError where machine code and kernels have made different things."""
    difference = compare(np.asarray(own), np.asarray(other))
    if difference:
        raise InternalError(
            None,
            None,
            f"{what} of {graph.name} differs between its machine code and its kernels: "
            f"{difference}",
        )


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
    left = _ROUNDINGS * float(np.finfo(own.dtype).eps)
    apart = max(tolerance * scale, left)
    same = np.isclose(own, other, rtol=tolerance, atol=apart, equal_nan=True)
    return "" if same.all() else f"{own[~same][:4]!r} and {other[~same][:4]!r}"
