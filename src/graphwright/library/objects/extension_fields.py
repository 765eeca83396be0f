"""The fields of extension types: the annotations, and the values that each accepts.

A field checks and converts what a constructor gets: of a value (a list becomes a tensor) or of a
type spec (a `TensorSpec`). It also checks the default in the declaration.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from graphwright.op.interpreter import convert
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import Tensor

K = TypeVar("K")
V = TypeVar("V")

#: The default of a field that has none.
REQUIRED = object()


class ImmutableDict(Mapping[K, V]):
    """The mapping that a field of type `Mapping` holds."""

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"


class Field:
    """The check and the conversion of the values of one annotation."""

    def value(self, value: object, path: str) -> Any:
        """The value as the field holds it; TypeError for one of another type."""
        raise NotImplementedError

    def spec(self, value: object, path: str) -> Any:
        """The field's part of a type spec; TypeError for a value of another type."""
        return self.value(value, path)


def refuse(path: str, expected: str, value: object) -> NoReturn:
    """Raises TypeError for a value of another type."""
    raise TypeError(f"{path}: expected {expected}, got {type(value).__name__!r}") from None


class Plain(Field):
    """A Python value of a class."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def value(self, value: object, path: str) -> Any:
        if not isinstance(value, self.kind):
            refuse(path, repr(self.kind.__name__), value)
        return value


class Converted(Field):
    """A dtype or a shape, or a value that converts to one."""

    def __init__(self, name: str, make: Callable[..., object]) -> None:
        self.name = name
        self.make = make

    def value(self, value: object, path: str) -> Any:
        try:
            return self.make(value)
        except (TypeError, ValueError):
            refuse(path, repr(self.name), value)


class OneTensor(Field):
    """A tensor, or a value that converts to one."""

    def value(self, value: object, path: str) -> Any:
        operand: Any = value
        try:
            return convert(operand)
        except (TypeError, ValueError):
            refuse(path, "a Tensor", value)

    def spec(self, value: object, path: str) -> Any:
        if not isinstance(value, TensorSpec):
            refuse(path, "a TensorSpec", value)
        return value


class OneComposite(Plain):
    """A value of a composite type."""

    def spec(self, value: object, path: str) -> Any:
        if not isinstance(value, TypeSpec) or not issubclass(value.value_type, self.kind):
            refuse(path, f"the spec of a {self.kind.__name__!r}", value)
        return value


class TupleField(Field):
    """A tuple: of any number of values of one type, or of one for each type."""

    def __init__(self, items: Sequence[Field], repeated: bool) -> None:
        self.items = items
        self.repeated = repeated

    def value(self, value: object, path: str) -> Any:
        return tuple([f.value(v, f"{path}[{i}]") for i, (f, v) in self._paired(value, path)])

    def spec(self, value: object, path: str) -> Any:
        return tuple([f.spec(v, f"{path}[{i}]") for i, (f, v) in self._paired(value, path)])

    def _paired(self, value: object, path: str) -> Iterator[tuple[int, tuple[Field, Any]]]:
        if not isinstance(value, (list, tuple)):
            refuse(path, "tuple", value)
        items = [*self.items] * len(value) if self.repeated else self.items
        if len(items) != len(value):
            refuse(path, f"tuple with length {len(items)}", value)
        return enumerate(zip(items, value))


class Entries(Field):
    """A mapping."""

    def __init__(self, key: Field, item: Field) -> None:
        self.key = key
        self.item = item

    def value(self, value: object, path: str) -> Any:
        entries = self._entries(value, path)
        return ImmutableDict({k: self.item.value(v, f"{path}[{k!r}]") for k, v in entries})

    def spec(self, value: object, path: str) -> Any:
        entries = self._entries(value, path)
        return {k: self.item.spec(v, f"{path}[{k!r}]") for k, v in entries}

    def _entries(self, value: object, path: str) -> list[tuple[Any, Any]]:
        if not isinstance(value, Mapping):
            refuse(path, "mapping", value)
        return [(self.key.value(k, f"{path}[<key>]"), v) for k, v in value.items()]


class Either(Field):
    """A value of the first of several types that takes it."""

    def __init__(self, options: Sequence[Field], annotation: object) -> None:
        self.options = options
        self.annotation = annotation

    def value(self, value: object, path: str) -> Any:
        return self._first("value", value, path)

    def spec(self, value: object, path: str) -> Any:
        return self._first("spec", value, path)

    def _first(self, method: str, value: object, path: str) -> Any:
        for option in self.options:
            try:
                return getattr(option, method)(value, path)
            except TypeError:
                continue  # another option may take it; the error below names them all
        refuse(path, repr(self.annotation), value)


_PLAIN = (int, float, str, bytes, bool, type(None))


def field_of(annotation: object) -> Field:
    """The field that an annotation declares; TypeError for one that declares none."""
    if annotation is None:
        return Plain(type(None))
    if isinstance(annotation, type) and annotation in _PLAIN:
        return Plain(annotation)
    if annotation is Tensor:
        return OneTensor()
    if annotation is DType:
        return Converted("tf.DType", as_dtype)
    if annotation is TensorShape:
        return Converted("tf.TensorShape", TensorShape)
    if isinstance(annotation, type) and issubclass(annotation, Composite):
        return OneComposite(annotation)
    field = generic_field(annotation, typing.get_origin(annotation), typing.get_args(annotation))
    if field is None:
        shown = repr(annotation.__name__) if isinstance(annotation, type) else repr(annotation)
        raise TypeError(f"Unsupported type annotation {shown}")
    return field


def generic_field(
    annotation: object, origin: object, arguments: tuple[object, ...]
) -> Field | None:
    """The field of a `Union`, a tuple or a mapping; None for another annotation."""
    if origin in (typing.Union, types.UnionType):
        return Either([field_of(option) for option in arguments], annotation)
    if origin is tuple:
        repeated = len(arguments) == 2 and arguments[1] is ...
        return TupleField(
            [field_of(item) for item in arguments[: 1 if repeated else None]], repeated
        )
    if isinstance(origin, type) and issubclass(Mapping, origin) and len(arguments) == 2:
        return Entries(field_of(arguments[0]), field_of(arguments[1]))
    return None
