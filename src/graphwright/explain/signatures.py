"""Relaxed signatures: `input_signature` with the types that all calls fit, `reduce_retracing`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

from graphwright.explain.proposal import Proposal, ProposalCase, keep
from graphwright.explain.replay import Requests
from graphwright.explain.trace_record import is_number
from graphwright.explain.wording import code
from graphwright.trace.argument_types import LiteralType
from graphwright.trace.signature import KEYWORD_ONLY, VAR_KEYWORD, VAR_POSITIONAL
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec
from graphwright.types.trace_type import TraceType

#: What changes where a tensor takes the place of a Python number.
OF_NUMBERS = "A Python number takes the dtype of the tensor beside it; a tensor may need tf.cast."


def relaxations(case: ProposalCase) -> Iterator[Proposal]:
    """A signature where there is one, and relaxed retracing."""
    if case.constrained:
        return
    fixed = signature(case)
    if fixed is not None:
        yield fixed
    if not case.reduces:
        yield reduce_retracing(case)


def reduce_retracing(case: ProposalCase) -> Proposal:
    """The option that relaxes shapes as calls need it."""
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

    def apply(requests: Requests) -> Requests | None:
        return requests.changed(lambda path, type_: joined.get(path, type_))

    inside = ", ".join(str(entry) for entry in entries)
    text = case.decorated(f"input_signature=[{inside}]")
    types = [t for call_type in case.requests.types for _, _, t in call_type.typed()]
    note = OF_NUMBERS if any(map(is_number, types)) else ""
    return Proposal("Fix the signature", apply, text, note=note)


def common(case: ProposalCase) -> dict[str, TraceType] | None:
    """For each parameter that a signature must cover, the type that all calls fit."""
    parameters = case.signature.parameters
    if any(p.kind in (VAR_POSITIONAL, VAR_KEYWORD) for p in parameters.values()):
        return None
    calls = [{n: t for n, _, t in call_type.typed()} for call_type in case.requests.types]
    columns = {name: [call.get(name) for call in calls] for name in parameters}
    varying = [n for n, types in columns.items() if not is_default(parameters[n], types)]
    if not varying or any(parameters[n].kind is KEYWORD_ONLY for n in varying):
        return None
    last = list(parameters).index(varying[-1])
    types = {name: join(columns[name]) for name in list(parameters)[: last + 1]}
    joined = {name: type_ for name, type_ in types.items() if type_ is not None}
    return joined if len(joined) == len(types) else None


def is_default(parameter: inspect.Parameter, types: Sequence[TraceType | None]) -> bool:
    """Whether every call left a parameter at its default, a Python value."""
    default = parameter.default
    return all(
        isinstance(t, LiteralType) and type(t.value) is type(default) and t.value == default
        for t in types
    )


def join(types: Sequence[TraceType | None]) -> TraceType | None:
    """The type of tensors that fits all of these, numbers included; None if there is none."""
    as_tensors = [t for t in types if t is not None and not is_number(t)]
    numbers = [t.value for t in types if is_number(t)]
    if any(t is None for t in types):
        return None
    if numbers:
        dtype = number_dtype(as_tensors, numbers)
        as_tensors.append(TensorSpec([], dtype))
    joined: TraceType | None = as_tensors[0]
    for other in as_tensors[1:]:
        joined = None if joined is None else joined.most_specific_common_supertype([other])
    return joined


def number_dtype(as_tensors: Sequence[TraceType], numbers: Sequence[object]) -> dt.DType:
    """The dtype of numbers: that of a tensor beside them, else int32 or float32."""
    beside = next((t.dtype for t in as_tensors if isinstance(t, TensorSpec)), None)
    if beside is not None:
        return beside
    return dt.int32 if all(type(n) is int for n in numbers) else dt.float32
