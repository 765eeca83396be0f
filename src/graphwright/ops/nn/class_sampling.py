"""Samples of classes to compare the true ones with, and losses over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like, zeros_like
from graphwright.ops.core.gathering import scatter_nd
from graphwright.ops.core.identity import stop_gradient
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.shapes import shape
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import log
from graphwright.ops.nn import class_samplers as kernels
from graphwright.ops.nn.embedding import embedding_lookup
from graphwright.ops.nn.losses import sigmoid_cross_entropy_with_logits
from graphwright.ops.nn.softmax import softmax_cross_entropy_with_logits
from graphwright.ops.random.seeds import Stream, seeded
from graphwright.ops.random.single_numbers import Numbers
from graphwright.ops.random.stateful_random import Stateful
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, show_dims

#: TensorFlow sets aside so many counters of a stream for each id.
RESERVED = 512


class CandidateSampler(Stateful, fields=False):
    """What the samplers share: the ids, and the expected counts of the true and the drawn ones."""

    inputs = ("true_classes: int64",)
    ruled = True
    outputs = (
        "sampled_candidates: int64",
        "true_expected_count: float32",
        "sampled_expected_count: float32",
    )
    gradient = not_differentiable

    num_true: int
    num_sampled: int
    unique: bool
    range_max: int

    def shapes(self, classes: TensorType) -> Shapes:
        if classes.rank not in (2, None):
            raise ValueError(
                f"true_classes must be a matrix, not of shape {show_dims(classes.dims)}"
            )
        if classes.dims is not None and classes.dims[1] not in (self.num_true, None):
            raise ValueError(
                f"true_classes must have num_true columns, expected: {classes.dims[1]} was: "
                f"{self.num_true}"
            )
        rows = None if classes.dims is None else classes.dims[0]
        return ((self.num_sampled,), (rows, self.num_true), (self.num_sampled,))

    def sampler(self) -> kernels.ClassSampler:
        """The distribution."""
        raise NotImplementedError(f"{type(self).__name__} states no sampler")

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        draw: Callable[..., Any] = partial(
            self.drawn, self.sampler(), Stream(self.seed, self.seed2)
        )
        return draw

    def drawn(
        self, sampler: kernels.ClassSampler, stream: Stream, classes: Array
    ) -> tuple[Array, Array, Array]:
        """The ids and the expected counts."""
        if self.unique and self.num_sampled > sampler.limit:
            raise ValueError("Sampler's range is too small.")
        if np.size(classes) and not 0 <= np.min(classes) <= np.max(classes) < sampler.limit:
            raise ValueError(f"true_classes must be in [0, {sampler.limit})")
        numbers = Numbers(*stream.take(RESERVED * self.num_sampled))
        ids, tries = sampler.sample(numbers, self.num_sampled, self.unique)
        expected = partial(sampler.expected, count=self.num_sampled, tries=tries)
        result = ids, expected(np.asarray(classes)), expected(ids)
        sampler.learn(np.ravel(classes).tolist())
        return result


class UniformCandidateSampler(CandidateSampler):
    """Each id is as likely as any other."""

    type_name = "UniformCandidateSampler"
    least = {"num_true": 1, "num_sampled": 1, "range_max": 1}

    seed: int
    seed2: int
    num_true: int
    num_sampled: int
    unique: bool
    range_max: int

    def sampler(self) -> kernels.ClassSampler:
        return kernels.Uniform(self.range_max)


class LogUniformCandidateSampler(UniformCandidateSampler):
    """Low ids are more likely."""

    type_name = "LogUniformCandidateSampler"

    def sampler(self) -> kernels.ClassSampler:
        return kernels.LogUniform(self.range_max)


class LearnedUnigramCandidateSampler(UniformCandidateSampler):
    """An id is as likely as it was often true so far."""

    type_name = "LearnedUnigramCandidateSampler"

    def sampler(self) -> kernels.ClassSampler:
        return kernels.Learned(self.range_max)


class FixedUnigramCandidateSampler(CandidateSampler):
    """An id is as likely as its weight says."""

    type_name = "FixedUnigramCandidateSampler"
    least = {"num_true": 1, "num_sampled": 1, "range_max": 1, "num_shards": 1, "shard": 0}

    seed: int
    seed2: int
    num_true: int
    num_sampled: int
    unique: bool
    range_max: int
    vocab_file: str = ""
    distortion: float = 1.0
    num_reserved_ids: int = 0
    num_shards: int = 1
    shard: int = 0
    unigrams: tuple[float, ...] = ()

    def sampler(self) -> kernels.ClassSampler:
        if self.shard >= self.num_shards:
            raise ValueError(f"shard must be below num_shards, {self.num_shards}: {self.shard}")
        weights = list(self.unigrams)
        if self.vocab_file:
            lines = Path(self.vocab_file).read_text().splitlines()
            weights = [float(line.rsplit(",", 1)[-1]) for line in lines]
        if not weights:
            raise ValueError("Must provide either vocab_file or unigrams.")
        powers = [np.float32(w) ** np.float32(self.distortion) for w in weights]
        powers = [np.float32(0)] * self.num_reserved_ids + powers
        if len(powers) != self.range_max:
            raise ValueError(f"range_max is {self.range_max}, but there are {len(powers)} weights")
        return kernels.Fixed([float(w) for w in powers[self.shard :: self.num_shards]])


class ComputeAccidentalHits(Op):
    """Where a sampled id is a true one: row, place in the sample, and the lowest float."""

    type_name = "ComputeAccidentalHits"
    inputs = ("true_classes: int64", "sampled_candidates: int64")
    outputs = ("indices: int32", "ids: int64", "weights: float32")
    gradient = not_differentiable

    seed: int = 0
    seed2: int = 0
    num_true: int

    def shapes(self, classes: TensorType, sampled: TensorType) -> Shapes:
        if classes.rank not in (2, None) or sampled.rank not in (1, None):
            raise ValueError("true_classes must be a matrix, sampled_candidates a vector")
        return ((None,), (None,), (None,))

    def kernel(self, classes: Array, sampled: Array) -> Any:
        if np.ndim(classes) != 2 or np.shape(classes)[1] != self.num_true:
            raise ValueError(f"true_classes must have num_true columns: {self.num_true}")
        places = {int(value): i for i, value in enumerate(sampled)}
        hits = [
            (row, places[int(value)])
            for row, values in enumerate(classes)
            for value in values
            if int(value) in places
        ]
        rows, ids = np.array(hits, np.int64).reshape(-1, 2).T
        lowest = np.full(len(rows), np.finfo(np.float32).min)
        return rows.astype(np.int32), ids.astype(np.int64), lowest


class Candidates(NamedTuple):
    """The result of a sampler."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class AccidentalHits(NamedTuple):
    """Where a sampled id is a true one."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


AccidentalHits.__name__ = AccidentalHits.__qualname__ = "ComputeAccidentalHits"


def drawn(
    kind: type[CandidateSampler], true_classes: TensorLike, num_true: int, num_sampled: int,
    unique: bool, range_max: int, seed: int | None, name: str | None,
) -> Candidates:  # fmt: skip
    """Applies a sampler."""
    op = seeded(kind, seed, num_true, num_sampled, unique, range_max)
    return Candidates(*apply(op, convert(true_classes, dt.int64), name=name))


# -- the public functions -------------------------------------------------------------------


def uniform_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: str | None = None,
) -> Candidates:  # fmt: skip
    """Draws classes at random, each with the same probability.

    Args:
        true_classes: A matrix of int64, [batch, num_true]: the true classes of each row.
        num_true: The number of true classes of a row, an int.
        num_sampled: The number of ids to draw, an int.
        unique: Whether the ids that are drawn must differ.
        range_max: The ids are in [0, range_max), an int.
        seed: An int. None draws other ids in each process, unless `tf.random.set_seed` was called.
        name: A name for the op.

    Returns:
        A named tuple `(sampled_candidates, true_expected_count, sampled_expected_count)`. The ids
        are a vector of int64. The expected counts of the true and of the drawn ids are tensors of
        float32.

    Raises:
        InvalidArgumentError: `true_classes` has another shape or an id out of range, or there are
            not enough ids to differ.

    >>> import graphwright as tf
    >>> sample = tf.random.uniform_candidate_sampler([[0]], 1, 3, True, 3)
    >>> sorted(sample.sampled_candidates.numpy().tolist())
    [0, 1, 2]
    """
    return drawn(
        UniformCandidateSampler, true_classes, num_true, num_sampled, unique, range_max, seed, name
    )


def log_uniform_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: str | None = None,
) -> Candidates:  # fmt: skip
    """Draws classes at random, low ids more often: for ids in the order of their frequency.

    The probability of id k is proportional to log((k + 2) / (k + 1)).

    Args:
        true_classes: A matrix of int64, [batch, num_true]: the true classes of each row.
        num_true: The number of true classes of a row, an int.
        num_sampled: The number of ids to draw, an int.
        unique: Whether the ids that are drawn must differ.
        range_max: The ids are in [0, range_max), an int.
        seed: An int. None draws other ids in each process, unless `tf.random.set_seed` was called.
        name: A name for the op.

    Returns:
        A named tuple `(sampled_candidates, true_expected_count, sampled_expected_count)`. The ids
        are a vector of int64. The expected counts of the true and of the drawn ids are tensors of
        float32.

    Raises:
        InvalidArgumentError: `true_classes` has another shape or an id out of range, or there are
            not enough ids to differ.

    >>> import graphwright as tf
    >>> sample = tf.random.log_uniform_candidate_sampler([[0]], 1, 3, True, 3)
    >>> sorted(sample.sampled_candidates.numpy().tolist())
    [0, 1, 2]
    """
    kind = LogUniformCandidateSampler
    return drawn(kind, true_classes, num_true, num_sampled, unique, range_max, seed, name)


def learned_unigram_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: str | None = None,
) -> Candidates:  # fmt: skip
    """Draws classes at random, more often those that were true classes more often.

    What earlier runs of the op saw is counted.

    Args:
        true_classes: A matrix of int64, [batch, num_true]: the true classes of each row.
        num_true: The number of true classes of a row, an int.
        num_sampled: The number of ids to draw, an int.
        unique: Whether the ids that are drawn must differ.
        range_max: The ids are in [0, range_max), an int.
        seed: An int. None draws other ids in each process, unless `tf.random.set_seed` was called.
        name: A name for the op.

    Returns:
        A named tuple `(sampled_candidates, true_expected_count, sampled_expected_count)`. The ids
        are a vector of int64. The expected counts of the true and of the drawn ids are tensors of
        float32.

    Raises:
        InvalidArgumentError: `true_classes` has another shape or an id out of range, or there are
            not enough ids to differ.

    >>> import graphwright as tf
    >>> sample = tf.nn.learned_unigram_candidate_sampler([[0]], 1, 3, True, 3)
    >>> sorted(sample.sampled_candidates.numpy().tolist())
    [0, 1, 2]
    """
    kind = LearnedUnigramCandidateSampler
    return drawn(kind, true_classes, num_true, num_sampled, unique, range_max, seed, name)


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
    vocab_file: str = "", distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1,
    shard: int = 0, unigrams: Sequence[float] = (), seed: int | None = None,
    name: str | None = None,
) -> Candidates:  # fmt: skip
    """Draws classes at random, with probabilities in proportion to weights.

    Args:
        true_classes: A matrix of int64, [batch, num_true]: the true classes of each row.
        num_true: The number of true classes of a row, an int.
        num_sampled: The number of ids to draw, an int.
        unique: Whether the ids that are drawn must differ.
        range_max: The ids are in [0, range_max), an int.
        vocab_file: A path of a text file with the weight of an id at the end of each line, after a
            comma.
        distortion: The power that weights are raised to.
        num_reserved_ids: How many ids of weight 0 come before those of the weights.
        num_shards: Only every `num_shards`-th weight is used.
        shard: The first weight that is used, below `num_shards`.
        unigrams: The weights, a list of floats, where there is no file.
        seed: An int. None draws other ids in each process, unless `tf.random.set_seed` was called.
        name: A name for the op.

    Returns:
        A named tuple `(sampled_candidates, true_expected_count, sampled_expected_count)`. The ids
        are a vector of int64. The expected counts of the true and of the drawn ids are tensors of
        float32.

    Raises:
        InvalidArgumentError: There are no weights or not `range_max` of them, `true_classes` does
            not fit, or there are not enough ids to differ.

    >>> import graphwright as tf
    >>> sample = tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 2, True, 2, unigrams=[1.0, 9.0])
    >>> sorted(sample.sampled_candidates.numpy().tolist())
    [0, 1]
    """
    op = seeded(
        FixedUnigramCandidateSampler, seed, num_true, num_sampled, unique, range_max,
        vocab_file, float(distortion), num_reserved_ids, num_shards, shard, tuple(unigrams),
    )  # fmt: skip
    return Candidates(*apply(op, convert(true_classes, dt.int64), name=name))


def all_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:  # fmt: skip
    """Returns all classes as a sample, each of them expected once.

    Args:
        true_classes: A matrix of int64, [batch, num_true]: the true classes of each row.
        num_true: Accepted for TensorFlow's signature and not used.
        num_sampled: The number of classes, an int.
        unique: Accepted for TensorFlow's signature and not used.
        seed: Accepted for TensorFlow's signature and not used.
        name: A name for the op.

    Returns:
        A named tuple `(sampled_candidates, true_expected_count, sampled_expected_count)`: the ids
        from 0 on, as int64, and ones of float32.

    >>> import graphwright as tf
    >>> tf.nn.all_candidate_sampler([[0]], 1, 3, True).sampled_candidates.numpy().tolist()
    [0, 1, 2]
    """
    classes = convert(true_classes, dt.int64)
    ids = convert(np.arange(num_sampled))
    return Candidates(ids, cast(ones_like(classes), dt.float32), cast(ones_like(ids), dt.float32))


def compute_accidental_hits(
    true_classes: TensorLike, sampled_candidates: TensorLike, num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> AccidentalHits:  # fmt: skip
    """Finds where a sampled class is a true class.

    Args:
        true_classes: A matrix of int64, [batch, num_true]: the true classes of each row.
        sampled_candidates: A vector of int64: the sampled classes.
        num_true: The number of true classes of a row, an int.
        seed: Changes nothing; the op draws no numbers.
        name: A name for the op.

    Returns:
        A named tuple `(indices, ids, weights)` of vectors with an entry for each hit. They are its
        row (int32), its place in the sample (int64), and the lowest float32. Added to a logit, that
        removes the class.

    Raises:
        InvalidArgumentError: `true_classes` has not `num_true` columns.

    >>> import graphwright as tf
    >>> hits = tf.nn.compute_accidental_hits([[0, 1], [2, 3]], [1, 2, 5], 2)
    >>> hits.indices.numpy().tolist(), hits.ids.numpy().tolist()
    ([0, 1], [0, 1])
    """
    operands = convert(true_classes, dt.int64), convert(sampled_candidates, dt.int64)
    op = seeded(ComputeAccidentalHits, seed, num_true)  # of no use, but it counts as TensorFlow's
    return AccidentalHits(*apply(op, *operands, name=name))


def sampled_logits(
    weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike,
    num_sampled: int, num_classes: int, num_true: int, sampled_values: Sequence[TensorLike] | None,
    remove_accidental_hits: bool, seed: int | None,
) -> tuple[Any, Any]:  # fmt: skip
    """Logits of the true and the sampled classes less the logarithms of their expected counts,
    and labels that share 1 among the true ones."""
    inputs, labels = convert(inputs), cast(convert(labels), dt.int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, of_true, of_sampled = [stop_gradient(value) for value in sampled_values]
    sampled, flat = cast(sampled, dt.int64), reshape(labels, [-1])
    count = shape(flat)[0]
    ids = concat([flat, sampled], 0)
    rows = cast(embedding_lookup(weights, ids), inputs.dtype)
    offsets = cast(embedding_lookup(biases, ids), inputs.dtype)
    width = shape(rows)[1]
    true_rows = reshape(rows[:count], stack([-1, num_true, width]))
    true_logits = reduce_sum(expand_dims(inputs, 1) * true_rows, 2)
    true_logits += reshape(offsets[:count], [-1, num_true])
    others = matmul(inputs, rows[count:], transpose_b=True) + offsets[count:]
    if remove_accidental_hits:
        hits = compute_accidental_hits(labels, sampled, num_true)
        places = stack([cast(hits.indices, dt.int64), hits.ids], 1)
        whole = shape(others, dt.int64)
        others += scatter_nd(places, cast(hits.weights, others.dtype), whole)
    true_logits -= log(cast(of_true, inputs.dtype))
    others -= log(cast(of_sampled, inputs.dtype))
    share = ones_like(true_logits) / num_true
    return concat([true_logits, others], 1), concat([share, zeros_like(others)], 1)


def nce_loss(
    weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike,
    num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = False, name: str | None = "nce_loss",
) -> Tensor:  # fmt: skip
    """Computes the noise-contrastive estimation loss of true classes against sampled ones.

    Args:
        weights: A matrix of floats, [num_classes, width], or a list of tables that make one.
        biases: A vector of floats, [num_classes].
        labels: A matrix of integers, [batch, num_true]: the true classes of each row.
        inputs: A matrix of floats, [batch, width].
        num_sampled: The number of classes to draw, an int.
        num_classes: The number of classes, an int.
        num_true: The number of true classes of a row, an int.
        sampled_values: What a candidate sampler returned. None draws with
            `tf.random.log_uniform_candidate_sampler`.
        remove_accidental_hits: Whether sampled classes that are true ones of a row are left out.
        name: A name for the op.

    Returns:
        A vector with the loss of each row, of the dtype of `inputs`.

    Source:
        Gutmann and Hyvärinen, Noise-contrastive estimation: A new estimation principle for
        unnormalized statistical models (2010).

    >>> import graphwright as tf
    >>> sample = tf.nn.all_candidate_sampler([[0]], 1, 3, True)
    >>> w, b, x = tf.ones([3, 2]), tf.zeros([3]), tf.ones([1, 2])
    >>> tf.nn.nce_loss(w, b, [[0]], x, 3, 3, sampled_values=sample).numpy()
    array([6.5077124], dtype=float32)
    """
    logits, truth = sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, None,
    )  # fmt: skip
    return reduce_sum(sigmoid_cross_entropy_with_logits(truth, logits), 1, name=name)


def sampled_softmax_loss(
    weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike,
    num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = True, seed: int | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Tensor:  # fmt: skip
    """Computes the cross entropy of true classes in a softmax over them and sampled ones.

    Args:
        weights: A matrix of floats, [num_classes, width], or a list of tables that make one.
        biases: A vector of floats, [num_classes].
        labels: A matrix of integers, [batch, num_true]: the true classes of each row.
        inputs: A matrix of floats, [batch, width].
        num_sampled: The number of classes to draw, an int.
        num_classes: The number of classes, an int.
        num_true: The number of true classes of a row, an int.
        sampled_values: What a candidate sampler returned. None draws with
            `tf.random.log_uniform_candidate_sampler`.
        remove_accidental_hits: Whether sampled classes that are true ones of a row are left out.
        seed: The seed of the sampler, an int.
        name: A name for the op.

    Returns:
        A vector with the loss of each row, of the dtype of `inputs`.

    Source:
        Jean et al., On Using Very Large Target Vocabulary for Neural Machine Translation,
        arXiv:1412.2007.

    >>> import graphwright as tf
    >>> sample = tf.nn.all_candidate_sampler([[0]], 1, 3, True)
    >>> w, b, x = tf.ones([3, 2]), tf.zeros([3]), tf.ones([1, 2])
    >>> tf.nn.sampled_softmax_loss(w, b, [[0]], x, 3, 3, sampled_values=sample).numpy()
    array([1.0986123], dtype=float32)
    """
    logits, truth = sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, seed,
    )  # fmt: skip
    return softmax_cross_entropy_with_logits(stop_gradient(truth), logits, name=name)
