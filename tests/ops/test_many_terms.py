"""Kernels that add many floats up: accurate wherever the terms lie, not only side by side."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf

ROWS = (1 << 20) + 77
X = np.random.default_rng(1).random((ROWS, 2), np.float32)

#: Functions of X that add its columns up.
CASES = {
    "sum": lambda x: tf.reduce_sum(x, 0),
    "sum of columns": lambda x: tf.reduce_sum(x, [0], keepdims=True)[0],
    "sum of the middle": lambda x: tf.reduce_sum(tf.stack([x, x]), 1)[0],
    "sum over two axes": lambda x: tf.reduce_sum(tf.reshape(x, [7, -1, 2]), [0, 1]),
    "sum of a transposed one": lambda x: tf.reduce_sum(tf.transpose(x), 1),
    "mean": lambda x: tf.reduce_mean(x, 0) * ROWS,
    "norm": lambda x: tf.norm(tf.sqrt(x), axis=0) ** 2,
    "cotangent of a bias": lambda x: tf.raw_ops.BiasAddGrad(out_backprop=x),
    "softmax": lambda x: X.sum(0, dtype=np.float64)
    * tf.cast(tf.reduce_sum(tf.nn.softmax(x, 0), 0), tf.float64),
    "statistics of a batch": lambda x: tf.raw_ops.FusedBatchNormV3(
        x=tf.reshape(x, [-1, 1, 1, 2]), scale=[1.0] * 2, offset=[0.0] * 2, mean=[], variance=[],
        is_training=True,
    ).batch_mean * ROWS,
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_sums_of_many_terms_stay_accurate(name):
    exact = X.sum(0, dtype=np.float64)
    x = tf.constant(X[: ROWS // 7 * 7] if name == "sum over two axes" else X)
    if name == "sum over two axes":
        exact = X[: ROWS // 7 * 7].sum(0, dtype=np.float64)
    for function in (CASES[name], tf.function(CASES[name], jit_compile=False)):
        assert np.all(np.abs(function(x).numpy() - exact) < 1e-6 * exact)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.int32])
@pytest.mark.parametrize("shape", [(1024, 4), (1025, 4), (5000, 3), (3, 2049, 2), (2, 3, 4096, 1)])
def test_blocks_leave_nothing_out(shape, dtype):
    x = np.random.default_rng(2).integers(0, 3, shape).astype(dtype)
    for axis in range(len(shape)):
        expected = x.sum(axis, dtype=np.complex128 if x.dtype.kind == "c" else np.float64)
        found = tf.reduce_sum(x, axis).numpy()
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected.astype(dtype))
