"""Scans, and ops that write or read where indices say: machine code against the kernels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support.tiers import differences, flat, normal, numbers, staged

import graphwright as tf

SHAPES = [(7,), (1,), (3, 5), (40, 33), (2, 9, 40), (4, 3, 1), (300, 70)]
SCANS = {
    "sum": tf.cumsum,
    "product": tf.math.cumprod,
    "log-sum": tf.math.cumulative_logsumexp,
}
FLAGS = list(itertools.product([False, True], repeat=2))


def scan(kind, axis, exclusive=False, reverse=False):
    return lambda x: SCANS[kind](x, axis, exclusive, reverse)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("kind", SCANS)
def test_scans_along_every_axis(kind, dynamic):
    for shape in SHAPES:
        for axis in range(len(shape)):
            x = normal(*shape) * 0.5 + (kind == "product")
            exact = kind != "log-sum"
            assert not differences(scan(kind, axis), [x], dynamic, exact)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "int8", "uint16", "int64"])
@pytest.mark.parametrize(("exclusive", "reverse"), FLAGS)
def test_scans_of_every_kind(dtype, exclusive, reverse):
    x = tf.cast(normal(5, 40) * 3.0, dtype).numpy()
    for kind in SCANS:
        if kind == "log-sum" and "float" not in dtype:
            continue
        for axis in (0, 1):
            f = scan(kind, axis, exclusive, reverse)
            assert not differences(f, [x], False, exact=kind != "log-sum")


@pytest.mark.parametrize("kind", SCANS)
def test_scans_of_special_numbers(kind):
    x = np.array([[-0.0, -0.0, 1.0], [np.inf, -np.inf, 2.0], [np.nan, 1.0, np.inf]], np.float32)
    x = np.concatenate([x, np.full((2, 3), -np.inf, np.float32)])
    for axis, (exclusive, reverse) in itertools.product((0, 1), FLAGS):
        fast = staged(scan(kind, axis, exclusive, reverse), [x], True)
        expected = SCANS[kind](x, axis, exclusive, reverse).numpy()
        np.testing.assert_array_max_ulp(flat(fast(x))[0], expected, 2)


def test_threads_share_the_rows_of_a_scan():
    for shape, axis in [((3000, 200), 1), ((4, 700, 300), 1)]:
        assert not differences(scan("sum", axis), [normal(*shape)], True, exact=True)


SEGMENTS = ["sum", "prod", "max", "min"]


def segments(kind, count=7):
    reduce = getattr(tf.math, f"unsorted_segment_{kind}")
    return lambda x, ids: reduce(x, ids, count)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("kind", SEGMENTS)
def test_segments(kind, dynamic):
    cases = [
        (normal(40), numbers(40)),
        (normal(40, 33), numbers(40)),
        (normal(4, 10, 3), numbers(4, 10)),
        (normal(4, 10), numbers(4, 10).astype(np.int64)),
        (numbers(40) - 2, numbers(40)),
        (numbers(40).astype(np.int8) * 9, numbers(40)),
        (normal(40).astype(np.float16), numbers(40)),
        (normal(30, 1), numbers(30)),
    ]
    for arrays in cases:
        assert not differences(segments(kind), arrays, dynamic)


@pytest.mark.parametrize("kind", SEGMENTS)
def test_segments_of_special_numbers(kind):
    x = normal(40, 3)
    x[3], x[:, 1], x[5, 2] = np.nan, np.nan, -np.inf
    assert not differences(segments(kind), [x, numbers(40)], True)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("kind", [*SEGMENTS, "mean"])
def test_segments_in_ascending_order(kind, dynamic):
    reduce = getattr(tf.math, f"segment_{kind}")
    function = lambda x, ids: reduce(x * 2, ids) + 1  # noqa: E731
    ids = np.array([0, 0, 1, 3, 3, 3, 7], np.int32)
    special = normal(7, 3)
    special[3], special[0, 1] = np.nan, -np.inf
    for x in (normal(7), normal(7, 40), normal(7, 2, 3), special, numbers(7, 5) - 2,
              normal(7, 4).astype(np.float16)):  # fmt: skip
        assert not differences(function, [x, ids], dynamic)
    assert not differences(function, [normal(7, 4), ids.astype(np.int64)], dynamic)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("kind", ["min", "max"])
def test_segments_of_integers_are_empty_at_the_ends_of_their_range(kind, dtype):
    x = np.array([3, 1, 2], dtype)
    for name in (f"segment_{kind}", f"unsorted_segment_{kind}"):
        function, more = getattr(tf.math, name), [4] if name.startswith("un") else []
        assert not differences(lambda x: function(x, [0, 0, 2], *more), [x], False, exact=True)  # noqa: B023


def test_segments_out_of_order_are_refused():
    fast = staged(lambda x, ids: tf.math.segment_sum(x * 2.0, ids), [normal(4), numbers(4)], True)
    assert flat(fast(normal(4), np.array([0, 0, 2, 2], np.int32)))[0].shape == (3,)
    assert flat(fast(normal(0), numbers(0)))[0].shape == (0,)
    for ids in ([0, 2, 1, 3], [-1, 0, 1, 2]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"segment(.|\n)*SegmentSum"):
            fast(normal(4), np.array(ids, np.int32))


def test_a_long_sum_of_single_numbers_is_right():
    x, ids = np.full(300_000, 0.1, np.float32), np.zeros(300_000, np.int32)
    assert not differences(segments("sum", 1), [x, ids], True, exact=True)


UPDATES = ["update", "add", "sub", "min", "max"]


def placed(kind, shape=(None,)):
    """Updates at places of a shape, of which the last size is known."""
    change = getattr(tf, f"tensor_scatter_nd_{kind}")
    known = [*[None] * (len(shape) - 1), shape[-1]]
    return lambda x, places, updates: change(x, ensured(places, known), updates)


def ensured(places, known):
    return places if known == [None] else tf.ensure_shape(places, known)


@pytest.mark.parametrize("kind", UPDATES)
def test_updates_of_tensors(kind):
    """Of duplicate places, the last update stays."""
    special = normal(40)
    special[[4, 7]] = np.nan, np.inf
    cases = [
        (normal(9), numbers(40, 1, below=9), normal(40)),
        (normal(9), numbers(40, 1, below=9), special),
        (normal(9, 33), numbers(40, 1, below=9), normal(40, 33)),
        (normal(9, 8), numbers(40, 2, below=8), normal(40)),
        (normal(9, 8, 3), numbers(4, 10, 2, below=8).astype(np.int64), normal(4, 10, 3)),
        (numbers(9, 8), numbers(40, 2, below=8), numbers(40)),
        (numbers(9).astype(np.uint8), numbers(40, 1, below=9), numbers(40).astype(np.uint8)),
        (normal(9), numbers(1, 1, below=8), normal(1)),
        (normal(9, 1), numbers(1, 1, below=8), normal(1, 1)),
        (normal(2, 3, 4), numbers(6, 3, below=2), normal(6)),
    ]
    for x, places, updates in cases:
        assert not differences(placed(kind), [x, places, updates], False)
        assert not differences(placed(kind, places.shape), [x, places, updates], True)


def test_what_was_updated_stays_as_it_was():
    x = tf.constant(normal(9))
    fast = tf.function(lambda x: tf.tensor_scatter_nd_update(x * 1.0, [[2]], [7.0]) - x)
    slow = np.zeros(9, np.float32)
    slow[2] = 7.0 - x.numpy()[2]
    for _ in range(5):
        np.testing.assert_array_equal(fast(x).numpy(), slow)


@pytest.mark.parametrize("kind", UPDATES)
@pytest.mark.parametrize("place", [-1, 9])
def test_places_outside_are_refused(kind, place):
    arrays = normal(9), np.array([[3], [place]]), normal(2)
    fast = staged(placed(kind), arrays, False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index"):
        fast(*arrays)


def test_scattered_numbers():
    cases = [
        (lambda i, u: tf.scatter_nd(i, u, [9]), numbers(40, 1, below=9), normal(40)),
        (lambda i, u: tf.scatter_nd(i, u, [9, 9]), numbers(40, 2, below=9), normal(40)),
        (
            lambda i, u: tf.scatter_nd(i, u, tf.constant([9, 9], tf.int64)),
            numbers(40, 2, below=9).astype(np.int64),
            normal(40),
        ),
        (lambda i, u: tf.scatter_nd(i, u > 0.0, [9, 9]), numbers(40, 2, below=9), normal(40)),
    ]
    for function, *arrays in cases:
        assert not differences(function, arrays, False)
    like = lambda i, u, x: tf.scatter_nd(tf.ensure_shape(i, [None, 2]), u, tf.shape(x))  # noqa: E731
    assert not differences(like, [numbers(40, 2, below=9), normal(40), normal(9, 9)], True)


def test_reversed_sequences():
    for seq, batch, arrays in [
        (1, 0, (normal(4, 9, 3), numbers(4, below=10))),
        (0, 2, (normal(9, 3, 4), numbers(4, below=10).astype(np.int64))),
    ]:
        function = lambda x, n, s=seq, b=batch: tf.reverse_sequence(x, n, s, b) * 2.0  # noqa: E731
        for dynamic in (False, True):
            assert not differences(function, arrays, dynamic, exact=True)
            fast = staged(function, arrays, dynamic)
            for bad in (-1, 10):
                with pytest.raises(tf.errors.InvalidArgumentError, match="seq_lengths"):
                    fast(arrays[0], np.full(4, bad, arrays[1].dtype))


def test_rolled_tensors():
    for shape in [(5, 40), (1, 3), (7, 1)]:
        function = lambda x: tf.roll(x, [3, -8], [0, 1]) * 2.0  # noqa: E731
        for dynamic in (False, True):
            assert not differences(function, [normal(*shape)], dynamic, exact=True)
