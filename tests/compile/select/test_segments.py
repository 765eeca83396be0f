"""Parts of graphs that run as machine code: what is refused is found at once."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.select import segments
from graphwright.compile.select.native_op import Native


def chained(x, axis, count):
    """Scans along an axis that only a run tells, which have no native form, in a row."""
    for _ in range(count):
        x = tf.cumsum(tf.exp(x) + 1.0, axis) * 2.0
    return x


def beside(x, axis, count):
    """The same beside each other."""
    return sum(tf.cumsum(x * float(i + 2), axis) for i in range(count))


def sized(x, axis, count):
    """Tensors of sizes that are computed, each from the one before."""
    for _ in range(count):
        n = tf.cast(tf.reduce_sum(x), tf.int32)
        x = tf.fill([n], tf.reduce_max(x) * 0.5) + 1.0
    return x


def walks(monkeypatch, function, count):
    """How often a graph is partitioned, how many graphs are lowered, and the parts."""
    calls = {"walks": 0, "lowered": 0}

    class Counted(segments.Partition):
        def __init__(self, *arguments):
            calls["walks"] += 1
            super().__init__(*arguments)

    def counted(*arguments):
        calls["lowered"] += 1
        return native_node(*arguments)

    native_node = segments.native_node
    with monkeypatch.context() as patch:
        patch.setattr(segments, "Partition", Counted)
        patch.setattr(segments, "native_node", counted)
        dims = [None] if function is sized else [None, None]
        specs = [tf.TensorSpec(dims), tf.TensorSpec([], tf.int32)]
        traced = tf.function(lambda x, axis: function(x, axis, count), autograph=False)
        graph = simplify(traced.get_concrete_function(*specs).graph)
        parts = segments.partition(graph)
    return calls, parts


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("function", [chained, beside, sized])
def test_there_are_two_walks_whatever_is_refused(monkeypatch, function, count):
    calls, parts = walks(monkeypatch, function, count)
    natives = [node for node in parts.nodes if isinstance(node.op, Native)]
    assert calls == {"walks": 2, "lowered": len(natives) + 1}
    assert sum(node.op.type_name == "Cumsum" for node in parts.nodes) == count * (
        function is not sized
    )


def test_each_refusal_has_its_own_reason():
    @tf.function(autograph=False)
    def f(x, axis, n):
        return tf.cumsum(tf.exp(x), axis) + 1.0, tf.exp(x)[::n] * 2.0

    specs = [tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32)]
    reasons = {}
    segments.partition(simplify(f.get_concrete_function(*specs).graph), reasons)
    assert {node.op.type_name: str(reason) for node, reason in reasons.items()} == {
        "Cumsum": "Cumsum has no native form",
        "StridedSlice": "a slice with a computed bound, or of an unknown size, goes in steps",
    }
