"""What lay around a function when a trace was made: noted in microseconds, looked at later.

The source says which of it the function reads, and to read the source takes longer than a small
trace. So a glimpse takes every value that the code could name. When somebody asks for a report, it
finds the reads in the source, and compares those alone.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from graphwright.autograph.exempt import is_library
from graphwright.explain.paths import (
    MISSING,
    Path,
    SameObject,
    argument_path,
    contents,
    is_foreign,
    is_worth_watching,
    print_of,
    python_function,
    reached,
    read_paths,
)
from graphwright.explain.state import StateRead, StateWatch
from graphwright.trace.signature import POSITIONAL_OR_KEYWORD, Bound

_FUNCTIONS = 16  # that one trace runs are looked at
_ITEMS = 16  # of a container or an array are compared
_NESTED = 3  # levels of objects and containers are compared
_PLAIN = frozenset({int, float, complex, str, bytes, bool, type(None)})
_CONTAINERS = frozenset({list, tuple, dict})
#: What no program changes: a glimpse leaves it out.
_FIXED = (types.ModuleType, type, types.BuiltinFunctionType)

#: The kind of a path, and the name that it begins with.
PathRoot: TypeAlias = tuple[str, str]


class SeenObject(SameObject):
    """An object by its identity, with the prints of the attributes that code names."""

    __slots__ = ("attributes",)

    def __init__(self, value: object, attributes: dict[str, Any]) -> None:
        super().__init__(value, holds=False)
        self.attributes = attributes


class Glimpse:
    """The values that the code of a function could name, as prints that keep no object alive."""

    __slots__ = ("_arguments", "_prints")

    def __init__(self, function: object, bound: Bound) -> None:
        inner, passed = python_function(function)
        passed += [(name, value) for name, _, value in bound]
        objects = {name: value for name, value in passed if has_attributes(value)}
        values: dict[PathRoot, Any] = {("argument", name): value for name, value in objects.items()}
        names: set[str] = set()
        functions = [] if inner is None else [inner]
        for each in functions:  # it grows by those that are called
            mine = set(names_of(each.__code__))
            names |= mine
            around = values_around(each, mine)
            values.update(around)
            callers = [*objects.values(), *around.values()]
            for called in functions_among(callers, mine):
                if called not in functions and len(functions) < _FUNCTIONS:
                    functions.append(called)
        self._prints = {
            root: seen(value, names)
            for root, value in values.items()
            if not isinstance(value, _FIXED)
        }
        self._arguments = [argument_path(name, value) for name, value in objects.items()]

    def arguments(self) -> Bound:
        """The objects among the arguments that are still there."""
        alive = [(path.text, path.begin()) for path in self._arguments if path is not None]
        kind = POSITIONAL_OR_KEYWORD
        return [(name, kind, value) for name, value in alive if value is not MISSING]

    def at(self, path: Path) -> Any:
        """The print of the value at a path; None where the glimpse did not reach."""
        root = path.text.partition(".")[0].partition("[")[0]
        made = self._prints.get((path.kind, root))
        for step in path.steps:
            if isinstance(made, SeenObject):
                made = None if step.is_item else made.attributes.get(step.key)
            elif type(made) is tuple and made[0] in _CONTAINERS and step.is_item:
                inside = made[1]
                known = dict(enumerate(inside)) if isinstance(inside, list) else inside
                made = known.get(step.key)
            else:
                return None
        return made


class GlimpseWatch(StateWatch):
    """The values of a glimpse that a function reads, for reports alone: no call looks at them."""

    def __init__(self, name: str, function: object, glimpse: Glimpse) -> None:
        super().__init__("ignore", name, [])
        arguments = glimpse.arguments()
        self._now = Glimpse(function, arguments)
        for path in read_paths(reached(function, arguments)):
            made, value = glimpse.at(path), path.value()
            if made is not None and (value is MISSING or is_worth_watching(value)):
                self.reads.append(StateRead(path, made, ""))

    def print_now(self, read: StateRead) -> Any:
        return self._now.at(read.path)


def names_of(code: types.CodeType) -> Iterator[str]:
    """The names of globals and attributes in code, that of functions in it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_of(constant)


def values_around(function: types.FunctionType, names: set[str]) -> dict[PathRoot, Any]:
    """The globals that have one of these names, and the free variables of a function."""
    scope = function.__globals__
    values: dict[PathRoot, Any] = {("global", n): scope[n] for n in names & scope.keys()}
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    return values | {("free variable", name): contents(cell) for name, cell in cells}


def functions_among(values: Iterable[object], names: set[str]) -> Iterator[types.FunctionType]:
    """The functions of the program among values, and the methods of values that have such names."""
    for value in values:
        if isinstance(value, types.FunctionType):
            if not is_foreign(value):
                yield value
        elif has_attributes(value):
            for kind in type(value).__mro__:
                named = names & vars(kind).keys()
                if named and not is_library(kind.__module__):
                    methods = [vars(kind)[name] for name in named]
                    yield from [m for m in methods if isinstance(m, types.FunctionType)]


def has_attributes(value: object) -> bool:
    """Whether a value is an object with attributes of its own, and no function."""
    return hasattr(value, "__dict__") and not isinstance(value, (*_FIXED, types.FunctionType))


def seen(value: Any, names: set[str], nested: int = 0) -> Any:
    """The print of a value, of an object with the attributes that have one of these names."""
    kind = type(value)
    if kind in _PLAIN or (isinstance(value, np.ndarray) and value.size <= _ITEMS):
        return print_of(value, holds=False)
    if kind in _CONTAINERS and len(value) <= _ITEMS and nested < _NESTED:
        if kind is dict:
            return kind, {key: seen(item, names, nested + 1) for key, item in value.items()}
        return kind, [seen(item, names, nested + 1) for item in value]
    if has_attributes(value) and nested < _NESTED:
        attributes = vars(value)
        inside = {
            name: seen(attributes[name], names, nested + 1) for name in names & attributes.keys()
        }
        return SeenObject(value, inside)
    return SameObject(value, holds=False)
