"""The tuples that functions with several results give, named as TensorFlow names them."""

from __future__ import annotations

from typing import Any, NamedTuple

from graphwright.op.op import Op

_CLASSES: dict[str, Any] = {}


def named(kind: type[Op]) -> Any:
    """The tuple class of the results of a class of ops."""
    name = kind.type_name
    if name not in _CLASSES:
        fields = [(result.name, Any) for result in kind.results]
        _CLASSES[name] = NamedTuple(name, fields)
    return _CLASSES[name]
