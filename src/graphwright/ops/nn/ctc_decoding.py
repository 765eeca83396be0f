"""Labels read from the scores of connectionist temporal classification, best path or prefix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import FailedPreconditionError
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.nn.ctc_kernels import log_softmax
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, show_dims


class LabelDecoder(Op, fields=False):
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

    def checked(self, inputs: Array, lengths: Array) -> None:
        """ValueError or FailedPreconditionError for arrays that do not go together, or lengths
        beyond the time there is."""
        if np.ndim(inputs) != 3 or np.ndim(lengths) != 1:
            self.check(*[TensorType(dt.float32, np.shape(x)) for x in (inputs, lengths)])
        if len(lengths) != inputs.shape[1]:
            message = f"len(sequence_length) != batch_size: {len(lengths)}, {inputs.shape[1]}"
            raise FailedPreconditionError(None, None, message)
        for i, length in enumerate(lengths):
            if length > len(inputs):
                message = f"sequence_length({i}) <= {len(inputs)}"
                raise FailedPreconditionError(None, None, message)


class CTCGreedyDecoder(LabelDecoder):
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

    def kernel(self, inputs: Array, lengths: Array) -> tuple[Array, ...]:
        self.checked(inputs, lengths)
        classes = inputs.shape[2]
        blank = self.blank_index + classes if self.blank_index < 0 else self.blank_index
        if not 0 <= blank < classes:
            raise ValueError(f"blank_index expected to be between {-classes} and {classes - 1}")
        steps = np.arange(len(inputs))[:, None] < lengths
        best = np.argmax(inputs, axis=2)
        stays = steps & (best != blank)
        if self.merge_repeated:
            stays[1:] &= best[1:] != best[:-1]
        scores = 0 - np.sum(np.max(inputs, axis=2), axis=0, where=steps)
        labels = [best[:, i][stays[:, i]] for i in range(inputs.shape[1])]
        return (*sparse_parts(labels), scores[:, None].astype(inputs.dtype))


class CTCBeamSearchDecoder(LabelDecoder):
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

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        self._bind_dtypes(types)
        return (dt.int64,) * (3 * self.top_paths) + (types[0],)

    def shapes(self, inputs: TensorType, lengths: TensorType) -> Shapes:
        self.check(inputs, lengths)
        batch = None if inputs.dims is None else inputs.dims[1]
        n = self.top_paths
        return (*[(None, 2)] * n, *[(None,)] * n, *[(2,)] * n, (batch, n))

    def kernel(self, inputs: Array, lengths: Array) -> tuple[Array, ...]:
        self.checked(inputs, lengths)
        if self.top_paths > self.beam_width:
            raise ValueError("requested more paths than the beam width.")
        chances = log_softmax(inputs.astype(np.float64))
        beams, prefixes = likeliest(chances, np.asarray(lengths), self.beam_width)
        scores = beams.whole()[:, : self.top_paths]
        if np.isnan(scores).any():
            raise ValueError("Less leaves in the beam search than requested.")
        parts = []
        for nodes in beams.nodes[:, : self.top_paths].T.tolist():
            labels = [np.array(prefixes.labels(node), np.int64) for node in nodes]
            if self.merge_repeated:
                labels = [row[np.append(True, row[1:] != row[:-1])[: len(row)]] for row in labels]
            parts.append(sparse_parts(labels))
        flat = [part for kind in zip(*parts) for part in kind]
        return (*flat, scores.astype(inputs.dtype))


def sparse_parts(labels: list[Array]) -> tuple[Array, Array, Array]:
    """Indices, values and shape of a sparse tensor with these rows."""
    lengths = [len(row) for row in labels]
    rows = np.repeat(np.arange(len(labels)), lengths)
    columns = np.concatenate([np.arange(0), *[np.arange(n) for n in lengths]])
    values = np.concatenate([np.arange(0), *labels]).astype(np.int64)
    return np.stack([rows, columns], 1), values, np.array([len(labels), max(lengths, default=0)])


class Prefixes:
    """Labellings as nodes: each is another one and a label more; the first ones are empty."""

    def __init__(self, count: int) -> None:
        self.made: dict[tuple[int, int], int] = {}
        self.ways: list[tuple[int, int]] = [(-1, -1)] * count

    def longer(self, node: int, label: int) -> int:
        """The node of a labelling and one label more: the same node each time."""
        number = self.made.setdefault((node, label), len(self.ways))
        if number == len(self.ways):
            self.ways.append((node, label))
        return number

    def labels(self, node: int) -> list[int]:
        """The labels of a node."""
        labels: list[int] = []
        while self.ways[node][0] >= 0:
            node, label = self.ways[node]
            labels.append(label)
        return labels[::-1]


class Beams(NamedTuple):
    """The best prefixes of each sequence [batch, width], best first; NaN where there are fewer.

    A prefix has two log probabilities: that it ends in a blank, and in its last label. It is the
    node of its origin and that label.
    """

    in_blank: Array
    in_label: Array
    nodes: Array
    origins: Array
    last: Array

    def whole(self) -> Any:
        """The log probabilities of the prefixes."""
        return np.logaddexp(self.in_blank, self.in_label)


def likeliest(scores: Array, lengths: Array, width: int) -> tuple[Beams, Prefixes]:
    """The `width` likeliest labellings of sequences [time, batch, classes].

    The last class is blank. At each time all prefixes of all sequences that go on are continued.
    """
    batch = scores.shape[1]
    prefixes = Prefixes(batch)
    chances, places = np.full((2, batch, width), np.nan), np.full((3, batch, width), -1)
    beams = Beams(chances[0], chances[1], places[0], places[1], places[2])
    beams.in_blank[:, 0], beams.in_label[:, 0] = 0, -np.inf
    beams.nodes[:, 0] = np.arange(batch)
    for time, step in enumerate(scores):
        on = np.flatnonzero(lengths > time)
        if on.size:
            following = continued(Beams(*[part[on] for part in beams]), step[on], prefixes)
            for part, new in zip(beams, following):
                part[on] = new
    return beams, prefixes


def continued(beams: Beams, step: Array, prefixes: Prefixes) -> Beams:
    """The best prefixes after one more time, whose log probabilities are `step`."""
    batch, width = beams.nodes.shape
    rows, blank = np.arange(batch)[:, None], step.shape[1] - 1
    last = beams.last
    whole = beams.whole()
    in_blank = whole + step[:, blank, None]
    in_label = np.where(last < 0, -np.inf, beams.in_label + step[rows, last])
    again = np.arange(blank) == last[..., None]
    start = np.where(again, beams.in_blank[..., None], whole[..., None])
    longer = start + step[:, None, :blank]
    # Of two prefixes, one may be what the other becomes by one more label: these are one.
    used = ~np.isnan(whole)
    same = (beams.nodes[:, None] == beams.origins[..., None]) & used[..., None] & used[:, None]
    row, origin, parent = np.nonzero(same)
    place = row, parent, last[row, origin]
    in_label[row, origin] = np.logaddexp(in_label[row, origin], longer[place])
    longer[place] = np.nan
    stays = np.logaddexp(in_blank, in_label)
    ends = np.concatenate([stays[..., None], longer], -1).reshape(batch, -1)
    best = np.argsort(-ends, axis=1, kind="stable")[:, :width]
    beam, label = best // (blank + 1), best % (blank + 1) - 1
    longest = label >= 0
    nodes = beams.nodes[rows, beam]
    some = longest & ~np.isnan(ends[rows, best])
    nodes[some] = [prefixes.longer(*way) for way in zip(nodes[some].tolist(), label[some].tolist())]
    in_blank = np.where(longest, -np.inf, in_blank[rows, beam])
    in_label = np.where(longest, ends[rows, best], in_label[rows, beam])
    origins = np.where(longest, beams.nodes[rows, beam], beams.origins[rows, beam])
    last = np.where(longest, label, last[rows, beam])
    return Beams(np.where(np.isnan(in_label), np.nan, in_blank), in_label, nodes, origins, last)
