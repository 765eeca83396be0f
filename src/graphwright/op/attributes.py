"""Attributes of ops as their records declare them, made of what programs give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def whole(value: Any) -> int:
    """A number, NumPy's or a tensor's, as an int; TypeError for text."""
    if isinstance(value, (str, bytes)):
        raise TypeError
    return int(value)


def real(value: Any) -> float:
    """A number, NumPy's or a tensor's, as a float; TypeError for text."""
    if isinstance(value, (str, bytes)):
        raise TypeError
    return float(value)


def text(value: Any) -> str:
    """Text, or bytes of UTF-8, as text; TypeError for anything else."""
    if not isinstance(value, (str, bytes)):
        raise TypeError
    return value.decode() if isinstance(value, bytes) else value


#: What is made of a given value, by the annotation of the attribute.
KINDS: dict[str, Callable[[Any], Any]] = {"bool": bool, "float": real, "int": whole, "str": text}
_EXACT = {"bool": bool, "float": float, "int": int, "str": str}
_WORDS = {"str": "string"}


def plain(op: Any, values: Sequence[Any]) -> tuple[Any, ...]:
    """The attributes of an op's class: what has another type is converted, None is the default.

    TypeError for what cannot be converted.
    """
    found = [plain_value(op, name, value) for name, value in zip(op.fields, values)]
    return (*found, *values[len(found) :])


def plain_value(op: Any, name: str, value: Any, said: str = "") -> Any:
    """One attribute; `said` is what the program calls it, if that is another name."""
    kind = op.fields[name]
    if kind not in KINDS or type(value) is _EXACT[kind]:
        return value
    given = getattr(op, name, None) if value is None else value
    try:
        return KINDS[kind](given)
    except (TypeError, ValueError):
        raise TypeError(
            f"Expected {_WORDS.get(kind, kind)} for argument '{said or name}' not {value!r}."
        ) from None
