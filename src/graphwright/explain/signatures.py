"""Relaxed signatures: `input_signature` for what all calls have in common, `reduce_retracing`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from graphwright.explain.proposal import Proposal, ProposalCase, keep
from graphwright.explain.replay import Asked
from graphwright.explain.trace_record import is_number
from graphwright.explain.wording import code
from graphwright.trace.argument_types import LiteralType
from graphwright.trace.signature import KEYWORD_ONLY, VAR_KEYWORD, VAR_POSITIONAL
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec


def relaxations(case: ProposalCase) -> Iterator[Proposal]:
    """A signature where there is one, and relaxed retracing."""
    if case.constrained:
        return
    found = signature(case)
    if found is not None:
        yield found
    if not case.reduces:
        yield reduce_retracing(case)


def reduce_retracing(case: ProposalCase) -> Proposal:
    """The option that relaxes shapes by what has been seen."""
    code_ = case.decorated("reduce_retracing=True")
    return Proposal("Let shapes be relaxed", keep, code_, reduces=True)


def signature(case: ProposalCase) -> Proposal | None:
    """The signature that serves all calls; None where types or parameters allow none."""
    joined = common(case)
    if joined is None:
        return None
    entries = [code(type_) for type_ in joined.values()]
    if not entries or None in entries:
        return None

    def apply(asked: Asked) -> Asked | None:
        return asked.changed(lambda path, type_: joined.get(path, type_))

    inside = ", ".join(str(entry) for entry in entries)
    text = case.decorated(f"input_signature=[{inside}]")
    return Proposal("Fix the signature", apply, text)


def common(case: ProposalCase) -> dict[str, Any] | None:
    """For each parameter that a signature must cover, the type that all calls fit."""
    parameters = case.signature.parameters
    if any(p.kind in (VAR_POSITIONAL, VAR_KEYWORD) for p in parameters.values()):
        return None
    calls = [{n: t for n, _, t in wanted.typed()} for wanted in case.asked.types]
    columns = {name: [call.get(name) for call in calls] for name in parameters}
    varying = [n for n, found in columns.items() if not is_default(parameters[n], found)]
    if not varying or any(parameters[n].kind is KEYWORD_ONLY for n in varying):
        return None
    last = list(parameters).index(varying[-1])
    joined = {name: join(columns[name]) for name in list(parameters)[: last + 1]}
    return None if None in joined.values() else joined


def is_default(parameter: Any, types: Sequence[Any]) -> bool:
    """Whether every call left a parameter at its default, a Python value."""
    default = parameter.default
    return all(
        isinstance(t, LiteralType) and type(t.value) is type(default) and t.value == default
        for t in types
    )


def join(types: Sequence[Any]) -> Any:
    """The type of tensors that all of these are, numbers included; None if there is none."""
    as_tensors = [t for t in types if not is_number(t)]
    numbers = [t.value for t in types if is_number(t)]
    if any(t is None for t in types):
        return None
    if numbers:
        dtype = number_dtype(as_tensors, numbers)
        as_tensors.append(TensorSpec([], dtype))
    found: Any = as_tensors[0]
    for other in as_tensors[1:]:
        found = None if found is None else found.most_specific_common_supertype([other])
    return found


def number_dtype(as_tensors: Sequence[Any], numbers: Sequence[Any]) -> dt.DType:
    """The dtype that numbers take: that of a tensor beside them, else by their own kinds."""
    beside = next((t.dtype for t in as_tensors if isinstance(t, TensorSpec)), None)
    if beside is not None:
        return beside
    return dt.int32 if all(type(n) is int for n in numbers) else dt.float32
