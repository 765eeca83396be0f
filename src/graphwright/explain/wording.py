"""Trace types as words in sentences, and as code to paste."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from graphwright.base.errors import Location
from graphwright.ir.text import show_type
from graphwright.trace.argument_types import LiteralType, Structure, VariableType, Weakref
from graphwright.trace.signature import FunctionType
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import Dims
from graphwright.types.trace_type import TraceType

_SHOWN = 6  # items of an enumeration
T = TypeVar("T", bound=Hashable)


def short(type_: TraceType) -> str:
    """A type in a few letters: `float32[2,?]`, `10`, `[int32[], 'a']`, `object`."""
    if isinstance(type_, TensorSpec):
        return show_type(type_.type)
    if isinstance(type_, LiteralType):
        return repr(type_.value)
    if isinstance(type_, VariableType):
        return f"Variable({show_type(type_.spec.type)})"
    if isinstance(type_, Weakref):
        value = type_.placeholder_value()
        kind = type(value).__name__
        return "an object that is gone" if value is None else f"{a(kind)} object"
    if isinstance(type_, Structure):
        if type_.keys is None:
            inside = ", ".join(map(short, type_.children))
            return f"[{inside}]" if issubclass(type_.kind, list) else f"({inside})"
        pairs = (f"{k!r}: {short(c)}" for k, c in zip(type_.keys, type_.children))
        return "{" + ", ".join(pairs) + "}"
    return repr(type_)


def call_text(call_type: FunctionType) -> str:
    """The type of a call: `(x: float32[2], n: 3)`."""
    return f"({', '.join(f'{name}: {short(type_)}' for name, _, type_ in call_type.typed())})"


def kind_of(type_: TraceType) -> str:
    """The sort of argument that a type stands for: `a tensor`, `a Python int`, `a list`."""
    if isinstance(type_, TensorSpec):
        return "a tensor"
    if isinstance(type_, VariableType):
        return "a variable"
    if isinstance(type_, LiteralType):
        return "None" if type_.value is None else a(f"Python {type(type_.value).__name__}")
    if isinstance(type_, Structure):
        return a(type_.kind.__name__)
    if isinstance(type_, Weakref):
        return short(type_)
    return a(type(type_).__name__)


def code(type_: TraceType) -> str | None:
    """A type as an entry of `input_signature`; None where it has no such form."""
    if isinstance(type_, TensorSpec):
        return f"tf.TensorSpec({show_shape(type_.type.dims)}, tf.{type_.dtype.name})"
    if isinstance(type_, Structure) and type_.kind in (list, tuple, dict):
        parts = [code(child) for child in type_.children]
        if None in parts:
            return None
        if type_.keys is not None:
            return "{" + ", ".join(f"{k!r}: {p}" for k, p in zip(type_.keys, parts)) + "}"
        inside = ", ".join(str(p) for p in parts)
        if type_.kind is list:
            return f"[{inside}]"
        return f"({inside},)" if len(parts) == 1 else f"({inside})"
    return None


def show_shape(dims: Dims | None) -> str:
    """A shape as code: `[None, 3]`, or `None` where not even the rank is known."""
    return "None" if dims is None else "[" + ", ".join(map(str, dims)) + "]"


def a(noun: str) -> str:
    """A noun with its article.

    >>> a("int"), a("list")
    ('an int', 'a list')

    Letters that stand alone are spelled.

    >>> a("MLP object"), a("UNet object")
    ('an MLP object', 'a UNet object')
    """
    spelled = noun[:1].isupper() and not noun[1:2].islower()
    vowels = "AEFHILMNORSX" if spelled else "aeiouAEIOU"
    return f"{'an' if noun[:1] in vowels else 'a'} {noun}"


def listed(items: Iterable[object], join: str = "and") -> str:
    """An enumeration, its middle left out where it is long.

    >>> listed([1, 2, 3]), listed(range(20)), listed([7]), listed([])
    ('1, 2 and 3', '0, 1, 2, 3, ... and 19', '7', '')
    """
    words = [str(item) for item in items]
    if len(words) > _SHOWN:
        words = [*words[: _SHOWN - 2], "...", words[-1]]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {join} {words[-1]}"


def unique(items: Iterable[T]) -> list[T]:
    """Each item once, in order."""
    return list(dict.fromkeys(items))


def plural(count: int, noun: str) -> str:
    """`1 trace`, `2 traces`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def paths_shown(paths: Sequence[str]) -> str:
    """Arguments by their paths, in code quotes."""
    return listed([f"`{path}`" for path in paths])


def show_place(place: Location | None) -> str:
    """`file:line`, or `In[cell]:line` in a notebook."""
    if place is None:
        return ""
    return f"{cell_of(place.filename) or place.filename}:{place.lineno}"


def cell_of(filename: str) -> str:
    """The cell of this notebook whose code has a file's name: `In[3]`; empty for other files."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", None)
    describe = getattr(getattr(shell and shell(), "compile", None), "format_code_name", None)
    label = None if describe is None else describe(filename)
    return "" if label is None else str(label[1])
