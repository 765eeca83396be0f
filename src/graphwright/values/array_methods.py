"""Errors for methods that arrays have and tensors do not: the op to write instead."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NoReturn

from graphwright.base.errors import user_frame
from graphwright.base.source_text import node_at, shown

#: By the name of an array's method or attribute: the op of a tensor `{0}` with its arguments.
FORMS = {
    "T": "tf.transpose({0})",
    "all": "tf.reduce_all({0})",
    "any": "tf.reduce_any({0})",
    "argmax": "tf.argmax({0}, axis)",
    "argmin": "tf.argmin({0}, axis)",
    "astype": "tf.cast({0}, dtype)",
    "clip": "tf.clip_by_value({0}, low, high)",
    "cumsum": "tf.cumsum({0})",
    "dot": "tf.tensordot({0}, other, 1)",
    "flatten": "tf.reshape({0}, [-1])",
    "len": "tf.shape({0})[0]",
    "lower": "tf.strings.lower({0})",
    "max": "tf.reduce_max({0})",
    "mean": "tf.reduce_mean({0})",
    "min": "tf.reduce_min({0})",
    "prod": "tf.reduce_prod({0})",
    "ravel": "tf.reshape({0}, [-1])",
    "repeat": "tf.repeat({0}, repeats)",
    "replace": "tf.strings.regex_replace({0}, pattern, rewrite)",
    "reshape": "tf.reshape({0}, shape)",
    "size": "tf.size({0})",
    "sort": "tf.sort({0})",
    "squeeze": "tf.squeeze({0})",
    "std": "tf.math.reduce_std({0})",
    "strip": "tf.strings.strip({0})",
    "sum": "tf.reduce_sum({0})",
    "transpose": "tf.transpose({0})",
    "unsqueeze": "tf.expand_dims({0}, axis)",
    "upper": "tf.strings.upper({0})",
    "var": "tf.math.reduce_variance({0})",
    "view": "tf.reshape({0}, shape)",
}

#: The names of `FORMS` that `tf.experimental.numpy` gives tensors.
_OF_NUMPY = frozenset({"T", "astype", "clip", "ravel", "reshape", "size", "transpose"})


#: The methods of a variable, which its value does not have.
ASSIGNMENTS = ("assign", "assign_add", "assign_sub")


class MissingAttribute:
    """An attribute of arrays or variables that tensors lack: to read it is an error with advice.

    A `__getattr__` of tensors could say the same, but Python would then look up every attribute of
    a tensor in the slowest way. Without `__set__`, a library may give a tensor this attribute.
    """

    __slots__ = ("error", "name")

    def __init__(self, name: str, error: Callable[[object, str], AttributeError]) -> None:
        self.name = name
        self.error = error

    def __get__(self, tensor: object, owner: type) -> NoReturn:
        if tensor is None:
            message = f"type object {owner.__name__!r} has no attribute {self.name!r}"
            raise AttributeError(message, name=self.name, obj=owner)
        raise self.error(tensor, self.name)


def no_attribute(tensor: object, name: str) -> AttributeError:
    """The error for one of the attributes above."""
    message = f"{type(tensor).__name__!r} object has no attribute {name!r}"
    form = FORMS.get(name)
    frame = user_frame(2)
    node = None if frame is None else node_at(frame)
    if isinstance(node, ast.Call):
        node = node.func
    value = node.value if isinstance(node, ast.Attribute) else None
    owner = shown(value) if value is not None else ""
    if form is None:
        owner = owner if isinstance(value, (ast.Name, ast.Attribute)) else "x"
        message += (
            f": `{owner}` is a tensor. `{owner} = {owner} + 1` makes one of a variable, where "
            f"`{owner}.assign_add(1)` changes the variable"
        )
    else:
        message += f": write `{form.format(owner or 'x')}`"
        if name in _OF_NUMPY:
            message += (
                ", or call tf.experimental.numpy.experimental_enable_numpy_behavior() first, which "
                "gives tensors NumPy's methods"
            )
    return AttributeError(message, name=name, obj=tensor)
