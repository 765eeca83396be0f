"""Values of calls as JSON: what the recorded calls of saved models take and return."""

from __future__ import annotations

import base64
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np


def encoded(tf: Any, value: Any) -> Any:
    """A value as JSON holds it: tensors by their bytes, structures by their kind."""
    if isinstance(value, tf.RaggedTensor):
        parts = [value.flat_values, *value.nested_row_splits]
        return {"ragged": [encoded(tf, part) for part in parts]}
    if isinstance(value, tf.SparseTensor):
        parts = [value.indices, value.values, value.dense_shape]
        return {"sparse": [encoded(tf, part) for part in parts]}
    if hasattr(value, "numpy"):
        return {"tensor": encoded_array(value.numpy(), value.dtype.name, list(value.shape))}
    if isinstance(value, dict):
        return {"dict": {key: encoded(tf, item) for key, item in value.items()}}
    if hasattr(value, "_fields"):
        items = [encoded(tf, item) for item in value]
        return {"named": [type(value).__name__, list(value._fields), items]}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [encoded(tf, item) for item in value]}
    return {"python": value}


def encoded_array(array: Any, dtype: str, shape: list[int]) -> list[Any]:
    """The dtype, the shape and the bytes of an array; of strings each one's."""
    array = np.asarray(array)
    if dtype == "string":
        return [dtype, shape, [base64.b64encode(v).decode() for v in array.reshape(-1).tolist()]]
    return [dtype, shape, base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()]


def decoded_array(content: list[Any]) -> Any:
    """The array that was encoded."""
    dtype, shape, data = content
    if dtype == "string":
        array = np.empty(len(data), object)
        array[:] = [base64.b64decode(item) for item in data]
        return array.reshape(shape)
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    return np.frombuffer(base64.b64decode(data), kind).reshape(shape).copy()


def decoded(tf: Any, value: Any) -> Any:
    """What `encoded` was given, its tensors as those of `tf`."""
    ((kind, content),) = value.items()
    if kind == "python":
        return content
    if kind == "tensor":
        return tf.constant(decoded_array(content), tf.as_dtype(content[0]))
    if kind == "dict":
        return {key: decoded(tf, item) for key, item in content.items()}
    if kind == "named":
        name, fields, items = content
        return namedtuple(name, fields)(*[decoded(tf, item) for item in items])
    parts = [decoded(tf, item) for item in content]
    if kind == "ragged":
        return tf.RaggedTensor.from_nested_row_splits(parts[0], parts[1:])
    if kind == "sparse":
        return tf.SparseTensor(*parts)
    return parts if kind == "list" else tuple(parts)


def called(loaded: Any, path: str) -> Any:
    """What a path names in a loaded object."""
    for part in path.split("/"):
        if part.isdecimal():
            loaded = loaded[int(part)]
        elif hasattr(loaded, part):
            loaded = getattr(loaded, part)
        else:
            loaded = loaded[part]
    return loaded


def gradients_of(
    tf: Any, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """The result of a call, and the gradients of the sum of its floats: by the arguments, and by
    the variables' names."""
    with tf.GradientTape() as tape:
        leaves = tf.nest.flatten([args, kwargs], expand_composites=True)
        sources = [x for x in leaves if tf.is_tensor(x) and x.dtype.is_floating]
        tape.watch(sources)
        result = function(*args, **kwargs)
        parts = [
            tf.reduce_sum(tf.cast(tf.sin(x), tf.float64))
            for x in tf.nest.flatten(result, expand_composites=True)
            if tf.is_tensor(x) and x.dtype.is_floating
        ]
        total = tf.add_n(parts) if parts else None
    variables = {v.name: v for v in tape.watched_variables() if v.dtype.is_floating}
    if total is None:
        return result, {"args": [], "variables": {}}
    outcome = tape.gradient(total, [sources, variables])
    dense = [None if g is None else tf.convert_to_tensor(g) for g in outcome[0]]
    named = {k: None if g is None else tf.convert_to_tensor(g) for k, g in outcome[1].items()}
    return result, {"args": dense, "variables": named}


#: Sums of other orders and other formulas, in float32: beside a number, and beside the largest one.
TOLERANCE, OF_LARGEST = 3e-6, 1e-6


def unlike(tf: Any, ours: Any, theirs: Any) -> Iterator[str]:
    """How two results differ: in structure, in dtype or shape, or by more than roundings."""
    try:
        tf.nest.assert_same_structure(ours, theirs, expand_composites=True)
    except (TypeError, ValueError) as error:
        yield str(error)
        return
    leaves = [tf.nest.flatten(each, expand_composites=True) for each in (ours, theirs)]
    for mine, other in zip(*leaves, strict=True):
        if mine is None or other is None:
            if mine is not other:
                yield f"{mine}, not {other}"
        elif (mine.dtype, mine.shape) != (other.dtype, other.shape):
            yield f"{mine.dtype.name}{mine.shape}, not {other.dtype.name}{other.shape}"
        elif not is_near(mine.dtype, mine.numpy(), other.numpy()):
            yield f"{mine.numpy()}, not {other.numpy()}"


def is_near(dtype: Any, mine: Any, other: Any) -> bool:
    """Whether arrays are equal, or floats nearly so."""
    if not dtype.is_floating and not dtype.is_complex:
        return bool(np.array_equal(mine, other))
    wide = np.complex128 if dtype.is_complex else np.float64
    mine, other = mine.astype(wide), other.astype(wide)
    finite = np.abs(other[np.isfinite(other)])
    least = OF_LARGEST * max(1.0, float(finite.max(initial=0.0)))
    return bool(np.allclose(mine, other, TOLERANCE, least, equal_nan=True))
