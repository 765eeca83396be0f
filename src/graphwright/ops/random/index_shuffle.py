"""Where a random shuffle of a range puts an index, without shuffling the range."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import apply, convert, convert_terms
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.core.padding import pad
from graphwright.ops.random import simon
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, show_dims

INDICES = frozenset({dt.int32, dt.uint32, dt.int64, dt.uint64})
#: In front of a seed of two numbers, where three are wanted.
FIRST_OF_SEED = 498247692


class RandomIndexShuffle(Op):
    """The place of `index` in the shuffle of 0..max_index that the seed selects.

    Each operand may be a vector (a matrix of seeds): a result for each entry.
    """

    type_name = "RandomIndexShuffle"
    inputs = ("index: dtype", "seed: Tseed", "max_index: dtype")
    outputs = ("output: dtype",)
    dtypes = {"dtype": INDICES, "Tseed": INDICES}
    gradient = not_differentiable

    rounds: int = 4

    def shapes(self, index: TensorType, seed: TensorType, last: TensorType) -> Shapes:
        for name, operand, rank in (("index", index, 1), ("max_index", last, 1), ("seed", seed, 2)):
            if operand.rank is not None and operand.rank > rank:
                raise ValueError(
                    f"{name} of {self.type_name} must have at most {rank} axes, not "
                    f"{show_dims(operand.dims)}"
                )
        if seed.rank == 0 or (seed.dims is not None and seed.dims[-1] not in (3, None)):
            raise ValueError(f"Seed must have shape [3] or [n, 3] but got {show_dims(seed.dims)}.")
        ranks = (index.rank, last.rank, None if seed.rank is None else seed.rank - 1)
        counts = [o.dims[0] for o in (index, last) if o.dims]
        if seed.dims is not None and len(seed.dims) == 2:
            counts.append(seed.dims[0])
        known = {count for count in counts if count is not None}
        if len(known) > 1:
            raise ValueError(
                f"index, seed and max_index of {self.type_name} must have as many entries: "
                f"{show_dims(index.dims)}, {show_dims(seed.dims)}, {show_dims(last.dims)}"
            )
        if not counts:
            return (() if None not in ranks else None,)
        return ((known.pop() if known else None,),)

    def kernel(self, index: Array, seed: Array, last: Array) -> Any:
        types = (TensorType(dt.int64, np.shape(a)) for a in (index, seed, last))
        dims: Any = self.shapes(*types)[0] or ()
        check_least("index", index, 0)
        check_least("max_index", last, 0)
        if np.less(last, index).any():
            raise InvalidArgumentError(
                None, None, f"max_index must be >= index, but {np.min(last)} < {np.max(index)}"
            )
        keys = np.broadcast_to(seed, (*dims, 3)).reshape(-1, 3).tolist()
        lasts = np.broadcast_to(last, dims).reshape(-1).tolist()
        indices = np.broadcast_to(index, dims).reshape(-1)
        places: Any
        if np.ndim(seed) == 1 and np.ndim(last) == 0:
            places = simon.shuffled(indices, keys[0], lasts[0], self.rounds) if keys else indices
        else:
            shuffles = zip(indices, keys, lasts)
            places = np.array([simon.shuffled(i, k, m, self.rounds) for i, k, m in shuffles])
        return places.reshape(dims).astype(np.asarray(index).dtype)


def check_least(name: str, value: Array, least: int) -> None:
    """InvalidArgumentError where an entry is below `least`."""
    if np.size(value) and np.min(value) < least:
        raise InvalidArgumentError(None, None, f"{name} must be >= {least} but was {np.min(value)}")


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """Returns the place of an index in the shuffle of `0..max_index` that a seed selects.

    The results for all indices are a permutation.

    Args:
        index: A scalar or vector of int32, uint32, int64 or uint64 in [0, max_index].
        seed: A tensor of int32, uint32, int64 or uint64 of shape [2], or [n, 2] for one seed each.
        max_index: A scalar or vector of the dtype of `index`.

    Returns:
        A tensor of the dtype of `index`: a scalar, or a vector where an argument has several
        entries.

    Raises:
        InvalidArgumentError: An index is not in [0, max_index], or the shapes do not fit.

    Source:
        Beaulieu and others, "The Simon and Speck families of lightweight block ciphers" (2013).

    >>> import graphwright as tf
    >>> order = tf.random.experimental.index_shuffle(tf.range(6), seed=[1, 2], max_index=5)
    >>> order.numpy().tolist()
    [5, 0, 1, 4, 3, 2]
    """
    seed = convert(seed)
    rank = seed.type.rank
    paddings = [[1, 0]] + [[0, 0]] * ((rank or 1) - 1)
    seed = pad(seed, paddings, constant_values=FIRST_OF_SEED)
    return random_index_shuffle(index, seed, max_index)


def random_index_shuffle(
    index: TensorLike,
    seed: TensorLike,
    max_index: TensorLike,
    rounds: int = 4,
    name: str | None = None,
) -> Tensor:
    """Returns the place of an index in the shuffle of `0..max_index` that three numbers select.

    Args:
        index: A scalar or vector of int32, uint32, int64 or uint64 in [0, max_index].
        seed: A tensor of int32, uint32, int64 or uint64 of shape [3], or [n, 3] for one seed each.
        max_index: A scalar or vector of the dtype of `index`.
        rounds: An int: the rounds of the cipher.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `index`: a scalar, or a vector where an argument has several
        entries.

    Raises:
        InvalidArgumentError: An index is not in [0, max_index], or the shapes do not fit.

    >>> import graphwright as tf
    >>> tf.random_index_shuffle(tf.range(6), [1, 2, 3], 5).numpy().tolist()
    [2, 0, 3, 4, 5, 1]
    """
    index, last = convert_terms(index, max_index)
    return apply(RandomIndexShuffle.of(rounds), index, convert(seed), last, name=name)
