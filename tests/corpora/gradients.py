"""Where derivatives are delicate: ties, bends, infinite slopes, nothing at all.

Programs of either package (`tf`), and their operands; first derivatives, and second ones of their
sum, are recorded by tools/record_gradient_goldens.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NAN, INF = float("nan"), float("inf")

CASES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "max ties": (lambda tf, x: tf.reduce_max(x), [[1, 3, 3, 2]]),
    "min axis ties": (lambda tf, x: tf.reduce_min(x, axis=1), [[[1, 1], [2, 3]]]),
    "max nan": (lambda tf, x: tf.reduce_max(x), [[1, NAN, 3]]),
    "maximum ties": (lambda tf, *x: tf.maximum(*x), [[1, 2, NAN], [1, 3, 1]]),
    "minimum ties": (lambda tf, *x: tf.minimum(*x), [[1, 2], [1, 3]]),
    "sqrt0": (lambda tf, *x: tf.sqrt(*x), [[0.0, 4.0]]),
    "norm0": (lambda tf, *x: tf.norm(*x), [[0.0, 0.0]]),
    "euclid0": (lambda tf, x: tf.math.reduce_euclidean_norm(x), [[0.0, 0.0]]),
    "xlogy": (lambda tf, *x: tf.math.xlogy(*x), [[0.0, 0.0, 1.0], [0.0, 2.0, 3.0]]),
    "xdivy": (lambda tf, *x: tf.math.xdivy(*x), [[0.0, 0.0, 1.0], [0.0, 2.0, 3.0]]),
    "xlog1py": (lambda tf, *x: tf.math.xlog1py(*x), [[0.0, 0.0, 1.0], [-1.0, 2.0, 3.0]]),
    "div_no_nan": (lambda tf, *x: tf.math.divide_no_nan(*x), [[1.0, 2.0, 0.0], [0.0, 4.0, 0.0]]),
    "mul_no_nan": (lambda tf, *x: tf.math.multiply_no_nan(*x), [[INF, 2.0], [0.0, 3.0]]),
    "empty sum": (lambda tf, x: tf.reduce_sum(x), [np.zeros((0, 3))]),
    "empty mean": (lambda tf, x: tf.reduce_mean(x), [np.zeros((0, 3))]),
    "empty max": (lambda tf, x: tf.reduce_max(x, axis=0), [np.zeros((0, 3))]),
    "empty prod": (lambda tf, x: tf.reduce_prod(x), [np.zeros((0,))]),
    "empty matmul": (lambda tf, *x: tf.matmul(*x), [np.zeros((2, 0)), np.zeros((0, 3))]),
    "empty concat": (lambda tf, x, y: tf.concat([x, y], 0), [np.zeros((0,)), [1.0]]),
    "empty conv": (
        lambda tf, x, k: tf.nn.conv2d(x, k, 1, "SAME"),
        [np.zeros((0, 3, 3, 1)), np.ones((2, 2, 1, 1))],
    ),
    "empty batch norm": (
        lambda tf, x, s, o: tf.raw_ops.FusedBatchNormV3(
            x=x, scale=s, offset=o, mean=tf.zeros(0), variance=tf.zeros(0)
        )[0],
        [np.zeros((0, 2, 2, 3)), np.ones(3), np.ones(3)],
    ),
    "empty matmuls": (
        lambda tf, *x: tf.raw_ops.BatchMatMulV3(x=x[0], y=x[1], Tout=tf.float32),
        [np.zeros((2, 3, 0)), np.zeros((2, 0, 4))],
    ),
    "empty qr": (lambda tf, x: tf.linalg.qr(x)[1], [np.zeros((0, 2, 2))]),
    "empty branch": (
        lambda tf, x, y: tf.cond(tf.size(x) > 0, lambda: x, lambda: tf.concat([x, y], 0)),
        [np.zeros((0, 2)), np.ones((1, 2))],
    ),
    "empty loop": (
        lambda tf, x, y: tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a) + y), (0, x)
        )[1],
        [np.zeros((0, 2)), np.ones((1, 2))],
    ),
    "loop never": (
        lambda tf, x, y: tf.while_loop(
            lambda i, a: i < 0, lambda i, a: (i + 1, tf.sin(a) + y), (0, x)
        )[1],
        [np.zeros((3, 2)), np.ones((1, 2))],
    ),
    "empty call": (lambda tf, x: tf.function(lambda x: x * x)(x), [np.zeros((0, 2))]),
    "empty array": (
        lambda tf, x: tf.TensorArray(tf.float32, 2).unstack(x).stack() * 2.0,
        [np.zeros((2, 0))],
    ),
    "array of nothing": (lambda tf, x: tf.map_fn(tf.sin, x), [np.zeros((0, 2))]),
    "array concat": (
        lambda tf, x: tf.TensorArray(tf.float32, 1, infer_shape=False).write(0, x).concat(),
        [np.zeros((0, 2))],
    ),
    "empty scan": (
        lambda tf, x, y: tf.scan(lambda a, b: a + b, x, initializer=y),
        [np.zeros((3, 0)), np.zeros(0)],
    ),
    "sparse nothing": (
        lambda tf, x, y: tf.sparse.sparse_dense_matmul(
            tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3]), y
        ),
        [np.zeros(0), np.ones((3, 2))],
    ),
    "sparse nothing sum": (
        lambda tf, x: tf.sparse.reduce_sum(
            tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3]), 1
        ),
        [np.zeros(0)],
    ),
    "sparse nothing dense": (
        lambda tf, x: tf.sparse.to_dense(tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3])),
        [np.zeros(0)],
    ),
    "sparse nothing add": (
        lambda tf, x, y: tf.sparse.add(tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3]), y),
        [np.zeros(0), np.ones((2, 3))],
    ),
    "empty rows of a variable": (
        lambda tf, x: tf.gather(x, tf.zeros([0], tf.int32)),
        [np.ones((3, 2))],
    ),
    "gather of no width": (lambda tf, x: tf.gather(x, [2, 0]), [np.ones((3, 0))]),
    "empty segments": (
        lambda tf, x: tf.math.unsorted_segment_mean(x, tf.zeros([0], tf.int32), 2),
        [np.zeros((0, 2))],
    ),
    "empty vectorized": (lambda tf, x: tf.vectorized_map(tf.sin, x), [np.zeros((0, 2))]),
    "prod zeros": (lambda tf, x: tf.reduce_prod(x), [[0.0, 2.0, 3.0]]),
    "prod zeros2": (lambda tf, x: tf.reduce_prod(x), [[0.0, 2.0, 0.0]]),
    "cumprod zeros": (lambda tf, x: tf.math.cumprod(x), [[2.0, 0.0, 3.0]]),
    "pow00": (lambda tf, *x: tf.pow(*x), [[0.0, 0.0, 2.0, -2.0], [0.0, 2.0, 0.0, 2.0]]),
    "pow neg": (lambda tf, *x: tf.pow(*x), [[0.0], [-1.0]]),
    "atan2 00": (lambda tf, *x: tf.math.atan2(*x), [[0.0, 1.0], [0.0, 0.0]]),
    "where guard": (lambda tf, x: tf.where(x > 0, tf.sqrt(x), 0.0), [[-1.0, 0.0, 4.0]]),
    "l2norm 0": (lambda tf, x: tf.math.l2_normalize(x), [[0.0, 0.0]]),
    "softplus": (lambda tf, *x: tf.math.softplus(*x), [[-200.0, 0.0, 200.0]]),
    "clip ties": (lambda tf, x: tf.clip_by_value(x, 0.0, 1.0), [[0.0, 0.5, 1.0, 2.0]]),
    "abs0": (lambda tf, *x: tf.abs(*x), [[0.0, -1.0]]),
    "cabs0": (lambda tf, x: tf.abs(x), [np.array([0j, 1 + 1j])]),
    "sign": (lambda tf, *x: tf.sign(*x), [[0.0, 2.0]]),
    "relu0": (lambda tf, *x: tf.nn.relu(*x), [[0.0, -1.0, 1.0]]),
    "relu6": (lambda tf, *x: tf.nn.relu6(*x), [[0.0, 6.0, 7.0, 1.0]]),
    "elu0": (lambda tf, *x: tf.nn.elu(*x), [[0.0, -1.0]]),
    "leaky": (lambda tf, *x: tf.nn.leaky_relu(*x), [[0.0, -1.0]]),
    "sort ties": (lambda tf, x: tf.sort(x) * [1.0, 2.0, 3.0], [[2.0, 1.0, 2.0]]),
    "top_k ties": (lambda tf, x: tf.math.top_k(x, 2)[0] * [1.0, 2.0], [[2.0, 2.0, 2.0]]),
    "segmax ties": (lambda tf, x: tf.math.segment_max(x, [0, 0, 2]), [[2.0, 2.0, 2.0]]),
    "maxpool ties": (lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "VALID"), [np.ones((1, 2, 2, 1))]),
    "std0": (lambda tf, x: tf.math.reduce_std(x), [[1.0, 1.0]]),
    "var": (lambda tf, x: tf.math.reduce_variance(x), [[1.0, 1.0, 3.0]]),
    "lse -inf": (lambda tf, x: tf.reduce_logsumexp(x), [[-INF, -INF]]),
    "lse": (lambda tf, x: tf.reduce_logsumexp(x), [[-INF, 0.0]]),
    "softmax inf": (lambda tf, x: tf.nn.softmax(x) * [1.0, 2.0], [[-INF, 0.0]]),
    "logsoftmax": (lambda tf, x: tf.nn.log_softmax(x) * [0.0, 2.0], [[-200.0, 0.0]]),
    "xent": (
        lambda tf, x: tf.nn.softmax_cross_entropy_with_logits([0.0, 1.0], x),
        [[300.0, -300.0]],
    ),
    "bce": (
        lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits([0.0, 1.0, 1.0], x),
        [[300.0, -300.0, 0.0]],
    ),
    "huber": (
        lambda tf, x: tf.where(tf.abs(x) < 1.0, x * x / 2, tf.abs(x) - 0.5),
        [[1.0, 0.0, -3.0]],
    ),
    "floor": (lambda tf, x: tf.floor(x) * x, [[1.5, 2.0]]),
    "mod": (lambda tf, x, y: x % y, [[5.0, -5.0], [3.0, 3.0]]),
    "rsqrt": (lambda tf, *x: tf.math.rsqrt(*x), [[0.0, 4.0]]),
    "log0": (lambda tf, *x: tf.math.log(*x), [[0.0, 1.0]]),
    "tanh": (lambda tf, *x: tf.tanh(*x), [[100.0, 0.0]]),
    "sinc": (lambda tf, *x: tf.math.xlogy(*x), [[0.0], [0.0]]),
    "gather dup": (lambda tf, x: tf.gather(x, [0, 0, 1]), [[1.0, 2.0]]),
    "dyn stitch": (lambda tf, x, y: tf.dynamic_stitch([[0, 1], [1]], [x, y]), [[1.0, 2.0], [5.0]]),
    "scatter dup": (lambda tf, x: tf.scatter_nd([[0], [0]], x, [2]) * [2.0, 3.0], [[1.0, 2.0]]),
    "broadcast 1": (lambda tf, x, y: x * y, [np.ones((1, 3)), np.ones((2, 1))]),
    "zero axis": (lambda tf, x, y: x * y, [np.ones((0, 3)), np.ones((1, 1))]),
    "expm1": (lambda tf, *x: tf.math.expm1(*x), [[0.0, -50.0]]),
    "log1p": (lambda tf, *x: tf.math.log1p(*x), [[0.0, -1.0]]),
    "asin": (lambda tf, *x: tf.asin(*x), [[1.0, 0.0]]),
    "acosh": (lambda tf, *x: tf.acosh(*x), [[1.0, 2.0]]),
    "cummax": (lambda tf, x: tf.math.cumulative_logsumexp(x), [[0.0, -INF, 1.0]]),
    "unsorted max empty": (
        lambda tf, x: tf.math.unsorted_segment_max(x, [0, 0], 3)[:1],
        [[1.0, 1.0]],
    ),
    "tf.norm1": (lambda tf, x: tf.norm(x, 1), [[0.0, -1.0]]),
    "norm inf": (lambda tf, x: tf.norm(x, np.inf), [[1.0, -1.0]]),
    "angle": (lambda tf, x: tf.math.angle(x), [np.array([0j, 1 + 1j])]),
    "real": (lambda tf, x: tf.math.real(x) * tf.math.imag(x), [np.array([2j, 1 + 1j])]),
    "nn.moments": (lambda tf, x: tf.nn.moments(x, [0])[1], [[2.0, 2.0]]),
    "huge": (lambda tf, x: tf.sigmoid(x), [[-1000.0, 1000.0]]),
    "swish": (lambda tf, *x: tf.nn.silu(*x), [[-1000.0, 0.0, 1000.0]]),
    "gelu": (lambda tf, *x: tf.nn.gelu(*x), [[-100.0, 0.0, 100.0]]),
}


def operands(given: list[Any]) -> list[Any]:
    """The operands as arrays of single precision."""
    arrays = [np.asarray(x) for x in given]
    return [a.astype(np.complex64 if np.iscomplexobj(a) else np.float32) for a in arrays]


def derivatives(tf: Any, program: Callable[..., Any], tensors: Any) -> tuple[Any, Any]:
    """The first derivatives of a program, and those of their sum; None where nothing flows."""
    with tf.GradientTape() as outer:
        outer.watch(tensors)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = program(tf, *tensors)
        first = tape.gradient(result, tensors)
    real = [tf.math.real(tf.convert_to_tensor(g)) for g in first if g is not None]
    second = outer.gradient(real, tensors) if real else [None] * len(tensors)
    dense = lambda gs: [None if g is None else tf.convert_to_tensor(g) for g in gs]  # noqa: E731
    return dense(first), dense(second)


def entry(value: Any) -> Any:
    """A derivative as JSON: nested lists, parts of complex numbers last."""
    if value is None:
        return None
    array = value.numpy()
    if np.iscomplexobj(array):
        array = np.stack([array.real, array.imag], -1)
    return array.tolist()
