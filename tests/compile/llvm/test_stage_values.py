"""Lanes that are refused: what is noted of them, and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.llvm.render import render
from graphwright.compile.run.tiers import native


def picked(x: Any, indices: Any) -> Any:
    return tf.gather(x, indices) + tf.cast(indices, tf.float32)


def test_memory_is_written_only_where_a_lane_is_refused(usual_tiers: None) -> None:
    specs = tf.TensorSpec([2000], tf.float32), tf.TensorSpec([10_000], tf.int32)
    graph = tf.function(picked).get_concrete_function(*specs).graph
    (op,) = native(graph).source.segments
    blocks = render(op.lowered[0])[0].split(":\n")
    labels = [block.rpartition("\n")[2] for block in blocks]
    noting = [label for label, block in zip(labels, blocks[1:]) if " = or i64 " in block]
    assert noting
    assert all(label.startswith("refused") for label in noting)


@pytest.mark.parametrize("count", [7, 10_000, 300_000])  # the last are shared by threads
@pytest.mark.parametrize("place", [0, -1])
def test_a_lane_that_is_refused_raises(count: int, place: int) -> None:
    x, indices = tf.range(2000.0), np.arange(count, dtype=np.int32) % 2000
    function = tf.function(picked, jit_compile=True)
    expected = indices.astype(np.float32) * 2
    np.testing.assert_array_equal(function(x, tf.constant(indices)).numpy(), expected)
    indices[place] = 2000
    with pytest.raises(tf.errors.InvalidArgumentError, match="2000"):
        function(x, tf.constant(indices))
