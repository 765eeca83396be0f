"""Frozen records: what a frozen dataclass is, without generating code for each class.

There are several hundred op classes. `dataclasses` compiles an `__init__`, `__eq__` and so on
for each, which took half of the package's import time; here one generic set serves all.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from graphwright.base.annotations import annotations_of
from graphwright.types.keys import signed

_MISSING = object()


class Record:
    """A value with named fields: annotated names of the class, those of its bases first.

    Equal to another of its own class with equal fields; hashable; not to be changed. A base
    that only says what its subclasses' fields are called is made with `fields=False`.
    """

    #: The fields in order, with their annotations as text.
    fields: ClassVar[dict[str, str]] = {}
    #: Whether some are floats, of which 0.0 and -0.0 are equal and not the same.
    has_floats: ClassVar[bool] = False
    #: The places of those that are bools, to which 1 and 1.0 are equal and not the same.
    bools: ClassVar[tuple[int, ...]] = ()

    def __init_subclass__(cls, fields: bool = True, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared: dict[str, str] = {}
        for base in reversed(cls.__bases__):
            declared |= getattr(base, "fields", {})
        if fields:
            for name, annotation in annotations_of(cls).items():
                text = annotation
                if not isinstance(annotation, str):
                    text = inspect.formatannotation(annotation)
                if not text.startswith(("ClassVar", "typing.ClassVar")):
                    declared[name] = text
        cls.fields = declared
        cls.has_floats = "float" in declared.values()
        cls.bools = tuple([i for i, text in enumerate(declared.values()) if text == "bool"])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        names = self.fields
        attributes = dict(zip(names, args))
        if len(args) == len(names) and not kwargs:
            self.__dict__.update(attributes)
            return
        unknown = [n for n in kwargs if n not in names or n in attributes]
        if len(args) > len(names) or unknown:
            raise TypeError(
                f"{type(self).__name__} has the fields {', '.join(names) or 'none'}; got "
                f"{len(args)} values and {', '.join(kwargs) or 'no names'}"
            )
        attributes.update(kwargs)
        for name in names:
            if name not in attributes:
                default = getattr(type(self), name, _MISSING)
                if default is _MISSING:
                    raise TypeError(f"{type(self).__name__} needs a value for {name!r}")
                attributes[name] = default
        self.__dict__.update(attributes)

    def values(self) -> tuple[Any, ...]:
        """The fields' values in order."""
        attributes = self.__dict__
        return tuple([attributes[name] for name in self.fields])

    @property
    def _key(self) -> tuple[Any, ...]:
        return tuple(map(signed, self.values())) if self.has_floats else self.values()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        cached: int | None = self.__dict__.get("_hash")
        if cached is None:
            cached = self.__dict__["_hash"] = hash((type(self), *self._key))
        return cached

    def __repr__(self) -> str:
        fields = ", ".join(f"{n}={v!r}" for n, v in zip(self.fields, self.values()))
        return f"{type(self).__name__}({fields})"
