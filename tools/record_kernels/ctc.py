"""The CTC loss and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

LABELS = np.array([[0, 1, 1], [2, 2, 0], [3, 0, 0], [1, 2, 3]], np.int32)
LABEL_SIZES = np.array([3, 2, 1, 3], np.int32)
LOGIT_SIZES = np.array([7, 5, 7, 6], np.int32)


def record(recorder: Any) -> None:
    """All cases of the family."""
    drawn = np.random.default_rng(0).normal(size=(7, 4, 5)) * 2
    single = tf.cast(drawn, tf.float32)
    _loss(recorder, single, LABELS, LABEL_SIZES, 4)
    _loss(recorder, single, LABELS + 1, LABEL_SIZES, 0)
    _loss(recorder, single, LABELS, np.array([0, 2, 0, 3], np.int32), 4)
    indices = np.argwhere(np.arange(3) < LABEL_SIZES[:, None])
    result = tf.raw_ops.CTCLoss(
        inputs=tf.constant(drawn, tf.float64),
        labels_indices=indices,
        labels_values=LABELS[tuple(indices.T)],
        sequence_length=LOGIT_SIZES,
    )
    args = (LABELS, drawn, LABEL_SIZES, LOGIT_SIZES, 4)
    close = {"ulps": 2**30, "of_largest": True}  # its logarithms of sums are in float32
    recorder.case("loss-float64", "ctc.ctc_loss", tuple(result), *args, **close)


def _loss(recorder: Any, logits: Any, labels: Any, label_sizes: Any, blank: int) -> None:
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.ctc_loss(labels, logits, label_sizes, LOGIT_SIZES, blank_index=blank)
    gradient = tape.gradient(loss, logits)
    name = f"loss-{logits.dtype.name}-{blank}-{label_sizes[0]}"
    args = (labels, logits, label_sizes, LOGIT_SIZES, blank)
    # TensorFlow adds up logarithms in the logits' dtype.
    close = {"ulps": 16, "of_largest": True}
    recorder.case(name, "ctc.ctc_loss", (loss, gradient), *args, **close)
