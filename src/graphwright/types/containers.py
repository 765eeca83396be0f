"""Which Python types are containers, and how each is taken apart and put together.

`PLAIN` and `EXPANDED` map a type to its `Container`, or to None for a leaf; `EXPANDED`
also opens composites, values such as ragged tensors that stand for several tensors.
A composite says so by the attribute `__graphwright_spec__`, its `CompositeSpec`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Callable,
    Hashable,
    Mapping,
    MappingView,
    MutableMapping,
    Sequence,
    Sized,
)
from enum import Enum, auto
from typing import Any, Protocol

from graphwright.base.named_tuples import NamedTuple


class CompositeSpec(Protocol):
    """What a composite's type spec must do for the composite to be taken apart."""

    @property
    def _component_specs(self) -> Any: ...

    def _to_components(self, value: object) -> Any: ...

    def _from_components(self, components: object) -> Any: ...

    def most_specific_common_supertype(self, others: Sequence[object]) -> Any: ...


class Style(Enum):
    """How the children of a container are addressed."""

    INDEX = auto()
    KEY = auto()
    FIELD = auto()
    COMPONENTS = auto()


class Container(NamedTuple):
    """The rules of one container type.

    `labels` and `children` are in the order of flattening. Two containers of one `family`
    count as the same type.
    """

    style: Style
    family: Hashable
    labels: Callable[[Any], Sequence[Any]]
    children: Callable[[Any], Sequence[Any]]
    rebuild: Callable[[Any, list[Any]], Any]

    def step(self, value: object, position: int) -> str:
        """How a path names the child at `position`: `[0]`, `['key']` or `.field`."""
        if self.style is Style.COMPONENTS:
            return ""
        label = self.labels(value)[position]
        return f".{label}" if self.style is Style.FIELD else f"[{label!r}]"


def is_namedtuple(cls: type) -> bool:
    """Whether a class is a named tuple."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_attrs(value: object) -> bool:
    """Whether a value is an instance of an attrs class."""
    return hasattr(type(value), "__attrs_attrs__")


def _indices(value: Sized) -> range:
    return range(len(value))


def _itself(value: Sequence[object]) -> Sequence[object]:
    return value


def _same_type(value: object, children: list[object]) -> Any:
    cls: Any = type(value)
    return cls(children)


def _same_type_of_fields(value: object, children: list[object]) -> Any:
    cls: Any = type(value)
    return cls(*children)


def _as_list(_: object, children: list[object]) -> list[object]:
    return children


def _as_tuple(_: object, children: list[object]) -> tuple[object, ...]:
    return tuple(children)


def _sorted_keys(mapping: Mapping[Hashable, object]) -> list[Hashable]:
    keys: list[Any] = list(mapping)
    try:
        return sorted(keys)
    except TypeError as error:
        raise TypeError(
            "the keys of a mapping in a nested structure must be sortable, which "
            f"{keys!r} are not: {error}"
        ) from None


def _values_by_key(mapping: Mapping[Hashable, object]) -> list[object]:
    return [mapping[key] for key in _sorted_keys(mapping)]


def _in_key_order(
    mapping: Mapping[Hashable, object], children: list[object]
) -> dict[Hashable, object]:
    packed = dict(zip(_sorted_keys(mapping), children))
    return {key: packed[key] for key in mapping}


def _same_mutable_mapping(mapping: MutableMapping[Hashable, object], children: list[object]) -> Any:
    cls: Any = type(mapping)
    packed = cls(mapping.default_factory) if isinstance(mapping, defaultdict) else cls()
    for key, child in _in_key_order(mapping, children).items():
        packed[key] = child
    return packed


def _same_mapping(mapping: Mapping[Hashable, object], children: list[object]) -> Any:
    cls: Any = type(mapping)
    try:
        return cls(_in_key_order(mapping, children).items())
    except TypeError as error:
        raise TypeError(
            f"no {cls.__name__} can be built like {mapping!r}: its constructor must take one "
            f"iterable of key-value pairs ({error})"
        ) from error


def _parts(value: Any) -> Sequence[Any]:
    """The children that a value with `__tf_flatten__` declares."""
    parts: Sequence[Any] = value.__tf_flatten__()[1]
    return parts


def _from_parts(value: Any, children: list[object]) -> Any:
    return type(value).__tf_unflatten__(value.__tf_flatten__()[0], tuple(children))


def _parts_labels(value: Any) -> range:
    return range(len(_parts(value)))


def _components(value: Any) -> tuple[Any]:
    """A composite's components, or the specs of them for a composite's spec, as one child."""
    spec: CompositeSpec = value.__graphwright_spec__
    return (spec._component_specs if spec is value else spec._to_components(value),)


def _from_components(value: Any, children: list[object]) -> Any:
    return value.__graphwright_spec__._from_components(children[0])


_LIST = Container(Style.INDEX, list, _indices, _itself, _as_list)
_TUPLE = Container(Style.INDEX, tuple, _indices, _itself, _as_tuple)
_DICT = Container(Style.KEY, Mapping, _sorted_keys, _values_by_key, _in_key_order)
_MAPPING = Container(Style.KEY, Mapping, _sorted_keys, _values_by_key, _same_mapping)
_MUTABLE_MAPPING = Container(
    Style.KEY, Mapping, _sorted_keys, _values_by_key, _same_mutable_mapping
)
_LIST_SUBCLASS = Container(Style.INDEX, list, _indices, _itself, _same_type)
_COMPOSITE = Container(
    Style.COMPONENTS, None, lambda _: ("components",), _components, _from_components
)


def _attrs_container(cls: type) -> Container:
    names: list[str] = [field.name for field in cls.__attrs_attrs__]  # type: ignore[attr-defined]

    def children(value: object) -> list[object]:
        return [getattr(value, name) for name in names]

    return Container(Style.FIELD, cls, lambda _: names, children, _same_type_of_fields)


def _classify(cls: type) -> Container | None:
    if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
        return Container(Style.INDEX, cls, _parts_labels, _parts, _from_parts)
    if hasattr(cls, "__attrs_attrs__"):
        return _attrs_container(cls)
    if issubclass(cls, Mapping):
        return _MUTABLE_MAPPING if issubclass(cls, MutableMapping) else _MAPPING
    if issubclass(cls, (str, bytes)):
        return None
    if is_namedtuple(cls):
        fields = tuple(cls._fields)  # type: ignore[attr-defined]
        family = (cls.__name__, fields)
        return Container(Style.FIELD, family, lambda _: fields, _itself, _same_type_of_fields)
    if issubclass(cls, list):
        return _LIST_SUBCLASS
    if issubclass(cls, (MappingView, range)):
        return Container(Style.INDEX, cls, _indices, list, _as_list)
    if issubclass(cls, Sequence):
        return Container(Style.INDEX, cls, _indices, _itself, _same_type)
    return None


def _classify_expanded(cls: type) -> Container | None:
    if getattr(cls, "__graphwright_spec__", None) is not None:
        return _COMPOSITE
    return PLAIN[cls]


class _Table(dict[type, "Container | None"]):
    """Containers by type, classified when first asked for; bounded, as it keeps types alive."""

    limit = 4096

    def __init__(self, classify: Callable[[type], Container | None]) -> None:
        super().__init__({list: _LIST, tuple: _TUPLE, dict: _DICT})
        self._classify = classify

    def __missing__(self, cls: type) -> Container | None:
        container = self._classify(cls)
        if len(self) >= self.limit:
            self.clear()
            self.update({list: _LIST, tuple: _TUPLE, dict: _DICT})
        self[cls] = container
        return container


PLAIN = _Table(_classify)
EXPANDED = _Table(_classify_expanded)
