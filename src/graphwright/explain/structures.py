"""Containers that vary: as a tensor, as one kind of container, or with the same keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any

from graphwright.explain.cause import Cause
from graphwright.explain.proposal import Apply, Proposal, ProposalCase
from graphwright.explain.replay import Requests, at_paths
from graphwright.explain.signatures import number_dtype, relaxations
from graphwright.explain.trace_record import is_number
from graphwright.explain.wording import paths_shown, short
from graphwright.trace.argument_types import LiteralType, Structure
from graphwright.trace.signature import POSITIONAL_OR_KEYWORD, FunctionType, Parameter
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec
from graphwright.types.trace_type import TraceType


def structure_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """The changes that make one structure of several, by the way they differ."""
    path = cause.paths[0]
    if path == "*args":
        yield from arguments_stacked(case)
    elif path == "**kwargs":
        yield from keywords_completed(case)
    elif all(isinstance(t, Structure) for p in cause.paths for t in cause.types(p)):
        yield from stacked(case, cause)
        yield from one_kind(case, cause)
        yield from same_keys(case, cause)


def stack(type_: TraceType) -> TensorSpec | None:
    """The tensor that a list of numbers, strings or equal tensors stacks to, or None."""
    if not isinstance(type_, Structure) or type_.keys is not None or not type_.children:
        return None
    return stack_of(list(type_.children))


def stack_of(items: Sequence[TraceType]) -> TensorSpec | None:
    """The tensor that items stack to; None where they do not."""
    numbers = [t.value for t in items if is_number(t)]
    if len(numbers) == len(items):
        return TensorSpec([len(items)], number_dtype([], numbers))
    if all(isinstance(t, LiteralType) and type(t.value) in (str, bytes) for t in items):
        return TensorSpec([len(items)], dt.string)
    first = items[0]
    if not isinstance(first, TensorSpec) or any(t != first for t in items):
        return None
    dims = first.type.dims
    return TensorSpec(None if dims is None else [len(items), *dims], first.dtype)


def stacked(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Tensors of a relaxed length instead of lists of several lengths."""
    changes: dict[Any, Any] = {}
    for path in cause.paths:
        for type_ in cause.types(path):
            tensor = stack(type_)
            if tensor is None:
                return
            changes[type_] = tensor

    apply = changing(cause.paths, lambda t: stack(t) or t)
    title = f"Stack {paths_shown(cause.paths)} to a tensor"
    for relaxed in relaxations(case._replace(requests=apply(case.requests))):
        yield Proposal(
            f"{title} and {relaxed.title[0].lower()}{relaxed.title[1:]}",
            partial(after, apply, relaxed.apply),
            relaxed.code,
            {path: f"tf.stack({path})" for path in cause.paths},
            reduces=relaxed.reduces,
        )


def after(first: Apply, then: Apply, requests: Requests) -> Requests | None:
    """The calls after one change and then another."""
    changed = first(requests)
    return None if changed is None else then(changed)


def one_kind(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Lists and tuples as the kind of container that came first."""
    kinds = {path: cause.types(path)[0].kind for path in cause.paths}
    varying = any(t.kind is not kinds[p] for p in cause.paths for t in cause.types(p))
    known = (list, tuple, dict)
    if not varying or any(t.kind not in known for p in cause.paths for t in cause.types(p)):
        return

    def apply(requests: Requests) -> Requests:
        for path, kind in kinds.items():
            requests = changing([path], partial(of_kind, kind=kind))(requests)
        return requests

    replaced = {path: f"{kind.__name__}({path})" for path, kind in kinds.items()}
    title = f"Pass {paths_shown(cause.paths)} as the same kind of container in every call"
    yield Proposal(title, apply, replaced=replaced)


def of_kind(type_: TraceType, kind: type) -> TraceType:
    """A sequence as another kind of container; any other type as it is."""
    if isinstance(type_, Structure) and type_.keys is None and kind in (list, tuple):
        return Structure(kind, None, type_.children)
    return type_


def same_keys(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Mappings with the keys that they lack."""
    for path in cause.paths:
        types = cause.types(path)
        if any(t.keys is None for t in types):
            return
        parts = {k: c for t in types for k, c in zip(t.keys, t.children)}
        keys = tuple(sorted(parts, key=repr))
        yield Proposal(
            f"Pass the same keys of `{path}` in every call",
            changing([path], partial(completed, parts=parts)),
            "default = {" + ", ".join(f"{k!r}: {filler(parts[k])}" for k in keys) + "}",
            {path: f"{{key: {path}.get(key, default[key]) for key in default}}"},
            note="The program chooses the values that stand for missing ones.",
        )


def filler(type_: TraceType) -> str:
    """The code of some value of a type."""
    if isinstance(type_, TensorSpec) and type_.type.dims is not None:
        return f"tf.zeros({[d or 0 for d in type_.type.dims]}, tf.{type_.dtype.name})"
    return short(type_) if isinstance(type_, LiteralType) else "..."


def changing(
    paths: Sequence[str], change: Callable[[TraceType], TraceType]
) -> Callable[[Requests], Requests]:
    """A change of the types at some paths."""
    return lambda requests: requests.changed(at_paths(paths, change))


def completed(type_: TraceType, parts: dict[Hashable, TraceType]) -> TraceType:
    """A mapping with all keys of `parts`; any other type as it is."""
    if not isinstance(type_, Structure) or type_.keys is None:
        return type_
    items = dict(zip(type_.keys, type_.children))
    keys = tuple(sorted(parts, key=repr))
    return Structure(type_.kind, keys, tuple([items.get(k, parts[k]) for k in keys]))


def arguments_stacked(case: ProposalCase) -> Iterator[Proposal]:
    """One tensor instead of a varying number of arguments."""

    def one(call_type: FunctionType) -> FunctionType | None:
        spec = stack_of([type_ for _, _, type_ in call_type.typed()])
        parameter = Parameter("args", POSITIONAL_OR_KEYWORD, False, spec)
        return None if spec is None else FunctionType([parameter])

    def apply(requests: Requests) -> Requests | None:
        types = [one(call_type) for call_type in requests.types]
        return None if None in types else requests.replaced([t for t in types if t is not None])

    code = f"{case.decorated('reduce_retracing=True', 'args')}\n{case.variable}(tf.stack(args))"
    yield Proposal("Pass the arguments as one tensor", apply, code, reduces=True)


def keywords_completed(case: ProposalCase) -> Iterator[Proposal]:
    """All keywords in every call."""

    def apply(requests: Requests) -> Requests:
        kinds = {n: k for call_type in requests.types for n, k, _ in call_type.typed()}
        types = {n: t for call_type in requests.types for n, _, t in call_type.typed()}
        complete = []
        for call_type in requests.types:
            present = {n: t for n, _, t in call_type.typed()}
            complete.append(
                FunctionType(
                    [Parameter(n, kinds[n], False, present.get(n, types[n])) for n in sorted(kinds)]
                )
            )
        return requests.replaced(complete)

    names = sorted({n for call_type in case.requests.types for n, _, _ in call_type.typed()})
    code = f"{case.variable}({', '.join(f'{n}={n}' for n in names)})"
    yield Proposal("Pass the same keywords in every call", apply, code)
