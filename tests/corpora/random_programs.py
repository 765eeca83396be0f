"""Random straight-line programs over tensors, for tests that compare ways to run them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import graphwright as tf

Step = tuple[str, tuple[int, ...], int]


def _pick(values: list[Any], index: int, kinds: str) -> Any:
    """The value that an index picks among those of some kinds; None where there is none."""
    fitting = [v for v in values if v.dtype.name[0] in kinds]
    return fitting[index % len(fitting)] if fitting else None


def _scaled(x: Any) -> Any:
    """Keeps floats small, so that programs do not overflow at once."""
    return tf.maximum(tf.minimum(x, 8.0), -8.0)


#: name -> (kinds of the operands, function of operands and a small number).
OPS: dict[str, tuple[str, Callable[..., Any]]] = {
    "sin": ("f", lambda a, n: tf.sin(a)),
    "tanh": ("f", lambda a, n: tf.tanh(a)),
    "exp": ("f", lambda a, n: tf.exp(_scaled(a))),
    "sqrt": ("f", lambda a, n: tf.sqrt(tf.abs(a))),
    "negate": ("n", lambda a, n: -a),
    "square": ("n", lambda a, n: tf.square(a)),
    "add": ("nn", lambda a, b, n: a + b),
    "sub": ("nn", lambda a, b, n: a - b),
    "mul": ("nn", lambda a, b, n: a * b),
    "maximum": ("nn", lambda a, b, n: tf.maximum(a, b)),
    "div": ("ff", lambda a, b, n: a / (tf.abs(b) + 1.0)),
    "floordiv": ("ii", lambda a, b, n: a // b),
    "mod": ("ii", lambda a, b, n: a % (b * b + 1)),
    "add_constant": ("n", lambda a, n: a + n),
    "times_one": ("n", lambda a, n: a * 1),
    "less": ("nn", lambda a, b, n: a < b),
    "equal": ("nn", lambda a, b, n: a == b),
    "where": ("bff", lambda c, a, b, n: tf.where(c, a, b)),
    "not": ("b", lambda a, n: tf.logical_not(a)),
    "to_float": ("a", lambda a, n: tf.cast(a, tf.float32)),
    "to_int": ("b", lambda a, n: tf.cast(a, tf.int32)),
    "sum": ("n", lambda a, n: tf.reduce_sum(a, axis=n % 2, keepdims=n > 1)),
    "sum_all": ("n", lambda a, n: tf.reduce_sum(a)),
    "max": ("n", lambda a, n: tf.reduce_max(a, axis=-1)),
    "flatten": ("a", lambda a, n: tf.reshape(a, [-1])),
    "reshape": ("a", lambda a, n: tf.reshape(a, [tf.shape(a)[0], -1])),
    "transpose": ("a", lambda a, n: tf.transpose(a)),
    "concat": ("nn", lambda a, b, n: tf.concat([a, b], axis=0)),
    "stack": ("n", lambda a, n: tf.stack([a, a], axis=n % 2)),
    "first": ("a", lambda a, n: a[0]),
    "slice": ("a", lambda a, n: a[n % 2 :: 1 + n % 2]),
    "expand": ("a", lambda a, n: tf.expand_dims(a, n % 2)),
    "gather": ("a", lambda a, n: tf.gather(a, [0, 0])),
    "matmul": ("ff", lambda a, b, n: tf.matmul(a, b, transpose_b=True)),
}


def steps(max_size: int = 12) -> st.SearchStrategy[list[Step]]:
    """Programs: each step names an op, its operands by number, and a small number."""
    indices = st.tuples(*[st.integers(0, 9)] * 3)
    return st.lists(
        st.tuples(st.sampled_from(sorted(OPS)), indices, st.integers(0, 3)), max_size=max_size
    )


def run(program: list[Step], values: list[Any]) -> list[Any]:
    """Runs the steps on some tensors; each appends its result. Steps that lack operands pass."""
    values = list(values)
    for name, indices, number in program:
        kinds, function = OPS[name]
        wanted = [{"n": "fi", "a": "fib"}.get(k, k) for k in kinds]
        operands = [_pick(values, i, k) for i, k in zip(indices, wanted)]
        if len(operands) == 2 and None not in operands and kinds[0] == "n":
            operands[1] = _pick(values, indices[1], operands[0].dtype.name[0])
        if None not in operands and all(o.dtype.name != "int64" for o in operands):
            values.append(function(*operands, number))
    return values


def inputs(seed: int) -> list[Any]:
    """Tensors to start from."""
    random = np.random.default_rng(seed)
    return [
        tf.constant(random.normal(size=(2, 3)).astype(np.float32)),
        tf.constant(random.integers(-3, 4, size=(2, 3)).astype(np.int32)),
        tf.constant(random.normal(size=(3,)).astype(np.float32)),
        tf.constant(random.integers(0, 2, size=(2, 1)).astype(bool)),
        tf.constant(2),
    ]
