"""Parts of graphs that run as machine code: what is refused is found at once."""

from __future__ import annotations

import numpy as np
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


@pytest.mark.parametrize(
    ("shapes", "flags"),
    [
        (((None, 64), (64, 10)), {}),
        (((None, 64), (None, 10)), {"transpose_a": True}),
        (((8, 64), (None, 64)), {"transpose_b": True}),
        (((8, 1, 32), (8, None, 32)), {"transpose_b": True}),
        (((None, 5, 32), (32, 32)), {}),
    ],
)
def test_products_of_which_one_size_is_unknown_are_native(shapes, flags):
    assert not products_outside(shapes, flags)


@pytest.mark.parametrize(
    ("shapes", "flags"),
    [
        (((None, 784), (784, 128)), {}),
        (((None, None), (None, 10)), {}),
        (((None, 8, 32), (None, 32, 8)), {}),
    ],
)
def test_products_that_may_be_large_are_not(shapes, flags):
    assert products_outside(shapes, flags)


def products_outside(shapes, flags):
    """The products that stay outside of machine code."""
    f = tf.function(lambda x, y: tf.exp(tf.matmul(x * 2.0, y + 1.0, **flags)), autograph=False)
    graph = simplify(f.get_concrete_function(*map(tf.TensorSpec, shapes)).graph)
    names = [node.op.type_name for node in segments.partition(graph).nodes]
    assert "_Native" in names
    return [name for name in names if "MatMul" in name]


@pytest.mark.parametrize("rows", [0, 1, 7, 113, 3000])
def test_a_product_of_unknown_rows_is_the_same_for_any_number(rows):
    @tf.function(
        jit_compile=True, input_signature=[tf.TensorSpec([None, 40]), tf.TensorSpec([40, 60])]
    )
    def f(x, w):
        y = tf.nn.relu(tf.matmul(x, w))
        return y, tf.matmul(x, y, transpose_a=True), tf.matmul(y, w, transpose_b=True)

    random = np.random.default_rng(rows)
    x, w = [random.integers(-3, 4, s).astype(np.float32) for s in ((rows, 40), (40, 60))]
    y = np.maximum(x @ w, 0)
    for result, expected in zip(f(x, w), (y, x.T @ y, y @ w.T)):
        np.testing.assert_array_equal(result, expected)


def test_numbers_that_are_packed_are_packed_in_the_segment_that_reads_them():
    @tf.function(autograph=False)
    def f(seed, i):
        return tf.random.stateless_uniform([3], [seed, i]) * 2.0

    graph = f.get_concrete_function(*[tf.TensorSpec([], tf.int32)] * 2).graph
    names = [node.op.type_name for node in segments.partition(simplify(graph)).nodes]
    assert [name for name in names if name != "Placeholder"] == ["_Native"]
    compiled = tf.function(f.python_function, jit_compile=True)
    expected = tf.random.stateless_uniform([3], [5, 6]) * 2.0
    np.testing.assert_array_equal(compiled(tf.constant(5), tf.constant(6)), expected)


def readers_of_packs(n, x):
    """Ops of several kinds that read packed numbers, outside of loops."""
    sizes = tf.stack([n, tf.shape(x)[0]])
    items = tf.TensorArray(tf.int32, size=2, element_shape=[2]).write(0, sizes)
    for i in tf.range(1, 2):
        items = items.write(i, tf.stack([i, n]))
    begun = sizes
    for _ in tf.range(2):
        begun += 1
    return [
        tf.reshape(sizes, [2, 1]) * 2,
        tf.where(sizes > 1, sizes, 0),
        tf.concat([sizes, [4]], 0) + 1,
        tf.gather(x, [n, 0]) * 2.0,
        tf.tensor_scatter_nd_add(x, [[n, 1]], [1.0]),
        tf.sort(tf.reverse(sizes, [0])),
        tf.linalg.matvec(x, tf.cast(sizes, tf.float32)),
        tf.cond(n > 0, lambda: sizes, lambda: sizes + 1),
        items.stack(),
        begun,
    ]


def test_readers_get_what_kernels_pack():
    x = np.arange(4, dtype=np.float32).reshape(2, 2)
    specs = [tf.TensorSpec([], tf.int32), tf.TensorSpec([None, 2])]
    fast, slow = [
        tf.function(readers_of_packs, jit_compile=flag, input_signature=specs)
        for flag in (True, False)
    ]
    for n in (0, 1):
        for result, expected in zip(fast(n, x), slow(n, x)):
            np.testing.assert_array_equal(result, expected)
