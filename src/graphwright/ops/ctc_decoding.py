"""Labels read from the scores of connectionist temporal classification, best path or prefix."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy import logaddexp

from graphwright.errors import FailedPreconditionError
from graphwright.kernels.ctc import log_softmax
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType, show_dims

Prefix = tuple[int, ...]


class Decoder(Op, fields=False):
    """What the two decoders share: scores [time, batch, classes] and the sequences' lengths."""

    inputs = ("inputs: T", "sequence_length: int32")
    dtypes = {"T": frozenset({dt.float32, dt.float64})}
    gradient = not_differentiable

    def check(self, inputs: TensorType, lengths: TensorType) -> None:
        """ValueError where the operands' shapes do not go together."""
        if inputs.rank not in (3, None):
            raise ValueError(f"inputs is not a 3-Tensor: {show_dims(inputs.dims)}")
        if lengths.rank not in (1, None):
            raise ValueError(f"sequence_length is not a vector: {show_dims(lengths.dims)}")
        if inputs.dims is None or lengths.dims is None:
            return
        if None not in (inputs.dims[1], lengths.dims[0]) and inputs.dims[1] != lengths.dims[0]:
            raise ValueError(
                f"len(sequence_length) != batch_size. len(sequence_length):  {lengths.dims[0]} "
                f"batch_size: {inputs.dims[1]}"
            )

    def checked(self, inputs: Any, lengths: Any) -> None:
        """Refuses arrays that do not go together, or lengths beyond the time there is."""
        if np.ndim(inputs) != 3 or np.ndim(lengths) != 1:
            self.check(*[TensorType(dt.float32, np.shape(x)) for x in (inputs, lengths)])
        if len(lengths) != inputs.shape[1]:
            message = f"len(sequence_length) != batch_size: {len(lengths)}, {inputs.shape[1]}"
            raise FailedPreconditionError(None, None, message)
        for i, length in enumerate(lengths):
            if length > len(inputs):
                message = f"sequence_length({i}) <= {len(inputs)}"
                raise FailedPreconditionError(None, None, message)


class CTCGreedyDecoder(Decoder):
    """The labels of the best class at each time, without blanks, and the negative sum of scores."""

    type_name = "CTCGreedyDecoder"
    outputs = (
        "decoded_indices: int64",
        "decoded_values: int64",
        "decoded_shape: int64",
        "log_probability: T",
    )

    merge_repeated: bool = False
    blank_index: int = -1

    def shapes(self, inputs: TensorType, lengths: TensorType) -> Shapes:
        self.check(inputs, lengths)
        return ((None, 2), (None,), (2,), (None if inputs.dims is None else inputs.dims[1], 1))

    def kernel(self, inputs: Any, lengths: Any) -> Any:
        self.checked(inputs, lengths)
        classes = inputs.shape[2]
        blank = self.blank_index + classes if self.blank_index < 0 else self.blank_index
        if not 0 <= blank < classes:
            raise ValueError(f"blank_index expected to be between {-classes} and {classes - 1}")
        steps = np.arange(len(inputs))[:, None] < lengths
        best = np.argmax(inputs, axis=2)
        kept = steps & (best != blank)
        if self.merge_repeated:
            kept[1:] &= best[1:] != best[:-1]
        scores = 0 - np.sum(np.max(inputs, axis=2), axis=0, where=steps)
        labels = [best[:, i][kept[:, i]] for i in range(inputs.shape[1])]
        return (*sparse_parts(labels), scores[:, None].astype(inputs.dtype))


class CTCBeamSearchDecoder(Decoder):
    """The labels of the likeliest prefixes (Graves et al.), and their log probabilities."""

    type_name = "CTCBeamSearchDecoder"
    outputs = (
        "decoded_indices: int64*top_paths",
        "decoded_values: int64*top_paths",
        "decoded_shape: int64*top_paths",
        "log_probability: T",
    )
    returns_tuple = True
    least = {"beam_width": 1, "top_paths": 1}

    beam_width: int
    top_paths: int
    merge_repeated: bool = True

    def result_dtypes(self, types: Any) -> Any:
        self._bind_dtypes(types)
        return (dt.int64,) * (3 * self.top_paths) + (types[0],)

    def shapes(self, inputs: TensorType, lengths: TensorType) -> Shapes:
        self.check(inputs, lengths)
        batch = None if inputs.dims is None else inputs.dims[1]
        n = self.top_paths
        return (*[(None, 2)] * n, *[(None,)] * n, *[(2,)] * n, (batch, n))

    def kernel(self, inputs: Any, lengths: Any) -> Any:
        self.checked(inputs, lengths)
        if self.top_paths > self.beam_width:
            raise ValueError("requested more paths than the beam width.")
        found = [
            likeliest(log_softmax(inputs[:length, i].astype(np.float64)), self.beam_width)
            for i, length in enumerate(lengths)
        ]
        if any(len(paths) < self.top_paths for paths in found):
            raise ValueError("Less leaves in the beam search than requested.")
        parts = []
        for place in range(self.top_paths):
            labels = [np.array(paths[place][0], np.int64) for paths in found]
            if self.merge_repeated:
                labels = [row[np.append(True, row[1:] != row[:-1])[: len(row)]] for row in labels]
            parts.append(sparse_parts(labels))
        scores = [[paths[place][1] for place in range(self.top_paths)] for paths in found]
        flat = [part for kind in zip(*parts) for part in kind]
        return (*flat, np.array(scores, inputs.dtype).reshape(len(found), self.top_paths))


def sparse_parts(labels: list[Any]) -> tuple[Any, Any, Any]:
    """Indices, values and shape of a sparse tensor with these rows."""
    lengths = [len(row) for row in labels]
    rows = np.repeat(np.arange(len(labels)), lengths)
    columns = np.concatenate([np.arange(0), *[np.arange(n) for n in lengths]])
    values = np.concatenate([np.arange(0), *labels]).astype(np.int64)
    return np.stack([rows, columns], 1), values, np.array([len(labels), max(lengths, default=0)])


def likeliest(scores: Any, width: int) -> list[tuple[Prefix, float]]:
    """The likeliest labellings and their log probabilities, best first; the last class is blank.

    A prefix has the probability that it ends in a blank and that it ends in its last label. At
    each time the `width` best are kept.
    """
    nothing = -np.inf
    beams: dict[Prefix, tuple[float, float]] = {(): (0.0, nothing)}
    blank = scores.shape[1] - 1
    for step in scores:
        longer: dict[Prefix, list[float]] = defaultdict(lambda: [nothing, nothing])
        for prefix, (in_blank, in_label) in beams.items():
            whole = logaddexp(in_blank, in_label)
            same = longer[prefix]
            same[0] = logaddexp(same[0], whole + step[blank])
            if prefix:
                same[1] = logaddexp(same[1], in_label + step[prefix[-1]])
            for label in range(blank):
                start = in_blank if prefix and prefix[-1] == label else whole
                one_more: Prefix = (*prefix, label)
                following = longer[one_more]
                following[1] = logaddexp(following[1], start + step[label])
        ranked = sorted(longer.items(), key=lambda item: -logaddexp(item[1][0], item[1][1]))
        beams = {prefix: (both[0], both[1]) for prefix, both in ranked[:width]}
    return [(prefix, float(logaddexp(*both))) for prefix, both in beams.items()]
