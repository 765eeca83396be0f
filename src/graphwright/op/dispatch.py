"""Dispatch: what a public function means for composite values, and for types of a program.

The package exports each op's function in its *open* form (`opened`): the function itself
under a `try`. Only when it refuses its arguments, the meanings that are registered for it are
looked through. An error then shows the lines of the program. So tensors pay for one call of a
function with the very same parameters, and nothing else.

A meaning is registered for one function (`implement`), or for all that work element by
element (the `DispatchFamily` UNARY, BINARY, ASSERTIONS). Meanings that a program registers go
before those of the library, and must not be ambiguous.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

from graphwright.base.errors import VARIADIC
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.refusal import leave, public_form
from graphwright.types import tree

F = TypeVar("F", bound=Callable[..., Any])
Function: TypeAlias = Callable[..., Any]
Test: TypeAlias = Callable[[Any], bool]

#: What a function raises that cannot take its arguments.
REFUSALS = (TypeError, ValueError, AttributeError, LookupError)


class Meaning(NamedTuple):
    """What a function means for some arguments, given by name."""

    accepts: Callable[[Mapping[str, Any]], bool]
    target: Function
    call: Callable[[Mapping[str, Any]], Any]
    is_users: bool


class DispatchFamily:
    """Functions that one handler serves: it is called with the function and its operands."""

    def __init__(self, what: str, count: int) -> None:
        self.what = what
        self.count = count
        self.functions: dict[Function, None] = {}
        self.handlers: list[tuple[tuple[Test, ...], Function, bool]] = []

    def declare(self, *functions: Function) -> None:
        """Says which functions belong to the family."""
        self.functions.update(dict.fromkeys(functions))

    def handle(self, *tests: Test, is_users: bool = False) -> Callable[[F], F]:
        """Registers a handler for operands that pass the tests, one for each."""

        def register(handler: F) -> F:
            self.handlers.append((tests, handler, is_users))
            return handler

        return register

    def meanings(self, function: Function) -> Iterator[Meaning]:
        """What the handlers make of one function of the family."""
        if function in self.functions:
            for tests, handler, is_users in self.handlers:
                yield Meaning(
                    functools.partial(self._accepts, tests),
                    handler,
                    functools.partial(self._call, function, handler),
                    is_users,
                )

    def _accepts(self, tests: tuple[Test, ...], arguments: Mapping[str, object]) -> bool:
        return all(test(x) for test, x in zip(tests, arguments.values()))

    def _call(self, function: Function, handler: Function, arguments: Mapping[str, object]) -> Any:
        names = list(arguments)
        operands = [arguments[name] for name in names[: self.count]]
        options = {n: arguments[n] for n in names[self.count :]}
        options = without_defaults(function, options)
        public = opened(function)
        return handler(functools.partial(public, **options) if options else public, *operands)


UNARY: DispatchFamily = DispatchFamily("unary elementwise", 1)
BINARY: DispatchFamily = DispatchFamily("binary elementwise", 2)
ASSERTIONS: DispatchFamily = DispatchFamily("binary elementwise assert", 2)
FAMILIES = (UNARY, BINARY, ASSERTIONS)

_MEANINGS: dict[Function, list[Meaning]] = {}
_CLOSED: dict[Function, Function] = {}


def implement(function: Function, *kinds: type, first: bool = False) -> Callable[[F], F]:
    """Registers what `function` means where an argument, or an item of one, is of a kind; with
    `first`, where the first argument is.

    The decorated function takes the same arguments, by position.
    """

    def accepts(arguments: Mapping[str, object]) -> bool:
        if first:
            return isinstance(next(iter(arguments.values())), kinds)
        return any(isinstance(leaf, kinds) for leaf in tree.flatten(list(arguments.values())))

    def register(target: F) -> F:
        def call(arguments: Mapping[str, object]) -> Any:
            return target(*arguments.values())

        add_meaning(function, Meaning(accepts, target, call, is_users=False))
        return target

    return register


def add_meaning(function: Function, meaning: Meaning) -> None:
    """Registers a meaning of a function."""
    _MEANINGS.setdefault(function, []).append(meaning)


def forget(target: Function) -> bool:
    """Removes all that was registered with a target; returns whether there was something."""
    any_removed = False
    for meanings in _MEANINGS.values():
        others = [m for m in meanings if m.target is not target]
        any_removed |= len(others) < len(meanings)
        meanings[:] = others
    for family in FAMILIES:
        left = [h for h in family.handlers if h[1] is not target]
        any_removed |= len(left) < len(family.handlers)
        family.handlers[:] = left
    return any_removed


class LibraryMeanings:
    """Registers what the library's composites give a meaning; `hooks` provides it.

    Few programs need it, so it waits for the first arguments that a function refuses.
    """

    register: Callable[[], object]


def meanings_of(function: Function) -> Iterator[Meaning]:
    """All registered meanings of a function."""
    LibraryMeanings.register()
    yield from _MEANINGS.get(function, ())
    for family in FAMILIES:
        yield from family.meanings(function)


def find(function: Function, values: tuple[object, ...], named: dict[str, object]) -> Any:
    """The call that a function's registered meanings make of these arguments, or None."""
    try:
        arguments = bound(function, values, named)
    except TypeError:
        return None  # the arguments fit no meaning: the function has said so
    try:
        matches = [m for m in meanings_of(function) if m.accepts(arguments)]
    except tree.Cycle:
        return None  # likewise
    users = [m for m in matches if m.is_users]
    if len(users) > 1:
        raise ValueError(
            "Multiple dispatch targets that were registered with tf.dispatch_for "
            f"({users[0].target} and {users[1].target}) match the arguments to "
            f"{function.__name__}"
        )
    if not matches:
        return None
    ordered = [*users, *(m for m in matches if not m.is_users)]
    return functools.partial(_first_result, ordered, arguments, function, values, named)


def _first_result(
    meanings: Iterable[Meaning],
    arguments: Mapping[str, object],
    function: Function,
    values: tuple[object, ...],
    named: dict[str, object],
) -> Any:
    for meaning in meanings:
        result = meaning.call(arguments)
        if result is not NotImplemented:
            return result
    return function(*values, **named)  # which refuses them again, in its own words


def call(function: Function, *values: Any) -> Any:
    """Calls a function that is known not to take these arguments itself."""
    meaning = find(function, values, {})
    return function(*values) if meaning is None else meaning()


@functools.cache
def defaults_of(function: Function) -> dict[str, Any]:
    """The parameters of a function, with their defaults (`inspect.Parameter.empty` for none)."""
    return {n: p.default for n, p in inspect.signature(function).parameters.items()}


def bound(
    function: Function, values: tuple[object, ...], named: dict[str, object]
) -> dict[str, Any]:
    """All arguments of a call by name, defaults included."""
    defaults = defaults_of(function)
    variadic = function.__code__.co_flags & VARIADIC
    if not named and not variadic and len(values) == len(defaults):
        return dict(zip(defaults, values))
    arguments = inspect.signature(function).bind(*values, **named)
    arguments.apply_defaults()
    return arguments.arguments


def without_defaults(function: Function, arguments: Mapping[str, object]) -> dict[str, Any]:
    """The arguments that differ from the defaults of the function."""
    defaults = defaults_of(function)
    return {n: v for n, v in arguments.items() if v is not defaults[n]}


def closed(function: Function) -> Any:
    """The function inside an open one; the function itself if it is not open."""
    return _CLOSED.get(function, function)


def opened(function: Function) -> Function:
    """The public form of a function to which others can give a meaning."""
    if function in _CLOSED:
        return function
    public = public_form(function, refused)
    _CLOSED[public] = function
    return public


def refused(
    error: Exception, function: Function, values: tuple[object, ...], named: dict[str, object]
) -> Any:
    """The meaning of a call that raised, if it was refused and has one, else None."""
    meaning = find(function, values, named) if isinstance(error, REFUSALS) else None
    if meaning is None:
        leave(error, function, values, named)
    return meaning
