"""Labels read from the scores of connectionist temporal classification, as sparse tensors."""

from __future__ import annotations

from graphwright.op.interpreter import apply, convert
from graphwright.ops.nn.ctc_decoding import CTCBeamSearchDecoder, CTCGreedyDecoder
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.values.sparse.sparse_tensor import SparseTensor


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[SparseTensor], Tensor]:
    """Reads labels from scores by the best class at each time step, without blanks.

    Args:
        inputs: A float32 or float64 tensor of scores, of shape [time, batch, classes].
        sequence_length: An int32 vector of size batch: the number of time steps of each sequence.
        merge_repeated: Whether a class that repeats without a blank in between counts once.
        blank_index: The class that means a blank; negative ones count from the end. None means the
            last.

    Returns:
        A list of one int64 `tf.SparseTensor` of shape [batch, longest] with the labels. After it
        comes a tensor of the dtype of `inputs` and of shape [batch, 1]: minus the sum of the best
        scores.

    Raises:
        FailedPreconditionError: The lengths are not as many as the batch has sequences, or one is
            above time.
        InvalidArgumentError: There is no class `blank_index`.

    >>> import graphwright as tf
    >>> scores = [[[0.0, 1.0]], [[2.0, 0.0]]]
    >>> decoded, total = tf.nn.ctc_greedy_decoder(scores, [2])
    >>> decoded[0].values.numpy(), total.numpy()
    (array([0]), array([[-3.]], dtype=float32))
    """
    op = CTCGreedyDecoder.of(merge_repeated, -1 if blank_index is None else blank_index)
    operands = convert(inputs), convert(sequence_length, dt.int32)
    indices, values, shape, scores = apply(op, *operands)
    return [SparseTensor(indices, values, shape)], scores


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """Reads the likeliest labellings from scores by a beam search over prefixes.

    The last class means a blank.

    Args:
        inputs: A float32 or float64 tensor of unnormalised log probabilities, of shape [time,
            batch, classes].
        sequence_length: An int32 vector of size batch: the number of time steps of each sequence.
        beam_width: The number of prefixes that the search follows.
        top_paths: The number of labellings of each sequence, at most `beam_width`.

    Returns:
        A list of `top_paths` int64 `tf.SparseTensor` of shape [batch, longest], best first. After
        it comes a tensor of the dtype of `inputs` and of shape [batch, top_paths]: the log
        probabilities.

    Raises:
        FailedPreconditionError: The lengths are not as many as the batch has sequences, or one is
            above time.
        InvalidArgumentError: `top_paths` is above `beam_width`.

    Source:
        Graves et al., "Connectionist Temporal Classification" (2006).

    >>> import graphwright as tf
    >>> scores = np.log([[[0.6, 0.4]], [[0.6, 0.4]]])
    >>> decoded, logs = tf.nn.ctc_beam_search_decoder(scores, [2])
    >>> decoded[0].values.numpy(), np.exp(logs).round(2)
    (array([0]), array([[0.84]]))
    """
    op = CTCBeamSearchDecoder.of(beam_width, top_paths, False)
    results = apply(op, convert(inputs), convert(sequence_length, dt.int32))
    groups = [results[i * top_paths : (i + 1) * top_paths] for i in range(3)]
    return [SparseTensor(*parts) for parts in zip(*groups)], results[-1]
