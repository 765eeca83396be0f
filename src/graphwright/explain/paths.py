"""Ways to values outside a function, and what is remembered of a value."""

from __future__ import annotations

import enum
import inspect
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwright.autograph.exempt import is_library
from graphwright.base.named_tuples import NamedTuple
from graphwright.explain.facts import Facts, NameChain, NameStep, StoreSite, facts_of
from graphwright.values.tensor import EagerTensor, Tensor

_DEPTH = 4  # of helpers that call helpers
_ITEMS = 1000  # of a container that are compared
_BYTES = 1 << 16  # of an array that are compared, spread over all of it
_CONSTANT = 128  # elements up to which tensors are compared by value
_NESTED = 3  # containers in containers
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...))


class Missing:
    """The value at the end of a way that leads nowhere."""

    def __repr__(self) -> str:
        return "gone"


MISSING = Missing()


class Path(NamedTuple):
    """A way to a value: where it begins, and the steps."""

    kind: str  # global, free variable, or argument
    text: str
    begin: Callable[[], Any]
    steps: tuple[NameStep, ...]

    def value(self) -> Any:
        """The value now; MISSING where the way leads nowhere."""
        value = self.begin()
        for step in self.steps:
            value = item(value, step.key) if step.is_item else attribute(value, step.key)
            if value is MISSING:
                return MISSING
        return value

    @property
    def is_lost(self) -> bool:
        """Whether it began at an argument that is no more: nobody can ask for it again."""
        return self.kind == "argument" and self.begin() is MISSING

    def __str__(self) -> str:
        return f"{self.kind} `{self.text}`"


def item(value: Any, key: Any) -> Any:
    """What a plain container has at a key."""
    if type(value) not in (list, tuple, dict):
        return MISSING
    try:
        return value[key]
    except (LookupError, TypeError):
        return MISSING


def attribute(value: Any, name: str) -> Any:
    """An attribute, found without running code of the object's class."""
    own = getattr(value, "__dict__", {})
    if name in own:
        return own[name]
    for kind in type(value).__mro__:
        if name in vars(kind):
            found = vars(kind)[name]
            if isinstance(found, types.MemberDescriptorType):  # a slot
                return getattr(value, name, MISSING)
            return found
    return MISSING


# -- what a function can reach ---------------------------------------------------------------


@dataclass(frozen=True)
class Reached:
    """A function that a trace runs, and what its names stand for."""

    function: types.FunctionType
    arguments: dict[str, Path]
    facts: Facts

    def path(self, chain: NameChain) -> Path | None:
        """The way that a chain is in this function; None for its own values and for builtins."""
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


def contents(cell: Any) -> Any:
    """What a cell of a closure holds."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def argument_path(name: str, value: Any) -> Path | None:
    """The way to an object that was passed: it is not kept alive."""
    try:
        reference = weakref.ref(value)
    except TypeError:
        return None

    def begin() -> Any:
        found = reference()
        return MISSING if found is None else found

    return Path("argument", name, begin, ())


def reached(function: Any, bound: Sequence[tuple[str, Any, Any]]) -> list[Reached]:
    """The user's functions that a call runs, as far as their text shows."""
    arguments: dict[str, Path] = {}
    instance = getattr(function, "__self__", None)
    inner = getattr(function, "__func__", function)
    inner = inspect.unwrap(inner) if not isinstance(inner, types.FunctionType) else inner
    if not isinstance(inner, types.FunctionType):  # an object that can be called
        instance, inner = inner, attribute(inner, "__call__")
    if not isinstance(inner, types.FunctionType):
        return []
    given = [(name, value) for name, _, value in bound]
    if instance is not None and inner.__code__.co_argcount:
        given.insert(0, (inner.__code__.co_varnames[0], instance))
    for name, value in given:
        if not isinstance(value, (*_PLAIN, *_CONTAINERS, Tensor, np.ndarray)):
            path = argument_path(name, value)
            if path is not None:
                arguments[name] = path
    found: dict[Any, Reached] = {}
    reach(inner, arguments, found, 0)
    return list(found.values())


def reach(
    function: types.FunctionType, arguments: dict[str, Path], found: dict[Any, Reached], depth: int
) -> None:
    """Adds a function and those that it calls."""
    key = function.__code__, tuple(sorted(path.text for path in arguments.values()))
    if key in found or depth > _DEPTH:
        return
    here = found[key] = Reached(function, arguments, facts_of(function))
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
            given = None if chain is None else here.path(chain)
            if given is not None:
                passed[name] = given
        reach(inner, passed, found, depth + 1)


def is_foreign(function: types.FunctionType) -> bool:
    """Whether a function belongs to a library."""
    return is_library(function.__globals__.get("__name__") or "")


def read_paths(functions: Sequence[Reached]) -> Iterator[Path]:
    """The ways that functions read, each once."""
    seen: set[tuple[str, str]] = set()
    for here in functions:
        for chain in here.facts.reads:
            path = here.path(chain)
            if path is None or (path.kind == "argument" and not path.steps):
                continue  # which object was passed is what dispatch looks at
            if (path.kind, path.text) not in seen:
                seen.add((path.kind, path.text))
                yield path


def store_paths(functions: Sequence[Reached]) -> Iterator[tuple[Path, StoreSite, Reached]]:
    """The ways that functions change."""
    for here in functions:
        for store in here.facts.stores:
            path = here.path(store.target)
            if path is not None:
                yield path, store, here


# -- what is remembered of a value ------------------------------------------------------------


class SameObject:
    """An object known by who it is; not kept alive where that can be had."""

    __slots__ = ("_get",)

    def __init__(self, value: Any) -> None:
        try:
            self._get = weakref.ref(value)
        except TypeError:
            self._get = lambda: value  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        mine = self._get()
        return isinstance(other, SameObject) and mine is not None and mine is other._get()

    __hash__ = None  # type: ignore[assignment]


def print_of(value: Any, nested: int = 0) -> Any:
    """What of a value is compared: values that cannot change, who it is of others."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, repr(value) if value != value else value
    if isinstance(value, enum.Enum) or value is MISSING:
        return SameObject(value)
    if isinstance(value, np.ndarray):
        return kind, value.dtype, value.shape, sample(value)
    if isinstance(value, np.generic):
        return kind, value.tobytes()
    if isinstance(value, EagerTensor):
        small = value.dtype.is_numpy_compatible and value._array.size <= _CONSTANT
        return (kind, value.dtype, value._array.tobytes()) if small else SameObject(value)
    if kind in _CONTAINERS and nested < _NESTED and len(value) <= _ITEMS:
        if isinstance(value, dict):
            return kind, {k: print_of(v, nested + 1) for k, v in value.items()}
        if isinstance(value, (set, frozenset)):
            return kind, frozenset(value)
        return kind, [print_of(v, nested + 1) for v in value]
    return (SameObject(value), len(value)) if kind in _CONTAINERS else SameObject(value)


def sample(array: Any) -> bytes:
    """The bytes of an array, of a large one some spread over all of it."""
    step = 1 + array.nbytes // _BYTES
    found: bytes = array.ravel()[::step].tobytes() if array.dtype != object else b""
    return found


def is_worth_watching(value: Any) -> bool:
    """Whether a value is data: not a module, class, or function of a library."""
    if value is MISSING or isinstance(value, (types.ModuleType, type, property)):
        return False
    if isinstance(value, types.FunctionType):
        return not is_foreign(value)
    return isinstance(value, (*_PLAIN, *_CONTAINERS)) or not callable(value)
