"""Attributes of ops as their records declare them, converted from the arguments of programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat, SupportsInt

from graphwright.op.frozen_record import Record


def whole(value: SupportsInt | str | bytes) -> int:
    """A number, NumPy's or a tensor's, as an int; TypeError for text."""
    if isinstance(value, (str, bytes)):
        raise TypeError
    return int(value)


def real(value: SupportsFloat | str | bytes) -> float:
    """A number, NumPy's or a tensor's, as a float; TypeError for text."""
    if isinstance(value, (str, bytes)):
        raise TypeError
    return float(value)


def truth(value: object) -> bool:
    """True or False itself; TypeError for anything else, as numbers, text and arrays."""
    if type(value) is not bool:
        raise TypeError
    return value


def text(value: object) -> str:
    """Text, or bytes of UTF-8, as text; TypeError for anything else."""
    if not isinstance(value, (str, bytes)):
        raise TypeError
    return value.decode() if isinstance(value, bytes) else value


def text_of(argument: str, value: object) -> str:
    """The text that an argument must be; TypeError for anything else."""
    try:
        return text(value)
    except TypeError:
        raise TypeError(f"Expected string for argument '{argument}' not {value!r}.") from None


def wholes(value: Sequence[object]) -> tuple[int, ...]:
    """A list of numbers as ints; TypeError for what is no list, as an array."""
    if not isinstance(value, (list, tuple)):
        raise TypeError
    return tuple([whole(item) for item in value])


#: The conversion of a value, by the annotation of the attribute.
KINDS: dict[str, Callable[[Any], Any]] = {"bool": truth, "float": real, "int": whole, "str": text}
KINDS["tuple[int, ...]"] = wholes
_EXACT = {"bool": bool, "float": float, "int": int, "str": str}
_WORDS = {"str": "string", "tuple[int, ...]": "list of ints"}


def plain(op: type[Record], values: Sequence[object]) -> tuple[Any, ...]:
    """The attributes of an op's class: what has another type is converted, None is the default.

    TypeError for what cannot be converted.
    """
    attributes = [plain_value(op, name, value) for name, value in zip(op.fields, values)]
    return (*attributes, *values[len(attributes) :])


def plain_value(op: type[Record], name: str, value: object, said: str = "") -> Any:
    """One attribute; `said` is the name that the program gives it, if that is another one."""
    kind = op.fields[name]
    if kind not in KINDS or type(value) is _EXACT.get(kind):
        return value
    source = getattr(op, name, None) if value is None else value
    try:
        return KINDS[kind](source)
    except (TypeError, ValueError):
        raise TypeError(
            f"Expected {_WORDS.get(kind, kind)} for argument '{said or name}' not {value!r}."
        ) from None
