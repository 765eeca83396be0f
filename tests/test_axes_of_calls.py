"""Axes that are small integers of NumPy, or bools: taken where TensorFlow takes them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from corpora import axis_places

import graphwright as tf

GOLDEN = Path(__file__).parent / "golden" / "axes.json.gz"

#: Forms and values that are refused though TensorFlow takes them, and why.
RAGGED = "TensorFlow takes it in graphs alone, where it does not look at the axis"
TRUTH = "a bool is no number to `operator.index`, nor to known axes"
REFUSED = {
    ("tf.argmax(X, K)", "tensor of int8"): "no dtype of an axis in the signature of ArgMax",
    ("tf.concat([X, X], K)", "array of int8"): "an array of one axis, which its graphs refuse",
    ("tf.nn.crelu(X, axis=K)", "array of int8"): "an array of one axis, which its graphs refuse",
    ("tf.transpose(X, [0, 2, K])", "tensor of bool"): "TensorFlow refuses it eagerly",
    ("tf.tensordot(X, X, [[K], [K]])", "bool"): "TensorFlow refuses it eagerly",
    ("tf.reduce_sum(tf.ragged.constant([[1.0]]), axis=K)", "tensor of int8"): RAGGED,
    ("tf.reduce_sum(tf.ragged.constant([[1.0]]), axis=K)", "tensor of bool"): RAGGED,
    **{
        (form, "bool of NumPy"): TRUTH
        for form in ("tf.nn.softmax(X, K)", "tf.nn.log_softmax(X, K)", "tf.sort(X, axis=K)",
                     "tf.argsort(X, axis=K)")
    },
    ("tf.sort(X, axis=K)", "tensor of bool"): TRUTH,
    ("tf.argsort(X, axis=K)", "tensor of bool"): TRUTH,
}  # fmt: skip


def test_axes_that_tensorflow_takes_are_taken() -> None:
    refused, taken = set(), 0
    for form, value, *theirs in json.loads(gzip.decompress(GOLDEN.read_bytes())):
        ours = axis_places.outcomes(tf, form, value)
        if any(other and not one for one, other in zip(theirs, ours)):
            refused.add((form, value))
        taken += sum(bool(one and not other) for one, other in zip(theirs, ours))
    assert refused == set(REFUSED)
    assert taken < 130
