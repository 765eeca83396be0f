"""Causes in sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from graphwright.base.errors import Location
from graphwright.explain.cause import Cause, CauseRule, Difference
from graphwright.explain.trace_record import ObjectNote
from graphwright.explain.wording import (
    a,
    kind_of,
    listed,
    paths_shown,
    plural,
    short,
    show_place,
    unique,
)
from graphwright.ir.text import show_type
from graphwright.trace.argument_types import Structure, VariableType
from graphwright.types.trace_type import TraceType

Notes: TypeAlias = dict[int, ObjectNote]


def sentence(cause: Cause, notes: Notes) -> str:
    """A cause in one sentence."""
    return _SENTENCES[cause.rule](cause, notes)


def subject(cause: Cause, one: str = "is", several: str = "are") -> str:
    """The arguments, and a verb that agrees with their number."""
    return f"{paths_shown(cause.paths)} {one if len(cause.paths) == 1 else several}"


def values(cause: Cause) -> list[Any]:
    """The types of the first of a cause's arguments."""
    return cause.types(cause.paths[0])


def of_shape(cause: Cause, notes: Notes) -> str:
    """The sentence about other shapes."""
    shapes = [shape_of(t) for t in values(cause)]
    text = f"{subject(cause, 'comes', 'come')} in {plural(len(shapes), 'shape')}"
    return f"{text}: {listed(shapes)}; each needs a trace."


def shape_of(type_: TraceType) -> str:
    """`[2,?]`"""
    spec = type_.spec if isinstance(type_, VariableType) else type_
    if not hasattr(spec, "type"):
        return short(spec)
    text = show_type(spec.type)
    return text[text.index("[") :] if "[" in text else "unknown rank"


def of_dtype(cause: Cause, notes: Notes) -> str:
    """The sentence about other dtypes."""
    names = unique(getattr(t, "spec", t).dtype.name for t in values(cause))
    return f"{subject(cause, 'comes', 'come')} as {listed(names)}: each dtype needs a trace."


def of_literal(cause: Cause, notes: Notes) -> str:
    """The sentence about other Python values."""
    literals = [t.value for t in values(cause)]
    kinds = listed(unique(type(v).__name__ for v in literals), "or")
    what = subject(cause, f"is {a('Python ' + kinds)}", f"are Python {kinds}s")
    shown = listed([repr(v) for v in literals])
    return (
        f"{what} with {plural(len(literals), 'value')}: {shown}; a Python "
        "value is part of the graph, so each needs a trace."
    )


def of_identity(cause: Cause, notes: Notes) -> str:
    """The sentence about another object."""
    objects = [notes[id(t)] for t in values(cause) if id(t) in notes]
    if all(note.place for note in objects):
        return of_functions(cause, objects)
    kinds = unique(note.kind for note in objects)
    compared = all(note.has_eq for note in objects)
    why = "they are not equal" if compared else f"{listed(kinds)} does not say when two are equal"
    return f"{subject(cause)} another {listed(kinds, 'or')} object in each call, and {why}."


def of_dead(cause: Cause, notes: Notes) -> str:
    """The sentence about an object that is gone."""
    objects = [notes[id(t)] for t in values(cause) if id(t) in notes]
    if all(note.place for note in objects):
        return of_functions(cause, objects)
    kinds = listed(unique(note.kind for note in objects), "or")
    return (
        f"{subject(cause)} {a(kinds)} object, and that of the "
        "earlier trace is gone: a trace holds it by a weak reference, and a dead object equals "
        "no other (not even one with the same id)."
    )


def of_functions(cause: Cause, objects: list[ObjectNote]) -> str:
    """The sentence about a function that is made for each call."""
    places = listed(unique(note.place for note in objects))
    return (
        f"{subject(cause)} another function object in each call, made at {places}: functions are "
        "equal to themselves alone, so each needs a trace."
    )


def of_structure(cause: Cause, notes: Notes) -> str:
    """The sentence about another structure."""
    path = cause.paths[0]
    if path in ("*args", "**kwargs"):
        forms = unique(v for _, d in cause.evidence for v in (d.old, d.new))
        what = "number of arguments" if path == "*args" else "keywords"
        shown = [len(v) if path == "*args" else "/".join(v) for v in forms]
        return f"The {what} changes: {listed(shown)}; each needs a trace."
    types = values(cause)
    structures = [t for t in types if isinstance(t, Structure)]
    if len(structures) == len(types) and len({t.kind for t in types}) == 1:
        if len({t.distinct_keys for t in types}) > 1:
            keys = unique(f"({', '.join(map(repr, t.keys))})" for t in types)
            text = f"{subject(cause, 'comes', 'come')} with {plural(len(keys), 'set')} of keys"
            return f"{text}: {listed(keys)}; each is a structure of its own."
        lengths = listed([len(t.children) for t in types])
        kind = types[0].kind.__name__
        text = f"{subject(cause)} {a(kind)} of {lengths} items"
        return f"{text}: each length is a structure of its own."
    kinds = unique(kind_of(t) for t in types)
    return f"{subject(cause)} {listed(kinds, 'or')}: these are different structures."


def of_kind(cause: Cause, notes: Notes) -> str:
    """The sentence about a Python value in one call and a tensor in another."""
    kinds = listed(unique(kind_of(t) for t in values(cause)), "or")
    return f"{subject(cause)} {kinds}, and no input_signature says which."


def of_variable(cause: Cause, notes: Notes) -> str:
    """The sentence about a variable: one variable twice or not, trainable or not."""
    if len({t.trainable for t in values(cause)}) > 1:
        return (
            f"{subject(cause)} in some calls a trainable variable and in others not: gradients are "
            "part of the graph, so each kind needs a trace."
        )
    return (
        f"{subject(cause)} in some calls the same variable as "
        "another argument and in others not: a trace is made for one of the two."
    )


def of_decorator(cause: Cause, notes: Notes) -> str:
    """The sentence about many functions of one code."""
    place, number = cause.evidence[0][1].old, cause.evidence[0][1].new
    return (
        f"{number} tf.function objects were made of `{cause.paths[0]}`{where(place)}: each begins "
        "without traces."
    )


def of_instance(cause: Cause, notes: Notes) -> str:
    """The sentence about many instances with a method."""
    owners, number = cause.evidence[0][1].old, cause.evidence[0][1].new
    return (
        f"The method `{cause.paths[0]}` was called on {number} instances of {listed(owners)}: "
        "each has traces of its own."
    )


def of_custom(cause: Cause, notes: Notes) -> str:
    """The sentence about a trace type of its own."""
    kinds = listed(unique(type(t).__name__ for t in values(cause)))
    shown = listed([short(t) for t in values(cause)])
    text = f"{subject(cause, 'has', 'have')} the type {kinds}"
    return f"{text}, by which none of {shown} is a subtype of another."


def of_local(cause: Cause, notes: Notes) -> str:
    """The sentence about a captured tensor of the enclosing function."""
    return (
        "The function uses a tensor of the enclosing function, which was being traced. Such a "
        "trace serves only there, and each trace of the enclosing function needs another."
    )


def of_state(cause: Cause, notes: Notes) -> str:
    """The sentence about state that changed, with on_stale="retrace"."""
    text = f"{subject(cause, 'changes', 'change')}: {listed(values(cause))}"
    return f"{text}; the function reads it while tracing, so each value needs a trace."


def where(place: Location | None) -> str:
    """` at file:line`"""
    return "" if place is None else f" at {show_place(place)}"


def evidence(difference: Difference, notes: Notes) -> str:
    """The difference at one argument: the trace's type, then the call's."""
    old, new = difference.old, difference.new
    if difference.rule in (CauseRule.IDENTITY, CauseRule.DEAD):
        was = notes.get(id(old))
        kind = was.kind if was is not None else "object"
        other = "one that is gone" if difference.rule is CauseRule.DEAD else "another one"
        return f"`{difference.path}`: {a(kind)} object, the trace is for {other}"
    if difference.rule is CauseRule.LOCAL:
        return f"`{difference.path}` captures a tensor of the function around it"
    if difference.rule is CauseRule.STATE:
        return f"`{difference.path}` was {old} and is {new}"
    if isinstance(old, tuple):
        return f"`{difference.path}`: ({', '.join(old)}) -> ({', '.join(new)})"
    return f"`{difference.path}`: {short(old)} -> {short(new)}"


def of_recursion(cause: Cause, notes: Notes) -> str:
    """The sentence about a function that calls itself."""
    return (
        f"The function calls itself while it is traced, each time with another "
        f"{paths_shown(cause.paths)}: each of these calls needs a trace."
    )


_SENTENCES: dict[CauseRule, Callable[[Cause, Notes], str]] = {
    CauseRule.SHAPE: of_shape,
    CauseRule.DTYPE: of_dtype,
    CauseRule.LITERAL: of_literal,
    CauseRule.IDENTITY: of_identity,
    CauseRule.DEAD: of_dead,
    CauseRule.STRUCTURE: of_structure,
    CauseRule.VARIABLE: of_variable,
    CauseRule.DECORATOR: of_decorator,
    CauseRule.INSTANCE: of_instance,
    CauseRule.KIND: of_kind,
    CauseRule.CUSTOM: of_custom,
    CauseRule.LOCAL: of_local,
    CauseRule.STATE: of_state,
    CauseRule.RECURSION: of_recursion,
}
