"""What `tf.nn.ctc_loss` means for sparse labels."""

from __future__ import annotations

from typing import Any

from graphwright.op.dispatch import implement
from graphwright.op.interpreter import apply, is_tensor
from graphwright.ops.core.shapes import shape
from graphwright.ops.nn import ctc
from graphwright.ops.nn.ctc_sparse import CTCLabelRows
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_tensor import SparseTensor


@implement(ctc.ctc_loss, SparseTensor)
def sparse_ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike | None,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: TensorLike | None = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Any:
    """The loss; the elements of a row say how many labels it has."""
    if not isinstance(labels, SparseTensor):
        return NotImplemented
    if blank_index is None:
        raise ValueError(
            "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
        )
    scores = ctc.time_major(logits, logits_time_major)
    lengths = logit_length if is_tensor(logit_length) else convert(logit_length, dt.int32)
    row_op = CTCLabelRows.of(blank_index)
    rows, counts = apply(row_op, labels.indices, labels.values, shape(scores), lengths)
    op = ctc.CTCLossDense.of(blank_index, True)
    return ctc.loss_of(op, scores, rows, counts, lengths, name)
