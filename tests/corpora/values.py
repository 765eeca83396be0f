"""What functions of `tf.math` and `tf.signal` make of Python values and NumPy arrays.

Each function is called with one kind of value in the place of all its tensors; the outcome is the
dtypes, shapes and values of the results, or the class of the error. `CASTS` are floats that become
integers. tools/record_value_goldens.py records the outcomes from TensorFlow.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

MODULES = ("math", "signal", "math.special")
#: Arguments that are no tensors, of functions that need them; V stands for the value.
V = object()
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "signal.frame": (V, 2, 1),
    "signal.hamming_window": (V,),
    "signal.inverse_stft": (V, 2, 1),
    "signal.overlap_and_add": (V, 1),
    "signal.stft": (V, 2, 1),
    "math.approx_max_k": (V, 2),
    "math.approx_min_k": (V, 2),
    "math.in_top_k": (V, V, 1),
    "math.segment_max": (V, [0, 0, 1, 1]),
    "math.segment_mean": (V, [0, 0, 1, 1]),
    "math.segment_min": (V, [0, 0, 1, 1]),
    "math.segment_prod": (V, [0, 0, 1, 1]),
    "math.segment_sum": (V, [0, 0, 1, 1]),
    "math.unsorted_segment_max": (V, [0, 0, 1, 1], 2),
    "math.unsorted_segment_mean": (V, [0, 0, 1, 1], 2),
    "math.unsorted_segment_min": (V, [0, 0, 1, 1], 2),
    "math.unsorted_segment_prod": (V, [0, 0, 1, 1], 2),
    "math.unsorted_segment_sqrt_n": (V, [0, 0, 1, 1], 2),
    "math.unsorted_segment_sum": (V, [0, 0, 1, 1], 2),
    "math.reduce_all": (V,),
    "math.cumulative_logsumexp": (V,),
    "math.accumulate_n": ([V, V],),
    "math.add_n": ([V, V],),
    "math.polyval": ([V, V], V),
}
NUMBERS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64", "complex64", "complex128", "bool",
)  # fmt: skip


def values() -> dict[str, Any]:
    """The values, by what they are called."""
    found: dict[str, Any] = {
        "ints": [1, 2, 3, 4],
        "floats": [0.5, 0.25, 0.75, 0.125],
        "complex": [1 + 2j, 2.0, 0.5j, 1.0],
        "bools": [True, False, True, True],
        "strings": ["a", "b", "c", "d"],
        "empty": [],
        "mixed": [1, 2.5, 3, 4],
        "tuple": (1, 2, 3, 4),
        "complex matrix": [[1 + 2j, 2.0], [0.5j, 1.0]],
        "matrix": [[1.0, 0.5], [0.25, 0.75]],
        "int matrix": [[1, 2], [3, 4]],
        "int": 2,
        "float": 0.5,
        "complex number": 1 + 2j,
        "bool": True,
        "string": "a",
        "none": None,
        "strings array": np.array(["a", "b", "c", "d"]),
    }
    for name in NUMBERS:
        found[f"{name} array"] = np.array([1, 2, 3, 4]).astype(name)
    found |= {"float32 scalar": np.float32(0.5), "int64 scalar": np.int64(2)}
    return found | {"float64 list": [np.float64(0.5)] * 4}


def names(tf: Any) -> Iterator[str]:
    """The public functions, as TensorFlow 2.21 has them."""
    for module in MODULES:
        parts = tf
        for part in module.split("."):
            parts = getattr(parts, part)
        for name in sorted(dir(parts)):
            function = getattr(parts, name)
            if not name.startswith("_") and callable(function) and not inspect.isclass(function):
                yield f"{module}.{name}"


def arguments(tf: Any, name: str) -> tuple[Any, ...]:
    """The arguments of a call, with `V` in the places of tensors."""
    if name in ARGUMENTS:
        return ARGUMENTS[name]
    parameters = inspect.signature(resolve(tf, name)).parameters.values()
    return tuple(V for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD)


def filled(parts: Any, value: Any) -> Any:
    """The arguments with a value in the places of `V`."""
    if isinstance(parts, (list, tuple)):
        return type(parts)(filled(p, value) for p in parts)
    return value if parts is V else parts


def resolve(tf: Any, name: str) -> Any:
    """The function of that name."""
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


def outcome(tf: Any, function: Any, given: tuple[Any, ...]) -> Any:
    """What a call comes to: `[dtype, shape, values]` of each result, or the class of the error."""
    try:
        result = function(*given)
        return [described(leaf) for leaf in tf.nest.flatten(result)]
    except Exception as error:  # noqa: BLE001 - any class is an outcome
        return type(error).__name__


def described(leaf: Any) -> Any:
    """A result as JSON holds it."""
    if not hasattr(leaf, "numpy"):
        return "a function" if callable(leaf) else repr(leaf)
    array = np.asarray(leaf.numpy())
    kind = array.dtype.kind
    if kind == "O":
        items = [x.decode("latin-1") for x in array.reshape(-1)]
    elif kind == "c":
        items = [[float(x.real), float(x.imag)] for x in array.reshape(-1)]
    else:
        plain = float if kind in "fV" else int
        items = [plain(x) for x in array.reshape(-1)]
    return [leaf.dtype.name, list(array.shape), items]


def calls(tf: Any) -> Iterator[tuple[str, str, Any]]:
    """Function, kind of value, and outcome of all calls."""
    kinds = values()
    for name in names(tf):
        function, parts = resolve(tf, name), arguments(tf, name)
        for kind, value in kinds.items():
            yield name, kind, outcome(tf, function, filled(parts, value))


# -- floats that become integers ------------------------------------------------------------

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")
#: Whole and not, within and beyond what integers hold, and no numbers.
REALS = [
    float("nan"), float("inf"), float("-inf"), 0.5, -0.5, -0.99, 1.5, -1.0, -1.5, 128.0, -129.0,
    255.5, 256.0, 300.7, -200.3, 32768.0, -32769.0, 40000.0, -40000.0, 65536.0, 70000.0,
    2.0**31 - 1, 2.0**31, -(2.0**31), -(2.0**31) - 1, 3e9, -3e9, 2.0**32, 2.0**32 + 5, -(2.0**32),
    1e10, -1e10, 2.0**63 - 1024, 2.0**63, -(2.0**63), 2.0**64 - 2048, 2.0**64, -(2.0**64), 1e20,
    -1e20, 1e300, -1e300,
]  # fmt: skip


def reals(tf: Any, dtype: str) -> Any:
    """The floats as a vector of a dtype."""
    return tf.cast(tf.constant(REALS, tf.float64), getattr(tf, dtype))


def cast_one_by_one(tf: Any) -> dict[str, list[int]]:
    """What each of the floats is as an integer; the processor may convert many otherwise."""
    return {
        f"{source} {target}": [int(tf.cast(x, getattr(tf, target))) for x in reals(tf, source)]
        for source in FLOATS
        for target in INTEGERS
    }
