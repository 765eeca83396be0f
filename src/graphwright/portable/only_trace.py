"""The one trace of a function that an export means."""

from __future__ import annotations

from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction


def only_trace(f: object) -> ConcreteFunction | None:
    """The trace that `f` is, that of its input signature, or the only one that it has.

    Returns:
        None where it is not plain which one is meant.
    """
    if isinstance(f, ConcreteFunction):
        return f
    if not isinstance(f, PolymorphicFunction):
        return None
    if f.input_signature is not None:
        signed: ConcreteFunction = f.get_concrete_function()
        return signed
    traces = f._list_all_concrete_functions()
    return traces[0] if len(traces) == 1 else None
