"""Gathering and scattering by index vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

DTYPES = (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64, tf.uint8)
# (name, array shape, indices)
CASES: tuple[tuple[str, list[int], Any], ...] = (
    ("elements", [4], [[1], [3], [1], [1]]),
    ("rows", [4, 3], [[2], [0], [2]]),
    ("points", [4, 3], [[[0, 1], [3, 2]], [[0, 1], [0, 0]]]),
    ("blocks", [2, 3, 2, 2], [[0, 1], [1, 2], [1, 2]]),
    ("nothing", [3, 2], np.zeros((0, 1))),
)


def record(recorder: Any) -> None:
    """All cases of the family."""
    for dtype in DTYPES:
        for name, shape, values in CASES:
            _one(recorder, f"{name}-{dtype.name}", shape, np.array(values, np.int32), dtype)
    params = tf.reshape(tf.range(24), [3, 2, 2, 2])
    for batch_dims, values in (
        (1, [[0, 1], [1, 0], [1, 1]]),
        (2, [[[0], [1]], [[1], [0]], [[1], [1]]]),
    ):
        indices = np.array(values, np.int64)
        result = tf.gather_nd(params, indices, batch_dims)
        args = (params, indices, batch_dims)
        recorder.case(f"gather-batch-{batch_dims}", "scatter.gather_nd", result, *args)
    whole = np.zeros((3, 0), np.int32)
    recorder.case("gather-whole", "scatter.gather_nd", tf.gather_nd(params, whole), params, whole)


def _one(recorder: Any, name: str, shape: list[int], indices: Any, dtype: tf.DType) -> None:
    generator = np.random.default_rng(len(shape))
    array = tf.cast(generator.integers(0, 9, shape), dtype)
    inner = [*indices.shape[:-1], *shape[indices.shape[-1] :]]
    updates = tf.cast(generator.integers(0, 9, inner), dtype)
    gathered = tf.gather_nd(array, indices)
    recorder.case(f"gather-{name}", "scatter.gather_nd", gathered, array, indices)
    for kind in ("update", "add", "sub", "min", "max"):
        result = getattr(tf, f"tensor_scatter_nd_{kind}")(array, indices, updates)
        args = (kind, array, indices, updates)
        recorder.case(f"{kind}-{name}", "scatter.tensor_scatter", result, *args)
