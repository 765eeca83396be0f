"""Repeated calls with composites: the trace is found without binding, and is the right one."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf


class Tagged(tf.experimental.ExtensionType):
    value: tf.Tensor
    tag: int | bool | float | str = 0
    more: tuple[int, ...] = ()


@pytest.mark.parametrize(
    "others",
    [
        [Tagged(1.0, 1), Tagged(1.0, 2)],
        [Tagged(1.0, "a"), Tagged(1.0, "b")],
        [Tagged(1.0, 1, (1, 2)), Tagged(1.0, 1, (1,))],
        [Tagged(1.0), Tagged([1.0])],
        [Tagged(1.0), Tagged(1)],
        [tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[1], [2, 3], []])],
        [tf.ragged.constant([[1]]), tf.ragged.constant([["a"]])],
        [tf.ragged.constant([[1]]), tf.ragged.constant([[1]], row_splits_dtype=tf.int32)],
        [tf.RaggedTensor.from_tensor([[1, 2]]), tf.ragged.constant([[1, 2]])],
        [tf.ragged.constant([[[1], [2]]]), tf.ragged.constant([[[1], [2]]], ragged_rank=1)],
    ],
)
def test_each_type_has_its_trace_and_keeps_it(others: list[Any]) -> None:
    seen = []

    @tf.function
    def which(x: Any) -> Any:
        seen.append(x)
        return tf.constant(len(seen))

    for _ in range(3):
        for number, value in enumerate(others):
            assert which(value).numpy() == number + 1
    assert which.experimental_get_tracing_count() == len(others)


def test_a_trace_serves_rows_of_other_lengths() -> None:
    @tf.function
    def doubled(x: Any) -> Any:
        return x * 2

    for rows in ([[1], [2, 3]], [[], []], [[4, 5, 6], [7]]):
        expected = [[2 * n for n in row] for row in rows]
        x = tf.ragged.constant(rows, tf.int32)
        assert doubled(x).to_list() == doubled(x).to_list() == expected
    assert doubled.experimental_get_tracing_count() == 1


def test_how_long_rows_are_does_not_make_calls_slow() -> None:
    @tf.function
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    for rows in ([[1], [2, 3]], [[], []], [[4, 5, 6], [7]]):
        assert total(tf.ragged.constant(rows, tf.int32)).numpy() == sum(map(sum, rows))
    assert len(total._fast) == 1
    total(tf.ragged.constant([[1], [2], [3]]))
    assert len(total._fast) == 2
