"""float16 and bfloat16 in machine code: computed in float32, rounded after each op."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from everyday.tiers import native

import graphwright as tf
from graphwright.compile.nests.element_kinds import converts_float16


def slopes(x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.tanh(x * y)
    return tape.gradient(z, [x, y])


PROGRAMS: dict[str, Any] = {
    "chain": lambda x, y: tf.tanh(x * y + 1.5) * 2,
    "comparison": lambda x, y: tf.where(x > y, x, -y),
    "movement": lambda x, y: tf.concat([tf.transpose(x)[2:9], tf.ones([7, 3], x.dtype)], 1),
    "casts": lambda x, y: tf.cast(tf.cast(x, tf.float32) * 1.25, x.dtype) + y,
    "rows": lambda x, y: tf.gather(x, [3, 1, 4]) + y,
    "sums": lambda x, y: (tf.reduce_sum(x * y, 0), tf.reduce_max(x, 1), tf.nn.softmax(x)),
    "slopes": slopes,
    "places of extremes below 0": lambda x, y: (tf.argmax(-abs(x), 1), tf.argmax(-abs(x) - 1, 0)),
    "places of extremes beyond 16 bits": lambda x, y: (
        tf.argmin(abs(x) * 1e4 + 1e5, 1),
        tf.argmin(abs(x) * 1e4 + 1e5, 0),
    ),
}


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=lambda d: d.name)
@pytest.mark.parametrize("name", PROGRAMS)
def test_halves(name: str, dtype: Any) -> None:
    random = np.random.default_rng(1)
    x = tf.cast(random.normal(size=(33, 17)), dtype)
    y = tf.cast(random.normal(size=(17,)), dtype)
    staged = tf.function(PROGRAMS[name], jit_compile=True)
    expected = tf.nest.flatten(PROGRAMS[name](x, y))
    for result, wanted in zip(tf.nest.flatten(staged(x, y)), expected):
        assert result.dtype is wanted.dtype
        error = 2.0**-10 if dtype is tf.float16 else 2.0**-7  # a unit of the last place
        np.testing.assert_allclose(
            result.numpy().astype(np.float32), wanted.numpy().astype(np.float32), error, 0
        )
    if dtype is tf.bfloat16 or converts_float16():
        tiers = [c.tier for c in staged.get_concrete_function(x, y).compilations]
        assert "native" in tiers


FUNCTIONS = [
    "abs", "negative", "sign", "ceil", "floor", "round", "rint", "sqrt", "rsqrt", "square",
    "reciprocal", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "lgamma", "digamma",
    "sigmoid", "softplus", "ndtri", "add", "subtract", "multiply", "divide", "truncatemod",
    "floormod", "pow", "atan2", "maximum", "minimum", "squared_difference", "xlogy", "xdivy",
]  # fmt: skip


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=lambda d: d.name)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_number_in_a_branch(name: str, dtype: Any) -> None:
    function: Any = getattr(tf.math, name, None) or getattr(tf, name)
    count = 1 + ("y" in inspect.signature(function).parameters)

    @tf.function(jit_compile=True)
    def program(x: Any, y: Any) -> Any:
        return function(*[x] * count) if y == 0 else x

    x, y = tf.constant(0.5, dtype), tf.constant(0)
    with native("check"):
        result = program(x, y)
    if dtype is tf.bfloat16 or converts_float16():
        assert "native" in [c.tier for c in program.get_concrete_function(x, y).compilations]
    error = 2.0**-10 if dtype is tf.float16 else 2.0**-7
    expected = function(*[x] * count)
    np.testing.assert_allclose(float(result), float(expected), error, 0)
