"""Buckets of tensors that are summed together, and where a graph begins and ends their sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import graphwright as tf
from graphwright.library.distribute.gradient_buckets import buckets, summed_in_graph
from graphwright.library.distribute.pending_sums import SumOptions, SumWay
from graphwright.trace.tracer import current_tracer


class Doubling:
    """The sums of two ranks that have the same numbers."""

    def __init__(self) -> None:
        self.begun: dict[int, list[Any]] = {}
        self.words: list[str] = []

    def begin(self, parts: Sequence[Any], words: str, way: SumWay) -> int:
        self.words.append(words)
        self.begun[len(self.begun)] = [part * 2 for part in parts]
        return len(self.begun) - 1

    def end(self, ticket: int) -> list[Any]:
        return self.begun[ticket]


def summed(sums: Doubling, limit: int, *tensors: Any) -> Any:
    """The sums over ranks, in the graph that is traced."""
    given: Any = sums
    return summed_in_graph(current_tracer(), given, SumOptions(limit), tensors)


def test_neighbours_of_one_dtype_share_a_bucket_up_to_its_size() -> None:
    sizes = [(4, np.float32), (4, np.float32), (4, np.int32), (1, np.int32), (100, np.int32)]
    arrays = [np.zeros(size, dtype) for size, dtype in sizes]
    assert buckets(arrays, 40) == [[0, 1], [2, 3], [4]]
    assert buckets(arrays, 0) == [[0], [1], [2], [3], [4]]
    assert buckets([], 40) == []


def test_a_sum_begins_behind_what_it_adds_and_ends_behind_the_rest() -> None:
    sums, v = Doubling(), tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        first = tf.sin(x)
        second = tf.cos(first)
        v.assign(second[0])
        third = tf.identity(tf.exp(second))
        fourth = tf.tanh(third)
        return summed(sums, 8, fourth, second, third, tf.cast(first, tf.int32))

    x = np.float32([0.5, 1.0])
    first = np.sin(x)
    second = np.cos(first)
    expected = [np.tanh(np.exp(second)), second, np.exp(second), first.astype(np.int32)]
    for ours, value in zip(f(x), expected):
        np.testing.assert_allclose(ours, value * 2, rtol=1e-6)
    kinds = [n.op.type_name for n in f.get_concrete_function(x).graph.nodes]
    begins = [i for i, kind in enumerate(kinds) if kind == "PyFunc"][:4]
    # An effect stays before a sum that the program asked for later.
    assert begins[0] == kinds.index("AssignVariableOp") + 1
    assert begins[1] == kinds.index("Exp") + 1
    assert begins[2] == kinds.index("Tanh") + 1
    assert sums.words == [f"sum {i} of 4" for i in (1, 2, 3, 4)]


def test_tensors_of_unknown_size_share_a_bucket() -> None:
    sums = Doubling()

    @tf.function(input_signature=[tf.TensorSpec([None])] * 2)
    def f(x: Any, y: Any) -> Any:
        return summed(sums, 4, y, x)

    y, x = f([1.0], [2.0, 3.0])
    assert (y.numpy().tolist(), x.numpy().tolist()) == ([4.0, 6.0], [2.0])
    assert sums.words == ["sum"]


def test_results_are_not_copied() -> None:
    sums = Doubling()
    f = tf.function(lambda x: summed(sums, 8, x))
    (total,) = f(tf.ones([2]))
    assert np.shares_memory(total._array, sums.begun[0][0])
