"""Traced functions over ranks: a call is one graph of parts, and results are those of eager ops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import ranks

pytest.importorskip("mpi4py")
pytestmark = pytest.mark.skipif(not ranks.ARE_POSSIBLE, reason="there is no mpiexec")

PROGRAM = """
import json, pathlib, sys
import numpy as np
import graphwright as tf
from graphwright.library.dtensor.mesh_layer import MeshLayer

dt = tf.experimental.dtensor
FREE = dt.UNSHARDED
dt.initialize_accelerator_system()
mesh = dt.create_distributed_mesh([("x", dt.num_clients() // 2), ("y", 2)])
agreements = mesh.ranks.workers.agreements

def numbers(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype("f")

def divided(value, *specs):
    return dt.copy_to_mesh(value, dt.Layout(list(specs), mesh))

def whole(tensor):
    return dt.relayout(tensor, dt.Layout.replicated(mesh, tensor.ndim)).numpy().tolist()

ops = []
over_ranks = MeshLayer.over_ranks
MeshLayer.over_ranks = lambda self, mesh, op, *rest: (
    ops.append(op.type_name), over_ranks(self, mesh, op, *rest)
)[1]

def counted(call, *arguments):
    ops.clear()
    before = agreements.count
    result = call(*arguments)
    return result, [list(ops), agreements.count - before]

def train(make, x, w, b):
    def step(x):
        with tf.GradientTape() as tape:
            y = tf.tanh(x @ w + b)
            loss = tf.reduce_mean(y ** 2)
        for slope, v in zip(tape.gradient(loss, [w, b]), [w, b]):
            v.assign_sub(0.1 * slope)
        return loss, tf.transpose(y)
    step = make(step)
    steps = [counted(step, x) for _ in range(6)]
    losses = [float(loss) for (loss, _), _ in steps]
    layout = getattr(steps[-1][0][1], "_layout_note", None)
    counts = [count for _, count in steps]
    return losses, w.numpy().tolist(), layout and layout.layout.sharding_specs, counts

WAYS = {
    "rows": (["x", FREE], [FREE, FREE], [FREE]),
    "columns": ([FREE, FREE], [FREE, "y"], ["y"]),
    "inner": (["x", "y"], ["y", FREE], [FREE]),
}
variables = tf.Variable(numbers(4, 6)), tf.Variable(numbers(6))
plain = train(tf.function, tf.constant(numbers(8, 4)), *variables)
trained = {
    name: [
        train(make, divided(numbers(8, 4), *x), dt.DVariable(divided(numbers(4, 6), *w)),
              dt.DVariable(divided(numbers(6), *b)))
        for make in (lambda f: f, tf.function)
    ]
    for name, (x, w, b) in WAYS.items()
}

double = tf.function(lambda x: x * 2.0)

@tf.function(input_signature=[tf.TensorSpec([None, 4])])
def shaped(x):
    some = tf.boolean_mask(x, x[:, 0] > 0.0)  # of a size that nobody knows before
    for _ in tf.range(2):
        some += 1.0
    some = dt.relayout(tf.concat([some, some], 0), dt.Layout(["y", FREE], mesh)) * 2.0
    x = tf.reshape(double(x), [tf.shape(x)[1], -1]) + tf.reduce_sum(some)
    return x, tf.reduce_max(x, tf.argmax(tf.shape(x)))

shapes = {}
for rows in (4, 8, 4):
    x = numbers(rows, 4)
    shapes[rows] = [
        [value.numpy().tolist() for value in shaped(tf.constant(x))],
        [whole(value) for value in shaped(divided(x, "x", "y"))],
    ]

def product(a):
    return tf.reduce_sum(a @ a, 0) * tf.reduce_sum(a, 0)

def slope(f, a):
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = f(a)
    return tape.gradient(y, a)

a = numbers(4, 4)
slopes = [slope(product, tf.constant(a)).numpy().tolist()]
for f in (product, tf.function(product)):
    each = slope(f, divided(a, FREE, "y"))
    slopes += [whole(each), dt.fetch_layout(each).sharding_specs]
w = dt.DVariable(divided(numbers(4, 6), FREE, "y"))

@tf.function
def repeat():
    for _ in tf.range(3):
        w.assign_add(w * 2.0)

try:
    repeat()
except tf.errors.UnimplementedError as error:
    refusal = str(error)
value = [plain, trained, shapes, slopes, refusal]
pathlib.Path(__file__).with_name(f"{dt.client_id()}.json").write_text(json.dumps(value))
"""


@pytest.fixture(scope="module", params=[2, 4])
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What each rank leaves."""
    outcomes = ranks.run(PROGRAM, request.param, tmp_path_factory.mktemp("parts"))
    return [outcomes[rank] for rank in range(request.param)]


@pytest.mark.parametrize("way", ["rows", "columns", "inner"])
def test_a_step_gives_what_eager_ops_give(way: str, left: list[Any]) -> None:
    for plain, trained, *_ in left:
        eager, traced = trained[way]
        for place in range(2):
            np.testing.assert_allclose(traced[place], eager[place], rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(traced[place], plain[place], rtol=1e-5, atol=1e-6)
        assert traced[2] == eager[2]


@pytest.mark.parametrize("way", ["rows", "columns", "inner"])
def test_a_call_is_one_op_with_the_same_collectives_on_all_ranks(way: str, left: list[Any]) -> None:
    (eager, traced), *others = [[each[3] for each in trained[way]] for _, trained, *_ in left]
    assert all(other == [eager, traced] for other in others)
    assert all(ops == ["StatefulPartitionedCall"] for ops, _ in traced)
    assert len({collectives for _, collectives in traced}) == 1
    assert 0 < traced[0][1] <= eager[0][1]


def test_sizes_that_only_a_run_knows(left: list[Any]) -> None:
    for _, _, shapes, *_ in left:
        for plain, divided in shapes.values():
            for one, other in zip(plain, divided):
                np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-5)


def test_gradients_of_a_call(left: list[Any]) -> None:
    for *_, (plain, eager, specs, traced, specs_of_traced), _ in left:
        np.testing.assert_allclose(eager, plain, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(traced, plain, rtol=1e-5, atol=1e-5)
        assert specs_of_traced == specs


def test_a_loop_that_reaches_a_divided_variable_says_what_works(left: list[Any]) -> None:
    for *_, refusal in left:
        assert "runs whole on each process, and does not reach a variable" in refusal
        assert "`for _ in range(n): step()`" in refusal


def test_ranks_with_other_graphs_end_with_both_collectives(tmp_path: Path) -> None:
    program = """
import graphwright as tf
dt = tf.experimental.dtensor
mesh = dt.create_distributed_mesh([("x", 2)])
a = dt.copy_to_mesh(tf.ones([4, 2]), dt.Layout(["x", dt.UNSHARDED], mesh))
reduce = tf.reduce_sum if dt.client_id() else tf.reduce_max
tf.function(lambda a: reduce(a, 0))(a)
"""
    done = ranks.end(ranks.begin(program, 2, tmp_path))
    assert done.returncode != 0
    assert "rank 0 has collective 1: join of parts along 'x' of float32[2]" in done.stderr
    assert "rank 1 has collective 1: sum of parts along 'x' of float32[2]" in done.stderr
