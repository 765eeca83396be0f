"""Python values, NumPy arrays, dtypes of a byte and less, and casts give what TensorFlow gives.

tests/golden/values.json.gz has what TensorFlow 2.21 makes of tests/corpora/values.py and
tests/corpora/dtypes.py.
"""

from __future__ import annotations

import gzip
import json
import logging
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from corpora import dtypes, values
from corpora.core import outcome

import graphwright as tf
from tools import golden_format as gf

#: Which class an operand is refused with depends on which of TensorFlow's wrappers sees it first.
REFUSALS = {
    "AssertionError", "IndexError", "InvalidArgumentError", "KeyError", "TypeError", "ValueError",
}  # fmt: skip
#: TensorFlow has no kernel there on its CPU, or fails in its own Python code.
NOT_THERE = {
    "AbortedError", "AttributeError", "InternalError", "NotFoundError", "UnimplementedError",
}  # fmt: skip

#: Calls whose outcome is meant to be another one, and why.
DIFFERENT = [
    (r".* strings array", "arrays of strings are no bools, even where TensorFlow takes them so"),
    (r"math\.divide bool array", "TensorFlow gives NumPy's result, no tensor"),
    (r"math\.imag strings", "strings have no imaginary part"),
    (r"math\.is_(non_decreas|strictly_increas)ing complex number", "complex numbers have no order"),
    (r"math\.sobol_sample bool", "a truth value is no number of dimensions"),
    (r"signal\.inverse_stft_window_fn ", "what is no step is refused before the window is made"),
    (r"signal\.kaiser_window float32 scalar", "a NumPy scalar is a length as for other windows"),
]
#: Expressions about dtypes likewise.
DIFFERENT_DTYPES = [
    (
        r"tf\.(constant|make_tensor_proto)\(\[?(1|1000|1, -1, 3)\]?, .*(float|int2)",
        "ints too become all",
    ),
    (r"tf\.zeros\(\[2\], ", "there are zeros of all dtypes"),
    (r"tf\.(constant|make_\w+)\(.*(fnuz|float4)", "Python's floats become all floats"),
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@cache
def golden() -> dict[str, Any]:
    """What was recorded."""
    result = gzip.decompress((gf.GOLDEN / "values.json.gz").read_bytes())
    return dict(json.loads(result))


def departs(text: str, departures: list[tuple[str, str]]) -> bool:
    """Whether an outcome is meant to be another one than TensorFlow's."""
    return any(re.match(pattern, text) for pattern, _ in departures)


@pytest.mark.parametrize("module", ["math.[a-e]", "math.[f-r]", "math.[s-z]", "signal"])
@pytest.mark.filterwarnings("ignore")
def test_python_values_and_arrays_become_tensors_as_tensorflow_s(module: str) -> None:
    kinds, wrong = values.values(), []
    for name, outcomes in golden()["calls"].items():
        if not re.match(module, name):
            continue
        function, parts = values.resolve(tf, name), values.arguments(tf, name)
        for kind, expected in outcomes.items():
            if departs(f"{name} {kind}", DIFFERENT):
                continue
            given = values.filled(parts, kinds[kind])
            result = values.outcome(tf, function, given)
            if not alike(result, expected):
                wrong.append(f"{name}, {kind}: {expected}, not {result}"[:300])
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:30])


def alike(found: Any, expected: Any) -> bool:
    """Whether an outcome is the recorded one, or an error of its kind."""
    if isinstance(expected, str) or isinstance(found, str):
        return (
            expected in NOT_THERE or {found, expected} <= REFUSALS
            if isinstance(found, str)
            else expected in NOT_THERE
        )
    return len(found) == len(expected) and all(map(is_close, found, expected))


def is_close(found: Any, expected: Any) -> bool:
    """Whether a result has the recorded dtype and shape, and nearly its values."""
    if isinstance(expected, str) or isinstance(found, str):
        return bool(found == expected)
    dtype, shape, values = expected
    if found[:2] != [dtype, shape]:
        return False
    near = 1e-2 if dtype in ("float16", "bfloat16") else 1e-4
    return all(
        u == v or (u != u and v != v) or math.isclose(u, v, rel_tol=near, abs_tol=near / 10)
        for u, v in zip(flat(found[2]), flat(values))
        if not isinstance(u, str) or u != v
    )


def flat(values: Any) -> list[Any]:
    """Numbers and texts of nested lists."""
    return [v for part in values for v in flat(part)] if isinstance(values, list) else [values]


@pytest.mark.parametrize("source", values.FLOATS)
def test_floats_become_integers_one_by_one_or_many_at_once(source: str) -> None:
    """Each as TensorFlow converts one number: what it makes of many depends on their places."""
    x = values.reals(tf, source)
    for target in values.INTEGERS:
        expected = golden()["casts"][f"{source} {target}"]
        dtype = getattr(tf, target)
        assert [int(tf.cast(v, dtype)) for v in x] == expected, target
        for compiled in (False, True):

            @tf.function(jit_compile=compiled or None, autograph=False)
            def run(t: Any, dtype: Any = dtype) -> Any:
                return tf.cast(t, dtype)

            assert [int(v) for v in run(x).numpy()] == expected, target
        repeated = tf.cast(tf.repeat(x, 37), dtype).numpy().reshape(-1, 37)
        assert [[int(v) for v in set(row)] for row in repeated] == [[v] for v in expected], target


def test_expressions_about_dtypes_have_tensorflow_s_outcomes() -> None:
    wrong = []
    for expression in dtypes.corpus():
        expected = golden()["dtypes"][expression]
        if expected.removeprefix("! ") in NOT_THERE or departs(expression, DIFFERENT_DTYPES):
            continue
        result = outcome(expression, tf)
        pair = {result.removeprefix("! "), expected.removeprefix("! ")}
        if "".join(result.split()) != "".join(expected.split()) and not pair <= REFUSALS:
            wrong.append(f"{expression}\n  TensorFlow: {expected}\n  here: {result}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:30])


def test_every_pair_of_dtypes_casts_zero_and_one() -> None:
    narrow = [getattr(tf.dtypes.experimental, name) for name in dtypes.NARROW]
    others = [getattr(tf, name) for name in dtypes.OTHERS if name != "string"]
    for source in (*narrow, *others):
        x = tf.cast(tf.constant([0.0, 1.0]), source)
        for target in (*narrow, *others):
            y = tf.cast(x, target)
            assert y.dtype is target
            assert tf.cast(y, tf.float32).numpy().tolist() == [0.0, 1.0], (source, target)
