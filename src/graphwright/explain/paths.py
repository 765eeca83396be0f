"""Paths to values outside a function, and prints of values, which are compared later."""

from __future__ import annotations

import enum
import inspect
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.autograph.exempt import is_library
from graphwright.base.named_tuples import NamedTuple
from graphwright.explain.facts import Facts, NameChain, NameStep, StoreSite, facts_of
from graphwright.trace.signature import Bound
from graphwright.types.arrays import Array
from graphwright.values.tensor import EagerTensor, Tensor

_DEPTH = 4  # of calls of helpers that are followed
_ITEMS = 1000  # of a container are compared
_BYTES = 1 << 16  # of an array are compared, spread over all of it
_CONSTANT = 128  # elements: larger tensors are compared by identity
_NESTED = 3  # levels of containers are compared
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...))

#: A function's code, and the paths of its arguments as text.
FunctionKey: TypeAlias = tuple[types.CodeType, tuple[str, ...]]


class Missing:
    """The value at the end of a path that leads nowhere."""

    def __repr__(self) -> str:
        return "gone"


MISSING = Missing()


class Path(NamedTuple):
    """The way to a value: its beginning, and the steps from there."""

    kind: str  # global, free variable, or argument
    text: str
    begin: Callable[[], Any]
    steps: tuple[NameStep, ...]

    def value(self) -> Any:
        """The value now; MISSING where the path leads nowhere."""
        value = self.begin()
        for step in self.steps:
            value = item(value, step.key) if step.is_item else attribute(value, step.key)
            if value is MISSING:
                return MISSING
        return value

    @property
    def is_lost(self) -> bool:
        """Whether it begins at an argument that no longer exists: nobody can read it again."""
        return self.kind == "argument" and self.begin() is MISSING

    def __str__(self) -> str:
        return f"{self.kind} `{self.text}`"


def item(value: Any, key: object) -> Any:
    """The item of a plain container at a key; MISSING where there is none."""
    if type(value) not in (list, tuple, dict):
        return MISSING
    try:
        return value[key]
    except (LookupError, TypeError):
        return MISSING


def attribute(value: object, name: str) -> Any:
    """An attribute, without running code of the object's class; MISSING where there is none."""
    attributes = getattr(value, "__dict__", {})
    if name in attributes:
        return attributes[name]
    for kind in type(value).__mro__:
        if name in vars(kind):
            member = vars(kind)[name]
            if isinstance(member, types.MemberDescriptorType):  # a slot
                return getattr(value, name, MISSING)
            return member
    return MISSING


# -- objects that a function reaches ---------------------------------------------------------


class Reached:
    """A function that a trace runs, and the paths that its parameters stand for."""

    def __init__(
        self, function: types.FunctionType, arguments: dict[str, Path], facts: Facts
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.facts = facts

    def path(self, chain: NameChain) -> Path | None:
        """The path of a chain in this function; None for local values and for builtins."""
        root = chain.root
        if root in self.facts.parameters:
            start = self.arguments.get(root)
            if start is None:
                return None
            steps = (*start.steps, *chain.steps)
            text = start.text + "".join(map(str, chain.steps))
            return Path(start.kind, text, start.begin, steps)
        code = self.function.__code__
        if root in code.co_freevars:
            cell = (self.function.__closure__ or ())[code.co_freevars.index(root)]
            return Path("free variable", str(chain), lambda: contents(cell), chain.steps)
        scope = self.function.__globals__
        if root not in scope and not any(s.target.root == root for s in self.facts.stores):
            return None
        return Path("global", str(chain), lambda: scope.get(root, MISSING), chain.steps)


def contents(cell: types.CellType) -> Any:
    """The value in a cell of a closure; MISSING where it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def argument_path(name: str, value: object) -> Path | None:
    """The path to an argument, which does not keep it alive; None where that is impossible."""
    try:
        reference = weakref.ref(value)
    except TypeError:
        return None

    def begin() -> Any:
        target = reference()
        return MISSING if target is None else target

    return Path("argument", name, begin, ())


def reached(function: object, bound: Bound) -> list[Reached]:
    """The functions of the program that a call runs, as far as their source shows."""
    inner, passed = python_function(function)
    if inner is None:
        return []
    arguments: dict[str, Path] = {}
    for name, value in [*passed, *[(name, value) for name, _, value in bound]]:
        if not isinstance(value, (*_PLAIN, *_CONTAINERS, Tensor, np.ndarray)):
            path = argument_path(name, value)
            if path is not None:
                arguments[name] = path
    functions: dict[FunctionKey, Reached] = {}
    reach(inner, arguments, functions, 0)
    return list(functions.values())


def python_function(
    function: object,
) -> tuple[types.FunctionType | None, list[tuple[str, object]]]:
    """The Python function that a call runs, if any, and its first parameter where that is bound."""
    instance = getattr(function, "__self__", None)
    inner: Any = getattr(function, "__func__", function)
    inner = inspect.unwrap(inner) if not isinstance(inner, types.FunctionType) else inner
    if not isinstance(inner, types.FunctionType):  # an object that can be called
        instance, inner = inner, attribute(inner, "__call__")
    if not isinstance(inner, types.FunctionType):
        return None, []
    is_bound = instance is not None and inner.__code__.co_argcount
    return inner, [(inner.__code__.co_varnames[0], instance)] if is_bound else []


def reach(
    function: types.FunctionType,
    arguments: dict[str, Path],
    functions: dict[FunctionKey, Reached],
    depth: int,
) -> None:
    """Adds a function and the functions that it calls."""
    key = function.__code__, tuple(sorted(path.text for path in arguments.values()))
    if key in functions or depth > _DEPTH:
        return
    here = functions[key] = Reached(function, arguments, facts_of(function))
    for call in here.facts.calls:
        path = here.path(call.function)
        if path is None:
            continue
        called = path.value()
        inner = getattr(called, "__func__", called)
        owner = Path(path.kind, path.text.rpartition(".")[0], path.begin, path.steps[:-1])
        is_method = bool(path.steps) and not isinstance(owner.value(), types.ModuleType)
        if not callable(inner) or isinstance(inner, type):
            continue
        if not isinstance(inner, types.FunctionType):  # an object that can be called
            owner, is_method, inner = path, True, attribute(inner, "__call__")
        if not isinstance(inner, types.FunctionType) or is_foreign(inner):
            continue
        names = inner.__code__.co_varnames[: inner.__code__.co_argcount]
        passed: dict[str, Path] = {}
        if is_method and names:
            passed[names[0]] = owner
        for name, chain in [*zip(names[is_method:], call.arguments), *call.keywords]:
            argument = None if chain is None else here.path(chain)
            if argument is not None:
                passed[name] = argument
        reach(inner, passed, functions, depth + 1)


def is_foreign(function: types.FunctionType) -> bool:
    """Whether a function belongs to a library."""
    return is_library(function.__globals__.get("__name__") or "")


def read_paths(functions: Sequence[Reached]) -> Iterator[Path]:
    """The paths that functions read, each once."""
    seen: set[tuple[str, str]] = set()
    for here in functions:
        for chain in here.facts.reads:
            path = here.path(chain)
            if path is None or (path.kind == "argument" and not path.steps):
                continue  # dispatch looks at which object was passed
            if (path.kind, path.text) not in seen:
                seen.add((path.kind, path.text))
                yield path


def store_paths(functions: Sequence[Reached]) -> Iterator[tuple[Path, StoreSite, Reached]]:
    """The paths that functions change, with the place of each change."""
    for here in functions:
        for store in here.facts.stores:
            path = here.path(store.target)
            if path is not None:
                yield path, store, here


# -- prints of values -------------------------------------------------------------------------


class _Place:
    """The place of an object in memory, as a function without arguments."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def __call__(self) -> int:
        return self._number


class SameObject:
    """An object by its identity. It stays alive only where no weak reference is possible.

    Without `holds` it never does: a later object in the same place counts as the same.
    """

    __slots__ = ("_get", "kind")

    def __init__(self, value: object, holds: bool = True) -> None:
        self.kind = type(value).__name__
        self._get: Callable[[], object]
        try:
            self._get = weakref.ref(value)
        except TypeError:
            self._get = (lambda: value) if holds else _Place(id(value))

    def __eq__(self, other: object) -> bool:
        mine = self._get()
        if isinstance(self._get, _Place):
            return isinstance(other, SameObject) and mine == other._get()
        return isinstance(other, SameObject) and mine is not None and mine is other._get()

    __hash__ = None  # type: ignore[assignment]


def print_of(value: Any, nested: int = 0, holds: bool = True) -> Any:
    """The print of a value, to compare: constants by value, other objects by identity.

    Without `holds` it keeps no object alive.
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, repr(value) if value != value else value
    if isinstance(value, enum.Enum) or value is MISSING:
        return SameObject(value, holds)
    if isinstance(value, np.ndarray):
        return kind, value.dtype, value.shape, sample(value)
    if isinstance(value, np.generic):
        return kind, value.tobytes()
    if isinstance(value, EagerTensor):
        small = value.dtype.is_numpy_compatible and value._array.size <= _CONSTANT
        return (kind, value.dtype, value._array.tobytes()) if small else SameObject(value, holds)
    if kind in _CONTAINERS and nested < _NESTED and len(value) <= _ITEMS:
        if isinstance(value, dict):
            return kind, {k: print_of(v, nested + 1, holds) for k, v in value.items()}
        if isinstance(value, (set, frozenset)):
            return kind, frozenset(value)
        return kind, [print_of(v, nested + 1, holds) for v in value]
    return (
        (SameObject(value, holds), len(value)) if kind in _CONTAINERS else SameObject(value, holds)
    )


class _Shown:
    """Stands for a value of which only the print is known."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def value_of(made: Any) -> Any:
    """A value that shows as the one of which `print_of` made a print."""
    if isinstance(made, SameObject):
        return _Shown(f"<{made.kind} object>")
    kind, *rest = made
    if isinstance(kind, SameObject):
        return value_of(kind)
    if kind in _CONTAINERS:
        [inside] = rest
        if isinstance(inside, dict):
            return {key: value_of(item) for key, item in inside.items()}
        return inside if isinstance(inside, frozenset) else kind(map(value_of, inside))
    if kind in _PLAIN:
        return rest[0]
    return _Shown(f"<{kind.__name__}{f' of shape {rest[1]}' if len(rest) == 3 else ''}>")


def sample(array: Array) -> bytes:
    """The bytes of an array; of a large one a part, spread over all of it."""
    step = 1 + array.nbytes // _BYTES
    part: bytes = array.ravel()[::step].tobytes() if array.dtype != object else b""
    return part


def is_worth_watching(value: object) -> bool:
    """Whether a value is data: not a module, class, or function of a library."""
    if value is MISSING or isinstance(value, (types.ModuleType, type, property)):
        return False
    if isinstance(value, types.FunctionType):
        return not is_foreign(value)
    return isinstance(value, (*_PLAIN, *_CONTAINERS)) or not callable(value)
