"""`tf.random.Generator`: random numbers whose state is a variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.library.checkpoint.object_graph import Tracked
from graphwright.op.interpreter import activate, apply, convert
from graphwright.ops.core.casting import bitcast, cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.joining import concat, stack, unstack
from graphwright.ops.core.movement import reshape
from graphwright.ops.math.reduction import reduce_prod
from graphwright.ops.random import philox_draws
from graphwright.ops.random.generator_ops import READ_AND_SKIP, StatefulRandomBinomial
from graphwright.ops.random.stateful_random import floating, shifted
from graphwright.ops.random.stateless_random import (
    Algorithm,
    AlgorithmLike,
    Position,
    StatelessRandomNormalV2,
    StatelessTruncatedNormalV2,
    algorithm_number,
    uniform_at,
)
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike
from graphwright.types.dtypes import as_dtype
from graphwright.values.convert import constant
from graphwright.values.variable import Variable

_STATE_SIZES = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2}


def state_size(alg: int) -> int:
    """The number of int64 words in the state of an algorithm."""
    return _STATE_SIZES.get(alg, _STATE_SIZES[Algorithm.PHILOX.value])


def create_rng_state(seed: TensorLike, alg: AlgorithmLike) -> Any:
    """Makes the state of a random generator from a seed.

    Args:
        seed: An int, or a vector of integers.
        alg: The algorithm: "philox", "threefry" or "auto_select", or a member of
            `tf.random.Algorithm`, or its number.

    Returns:
        An int64 vector: of 3 words for Philox, of 2 for ThreeFry.

    Raises:
        ValueError: There is no such algorithm.

    >>> import graphwright as tf
    >>> tf.random.create_rng_state(1, "philox").numpy().tolist()
    [1, 0, 0]
    """
    size = state_size(algorithm_number(alg))
    plain: Any = seed if isinstance(seed, (int, list, tuple)) else np.asarray(seed).tolist()
    words: int | Sequence[int] = plain if isinstance(plain, int) else [int(s) for s in plain]
    return constant(philox_draws.seed_state(words, size))


def state_of(value: TensorLike, size: int, what: str) -> Any:
    """A state, or a part of it, as an int64 vector; ValueError for another shape."""
    if isinstance(value, (list, tuple)):
        value = stack([word_of(v) for v in value])
    words = word_of(value)
    if words.type.dims not in ((size,), (None,), None):
        raise ValueError(f"{what} must have shape [{size}], not {words.shape}")
    return words


def word_of(value: TensorLike) -> Any:
    """Unsigned numbers as the int64 of the same bits."""
    if isinstance(value, int):
        return constant(philox_draws.seed_state([value], 1)[0])
    return cast(convert(value), dt.int64)


class Generator(Tracked):
    """A source of random numbers, whose state each draw advances.

    >>> import graphwright as tf
    >>> g = tf.random.Generator.from_seed(1)
    >>> g.normal([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 0.43842274, -0.53439844], dtype=float32)>
    """

    def __init__(
        self,
        copy_from: Generator | None = None,
        state: TensorLike | None = None,
        alg: AlgorithmLike | None = None,
    ) -> None:
        if copy_from is not None:
            if alg is not None or state is not None:
                raise ValueError("Generator takes either `copy_from`, or `state` and `alg`.")
            self._alg: int = copy_from.algorithm
            state = copy_from.state.read_value()
        elif alg is None or state is None:
            raise ValueError("Generator needs `copy_from`, or both `state` and `alg`.")
        else:
            self._alg = algorithm_number(alg)
        if not isinstance(state, Variable):
            words = state_of(state, state_size(self._alg), "state")
            state = Variable(words, dtype=dt.int64, trainable=False, name="StateVar")
        self._state_var = state

    @classmethod
    def from_state(cls, state: TensorLike, alg: AlgorithmLike) -> Generator:
        """A generator with this state."""
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: AlgorithmLike | None = None) -> Generator:
        """A generator with the state of a seed; the algorithm is Philox by default."""
        number = Algorithm.PHILOX.value if alg is None else algorithm_number(alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: AlgorithmLike | None = None) -> Generator:
        """A generator with a random state."""
        number = Algorithm.PHILOX.value if alg is None else algorithm_number(alg)
        words = [philox_draws.unforeseen() for _ in range(state_size(number))]
        return cls(state=constant(philox_draws.seed_state(words, len(words))), alg=number)

    @classmethod
    def from_key_counter(
        cls, key: TensorLike, counter: TensorLike, alg: AlgorithmLike
    ) -> Generator:
        """A generator with the state of a key and a counter."""
        number = algorithm_number(alg)
        return cls(state=key_state(key, counter, number), alg=number)

    @property
    def state(self) -> Variable:
        """The state: the words of the counter, then the key."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Any:
        """The key, a scalar."""
        return self._state_var[-1]

    # -- the state ----------------------------------------------------------------------

    def reset(self, state: TensorLike) -> None:
        """Replaces the state."""
        self._state_var.assign(state_of(state, state_size(self._alg), "state"))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Replaces the state by that of a seed."""
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Replaces the state by that of a key and a counter."""
        self._state_var.assign(key_state(key, counter, self._alg))

    def skip(self, delta: TensorLike) -> Any:
        """Advances the state by `delta` outputs; returns the state before."""
        delta = cast(convert(delta), dt.uint64)
        return apply(READ_AND_SKIP, self._state_var.handle, self._alg, delta)

    def make_seeds(self, count: TensorLike = 1) -> Any:
        """Seeds of shape [2, count] for stateless functions."""
        keys = self.uniform_full_int([count], dt.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """`count` new generators, each with a key that this one draws."""
        keys = unstack(self.uniform_full_int([count], dt.int64), count)
        counter = [0] * (state_size(self._alg) - 1)
        return [Generator(state=[*counter, key], alg=self._alg) for key in keys]

    # -- draws --------------------------------------------------------------------------

    def _take(self, shape: ShapeLike) -> Position:
        """The key, counter and algorithm for as many outputs as a shape has."""
        sizes: Any = shape
        state = self.skip(reduce_prod(convert(sizes, dt.int64 if is_empty_list(shape) else None)))
        words = bitcast(state, dt.uint64)
        return words[-1:], words[:-1], self._alg

    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike | None = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = dt.float32,
        name: str | None = None,
    ) -> Any:
        """Uniform numbers in [minval, maxval); `maxval` is 1 for floats.

        For integers without bounds all values are equally likely; ValueError for one bound.
        """
        dtype = as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer dtype {dtype}, minval and maxval must be both `None` or both "
                f"non-`None`; got minval={minval} and maxval={maxval}"
            )
        return uniform_at(shape, self._take(shape), minval, maxval, dtype, name)

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dt.uint64, name: str | None = None
    ) -> Any:
        """Integers; all values of the dtype are equally likely."""
        return uniform_at(shape, self._take(shape), None, None, as_dtype(dtype), name)

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dt.float32,
        name: str | None = None,
    ) -> Any:
        """Normal numbers."""
        op = StatelessRandomNormalV2.of(floating(dtype, mean))
        return shifted(apply(op, shape, *self._take(shape), name=name), stddev, mean, name)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dt.float32,
        name: str | None = None,
    ) -> Any:
        """Normal numbers within two deviations of the mean."""
        op = StatelessTruncatedNormalV2.of(floating(dtype, mean))
        return shifted(apply(op, shape, *self._take(shape), name=name), stddev, mean, name)

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dt.int32,
        name: str | None = None,
    ) -> Any:
        """Binomial variates; `shape` ends with the shape of `counts` and `probs` together."""
        counts, probs = convert(counts), convert(probs)
        op = StatefulRandomBinomial.of(as_dtype(dtype))
        return apply(op, self._state_var.handle, self._alg, shape, counts, probs, name=name)


def is_empty_list(shape: ShapeLike) -> bool:
    """Whether a shape is an empty list, which tells no integer dtype."""
    return isinstance(shape, (list, tuple)) and not shape


def key_state(key: TensorLike, counter: TensorLike, alg: int) -> Any:
    """The state of a key and a counter."""
    words = state_of(counter, state_size(alg) - 1, "counter")
    return concat([words, reshape(word_of(key), [1])], 0)


class Global:
    """The generator that the whole program shares, once there is one."""

    generator: ClassVar[Generator | None] = None


def get_global_generator() -> Generator:
    """Returns the generator that the whole program shares.

    Returns:
        A `tf.random.Generator`. Its start is random unless `tf.random.set_global_generator` set it.

    >>> import graphwright as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().uniform([2]).shape
    TensorShape([2])
    """
    if Global.generator is None:
        with activate(None):
            Global.generator = Generator.from_non_deterministic_state()
    return Global.generator


def set_global_generator(generator: Generator) -> None:
    """Replaces the generator that the whole program shares.

    A function that is already traced keeps the generator of its trace.

    Args:
        generator: A `tf.random.Generator`.

    >>> import graphwright as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().state.numpy().tolist()
    [1, 0, 0]
    """
    Global.generator = generator
