"""`tf.random.Generator`: random numbers whose state is a variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.library.checkpoint.object_graph import Tracked
from graphwright.library.distribute.distributed_variables import DistributedVariable
from graphwright.library.distribute.replica_scopes import SCOPE
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
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.dtypes import as_dtype
from graphwright.values.convert import constant
from graphwright.values.variable import Variable

_STATE_SIZES = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2}


def state_size(alg: int) -> int:
    """The number of int64 words in the state of an algorithm."""
    return _STATE_SIZES.get(alg, _STATE_SIZES[Algorithm.PHILOX.value])


def create_rng_state(seed: TensorLike, alg: AlgorithmLike) -> Tensor:
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

    The state is a variable, so checkpoints save it. The `from_` methods make a generator too.

    Args:
        copy_from: Another generator, whose algorithm and state this one copies.
        state: An int64 vector, of 3 words for Philox and of 2 for ThreeFry, or a variable of it.
        alg: The algorithm: "philox", "threefry" or "auto_select", a member of
            `tf.random.Algorithm`, or its number.

    Raises:
        ValueError: There is neither `copy_from`, nor `state` and `alg`; or `state` is of another
            shape.

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
        self._is_distributed = SCOPE.get() is not None  # a strategy's replicas draw from it

    @classmethod
    def from_state(cls, state: TensorLike, alg: AlgorithmLike) -> Generator:
        """Makes a generator with this state.

        Args:
            state: An int64 vector, of 3 words for Philox and of 2 for ThreeFry.
            alg: The algorithm: "philox", "threefry" or "auto_select", a member of
                `tf.random.Algorithm`, or its number.

        Returns:
            A `tf.random.Generator`.

        >>> import graphwright as tf
        >>> tf.random.Generator.from_state([1, 2, 3], alg="philox").key.numpy()
        np.int64(3)
        """
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: AlgorithmLike | None = None) -> Generator:
        """Makes a generator with the state of a seed.

        Args:
            seed: An int, or a vector of integers.
            alg: The algorithm, as of `from_state`; None means Philox.

        Returns:
            A `tf.random.Generator`.
        """
        number = Algorithm.PHILOX.value if alg is None else algorithm_number(alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: AlgorithmLike | None = None) -> Generator:
        """Makes a generator with a random state.

        Args:
            alg: The algorithm, as of `from_state`; None means Philox.

        Returns:
            A `tf.random.Generator`.
        """
        number = Algorithm.PHILOX.value if alg is None else algorithm_number(alg)
        words = [philox_draws.unforeseen() for _ in range(state_size(number))]
        return cls(state=constant(philox_draws.seed_state(words, len(words))), alg=number)

    @classmethod
    def from_key_counter(
        cls, key: TensorLike, counter: TensorLike, alg: AlgorithmLike
    ) -> Generator:
        """Makes a generator with the state of a key and a counter.

        Args:
            key: A scalar integer: the stream.
            counter: A vector of integers: the position, of 2 words for Philox and of 1 for
                ThreeFry.
            alg: The algorithm: "philox", "threefry" or "auto_select", a member of
                `tf.random.Algorithm`, or its number.

        Returns:
            A `tf.random.Generator`.

        >>> import graphwright as tf
        >>> g = tf.random.Generator.from_key_counter(key=7, counter=[0, 0], alg="philox")
        >>> g.state.numpy()
        array([0, 0, 7])
        """
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
        """Replaces the state.

        Args:
            state: An int64 vector, of 3 words for Philox and of 2 for ThreeFry.

        Raises:
            ValueError: It is of another shape.
        """
        self._state_var.assign(state_of(state, state_size(self._alg), "state"))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Replaces the state by that of a seed.

        Args:
            seed: An int, or a vector of integers.

        >>> import graphwright as tf
        >>> g = tf.random.Generator.from_seed(1)
        >>> x = g.normal([2])
        >>> g.reset_from_seed(1)
        >>> tf.reduce_all(g.normal([2]) == x).numpy()
        np.True_
        """
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Replaces the state by that of a key and a counter.

        Args:
            key: A scalar integer: the stream.
            counter: A vector of integers: the position.
        """
        self._state_var.assign(key_state(key, counter, self._alg))

    def skip(self, delta: TensorLike) -> Any:
        """Advances the state past some outputs.

        Args:
            delta: A scalar integer: their number.

        Returns:
            The state before, an int64 vector.

        >>> import graphwright as tf
        >>> a, b = [tf.random.Generator.from_seed(1) for _ in range(2)]
        >>> x, state = a.normal([10]), b.skip(10)
        >>> tf.reduce_all(a.state == b.state).numpy()
        np.True_
        """
        delta = cast(convert(delta), dt.uint64)

        def move(state: Variable, delta: TensorLike) -> Any:
            return apply(READ_AND_SKIP, state.handle, self._alg, delta)

        if isinstance(self._state_var, DistributedVariable):
            return self._state_var.change_copies(move, delta)
        return move(self._state_var, delta)

    def make_seeds(self, count: TensorLike = 1) -> Any:
        """Draws seeds for stateless functions.

        Args:
            count: A scalar integer: their number.

        Returns:
            A tensor of int64, of shape [2, count]: each column is a seed.

        >>> import graphwright as tf
        >>> seed = tf.random.Generator.from_seed(1).make_seeds()[:, 0]
        >>> tf.random.stateless_uniform([3], seed).shape
        TensorShape([3])
        """
        keys = self.uniform_full_int([count], dt.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Makes generators, each with a key that this one draws.

        Args:
            count: An int: their number.

        Returns:
            A list of `tf.random.Generator`.

        >>> import graphwright as tf
        >>> [a, b] = tf.random.Generator.from_seed(1).split(2)
        >>> tf.reduce_any(a.key != b.key).numpy()
        np.True_
        """
        keys = unstack(self.uniform_full_int([count], dt.int64), count)
        counter = [0] * (state_size(self._alg) - 1)
        return [Generator(state=[*counter, key], alg=self._alg) for key in keys]

    # -- draws --------------------------------------------------------------------------

    def _take(self, shape: ShapeLike) -> Position:
        """The key, counter and algorithm for as many outputs as a shape has."""
        sizes: Any = shape
        state = self.skip(reduce_prod(convert(sizes, dt.int64 if is_empty_list(shape) else None)))
        words = bitcast(convert(state), dt.uint64)
        return self._own_key(words[-1:]), words[:-1], self._alg

    def _own_key(self, key: TensorValue) -> Any:
        """The key of the replica in which the program is: each draws from a stream of its own."""
        scope = SCOPE.get()
        replica = None if scope is None or not self._is_distributed else scope.replica
        if replica is None:
            return key
        counter = cast(stack([replica.replica_id_in_sync_group, 0]), dt.uint64)
        return uniform_at([1], (key, counter, self._alg), None, None, dt.uint64, None)

    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike | None = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = dt.float32,
        name: str | None = None,
    ) -> Any:
        """Draws numbers from a uniform distribution.

        Args:
            shape: A vector of integers: the shape of the result.
            minval: The least number: a scalar, or a tensor that broadcasts to `shape`.
            maxval: The bound, which is not reached. None means 1 for floats; with `minval=None`
                integers of all values.
            dtype: A floating or integer dtype.
            name: A name for the op.

        Returns:
            A tensor of `dtype`.

        Raises:
            ValueError: Only one bound is given for integers.

        >>> import graphwright as tf
        >>> g = tf.random.Generator.from_seed(1)
        >>> g.uniform([2], 1, 7, tf.int32).shape
        TensorShape([2])
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
        """Draws integers; all values of the dtype are equally likely.

        Args:
            shape: A vector of integers: the shape of the result.
            dtype: An integer dtype.
            name: A name for the op.

        Returns:
            A tensor of `dtype`.
        """
        return uniform_at(shape, self._take(shape), None, None, as_dtype(dtype), name)

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dt.float32,
        name: str | None = None,
    ) -> Any:
        """Draws numbers from a normal distribution.

        Args:
            shape: A vector of integers: the shape of the result.
            mean: A scalar, or a tensor that broadcasts to `shape`.
            stddev: The standard deviation, likewise.
            dtype: A floating dtype.
            name: A name for the op.

        Returns:
            A tensor of `dtype`.
        """
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
        """Draws numbers from a normal distribution that lie within two deviations of the mean.

        Args:
            shape: A vector of integers: the shape of the result.
            mean: A scalar, or a tensor that broadcasts to `shape`.
            stddev: The standard deviation, likewise.
            dtype: A floating dtype.
            name: A name for the op.

        Returns:
            A tensor of `dtype`.
        """
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
        """Draws numbers of successes.

        Args:
            shape: A vector of integers: the shape of the result, which ends with that of `counts`
                and `probs` together.
            counts: A floating tensor: the number of trials.
            probs: A tensor of the same dtype: the probability of a success.
            dtype: A floating or integer dtype.
            name: A name for the op.

        Returns:
            A tensor of `dtype`.

        >>> import graphwright as tf
        >>> g = tf.random.Generator.from_seed(1)
        >>> g.binomial([3, 2], counts=[10.0, 10.0], probs=[0.0, 1.0]).numpy().tolist()
        [[0, 10], [0, 10], [0, 10]]
        """
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
