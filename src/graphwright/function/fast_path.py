"""Calls like earlier ones: from arguments straight to a trace, without their trace types.

A `FastPath` finds the trace of a call by a key of what the trace types would have (`walk`).
A call that comes often needs no key: code that is generated for it checks one argument after
the other (`guard`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from graphwright.compile.run.generated_text import make_function
from graphwright.explain.trace_record import Tally
from graphwright.ops.state.variable_ops import Storage
from graphwright.trace.signature import Bound
from graphwright.types.composite import Composite
from graphwright.types.keys import distinct, signed
from graphwright.values.convert import make_array
from graphwright.values.tensor import EagerTensor
from graphwright.values.variable import PlacedVariable, Variable

#: Given the arguments of a call, the arrays that the trace takes; None if it is another call.
Guard: TypeAlias = Callable[[tuple[object, ...], dict[str, object]], "list[object] | None"]

_PRIMITIVES = frozenset({int, float, bool, str, bytes, complex, type(None)})
_INEXACT = frozenset({float, complex})  # of which equal ones may differ
_TEXT = frozenset({str})
_MOST = 4096  # entries of a function
_OFTEN = 8  # hits of an entry that are worth a guard


class ServingTrace(Protocol):
    """What serves calls: a trace, as it is or watched."""

    @property
    def tally(self) -> Tally:
        """How often it was called."""

    @property
    def run(self) -> Callable[[list[object]], Any]:
        """The results for the arrays of a call."""


class Entry:
    """A known call: the trace that serves it, and the order of its arrays in the graph."""

    __slots__ = ("guard", "hits", "names", "order", "target")

    def __init__(self, target: ServingTrace, bound: Bound, order: tuple[int, ...] | None) -> None:
        self.target = target
        self.names = [name for name, _, _ in bound]
        self.order = order
        self.hits = 0
        self.guard: Guard | None = None

    def arrange(self, arrays: list[object]) -> list[object]:
        """The arrays of a call in the order of the graph's parameters."""
        return arrays if self.order is None else [arrays[i] for i in self.order]


def never(args: tuple[object, ...], kwargs: dict[str, object]) -> list[object] | None:
    """The guard that lets no call pass: until there is another, and where none can be generated."""
    return None


class FastPath:
    """The known calls of one function."""

    __slots__ = ("entries", "latest")

    def __init__(self) -> None:
        self.entries: dict[tuple[object, ...], Entry] = {}
        #: The guard that let a call pass last, and the trace that serves such calls.
        self.latest: tuple[Guard, Any] = (never, None)

    def __len__(self) -> int:
        return len(self.entries)

    def find(
        self, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> tuple[ServingTrace, list[object]] | None:
        """The trace that serves a call, and the arrays for it; None for an unknown call."""
        key: list[object] = []
        arrays: list[object] = []
        if not walk_call(args, kwargs, key, arrays):
            return None
        entry = self.entries.get(tuple(key))
        if entry is None:
            return None
        if entry.guard is None:
            entry.hits += 1
            if entry.hits >= _OFTEN:
                ticks = entry.target.tally.ticks
                entry.guard = guard(entry.names, args, kwargs, ticks) or never
        elif entry.guard is not never:
            self.latest = entry.guard, entry.target
        return entry.target, entry.arrange(arrays)

    def remember(
        self,
        args: tuple[object, ...],
        kwargs: dict[str, object],
        bound: Bound,
        tensors: Sequence[EagerTensor],
        target: ServingTrace,
    ) -> None:
        """Lets `target` serve calls with arguments like these, where binding and casting have only
        arranged the arrays of the call."""
        key: list[object] = []
        arrays: list[object] = []
        if not walk_call(args, kwargs, key, arrays):
            return
        entry = Entry(target, bound, order_of(bound, args, kwargs) if kwargs else None)
        arranged = entry.arrange(arrays)
        if len(arranged) != len(tensors):
            return
        if all(sign_of(a) == sign_of(t._array) for a, t in zip(arranged, tensors)):
            if len(self.entries) >= _MOST:
                self.entries.clear()
            self.entries[tuple(key)] = entry


def sign_of(array: object) -> object:
    """The dtype and shape of an array; of a variable's storage, its identity."""
    return (array.dtype, array.shape) if type(array) is np.ndarray else id(array)


def order_of(
    bound: Bound, args: tuple[object, ...], kwargs: dict[str, object]
) -> tuple[int, ...] | None:
    """The places of a call's arrays in the order of the parameters; None if it is their own."""
    places: dict[int | str, list[int]] = {}  # by position, else by name
    count = 0
    variables: list[Storage] = []
    for key, value in zip((*range(len(args)), *kwargs), (*args, *kwargs.values())):
        arrays: list[object] = []
        walk([value], [], arrays, variables)
        places[key] = list(range(count, count + len(arrays)))
        count += len(arrays)
    keys = [i if i < len(args) else name for i, (name, _, _) in enumerate(bound)]
    order = tuple([place for key in keys for place in places.get(key, ())])
    return None if order == tuple(range(count)) else order


def walk_call(
    args: tuple[object, ...], kwargs: dict[str, object], key: list[object], arrays: list[object]
) -> bool:
    """Adds the key and the arrays of a call; False for one that has no key."""
    variables: list[Storage] = []
    try:
        if not walk(args, key, arrays, variables):
            return False
        if kwargs:
            key.append(tuple(kwargs))
            return walk(kwargs.values(), key, arrays, variables)
    except RecursionError:  # a structure that holds itself
        return False
    return True


def walk(
    values: Iterable[object], key: list[object], arrays: list[object], variables: list[Storage]
) -> bool:
    """Adds the key and the arrays of arguments; False for one that has no key."""
    value: Any
    for value in values:
        kind = type(value)
        if kind is EagerTensor:
            array = value._array
            key.append(array.dtype)
            key.append(array.shape)
            arrays.append(array)
        elif kind in _PRIMITIVES:
            key.append(kind)
            key.append(signed(value) if kind in _INEXACT else value)
        elif kind is list or kind is tuple:
            key.append(kind)
            key.append(len(value))
            if not walk(value, key, arrays, variables):
                return False
        elif kind is dict:
            try:
                names = sorted(value)
            except TypeError:
                return False
            key.append(kind)
            key.append(tuple(map(distinct, names)))
            if not walk([value[n] for n in names], key, arrays, variables):
                return False
        elif kind is Variable or kind is PlacedVariable:
            storage = value._storage
            alias = next((i for i, v in enumerate(variables) if v is storage), len(variables))
            key += (kind, storage.value_dtype, storage.dims, alias, value._trainable)
            if alias == len(variables):
                variables.append(storage)
                arrays.append(storage)
        elif kind is np.ndarray:
            array = make_array(value, None)
            key.append(array.dtype)
            key.append(array.shape)
            arrays.append(array)
        elif isinstance(value, Composite):
            sign = value._sign()
            if sign is None:
                return False
            key.append(kind)
            key.append(sign[0])
            arrays += [tensor._array for tensor in sign[1]]
        else:
            return False
    return True


class Unguarded(Exception):
    """A call for which no code is generated."""


def guard(
    names: Sequence[str], args: tuple[object, ...], kwargs: dict[str, object], ticks: Iterator[None]
) -> Guard | None:
    """Code that lets calls like this one pass and takes a tick for each; None if there is none.

    `names` are those of the parameters, in their order.
    """
    writer = GuardWriter(ticks)
    try:
        writer.call(names, args, kwargs)
    except Unguarded:
        return None
    return make_function(writer.text(), writer.bindings)


class GuardWriter:
    """Writes the text of a guard: a line or two for each argument.

    Calls that differ only in dtypes, shapes and values share one text: these are bound to names.
    """

    def __init__(self, ticks: Iterator[None]) -> None:
        self.lines: list[str] = []
        self.bindings: dict[str, Any] = {"_missing": object(), "_ticks": ticks}
        self.arrays: list[str] = []
        self.storages: list[tuple[str, Storage]] = []
        self.count = 0

    def text(self) -> str:
        """The whole text."""
        # A loop takes a tick in less time than a call of `next`.
        body = [*self.lines, "for _ in _ticks: break", f"return [{', '.join(self.arrays)}]"]
        return "def guard(args, kwargs):\n" + "".join(f"    {line}\n" for line in body)

    def call(
        self, names: Sequence[str], args: tuple[object, ...], kwargs: dict[str, object]
    ) -> None:
        """Checks how many arguments there are, then each."""
        self.unless(f"len(args) == {len(args)} and len(kwargs) == {len(kwargs)}")
        for i, name in enumerate(names):
            if i < len(args):
                self.value(f"args[{i}]", args[i])
            elif name in kwargs:
                self.value(f"kwargs.get({name!r}, _missing)", kwargs[name])

    def unless(self, condition: str) -> None:
        """Refuses the call unless a condition holds."""
        self.lines.append(f"if not ({condition}): return")

    def bind(self, value: object) -> str:
        """A name that the text has for a value."""
        name = f"c{len(self.bindings)}"
        self.bindings[name] = value
        return name

    def fresh(self, source: str) -> str:
        """A new variable of the text, with the value of an expression."""
        name = f"v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {source}")
        return name

    def value(self, source: str, value: object) -> None:
        """Checks an argument, or a part of one."""
        kind = type(value)
        name = self.fresh(source)
        is_kind = f"type({name}) is {self.bind(kind)}"
        if type(value) is EagerTensor:
            self.unless(is_kind)
            array = self.fresh(f"{name}._array")
            dtype, shape = self.bind(value._array.dtype), self.bind(value._array.shape)
            self.unless(f"{array}.dtype is {dtype} and {array}.shape == {shape}")
            self.arrays.append(array)
        elif kind in _PRIMITIVES:
            source = f"{self.bind(signed)}({name})" if kind in _INEXACT else name
            self.unless(f"{is_kind} and {source} == {self.bind(signed(value))}")
        elif type(value) is list or type(value) is tuple:
            self.unless(f"{is_kind} and len({name}) == {len(value)}")
            for i, part in enumerate(value):
                self.value(f"{name}[{i}]", part)
        elif type(value) is dict:
            if not _TEXT.issuperset(map(type, value)):  # another key may be equal
                raise Unguarded
            self.unless(f"{is_kind} and len({name}) == {len(value)}")
            self.keys(name, tuple(value))
            for key in sorted(value):
                self.value(f"{name}[{self.bind(key)}]", value[key])
        elif type(value) is Variable or type(value) is PlacedVariable:
            self.unless(f"{is_kind} and {name}._trainable is {value._trainable}")
            self.storage(self.fresh(f"{name}._storage"), value._storage)
        elif isinstance(value, Composite) and (sign := value._sign()) is not None:
            self.unless(is_kind)
            signed_as = self.fresh(f"{name}._sign()")
            self.unless(f"{signed_as} and {signed_as}[0] == {self.bind(sign[0])}")
            self.arrays += [f"{signed_as}[1][{i}]._array" for i in range(len(sign[1]))]
        else:
            raise Unguarded

    def keys(self, name: str, keys: tuple[str, ...]) -> None:
        """Checks the keys of a dict: nearly always they are the very same texts."""
        if keys:
            names = [f"{name}_{i}" for i in range(len(keys))]
            same = " and ".join([f"{n} is {self.bind(key)}" for n, key in zip(names, keys)])
            are_texts = f"{self.bind(_TEXT)}.issuperset(map(type, {name}))"
            self.lines.append(f"{', '.join(names)}, = {name}")
            self.unless(f"{same} or {are_texts} and {name}.keys() == {self.bind(frozenset(keys))}")

    def storage(self, name: str, storage: Storage) -> None:
        """Checks a variable: its dtype and shape, and which of the call's variables it is."""
        for other, known in self.storages:
            self.unless(f"{name} {'is' if storage is known else 'is not'} {other}")
            if storage is known:
                return
        dtype, dims = self.bind(storage.value_dtype), self.bind(storage.dims)
        self.unless(f"{name}.value_dtype is {dtype} and {name}.dims == {dims}")
        self.storages.append((name, storage))
        self.arrays.append(name)
