"""The checking mode: every call runs in both tiers, and a difference is an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.base.errors import InternalError
from graphwright.ir.graph import Graph, subgraphs_of
from graphwright.ir.once import once_per_graph
from graphwright.op.op import Effect
from graphwright.ops.state.variable_ops import Storage
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.values.eager import REFUSALS

Run: TypeAlias = Callable[..., tuple[Any, ...]]

#: The largest difference of results, relative to the greatest element of the array. Sums run in
#: another order, and elementary functions round otherwise; cancellation makes that visible.
TOLERANCES = {"float16": 1e-2, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-12}

#: The largest difference where numbers near 1 cancel, in units of their rounding.
_ROUNDINGS = 64


def checked(fast: Run, slow: Run, graph: Graph) -> Run:
    """A function that runs both and compares them; it returns the fast results, or raises.

    The slow one works on copies of variables, which are compared too. So no other thread may change
    them meanwhile. A graph with other effects runs once.
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
        for i, (result, other) in enumerate(zip(results, expected)):
            agree(f"result {i}", result, other, graph)
        agree_on(copies, graph)
        return results

    return run


@once_per_graph
def is_repeatable(graph: Graph) -> bool:
    """Whether a run of a graph may change variables alone."""
    return all(
        node.op.pure
        and not node.op.has_stream
        and (node.op.effect is Effect.NONE or any(v.type.dtype is dt.resource for v in node.inputs))
        and all(map(is_repeatable, subgraphs_of(node.op)))
        for node in graph.nodes
    )


def refused_too(slow: Run, arrays: Sequence[object], error: Exception, graph: Graph) -> None:
    """InternalError unless kernels refuse, too, what machine code has refused."""
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
    """InternalError where variables differ from their copies."""
    for cell, copy in copies.items():
        agree(f"variable {cell.name}", cell.array, copy.array, graph)


def agree(subject: str, fast: object, slow: object, graph: Graph) -> None:
    """InternalError where results of machine code and kernels differ."""
    difference = compare(np.asarray(fast), np.asarray(slow))
    if difference:
        raise InternalError(
            None,
            None,
            f"{subject} of {graph.name} differs between its machine code and its kernels: "
            f"{difference}",
        )


def compare(fast: Array, slow: Array) -> str:
    """The difference of two arrays, in words; empty if they agree."""
    if fast.dtype != slow.dtype or fast.shape != slow.shape:
        return f"{fast.dtype}{fast.shape} and {slow.dtype}{slow.shape}"
    if fast.dtype == object or not fast.size:
        return ""
    if fast.dtype.kind == "c":
        return compare(fast.real, slow.real) or compare(fast.imag, slow.imag)
    tolerance = TOLERANCES.get(fast.dtype.name)
    if tolerance is None:  # a NaN of small floats equals itself by its bits
        same_bits = fast.tobytes() == slow.tobytes()
        return "" if same_bits or np.array_equal(fast, slow) else f"{fast!r} and {slow!r}"
    if fast.dtype.itemsize == 2:
        fast, slow = fast.astype(np.float32), slow.astype(np.float32)
    finite = np.isfinite(slow)
    scale = np.max(np.abs(slow[finite]), initial=0.0)
    least = _ROUNDINGS * float(np.finfo(fast.dtype).eps)
    apart = max(tolerance * scale, least)
    same = np.isclose(fast, slow, rtol=tolerance, atol=apart, equal_nan=True)
    return "" if same.all() else f"{fast[~same][:4]!r} and {slow[~same][:4]!r}"
