"""Rules of sharding: parts of results are what an op gives for the parts of its operands.

What TensorFlow gives on four devices is in tests/library/distribute/test_programs.py.
"""

from __future__ import annotations

import gc
import itertools
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.library.dtensor.dtensors import pieces
from graphwright.library.dtensor.mesh_layer import MeshLayer
from graphwright.library.dtensor.sharding_rules import RULES
from graphwright.op.interpreter import STATE

dt = tf.experimental.dtensor
FREE = dt.UNSHARDED
MESH = dt.Mesh(["x", "y"], np.arange(4).reshape(2, 2), [0, 1, 2, 3], ["CPU:0"] * 4)

#: A function, the shapes of its operands, and the axes that it takes whole.
CASES: dict[str, tuple[Callable[..., Any], list[list[int]], list[set[int]]]] = {
    "add": (lambda a, b: a + b, [[4, 2], [4, 2]], [set(), set()]),
    "add a row": (lambda a, b: a * b, [[4, 2], [2]], [set(), set()]),
    "add a column": (lambda a, b: a - b, [[4, 2], [4, 1]], [set(), {1}]),
    "exp": (tf.exp, [[4, 2, 6]], [set()]),
    "sum": (lambda a: tf.reduce_sum(a, 1), [[4, 2, 6]], [{1}]),
    "max": (lambda a: tf.reduce_max(a, [-1], keepdims=True), [[4, 2, 6]], [{2}]),
    "matmul": (tf.matmul, [[4, 2], [2, 6]], [{1}, {0}]),
    "transposed matmul": (
        lambda a, b: tf.matmul(a, b, transpose_a=True, transpose_b=True),
        [[2, 4], [6, 2]],
        [{0}, {1}],
    ),
    "batch matmul": (tf.matmul, [[2, 4, 3], [2, 3, 6]], [{2}, {1}]),
    "einsum": (lambda a, b: tf.einsum("abc,cd->dba", a, b), [[4, 2, 3], [3, 2]], [{2}, {0}]),
    "gather": (lambda a: tf.gather(a, [1, 0, 1], axis=1), [[4, 2, 6]], [{1}]),
    "transpose": (lambda a: tf.transpose(a, [2, 0, 1]), [[4, 2, 6]], [set()]),
    "expand_dims": (lambda a: tf.expand_dims(a, -2), [[4, 2]], [set()]),
    "squeeze": (tf.squeeze, [[4, 1, 6]], [{1}]),
    "squeeze one": (lambda a: tf.squeeze(a, [-2]), [[1, 1, 2]], [{0, 1}]),
    "softmax": (tf.nn.softmax, [[4, 2]], [{1}]),
}


def specs_of(rank: int, whole: set[int]) -> list[list[str]]:
    """All ways to divide a tensor, some axes of which are whole."""
    ways = itertools.product(*[[FREE] if a in whole else [FREE, "x", "y"] for a in range(rank)])
    return [list(w) for w in ways if all(w.count(d) < 2 for d in "xy")]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_parts_of_results_are_results_of_parts(name: str, staged: bool) -> None:
    function, shapes, whole = CASES[name]
    run = tf.function(function) if staged else function
    random = np.random.default_rng(0)
    values = [random.normal(size=shape).astype("f") for shape in shapes]
    expected = function(*map(tf.constant, values)).numpy()
    divided = 0
    for ways in itertools.product(*[specs_of(len(s), w) for s, w in zip(shapes, whole)]):
        layouts = [dt.Layout(specs, MESH) for specs in ways]
        operands = [dt.copy_to_mesh(v, layout) for v, layout in zip(values, layouts)]
        result = run(*operands)
        np.testing.assert_array_equal(result.numpy(), expected)
        layout = dt.fetch_layout(result)
        used = {spec for specs in ways for spec in specs} - {FREE}
        if used != set(layout.sharding_specs) - {FREE} or conflict(name, ways):
            continue  # some operand must be laid out anew, so parts do not go together
        divided += bool(used)
        places = [pieces(each, v.shape) for each, v in zip(layouts, values)]
        for number, place in enumerate(pieces(layout, expected.shape)):
            parts = [tf.constant(v[where[number]]) for v, where in zip(values, places)]
            if len({p.shape for p in parts}) == 1 or not name.startswith("add"):
                np.testing.assert_allclose(function(*parts), expected[place], rtol=1e-5, atol=1e-6)
    assert divided or name in ("squeeze one",)


def conflict(name: str, ways: tuple[list[str], ...]) -> bool:
    """Whether operands are divided in ways that do not go together."""
    if len(ways) == 1:
        return False
    if name.startswith("add") or name == "batch matmul":
        return ways[0][-len(ways[1]) :] != ways[1]
    return bool({s for s in ways[0] if s != FREE} & {s for s in ways[1] if s != FREE})


def test_a_dimension_divides_one_axis() -> None:
    columns = dt.copy_to_mesh(tf.ones([2, 4]), dt.Layout([FREE, "y"], MESH))
    both = tf.matmul(columns, columns, transpose_a=True)
    assert dt.fetch_layout(both).sharding_specs == ["y", FREE]


def test_an_axis_that_cannot_be_divided_is_whole() -> None:
    x = dt.copy_to_mesh(tf.ones([2, 2]), dt.Layout([FREE, "x"], MESH))
    assert dt.fetch_layout(tf.gather(x, [0, 1, 1])).sharding_specs == [FREE, "x"]
    rows = dt.copy_to_mesh(tf.range(2), dt.Layout(["x"], MESH))
    assert dt.fetch_layout(tf.gather(tf.ones([2, 3]), rows)).sharding_specs == ["x", FREE]


def test_what_has_no_rule_is_whole_with_a_note(caplog: pytest.LogCaptureFixture) -> None:
    x = dt.copy_to_mesh(tf.ones([2, 2]), dt.Layout(["x", "y"], MESH))
    with caplog.at_level(logging.INFO, "tensorflow"):
        result = tf.linalg.inv(x + tf.eye(2))
    assert dt.fetch_layout(result).is_fully_replicated()
    assert "MatrixInverse has no rule of sharding" in caplog.text


def test_a_loop_is_whole_with_a_note(caplog: pytest.LogCaptureFixture) -> None:
    x = dt.copy_to_mesh(tf.ones([2, 2]), dt.Layout(["x", "y"], MESH))

    @tf.function
    def doubled(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = x * 2.0
        return x

    with caplog.at_level(logging.INFO, "tensorflow"):
        result = doubled(x, 3)
    assert dt.fetch_layout(result).is_fully_replicated()
    assert "computes with whole tensors what is in it" in caplog.text


def test_gradients_are_divided_and_flow_through_layouts() -> None:
    x = dt.copy_to_mesh(tf.ones([4, 2]), dt.Layout(["x", FREE], MESH))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(dt.relayout(x * 2.0, dt.Layout([FREE, "y"], MESH)) ** 2)
    slope = tape.gradient(loss, x)
    np.testing.assert_array_equal(slope.numpy(), np.full([4, 2], 8.0))
    assert dt.is_dtensor(slope)


def test_programs_without_divided_tensors_have_no_layer() -> None:
    x = dt.copy_to_mesh(tf.ones([2]), dt.Layout(["x"], MESH))
    assert isinstance(STATE.active, MeshLayer)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert dt.is_dtensor(tape.gradient(y, x))
    del x, y, tape
    gc.collect()
    tf.ones([1]) + 1.0
    assert STATE.active is None


def test_rules_are_of_different_kinds() -> None:
    kinds = [k for kind, _ in RULES for k in (kind if isinstance(kind, tuple) else (kind,))]
    assert len(set(kinds)) == len(kinds)
