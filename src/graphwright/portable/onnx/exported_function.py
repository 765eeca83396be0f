"""The function that a model is made of: one trace, with names for what it takes and returns."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction, function
from graphwright.portable.model_signatures import default_signature
from graphwright.portable.only_trace import only_trace
from graphwright.portable.saved_model_names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from graphwright.types import tree
from graphwright.values.trackable import Trackable

_CALLS = (
    "name the types of its arguments: tf.onnx.export(f, path, input_signature="
    "[tf.TensorSpec([None, 4], tf.float32)])"
)


def exported_function(
    f: object, signature: str | None, input_signature: Sequence[object] | None
) -> ConcreteFunction:
    """The one trace of a function, a module or a loaded model that is meant."""
    signatures = getattr(f, "signatures", None)
    if isinstance(signatures, Mapping) and input_signature is None and signatures:
        name = signature or DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if name in signatures:
            chosen: ConcreteFunction = signatures[name]
            return chosen
        raise ValueError(f"the model has no signature {name!r}, but {sorted(signatures)}")
    if signature is not None:
        raise ValueError(f"{f!r} has no signatures, of which {signature!r} might be one")
    if isinstance(f, (ConcreteFunction, PolymorphicFunction)):
        return trace_of(f, input_signature)
    if isinstance(f, Trackable):
        call = inspect.getattr_static(type(f), "__call__", None)
        if input_signature is None and isinstance(call, PolymorphicFunction):
            return trace_of(getattr(f, "__call__"), None)  # noqa: B004, B009 - bound to the object
        concrete = default_signature(f) if input_signature is None else None
        if concrete is not None:
            return concrete
    if callable(f) and input_signature is not None:
        return trace_of(function(f), input_signature)
    raise ValueError(f"{f!r} has no single function with an input signature; {_CALLS}")


def trace_of(f: Any, input_signature: Sequence[object] | None) -> ConcreteFunction:
    """The trace of a function for a signature, or the only one that it has."""
    if input_signature is not None and isinstance(f, PolymorphicFunction):
        concrete: ConcreteFunction = f.get_concrete_function(*input_signature)
        return concrete
    only = only_trace(f)
    if only is None:
        count = len(f._list_all_concrete_functions())
        raise ValueError(f"{f!r} has {count} traces; {_CALLS}")
    return only


def result_names(concrete: ConcreteFunction) -> list[str]:
    """The names of a function's results: the keys of a dict, else numbers."""
    structure = concrete.structured_outputs
    count = len(concrete.graph.results)
    if isinstance(structure, Mapping) and len(structure) == count:
        leaves = [tree.flatten(structure[key], expand_composites=True) for key in structure]
        if all(len(part) == 1 for part in leaves):
            return [str(key) for key in sorted(structure)]
    return [f"output_{place}" for place in range(count)]
