"""Ops that machine code has only as other ones: the same results as their kernels."""

from __future__ import annotations

import numpy as np
import pytest
from support.tiers import differences, normal

import graphwright as tf
from graphwright.compile.run.checking import compare
from graphwright.compile.run.inspection import outside


def numbers(*shape, below=5):
    return np.random.default_rng(shape).integers(0, below, shape).astype(np.int32)


def holes(*shape):
    """Numbers with NaN and with equal ones."""
    x = np.round(normal(*shape) * 2)
    x[np.random.default_rng(1).random(shape) < 0.2] = np.nan
    return x


def sliced_gradient(index):
    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x[index] * x[index])
        return tape.gradient(y, x)

    return function


raw = tf.raw_ops

#: Functions and their arguments.
CASES = {
    "range": (lambda x: tf.range(7) * tf.cast(tf.reduce_sum(x), tf.int32), [normal(3)]),
    "range of a size": (lambda x: x * tf.cast(tf.range(tf.shape(x)[0]), tf.float32), [normal(9)]),
    "range in steps": (
        lambda x: x + tf.range(10, -3, -2, dtype=tf.int64),
        [numbers(7).astype(np.int64)],
    ),
    "range of columns": (lambda x: x + tf.range(40)[:, None] - tf.range(33), [numbers(40, 33)]),
    "fill": (lambda x: tf.fill([3, 4], tf.cast(x[1, 2], tf.int64)) * 3, [normal(3, 7)]),
    "fill with a sum": (lambda x: tf.fill(tf.shape(x), tf.reduce_sum(x)) - x, [normal(3, 7)]),
    "one hot": (lambda i: tf.one_hot(i, 5), [numbers(4, 3, below=7) - 1]),
    "one hot along 0": (lambda i: tf.one_hot(i, 9, 2.5, -1.0, axis=0), [numbers(4, 3)]),
    "one hot of bytes": (lambda i: tf.one_hot(i, 300), [numbers(40).astype(np.uint8)]),
    "argmax": (lambda x: tf.argmax(x, -1), [holes(9, 70)]),
    "argmax of columns": (lambda x: tf.argmax(x, 0, tf.int32), [holes(9, 70)]),
    "argmin": (lambda x: tf.argmin(x, 1), [holes(4, 9, 3)]),
    "argmin of integers": (lambda x: tf.argmin(x, 1), [numbers(9, 31)]),
    "argmax of bools": (lambda x: tf.argmax(x > 0.5, 1), [normal(9, 31)]),
    "argmax of nothing but NaN": (lambda x: tf.argmax(x, 1), [np.full((3, 4), np.nan, np.float32)]),
    "pad": (lambda x: tf.pad(x, [[1, 2], [0, 3]], constant_values=7.0), [normal(4, 5)]),
    "pad by nothing": (lambda x: tf.pad(x * 2.0, [[0, 0], [0, 0]]), [normal(4, 5)]),
    "pad three axes": (lambda x: tf.pad(x, [[0, 0], [1, 1], [2, 0]]), [normal(2, 4, 5)]),
    "reflect": (lambda x: tf.pad(x, [[2, 1], [0, 3]], "REFLECT"), [normal(4, 5)]),
    "symmetric": (lambda x: tf.pad(x, [[4, 1], [0, 5]], "SYMMETRIC"), [normal(4, 5)]),
    "tile": (lambda x: tf.tile(x, [3, 1, 2]), [normal(2, 4, 5)]),
    "roll": (lambda x: tf.roll(x, [1, -7], [0, 1]), [normal(4, 5)]),
    "roll by nothing": (lambda x: tf.roll(x, 8, 0) + 1.0, [normal(4, 5)]),
    "pieces": (lambda x: [y * 2.0 for y in tf.split(x, [1, -1, 2], 1)], [normal(3, 7)]),
    "add n": (lambda x, y: tf.add_n([x, y, x * y]), [normal(3, 7), normal(3, 7)]),
    "norm": (lambda x: tf.norm(x, axis=1) + 1.0, [normal(6, 9)]),
    "euclidean norm": (lambda x: tf.math.reduce_euclidean_norm(x, 0), [normal(6, 9)]),
    "half the squares": (tf.nn.l2_loss, [normal(6, 9)]),
    "band": (lambda x: tf.linalg.band_part(x, 1, 2), [normal(2, 5, 6)]),
    "lower triangle": (lambda x: tf.linalg.band_part(x, -1, 0), [normal(5, 5)]),
    "diagonal matrix": (tf.linalg.diag, [normal(3, 7)]),
    "diagonal matrix with a value": (
        lambda x: tf.linalg.diag(x, padding_value=2.0),
        [normal(7)],
    ),
    "sparse cross entropy": (
        lambda x, i: tf.nn.sparse_softmax_cross_entropy_with_logits(i, x),
        [normal(6, 11), numbers(6, below=11)],
    ),
    "sparse cross entropy and gradient": (
        lambda x, i: list(raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=i)),
        [normal(6, 5), numbers(6).astype(np.int64)],
    ),
    "bias gradient": (lambda g: raw.BiasAddGrad(out_backprop=g), [normal(4, 3, 2, 5)]),
    "transposed": (lambda x: tf.transpose(x, conjugate=True) + 1.0, [normal(4, 3)]),
    "rows": (lambda x, i: tf.gather(x, i) * 2.0, [normal(9, 40), numbers(5, 3, below=9)]),
    "columns": (lambda x, i: tf.gather(x, i, axis=1), [normal(4, 9), numbers(70, below=9)]),
    "elements": (tf.gather, [normal(9), numbers(70, below=9).astype(np.int64)]),
    "bytes": (tf.gather, [numbers(9).astype(np.uint8), numbers(35, below=9)]),
    "bools": (lambda x, i: tf.gather(x > 0.0, i, axis=-1), [normal(3, 9), numbers(5, below=9)]),
    "one row": (lambda x, i: tf.gather(x, i[0, 0]) + 1.0, [normal(9, 5), numbers(1, 1)]),
    "rows in batches": (
        lambda x, i: tf.gather(x, i, batch_dims=1),
        [normal(4, 9, 3), numbers(4, 6, below=9)],
    ),
    "columns in batches": (
        lambda x, i: tf.gather(x, i, axis=2, batch_dims=1),
        [normal(4, 3, 9), numbers(4, 6, below=9)],
    ),
    "elements in batches": (
        lambda x, i: tf.gather(x, i, batch_dims=2) + 1.0,
        [normal(4, 3, 9), numbers(4, 3, below=9)],
    ),
    "rows of computed indices": (
        lambda x, i: tf.reduce_sum(tf.gather(x * 2.0, (i + 1) % 9), 1),
        [normal(9, 40), numbers(33, below=9)],
    ),
    "rows of rows": (
        lambda x, i: tf.gather(tf.gather(x, i), i),
        [normal(9, 4), numbers(9, below=9)],
    ),
    "turned rows": (
        lambda x, i: tf.transpose(tf.gather(tf.transpose(x), i))[::-1] - 1.0,
        [normal(9, 40), numbers(33, below=40)],
    ),
    "of a range": (
        lambda x, i: tf.gather(tf.range(tf.shape(x)[0])[2:], i),
        [normal(9), numbers(33, below=7)],
    ),
    "of a range the other way": (
        lambda x, i: tf.gather(tf.range(tf.shape(x)[0])[::-1][2:], i) * 2,
        [normal(9), numbers(33, below=7)],
    ),
    "of a range, and the range": (
        lambda x, i: [tf.gather(tf.range(tf.shape(x)[0]), i), tf.range(tf.shape(x)[0])],
        [normal(9), numbers(33, below=9)],
    ),
    "by rows of indices": (tf.gather_nd, [normal(5, 5, 3), numbers(4, 7, 2)]),
    "elements by rows of indices": (tf.gather_nd, [normal(5, 5), numbers(40, 2)]),
    "embedding": (
        lambda x, i: tf.reduce_mean(tf.nn.embedding_lookup(x, i), 1),
        [normal(50, 16), numbers(8, 5, below=50)],
    ),
    "segments": (
        lambda x, i: tf.math.unsorted_segment_sum(x, i, 5) + 1.0,
        [normal(9, 33), numbers(9)],
    ),
    "products of segments": (
        lambda x, i: tf.math.unsorted_segment_prod(x * 2.0, i, tf.shape(x)[0]),
        [normal(9, 2, 3), numbers(9, 2).astype(np.int64)],
    ),
    "extremes of segments": (
        lambda x, i: [f(x, tf.cumsum(i)) for f in (tf.math.segment_max, tf.math.segment_min)],
        [normal(9, 2, 3), numbers(9, below=5)],
    ),
    "many terms in segments": (
        lambda x, i: tf.math.unsorted_segment_sum(x, i, 5),
        [normal(9000, 4), numbers(9000)],
    ),
    "integers in segments": (
        lambda x, i: tf.math.unsorted_segment_sum(x, i, 7),
        [numbers(40, 3), numbers(40)],
    ),
    "scattered": (lambda i, x: tf.scatter_nd(i, x, [5, 5, 3]), [numbers(8, 2), normal(8, 3)]),
    "many": (lambda x, y: [v * 2.0 for v in tf.identity_n([x, y])], [normal(3), normal(4)]),
    "gradient of a slice": (sliced_gradient((slice(1, 3), slice(None, -2))), [normal(4, 5)]),
    "gradient of a pick": (sliced_gradient((-2, Ellipsis, None)), [normal(4, 5, 3)]),
}

#: What needs sizes that are known, and runs as host calls where they are not.
STATIC = {
    "band", "scattered", "one row", "by rows of indices", "elements by rows of indices",
    "fill", "reflect", "symmetric", "tile", "roll", "roll by nothing", "pieces",
    "gradient of a slice", "gradient of a pick",
}  # fmt: skip


def staged(function, arrays, dynamic):
    specs = [tf.TensorSpec([None] * a.ndim if dynamic else a.shape, a.dtype) for a in arrays]
    return tf.function(function, input_signature=specs, jit_compile=True)


def flat(result):
    return [r.numpy() for r in tf.nest.flatten(result)]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", CASES)
def test_composites_are_native(name, dynamic):
    function, arrays = CASES[name]
    fast = staged(function, arrays, dynamic)
    for a, b in zip(flat(function(*map(tf.constant, arrays))), flat(fast(*arrays)), strict=True):
        assert not compare(a, b)
    if not (dynamic and name in STATIC):
        assert not outside(fast.get_concrete_function().graph)


#: Functions of a matrix, and of indices into its rows.
SHAPED = {
    "argmax": lambda x, i: tf.argmax(x, 1),
    "pad": lambda x, i: tf.pad(x, [[1, 0], [2, 3]]),
    "tile": lambda x, i: tf.tile(x, [2, 3]),
    "roll": lambda x, i: tf.roll(x, 2, 0) + 1.0,
    "one hot": lambda x, i: tf.one_hot(i, tf.shape(x)[1]),
    "diagonal": lambda x, i: tf.linalg.diag(x),
    "gather": lambda x, i: tf.gather(x, i) * 2.0,
    "segments": lambda x, i: tf.math.unsorted_segment_sum(tf.gather(x, i), i, 40),
    "range": lambda x, i: x + tf.cast(tf.range(tf.shape(x)[0])[:, None], tf.float32),
}


@pytest.mark.parametrize("name", SHAPED)
def test_any_shape(name):
    """One function of unknown sizes, and of each, where they are known."""
    function = SHAPED[name]
    random = np.random.default_rng(0)
    dynamic = staged(function, [normal(3, 4), numbers(2)], True)
    for rows, columns, count in [(0, 3, 0), (3, 1, 0), (1, 33, 5), (33, 2, 1), (7, 40, 70)]:
        arrays = normal(rows, columns), random.integers(0, max(rows, 1), count).astype(np.int32)
        expected = flat(function(*map(tf.constant, arrays)))[0]
        for fast in (dynamic, staged(function, arrays, False)):
            assert not compare(expected, flat(fast(*arrays))[0])


def test_labels_outside_are_refused():
    x, labels = normal(3, 4), np.array([0, 4, 1])
    fast = staged(CASES["sparse cross entropy"][0], [x, labels], False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 4"):
        fast(x, labels)


def test_extremes_of_nothing_are_refused():
    fast = staged(lambda x: tf.argmax(x, 1), [normal(3, 4)], True)
    assert flat(fast(normal(3, 4)))[0].shape == (3,)
    assert flat(fast(normal(0, 4)))[0].shape == (0,)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        fast(normal(3, 0))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        fast(normal(0, 0))


@pytest.mark.parametrize("index", [-1, 9])
@pytest.mark.parametrize("inner", [(), (5,)])
def test_indices_outside_are_refused(index, inner):
    x, indices = normal(9, *inner), np.array([0, index, 3])
    fast = staged(tf.gather, [x, indices], True)
    assert not outside(fast.get_concrete_function().graph)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"= {index} is not in"):
        fast(x, indices)


#: What is the same wherever it is picked, given nine rows of four: nobody reads the indices.
ALIKE = {
    "filled": lambda x, i: tf.gather(tf.fill([tf.shape(x)[0]], 3.0), i),
    "zeros": lambda x, i: tf.gather(tf.zeros_like(x)[:, 0], i),
    "one element": lambda x, i: tf.gather(tf.broadcast_to(x[0, 0], [9]), i),
    "rows that are one": lambda x, i: tf.gather(tf.broadcast_to(x[:1], [9, 4]), i),
    "in batches": lambda x, i: tf.gather(tf.ones_like(x), tf.tile(i[None], [9, 1]), batch_dims=1),
    "elements of zeros": lambda x, i: tf.gather_nd(tf.zeros_like(x), tf.stack([i, i * 0], 1)),
    "picked twice": lambda x, i: tf.gather(tf.gather(tf.fill([9], 1.0), i), [0, 1]),
    "of a range": lambda x, i: tf.gather(tf.range(tf.shape(x)[0]), i),
    "quotients": lambda x, i: tf.zeros_like(i // tf.where(i < 4, i, 0)),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", ALIKE)
def test_indices_that_nobody_reads_are_refused(name, dynamic):
    x, good, bad = normal(9, 4), np.array([1, 3]), np.array([1, 9])
    fast = staged(ALIKE[name], [x, good], dynamic)
    expected = flat(ALIKE[name](tf.constant(x), tf.constant(good)))
    assert not compare(expected[0], flat(fast(x, good))[0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        fast(x, bad)


def test_nothing_is_picked_from_nothing():
    fast = staged(tf.gather, [normal(3, 40), numbers(2)], True)
    assert flat(fast(normal(0, 40), numbers(0)))[0].shape == (0, 40)
    with pytest.raises(tf.errors.InvalidArgumentError):
        fast(normal(0, 40), numbers(2))


def test_segments_of_negative_ids_are_left_out():
    function = lambda x, i: tf.math.unsorted_segment_sum(x, i, 3)  # noqa: E731
    x, ids = normal(4, 5), np.array([0, -1, 2, 0])
    fast = staged(function, [x, ids], False)
    assert not outside(fast.get_concrete_function().graph)
    assert not compare(flat(function(x, ids))[0], flat(fast(x, ids))[0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        fast(x, np.array([0, 1, 3, 0]))


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
def test_gradients_of_mirrored_borders(mode):
    back = lambda x: tf.raw_ops.MirrorPadGrad(  # noqa: E731
        input=x, paddings=[[1, 2], [0, 0], [3, 0]], mode=mode
    )
    assert not differences(back, [normal(7, 3, 8)], False)
    assert not differences(back, [normal(7, 3, 8).astype(np.float16)], False)
