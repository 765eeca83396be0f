"""Bad calls of raw ops, made from good ones: what a program may get wrong in each argument.

`calls_of` spoils one argument of a use of an op at a time: its dtype, its rank, a dimension, its
values (negative, too great, not finite, an axis that there is not), its kind.
tools/record_refusal_goldens.py records what TensorFlow makes of them. A call is kept as JSON:
arrays as `{"dtype": ..., "shape": ..., "value": ...}`, dtypes as `{"type": ...}`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from tools import golden_format as gf

#: What an operand becomes whose dtype is to be wrong: the first of these that it may not have.
WRONG = ("string", "bool", "complex64", "float32", "int32")
#: Uses with more elements are too large to be kept.
LARGEST = 48

Arguments = dict[str, Any]


def encoded(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, np.ndarray):
        name = "string" if value.dtype.kind in "OSU" else value.dtype.name
        return {"dtype": name, "shape": list(value.shape), "value": flat(value, name)}
    if isinstance(value, (list, tuple)):
        return [encoded(v) for v in value]
    if hasattr(value, "as_numpy_dtype"):
        return {"type": value.name}
    return value


def flat(value: Any, name: str) -> list[Any]:
    """The elements of an array, as JSON has them."""
    if name == "string":
        return [v if isinstance(v, str) else v.decode("latin-1") for v in value.reshape(-1)]
    if name.startswith("complex"):
        return [[float(v.real), float(v.imag)] for v in value.reshape(-1)]
    if value.dtype.kind in "iub":
        return [int(v) for v in value.reshape(-1)]
    return [float(v) for v in value.reshape(-1)]


def decoded(value: Any, tf: Any) -> Any:
    """What `encoded` was given, arrays as tensors."""
    if isinstance(value, list):
        return [decoded(v, tf) for v in value]
    if isinstance(value, dict) and "type" in value:
        return tf.as_dtype(value["type"])
    if isinstance(value, dict):
        return tf.constant(array(value))
    return value


def plain(value: Any) -> Any:
    """What `encoded` was given, as `calls_of` takes it: dtypes stay encoded."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    return array(value) if isinstance(value, dict) and "shape" in value else value


def array(value: dict[str, Any]) -> Any:
    """The array that was encoded."""
    name, items = value["dtype"], value["value"]
    if name == "string":
        found = np.empty(len(items), object)
        found[:] = [v.encode("latin-1") for v in items]
    elif name.startswith("complex"):
        found = np.array([complex(*v) for v in items], name)
    else:
        found = np.array(items).astype(getattr(ml_dtypes, name, name))
    return found.reshape(value["shape"])


def calls_of(arguments: Arguments) -> Iterator[tuple[str, Arguments]]:
    """The bad calls that come of a good one, each with what is wrong in it; the good one first."""
    yield "nothing", arguments
    ranks = {v.ndim for v in arguments.values() if isinstance(v, np.ndarray)}
    for name, value in arguments.items():
        for what, wrong in spoiled(value):
            yield f"{what} of {name}", {**arguments, name: wrong}
        if ("axis" in name or "dim" in name) and not name.endswith("_mask"):
            for what, wrong in beyond(value, max(ranks, default=0)):
                yield f"{what} of {name}", {**arguments, name: wrong}


def beyond(value: Any, rank: int) -> Iterator[tuple[str, Any]]:
    """The first axes that a tensor has not, in the place of one that it has."""
    if type(value) is int:
        yield "axis after those", rank
        yield "axis before those", -rank - 1
    elif is_ints(value):
        yield "axis after those", [rank, *value[1:]]
        yield "axis before those", [-rank - 1, *value[1:]]


def is_ints(value: Any) -> bool:
    """Whether a value is a list of integers that has any."""
    return isinstance(value, (list, tuple)) and bool(value) and type(value[0]) is int


def spoiled(value: Any) -> Iterator[tuple[str, Any]]:
    """The ways in which one argument may be wrong."""
    if isinstance(value, np.ndarray):
        yield from spoiled_array(value)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, (int, float)):
        yield "sign", type(value)(-7)
        yield "range", type(value)(99)
        yield "kind", "a" if isinstance(value, float) else 1.5
        yield "rank", [[value]]
        yield "finiteness", float("nan")
        yield "infinity", float("inf")
    elif isinstance(value, (list, tuple)) and value and isinstance(value[0], np.ndarray):
        for what, wrong in spoiled_array(value[0]):
            yield f"{what} in the first", [wrong, *value[1:]]
        yield "emptiness", []
    elif is_ints(value):
        yield "sign", [-7, *value[1:]]
        yield "range", [99, *value[1:]]
        yield "length", [*value, 1]
        yield "kind", [1.5, *value[1:]]
        yield "rank", [value]
        yield "shortness", list(value[1:])
        yield "finiteness", [float("nan"), *value[1:]]
        yield "infinity", [float("inf"), *value[1:]]
    elif isinstance(value, (list, tuple)) and value and is_ints(value[0]):
        for what, wrong in spoiled(value[0]):
            yield f"{what} in the first", [wrong, *value[1:]]
        yield "length", [*value, value[0]]
        yield "shortness", list(value[1:])


def spoiled_array(value: Any) -> Iterator[tuple[str, Any]]:
    """The ways in which a tensor may be wrong."""
    kind = value.dtype.kind
    yield "dtype", as_dtype(value, "string" if kind not in "OSU" else "float32")
    if kind not in "b":
        yield "other dtype", as_dtype(value, "bool")
    if kind in "iuf":
        yield "precision", as_dtype(value, {"i": "int16", "u": "int16", "f": "float64"}[kind])
    yield "greater rank", value[None]
    if value.ndim and value.size:
        yield "no rank", np.asarray(value.reshape(-1)[0], value.dtype)
    if value.ndim:
        yield "dimension", np.concatenate([value, value[..., :1]], -1)
        yield "emptiness", value[..., :0]
    if kind == "i":
        yield "sign", np.full_like(value, -7)
        yield "range", np.full_like(value, 99)
    if kind == "f":
        yield "finiteness", np.full_like(value, np.nan)
        yield "infinity", np.full_like(value, np.inf)


def as_dtype(value: Any, name: str) -> Any:
    """An array of another dtype with as many elements."""
    if name == "string":
        return np.full(value.shape, "a", object)
    if value.dtype.kind in "OSU":
        return np.ones(value.shape, name)
    return value.astype(name) if value.dtype.kind != "c" else value.real.astype(name)


def decoded_arguments(arguments: Arguments, tf: Any) -> Arguments:
    """The arguments of a call that was kept."""
    return {name: decoded(value, tf) for name, value in arguments.items()}


def digest(name: str, arguments: Arguments) -> str:
    """The key of a kept call."""
    return hashlib.sha1(json.dumps([name, arguments]).encode()).hexdigest()[:16]


def values_of(tf: Any, name: str, arguments: Arguments) -> list[Any]:
    """The values of a kept call's results; of what has none, as a handle, the dtype."""
    return values(tf, getattr(tf.raw_ops, name)(**decoded_arguments(arguments, tf)))


def values(tf: Any, result: Any) -> list[Any]:
    """The values of the leaves of a result."""
    opaque = (tf.resource, tf.variant)
    leaves = [leaf for leaf in tf.nest.flatten(result) if leaf is not None]
    return [leaf.dtype.name if leaf.dtype in opaque else gf.as_array(leaf) for leaf in leaves]
