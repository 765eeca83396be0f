"""Named tuples whose classes cost little: there are many, and few are used in most processes.

`typing.NamedTuple` compiles a constructor for each class, and the annotation of each field: a
seventh of a millisecond. Here constructors with as many fields share their code, and annotations
stay text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from functools import cache
    from operator import itemgetter
    from types import CodeType, FunctionType

    @cache
    def _code(fields: int) -> CodeType:
        """The code of a constructor: those of all classes with as many fields differ in names."""
        names = "".join(f"_{i}, " for i in range(fields))
        return eval(f"lambda _cls, {names}: _new(_cls, ({names}))").__code__

    class _Class(type):
        """The class of classes of named tuples: annotated names become fields."""

        def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            if tuple not in bases and NamedTuple not in bases:
                return super().__new__(mcs, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            body["_fields"] = body["__match_args__"] = fields
            body["_field_defaults"] = {f: body.pop(f) for f in fields if f in body}
            body.setdefault("__slots__", ())
            for i, field in enumerate(fields):
                body[field] = property(itemgetter(i), doc=f"Field {i}.")
            constructor = FunctionType(
                _code(len(fields)).replace(co_name="__new__", co_varnames=("_cls", *fields)),
                {"_new": tuple.__new__, "__name__": body["__module__"]},
                "__new__",
                tuple(body["_field_defaults"].values()),
            )
            constructor.__qualname__ = f"{body['__qualname__']}.__new__"
            body.setdefault("__new__", constructor)
            return super().__new__(mcs, name, bases, body)

    class NamedTuple(tuple, metaclass=_Class):
        """A `typing.NamedTuple` whose class is made faster."""

        @classmethod
        def _make(cls, values: Iterable[object]) -> Any:
            return cls(*values)

        def _replace(self, **changes: object) -> Any:
            values = [*map(changes.pop, self._fields, self)]
            if changes:
                raise TypeError(f"no fields: {', '.join(changes)}")
            return type(self)(*values)

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self))

        def __repr__(self) -> str:
            fields = ", ".join(f"{k}={v!r}" for k, v in zip(self._fields, self))
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)
