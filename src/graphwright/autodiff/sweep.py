"""The reverse sweep: cotangents of results in, cotangents of what they came from out.

It knows nothing of who recorded the calls. Each op's own rule says how cotangents pass
through it; what is common stands here: adding up where a value was used twice, and
summing a broadcast operand's cotangent to the operand's shape.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from graphwright.errors import NotDifferentiableError
from graphwright.op.families import Elementwise
from graphwright.op.op import Call, Op, not_differentiable
from graphwright.ops.movement import sum_to
from graphwright.types import dtypes as dt
from graphwright.values.indexed_slices import IndexedSlices, add_cotangents
from graphwright.values.tensor import EagerTensor, Tensor

CARRIERS = dt.INEXACT | {dt.resource, dt.variant}


def is_differentiable(op: Op) -> bool:
    """Whether gradients may flow through an op at all."""
    return type(op).gradient is not not_differentiable


def carries_gradient(tensor: Any) -> bool:
    """Whether a tensor's dtype can have a cotangent: floating, complex, handles, lists."""
    return isinstance(tensor, Tensor) and tensor.dtype in CARRIERS


def depends(tensors: Iterable[Any], keys: Container[Any]) -> bool:
    """Whether one of the operands has one of the keys."""
    # A loop: a generator would take as long as the rest of a small op.
    for t in tensors:  # noqa: SIM110
        if isinstance(t, Tensor) and t.key in keys:
            return True
    return False


def reachable(calls: Iterable[Call], sources: Iterable[Any]) -> set[Any]:
    """The keys of all values that depend on the sources, those included."""
    found = {s.key for s in sources}
    for call in calls:
        if depends(call.inputs, found):
            found.update([t.key for t in call.outputs])
    return found


def sweep(
    calls: Sequence[Call],
    cotangents: dict[Any, Any],
    wanted: set[Any],
    stopped: frozenset[Any] = frozenset(),
) -> None:
    """Passes `cotangents` (by key) backwards through `calls`, for the `wanted` keys only.

    `calls` are in the order in which they were made; `cotangents` is updated in place. The
    cotangent of a value that is not an input of an earlier call stays in it. Nothing flows
    back from `stopped` keys.
    """
    for call in reversed(calls):
        incoming = [cotangents.get(t.key) for t in call.outputs]
        if stopped:
            incoming = [None if t.key in stopped else g for t, g in zip(call.outputs, incoming)]
        if all(g is None for g in incoming):
            continue
        needed = tuple([isinstance(t, Tensor) and t.key in wanted for t in call.inputs])
        if True not in needed:
            continue
        outgoing = through(Call(call.op, call.inputs, call.outputs, needed), incoming)
        for tensor, need, cotangent in zip(call.inputs, needed, outgoing):
            if need and cotangent is not None and carries_gradient(tensor):
                key = tensor.key
                before = cotangents.get(key)
                cotangents[key] = cotangent if before is None else add_cotangents(before, cotangent)


def through(call: Call, incoming: Sequence[Any]) -> Sequence[Any]:
    """The cotangents of one call's inputs."""
    op = call.op
    dense = [dense_cotangent(g) for g in incoming]
    try:
        outgoing = op.gradient(call, *dense)
    except NotImplementedError as missing:
        raise NotDifferentiableError(
            f"No gradient defined for operation {op.type_name}: {missing}"
        ) from missing
    if isinstance(op, Elementwise) and len(call.inputs) > 1:
        return [
            g if g is None or same_shape(g, x) else sum_to(g, x)
            for g, x in zip(outgoing, call.inputs)
        ]
    return outgoing


def same_shape(g: Any, x: Any) -> bool:
    """Whether two tensors are known to have one shape, without asking for their types."""
    if type(g) is EagerTensor and type(x) is EagerTensor:
        return bool(g._array.shape == x._array.shape)
    return False


def dense_cotangent(g: Any) -> Any:
    """A cotangent as a tensor: sparse ones pass only from a gather to its variable."""
    return g.to_tensor() if isinstance(g, IndexedSlices) else g
