"""Builtins that take tensors, and builtins that call their arguments.

Each calls Python's builtin unless an argument is staged, or an item of a list whose items are
compared. Then it calls the staging's function of that name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import GeneratorType
from typing import Any, TypeAlias

from graphwright.autograph import converted_operators
from graphwright.autograph.converted_operators import ITERABLES, PLAIN
from graphwright.autograph.operator_arguments import Function

#: Returns the converted form of a function.
Convert: TypeAlias = Callable[[object], Any]


def table(convert: Convert) -> dict[object, Function]:
    """The functions to call instead of builtins; `convert` converts the functions they call."""
    overloads: dict[object, Function] = {
        builtin: _on_tensors(builtin) for builtin in (abs, bool, float, int, len, range, sum)
    }
    overloads[next] = _named(_next, next)
    overloads |= {builtin: _on_loops(builtin) for builtin in (enumerate, iter, zip)}
    overloads |= {builtin: _on_items(builtin, convert) for builtin in (all, any, max, min, sorted)}
    overloads |= {builtin: _caller(builtin, convert) for builtin in (filter, map)}
    overloads[functools.reduce] = _reducer(convert)
    return overloads


def _on_tensors(builtin: Function) -> Function:
    """`builtin`, for arguments some of which may be tensors."""
    name: str = builtin.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if type(arg) not in PLAIN and hasattr(type(arg), "__graph_builtins__"):
                return (_form_of(name, args) or builtin)(*args, **kwargs)
            if type(arg) not in PLAIN and converted_operators.staged(arg):
                return converted_operators.builtin(name)(*args, **kwargs)
            if type(arg) is list and arg:
                converted_operators.refuse_lost(arg[-1])
        return builtin(*args, **kwargs)

    return _named(call, builtin)


def _form_of(name: str, iterables: Sequence[object]) -> Function | None:
    """The form of a builtin that the class of all iterables has, as that of datasets has some."""
    first = iterables[0] if iterables else None
    forms = getattr(type(first), "__graph_builtins__", None)
    if forms is None or not converted_operators.loops(first):
        return None
    same = all(getattr(type(other), "__graph_builtins__", None) is forms for other in iterables)
    form: Function | None = forms().get(name) if same else None
    return form


def _are_staged(iterables: Sequence[object]) -> bool:
    """Whether there are tensors of a graph to loop over, and nothing that only Python takes with
    them: of several iterables, the graph has steps for tensors alone."""
    looped = [i for i in iterables if type(i) not in ITERABLES and converted_operators.loops(i)]
    return bool(looped) and not any(map(converted_operators.folds, looped))


def _on_loops(builtin: Function) -> Function:
    """`builtin`, for iterables some of which the graph may loop over."""
    name: str = builtin.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        iterables = args if builtin is zip else args[:1]
        form = _form_of(name, iterables)
        if form is None and _are_staged(iterables):
            form = converted_operators.builtin(name)
        return (form or builtin)(*args, **kwargs)

    return _named(call, builtin)


def _next(iterator: Any, *default: object) -> Any:
    """`next`, which takes an element in the graph where the graph has the iterator."""
    if hasattr(type(iterator), "get_next") and converted_operators.loops(iterator):
        return iterator.get_next()
    return next(iterator, *default)


def _on_items(builtin: Function, convert: Convert) -> Function:
    """`builtin`, for a tensor, for several tensors, or for a list of tensors."""
    name: str = builtin.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        items = args[0] if len(args) == 1 else args
        if isinstance(items, GeneratorType):
            items = _until_decided(builtin, items)
            args = (items,)
        if kwargs.get("key") is not None and len(args):
            return _by_key(builtin, items, convert(kwargs.pop("key")), kwargs)
        form = _form_of(name, args)
        if form is not None and len(args) == 1 and not kwargs:
            return form(items)
        if converted_operators.staged(items) or _holds_staged(items):
            return converted_operators.builtin(name)(*args, **kwargs)
        return builtin(*args, **kwargs)

    return _named(call, builtin)


def _holds_staged(items: object) -> bool:
    return isinstance(items, (list, tuple)) and any(map(converted_operators.staged, items))


def _until_decided(builtin: Function, items: Iterator[object]) -> list[object]:
    """The items that the builtin reads: `any` and `all` stop where a Python value decides."""
    read: list[object] = []
    for item in items:
        read.append(item)
        if (
            builtin in (any, all)
            and not converted_operators.staged(item)
            and bool(item) is (builtin is any)
        ):
            break
    return read


def _by_key(
    builtin: Function, items: Iterable[object], key: Function, options: dict[str, object]
) -> Any:
    """`sorted`, `min` and `max` by a key, which is called once for each item."""
    if converted_operators.staged(items):
        return converted_operators.builtin(builtin.__name__)(items, key=key, **options)
    items = list(items)
    keys = [key(item) for item in items]
    if _holds_staged(keys):
        return converted_operators.builtin(builtin.__name__)(items, keys=keys, **options)
    following = iter(keys)
    return builtin(items, key=lambda _: next(following), **options)


def _caller(builtin: Function, convert: Convert) -> Function:
    """`map` and `filter`: the function is converted, and a tensor is looped over in the graph."""
    name: str = builtin.__name__

    def call(function: object, *iterables: Any) -> Any:
        function = convert(function)
        form = _form_of(name, iterables)
        if form is None and _are_staged(iterables):
            form = converted_operators.builtin(name)
        return (form or builtin)(function, *iterables)

    return _named(call, builtin)


def _reducer(convert: Convert) -> Function:
    def call(function: object, *args: Any) -> Any:
        return functools.reduce(convert(function), *args)

    return _named(call, functools.reduce)


def _named(call: Function, builtin: Function) -> Function:
    call.__name__ = call.__qualname__ = builtin.__name__
    return call
