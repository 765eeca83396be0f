"""Builtins on tensors give what they give on lists of numbers."""

from __future__ import annotations

from typing import Any

import pytest
from support.tiers import plain

import graphwright as tf


def sorted_by_key(x: Any) -> Any:
    return sorted(x, key=lambda v: -v)


def sorted_keeps_the_order_of_equals(x: Any) -> Any:
    return sorted(x, key=lambda v: v % 2), sorted(x, key=lambda v: v % 2, reverse=True)


def sorted_reversed(x: Any) -> Any:
    return sorted(x, reverse=True)


def sorted_list(x: Any) -> Any:
    return sorted([x[2], x[0], x[1]])


def sorted_list_by_key(x: Any) -> Any:
    return sorted([(x[0], 1), (x[1], 2), (x[2], 3)], key=lambda pair: pair[0])


def sorted_python_items_by_a_tensor(x: Any) -> Any:
    return sorted([0, 1, 2], key=lambda i: x[i])


def sorted_python_items(x: Any) -> Any:
    seen: list[int] = []
    return sorted([2, 3, 1], key=lambda v: seen.append(v) or -v), seen


def extremes_by_key(x: Any) -> Any:
    return min(x, key=lambda v: abs(v - 2)), max(x, key=lambda v: v % 3)


def extremes_of_pairs(x: Any) -> Any:
    return max([(x[0], 5), (x[1], 6)], key=lambda pair: pair[0])[1]


def extremes_of_arguments(x: Any) -> Any:
    return min(x[0], x[1], key=lambda v: -v)


def extremes_with_default(x: Any) -> Any:
    return max(x, default=7), min(x, default=7)


def extremes_of_generator(x: Any) -> Any:
    return min(v * v for v in [x[0], x[1]])


def any_of_generator(x: Any) -> Any:
    return any(v > 2 for v in [x[0], x[1]]), all(v > 2 for v in [x[0], x[1]])


def any_stops_where_python_decides(x: Any) -> Any:
    return any(v for v in [False, 1, x])


def filter_in_for(x: Any) -> Any:
    total = 0
    for v in filter(lambda v: v > 1, x):
        total = total * 10 + v
    return total


def filter_of_nothing(x: Any) -> Any:
    total = 0
    for v in filter(None, x):
        if v > 2:
            break
        total += v
    return total


def filter_and_return(x: Any) -> Any:
    for v in filter(lambda v: v % 2 == 0, x):
        return v * 10
    return -1


def filter_sets_a_variable(x: Any) -> Any:
    for v in filter(lambda v: v > 0, x):
        last = v
    return last


def loop_over_iter(x: Any) -> Any:
    total = 0
    for v in iter(x):
        total += v
    return total


PROGRAMS = [
    value for value in list(globals().values()) if getattr(value, "__module__", "") == __name__
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("shape", [[3], [None]], ids=str)
def test_builtin(program: Any, shape: Any) -> None:
    function = tf.function(program, input_signature=[tf.TensorSpec(shape, tf.int32)])
    for items in ([3, 1, 2], [5, 4, 4], [1, 2, 1]):
        expected = program(items)
        result = plain(function(tf.constant(items)))
        assert result == plain(expected)


def test_default_of_nothing() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def largest(x: Any) -> Any:
        return max(x, default=-1)

    assert int(largest(tf.constant([], tf.int32))) == -1
    assert int(tf.function(lambda x: max(x, default=-2))(tf.zeros([0], tf.int32))) == -2


@pytest.mark.parametrize("wrong", [lambda x: list(zip(x, x)), lambda x: next(iter(x))])
def test_only_for_statements_go_through_tensors(wrong: Any) -> None:
    with pytest.raises(TypeError, match="how many items there are, only the graph knows"):
        tf.function(wrong)(tf.constant([1, 2]))


def test_rows_have_no_order() -> None:
    rows = tf.constant([[3, 1], [1, 2]])
    with pytest.raises(ValueError, match=r"compares numbers, but the tensor has shape \(2, 2\)"):
        tf.function(lambda x: sorted(x))(rows)
    result = tf.function(lambda x: sorted(x, key=lambda row: row[0]))(rows)
    assert plain(result) == [[1, 2], [3, 1]]
