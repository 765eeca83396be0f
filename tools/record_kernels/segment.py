"""Segment reductions, sparse ones, counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

DTYPES = (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64, tf.uint8)
SORTED = np.array([0, 0, 2, 2, 2, 5, 6, 6], np.int32)
UNSORTED = np.array([4, 0, -1, 3, 0, 4, 4, 1], np.int64)


def record(recorder: Any) -> None:
    """All cases of the family."""
    for dtype in DTYPES:
        for inner in ([], [3], [2, 3]):
            data = _draw([8, *inner], dtype)
            close = {"ulps": 4 if dtype.is_floating else 0}
            suffix = f"{dtype.name}-{len(inner)}"
            for kind in ("sum", "prod", "min", "max", "mean"):
                result = getattr(tf.math, f"segment_{kind}")(data, SORTED)
                args = (kind, data, SORTED)
                recorder.case(f"{kind}-{suffix}", "segment.segment_reduce", result, *args, **close)
            for kind in ("sum", "prod", "min", "max"):
                result = getattr(tf.math, f"unsorted_segment_{kind}")(data, UNSORTED, 6)
                args = (kind, data, UNSORTED, 6)
                close = {"ulps": 4 if dtype.is_floating and kind in ("sum", "prod") else 0}
                kernel = "segment.unsorted_segment_reduce"
                recorder.case(f"unsorted-{kind}-{suffix}", kernel, result, *args, **close)
    _matrix_ids(recorder)
    _sparse(recorder)
    _counts(recorder)


def _draw(shape: list[int], dtype: tf.DType) -> Any:
    return tf.cast(np.random.default_rng(len(shape)).integers(1, 6, shape), dtype)


def _matrix_ids(recorder: Any) -> None:
    data = _draw([3, 4, 2], tf.float32)
    ids = np.array([[0, 1, 1, 2], [-1, 2, 0, 0], [3, 3, 3, 3]], np.int32)
    result = tf.math.unsorted_segment_sum(data, ids, 5)
    args = ("sum", data, ids, 5)
    recorder.case("unsorted-matrix", "segment.unsorted_segment_reduce", result, *args)


def _sparse(recorder: Any) -> None:
    indices, ids = np.array([0, 3, 5, 1, 1], np.int32), np.array([0, 0, 2, 4, 4], np.int32)
    for dtype in (tf.float32, tf.float64, tf.bfloat16, tf.float16):
        data = _draw([6, 2], dtype)
        for kind in ("sum", "mean", "sqrt_n"):
            for count in (None, 7):
                call = getattr(tf.sparse, f"segment_{kind}")
                result = call(data, indices, ids, num_segments=count)
                name = f"sparse-{kind}-{dtype.name}-{count}"
                args = (kind, data, indices, ids, count)
                recorder.case(name, "segment.sparse_segment_reduce", result, *args, ulps=2)


def _counts(recorder: Any) -> None:
    line, rows = np.array([1, 2, 2, 5, 9, 0]), np.array([[1, 2, 2], [2, 5, 9]], np.int32)
    for name, array in (("line", line.astype(np.int32)), ("rows", rows)):
        axis = -1 if array.ndim == 2 else 0
        plain = tf.math.bincount(array, minlength=6, maxlength=6, axis=axis)
        recorder.case(f"bincount-{name}", "segment.bincount", plain, array, 6)
        for dtype in (tf.float32, tf.float64, tf.int32, tf.int64):
            weights = _draw(list(array.shape), dtype)
            result = tf.math.bincount(array, weights, minlength=6, maxlength=6, axis=axis)
            name_of = f"bincount-{name}-{dtype.name}"
            recorder.case(name_of, "segment.bincount", result, array, 6, weights)
        binary = tf.math.bincount(array, minlength=6, maxlength=6, axis=axis, binary_output=True)
        recorder.case(f"bincount-{name}-binary", "segment.bincount", binary, array, 6, None, True)
