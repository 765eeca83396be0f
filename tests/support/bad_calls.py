"""Bad calls of raw ops, made from good ones: what a program may get wrong in each argument.

`calls_of` spoils one argument of a use of an op at a time: its dtype, its rank, a dimension, its
values (negative, too great, not finite, an axis that there is not), its kind.
tools/record_refusal_goldens.py records what TensorFlow makes of them. A call is kept as JSON:
arrays as `{"dtype": ..., "shape": ..., "value": ...}`, dtypes as `{"type": ...}`, what is made anew
for each call, as a variable, as `{"made": ..., "of": ...}`.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from tools import golden_format as gf

#: What an operand becomes whose dtype is to be wrong: the first of these that it may not have.
WRONG = ("string", "bool", "complex64", "float32", "int32")
#: Uses with more elements are too large to be kept.
LARGEST = 48

Arguments = dict[str, Any]
#: Owners of what handles refer to: it is gone when they are.
_OWNERS: deque[Any] = deque(maxlen=8)
#: Where files are made; it goes when the process ends.
_FOLDER = tempfile.TemporaryDirectory()


class Made(NamedTuple):
    """An argument that is made anew for each call, since it is changed or is a handle."""

    kind: str
    of: Any = None

    def now(self, tf: Any) -> Any:
        """The tensor of a call."""
        return MAKERS[self.kind](tf, None if self.of is None else tf.constant(self.of))


def variable(tf: Any, value: Any) -> Any:
    """The handle of a variable."""
    return tf.Variable(value).handle


def empty_variable(tf: Any, value: Any) -> Any:
    """The handle of a variable that no value was given to."""
    return tf.raw_ops.VarHandleOp(dtype=value.dtype, shape=value.shape)


def table(tf: Any, keys: Any) -> Any:
    """The handle of a table that gives each key its place."""
    values = tf.range(tf.size(keys, out_type=tf.int64))
    made = tf.lookup.experimental.MutableHashTable(keys.dtype, tf.int64, tf.constant(-1, tf.int64))
    made.insert(keys, tf.reshape(values, keys.shape))
    _OWNERS.append(made)
    return made.resource_handle


def tensor_list(tf: Any, items: Any) -> Any:
    """The list of the items of a tensor."""
    return tf.raw_ops.TensorListFromTensor(tensor=items, element_shape=items.shape[1:])


def mutex(tf: Any, _: Any) -> Any:
    """The handle of a mutex."""
    _OWNERS.append(tf.CriticalSection())
    return _OWNERS[-1]._handle


def lock(tf: Any, _: Any) -> Any:
    """A mutex that is locked."""
    return tf.raw_ops.MutexLock(mutex=mutex(tf, None))


def writer(tf: Any, _: Any) -> Any:
    """The handle of a summary writer."""
    _OWNERS.append(tf.summary.create_file_writer(tempfile.mkdtemp(dir=_FOLDER.name)))
    return _OWNERS[-1]._resource


def path(tf: Any, contents: Any) -> Any:
    """The names of files with these contents."""
    folder = Path(tempfile.mkdtemp(dir=_FOLDER.name))
    names = np.empty(contents.shape, object)
    for place, content in np.ndenumerate(contents.numpy()):
        file = folder / "-".join(map(str, ("file", *place)))
        file.write_bytes(content)
        names[place] = str(file)
    return tf.constant(names)


def quantized(tf: Any, value: Any) -> Any:
    """A tensor of numbers that stand for others."""
    return tf.bitcast(value, tf.quint8)


#: What stands in the place of another handle, or of another variant.
OTHERS = {
    "mutex": Made("writer"),
    "lock": Made("tensor_list", np.zeros(2, np.float32)),
    "tensor_list": Made("lock"),
}
MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    made.__name__: made
    for made in (variable, empty_variable, table, tensor_list, mutex, lock, writer, path, quantized)
}


def encoded(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, np.ndarray):
        name = "string" if value.dtype.kind in "OSU" else value.dtype.name
        return {"dtype": name, "shape": list(value.shape), "value": flat(value, name)}
    if isinstance(value, Made):
        return {"made": value.kind, "of": encoded(value.of)}
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
        result = plain(value)
        return result.now(tf) if isinstance(result, Made) else tf.constant(result)
    return value


def plain(value: Any) -> Any:
    """What `encoded` was given, as `calls_of` takes it: dtypes stay encoded."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict) and "made" in value:
        return Made(value["made"], plain(value["of"]))
    return array(value) if isinstance(value, dict) and "shape" in value else value


def array(value: dict[str, Any]) -> Any:
    """The array that was encoded."""
    name, items = value["dtype"], value["value"]
    if name == "string":
        result = np.empty(len(items), object)
        result[:] = [v.encode("latin-1") for v in items]
    elif name.startswith("complex"):
        result = np.array([complex(*v) for v in items], name)
    else:
        result = np.array(items).astype(getattr(ml_dtypes, name, name))
    return result.reshape(value["shape"])


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


def is_floats(value: Any) -> bool:
    """Whether a value is a list of numbers with a fraction that has any."""
    return isinstance(value, (list, tuple)) and bool(value) and type(value[0]) is float


def spoiled(value: Any) -> Iterator[tuple[str, Any]]:
    """The ways in which one argument may be wrong."""
    if isinstance(value, np.ndarray):
        yield from spoiled_array(value)
    elif isinstance(value, Made):
        yield from spoiled_made(value)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, (int, float)):
        yield "sign", type(value)(-7)
        yield "range", type(value)(99)
        yield "kind", "a" if isinstance(value, float) else 1.5
        yield "rank", [[value]]
        yield "finiteness", float("nan")
        yield "infinity", float("inf")
    elif isinstance(value, (list, tuple)) and value and isinstance(value[0], (np.ndarray, Made)):
        for what, wrong in spoiled(value[0]):
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
    elif is_floats(value):
        yield "sign", [-7.0, *value[1:]]
        yield "length", [*value, 1.0]
        yield "kind", ["a", *value[1:]]
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


def spoiled_made(value: Made) -> Iterator[tuple[str, Any]]:
    """The ways in which what is made for a call may be wrong."""
    yield "dtype", np.zeros((), "float32")
    contents = [] if value.of is None else [*spoiled_array(value.of)]
    if value.kind in ("path", "quantized"):
        alike = [(what, wrong) for what, wrong in contents if wrong.dtype == value.of.dtype]
        yield from ((what, Made(value.kind, wrong)) for what, wrong in alike)
        return
    yield "kind", OTHERS.get(value.kind, Made("mutex"))
    if value.kind == "variable":
        yield "no value", Made("empty_variable", value.of)
    for what, wrong in contents:
        if wrong.ndim or value.kind == "variable":
            yield f"{what} behind", Made(value.kind, wrong)


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
    """The values of a kept call's results; of what has none, as a handle, the dtype. What variables
    and tables among its arguments hold then follows."""
    given = decoded_arguments(arguments, tf)
    return [*values(tf, getattr(tf.raw_ops, name)(**given)), *states(tf, arguments, given)]


def values(tf: Any, result: Any) -> list[Any]:
    """The values of the leaves of a result."""
    opaque = (tf.resource, tf.variant)
    leaves = [leaf for leaf in tf.nest.flatten(result) if leaf is not None]
    return [leaf.dtype.name if leaf.dtype in opaque else gf.as_array(leaf) for leaf in leaves]


def states(tf: Any, arguments: Arguments, given: Arguments) -> list[Any]:
    """What variables and tables among the arguments of a call hold."""
    result = []
    for name, value in arguments.items():
        kind = value.get("made") if isinstance(value, dict) else None
        dtype = value["of"]["dtype"] if kind in ("variable", "table") else None
        if kind == "variable":
            read = tf.raw_ops.ReadVariableOp(resource=given[name], dtype=tf.as_dtype(dtype))
            result.append(gf.as_array(read))
        elif kind == "table":
            keys, places = tf.raw_ops.LookupTableExportV2(
                table_handle=given[name], Tkeys=tf.as_dtype(dtype), Tvalues=tf.int64
            )
            order = np.argsort(keys.numpy(), kind="stable")
            result += [keys.numpy()[order], places.numpy()[order]]
    return result
