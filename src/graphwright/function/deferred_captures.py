"""Captures of a trace that become deferred: a function gives their tensors at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.lift_constants import lifted
from graphwright.ir.deferred_capture import DeferredCapture
from graphwright.ir.graph import Graph
from graphwright.ir.inference import rests_on_unknown
from graphwright.op.op import c_name
from graphwright.op.refusal import complete
from graphwright.ops.state.variable_ops import Storage
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import TensorType, is_compatible
from graphwright.values.tensor import EagerTensor


def with_deferred_capture(
    graph: Graph,
    name: str,
    tensor: object,
    closure: Callable[[], object],
    spec: TensorSpec,
    placeholder: SymbolicTensor | None,
) -> Graph:
    """The graph of a trace of this name, where a closure stands for a tensor that it captures.

    The graph is that of the trace itself, changed, or another one where the tensor was a constant.
    """
    place = place_of(graph, tensor, placeholder)
    if place is None and isinstance(tensor, EagerTensor) and is_constant(graph, tensor):
        graph = lifted(graph, tensor)
        if rests_on_unknown(graph):
            raise complete(ValueError(
                f"shapes in the trace follow from the value of {tensor}, so no closure can give "
                "another: pass it as an argument, or use a variable"
            ))  # fmt: skip
        place = place_of(graph, tensor, None)
    if place is None:
        words = (
            f"Did not find `tensor` argument {tensor} in the ConcreteFunction's captured inputs "
            "list, and did not receive a placeholder argument. Thus we're unable to infer the "
            "internal placeholder."
        )
        if isinstance(tensor, EagerTensor) and tensor.dtype not in dt.INEXACT:
            words += (
                " Small tensors of integers, bools and strings are constants of a trace: pass it "
                "as an argument, or use a variable."
            )
        raise complete(ValueError(words))
    original, value = graph.captures[place]
    if not any(spec.is_compatible_with(x) for x in (original, SymbolicTensor(value, graph))):
        raise complete(ValueError(
            f"Attempting to substitute closure with spec {spec} that's incompatible with the "
            f"original capture {original} or the internal placeholder "
            f"{TensorSpec.from_type(value.type)}."
        ))  # fmt: skip
    position = len(graph.parameters) + place

    def now() -> Any:
        return checked(closure(), original, value.type, f"{name} as input #{position}(zero-based)")

    graph.captures[place] = DeferredCapture(original, now), value
    graph.lifted = None
    return graph


def place_of(graph: Graph, tensor: object, placeholder: SymbolicTensor | None) -> int | None:
    """The position of a capture, by its tensor or by its placeholder; None if there is none."""
    for place, (outside, value) in enumerate(graph.captures):
        if outside is tensor or (placeholder is not None and value is placeholder._value):
            return place
    return None


def is_constant(graph: Graph, tensor: EagerTensor) -> bool:
    """Whether a constant of the graph stands for the tensor."""
    reference = graph.folded.get(id(tensor))
    return id(tensor) in graph.constants and reference is not None and reference() is tensor


def checked(result: object, original: object, type_: TensorType, place: str) -> Any:
    """What a closure gave, if it can stand for the tensor that the trace captured."""
    if not isinstance(result, (EagerTensor, SymbolicTensor)):
        raise complete(TypeError(
            f"cannot compute {place} is no tensor but {result!r} of type {type(result).__name__}, "
            "which the closure of a deferred capture returned"
        ))  # fmt: skip
    if result.dtype is not type_.dtype:
        raise complete(InvalidArgumentError(
            None,
            None,
            f"cannot compute {place} was expected to be a {c_name(type_.dtype)} tensor but is a "
            f"{c_name(result.dtype)} tensor",
        ))  # fmt: skip
    cell = original._array if isinstance(original, EagerTensor) else None
    other = result._array if isinstance(result, EagerTensor) else None
    fits = is_compatible(result.type.dims, type_.dims)
    if isinstance(cell, Storage):
        fits = isinstance(other, Storage) and other.value_type == cell.value_type
    if not fits:
        expected = cell.value_type if isinstance(cell, Storage) else type_
        given = other.value_type if isinstance(other, Storage) else result.type
        raise complete(ValueError(
            f"cannot compute {place} was traced as {expected!r}, and the closure of its deferred "
            f"capture returned {given!r}"
        ))  # fmt: skip
    return result
