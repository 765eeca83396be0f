"""Named tuples whose classes cost little: there are many, and few are used in most processes.

`typing.NamedTuple` compiles a constructor for each class, and the annotation of each field: a
seventh of a millisecond. Here the constructor is compiled when the first instance is made, and
annotations stay text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from operator import itemgetter

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
            return super().__new__(mcs, name, bases, body)

        @property
        def __signature__(cls) -> object:
            """The parameters of the constructor, for `inspect`, before it is compiled."""
            import inspect  # here, for few ask

            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            defaults = cls._field_defaults
            return inspect.Signature(
                [
                    inspect.Parameter(
                        field, kind, default=defaults.get(field, inspect.Parameter.empty)
                    )
                    for field in cls._fields
                ]
            )

    class NamedTuple(tuple, metaclass=_Class):
        """A `typing.NamedTuple` whose constructor is compiled for the first instance."""

        def __new__(cls, *args: object, **kwargs: object) -> Any:
            names = "".join(f"{field}, " for field in cls._fields)
            text = f"lambda _class, {names}: _new(_class, ({names}))"
            constructor = eval(text, {"_new": tuple.__new__, "__name__": cls.__module__})
            constructor.__defaults__ = tuple(cls._field_defaults.values())
            constructor.__qualname__ = f"{cls.__qualname__}.__new__"
            cls.__new__ = staticmethod(constructor)
            return constructor(cls, *args, **kwargs)

        @classmethod
        def _make(cls, values: Iterable[object]) -> Any:
            return cls(*values)

        def _replace(self, **changes: object) -> Any:
            return type(self)(**{**self._asdict(), **changes})

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self))

        def __repr__(self) -> str:
            fields = ", ".join(f"{k}={v!r}" for k, v in zip(self._fields, self))
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)
