"""Random ops without a state: the same seed draws the same numbers.

TensorFlow's newer ops take a Philox key and counter, which `StatelessRandomGetKeyCounter` makes
of the seed; the older ones take the seed itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.op.batching import one_by_one
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes, not_differentiable, undefined
from graphwright.ops.core.casting import bitcast, cast
from graphwright.ops.core.creation import checked_dims, zeros
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import broadcast_to, expand_dims, reshape
from graphwright.ops.core.own_ops import Scanned
from graphwright.ops.core.rule_words import host
from graphwright.ops.core.shapes import broadcast_shape_of
from graphwright.ops.core.sorting import UpperBound
from graphwright.ops.core.static import NUMPY, PYTHON, check_whole
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.reduction import reduce_max, reduce_sum
from graphwright.ops.math.rounding import is_finite
from graphwright.ops.math.transcendental import exp
from graphwright.ops.random import philox_draws, threefry, variates
from graphwright.ops.random.philox_words import key_and_counter, normals_of, shaped, units_of
from graphwright.ops.random.random_gamma import gamma_gradient
from graphwright.ops.random.stateful_random import (
    COUNTS,
    bounds,
    categorical_shape,
    floating,
    index_dtype,
    shifted,
    size_of,
    spread,
    tiny,
)
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import Dims, TensorType, broadcast_all, show_dims

#: Where there would be more comparisons of points with sums of weights, sums are searched.
_MOST_COMPARED = 1 << 16

WORDS = frozenset({dt.int32, dt.int64, dt.uint32, dt.uint64})


class Algorithm(Enum):
    """The algorithms that make random numbers.

    >>> import graphwright as tf
    >>> philox = tf.random.Algorithm.PHILOX
    >>> tf.random.stateless_uniform([2], seed=[1, 2], alg=philox).shape
    TensorShape([2])
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


#: An algorithm by its member, name or number, or a tensor of its number.
AlgorithmLike: TypeAlias = Algorithm | TensorLike
#: Where a draw begins: the key, the counter and the number of the algorithm.
Position: TypeAlias = tuple[TensorValue, TensorValue, TensorLike]


def algorithm_number(alg: AlgorithmLike) -> Any:
    """The number of an algorithm; ValueError for an unknown name or number."""
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        if alg.upper() in Algorithm.__members__:
            return Algorithm[alg.upper()].value
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
            "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
            "auto-selection."
        )
    if isinstance(alg, int) and alg not in [a.value for a in Algorithm]:
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are "
            "1 for the Philox algorithm, 2 for the ThreeFry algorithm, and 3 for "
            "auto-selection."
        )
    return alg


def check_algorithm(alg: int | None) -> None:
    """ValueError for an operand that is the number of no algorithm, if it is known."""
    if alg not in (None, 1, 2, 3):
        raise ValueError(f"Unsupported algorithm id: {alg}; alg must be a scalar, 1, 2 or 3")


def position(key: Array, counter: Array, alg: int) -> tuple[int, int]:
    """A key and counter operand as Python's ints.

    ValueError where the counter is too short, or `alg` is no algorithm.
    """
    check_algorithm(alg)
    wanted = 1 if alg == Algorithm.THREEFRY.value else 2
    if np.shape(key) != (1,) or np.ndim(counter) != 1 or len(counter) < wanted:
        raise ValueError(
            f"key must have shape [1] and counter must be a vector with length at least {wanted}; "
            f"got shapes: {show_dims(np.shape(key))} and {show_dims(np.shape(counter))}"
        )
    start = sum(int(word) << 64 * place for place, word in enumerate(counter[:wanted]))
    return int(key[0]), start


def sampler_of(name: str, alg: int) -> Any:
    """The sampler of a name in the module of an algorithm."""
    return getattr(threefry if alg == Algorithm.THREEFRY.value else philox_draws, name)


def of_seed(seed: Array) -> tuple[int, int]:
    """The key and counter of a seed operand; ValueError unless it has two numbers."""
    if np.shape(seed) != (2,):
        raise ValueError(f"seed must have shape [2], not {show_dims(np.shape(seed))}")
    return philox_draws.scramble((int(seed[0]), int(seed[1])))


class StatelessRandomGetKeyCounter(Op):
    """The Philox key and counter of a seed."""

    type_name = "StatelessRandomGetKeyCounter"
    inputs = ("seed: Tseed",)
    outputs = ("key: uint64", "counter: uint64")
    dtypes = {"Tseed": dt.INDEX}
    gradient = not_differentiable
    batched = one_by_one

    def shapes(self, seed: TensorType) -> Shapes:
        if seed.dims is not None and (len(seed.dims) != 1 or seed.dims[0] not in (2, None)):
            raise ValueError(f"seed must have shape [2], not {show_dims(seed.dims)}")
        return ((1,), (2,))

    def kernel(self, seed: Array) -> Any:
        key, counter = of_seed(seed)
        words = [counter & (1 << 64) - 1, counter >> 64]
        return np.array([key], np.uint64), np.array(words, np.uint64)

    def expand(self, seed: GraphTensor) -> Any:
        return key_and_counter(seed)


class Positioned(Op):
    """Draws that begin at a key and a counter."""

    inputs = ("shape: Tshape host", "key: uint64", "counter: uint64", "alg: int32 host")
    outputs = ("output: dtype",)
    gradient = not_differentiable
    batched = one_by_one

    dtype: DType = dt.float32

    #: The sampler's name in the modules of both algorithms.
    sampler: ClassVar[str] = ""

    def shapes(
        self,
        shape: Dims | None,
        key: TensorType,
        counter: TensorType,
        alg: int | None,
        *operands: TensorType,
    ) -> Shapes:
        check_algorithm(alg)
        return (checked_dims(shape, "shape"),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        numpy_dtype, name = self.dtype.numpy_dtype, self.sampler

        def kernel(shape: tuple[int, ...], key: Array, counter: Array, alg: int) -> Any:
            start = position(key, counter, alg)
            return sampler_of(name, alg)(*start, size_of(shape), numpy_dtype).reshape(shape)

        return kernel

    def drawn(self, shape: GraphTensor, alg: GraphTensor) -> tuple[int, ...] | None:
        """The shape of the numbers, if machine code can draw them: floats, by Philox."""
        dims = host(shape)
        philox = host(alg) not in (None, Algorithm.THREEFRY.value)
        fits = philox and isinstance(dims, tuple) and self.dtype in (dt.float32, dt.float64)
        return dims if fits else None


class StatelessRandomUniformV2(Positioned):
    """Uniform numbers in [0, 1)."""

    type_name = "StatelessRandomUniformV2"
    dtypes = {"dtype": dt.FLOATING, "Tshape": dt.INDEX}
    sampler = "uniform"

    def expand(
        self, shape: GraphTensor, key: GraphTensor, counter: GraphTensor, alg: GraphTensor
    ) -> Any:
        dims = self.drawn(shape, alg)
        return None if dims is None else shaped(units_of(key, counter, dims, self.dtype), dims)


class StatelessRandomNormalV2(Positioned):
    """Normal numbers of mean 0 and deviation 1."""

    type_name = "StatelessRandomNormalV2"
    dtypes = {"dtype": dt.FLOATING, "Tshape": dt.INDEX}
    sampler = "normal"

    def expand(
        self, shape: GraphTensor, key: GraphTensor, counter: GraphTensor, alg: GraphTensor
    ) -> Any:
        dims = self.drawn(shape, alg)
        return (
            None
            if dims is None
            else shaped(normals_of(units_of(key, counter, dims, self.dtype)), dims)
        )


class StatelessTruncatedNormalV2(Positioned):
    """Normal numbers of mean 0 and deviation 1, those beyond 2 drawn again."""

    type_name = "StatelessTruncatedNormalV2"
    dtypes = {"dtype": dt.FLOATING, "Tshape": dt.INDEX}
    sampler = "truncated_normal"


class StatelessRandomUniformFullIntV2(Positioned):
    """Integers of which every value is equally likely."""

    type_name = "StatelessRandomUniformFullIntV2"
    dtypes = {"dtype": WORDS, "Tshape": dt.INDEX}
    sampler = "full_range"

    dtype: DType = dt.uint64


class StatelessRandomUniformIntV2(Op):
    """Uniform integers in [minval, maxval)."""

    type_name = "StatelessRandomUniformIntV2"
    inputs = (*Positioned.inputs, "minval: dtype", "maxval: dtype")
    outputs = ("output: dtype",)
    dtypes = {"dtype": WORDS, "Tshape": dt.INDEX}
    gradient = not_differentiable
    batched = one_by_one

    def shapes(
        self,
        shape: Dims | None,
        key: TensorType,
        counter: TensorType,
        alg: int | None,
        *operands: TensorType,
    ) -> Shapes:
        check_algorithm(alg)
        return (checked_dims(shape, "shape"),)

    def kernel(
        self,
        shape: tuple[int, ...],
        key: Array,
        counter: Array,
        alg: int,
        minval: Array,
        maxval: Array,
    ) -> Any:
        samples = size_of(shape)
        low, high = bounds(minval, maxval, samples)
        draw = sampler_of("integers", alg)
        start = position(key, counter, alg)
        return draw(*start, samples, low, high, minval.dtype).reshape(shape)


class StatelessShuffle(Op):
    """The rows of a tensor in another order."""

    type_name = "StatelessShuffle"
    inputs = ("value: T", "key: uint64", "counter: uint64", "alg: int32 host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    gradient = undefined("gather rows by a shuffled range")
    batched = one_by_one

    def shapes(
        self, value: TensorType, key: TensorType, counter: TensorType, alg: int | None
    ) -> Shapes:
        check_algorithm(alg)
        return (value.dims,)

    def kernel(self, value: Array, key: Array, counter: Array, alg: int) -> Array:
        start = position(key, counter, alg)
        return value[philox_draws.shuffle(*start, len(value))] if np.ndim(value) else value


class StatelessMultinomial(Op):
    """Class indices [batch, num_samples] with the probabilities softmax(logits)."""

    type_name = "StatelessMultinomial"
    inputs = ("logits: T", "num_samples: int32 host", "seed: Tseed")
    outputs = ("output: output_dtype",)
    dtypes = {"T": dt.REAL, "Tseed": dt.INDEX, "output_dtype": dt.INDEX}
    gradient = not_differentiable
    batched = one_by_one

    output_dtype: DType = dt.int64

    def shapes(self, logits: TensorType, num_samples: int | None, seed: TensorType) -> Shapes:
        return categorical_shape(logits.dims, num_samples)

    def kernel(self, logits: Array, num_samples: int, seed: Array) -> Array:
        categorical_shape(np.shape(logits), num_samples)
        drawn = variates.categorical(*of_seed(seed), logits, num_samples)
        return drawn.astype(self.output_dtype.numpy_dtype, copy=False)

    def expand(self, logits: GraphTensor, num_samples: GraphTensor, seed: GraphTensor) -> Any:
        """The number of classes whose sum of weights is not above a point, for each point.

        Few sums are compared with all points, many are searched.
        """
        batch, classes = logits.type.dims or (None, None)
        samples = num_samples.known
        if not batch or not classes or not samples or seed.type.dims != (2,):
            return None
        key, counter = key_and_counter(seed)
        points = units_of(key, counter, (batch, samples), dt.float64)
        sums = apply(Scanned.of("sum", 1, False, False), weights_of(cast(logits, dt.float64)))
        reached = shaped(points, (batch, samples)) * sums[:, -1:]
        if batch * samples * classes > _MOST_COMPARED:
            return UpperBound.of(self.output_dtype).expand(sums, reached)
        below = expand_dims(sums, 1) <= expand_dims(reached, 2)
        return cast(reduce_sum(cast(below, dt.int32), 2), self.output_dtype)


def weights_of(logits: TensorValue) -> Any:
    """The weights of classes, the greatest of a row 1; logits that are not finite have weight 0."""
    lowest = cast(-math.inf, logits.dtype)
    finite = is_finite(logits)
    peak = reduce_max(where(finite, logits, lowest), 1, True)
    return exp(where(finite, logits - peak, lowest))


def samples_of(shape: tuple[int, ...], *parameters: Array) -> tuple[int, list[Array]]:
    """The number of draws for each parameter in `shape`, and the parameters as flat arrays.

    ValueError unless the parameters' common shape is the end of `shape`.
    """
    each = np.broadcast_shapes(*[np.shape(p) for p in parameters])
    check_end(shape, each)
    flat = [np.broadcast_to(p, each).ravel() for p in parameters]
    leading = shape[: len(shape) - len(each)]
    return math.prod(leading), flat


def check_end(shape: Dims, end: Dims) -> None:
    """ValueError where `end` is not the end of a shape."""
    checked_dims(shape, "shape")
    if len(end) > len(shape) or (end and tuple(shape[-len(end) :]) != tuple(end)):
        raise ValueError(
            f"Shape passed in must end with broadcasted shape: {show_dims(shape)} does not end "
            f"with {show_dims(end)}"
        )


def parameterized_shape(shape: Dims | None, *parameters: TensorType) -> Shapes:
    """The shape of the result; ValueError where the parameters' is not the end of it."""
    dims = checked_dims(shape, "shape")
    common = broadcast_all(p.dims for p in parameters)
    if dims is not None and common is not None and None not in (*dims, *common):
        check_end(dims, common)
    return (dims,)


class StatelessRandomGammaV3(Op):
    """Gamma variates of unit scale."""

    type_name = "StatelessRandomGammaV3"
    inputs = (
        "shape: shape_dtype host", "key: uint64", "counter: uint64", "alg: int32 host",
        "alpha: dtype",
    )  # fmt: skip
    outputs = ("output: dtype",)
    dtypes = {"dtype": dt.FLOATING - {dt.bfloat16}, "shape_dtype": dt.INDEX}
    batched = one_by_one

    def shapes(
        self,
        shape: Dims | None,
        key: TensorType,
        counter: TensorType,
        alg: int | None,
        alpha: TensorType,
    ) -> Shapes:
        check_algorithm(alg)
        return parameterized_shape(shape, alpha)

    def kernel(
        self, shape: tuple[int, ...], key: Array, counter: Array, alg: int, alpha: Array
    ) -> Array:
        samples, (rates,) = samples_of(shape, alpha)
        return variates.gamma(*position(key, counter, alg), rates, samples).reshape(shape)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return None, None, None, None, gamma_gradient(call.inputs[4], call.outputs[0], g)


class StatelessRandomPoisson(Op):
    """Poisson variates."""

    type_name = "StatelessRandomPoisson"
    inputs = ("shape: T host", "seed: Tseed", "lam: Rtype")
    outputs = ("output: dtype",)
    dtypes = {"Rtype": COUNTS, "dtype": COUNTS, "T": dt.INDEX, "Tseed": dt.INDEX}
    gradient = not_differentiable
    batched = one_by_one

    dtype: DType = dt.int32

    def shapes(self, shape: Dims | None, seed: TensorType, lam: TensorType) -> Shapes:
        return parameterized_shape(shape, lam)

    def kernel(self, shape: tuple[int, ...], seed: Array, lam: Array) -> Array:
        samples, (rate,) = samples_of(shape, lam)
        drawn = variates.poisson(*of_seed(seed), rate, samples, self.dtype.numpy_dtype)
        return drawn.reshape(shape)


class StatelessRandomBinomial(Op):
    """Binomial variates."""

    type_name = "StatelessRandomBinomial"
    inputs = ("shape: S host", "seed: Tseed", "counts: T", "probs: T")
    outputs = ("output: dtype",)
    dtypes = {"T": COUNTS, "dtype": COUNTS, "S": dt.INDEX, "Tseed": dt.INDEX}
    gradient = not_differentiable
    batched = one_by_one

    dtype: DType = dt.int64

    def shapes(
        self, shape: Dims | None, seed: TensorType, counts: TensorType, probs: TensorType
    ) -> Shapes:
        return parameterized_shape(shape, counts, probs)

    def kernel(self, shape: tuple[int, ...], seed: Array, counts: Array, probs: Array) -> Array:
        samples, (trials, chance) = samples_of(shape, counts, probs)
        key, counter = of_seed(seed)
        dtype = self.dtype.numpy_dtype
        drawn = variates.binomial(key, counter, trials, chance, samples, dtype)
        return drawn.reshape(shape)


GET_KEY_COUNTER = StatelessRandomGetKeyCounter()
UNIFORM_INT, SHUFFLE = StatelessRandomUniformIntV2(), StatelessShuffle()
GAMMA = StatelessRandomGammaV3()


# -- the public functions -------------------------------------------------------------------


def located(seed: TensorLike, alg: AlgorithmLike) -> Position:
    """The key, counter and algorithm of a seed [2]."""
    number = algorithm_number(alg)
    seed = convert(seed)
    if number != Algorithm.THREEFRY.value:
        key, counter = apply(GET_KEY_COUNTER, seed)
        return key, counter, number
    words = reshape(cast(seed, dt.uint32), [1, 2])
    return bitcast(words, dt.uint64), zeros([1], dt.uint64), number


def sizes(shape: ShapeLike) -> ShapeLike:
    """A shape as it is; TypeError for tensors of floats in it, which a list would cast."""
    check_whole(shape, "shape", cut=(PYTHON, NUMPY))
    return shape


def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Returns uniform numbers in [minval, maxval) that a seed determines.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64.
        seed: A tensor of int32 or int64 of shape [2].
        minval: A number, or a tensor that broadcasts to `shape`; a scalar for integers, or None.
        maxval: As `minval`. None means 1 for floats; integers take all values where both are None.
        dtype: The dtype of the result: a float dtype, int32, int64, uint32 or uint64.
        name: A name for the op.
        alg: The generator: "philox", "threefry" or "auto_select", which means Philox, or a
            `tf.random.Algorithm`.

    Returns:
        A tensor of `dtype` of shape `shape`.

    Raises:
        ValueError: `dtype` or `alg` is not valid, integers have one bound only, or unsigned
            integers have bounds.

    >>> import graphwright as tf
    >>> tf.random.stateless_uniform([2], seed=[1, 2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.8440604 , 0.19204533], dtype=float32)>
    """
    dtype = as_dtype(dtype)
    if dtype not in dt.FLOATING | WORDS:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are (tf.float16, "
            "tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64, tf.uint32, tf.uint64)."
        )
    if dtype.is_integer and (minval is None) != (maxval is None):
        low: object = minval
        high: object = maxval
        raise ValueError(
            f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={low} and `maxval`={high}."
        )
    if dtype.is_unsigned and minval is not None:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. "
            "Please don't use unsigned integers in this case."
        )
    return uniform_at(sizes(shape), located(seed, alg), minval, maxval, dtype, name)


def uniform_at(
    shape: ShapeLike,
    position: Position,
    minval: TensorLike | None,
    maxval: TensorLike | None,
    dtype: DType,
    name: str | None,
) -> Any:
    """Uniform numbers from a key, counter and algorithm; integers of all values without bounds."""
    low: Any = minval  # a bound that is None alone is refused where it is converted
    high: Any = maxval
    if not dtype.is_integer:
        drawn = apply(StatelessRandomUniformV2.of(dtype), shape, *position, name=name)
        return spread(drawn, low, 1 if high is None else high, name)
    if low is None:
        return apply(StatelessRandomUniformFullIntV2.of(dtype), shape, *position, name=name)
    ends = convert(low, dtype), convert(high, dtype)
    return apply(UNIFORM_INT, shape, *position, *ends, name=name)


def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Returns normal numbers that a seed determines.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64.
        seed: A tensor of int32 or int64 of shape [2].
        mean: A number or tensor that broadcasts to `shape`.
        stddev: A number or tensor that broadcasts to `shape`.
        dtype: The dtype of the result, a float dtype.
        name: A name for the op.
        alg: The generator: "philox", "threefry" or "auto_select", which means Philox, or a
            `tf.random.Algorithm`.

    Returns:
        A tensor of `dtype` of shape `shape`.

    Raises:
        TypeError: `mean` is a float and `dtype` is no float dtype.
        ValueError: `alg` is not valid.

    >>> import graphwright as tf
    >>> tf.random.stateless_normal([2], seed=[1, 2]).numpy().round(3).tolist()
    [0.5440000295639038, 0.2070000022649765]
    """
    op = StatelessRandomNormalV2.of(floating(dtype, mean))
    return shifted(apply(op, sizes(shape), *located(seed, alg), name=name), stddev, mean, name)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Returns normal numbers within two standard deviations of the mean, which a seed determines.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64.
        seed: A tensor of int32 or int64 of shape [2].
        mean: A number or tensor that broadcasts to `shape`.
        stddev: A number or tensor that broadcasts to `shape`: the standard deviation before
            truncation.
        dtype: The dtype of the result, a float dtype.
        name: A name for the op.
        alg: The generator: "philox", "threefry" or "auto_select", which means Philox, or a
            `tf.random.Algorithm`.

    Returns:
        A tensor of `dtype` of shape `shape`.

    Raises:
        TypeError: `mean` is a float and `dtype` is no float dtype.
        ValueError: `alg` is not valid.

    >>> import graphwright as tf
    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).numpy().round(3).tolist()
    [0.5440000295639038, 0.2070000022649765]
    """
    op = StatelessTruncatedNormalV2.of(floating(dtype, mean))
    return shifted(apply(op, sizes(shape), *located(seed, alg), name=name), stddev, mean, name)


def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = dt.int64,
    name: str | None = None,
) -> Tensor:
    """Draws classes with the probabilities `softmax(logits)`, determined by a seed.

    Args:
        logits: A tensor of real numbers of shape [batch, classes].
        num_samples: An int or int32 scalar of at least 0: the draws for each row.
        seed: A tensor of int32 or int64 of shape [2].
        dtype: The dtype of the result: int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [batch, num_samples]: class indices.

    Raises:
        ValueError: `dtype` is another one.
        InvalidArgumentError: `logits` is no matrix, or `num_samples` is negative.

    >>> import graphwright as tf
    >>> tf.random.stateless_categorical([[0.0, 0.0]], 5, seed=[1, 2]).numpy().tolist()
    [[1, 1, 0, 1, 1]]
    """
    op = StatelessMultinomial.of(index_dtype(dtype))
    return apply(op, convert(logits), num_samples, convert(seed), name=name)


def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dt.float32,
    name: str | None = None,
) -> Tensor:
    """Draws gamma variates that a seed determines, differentiable in both parameters.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64. It ends with the
            broadcast shape of the parameters.
        seed: A tensor of int32 or int64 of shape [2].
        alpha: A number or tensor: the shape parameter.
        beta: A number or tensor that broadcasts with `alpha`: the rate. None means 1.
        dtype: The dtype of the parameters and of the result: float16, float32 or float64.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape `shape`.

    Raises:
        InvalidArgumentError: `shape` does not end with the broadcast shape of the parameters.

    >>> import graphwright as tf
    >>> tf.random.stateless_gamma([2], seed=[1, 2], alpha=2.0).numpy().round(3).tolist()
    [2.816999912261963, 1.9240000247955322]
    """
    alpha = convert(alpha, as_dtype(dtype))
    beta = convert(1 if beta is None else beta, alpha.dtype)
    each = broadcast_to(alpha, broadcast_shape_of(alpha, beta))
    drawn = apply(GAMMA, sizes(shape), *located(seed, "auto_select"), each, name=name)
    return maximum(convert(tiny(alpha.dtype), alpha.dtype), drawn / beta)


def stateless_poisson(
    shape: ShapeLike,
    seed: TensorLike,
    lam: TensorLike,
    dtype: DTypeLike = dt.int32,
    name: str | None = None,
) -> Tensor:
    """Draws Poisson variates that a seed determines.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64. It ends with the
            shape of `lam`.
        seed: A tensor of int32 or int64 of shape [2].
        lam: A number or tensor of float16, float32, float64, int32 or int64: the rates.
        dtype: The dtype of the result: float16, float32, float64, int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape `shape`.

    Raises:
        InvalidArgumentError: `shape` does not end with the shape of `lam`.

    >>> import graphwright as tf
    >>> tf.random.stateless_poisson([4], seed=[1, 2], lam=3.0).numpy().tolist()
    [5, 5, 4, 6]
    """
    op = StatelessRandomPoisson.of(StatelessRandomPoisson.dtype_for("dtype", dtype))
    return apply(op, shape, convert(seed), convert(lam), name=name)


def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = dt.int32,
    name: str | None = None,
) -> Tensor:
    """Draws binomial variates that a seed determines.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64. It ends with the
            broadcast shape of the parameters.
        seed: A tensor of int32 or int64 of shape [2].
        counts: A number or tensor of the dtype of `probs`: the numbers of trials.
        probs: A number or tensor of float16, float32 or float64: the probabilities of success.
        output_dtype: The dtype of the result: float16, float32, float64, int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of `output_dtype` of shape `shape`.

    Raises:
        InvalidArgumentError: `shape` does not end with the broadcast shape of the parameters.

    >>> import graphwright as tf
    >>> tf.random.stateless_binomial([4], seed=[1, 2], counts=10.0, probs=0.5).numpy().tolist()
    [6, 6, 7, 7]
    """
    probs = convert(probs, None, dt.float32)
    counts = convert(counts, None, probs.dtype)
    op = StatelessRandomBinomial.of(StatelessRandomBinomial.dtype_for("dtype", output_dtype))
    return apply(op, shape, convert(seed), counts, probs, name=name)


def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: AlgorithmLike = "auto_select", name: str | None = None
) -> Tensor:
    """Puts the rows of a tensor into an order that a seed determines.

    Args:
        value: A tensor of any dtype and shape, whose first axis is that of the rows.
        seed: A tensor of int32 or int64 of shape [2].
        alg: The generator: "philox", "threefry" or "auto_select", which means Philox, or a
            `tf.random.Algorithm`.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `value`.

    Raises:
        ValueError: `alg` is not valid.

    >>> import graphwright as tf
    >>> tf.random.experimental.stateless_shuffle([1, 2, 3, 4], seed=[1, 2]).numpy().tolist()
    [1, 4, 3, 2]
    """
    return apply(SHUFFLE, convert(value), *located(seed, alg), name=name)


def split(seed: TensorLike, num: TensorLike = 2, alg: AlgorithmLike = "auto_select") -> Tensor:
    """Derives several seeds from one.

    Args:
        seed: A tensor of int32 or int64 of shape [2].
        num: An int or int32 scalar: the number of seeds.
        alg: The generator: "philox", "threefry" or "auto_select", which means Philox, or a
            `tf.random.Algorithm`.

    Returns:
        A tensor of the dtype of `seed` of shape [num, 2].

    Raises:
        ValueError: `alg` is not valid.

    >>> import graphwright as tf
    >>> tf.random.split([1, 2], 3).shape
    TensorShape([3, 2])
    """
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, None, alg)


def fold_in(seed: TensorLike, data: TensorLike, alg: AlgorithmLike = "auto_select") -> Tensor:
    """Derives a seed from a seed and an integer.

    Args:
        seed: A tensor of int32 or int64 of shape [2].
        data: An int, or a scalar of int32, int64, uint32 or uint64.
        alg: The generator: "philox", "threefry" or "auto_select", which means Philox, or a
            `tf.random.Algorithm`.

    Returns:
        A tensor of the dtype of `data` of shape [2].

    Raises:
        ValueError: `alg` is not valid.

    >>> import graphwright as tf
    >>> tf.random.fold_in([1, 2], 3).numpy().tolist()
    [1105988140, 3]
    """
    data = convert(data)
    return stack([stateless_uniform([], seed, None, None, data.dtype, None, alg), data])
