"""Sparse labels of connectionist temporal classification as the rows that the dense loss takes."""

from __future__ import annotations

import itertools

import numpy as np

from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType


class CTCLabelRows(Op):
    """The labels of each sequence [batch, longest], and how many they are.

    `sizes` are time, batch and classes. TensorFlow's op takes the blank for the last class, so its
    public function moves the classes. Labels from the blank on become one less. From the first that
    is then no label on, a row has none.
    """

    type_name = "GraphwrightCTCLabelRows"
    inputs = ("indices: int64", "values: int32", "sizes: int32", "logit_length: int32")
    outputs = ("labels: int32", "label_length: int32")
    ranks = {"indices": 2, "values": 1, "sizes": 1, "logit_length": 1}
    gradient = not_differentiable

    blank_index: int = 0

    def shapes(
        self, indices: TensorType, values: TensorType, sizes: TensorType, lengths: TensorType
    ) -> Shapes:
        batch = lengths.dims[0] if lengths.dims is not None else None
        return (batch, None), (batch,)

    def kernel(
        self, indices: Array, values: Array, sizes: Array, logit_length: Array
    ) -> tuple[Array, Array]:
        time, batch, classes = sizes.tolist()
        blank = self.blank_index + (classes if self.blank_index < 0 else 0)
        if not 0 <= blank < classes:
            raise ValueError(f"blank_index {self.blank_index} is none of {classes} classes")
        if len(logit_length) != batch:
            raise ValueError(
                f"len(sequence_length) != batch_size. len(sequence_length): {len(logit_length)} "
                f"batch_size: {batch}"
            )
        if not ((logit_length >= 0) & (logit_length <= time)).all():
            raise ValueError(f"sequence_length must be in [0, {time}], got {logit_length.tolist()}")
        check_places(indices, len(values), batch)
        moved = np.where(values < blank, values, values - 1)
        if (moved < 0).any():
            raise ValueError(
                f"All labels must be nonnegative integers, got {values.tolist()} with the blank "
                f"{blank}"
            )
        rows = [moved[indices[:, 0] == row] for row in range(batch)]
        for number, (row, length) in enumerate(zip(rows, logit_length.tolist())):
            check_row(number, row, length, classes - 1)
        lengths = np.array([np.sum(row < classes - 1) for row in rows], np.int32)
        labels = np.zeros((batch, max(lengths.tolist(), default=0)), np.int32)
        for into, row, length in zip(labels, rows, lengths.tolist()):
            into[:length] = row[:length] + (row[:length] >= blank)
        return labels, lengths


def check_places(indices: Array, count: int, batch: int) -> None:
    """ValueError for places that are not in order, or not within the batch."""
    if indices.shape != (count, 2):
        raise ValueError(f"indices of {count} labels must have shape {[count, 2]}")
    places = [tuple(place) for place in indices.tolist()]
    if any(one >= other for one, other in itertools.pairwise(places)):
        raise ValueError("label SparseTensor is not valid: indices are repeated or out of order")
    if any(not 0 <= row < batch or column < 0 for row, column in places):
        raise ValueError(f"label SparseTensor is not valid: indices are out of bounds: {places}")


def check_row(number: int, row: Array, length: int, count: int) -> None:
    """ValueError for a row without labels, with one after what is none, or longer than its time."""
    if not len(row):
        raise ValueError(f"Labels length is zero in batch {number}")
    is_label = row < count
    if (is_label[1:] & ~is_label[:-1]).any():
        raise ValueError(
            "Saw a non-null label (index >= num_classes - 1) following a null label, batch: "
            f"{number}"
        )
    if is_label.sum() > length:
        raise ValueError(
            f"Not enough time for target transition sequence (required: {is_label.sum()}, "
            f"available: {length})"
        )
