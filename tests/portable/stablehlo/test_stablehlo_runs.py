"""Functions as StableHLO, which XLA compiles and runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")

from support.hlo_runs import run_text

import graphwright as tf

RNG = np.random.default_rng(11)


def floats(*shape: int, dtype: Any = np.float32) -> Any:
    """Random floats."""
    return RNG.standard_normal(shape).astype(dtype)


def integers(*shape: int, low: int = -9, high: int = 9, dtype: Any = np.int32) -> Any:
    """Random integers."""
    return RNG.integers(low, high, shape).astype(dtype)


def ints(values: Any) -> Any:
    """Places, or numbers of a seed."""
    return np.array(values, np.int32)


def reals(values: Any) -> Any:
    """Numbers as float32."""
    return np.array(values, np.float32)


X, Y = floats(4, 5), floats(4, 5)
POSITIVE = np.abs(X) + np.float32(0.5)
INSIDE = np.tanh(X)
M, N = integers(4, 5), integers(4, 5) * 2 + 1
B, C = X > 0, Y > 0
IMAGES, FILTERS = floats(2, 7, 6, 3), floats(3, 2, 3, 4)
KERNEL, BIAS = tf.Variable(floats(5, 3)), tf.Variable(floats(3))

Program = tuple[Callable[..., Any], tuple[Any, ...]]


@tf.function
def collatz(n: Any) -> Any:
    steps = tf.constant(0)
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@tf.function
def powers(x: Any) -> Any:
    total = tf.zeros_like(x)
    for i in tf.range(4):
        total += x ** tf.cast(i, tf.float32)
        if tf.reduce_sum(total) > 1e6:
            break
    return total


@tf.function
def squares(x: Any) -> Any:
    count = tf.shape(x)[0]
    rows = tf.TensorArray(tf.float32, count)
    for i in tf.range(count):
        tf.debugging.assert_less(i, count, "no such row")
        rows = rows.write(i, x[i] ** 2)
    return rows.stack(), rows.read(2)


@tf.function
def sparse_squares(x: Any) -> Any:
    rows = tf.TensorArray(tf.float32, 4, element_shape=[5])
    for i in tf.range(4):
        if i % 2 == 0:
            rows = rows.write(i, x[i] ** 2)
    return rows.stack()


@tf.function
def perceptron(x: Any) -> dict[str, Any]:
    logits = x @ KERNEL + BIAS
    return {"classes": tf.nn.softmax(logits), "best": tf.argmax(logits, -1)}


@tf.function
def slope(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.nn.log_softmax(tf.tanh(x) @ KERNEL) ** 2)
    return tape.gradient(y, [x, KERNEL])


@tf.function
def image_slope(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.nn.conv2d(x, FILTERS, 2, "SAME") ** 2)
    return tape.gradient(y, x)


@tf.function
def row_of(x: Any, i: Any) -> Any:
    return x[i], x[:, i], tf.slice(x, [i, 0], [2, 3])


PROGRAMS: dict[str, Program] = {
    "arithmetic": (lambda x, y: (x + y, x - y, x * y, x / y, -x), (X, Y)),
    "broadcast": (lambda x, y: x * y + 1.0, (floats(4, 1, 3), floats(5, 1))),
    "integers": (lambda x, y: (x + y, x * y, x // y, x % y, abs(x)), (M, N)),
    "truncation": (lambda x, y: (tf.truncatediv(x, y), tf.truncatemod(x, y)), (M, N)),
    "float_division": (lambda x, y: (x // y, x % y, tf.math.divide_no_nan(x, y)), (X, Y)),
    "comparisons": (lambda x, y: (x < y, x <= y, x == y, x != y, x > y, x >= y), (M, N)),
    "logic": (lambda x, y: (x & y, x | y, x ^ y, ~x), (B, C)),
    "bits": (lambda x, y: (x & y, x | y, x ^ y, ~x, tf.bitwise.left_shift(x, y % 5)), (M, N)),
    "selects": (lambda x, y: tf.where(x > 0.0, x, y), (X, Y)),
    "clip": (lambda x: tf.clip_by_value(x, -0.5, 0.5), (X,)),
    "casts": (lambda x: [tf.cast(x, t) for t in (tf.int32, tf.int8, tf.bool, tf.float64)], (X,)),
    "halves": (lambda x: tf.cast(tf.cast(x, tf.float16) * 2, tf.float32), (X,)),
    "roots": (lambda x: (tf.sqrt(x), tf.math.rsqrt(x), tf.math.log(x), x**2.5), (POSITIVE,)),
    "exponentials": (lambda x: (tf.exp(x), tf.math.expm1(x), tf.sigmoid(x), tf.tanh(x)), (X,)),
    "angles": (lambda x: (tf.sin(x), tf.cos(x), tf.tan(x), tf.atan(x)), (X,)),
    "arcs": (lambda x: (tf.asin(x), tf.acos(x), tf.atanh(x)), (INSIDE,)),
    "hyperbolic": (lambda x: (tf.sinh(x), tf.cosh(x), tf.asinh(x)), (X * 9,)),
    "acosh": (tf.acosh, (np.append(POSITIVE + 1, reals([1, 0, 500, 2000, -1e5, 1e30])),)),
    "edges": (lambda x: (tf.acos(x), tf.asin(x), tf.asinh(x)), (reals([-1, 1, 0, 2, -3]),)),
    "unsigned": (lambda x: [tf.cast(x, t) for t in (tf.uint8, tf.uint32)], (X * 3,)),
    "atan2": (tf.atan2, (X, Y)),
    "erf": (lambda x: (tf.math.erf(x), tf.nn.gelu(x)), (X * 2,)),
    "erfc": (tf.math.erfc, (np.linspace(-6, 9, 70, dtype=np.float32),)),
    "erf64": (tf.math.erf, (floats(50, dtype=np.float64) * 2,)),
    "rounding": (lambda x: (tf.floor(x), tf.math.ceil(x), tf.round(x), tf.sign(x)), (X * 3,)),
    "finite": (lambda x: (tf.math.is_nan(x / x), tf.math.is_inf(1 / x)), (reals([0, 1]),)),
    "activations": (
        lambda x: (tf.nn.relu(x), tf.nn.elu(x), tf.nn.leaky_relu(x), tf.nn.softplus(x)),
        (X,),
    ),
    "constants": (lambda x: x + tf.constant([[1.5, -2.0, 1e-7, 3e30, 0.1]]), (X,)),
    "large_constant": (lambda x: x + floats(4, 5), (X,)),
    "reshapes": (lambda x: (tf.reshape(x, [2, -1]), tf.expand_dims(x, 1), x[tf.newaxis]), (X,)),
    "squeeze": (tf.squeeze, (floats(1, 3, 1),)),
    "transpose": (lambda x: (tf.transpose(x), tf.transpose(x[None], [1, 2, 0])), (X,)),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [3, 4, 5]), (X,)),
    "fill": (lambda x: tf.fill([2, 3], x) + tf.ones([2, 3]), (np.float32(4),)),
    "concat": (lambda x, y: (tf.concat([x, y], 1), tf.stack([x, y], -1)), (X, Y)),
    "split": (lambda x: (*tf.split(x, 2), *tf.split(x, [1, 4], 1), *tf.unstack(x)), (X,)),
    "tile": (lambda x: (tf.tile(x, [2, 1]), tf.repeat(x, 2, 0), tf.roll(x, 1, 1)), (X,)),
    "slices": (lambda x: (x[1:3, ::2], x[::-1, -1], x[..., 1], x[3:0:-2]), (X,)),
    "slice": (lambda x: tf.slice(x, [1, 0], [2, -1]), (X,)),
    "computed_slice": (row_of, (X, np.int32(1))),
    "pad": (lambda x: (tf.pad(x, [[1, 2], [0, 1]]), tf.pad(x, [[1, 1], [2, 0]], "REFLECT")), (X,)),
    "reverse": (lambda x: tf.reverse(x, [0, -1]), (X,)),
    "gather": (lambda x, i: (tf.gather(x, i), tf.gather(x, i, axis=1)), (X, ints([3, 0, 1]))),
    "gather_batch": (
        lambda x, i: tf.gather(x, i, batch_dims=1, axis=1),
        (X, ints([[0, 1], [4, 2], [1, 1], [3, 0]])),
    ),
    "gather_nd": (lambda x, i: tf.gather_nd(x, i), (X, ints([[0, 1], [3, 4]]))),
    "embedding": (lambda i: tf.nn.embedding_lookup(KERNEL, i), (ints([[0, 4], [2, 2]]),)),
    "one_hot": (lambda i: tf.one_hot(i, 4), (ints([0, 3, 9, -1]),)),
    "scatter": (
        lambda i, u: tf.scatter_nd(i, u, [6]),
        (ints([[1], [4], [1]]), reals([1, 2, 3])),
    ),
    "segments": (
        lambda x, i: tf.math.unsorted_segment_sum(x, i, 3),
        (X, ints([2, 0, 2, 1])),
    ),
    "range": (lambda n: tf.range(0.0, 3.0, 0.5) + n, (np.float32(1),)),
    "linspace": (lambda x: tf.linspace(x, 3.0, 5), (np.float32(1),)),
    "matmul": (lambda x, y: (tf.matmul(x, y, transpose_b=True), tf.transpose(x) @ y), (X, Y)),
    "batch_matmul": (lambda x, y: x @ y, (floats(3, 1, 4, 5), floats(2, 5, 3))),
    "half_matmul": (lambda x, y: x @ y, (X.astype(np.float16), Y.T.astype(np.float16))),
    "einsum": (lambda x, y: tf.einsum("bij,bkj->bik", x, y), (floats(2, 3, 4), floats(2, 5, 4))),
    "einsum_sums": (lambda x, y: tf.einsum("ij,jk->k", x, y), (X, floats(5, 2))),
    "tensordot": (lambda x, y: tf.tensordot(x, y, [[1], [0]]), (X, floats(5, 2, 2))),
    "sums": (lambda x: (tf.reduce_sum(x), tf.reduce_sum(x, 0), tf.reduce_prod(x, [-1])), (X,)),
    "means": (lambda x: (tf.reduce_mean(x, 1, keepdims=True), tf.math.reduce_std(x)), (X,)),
    "integer_mean": (lambda x: tf.reduce_mean(x, 1), (np.abs(M),)),
    "extremes": (lambda x: (tf.reduce_max(x, 1), tf.reduce_min(x), tf.reduce_max(x)), (M,)),
    "bools": (lambda x: (tf.reduce_any(x, 1), tf.reduce_all(x, 0), tf.reduce_all(x)), (B,)),
    "logsumexp": (lambda x: (tf.reduce_logsumexp(x, 1), tf.norm(x)), (X,)),
    "best_bool": (lambda x: (tf.argmax(x, 1), tf.argmin(x)), (B,)),
    "best": (lambda x: (tf.argmax(x, 1), tf.argmin(x, 0, tf.int32)), (M,)),
    "cumsum": (
        lambda x: (tf.cumsum(x, 1), tf.cumsum(x, exclusive=True, reverse=True), tf.math.cumprod(x)),
        (X,),
    ),
    "softmax": (lambda x: (tf.nn.softmax(x), tf.nn.log_softmax(x, 0)), (X,)),
    "entropy": (
        lambda x, i: tf.nn.sparse_softmax_cross_entropy_with_logits(i, x),
        (X, ints([0, 4, 2, 2])),
    ),
    "normalization": (
        lambda x: tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), None, None, 1e-3),
        (X,),
    ),
    "convolution": (lambda x: tf.nn.conv2d(x, FILTERS, [1, 2], "SAME"), (IMAGES,)),
    "dilated": (lambda x: tf.nn.conv2d(x, FILTERS, 1, "VALID", dilations=2), (IMAGES,)),
    "depthwise": (
        lambda x: tf.nn.depthwise_conv2d(x, FILTERS, [1, 1, 1, 1], "VALID"),
        (IMAGES,),
    ),
    "conv1d": (lambda x: tf.nn.conv1d(x, FILTERS[0], 1, "SAME"), (IMAGES[:, 0],)),
    "conv3d": (lambda x: tf.nn.conv3d(x, FILTERS[None], [1] * 5, "SAME"), (IMAGES[None],)),
    "transposed": (
        lambda x: tf.nn.conv2d_transpose(x, FILTERS, [2, 13, 11, 3], 2, "SAME"),
        (floats(2, 7, 6, 4),),
    ),
    "pools": (
        lambda x: (tf.nn.max_pool2d(x, 2, 2, "SAME"), tf.nn.avg_pool2d(x, 3, 1, "SAME")),
        (IMAGES,),
    ),
    "branch": (lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x + 1, lambda: x * 2), (X,)),
    "switch": (
        lambda i, x: tf.switch_case(i, [lambda: x, lambda: x * 2, lambda: -x]),
        (np.int32(1), X),
    ),
    "loop": (collatz, (np.int32(27),)),
    "broken_loop": (powers, (reals([0.5, 2, 3]),)),
    "array": (squares, (X,)),
    "uneven_array": (sparse_squares, (X,)),
    "map": (lambda x: tf.map_fn(lambda row: tf.reduce_sum(row) * row, x), (X,)),
    "scan": (lambda x: tf.scan(lambda total, row: total + row, x), (X,)),
    "top_k": (lambda x: (*tf.math.top_k(x, 3), tf.sort(x, 0), tf.argsort(x)), (M,)),
    "top_k_nan": (lambda x: tf.math.top_k(x, 4), (reals([np.nan, 1, np.inf, -np.inf, 1]),)),
    "empty": (lambda x: (x[:0] * 2, tf.tile(x, [2, 0]), tf.nn.softmax(x[:, :0])), (X,)),
    "perceptron": (perceptron, (X,)),
    "gradients": (slope, (X,)),
    "image_gradients": (image_slope, (IMAGES,)),
    "random": (lambda s: tf.random.stateless_uniform([7], s), (ints([3, 4]),)),
    "random_flip": (lambda x: tf.image.stateless_random_flip_left_right(x, [1, 2]), (IMAGES,)),
    "normal": (lambda s: tf.random.stateless_normal([7], s), (ints([3, 4]),)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_xla_computes_the_same(name: str) -> None:
    f, arrays = PROGRAMS[name]
    traced = f if isinstance(f, type(collatz)) else tf.function(f)
    tensors = [tf.constant(a) for a in arrays]
    text = tf.stablehlo.export(traced, *tensors)
    expected = tf.nest.flatten(traced(*tensors))
    values = run_text(text, arrays)
    assert len(values) == len(expected)
    for value, wanted in zip(values, expected):
        assert value.dtype == wanted.numpy().dtype
        np.testing.assert_allclose(value, wanted.numpy(), rtol=2e-5, atol=2e-5)
