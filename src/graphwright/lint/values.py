"""What an expression may be: kinds of values, and what is known of one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphwright.lint.model import Class, Function, Staging


class Kind:
    """Bits of a set of possibilities; UNKNOWN says that there may be others.

    Plain integers: enumerations would take half of the linter's time.
    """

    NOTHING = 0
    UNKNOWN = 1
    TENSOR = 2
    VARIABLE = 4
    TENSOR_ARRAY = 8
    DATASET = 16
    DATA_ITERATOR = 32
    NUMPY = 64
    NUMBER = 128
    BOOL = 256
    TEXT = 512
    NONE = 1024
    CONTAINER = 2048
    ITERATOR = 4096
    FUNCTION = 8192
    OBJECT = 16384  # of a class, of this file or another
    EXTERNAL = 32768  # a module, function or class of elsewhere, by its path


#: What Python decides with, once, while a function is traced.
STATIC = Kind.NUMBER | Kind.BOOL | Kind.TEXT
#: How many lengths or shapes are more than two uses of one function.
MANY = 3
#: How deep what is known of items of items goes.
DEPTH = 3


def words(text: str) -> frozenset[str]:
    """The words of a table that is written as one text."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of a value: always more possibilities than there are, never fewer."""

    kind: int
    path: str = ""  # of an EXTERNAL ("tf.constant") or of what made an OBJECT ("tf.GradientTape")
    functions: frozenset[Function | Staging] = frozenset()
    classes: frozenset[Class] = frozenset()  # of OBJECTs, and of classes themselves
    receiver: Value | None = None  # of a bound method
    items: tuple[Value, ...] | None = None  # of a CONTAINER whose length is known
    element: Value | None = None  # what each item of a CONTAINER may be
    dtype: str = ""  # several are joined by "|"
    shape: tuple[int, ...] | None = None
    constant: object = None  # of a literal
    varying: bool = False  # a Python number, or a length, that a loop changes
    made: frozenset[ast.AST] = frozenset()  # the calls that made an OBJECT

    def may(self, kind: int) -> bool:
        """Whether there is evidence of one of the kinds."""
        return bool(self.kind & kind)

    def is_only(self, kind: int) -> bool:
        """Whether there is nothing but these kinds."""
        return bool(self.kind) and not self.kind & ~kind

    def within(self) -> Iterator[Value]:
        """The value, and what is known of items of items."""
        yield self
        if self.may(Kind.CONTAINER):
            for item in self.items or ((self.element,) if self.element else ()):
                yield from item.within()

    def each(self) -> Value:
        """What an item of this may be."""
        if self.items is not None:
            return join(self.items) if self.items else Value(Kind.NOTHING)
        return self.element or UNKNOWN


UNKNOWN = Value(Kind.UNKNOWN)
NOTHING = Value(Kind.NOTHING)  # of code that was not reached yet
TENSOR = Value(Kind.TENSOR)
NUMBER = Value(Kind.NUMBER)
BOOL = Value(Kind.BOOL)
TEXT = Value(Kind.TEXT)
NONE = Value(Kind.NONE)
NUMPY = Value(Kind.NUMPY)
ITERATOR = Value(Kind.ITERATOR)


def external(path: str) -> Value:
    """A module, function or class of elsewhere."""
    return Value(Kind.EXTERNAL, path=path)


def instance(path: str, made: ast.AST | None = None) -> Value:
    """An object that the external class or function `path` made."""
    return Value(Kind.OBJECT, path=path, made=frozenset([made] if made else []))


def container(items: Iterable[Value]) -> Value:
    """A list or tuple of these."""
    return shallow(Value(Kind.CONTAINER, items=tuple(items)), DEPTH)


def containing(element: Value) -> Value:
    """A container of any length of such items."""
    return shallow(Value(Kind.CONTAINER, element=element), DEPTH)


def shallow(value: Value, depth: int) -> Value:
    """The value without what is deeper than `depth`, so that no value grows for ever."""
    if value.items is None and value.element is None:
        return value
    if depth == 0:
        return replace(value, items=None, element=None)
    items, element = value.items, value.element
    if items is not None:
        items = tuple(shallow(item, depth - 1) for item in items) if len(items) <= 32 else None
        element = shallow(join(value.items or ()), depth - 1) if items is None else None
    elif element is not None:
        element = shallow(element, depth - 1)
    return replace(value, items=items, element=element)


def varied(items: tuple[Value, ...]) -> Value:
    """What a loop over these gives: a number, a length or a shape that changes is marked."""
    each = join(items)
    distinct = set(items)
    if all(item.is_only(Kind.NUMBER) for item in items):
        return replace(each, varying=len(distinct) > 1, constant=None)
    inner = [item.items for item in items if item.is_only(Kind.CONTAINER) and item.items]
    if items and len(inner) == len(items):
        lengths = {len(part) for part in inner}
        if len(lengths) == 1:
            return Value(Kind.CONTAINER, items=tuple(varied(column) for column in zip(*inner)))
        return replace(each, varying=len(lengths) >= MANY, constant=None)
    shapes = {item.shape for item in items if item.is_only(Kind.TENSOR)} - {None}
    varying = each.varying or len(shapes) >= MANY or (each.may(Kind.NUMBER) and len(distinct) > 1)
    return replace(each, varying=varying, constant=None)


def join(values: Iterable[Value]) -> Value:
    """What is any of these."""
    result = NOTHING
    for value in values:
        result = join_two(result, value)
    return result


def join_two(a: Value, b: Value) -> Value:
    """What is `a` or `b`."""
    if a is b or not b.kind or a == b:
        return a
    if not a.kind:
        return b
    return Value(
        a.kind | b.kind,
        path=a.path if a.path == b.path else (a.path and b.path and "?") or a.path or b.path,
        functions=a.functions | b.functions,
        classes=a.classes | b.classes,
        receiver=a.receiver or b.receiver,
        items=_joined_items(a, b),
        element=_joined_element(a, b),
        dtype=_joined_dtype(a, b),
        shape=a.shape if a.shape == b.shape else None,
        constant=a.constant if _same(a.constant, b.constant) else None,
        varying=a.varying or b.varying,
        made=a.made | b.made,
    )


def _same(a: object, b: object) -> bool:
    return type(a) is type(b) and a == b


def _joined_dtype(a: Value, b: Value) -> str:
    arrays = Kind.TENSOR | Kind.VARIABLE | Kind.NUMPY
    known = [one.dtype for one in (a, b) if one.may(arrays)]
    return "|".join(sorted({d for k in known for d in k.split("|")})) if all(known) else ""


def _joined_items(a: Value, b: Value) -> tuple[Value, ...] | None:
    if not a.may(Kind.CONTAINER):
        return b.items
    if not b.may(Kind.CONTAINER):
        return a.items
    if a.items is None or b.items is None or len(a.items) != len(b.items):
        return None
    return tuple(map(join_two, a.items, b.items))


def _joined_element(a: Value, b: Value) -> Value | None:
    if not a.may(Kind.CONTAINER):
        return b.element
    if not b.may(Kind.CONTAINER):
        return a.element
    if _joined_items(a, b) is not None:
        return None
    return shallow(join_two(a.each(), b.each()), DEPTH)
