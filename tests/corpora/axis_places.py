"""Calls of ops that take an axis, which is an integer of another kind, or a bool: `K` is it."""

from __future__ import annotations

from typing import Any

from corpora.size_places import outcomes_with

#: Values that stand for the axis 1.
VALUES = {
    "int8": "np.int8(1)",
    "uint8": "np.uint8(1)",
    "uint32": "np.uint32(1)",
    "list of int8": "[np.int8(1)]",
    "list of int16": "[np.int16(1)]",
    "list of int64": "[np.int64(1)]",
    "array of int8": "np.array([1], np.int8)",
    "tensor of int8": "tf.constant(1, tf.int8)",
    "bool": "True",
    "list of bool": "[True]",
    "bool of NumPy": "np.bool_(True)",
    "list of bool of NumPy": "[np.bool_(True)]",
    "tensor of bool": "tf.constant(True)",
}

FORMS = (
    "tf.reduce_sum(X, K)",
    "tf.reduce_mean(X, K)",
    "tf.reduce_max(X, K)",
    "tf.reduce_all(X > 1.0, K)",
    "tf.reduce_logsumexp(X, K)",
    "tf.math.reduce_std(X, K)",
    "tf.math.count_nonzero(X, K)",
    "tf.argmax(X, K)",
    "tf.argmin(X, K)",
    "tf.cumsum(X, K)",
    "tf.math.cumulative_logsumexp(X, K)",
    "tf.concat([X, X], K)",
    "tf.stack([X, X], K)",
    "tf.unstack(X, axis=K)",
    "tf.split(X, 1, axis=K)",
    "tf.gather(X, [0], axis=K)",
    "tf.expand_dims(X, K)",
    "tf.squeeze(tf.zeros([2, 1, 3]), K)",
    "tf.reverse(X, K)",
    "tf.roll(X, 1, K)",
    "tf.transpose(X, [0, 2, K])",
    "tf.nn.softmax(X, K)",
    "tf.nn.log_softmax(X, K)",
    "tf.math.l2_normalize(X, K)",
    "tf.nn.moments(X, K)",
    "tf.norm(X, axis=K)",
    "tf.sort(X, axis=K)",
    "tf.argsort(X, axis=K)",
    "tf.repeat(X, 2, axis=K)",
    "tf.one_hot([0, 1], 3, axis=K)",
    "tf.tensordot(X, X, [[K], [K]])",
    "tf.clip_by_norm(X, 1.0, axes=K)",
    "tf.nn.crelu(X, axis=K)",
    "tf.sparse.reduce_sum(tf.sparse.from_dense(X), K)",
    "tf.sparse.concat(K, [tf.sparse.from_dense(X)] * 2)",
    "tf.sparse.expand_dims(tf.sparse.from_dense(X), K)",
    "tf.reduce_sum(tf.ragged.constant([[1.0]]), axis=K)",
    "tf.concat([tf.ragged.constant([[1.0]])] * 2, axis=K)",
    'tf.strings.reduce_join([["a"]], axis=K)',
    "tf.quantization.quantize_and_dequantize_v2(X, 0.0, 1.0, axis=K)",
    "tf.linspace([0.0, 1.0], [1.0, 2.0], 3, axis=K)",
)


def outcomes(tf: Any, form: str, value: str) -> list[str]:
    """The class of error of a call, eagerly and in a graph; "" if it gives something."""
    return outcomes_with(tf, form, VALUES[value])
