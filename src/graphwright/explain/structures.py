"""Containers that vary: made a tensor, of one kind, or of the same keys in every call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from graphwright.explain.cause import Cause
from graphwright.explain.proposal import Apply, Proposal, ProposalCase
from graphwright.explain.replay import Asked, at
from graphwright.explain.signatures import number_dtype, relaxations
from graphwright.explain.trace_record import is_number
from graphwright.explain.wording import paths_shown, short
from graphwright.trace.argument_types import LiteralType, Structure
from graphwright.trace.signature import POSITIONAL_OR_KEYWORD, FunctionType, Parameter
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec


def structure_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """What makes one structure of several, by how they differ."""
    path = cause.paths[0]
    if path == "*args":
        yield from arguments_stacked(case)
    elif path == "**kwargs":
        yield from keywords_completed(case)
    elif all(isinstance(t, Structure) for p in cause.paths for t in cause.types(p)):
        yield from stacked(case, cause)
        yield from one_kind(case, cause)
        yield from same_keys(case, cause)


def stack(type_: Any) -> TensorSpec | None:
    """The tensor that a list of numbers, of strings or of tensors of one type can be made."""
    if not isinstance(type_, Structure) or type_.keys is not None or not type_.children:
        return None
    return stack_of(list(type_.children))


def stack_of(items: list[Any]) -> TensorSpec | None:
    """The tensor that items stack to; None where they do not."""
    if all(map(is_number, items)):
        return TensorSpec([len(items)], number_dtype([], [t.value for t in items]))
    if all(isinstance(t, LiteralType) and type(t.value) in (str, bytes) for t in items):
        return TensorSpec([len(items)], dt.string)
    first = items[0]
    if not isinstance(first, TensorSpec) or any(t != first for t in items):
        return None
    dims = first.type.dims
    return TensorSpec(None if dims is None else [len(items), *dims], first.dtype)


def stacked(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Lists of varying length as tensors of a relaxed length."""
    changes: dict[Any, Any] = {}
    for path in cause.paths:
        for type_ in cause.types(path):
            found = stack(type_)
            if found is None:
                return
            changes[type_] = found

    apply = changing(cause.paths, lambda t: stack(t) or t)
    title = f"Stack {paths_shown(cause.paths)} to a tensor"
    for relaxed in relaxations(case._replace(asked=apply(case.asked))):
        yield Proposal(
            f"{title} and {relaxed.title[0].lower()}{relaxed.title[1:]}",
            partial(after, apply, relaxed.apply),
            relaxed.code,
            {path: f"tf.stack({path})" for path in cause.paths},
            reduces=relaxed.reduces,
        )


def after(first: Apply, then: Apply, asked: Asked) -> Asked | None:
    """One change, and another one after it."""
    changed = first(asked)
    return None if changed is None else then(changed)


def one_kind(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Lists and tuples as the one of them that came first."""
    kinds = {path: cause.types(path)[0].kind for path in cause.paths}
    varying = any(t.kind is not kinds[p] for p in cause.paths for t in cause.types(p))
    known = (list, tuple, dict)
    if not varying or any(t.kind not in known for p in cause.paths for t in cause.types(p)):
        return

    def apply(asked: Asked) -> Asked:
        for path, kind in kinds.items():
            asked = changing([path], partial(of_kind, kind=kind))(asked)
        return asked

    replaced = {path: f"{kind.__name__}({path})" for path, kind in kinds.items()}
    title = f"Pass {paths_shown(cause.paths)} as the same kind of container in every call"
    yield Proposal(title, apply, replaced=replaced)


def of_kind(type_: Any, kind: type) -> Any:
    """A sequence of another kind."""
    fits = isinstance(type_, Structure) and type_.keys is None and kind in (list, tuple)
    return Structure(kind, None, type_.children) if fits else type_


def same_keys(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Mappings completed by the keys that they lack."""
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
            note="What stands for a missing value is yours to choose.",
        )


def filler(type_: Any) -> str:
    """Code of a value of a type."""
    if isinstance(type_, TensorSpec) and type_.type.dims is not None:
        return f"tf.zeros({[d or 0 for d in type_.type.dims]}, tf.{type_.dtype.name})"
    return short(type_) if isinstance(type_, LiteralType) else "..."


def changing(paths: Sequence[str], change: Callable[[Any], Any]) -> Callable[[Asked], Asked]:
    """A change of the types at some paths."""
    return lambda asked: asked.changed(at(paths, change))


def completed(type_: Any, parts: dict[Any, Any]) -> Any:
    """A mapping with all keys of `parts`."""
    if not isinstance(type_, Structure) or type_.keys is None:
        return type_
    own = dict(zip(type_.keys, type_.children))
    keys = tuple(sorted(parts, key=repr))
    return Structure(type_.kind, keys, tuple([own.get(k, parts[k]) for k in keys]))


def arguments_stacked(case: ProposalCase) -> Iterator[Proposal]:
    """A varying number of arguments as one tensor."""

    def one(wanted: FunctionType) -> FunctionType | None:
        spec = stack_of([type_ for _, _, type_ in wanted.typed()])
        parameter = Parameter("args", POSITIONAL_OR_KEYWORD, False, spec)
        return None if spec is None else FunctionType([parameter])

    def apply(asked: Asked) -> Asked | None:
        types = [one(wanted) for wanted in asked.types]
        return None if None in types else asked.replaced([t for t in types if t is not None])

    code = f"{case.decorated('reduce_retracing=True', 'args')}\n{case.variable}(tf.stack(args))"
    yield Proposal("Pass the arguments as one tensor", apply, code, reduces=True)


def keywords_completed(case: ProposalCase) -> Iterator[Proposal]:
    """Keywords that some calls leave out, given by all."""

    def apply(asked: Asked) -> Asked:
        kinds = {n: k for wanted in asked.types for n, k, _ in wanted.typed()}
        types = {n: t for wanted in asked.types for n, _, t in wanted.typed()}
        complete = []
        for wanted in asked.types:
            own = {n: t for n, _, t in wanted.typed()}
            complete.append(
                FunctionType(
                    [Parameter(n, kinds[n], False, own.get(n, types[n])) for n in sorted(kinds)]
                )
            )
        return asked.replaced(complete)

    names = sorted({n for wanted in case.asked.types for n, _, _ in wanted.typed()})
    code = f"{case.variable}({', '.join(f'{n}={n}' for n in names)})"
    yield Proposal("Pass the same keywords in every call", apply, code)
