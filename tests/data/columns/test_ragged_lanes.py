"""Functions of elements of different lengths give for a block what they give for each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.data.blocks import ElementBlock
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.element_function import BoundFunction, ElementFunction
from graphwright.data.element_type import ElementType

Spec = tf.TensorSpec

ROWS = 40
_LENGTHS = np.random.default_rng(0).integers(0, 7, ROWS)

NUMBERS = np.arange(ROWS) % 9
VECTORS = RaggedColumn.of_lengths(np.arange(_LENGTHS.sum()) % 11, _LENGTHS)
OTHERS = RaggedColumn.of_lengths(np.arange(_LENGTHS.sum()) * 3, _LENGTHS)
MATRICES = RaggedColumn.of_lengths(
    np.random.default_rng(1).random((_LENGTHS.sum(), 3), np.float32), _LENGTHS
)
FIXED = np.arange(ROWS * 4).reshape(ROWS, 4)
TEXTS = np.array([b" ".join([b"ab"] * (n % 4)) for n in range(ROWS)], object)
WORDS = RaggedColumn.of_lengths(
    np.array([b"W%d" % n for n in range(_LENGTHS.sum())], object), _LENGTHS
)

SPECS = {
    id(NUMBERS): Spec([], tf.int64),
    id(VECTORS): Spec([None], tf.int64),
    id(OTHERS): Spec([None], tf.int64),
    id(MATRICES): Spec([None, 3], tf.float32),
    id(FIXED): Spec([4], tf.int64),
    id(TEXTS): Spec([], tf.string),
    id(WORDS): Spec([None], tf.string),
}

TABLE = tf.constant(np.arange(60, dtype=np.float32).reshape(20, 3))

Form = tuple[Callable[..., Any], Sequence[Any]]

#: Functions that run for whole columns, and the columns.
FORMS: dict[str, Form] = {
    "a range": (lambda n: tf.range(n), [NUMBERS]),
    "a range with a step": (lambda n: tf.range(1, n + 1, 2), [NUMBERS]),
    "a range down": (lambda n: tf.range(n, -1, -3), [NUMBERS]),
    "a range of int32": (lambda n: tf.range(tf.cast(n, tf.int32)), [NUMBERS]),
    "the size of a range": (lambda n: tf.size(tf.range(n)), [NUMBERS]),
    "casts and sums": (lambda x: tf.cast(x, tf.float32) * 0.5 + 1.0, [VECTORS]),
    "two columns": (lambda x, y: x * y - x, [VECTORS, OTHERS]),
    "a scalar of each": (lambda x, n: x * n + n, [VECTORS, NUMBERS]),
    "rows of a matrix": (lambda x: x * [1.0, 2.0, 3.0], [MATRICES]),
    "a scalar and a matrix": (lambda x, n: x * tf.cast(n, tf.float32), [MATRICES, NUMBERS]),
    "a choice": (lambda x: tf.where(x > 4, x, -x), [VECTORS]),
    "its shape": (lambda x: tf.shape(x), [MATRICES]),
    "its length": (lambda x: tf.shape(x)[0], [VECTORS]),
    "its size": (lambda x: tf.size(x, tf.int64) * 2, [VECTORS]),
    "rows of a table": (lambda x: tf.gather(TABLE, x), [VECTORS]),
    "the first": (lambda x: x[:3], [VECTORS]),
    "all but the first": (lambda x: x[1:], [MATRICES]),
    "all but the last": (lambda x: x[:-1], [VECTORS]),
    "the last": (lambda x: x[-2:], [VECTORS]),
    "in the middle": (lambda x, n: x[n // 3 : n], [VECTORS, NUMBERS]),
    "backwards": (lambda x: x[::-1], [VECTORS]),
    "a part of equal rows": (lambda x, n: x[: n % 5], [FIXED, NUMBERS]),
    "a part of a table": (lambda n: TABLE[:n], [NUMBERS]),
    "between marks": (lambda x: tf.concat([[1], x, [2, 3]], 0), [VECTORS]),
    "with a scalar": (lambda x, n: tf.concat([[n], x], 0), [VECTORS, NUMBERS]),
    "with equal rows": (lambda x, y: tf.concat([x, y], 0), [VECTORS, FIXED]),
    "filled": (lambda n: tf.fill([n], n * 2), [NUMBERS]),
    "zeros": (lambda n: tf.zeros([n]), [NUMBERS]),
    "split texts": (lambda s: tf.strings.split(s), [TEXTS]),
    "split and counted": (lambda s: tf.size(tf.strings.split(s)), [TEXTS]),
    "words": (lambda w: tf.strings.lower(w) + "!", [WORDS]),
    "lengths of words": (lambda w: tf.strings.length(w), [WORDS]),
    "the last of each": (lambda n: tf.concat([tf.range(n), [7]], 0)[-1], [NUMBERS]),
    "as it is": (lambda x: x, [VECTORS]),
    "several": (lambda x, n: (x, n, x[:2]), [VECTORS, NUMBERS]),
}


def bound(function: Callable[..., Any], columns: Sequence[Any]) -> BoundFunction:
    specs = [SPECS[id(values)] for values in columns]
    traced = ElementFunction(function, ElementType(tuple(specs)))
    return BoundFunction(traced, [tensor.numpy() for tensor in traced.captured])


@pytest.mark.parametrize("name", FORMS)
def test_a_block_gives_what_each_element_gives(name: str) -> None:
    form, columns = FORMS[name]
    function = bound(form, columns)
    block = ElementBlock(ROWS, tuple(columns))
    assert function.of_columns(block.layout) is not None, function.refusal
    results = function.of_block(block)
    assert results.count == ROWS
    for row, whole in zip(block.rows(), results.rows()):
        for one, other in zip(function(row), whole):
            assert one.dtype == other.dtype
            assert one.shape == np.shape(other)
            assert one.tolist() == np.asarray(other).tolist()


#: Functions that fail for one of the elements, and which is the first.
FAILURES: dict[str, tuple[Callable[..., Any], Sequence[Any], int]] = {
    "no such range": (lambda n: tf.range(20 - n * n), [NUMBERS], 5),
    "nor its size": (lambda n: tf.size(tf.range(20 - n * n)), [NUMBERS], 5),
    "in no direction": (lambda n: tf.range(5 - n, 0, 2) * 0, [NUMBERS], 0),
    "an index": (lambda x: tf.gather(TABLE, x + 11), [VECTORS], -1),
    "nothing there": (lambda n: tf.concat([tf.range(n), tf.range(n)], 0)[5], [NUMBERS], 0),
    "other lengths": (lambda n, x: tf.range(n) + x, [NUMBERS, VECTORS], -1),
    "a negative size": (lambda n: tf.fill([3 - n], n), [NUMBERS], 4),
}


@pytest.mark.parametrize("name", FAILURES)
def test_an_error_is_that_of_its_element(name: str) -> None:
    form, columns, first = FAILURES[name]
    function = bound(form, columns)
    rows = list(ElementBlock(ROWS, tuple(columns)).rows())
    expected = []
    for row in rows:
        try:
            expected.append(function(row)[0].tolist())
        except Exception:  # noqa: BLE001 - whatever it is: the block must give as many before it
            break
    if first >= 0:
        assert len(expected) == first
    assert len(expected) < ROWS
    block = ElementBlock(ROWS, tuple(columns))
    if not expected:
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            function.of_block(block)
        return
    results = function.of_block(block)
    assert [value.tolist() for (value,) in results.rows()] == expected


#: Functions that have to run for one element at a time.
REFUSED: dict[str, Form] = {
    "sums of decimals": (lambda x: tf.reduce_sum(x), [MATRICES]),
    "decimals counted": (lambda n: tf.range(0.0, tf.cast(n, tf.float32), 0.5), [NUMBERS]),
    "a loop": (
        lambda x: tf.while_loop(lambda y: tf.size(y) > 2, lambda y: [y[1:]], [x])[0],
        [VECTORS],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_runs_one_by_one(name: str) -> None:
    form, columns = REFUSED[name]
    function = bound(form, columns)
    block = ElementBlock(ROWS, tuple(columns))
    assert function.of_columns(block.layout) is None
    assert function.of_block(block).count == ROWS
