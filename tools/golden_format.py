"""Golden cases: what a case is, how it is run, and how outcomes are stored.

A case is `(public name, positional arguments, keyword arguments)`; NumPy arrays in it become
tensors, everything else is passed as it is. In place of a public name there may be that of a
function in an area's module, `"tools.golden.AREA.NAME"`, which gets the package first. Modules
`tools/golden/AREA.py` list cases:

    def cases() -> Iterable[Case]
    TOLERANCES: list of (pattern of names, ulps, absolute error, ulps of the greatest element);
        the first that matches holds, the last number may be left out
    DEPARTURES: list of (pattern of a case's text, reason) that are meant to differ
    FURTHER_GRADIENTS: pattern of names that have a gradient here and none in TensorFlow

Everything here runs on either package (`tf` is TensorFlow or graphwright), so that what is
recorded and what is compared are made by the same code.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]
GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"
#: What a traced case knows of its inputs' shapes.
LEVELS = ("full", "partial", "none")
DIFFERENTIABLE = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def split(case: Case) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """The arrays of a case, and the function that puts tensors in their places."""
    arrays: list[Any] = []

    def strip(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            arrays.append(value)
            return Slot(len(arrays) - 1)
        if isinstance(value, (list, tuple)):
            return type(value)(strip(v) for v in value)
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items()}
        return value

    stripped = strip(list(case[1])), strip(case[2])

    def fill(value: Any, tensors: Sequence[Any]) -> Any:
        if isinstance(value, Slot):
            return tensors[value.index]
        if isinstance(value, (list, tuple)):
            return type(value)(fill(v, tensors) for v in value)
        if isinstance(value, dict):
            return {k: fill(v, tensors) for k, v in value.items()}
        return value

    return arrays, lambda tensors: fill(stripped, tensors)


class Slot:
    """The place of an array in a case."""

    def __init__(self, index: int) -> None:
        self.index = index


#: Cases that were described, by identity, and their texts: those of large arrays take long.
_TEXTS: dict[int, tuple[Case, str]] = {}


def describe(case: Case) -> str:
    """The case as text: its name and arguments, arrays by dtype and values."""
    result = _TEXTS.get(id(case))
    if result is None:
        result = _TEXTS[id(case)] = case, text_of(case)
    return result[1]


def text_of(case: Case) -> str:
    """The text of a case, made anew."""

    def show(value: Any) -> str:
        if isinstance(value, np.ndarray):
            text = str(value.tolist())
            if value.size > 64:
                text = hashlib.sha1(text.encode()).hexdigest()
            return f"{value.dtype.name}{list(value.shape)}{text}"
        if isinstance(value, (list, tuple)):
            return f"{type(value).__name__}({', '.join(map(show, value))})"
        return repr(value)

    keywords = [f"{k}={show(v)}" for k, v in case[2].items()]
    return f"{case[0]}({', '.join([*map(show, case[1]), *keywords])})"


def digest(case: Case) -> str:
    """The key of a case among the recorded ones."""
    return hashlib.sha1(describe(case).encode()).hexdigest()[:16]


# -- running --------------------------------------------------------------------------------


def resolve(tf: Any, name: str) -> Any:
    """The public function of that name, or the function `tools.golden.AREA.NAME` of a package."""
    if name.startswith("tools."):
        module, _, function = name.rpartition(".")
        return partial(getattr(importlib.import_module(module), function), tf)
    result = tf
    for part in name.split("."):
        result = getattr(result, part)
    return result


def leaves(result: Any) -> list[Any]:
    """The values of a nested result, from left to right."""
    if isinstance(result, dict):
        return [leaf for key in sorted(result) for leaf in leaves(result[key])]
    if isinstance(result, (list, tuple)):
        return [leaf for value in result for leaf in leaves(value)]
    return [result]


def as_array(leaf: Any) -> Any:
    """A tensor's value, or what else was returned, as text."""
    if not hasattr(leaf, "numpy"):
        return str(leaf)
    value = leaf.numpy()
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)


def call(tf: Any, case: Case, tensors: Sequence[Any]) -> list[Any]:
    """Calls a case's function; the leaves of its result."""
    _, rebuild = split(case)
    args, kwargs = rebuild(tensors)
    return leaves(resolve(tf, case[0])(*args, **kwargs))


def run_eager(tf: Any, case: Case) -> list[Any]:
    """The values of a case executed at once."""
    return [as_array(leaf) for leaf in call(tf, case, constants(tf, case))]


def constants(tf: Any, case: Case) -> list[Any]:
    """The case's arrays as tensors."""
    return [tf.constant(array) for array in split(case)[0]]


def run_traced(tf: Any, case: Case, level: str) -> tuple[list[Any], list[Any]]:
    """The static shapes and the values of a case's tensors, traced with partial shapes."""
    arrays, _ = split(case)
    specs = [tf.TensorSpec(shape_at(a.shape, level), as_dtype(tf, a)) for a in arrays]

    def body(tensors: Any) -> Any:
        return [leaf for leaf in call(tf, case, tensors) if tf.is_tensor(leaf)]

    function = tf.function(body, input_signature=[specs], autograph=False)
    concrete = function.get_concrete_function()
    shapes = [dims_of(leaf.shape) for leaf in leaves(concrete.structured_outputs)]
    return shapes, [as_array(leaf) for leaf in leaves(function(constants(tf, case)))]


def shape_at(shape: tuple[int, ...], level: str) -> Any:
    """A shape as far as a level knows it."""
    return {"full": list(shape), "partial": [None] * len(shape), "none": None}[level]


def as_dtype(tf: Any, array: Any) -> Any:
    """The dtype of the tensor that an array becomes."""
    return tf.string if array.dtype.kind in "OSU" else tf.as_dtype(array.dtype)


def dims_of(shape: Any) -> list[int | None] | None:
    """A TensorShape as a list, or None."""
    return None if shape.rank is None else list(shape.as_list())


def run_gradient(tf: Any, case: Case, traced: bool = False) -> list[Any]:
    """The cotangents of the floating inputs (None where none flows), of weighted results."""
    arrays, _ = split(case)
    tensors = constants(tf, case)
    moving = [i for i, a in enumerate(arrays) if a.dtype.name in DIFFERENTIABLE]

    def body(inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            for i in moving:
                tape.watch(inputs[i])
            results = call(tf, case, inputs)
        targets = [r for r in results if tf.is_tensor(r) and r.dtype.name in DIFFERENTIABLE]
        weights = [tf.constant(w) for w in chosen]
        result = tape.gradient(targets, [inputs[i] for i in moving], output_gradients=weights)
        return [None if g is None else tf.convert_to_tensor(g) for g in result]

    values = [v for v in run_eager(tf, case) if not isinstance(v, str)]
    chosen = [weight(v) for v in values if v.dtype.name in DIFFERENTIABLE]
    if not moving or not chosen:
        return []
    if not traced:
        return [None if g is None else as_array(g) for g in body(tensors)]
    specs = [tf.TensorSpec(None, as_dtype(tf, a)) for a in arrays]
    function = tf.function(body, input_signature=[specs], autograph=False)
    return [None if g is None else as_array(g) for g in function(tensors)]


def run_second(tf: Any, case: Case) -> list[Any]:
    """The derivatives of a sum over the sines of a case's gradients; None where nothing flows."""
    tensors = constants(tf, case)
    moving = [t for t in tensors if t.dtype.name in DIFFERENTIABLE]
    with tf.GradientTape() as outer:
        outer.watch(moving)
        with tf.GradientTape() as tape:
            tape.watch(moving)
            results = call(tf, case, tensors)
            targets = [r for r in results if tf.is_tensor(r) and r.dtype.name in DIFFERENTIABLE]
        first = [tf.convert_to_tensor(g) for g in tape.gradient(targets, moving) if g is not None]
        waves = [tf.sin(tf.math.real(g)) for g in first]
        waves += [tf.cos(tf.math.imag(g)) for g in first if g.dtype.is_complex]
    result = outer.gradient(waves, moving) if waves else [None] * len(moving)
    return [None if g is None else as_array(tf.convert_to_tensor(g)) for g in result]


def weight(value: Any) -> Any:
    """The cotangent that a result gets: different in every place."""
    places = np.arange(value.size).reshape(value.shape)
    return np.asarray(1 + 0.5 * np.cos(places)).astype(value.dtype)


# -- storage --------------------------------------------------------------------------------


def path_of(area: str) -> Path:
    """Where an area's outcomes are."""
    return GOLDEN / f"ops_{area}.npz"


class Store:
    """The recorded outcomes of an area: one index of JSON, all values in one buffer."""

    def __init__(self, index: dict[str, Any] | None = None, data: bytes = b"") -> None:
        self.index: dict[str, Any] = index or {}
        self.data = bytearray(data)

    def pack(self, value: Any) -> Any:
        """A value as an entry of the index."""
        if value is None or isinstance(value, str):
            return value
        if value.dtype.kind in "OSU":
            words = [v.decode("latin-1") for v in value.reshape(-1).tolist()]
            return ["string", list(value.shape), words]
        raw = np.ascontiguousarray(value).tobytes()
        offset = self.data.find(raw) if 0 < len(raw) <= 16 and len(self.data) < 4096 else -1
        if offset < 0:
            offset = len(self.data)
            self.data += raw
        return [value.dtype.name, list(value.shape), offset]

    def unpack(self, entry: Any) -> Any:
        """The value of an entry."""
        if entry is None or isinstance(entry, str):
            return entry
        name, shape, where = entry
        if name == "string":
            words = np.empty(len(where), dtype=object)
            words[:] = [w.encode("latin-1") for w in where]
            return words.reshape(shape)
        dtype = np.dtype(getattr(ml_dtypes, name, name))
        raw = bytes(self.data[where : where + math.prod(shape) * dtype.itemsize])
        return np.frombuffer(raw, dtype).reshape(shape)

    def save(self, area: str) -> Path:
        """Writes tests/golden/ops_AREA.npz."""
        return self.write(path_of(area))

    def write(self, path: Path) -> Path:
        """Writes a file."""
        text = json.dumps(self.index, separators=(",", ":")).encode()
        np.savez_compressed(
            path, index=np.frombuffer(text, np.uint8), data=np.frombuffer(self.data, np.uint8)
        )
        return path

    @classmethod
    @cache
    def load(cls, area: str) -> Store:
        """Reads what `save` wrote, once."""
        return cls.read(path_of(area))

    @classmethod
    def read(cls, path: Path) -> Store:
        """Reads what `write` wrote."""
        with np.load(path) as file:
            return cls(json.loads(file["index"].tobytes()), file["data"].tobytes())


def distinct(cases: Iterable[Case]) -> list[Case]:
    """The cases without repetitions."""
    return list({digest(case): case for case in cases}.values())


@cache
def cases_of(area: str) -> list[Case]:
    """The distinct cases of an area."""
    return distinct(importlib.import_module(f"tools.golden.{area}").cases())
