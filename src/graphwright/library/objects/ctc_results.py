"""Labels read from the scores of connectionist temporal classification, as sparse tensors."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import apply, convert
from graphwright.ops.nn.ctc_decoding import CTCBeamSearchDecoder, CTCGreedyDecoder
from graphwright.types import dtypes as dt
from graphwright.values.sparse.sparse_tensor import SparseTensor


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Any]:
    """The best class at each time of scores [time, batch, classes], without blanks.

    Repetitions that no blank is between are one if `merge_repeated`. The blank is the last class,
    or `blank_index`. Gives a list of one sparse tensor [batch, longest] and the negative sums of
    the scores [batch, 1].

    >>> scores = [[[0.0, 1.0]], [[2.0, 0.0]]]
    >>> decoded, total = tf.nn.ctc_greedy_decoder(scores, [2])
    >>> decoded[0].values.numpy(), total.numpy()
    (array([0]), array([[-3.]], dtype=float32))
    """
    op = CTCGreedyDecoder.of(bool(merge_repeated), -1 if blank_index is None else blank_index)
    operands = convert(inputs), convert(sequence_length, dt.int32)
    indices, values, shape, scores = apply(op, *operands)
    return [SparseTensor(indices, values, shape)], scores


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Any]:
    """The `top_paths` likeliest labellings for scores [time, batch, classes], the last one blank.

    `beam_width` prefixes are followed. Gives sparse tensors [batch, longest], best first, and the
    log probabilities [batch, top_paths].
    """
    op = CTCBeamSearchDecoder.of(beam_width, top_paths, False)
    results = apply(op, convert(inputs), convert(sequence_length, dt.int32))
    groups = [results[i * top_paths : (i + 1) * top_paths] for i in range(3)]
    return [SparseTensor(*parts) for parts in zip(*groups)], results[-1]
