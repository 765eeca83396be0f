"""Connectionist temporal classification: the loss of labels without alignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.nn import ctc_kernels as kernels
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, show_dims

NARROW = (dt.float16, dt.bfloat16)


class CTCLossDense(Op):
    """The loss of each sequence of labels [batch, longest] and its gradient.

    Labels that do not fit in their time have an infinite loss, as in TensorFlow's public function.
    Sparse labels that do not are refused.
    """

    type_name = "CTCLossDense"
    inputs = ("logits: T", "labels: int32", "label_length: int32", "logit_length: int32")
    outputs = ("loss: T", "gradient: T")
    dtypes = {"T": frozenset({dt.float32, dt.float64})}

    blank_index: int = 0
    impossible: bool = False  # whether an infinite loss has a gradient, as for sparse labels

    def shapes(
        self, logits: TensorType, labels: TensorType, label_length: TensorType, *_: TensorType
    ) -> Shapes:
        for name, rank, operand in (("logits", 3, logits), ("labels", 2, labels)):
            if operand.rank not in (rank, None):
                raise ValueError(f"{name} of ctc_loss must have rank {rank}: {operand}")
        dims = logits.dims or (None,) * 3
        return (dims[1],), dims

    def kernel(self, logits: Array, labels: Array, label_length: Array, logit_length: Array) -> Any:
        batch = logits.shape[1]
        if len(labels) != batch or label_length.shape != (batch,) or logit_length.shape != (batch,):
            raise ValueError(
                f"labels {show_dims(labels.shape)}, label_length {show_dims(label_length.shape)} "
                f"and logit_length {show_dims(logit_length.shape)} must have the batch size "
                f"{batch} of logits {show_dims(logits.shape)}"
            )
        blank = self.blank_index % logits.shape[2]
        if blank:  # TensorFlow moves the blank to the front: labels below it, not it, move up
            labels = np.where(labels == blank, blank - 1, np.where(labels == -1, blank, labels))
        used = np.arange(labels.shape[1]) < label_length[:, None]
        loss, gradient = kernels.ctc_loss(
            np.where(used, labels, blank),
            logits, label_length, logit_length, blank, self.impossible,
        )  # fmt: skip
        return loss.astype(logits.dtype), gradient.astype(logits.dtype)

    def gradient(self, call: Call, g: Cotangent, of_slope: Cotangent | None) -> Sequence[Any]:
        if of_slope is not None:
            raise NotImplementedError("the slope of the loss has no derivative itself")
        return reshape(g, (1, -1, 1)) * call.outputs[1], None, None, None


def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: TensorLike | None = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the connectionist temporal classification loss of each sequence of labels.

    It is minus the logarithm of the probability of the labels, summed over all alignments. Labels
    that do not fit into their time have an infinite loss. As in TensorFlow, a label that is no
    class has the probability 1 at each time.

    Args:
        labels: A matrix of integers, [batch, longest]; or a `tf.SparseTensor` of int32, of which
            the elements of a row are its labels.
        logits: A tensor of floats, [time, batch, classes], or [batch, time, classes].
        label_length: A vector of integers, [batch]: how many labels of each row count. Sparse
            labels need none: it is not looked at.
        logit_length: A vector of integers, [batch]: how many times of each row count.
        logits_time_major: Whether the first axis of `logits` is the time.
        unique: A hint that changes nothing.
        blank_index: The class that stands for no label, an int; negative ones count from the end.
            None means 0; sparse labels need one.
        name: A name for the op.

    Returns:
        A vector of the dtype of `logits`, [batch].

    Raises:
        InvalidArgumentError: The batch sizes differ, or a rank is wrong, or labels are no integers.
            Or a row of sparse labels is empty, or longer than its time.
        ValueError: `labels` are sparse, and `blank_index` is None.

    Source:
        Graves et al., Connectionist Temporal Classification: Labelling Unsegmented Sequence Data
        with Recurrent Neural Networks (2006).

    >>> import graphwright as tf
    >>> tf.nn.ctc_loss([[1]], tf.zeros([2, 1, 3]), [1], [2])
    <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.0986123], dtype=float32)>
    """
    rows, counts = whole_numbers(labels), whole_numbers(label_length)
    times = cast(convert(logit_length), dt.int32)
    op = CTCLossDense.of(0 if blank_index is None else int(blank_index))
    return loss_of(op, time_major(logits, logits_time_major), rows, counts, times, name)


def whole_numbers(value: TensorLike) -> Any:
    """Integers as int32; InvalidArgumentError for others, which a cast would cut."""
    numbers = convert(value)
    if not numbers.dtype.is_integer:
        raise InvalidArgumentError(
            None,
            None,
            f"Value for attr 'TI' of {numbers.dtype.name} is not in the list of allowed values: "
            "labels of ctc_loss, and their counts, are integers",
        )
    return cast(numbers, dt.int32)


def time_major(logits: TensorLike, is_so: bool) -> Any:
    """The scores [time, batch, classes]."""
    return convert(logits) if is_so else transpose(logits, (1, 0, 2))


def loss_of(
    op: CTCLossDense,
    logits: TensorValue,
    labels: TensorValue,
    label_length: TensorValue,
    logit_length: TensorValue,
    name: str | None,
) -> Any:
    """The loss, of narrow floats computed in float32."""
    dtype = logits.dtype
    wide = cast(logits, dt.float32) if dtype in NARROW else logits
    loss, _ = apply(op, wide, labels, label_length, logit_length, name=name)
    return cast(loss, dtype) if dtype in NARROW else loss
