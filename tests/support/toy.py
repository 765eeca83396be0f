"""A toy tensor, and a staging for it that takes both branches of everything.

A `Toy` holds a number but refuses to be a Python bool or index, as a tensor in a graph
does. `ToyStaging.cond` runs both branches and picks afterwards, so what one branch leaks
into the other shows; its loops run, checking their variables in each iteration.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from graphwright.autograph import conversion, converted_operators
from graphwright.autograph.syntax import OPERATORS
from graphwright.base.errors import OperatorNotAllowedInGraphError


class Toy:
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value.value if isinstance(value, Toy) else value

    def __repr__(self) -> str:
        return f"Toy({self.value})"

    def __bool__(self) -> bool:
        raise _undecided(self)

    def __index__(self) -> int:
        raise TypeError("a toy tensor is not an index")

    def __contains__(self, item: Any) -> bool:
        raise _undecided(self)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a toy tensor cannot be iterated")

    __hash__ = None


def _undecided(toy: Toy) -> Exception:
    error = OperatorNotAllowedInGraphError("a toy tensor is not a Python bool")
    error.undecided = toy
    return error


def _binary(name: str) -> Any:
    def method(self: Toy, other: Any) -> Toy:
        other = other.value if isinstance(other, Toy) else other
        return Toy(getattr(self.value, name)(other))

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor"):
    setattr(Toy, f"__{_name}__", _binary(f"__{_name}__"))
    setattr(Toy, f"__r{_name}__", _binary(f"__r{_name}__"))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Toy, f"__{_name}__", _binary(f"__{_name}__"))
Toy.__neg__ = lambda self: Toy(-self.value)
Toy.__abs__ = lambda self: Toy(abs(self.value))
Toy.__getitem__ = lambda self, key: Toy(self.value[key.value if isinstance(key, Toy) else key])


class ToyList:
    """A list that a loop over toys changes: what it holds is one toy.

    Where both branches of an `if` run, one finds it empty that the program keeps from it.
    """

    __slots__ = ("flows",)
    width = 1

    def __init__(self, items: Any) -> None:
        self.flows = (Toy(list(items)),)

    @property
    def items(self) -> list[Any]:
        return list(self.flows[0].value)

    def empty_flows(self) -> list[Any]:
        return [lambda: Toy([])]

    def change(self, function: Any) -> Any:
        items = self.items
        result = function(items)
        self.flows = (Toy(items),)
        return result

    def append(self, item: Any) -> None:
        self.change(lambda items: items.append(item))

    def extend(self, more: Any) -> None:
        self.change(lambda items: items.extend(more.items if type(more) is ToyList else more))

    def pop(self, index: int = -1) -> Any:
        return self.change(lambda items: items.pop(index) if items else Toy(0))

    def clear(self) -> None:
        self.change(lambda items: items.clear())

    def __iadd__(self, more: Any) -> Any:
        self.extend(more)
        return self

    def __getitem__(self, index: Any) -> Any:
        index = index.value if isinstance(index, Toy) else index
        return self.items[index] if self.items else Toy(0)

    def __setitem__(self, index: Any, item: Any) -> None:
        self.change(lambda items: items and items.__setitem__(number(index), item))

    def __bool__(self) -> bool:
        raise _undecided(self)

    def __contains__(self, item: Any) -> bool:
        raise _undecided(self)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a toy list cannot be iterated")

    __hash__ = None


def _toys(item: Any) -> Any:
    return tuple(map(_toys, item)) if isinstance(item, tuple) else Toy(item)


class _Items:
    """The items of a toy list."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.start = [Toy(0)]

    @property
    def items(self) -> Any:
        return self.source.items if type(self.source) is ToyList else self.source.value

    def more(self, own: Any) -> Toy:
        return own[0] < len(self.items)

    def item(self, own: Any) -> Toy:
        present = own[0].value
        return _toys(self.items[present]) if present < len(self.items) else Toy(0)  # a probe

    def advance(self, own: Any) -> list[Toy]:
        return [own[0] + 1]


def number(value: Any) -> Any:
    """What a result holds, toys replaced by their values."""
    if isinstance(value, Toy):
        return number(value.value)
    if isinstance(value, ToyList):
        return number(value.items)
    if isinstance(value, (list, tuple)):
        return type(value)(map(number, value))
    if isinstance(value, dict):
        return {key: number(item) for key, item in value.items()}
    return value


class ToyStaging:
    def __init__(self) -> None:
        self.asserted: list[tuple[bool, str]] = []
        self.grown: list[ToyList] = []
        self.noted: dict[int, Any] = {}

    def is_staged(self, value: Any) -> bool:
        return type(value) in (Toy, ToyList)

    loops = is_staged

    def carries(self, value: Any) -> bool:
        return type(value) is Toy

    def is_variable(self, value: Any) -> bool:
        return False

    def list_of(self, items: Any, name: str, shape: Any) -> ToyList | None:
        if not items or not all(type(item) in (Toy, int) for item in items):
            return None
        self.grown.append(ToyList(items))
        return self.grown[-1]

    def lost(self, items: ToyList) -> Any:
        return object()

    def lost_variable(self, reason: str) -> Any:
        return object()

    def shared(self) -> dict[int, Any]:
        return self.noted

    def lists(self) -> list[ToyList]:
        return list(self.grown)

    def is_traced(self, value: Any) -> bool:
        return isinstance(value, Toy)

    def leaks(self, value: Any) -> bool:
        return False

    def convert(self, value: Any) -> Toy:
        if not isinstance(value, (bool, int, float, str)):
            raise TypeError(f"{value!r} is no toy")
        return Toy(value)

    def type_of(self, value: Toy) -> tuple[str, tuple[int, ...]]:
        inner = value.value
        shape = (len(inner),) if isinstance(inner, list) else ()
        return type(inner).__name__, shape

    def fits(self, shape: Any, into: Any) -> bool:
        return into == "any" or shape == into

    def zeros(self, value: Toy) -> Toy:
        return Toy(type(value.value)())

    def condition(self, value: Any, what: str) -> Toy:
        value = bool(value.items) if isinstance(value, ToyList) else value
        value = value if isinstance(value, Toy) else Toy(value)
        if type(value.value) is not bool:
            raise ValueError(f"condition of {what} expected to be a bool, got {value!r}")
        return value

    def cond(self, pred: Toy, then: Any, other: Any, late: Any = ()) -> list[Any]:
        first, second = then(), other()
        for position, make in late:
            first.insert(position, make())
        assert [type(leaf.value) for leaf in first] == [type(leaf.value) for leaf in second]
        return first if pred.value else second

    def while_loop(self, test: Any, body: Any, start: Any, shapes: Any, options: Any) -> Any:
        variables, turns = list(start), 0
        limit = options.get("maximum_iterations", 1000)
        while test(*variables).value and turns < limit:
            variables = body(*variables)
            turns += 1
            assert len(variables) == len(start)
        return variables

    def probe(self, function: Any) -> Any:
        return function()

    def folds(self, items: object) -> bool:
        return False

    def iteration(self, items: Any) -> _Items | None:
        return _Items(items) if self.is_staged(items) else None

    def all_of(self, first: Toy, second: Toy) -> Toy:
        return Toy(first.value and second.value)

    def none_of(self, value: Any) -> Toy:
        return Toy(not number(value))

    def contains(self, item: Any, items: Any) -> Toy:
        return Toy(number(item) in number(items))

    def assert_true(self, condition: Toy, message: str) -> None:
        self.asserted.append((condition.value, message))

    def builtin(self, name: str) -> Any:
        function = __builtins__[name]
        return lambda *args, **kwargs: Toy(_listed(function(*number(args), **kwargs)))


def _listed(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, list)) else list(value)


@contextlib.contextmanager
def installed() -> Iterator[ToyStaging]:
    """A world in which toys are tensors."""
    staging = ToyStaging()
    before = converted_operators.install(staging)
    try:
        yield staging
    finally:
        converted_operators.install(before)


def converted(function: Any) -> Any:
    return conversion.to_graph(function)


def printed(function: Any) -> Any:
    """What `to_code` prints, as a function."""
    scope = {**function.__globals__, OPERATORS: conversion.NAMESPACE}
    exec(conversion.to_code(function), scope)
    new = scope[conversion.PREFIX + function.__name__]
    new.__defaults__, new.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return new
