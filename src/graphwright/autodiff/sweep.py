"""The reverse sweep: cotangents of results in, cotangents of what they came from out.

Each op's rule says how cotangents pass through it. What all ops share stands here: cotangents
add up where a value was used twice, and a broadcast operand's is summed to the operand's shape.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

from numpy import ndarray

from graphwright.base.errors import NotDifferentiableError
from graphwright.op.cotangents import Cotangent
from graphwright.op.op import Call, Op, not_differentiable
from graphwright.op.op_families import Elementwise
from graphwright.ops.core.movement import sum_to
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.values.indexed_slices import IndexedSlices, SparseCotangent, add_cotangents
from graphwright.values.tensor import EagerTensor, Tensor

#: Cotangents by the keys of their tensors.
Cotangents: TypeAlias = dict[Any, SparseCotangent]

CARRIERS = dt.INEXACT | {dt.resource, dt.variant}


class Idle:
    """The type of `IDLE`."""

    def __repr__(self) -> str:
        return "IDLE"


#: The cotangent of what no gradient flows to, though an op takes it that one flows through: zeros
#: that no rule is asked to pass on, since zeros times an infinite slope are NaN.
IDLE: Any = Idle()


def is_differentiable(op: Op) -> bool:
    """Whether gradients may flow through an op at all."""
    return type(op).gradient is not not_differentiable


def carries_gradient(tensor: object) -> bool:
    """Whether a tensor's dtype can have a cotangent: floating, complex, handles, lists."""
    if type(tensor) is EagerTensor:
        array = tensor._array
        if type(array) is ndarray and array.dtype.kind in "fc":  # most are, and hashing takes time
            return True
    return isinstance(tensor, Tensor) and tensor.dtype in CARRIERS


def depends(tensors: Iterable[object], keys: Container[Hashable]) -> bool:
    """Whether one of the operands has one of the keys."""
    # A loop: a generator would take as long as the rest of a small op.
    for t in tensors:  # noqa: SIM110
        if isinstance(t, Tensor) and t.key in keys:
            return True
    return False


def reachable(calls: Iterable[Call], sources: Iterable[Tensor]) -> set[Hashable]:
    """The keys of the sources and of all values that can have a cotangent and depend on them."""
    keys: set[Hashable] = {s.key for s in sources if carries_gradient(s)}
    for call in calls:
        if depends(call.inputs, keys):
            for t in call.outputs:
                if carries_gradient(t):
                    keys.add(t.key)
    return keys


def sweep(
    calls: Sequence[Call],
    cotangents: Cotangents,
    wanted: set[Hashable],
    stopped: frozenset[Hashable] = frozenset(),
) -> None:
    """Passes `cotangents` (by key) backwards through `calls`, for the `wanted` keys only.

    `calls` are in the order in which they were made; `cotangents` is updated in place. The
    cotangent of a value that is not an input of an earlier call stays in it. Nothing flows
    back from `stopped` keys. What only idle cotangents arrive at is idle.
    """
    for call in reversed(calls):
        incoming = arriving(call.outputs, cotangents, stopped, call.op.passes_rows)
        if incoming is None:
            continue
        inputs = call.inputs
        keys = [t.key if isinstance(t, Tensor) else None for t in inputs]
        needed = tuple([key in wanted for key in keys])
        if False in needed:
            if True not in needed:
                continue
            call = Call(call.op, inputs, call.outputs, needed)
        broadcasts = isinstance(call.op, Elementwise) and len(inputs) > 1
        outgoing = by_rule(call, incoming) if incoming else [IDLE] * len(inputs)
        for i, cotangent in enumerate(outgoing):
            if cotangent is not None and needed[i]:
                key = keys[i]
                if cotangent is IDLE:
                    cotangents.setdefault(key, cotangent)
                    continue
                if broadcasts and not same_shape(cotangent, inputs[i]):
                    cotangent = sum_to(cotangent, inputs[i])
                before = cotangents.get(key)
                if before is None or before is IDLE:
                    cotangents[key] = cotangent
                else:
                    cotangents[key] = add_cotangents(before, cotangent)


def arriving(
    outputs: Sequence[TensorValue],
    cotangents: Cotangents,
    stopped: Container[Hashable],
    passes_rows: bool,
) -> list[Any] | None:
    """The cotangents of an op's results; None where there is none of them, [] where all are idle.

    Rows become a dense tensor unless the op's rule passes them on.
    """
    incoming: list[Any] = []
    empty = True
    idle = False
    for t in outputs:
        key = t.key
        g = None if key in stopped else cotangents.get(key)
        if g is IDLE:
            idle, g = True, None
        elif g is not None:
            empty = False
            if not passes_rows and isinstance(g, IndexedSlices):
                g = g.to_tensor()
        incoming.append(g)
    if empty:
        return [] if idle else None
    return incoming


def by_rule(call: Call, incoming: Sequence[Cotangent | None]) -> Sequence[Any]:
    """The cotangents of one call's inputs as the op's rule states them."""
    try:
        outgoing: Sequence[Any] = call.op.gradient(call, *incoming)
    except NotImplementedError as missing:
        raise NotDifferentiableError(
            f"No gradient defined for operation {call.op.type_name}: {missing}"
        ) from missing
    return outgoing


def through(call: Call, incoming: Sequence[Cotangent | None]) -> Sequence[Any]:
    """The cotangents of one call's inputs, in their shapes; None for idle ones."""
    outgoing = [None if g is IDLE else g for g in by_rule(call, incoming)]
    if isinstance(call.op, Elementwise) and len(outgoing) > 1:
        return [
            g if g is None or same_shape(g, x) else sum_to(g, x)
            for g, x in zip(outgoing, call.inputs)
        ]
    return outgoing


def same_shape(g: object, x: object) -> bool:
    """Whether two eager tensors have one shape; False for others. It computes no types."""
    if type(g) is EagerTensor and type(x) is EagerTensor:
        return bool(g._array.shape == x._array.shape)
    return False


def dense_cotangent(g: SparseCotangent) -> Any:
    """A cotangent as a tensor: rows at equal indices are added up."""
    return g.to_tensor() if isinstance(g, IndexedSlices) else g
