"""Errors for methods that arrays have and tensors do not: the op to write instead."""

from __future__ import annotations

import ast

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
    "max": "tf.reduce_max({0})",
    "mean": "tf.reduce_mean({0})",
    "min": "tf.reduce_min({0})",
    "prod": "tf.reduce_prod({0})",
    "ravel": "tf.reshape({0}, [-1])",
    "repeat": "tf.repeat({0}, repeats)",
    "reshape": "tf.reshape({0}, shape)",
    "size": "tf.size({0})",
    "sort": "tf.sort({0})",
    "squeeze": "tf.squeeze({0})",
    "std": "tf.math.reduce_std({0})",
    "sum": "tf.reduce_sum({0})",
    "transpose": "tf.transpose({0})",
    "unsqueeze": "tf.expand_dims({0}, axis)",
    "var": "tf.math.reduce_variance({0})",
    "view": "tf.reshape({0}, shape)",
}

#: The names of `FORMS` that `tf.experimental.numpy` gives tensors.
_OF_NUMPY = frozenset({"T", "astype", "clip", "ravel", "reshape", "size", "transpose"})


def no_attribute(tensor: object, name: str) -> AttributeError:
    """The error for an attribute that tensors do not have."""
    message = f"{type(tensor).__name__!r} object has no attribute {name!r}"
    form = FORMS.get(name)
    if form is None and not name.startswith("assign"):
        return AttributeError(message, name=name, obj=tensor)
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
