"""Tensors of a mesh over four ranks: each has its part, and results are those of one process.

Four ranks start once. They replay the programs that TensorFlow recorded on four devices.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import ranks

from tools import golden_format as gf

pytest.importorskip("mpi4py")
pytestmark = pytest.mark.skipif(not ranks.ARE_POSSIBLE, reason="there is no mpiexec")

RECORDED = json.loads((gf.GOLDEN / "distribution.json").read_text(encoding="utf-8"))["dtensors"]

#: What is otherwise over ranks than on four devices of one process, and why.
DEPARTURES = {
    "mesh_properties": "devices have the names of tasks",
    "layout_properties": "devices have the names of tasks",
    "mesh_errors": "meshes of these programs are of logical devices",
    "copied_and_laid_out": "devices have the names of tasks",
    "packed": "a rank gives its own part",
    "sizes_of_clients": "there are four",
    "plain_beside_divided": "a plain tensor counts as one that each rank has",
}

PROGRAM = """
import json, pathlib
import numpy as np
import graphwright as tf
from corpora.distribution.dtensors import programs
from corpora.distribution.outcomes import attempt

dt = tf.experimental.dtensor
FREE = dt.UNSHARDED
assert dt.initialize_accelerator_system() == "CPU"
rank = dt.client_id()
here = pathlib.Path(__file__).parent
replayed = {name: attempt(program, tf) for name, program in programs.items()}

mesh = dt.create_distributed_mesh([("x", 2), ("y", 2)])
plain = {}
results = {}

def numbers(*shape):
    return np.random.default_rng(1).normal(size=shape).astype("f")

def divided(value, *specs):
    return dt.copy_to_mesh(value, dt.Layout(list(specs), mesh))

def whole(tensor):
    return dt.relayout(tensor, dt.Layout.replicated(mesh, tensor.ndim)).numpy().tolist()

def refused(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

SPECS = ["x", "y"], ["y", FREE], [FREE, "x"], [FREE, FREE]
FUNCTIONS = {
    "greatest with NaN": lambda a, b: tf.reduce_max(tf.where(a > 1.0, np.nan, a), 0),
    "means": lambda a, b: tf.reduce_mean(a, 0),
    "whole means": lambda a, b: tf.reduce_mean(tf.cast(a * 10.0, tf.int32), 1),
    "products": lambda a, b: tf.reduce_prod(a, [0, 1], keepdims=True),
    "norm": lambda a, b: tf.norm(a),
    "half": lambda a, b: tf.reduce_sum(tf.cast(a, tf.bfloat16), 1),
    "all": lambda a, b: tf.reduce_all(a > -1.0, 0),
    "inner": lambda a, b: tf.matmul(a, b, transpose_a=True),
    "softmax": lambda a, b: tf.nn.softmax(a * b),
    "column": lambda a, b: a * b[:, :1] + b[0],
    "loop": lambda a, b: tf.while_loop(lambda i, c: i < 3, lambda i, c: (i + 1, c @ c), (0, a))[1],
    "sorted": lambda a, b: tf.sort(a, 0),
    "sizes": lambda a, b: tf.reshape(a, [tf.size(a)]),
    "diagonal": lambda a, b: tf.einsum("aa,ab->b", a, b),
}
for name, function in FUNCTIONS.items():
    a, b = numbers(4, 4), numbers(4, 4)[::-1].copy()
    plain[name] = function(tf.constant(a), tf.constant(b)).numpy().tolist()
    traced = tf.function(function)
    results[name] = [
        whole(call(divided(a, *s), divided(b, *t)))
        for s in SPECS for t in SPECS[:2] for call in ([function, traced] if s == t else [traced])
    ]

def train(make, w, x):
    optimizer = make()
    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ w) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss
    return [float(step()) for _ in range(3)], w.numpy().tolist()

makers = {"sgd": lambda: tf.optimizers.SGD(0.1), "adam": lambda: tf.optimizers.Adam(0.1)}
for name, make in makers.items():
    w, x = numbers(4, 2), numbers(8, 4)
    plain[name] = train(make, tf.Variable(w), tf.constant(x))
    results[name] = [
        train(make, dt.DVariable(divided(w, *s)), divided(x, *t)) for s in SPECS for t in SPECS
    ]

v = dt.DVariable(divided(numbers(4, 2), "x", "y"))
checkpoint = tf.train.Checkpoint(v=v)
path = checkpoint.write(str(here / f"place-{rank}"))
v.assign(v * 0.0)
zeros = v.numpy().tolist()
checkpoint.read(path)
w = tf.Variable(tf.zeros([4, 2]))
tf.train.Checkpoint(v=w).read(path).assert_consumed()
scattered = tf.IndexedSlices(tf.ones([1, 2]), [0], [4, 2])
a = divided(numbers(4, 2), "x", FREE)
plain_variable = tf.Variable(numbers(4, 2))
with dt.default_mesh(mesh):
    under_default = whole(plain_variable * a)
    default_layout = dt.fetch_layout(plain_variable.read_value()).sharding_specs
about = {
    "default": [under_default, default_layout, (numbers(4, 2) ** 2).tolist()],
    "variable": [zeros, v.numpy().tolist(), w.numpy().tolist(), list(v.shape)],
    "part": [dt.unpack(v.read_value())[0].numpy().tolist(), v._storage.cell.read().nbytes],
    "packed": whole(dt.pack([tf.fill([1, 2], float(rank))], dt.Layout(["x", "y"], mesh))),
    "refusals": [
        refused(lambda: whole(divided(np.array(["a", "b"]), "x"))),
        refused(a.numpy), refused(lambda: v.scatter_add(scattered)),
        refused(lambda: dt.create_distributed_mesh([("x", 3)])),
        refused(lambda: dt.create_distributed_mesh([("x", 4)], local_devices=["CPU:0", "CPU:1"])),
        refused(lambda: dt.initialize_accelerator_system("GPU")),
    ],
    "shown": repr(a).splitlines()[0],
}
dt.barrier(mesh, "end")
value = [replayed, plain, results, about]
(here / f"{rank}.json").write_text(json.dumps(value))
"""


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Any]:
    """What four ranks leave."""
    return ranks.run(PROGRAM, 4, tmp_path_factory.mktemp("four"))


def merged(outcomes: list[Any]) -> Any:
    """The outcomes of all ranks as one: their parts in a row, and what they have alike."""
    first = outcomes[0]
    if isinstance(first, dict) and list(first) == ["parts"]:
        return [part for outcome in outcomes for part in outcome["parts"]]
    if isinstance(first, list) and {len(outcome) for outcome in outcomes} == {len(first)}:
        return [merged(list(each)) for each in zip(*outcomes)]
    assert all(outcome == first for outcome in outcomes)
    return first


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in DEPARTURES])
def test_outcome_is_tensorflows(name: str, four: dict[int, Any]) -> None:
    assert merged([four[rank][0][name] for rank in range(4)]) == RECORDED[name]


FUNCTIONS = [
    "greatest with NaN", "means", "whole means", "products", "norm", "half", "all", "inner",
    "softmax", "column", "loop", "sorted", "sizes", "diagonal",
]  # fmt: skip


@pytest.mark.parametrize("name", [*FUNCTIONS, "sgd", "adam"])
def test_results_of_parts_are_those_of_the_whole(name: str, four: dict[int, Any]) -> None:
    for _, plain, results, _ in four.values():
        assert set(plain) == {*FUNCTIONS, "sgd", "adam"}
        for result in results[name]:
            if name in ("sgd", "adam"):
                for part, expected in zip(result, plain[name]):
                    np.testing.assert_allclose(part, expected, rtol=1e-5, atol=1e-6)
            else:
                near = 2e-2 if name == "half" else 1e-5
                np.testing.assert_allclose(result, plain[name], rtol=near, atol=near)


def test_a_rank_has_its_part_of_a_variable_and_checkpoints_have_the_whole(
    four: dict[int, Any],
) -> None:
    parts = []
    for rank in range(4):
        about = four[rank][3]
        zeros, value, restored, shape = about["variable"]
        assert not np.any(zeros)
        assert value == restored
        assert shape == [4, 2]
        part, nbytes = about["part"]
        assert nbytes == 8
        parts.append(np.array(part))
    assert np.block([parts[:2], parts[2:]]).tolist() == value  # two rows, a column for each


def test_parts_are_put_together_by_their_places(four: dict[int, Any]) -> None:
    for _, _, _, about in four.values():
        assert about["packed"] == [[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]]
        assert about["shown"].startswith(
            "<tf.Tensor: shape=(4, 2), dtype=float32, of which this rank has array("
        )


def test_a_default_mesh_over_ranks_lays_out_what_is_read(four: dict[int, Any]) -> None:
    for _, _, _, about in four.values():
        product, specs, expected = about["default"]
        assert specs == ["unsharded", "unsharded"]
        np.testing.assert_allclose(product, expected, rtol=1e-6)


def test_what_cannot_be_says_what_can(four: dict[int, Any]) -> None:
    strings, value, scattered, places, devices, kind = four[1][3]["refusals"]
    assert "A tensor of strings cannot be divided among processes" in strings
    assert "part of the tensor, of shape [2, 2], and no rank has the whole" in value
    assert "dtensor.relayout(tensor, dtensor.Layout.replicated(mesh, rank))" in value
    assert "ResourceScatterAdd does not reach a variable" in scattered
    assert "length of devices (4) must be equal to total size of the mesh" in places
    assert "has one device in each, and this one gives 2" in devices
    assert kind.startswith("ValueError: Unknown device_type GPU")


def test_ranks_that_differ_end_with_both_collectives(tmp_path: Path) -> None:
    program = """
import graphwright as tf
dt = tf.experimental.dtensor
mesh = dt.create_distributed_mesh([("x", 2)])
a = dt.copy_to_mesh(tf.ones([4, 2]), dt.Layout(["x", dt.UNSHARDED], mesh))
tf.reduce_sum(a, 0) if dt.client_id() else tf.reduce_max(a)
"""
    done = ranks.end(ranks.begin(program, 2, tmp_path))
    assert done.returncode != 0
    assert "rank 0 has collective 1: join of parts along 'x' of float32[]" in done.stderr
    assert "rank 1 has collective 1: sum of parts along 'x' of float32[2]" in done.stderr
