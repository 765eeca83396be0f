"""The words in which ops say what they are on many rows, with rows that differ or do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.op import batching
from graphwright.op.interpreter import apply
from graphwright.op.op import REGISTRY, Op
from graphwright.op.op_families import Elementwise
from graphwright.types import dtypes as dt


class Twice(Op):
    """The sums and the differences of two batches, along all axes but the first."""

    type_name = "TestBatches"
    inputs = ("x: T", "y: T")
    outputs = ("sum: T", "difference: T")
    dtypes = {"T": dt.FLOATING}
    batched = batching.batches

    def shapes(self, x: Any, y: Any) -> Any:
        return (x.dims, x.dims)

    def kernel(self, x: Any, y: Any) -> Any:
        assert x.ndim == 2
        return x + y, x - y


class Once(Op):
    """The first of the results."""

    type_name = "TestBatch"
    inputs = ("x: T", "y: T")
    outputs = ("sum: T",)
    dtypes = {"T": dt.FLOATING}
    batched = batching.batches

    def shapes(self, x: Any, y: Any) -> Any:
        return (x.dims,)

    def kernel(self, x: Any, y: Any) -> Any:
        assert x.ndim == 2
        return x + y


class Channels(Op):
    """Each channel by its place."""

    type_name = "TestChannels"
    inputs = ("x: T",)
    outputs = ("doubled: T", "first: T")
    dtypes = {"T": dt.FLOATING}
    batched = batching.channelwise

    def shapes(self, x: Any) -> Any:
        return (x.dims, x.dims[1:])

    def kernel(self, x: Any) -> Any:
        assert x.ndim == 2
        return x * 2, x[0].copy()


class Leading(Op):
    """The sum along the first axis, times a number that is the same for all rows."""

    type_name = "TestLeading"
    inputs = ("x: T", "y: T")
    outputs = ("sum: T",)
    dtypes = {"T": dt.FLOATING}
    batched = batching.leading

    def shapes(self, x: Any, y: Any) -> Any:
        return (x.dims[1:],)

    def kernel(self, x: Any, y: Any) -> Any:
        return (x.sum(axis=0) * y).astype(x.dtype)


OWN = {op.type_name: REGISTRY.pop(op.type_name) for op in (Twice, Once, Channels, Leading)}


@pytest.fixture(autouse=True, scope="module")
def _own_ops() -> Any:
    REGISTRY.update(OWN)
    yield
    for name in OWN:
        del REGISTRY[name]


ROWS = np.arange(24.0).reshape(4, 2, 3)
OTHER = np.arange(6.0).reshape(2, 3) ** 2


def rows_one_by_one(function: Any, *rows: Any) -> Any:
    result = [tf.nest.flatten(function(*[tf.constant(r) for r in each])) for each in zip(*rows)]
    return [np.stack([np.asarray(x) for x in column]) for column in zip(*result)]


def assert_same(function: Any, *rows: Any) -> None:
    result = tf.vectorized_map(lambda given: function(*given), tuple(map(tf.constant, rows)))
    for mine, wanted in zip(tf.nest.flatten(result), rows_one_by_one(function, *rows), strict=True):
        np.testing.assert_array_equal(mine, wanted)


@pytest.mark.parametrize("op", [Twice, Once])
def test_batches(op: Any) -> None:
    assert_same(lambda x, y: apply(op.of(), x, y), ROWS, ROWS[::-1].copy())
    assert_same(lambda x: apply(op.of(), x, tf.constant(OTHER)), ROWS)
    assert_same(lambda x: apply(op.of(), tf.constant(OTHER), x), ROWS)


def test_channels() -> None:
    assert_same(lambda x: apply(Channels.of(), x), ROWS)


def test_leading_axes() -> None:
    assert_same(lambda x: apply(Leading.of(), x, tf.constant(3.0, tf.float64)), ROWS)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 2, 1)])
def test_elementwise_ops_broadcast_within_a_row(shape: Any) -> None:
    assert issubclass(type(REGISTRY["AddV2"].of()), Elementwise)
    other = np.arange(float(np.prod((4, *shape)))).reshape(4, *shape)
    assert_same(lambda x, y: x + y * 2.0, ROWS, other)
    assert_same(lambda y: tf.constant(OTHER) - y, other)
    assert_same(lambda x: tf.exp(-x), ROWS)
