"""What calls give, as JSON has it, and how two outcomes differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from everyday.programs import Loaded

#: How far floats may be apart, relative to the greatest of an array or to 1.
TOLERANCES = {
    "float64": 1e-9, "float32": 2e-4, "float16": 8e-3, "bfloat16": 6e-2, "complex64": 2e-4,
    "complex128": 1e-9,
}  # fmt: skip

Tree = Any  # JSON


def array_tree(array: Any, dtype: str) -> Tree:
    """Dtype, shape and elements of an array."""
    flat: list[Any]
    if array.dtype.kind == "O" or array.dtype.kind in "SU":
        flat = [x.decode("latin-1") if isinstance(x, bytes) else str(x) for x in array.ravel()]
    elif array.dtype.kind == "c":
        flat = [[number(x.real), number(x.imag)] for x in array.ravel()]
    elif array.dtype.kind in "biu":
        flat = array.ravel().tolist()
    else:
        flat = [number(x) for x in array.ravel()]
    return {"of": dtype, "shape": list(array.shape), "flat": flat}


def number(x: Any) -> float:
    """A float with as many digits as its dtype needs."""
    return float(str(x))


def tree_of(value: Any, tf: Any) -> Tree:
    """A result as JSON: containers, tensors of all kinds, Python's values."""
    if isinstance(value, dict):
        return {"dict": [[str(k), tree_of(v, tf)] for k, v in value.items()]}
    if isinstance(value, tf.IndexedSlices):
        return {
            "slices": [tree_of(v, tf) for v in (value.values, value.indices, value.dense_shape)]
        }
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": [tree_of(v, tf) for v in (value.flat_values, *value.nested_row_splits)]}
    if isinstance(value, tf.SparseTensor):
        return {
            "sparse": [tree_of(v, tf) for v in (value.indices, value.values, value.dense_shape)]
        }
    if isinstance(value, (list, tuple)):
        word = (
            "namedtuple"
            if hasattr(value, "_fields")
            else "list"
            if isinstance(value, list)
            else "tuple"
        )
        return {word: [tree_of(v, tf) for v in value]}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"numpy": array_tree(np.asarray(value), str(value.dtype))}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": number(value)}
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, (tf.DType, tf.TensorShape)):
        return repr(value)
    if not hasattr(value, "dtype"):
        return {"class": type(value).__name__}
    return array_tree(np.asarray(value.numpy()), value.dtype.name)


def outcome_of(loaded: Loaded, index: int, tf: Any) -> Tree:
    """What a call gives, and what variables hold after it; or the class of its error, and those
    above it."""
    try:
        value = tree_of(loaded.call(index), tf)
        return {"value": value, "state": [tree_of(v, tf) for v in loaded.variables()]}
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        above = [c.__name__ for c in type(error).__mro__[1:-3]]
        return {"error": type(error).__name__, "above": above, "words": str(error)[:300]}


#: What TensorFlow says where it has no kernel for a dtype; here there is one.
_NO_KERNEL = (
    "Could not find device for node", "No OpKernel was registered", "Op type not registered",
)  # fmt: skip


def difference(theirs: Tree, ours: Tree) -> str | None:
    """How an outcome differs from TensorFlow's; None if it does not."""
    if "error" in theirs or "error" in ours:
        if theirs.get("error") in (ours.get("error"), *ours.get("above", ())):
            return None
        if any(words in theirs.get("words", "") for words in _NO_KERNEL):
            return None
        if "error" not in ours:
            return f"no error: not {theirs['error']}: {theirs['words'][:160]}"
        kind = "class" if "error" in theirs else "refused"
        wanted = f", not {theirs['error']}: {theirs['words'][:160]}" if "error" in theirs else ""
        return f"{kind}: {ours['error']}: {ours['words'][:160]}{wanted}"
    return differs(theirs["value"], ours["value"], "result") or differs(
        theirs["state"], ours["state"], "state"
    )


def differs(a: Tree, b: Tree, place: str) -> str | None:
    """How a tree differs from the expected one, and where."""
    if isinstance(a, dict) and isinstance(b, dict):
        if "of" in a and "of" in b:
            text = arrays_differ(a, b)
            return f"{text.partition(':')[0]}: at {place}: {text}" if text else None
        if a.keys() != b.keys():
            return f"structure: at {place}: {kind_of(b)}, not {kind_of(a)}"
        for key in a:
            words = differs(a[key], b[key], f"{place}.{key}")
            if words:
                return words
        return None
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"structure: at {place}: {len(b)} items, not {len(a)}"
        for i, (one, other) in enumerate(zip(a, b)):
            words = differs(one, other, f"{place}[{i}]")
            if words:
                return words
        return None
    if isinstance(a, float) and isinstance(b, float):
        return (
            None
            if a == b or abs(a - b) <= 2e-4 * max(1.0, abs(a)) or (a != a and b != b)
            else f"value: at {place}: {b}, not {a}"
        )
    if type(a) is not type(b):
        return f"structure: at {place}: {kind_of(b)}, not {kind_of(a)}"
    return None if a == b else f"value: at {place}: {b!r}, not {a!r}"


def kind_of(tree: Tree) -> str:
    """What a tree is, in words."""
    return (
        str(tree.get("of") or next(iter(tree))) if isinstance(tree, dict) else type(tree).__name__
    )


def arrays_differ(a: Tree, b: Tree) -> str:
    """How an array differs from the expected one, in words."""
    if a["of"] != b["of"]:
        return f"dtype: {b['of']}, not {a['of']}"
    if a["shape"] != b["shape"]:
        return f"shape: {b['shape']}, not {a['shape']}"
    if a["flat"] == b["flat"]:
        return ""
    tolerance = TOLERANCES.get(a["of"])
    if tolerance is None:
        return f"value: {b['flat'][:12]}, not {a['flat'][:12]}"
    one, other = np.array(a["flat"], np.float64), np.array(b["flat"], np.float64)
    finite = np.isfinite(one) & np.isfinite(other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    greatest = np.max(np.abs(one[finite]), initial=1.0)
    near = np.zeros(one.shape, bool)
    near[finite] = np.abs(one[finite] - other[finite]) <= tolerance * greatest
    return "" if np.all(same | near) else f"value: {b['flat'][:12]}, not {a['flat'][:12]}"
