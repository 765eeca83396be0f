"""Programs in several processes, on MPI; they need the extra `mpi` and are left out without it.

Starts of ranks cost seconds, so tests share them: each program below does several things.
"""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import ranks

import graphwright as tf
from graphwright.library.distribute.cluster_resolvers import SimpleClusterResolver
from graphwright.library.distribute.cluster_spec import ClusterSpec
from graphwright.library.distribute.multi_worker_strategy import resolved

pytest.importorskip("mpi4py")
pytestmark = pytest.mark.skipif(not ranks.ARE_POSSIBLE, reason="there is no mpiexec")

START = """
import json, pathlib
import graphwright as tf
from support import ranks
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.extended.workers.rank
def leave(value):
    ranks.leave(__file__, rank, value)
def total(value):
    return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", value))
"""

TRAINED = """
from corpora.distribution.training import MODELS, train
def trained(strategy):
    results = {name: train(tf, name, strategy) for name in MODELS}
    return {n: [[w.hex() for w in weights], losses] for n, (weights, losses) in results.items()}
"""

#: A rank that is slow, and is waited for.
SLOW = """
import time
plain = tf.distribute.get_strategy()
time.sleep(rank)
assert float(total(tf.ones([]))) == 2.0
"""

VALUES = """
with strategy.scope():
    first = tf.Variable(tf.random.normal([2]))
    sums = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
    seen = tf.Variable(
        0.0, synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.MEAN,
    )

def replica():
    context = tf.distribute.get_replica_context()
    number = tf.cast(context.replica_id_in_sync_group, tf.float32)
    sums.assign_add(number + 1.0)
    seen.assign(number)
    rows = tf.IndexedSlices([[number + 1.0]], [context.replica_id_in_sync_group], [4, 1])
    uneven = tf.fill([context.replica_id_in_sync_group + 1, 1], number)
    return {
        "sum": context.all_reduce(
            "sum", [number, tf.constant([1, 2]), tf.cast(number, tf.float16)]
        ),
        "mean": context.all_reduce("mean", number),
        "rows": tf.convert_to_tensor(context.all_reduce("sum", rows)),
        "gather": context.all_gather(uneven, axis=0),
        "last": context.all_gather(tf.transpose(uneven), axis=1),
    }

results = tf.nest.map_structure(lambda t: t.numpy().tolist(), tf.function(strategy.run)(replica))
data = tf.data.Dataset.range(7).batch(5)
results["data"] = [x.numpy().tolist() for x in strategy.experimental_distribute_dataset(data)]
made = strategy.distribute_datasets_from_function(
    lambda c: tf.data.Dataset.range(5).shard(c.num_input_pipelines, c.input_pipeline_id)
)
results["made"] = [int(x) for x in made]
shuffled = tf.data.Dataset.range(12).shuffle(12).batch(8).repeat(2)
results["shuffled"] = [
    x.numpy().tolist() for x in strategy.experimental_distribute_dataset(shuffled)
]
folder = pathlib.Path(__file__).parent
for i in range(5):
    path = folder / f"{i}-{rank}.txt"
    path.write_text("".join(f"{i}{j}\\n" for j in range(i + 2)))
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
lines = tf.data.TextLineDataset([str(folder / f"{i}-{rank}.txt") for i in range(5)]).batch(4)
lines = strategy.experimental_distribute_dataset(lines.with_options(options))
results["lines"] = [x.numpy().astype(str).tolist() for x in lines]

@tf.function
def count(lines):
    steps, rows = 0, 0
    for batch in lines:
        steps, rows = steps + 1, rows + tf.shape(batch)[0]
    return steps, rows

results["count"] = [int(x) for x in count(lines)]
iterator = iter(lines)
for _ in range(3):
    next(iterator)
checkpoint = tf.train.Checkpoint(iterator=iterator)
path = checkpoint.write(str(folder / f"place-{rank}"))
later = [next(iterator).numpy().astype(str).tolist() for _ in range(2)]
checkpoint.read(path)
again = [next(iterator).numpy().astype(str).tolist() for _ in range(2)]
results["places"] = [later, again]
results["variables"] = [float(sums), float(seen), first.numpy().tolist()]
with strategy.scope():
    counted = tf.Variable(
        0.0, synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )
counted.assign(8.0)
results["counted"] = [float(counted)]
strategy.run(lambda: counted.assign_add(1.0))
path = tf.train.Checkpoint(counted=counted).write(str(folder / f"count-{rank}"))
counted.assign(0.0)
tf.train.Checkpoint(counted=counted).read(path)
results["counted"].append(float(counted))
results["reduce"] = float(strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=0))
results["resolver"] = [strategy.cluster_resolver.task_id, strategy.num_replicas_in_sync]
"""

BUCKETS = """
import hashlib, tempfile
import numpy as np
Options = tf.distribute.experimental.CommunicationOptions
def summed(**options):
    global strategy
    options = Options(bytes_per_pack=8192, **options)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    weights = [tf.Variable(np.full([40, 40], 0.02, "f")) for _ in range(4)]

    @tf.function
    def step(x):
        def replica(x):
            with tf.GradientTape() as tape:
                for w in weights:
                    x = tf.tanh(x @ w)
                loss = tf.reduce_sum(x)
            gradients = tape.gradient(loss, weights)
            return gradients, tf.distribute.get_replica_context().all_reduce("sum", gradients)

        return strategy.run(replica, args=(x,))

    x = np.random.default_rng(rank).normal(size=[8, 40]).astype("f")
    with tempfile.TemporaryDirectory() as folder:
        with tf.profiler.experimental.Profile(folder):
            own, sums = step(x)
        (file,) = pathlib.Path(folder).rglob("*.json")
        profile = json.loads(file.read_text())
    gathered = [strategy.gather(g[None], axis=0).numpy() for g in own]
    exact = [g.astype("d").sum(0) for g in gathered]
    off = max(float(abs(s.numpy() - e).max() / abs(e).max()) for s, e in zip(sums, exact))
    names = [e["name"] for e in profile["traceEvents"]]
    counts = [names.count("sum over ranks"), names.count("wait for a sum over ranks")]
    bits = hashlib.sha256(b"".join(s.numpy().tobytes() for s in sums)).hexdigest()
    return [off, step.explain().sums, counts, profile["otherData"]["remarks"], bits]
"""

#: How a program ended, and the values that its ranks left.
Ending = tuple[CompletedProcess[str], dict[int, Any]]

#: Programs of two ranks that end with an error.
FAULTS = {
    "another graph": START + TRAINED + "leave(trained(strategy))\n"
    "total(tf.ones([2, 3] if rank == 0 else [3, 2]))\n",
    "an early end": START + "if rank == 0:\n    strategy.reduce('SUM', tf.ones([]), axis=None)\n",
    "an error": START + "if rank == 1:\n    raise KeyError('what went wrong')\n"
    "strategy.reduce('SUM', tf.constant(1.0), axis=None)\n",
    "an error in a step": START
    + """
@tf.function
def step(x):
    def replica(x):
        all_reduce = tf.distribute.get_replica_context().all_reduce
        first = all_reduce("sum", x)
        tf.debugging.assert_less(x, 2.0, message="what is too much")
        return all_reduce("sum", first)
    return strategy.run(replica, args=(x,))
step(tf.constant(1.0))
try:
    step(tf.constant(1.0 + rank))
except tf.errors.InvalidArgumentError:
    total(tf.ones([5]))
""",
    "a full disk": START
    + """
import resource
folder = str(pathlib.Path(__file__).parent / "checkpoints")
with strategy.scope():
    weights = tf.Variable(tf.zeros([1000]))
manager = tf.train.CheckpointManager(tf.train.Checkpoint(w=weights), folder, max_to_keep=9)
for step in range(1, 9):
    weights.assign_add(total(tf.ones([1000])))
    if step == 4:  # no file may be longer
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    if rank == 0:
        manager.save()
""",
    "a rank that saves divided state alone": START
    + """
options = tf.distribute.experimental.CommunicationOptions(divide_state=True)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
with strategy.scope():
    weights = tf.Variable(tf.zeros([10]))
    optimizer = tf.optimizers.Adam()
step = lambda: optimizer.apply_gradients([(tf.ones([10]), weights)])
strategy.run(step)
if rank == 0:
    path = str(pathlib.Path(__file__).with_name("alone"))
    tf.train.Checkpoint(optimizer=optimizer).write(path)
strategy.run(step)
""",
    "a rank that waits too long": START
    + """
import time
options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=0.5)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
if rank == 1:
    time.sleep(60)
total(tf.ones([]))
""",
    "a kill": START + "import os, signal\nif rank == 1:\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    "for _ in range(1000000):\n    strategy.reduce('SUM', tf.constant(1.0), axis=None)\n",
}


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ending]:
    """How the programs with faults end; they run side by side."""
    folders = {n: tmp_path_factory.mktemp(n.replace(" ", "-"), numbered=False) for n in FAULTS}
    running = {name: ranks.begin(FAULTS[name], 2, folders[name]) for name in FAULTS}
    return {name: (ranks.end(each), ranks.values(folders[name])) for name, each in running.items()}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Any]:
    """What two ranks train, and what one process does."""
    program = START + TRAINED + SLOW + "leave([trained(s) for s in (strategy, plain)])"
    return ranks.run(program, 2, tmp_path_factory.mktemp("two"))


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Any]:
    """What four ranks train, the values of VALUES, and sums in buckets."""
    program = START + TRAINED + VALUES + "results['trained'] = trained(strategy)\n" + BUCKETS
    program += "results['plain'], results['half'] = summed(), summed(compression='bfloat16')\n"
    return ranks.run(program + "leave(results)\n", 4, tmp_path_factory.mktemp("four"))


def test_losses_are_those_of_one_process(
    two: dict[int, Any], four: dict[int, Any], tmp_path: Path
) -> None:
    one = ranks.run(START + TRAINED + "leave(trained(strategy))", 1, tmp_path)
    trained, plain = two[0]
    for name, (_, losses) in plain.items():
        for results in (one[0], trained, four[0]["trained"]):
            np.testing.assert_allclose(results[name][1], losses, rtol=2e-5)


def test_runs_and_ranks_agree_bit_for_bit(two: dict[int, Any], faults: dict[str, Ending]) -> None:
    _, again = faults["another graph"]
    assert [again[0], again[1], two[1][0]] == [two[0][0]] * 3


def test_values_variables_and_data_of_four_ranks(four: dict[int, Any]) -> None:
    assert sorted(four) == [0, 1, 2, 3]
    gathered = [[float(rank)] for rank in range(4) for _ in range(rank + 1)]
    parts = [[[0, 1], [5]], [[2, 3], [6]], [[4], []], [[], []]]
    before: list[int] = []
    for step in range(4):  # of two epochs, each of batches of 8 and 4 rows
        rows = [row for results in four.values() for row in results["shuffled"][step]]
        assert len(rows) == (4 if step % 2 else 8)
        if step % 2:
            assert sorted(rows + before) == list(range(12))
        before = rows
    for rank, results in four.items():
        assert results["sum"] == [6.0, [4, 8], 6.0]
        assert results["mean"] == 1.5
        assert results["rows"] == [[1.0], [2.0], [3.0], [4.0]]
        assert results["gather"] == gathered
        assert results["last"] == [[row[0] for row in gathered]]
        assert results["variables"] == [10.0, 1.5, four[0]["variables"][2]]
        assert results["counted"] == [8.0, 12.0]
        assert results["reduce"] == 12.0
        assert results["resolver"] == [rank, 4]
        assert results["data"] == parts[rank]
        mine = [[f"{i}{j}"] for i in range(rank, 5, 4) for j in range(i + 2)]
        assert results["lines"] == mine + [[]] * (8 - len(mine))
        assert results["count"] == [8, len(mine)]
        assert results["places"] == [results["lines"][3:5]] * 2
        assert results["made"] == [[0, 4], [1], [2], [3]][rank]


@pytest.mark.parametrize(
    ("kind", "bound", "way"), [("plain", 1e-6, ""), ("half", 8e-3, "bfloat16 for ")]
)
def test_buckets_are_summed_while_the_rest_is_computed(
    kind: str, bound: float, way: str, four: dict[int, Any]
) -> None:
    for results in four.values():
        off, shown, counts, (remark, *_), bits = results[kind]
        assert off < bound
        assert bits == four[0][kind][-1]
        assert counts == [4, 4]
        assert remark.startswith("4 sums over ranks were under way for ")
        assert len(shown) == 4
        meanwhile = []
        for number, text in enumerate(shown, start=1):
            head = f"bucket {number} of 4: 1 tensor, 0.0064 MB of {way}float32; "
            assert text.startswith(head)
            meanwhile.append(int(text.removeprefix(head).split()[0]))
        assert meanwhile == sorted(meanwhile, reverse=True)
        assert meanwhile[-2] > 0
    assert four[0]["half"][0] > four[0]["plain"][0]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("another graph", ["rank 0 has collective ", ": sum of float32[2,3]", "float32[3,2]"]),
        ("an early end", ["rank 1 has collective 1: the end of the program"]),
        ("an error", ["KeyError: 'what went wrong'", "rank 1 of 2 has failed: all ranks end"]),
        ("an error in a step", ["sum of float32[]", "sum of float32[5]"]),
        (
            "a rank that saves divided state alone",
            [
                "join of shares of float32[5]",
                ": sum, in shares, of float32[10]",
                "let every rank save a checkpoint of it",
            ],
        ),
        ("a full disk", ["ckpt-4; File too large", "rank 0 of 2 has failed: all ranks end"]),
        (
            "a rank that waits too long",
            ["collective 1: sum of float32[] has not ended in 0.5 s", "timeout_seconds=..."],
        ),
        ("a kill", ["a rank has failed, so all 2 have ended"]),
    ],
)
def test_a_fault_of_a_rank_ends_all(
    fault: str, words: list[str], faults: dict[str, Ending]
) -> None:
    done, _ = faults[fault]
    assert done.returncode != 0
    for each in words:
        assert each in done.stderr
    assert "runpy" not in done.stderr  # tracebacks begin at the program
    assert "PyFunc" not in done.stderr
    assert done.stderr.count("The ranks do not run the same program") <= 2  # once for each


def test_the_last_checkpoint_is_whole_when_the_disk_is_full(
    faults: dict[str, Ending], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "a-full-disk" / "checkpoints"
    path = tf.train.latest_checkpoint(str(folder))
    assert path == str(folder / "ckpt-3")
    weights = tf.Variable(tf.zeros([1000]))
    tf.train.Checkpoint(w=weights).restore(path).assert_consumed()
    assert set(weights.numpy().tolist()) == {6.0}


def test_a_cluster_of_another_size_is_refused() -> None:
    cluster = SimpleClusterResolver(ClusterSpec({"worker": ["a:1", "b:1", "c:1"]}))
    started: Any = SimpleNamespace(rank=0, size=1)
    with pytest.raises(ValueError, match="The cluster has 3 workers, and MPI has started 1 proc"):
        resolved(cluster, started)
