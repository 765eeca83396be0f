"""Random ops with a state: each instance draws on from where it stood; see `ops.random.seeds`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Effect, Op, Shapes, not_differentiable, undefined
from graphwright.ops.core.creation import checked_dims, zeros_like
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.random import philox_draws, variates
from graphwright.ops.random.random_gamma import gamma_gradient
from graphwright.ops.random.seeds import Stream, seeded
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import Dims, TensorType, show_dims

COUNTS: frozenset[DType] = frozenset({dt.float16, dt.float32, dt.float64, dt.int32, dt.int64})


class Drawing(partial[Any]):
    """A draw of numbers from a stream, as a kernel."""

    @property
    def stream(self) -> Stream:
        """The stream."""
        stream: Stream = self.args[0]
        return stream


class Stateful(Op):
    """An op with a stream of its own in each place where it is bound."""

    effect = Effect.WRITE
    has_stream = True
    gradient = not_differentiable
    differs = True

    seed: int = 0
    seed2: int = 0

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return Drawing(self.draw, Stream(self.seed, self.seed2))

    def draw(self, stream: Stream, /, *operands: Any) -> Any:
        """The next numbers of a stream."""
        raise NotImplementedError(f"{type(self).__name__} states no draw")


class Floats(Stateful):
    """Independent numbers of one distribution without parameters, of shape `shape`."""

    inputs = ("shape: T host",)
    outputs = ("output: dtype",)
    dtypes = {"dtype": dt.FLOATING, "T": dt.INDEX}

    dtype: DType = dt.float32

    sampler: ClassVar[Callable[..., Any]]

    def shapes(self, shape: Dims | None) -> Shapes:
        return (checked_dims(shape, "shape"),)

    def draw(self, stream: Stream, /, *operands: Any) -> Any:
        (shape,) = operands
        count = size_of(shape)
        key, counter = stream.take(count * philox_draws.RESERVED)
        drawn = type(self).sampler(key, counter, count, self.dtype.numpy_dtype)
        return drawn.reshape(shape)

    def batched(self, each: Each) -> Any:
        return apply(self, each.longer(each.same(0)))


class RandomUniform(Floats):
    """Uniform numbers in [0, 1)."""

    type_name = "RandomUniform"
    sampler = staticmethod(philox_draws.uniform)


class RandomStandardNormal(Floats):
    """Normal numbers of mean 0 and deviation 1."""

    type_name = "RandomStandardNormal"
    sampler = staticmethod(philox_draws.normal)


class TruncatedNormal(Floats):
    """Normal numbers of mean 0 and deviation 1, those beyond 2 drawn again."""

    type_name = "TruncatedNormal"
    sampler = staticmethod(philox_draws.truncated_normal)


class RandomUniformInt(Stateful):
    """Uniform integers in [minval, maxval)."""

    type_name = "RandomUniformInt"
    inputs = ("shape: T host", "minval: Tout", "maxval: Tout")
    outputs = ("output: Tout",)
    dtypes = {"Tout": dt.INDEX, "T": dt.INDEX}

    def shapes(self, shape: Dims | None, minval: TensorType, maxval: TensorType) -> Shapes:
        return (checked_dims(shape, "shape"),)

    def draw(self, stream: Stream, /, *operands: Any) -> Any:
        shape, minval, maxval = operands
        count = size_of(shape)
        low, high = bounds(minval, maxval, count)
        key, counter = stream.take(count * philox_draws.RESERVED)
        return philox_draws.integers(key, counter, count, low, high, minval.dtype).reshape(shape)

    def batched(self, each: Each) -> Any:
        return apply(self, each.longer(each.same(0)), each.same(1), each.same(2))


class RandomShuffle(Stateful):
    """The rows of a tensor in another order."""

    type_name = "RandomShuffle"
    inputs = ("value: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}

    def shapes(self, value: TensorType) -> Shapes:
        return (value.dims,)

    def draw(self, stream: Stream, /, *operands: Any) -> Any:
        (value,) = operands
        if np.ndim(value) == 0 or len(value) < 2 or value.size < 2:
            return value
        key, counter = stream.take(philox_draws.shuffle_reserve(len(value)))
        return value[philox_draws.shuffle(key, counter, len(value))]


class Multinomial(Stateful):
    """Class indices [batch, num_samples] with the probabilities softmax(logits)."""

    type_name = "Multinomial"
    inputs = ("logits: T", "num_samples: int32 host")
    outputs = ("output: output_dtype",)
    dtypes = {"T": dt.REAL, "output_dtype": dt.INDEX}

    output_dtype: DType = dt.int64

    def shapes(self, logits: TensorType, num_samples: int | None) -> Shapes:
        return categorical_shape(logits.dims, num_samples)

    def draw(self, stream: Stream, /, *operands: Any) -> Any:
        logits, samples = operands
        categorical_shape(np.shape(logits), samples)
        key, counter = stream.take(variates.categorical_reserve(len(logits), samples))
        drawn = variates.categorical(key, counter, logits, samples)
        return drawn.astype(self.output_dtype.numpy_dtype, copy=False)

    def batched(self, each: Each) -> Any:
        return each.split(apply(self, each.merged(0), each.same(1)), 0)


class RandomGamma(Stateful):
    """Gamma variates of unit scale: for each `alpha`, `shape` of them."""

    type_name = "RandomGamma"
    inputs = ("shape: S host", "alpha: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING - {dt.bfloat16}, "S": dt.INDEX}

    def shapes(self, shape: Dims | None, alpha: TensorType) -> Shapes:
        return (joined(checked_dims(shape, "shape"), alpha.dims),)

    def draw(self, stream: Stream, /, *operands: Any) -> Any:
        shape, alpha = operands
        samples = size_of(shape)
        key, counter = stream.take(samples * np.size(alpha) * philox_draws.RESERVED)
        drawn = variates.gamma(key, counter, np.ravel(alpha), samples)
        return drawn.reshape(shape + np.shape(alpha))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return None, gamma_gradient(call.inputs[1], call.outputs[0], g)

    def batched(self, each: Each) -> Any:
        return apply(self, each.longer(each.same(0)), each.same(1))


class RandomPoissonV2(Stateful):
    """Poisson variates: for each `rate`, `shape` of them."""

    type_name = "RandomPoissonV2"
    gradient = undefined("counts change by jumps")
    inputs = ("shape: S host", "rate: R")
    outputs = ("output: dtype",)
    dtypes = {"R": COUNTS, "dtype": COUNTS, "S": dt.INDEX}

    dtype: DType = dt.int64

    def shapes(self, shape: Dims | None, rate: TensorType) -> Shapes:
        return (joined(checked_dims(shape, "shape"), rate.dims),)

    def draw(self, stream: Stream, /, *operands: Any) -> Any:
        shape, rate = operands
        samples = size_of(shape)
        key, counter = stream.take(samples * np.size(rate) * philox_draws.RESERVED)
        drawn = variates.poisson(key, counter, np.ravel(rate), samples, self.dtype.numpy_dtype)
        return drawn.reshape(shape + np.shape(rate))

    def batched(self, each: Each) -> Any:
        return apply(self, each.longer(each.same(0)), each.same(1))


# -- common parts of stateful and stateless ops ---------------------------------------------


def size_of(shape: tuple[int, ...]) -> int:
    """The number of elements of a shape operand; ValueError where it is no shape."""
    checked_dims(shape, "shape")
    return math.prod(shape)


def bounds(minval: Array, maxval: Array, samples: int) -> tuple[int, int]:
    """The bounds of random integers as Python's ints.

    InvalidArgumentError unless they are scalars, and in order where there are samples.
    """
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if np.ndim(bound):
            shown = show_dims(np.shape(bound))
            raise InvalidArgumentError(None, None, f"{name} must be 0-D, got shape {shown}")
    if samples and not minval < maxval:
        raise InvalidArgumentError(None, None, f"Need minval < maxval, got {minval} >= {maxval}")
    return int(minval), int(maxval)


def joined(shape: Dims | None, parameters: Dims | None) -> Dims | None:
    """The shape of `shape` draws for each of the parameters."""
    return None if shape is None or parameters is None else shape + parameters


def categorical_shape(logits: Dims | None, samples: int | None) -> Shapes:
    """[batch, samples]; ValueError where the logits are no matrix or `samples` is below 0."""
    if samples is not None and samples < 0:
        raise ValueError(f"num_samples should be non-negative, got {samples}")
    if logits is None:
        return ((None, samples),)
    if len(logits) != 2:
        raise ValueError(f"logits should be a matrix, got shape {show_dims(logits)}")
    if logits[1] == 0 and logits[0] != 0:
        raise ValueError("num_classes should be positive, got 0")
    return ((logits[0], samples),)


def shifted(drawn: TensorValue, scale: TensorLike, offset: TensorLike, name: str | None) -> Any:
    """drawn * scale + offset; nothing to do where these are 1 and 0."""
    if type(scale) in (int, float) and scale == 1 and type(offset) in (int, float) and offset == 0:
        return drawn
    return convert(scale, drawn.dtype) * drawn + convert(offset, drawn.dtype)


def spread(drawn: TensorValue, minval: TensorLike, maxval: TensorLike, name: str | None) -> Any:
    """Numbers in [0, 1) brought to [minval, maxval)."""
    if type(minval) in (int, float) and minval == 0:
        return shifted(drawn, maxval, 0, name)
    minval, maxval = convert(minval, drawn.dtype), convert(maxval, drawn.dtype)
    return drawn * (maxval - minval) + minval


def floating(dtype: DTypeLike, parameter: object) -> DType:
    """The dtype of normal numbers; TypeError where it cannot hold their float parameters."""
    wanted = as_dtype(dtype)
    if wanted not in dt.FLOATING:
        raise TypeError(f"Cannot convert {parameter} to EagerTensor of dtype {wanted.name}")
    return wanted


# -- the public functions -------------------------------------------------------------------


def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dt.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns uniform numbers in [minval, maxval), new ones at each call.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64.
        minval: A number, or a tensor that broadcasts to `shape`; a scalar for integers.
        maxval: As `minval`. None means 1 for floats; integers need it.
        dtype: The dtype of the result: a float dtype, int32 or int64.
        seed: An int, or None for one that `tf.random.set_seed` determines.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape `shape`.

    Raises:
        ValueError: `dtype` is another one, or integers have no `maxval`.
        InvalidArgumentError: The bounds of integers are not in order.

    >>> import graphwright as tf
    >>> x = tf.random.uniform([1000], 1.0, 3.0)
    >>> bool(tf.reduce_all((x >= 1.0) & (x < 3.0)))
    True
    """
    dtype = as_dtype(dtype)
    if dtype not in dt.FLOATING | dt.INDEX:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are (tf.float16, "
            "tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64)."
        )
    if dtype.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        low, high = convert(minval, dtype), convert(maxval, dtype)
        return apply(seeded(RandomUniformInt, seed), shape, low, high, name=name)
    drawn = apply(seeded(RandomUniform, seed, dtype), shape, name=name)
    return spread(drawn, minval, 1 if maxval is None else maxval, name)


def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dt.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns normal numbers, new ones at each call.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64.
        mean: A number or tensor that broadcasts to `shape`.
        stddev: A number or tensor that broadcasts to `shape`.
        dtype: The dtype of the result, a float dtype.
        seed: An int, or None for one that `tf.random.set_seed` determines.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape `shape`.

    Raises:
        TypeError: `mean` is a float and `dtype` is no float dtype.

    >>> import graphwright as tf
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    op = seeded(RandomStandardNormal, seed, floating(dtype, mean))
    return shifted(apply(op, shape, name=name), stddev, mean, name)


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dt.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns normal numbers within two standard deviations of the mean, new ones at each call.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64.
        mean: A number or tensor that broadcasts to `shape`: the mean.
        stddev: A number or tensor that broadcasts to `shape`: the standard deviation before
            truncation.
        dtype: The dtype of the result, a float dtype.
        seed: An int, or None for one that `tf.random.set_seed` determines.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape `shape`.

    Raises:
        TypeError: `mean` is a float and `dtype` is no float dtype.

    >>> import graphwright as tf
    >>> x = tf.random.truncated_normal([1000])
    >>> bool(tf.reduce_all(tf.abs(x) <= 2.0))
    True
    """
    op = seeded(TruncatedNormal, seed, floating(dtype, mean))
    return shifted(apply(op, shape, name=name), stddev, mean, name)


def shuffle(value: TensorLike, seed: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Puts the rows of a tensor into a random order, another one at each call.

    Args:
        value: A tensor of any dtype and shape, whose first axis is that of the rows.
        seed: An int, or None for one that `tf.random.set_seed` determines.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `value`.

    >>> import graphwright as tf
    >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
    [1, 2, 3]
    """
    return apply(seeded(RandomShuffle, seed), convert(value), name=name)


def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws classes with the probabilities `softmax(logits)`, new ones at each call.

    Args:
        logits: A tensor of real numbers of shape [batch, classes].
        num_samples: An int or int32 scalar of at least 0: the draws for each row.
        dtype: The dtype of the result: int32 or int64. None means int64.
        seed: An int, or None for one that `tf.random.set_seed` determines.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [batch, num_samples]: class indices.

    Raises:
        ValueError: `dtype` is another one.
        InvalidArgumentError: `logits` is no matrix, or `num_samples` is negative.

    >>> import graphwright as tf
    >>> tf.random.categorical([[0.0, -1e9]], 3)
    <tf.Tensor: shape=(1, 3), dtype=int64, numpy=array([[0, 0, 0]])>
    """
    op = seeded(Multinomial, seed, index_dtype(dtype))
    return apply(op, convert(logits), num_samples, name=name)


def index_dtype(dtype: DTypeLike | None) -> DType:
    """The dtype of class indices, int64 for None; ValueError where it is no index dtype."""
    wanted = dt.int64 if dtype is None else as_dtype(dtype)
    if wanted not in dt.INDEX:
        raise ValueError(
            f"Argument `dtype` got invalid value {wanted}. Accepted dtypes are (tf.int32, "
            "tf.int64)."
        )
    return wanted


def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dt.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws gamma variates, new ones at each call, differentiable in both parameters.

    Args:
        shape: The shape of the draws for each pair of parameters.
        alpha: A number or tensor: the shape parameter.
        beta: A number or tensor that broadcasts with `alpha`: the rate. None means 1.
        dtype: The dtype of the parameters and of the result: float16, float32 or float64.
        seed: An int, or None for one that `tf.random.set_seed` determines.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [*shape, *parameters].

    >>> import graphwright as tf
    >>> tf.random.gamma([10], [0.5, 1.5]).shape
    TensorShape([10, 2])
    """
    kind = as_dtype(dtype)
    parameter = convert(alpha, kind)
    rate = convert(1 if beta is None else beta, kind)
    each = parameter + zeros_like(rate)
    drawn = apply(seeded(RandomGamma, seed), shape, each, name=name)
    return maximum(convert(tiny(kind), kind), drawn / rate)


def tiny(dtype: DType) -> Any:
    """The smallest normal number of a floating dtype: gamma variates are above 0."""
    return np.finfo(dtype.numpy_dtype).tiny


def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: DTypeLike = dt.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws Poisson variates, new ones at each call.

    Args:
        shape: The shape of the draws for each rate.
        lam: A number or tensor of float16, float32, float64, int32 or int64: the rates.
        dtype: The dtype of the result: float16, float32, float64, int32 or int64.
        seed: An int, or None for one that `tf.random.set_seed` determines.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [*shape, *rates].

    >>> import graphwright as tf
    >>> tf.random.poisson([10], [0.5, 1.5]).shape
    TensorShape([10, 2])
    """
    op = seeded(RandomPoissonV2, seed, RandomPoissonV2.dtype_for("dtype", dtype))
    return apply(op, shape, convert(lam), name=name)
