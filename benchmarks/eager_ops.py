"""What eager ops cost above the NumPy calls that compute the same, on small tensors."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.workload import Workload

Pair = tuple[str, Callable[[], object], Callable[[], object]]


def pairs(tf: Any) -> Iterator[Pair]:
    """(name, an op on tensors, NumPy's call on the same arrays)."""
    import numpy

    np: Any = numpy
    a = np.linspace(-1.0, 2.0, 12, dtype=np.float32).reshape(3, 4)
    b, ones, rows = np.abs(a) + 1, np.ones((3, 1), np.float32), np.array([0, 2, 1, 1], np.int32)
    places = np.array([[0, 1], [2, 3]], np.int32)
    segments = np.array([0, 0, 2], np.int32)
    mask = a > 0
    square = b[:, :3] + 3 * np.eye(3, dtype=np.float32)
    ta, tb, tones, trows = (tf.constant(v) for v in (a, b, ones, rows))
    tplaces, tsegments, tmask, tsquare = (tf.constant(v) for v in (places, segments, mask, square))
    take, line, pair = tuple(places.T), np.sort(b[0]), b[0, :2]
    tline, tpair = tf.constant(line), tf.constant(pair)
    zeros = np.zeros((3, 4), np.float32)

    yield "add", lambda: tf.add(ta, tb), lambda: np.add(a, b)
    yield "multiply", lambda: ta * tones, lambda: a * ones
    yield "exp", lambda: tf.exp(ta), lambda: np.exp(a)
    yield "maximum", lambda: tf.maximum(ta, 0.0), lambda: np.maximum(a, np.float32(0))
    yield "less", lambda: tf.less(ta, tb), lambda: np.less(a, b)
    yield "relu", lambda: tf.nn.relu(ta), lambda: np.maximum(a, np.float32(0))
    yield "cast", lambda: tf.cast(ta, tf.int32), lambda: a.astype(np.int32)
    yield "where", lambda: tf.where(tmask, ta, tb), lambda: np.where(mask, a, b)
    yield "matmul", lambda: tf.matmul(ta, tb, transpose_b=True), lambda: np.matmul(a, b.T)
    yield "reduce_sum", lambda: tf.reduce_sum(ta), lambda: np.sum(a)
    yield "reduce_sum 1", lambda: tf.reduce_sum(ta, axis=1), lambda: np.sum(a, axis=1)
    yield "reduce_mean", lambda: tf.reduce_mean(ta, [0, 1]), lambda: np.mean(a, (0, 1))
    yield "reduce_max", lambda: tf.reduce_max(ta, 1), lambda: np.max(a, 1)
    yield "argmax", lambda: tf.argmax(ta, 1), lambda: np.argmax(a, 1)
    yield "cumsum", lambda: tf.cumsum(ta, 1), lambda: np.cumsum(a, 1)
    yield "softmax", lambda: tf.nn.softmax(ta), lambda: softmax(np, a)
    yield "reshape", lambda: tf.reshape(ta, [4, 3]), lambda: np.reshape(a, (4, 3))
    yield "transpose", lambda: tf.transpose(ta, [1, 0]), lambda: np.transpose(a, (1, 0))
    yield "expand_dims", lambda: tf.expand_dims(ta, 1), lambda: np.expand_dims(a, 1)
    yield "squeeze", lambda: tf.squeeze(tones, [1]), lambda: np.squeeze(ones, (1,))
    yield "concat", lambda: tf.concat([ta, tb], 1), lambda: np.concatenate([a, b], 1)
    yield "stack", lambda: tf.stack([ta, tb], 1), lambda: np.stack([a, b], 1)
    yield "split", lambda: tf.split(ta, 2, 1), lambda: np.split(a, 2, 1)
    yield "unstack", lambda: tf.unstack(ta), lambda: list(a)
    yield "tile", lambda: tf.tile(ta, [2, 1]), lambda: np.tile(a, (2, 1))
    yield "pad", lambda: tf.pad(ta, [[1, 1], [0, 2]]), lambda: np.pad(a, [[1, 1], [0, 2]])
    yield "slice", lambda: tf.slice(ta, [0, 1], [2, 2]), lambda: a[0:2, 1:3].copy()
    yield "strided_slice", lambda: ta[:, 1:3], lambda: a[:, 1:3]
    yield "element", lambda: ta[1], lambda: a[1]
    yield (
        "broadcast_to",
        lambda: tf.broadcast_to(tones, [3, 4]),
        lambda: np.broadcast_to(ones, (3, 4)),
    )
    yield "reverse", lambda: tf.reverse(ta, [1]), lambda: np.flip(a, 1)
    yield "roll", lambda: tf.roll(ta, 1, 0), lambda: np.roll(a, 1, 0)
    yield "repeat", lambda: tf.repeat(ta, 2, 0), lambda: np.repeat(a, 2, 0)
    yield "zeros", lambda: tf.zeros([3, 4]), lambda: np.zeros((3, 4), np.float32)
    yield "fill", lambda: tf.fill([3, 4], 2.0), lambda: np.full((3, 4), 2.0, np.float32)
    yield "range", lambda: tf.range(10), lambda: np.arange(10, dtype=np.int32)
    yield "eye", lambda: tf.eye(3), lambda: np.eye(3, dtype=np.float32)
    yield "shape", lambda: tf.shape(ta), lambda: np.array(a.shape, np.int32)
    yield "gather", lambda: tf.gather(tb, tsegments), lambda: np.take(b, segments, 0)
    yield "gather_nd", lambda: tf.gather_nd(ta, tplaces), lambda: a[take]
    yield "boolean_mask", lambda: tf.boolean_mask(ta, tmask), lambda: a[mask]
    yield (
        "scatter_nd",
        lambda: tf.scatter_nd(tplaces, tpair, [3, 4]),
        lambda: np.add.at(zeros, take, pair),
    )
    yield "one_hot", lambda: tf.one_hot(trows, 4), lambda: np.eye(4, dtype=np.float32)[rows]
    yield "sort", lambda: tf.sort(ta), lambda: np.sort(a)
    yield "argsort", lambda: tf.argsort(ta), lambda: np.argsort(a, kind="stable")
    yield "top_k", lambda: tf.math.top_k(ta, 2), lambda: np.sort(a)[:, ::-1][:, :2]
    yield "searchsorted", lambda: tf.searchsorted(tline, tpair), lambda: np.searchsorted(line, pair)
    yield "unique", lambda: tf.unique(trows), lambda: np.unique(rows, return_inverse=True)
    yield (
        "segment_sum",
        lambda: tf.math.segment_sum(ta, tsegments),
        lambda: np.add.at(zeros, segments, a),
    )
    yield (
        "unsorted_segment_sum",
        lambda: tf.math.unsorted_segment_sum(ta, tsegments, 3),
        lambda: np.add.at(zeros, segments, a),
    )
    yield "einsum", lambda: tf.einsum("ij,kj->ik", ta, tb), lambda: np.einsum("ij,kj->ik", a, b)
    yield (
        "tensordot",
        lambda: tf.tensordot(ta, tb, [[1], [1]]),
        lambda: np.tensordot(a, b, [[1], [1]]),
    )
    yield "norm", lambda: tf.norm(ta), lambda: np.linalg.norm(a)
    yield "inv", lambda: tf.linalg.inv(tsquare), lambda: np.linalg.inv(square)
    yield "diag_part", lambda: tf.linalg.diag_part(tsquare), lambda: np.diagonal(square).copy()
    yield (
        "clip",
        lambda: tf.clip_by_value(ta, 0.0, 1.0),
        lambda: np.clip(a, np.float32(0), np.float32(1)),
    )


def softmax(np: Any, x: Any) -> Any:
    shifted = np.exp(x - np.max(x, -1, keepdims=True))
    return shifted / np.sum(shifted, -1, keepdims=True)


def cost(call: Callable[[], object]) -> float:
    """The time of a call in microseconds: the best of nine blocks of about 2 ms."""
    timer = timeit.Timer(call)
    call()
    block = max(1, int(0.002 / max(timer.timeit(20) / 20, 1e-8)))
    return min(timer.repeat(9, block)) / block * 1e6


def costs(tf: Any) -> dict[str, tuple[float, float]]:
    """What each op and its NumPy call take."""
    return {name: (cost(op), cost(call)) for name, op, call in pairs(tf)}


@dataclass(frozen=True)
class Excess(Workload):
    """The median over the ops of what one takes longer than its NumPy call."""

    fresh = False

    def prepare(self, peer: str) -> Callable[[], float]:
        import importlib

        tf = importlib.import_module(peer)
        return lambda: statistics.median(op - call for op, call in costs(tf).values())


if __name__ == "__main__":
    import graphwright

    found = costs(graphwright)
    for name, (op, call) in sorted(found.items(), key=lambda item: item[1][0] - item[1][1]):
        print(f"{name:24}{op:8.2f}{call:8.2f}{op - call:8.2f}")
    print("median excess", round(statistics.median(op - call for op, call in found.values()), 2))
