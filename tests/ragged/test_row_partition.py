"""Partitions of values into rows, as checked arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("count", "starts"), [(0, [0, 1]), (2, [0, 3]), (2, [3])])
def test_rows_do_not_start_beyond_the_values(staged: bool, count: int, starts: list[int]) -> None:
    def program(values: Any, starts: Any) -> Any:
        return tf.RaggedTensor.from_row_starts(values, starts).row_lengths()

    function = tf.function(program) if staged else program
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.zeros([count]), tf.constant(starts))
    assert function(tf.zeros([3]), tf.constant([0, 3])).numpy().tolist() == [3, 0]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("count", "partitions"), [(2, [1, 1, 2]), (3, [1, 1]), (3, [])])
def test_each_value_has_its_partition(staged: bool, count: int, partitions: list[int]) -> None:
    def program(values: Any) -> Any:
        which = tf.constant(partitions, tf.int32)
        return tf.ragged.stack_dynamic_partitions(values, which, 3)

    with pytest.raises(ValueError, match="are incompatible"):
        (tf.function(program) if staged else program)(tf.zeros([count]))


def test_lengths_of_a_graph_stay_in_it() -> None:
    partition = tf.experimental.RowPartition.from_row_splits([0, 2, 2, 5])
    inside = tf.function(lambda: (partition.row_lengths(), partition.value_rowids()))()
    for outside in (partition.row_lengths(), partition.row_lengths()):
        np.testing.assert_array_equal(outside, [2, 0, 3])
    np.testing.assert_array_equal(inside[0], [2, 0, 3])
    np.testing.assert_array_equal(inside[1], [0, 0, 2, 2, 2])


@pytest.mark.parametrize("spec", [tf.TensorSpec([None]), tf.TensorSpec(None), tf.TensorSpec([3])])
def test_numbers_of_rows_may_be_known_where_the_values_are_not(spec: tf.TensorSpec) -> None:
    make = tf.function(
        lambda values: tf.RaggedTensor.from_value_rowids(values, [0, 0, 2]), input_signature=[spec]
    )
    assert make([3.0, 1.0, 4.0]).to_list() == [[3.0, 1.0], [], [4.0]]
