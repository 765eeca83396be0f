"""Programs in several processes, on MPI; they need the extra `mpi` and are left out without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphwright.library.distribute.launching import launcher

pytest.importorskip("mpi4py")
pytestmark = pytest.mark.skipif(launcher() is None, reason="there is no mpiexec")

TESTS = Path(__file__).resolve().parents[2]

TRAINING = """
import json
import graphwright as tf
from corpora.distribution.training import MODELS, train
strategy = tf.distribute.MultiWorkerMirroredStrategy()
results = {name: train(tf, name, strategy) for name in MODELS}
if strategy.extended.workers.rank == 0:
    plain = {name: train(tf, name, tf.distribute.get_strategy()) for name in MODELS}
    print(json.dumps([{n: [[w.hex() for w in r[0]], r[1]] for n, r in each.items()}
                      for each in (results, plain)]))
"""

VALUES = """
import json
import graphwright as tf
options = tf.distribute.experimental.CommunicationOptions(bytes_per_pack=8)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
rank = strategy.extended.workers.rank
with strategy.scope():
    first = tf.Variable(tf.random.normal([2]))
    total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
    seen = tf.Variable(
        0.0, synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.MEAN,
    )

def replica():
    context = tf.distribute.get_replica_context()
    number = tf.cast(context.replica_id_in_sync_group, tf.float32)
    total.assign_add(number + 1.0)
    seen.assign(number)
    rows = tf.IndexedSlices([[number + 1.0]], [context.replica_id_in_sync_group], [3, 1])
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

@tf.function
def step():
    return strategy.run(replica)

results = tf.nest.map_structure(lambda t: t.numpy().tolist(), step())
data = tf.data.Dataset.range(7).batch(4)
results["data"] = [x.numpy().tolist() for x in strategy.experimental_distribute_dataset(data)]
made = strategy.distribute_datasets_from_function(
    lambda c: tf.data.Dataset.range(4).shard(c.num_input_pipelines, c.input_pipeline_id)
)
results["made"] = [int(x) for x in made]
results["variables"] = [float(total), float(seen), first.numpy().tolist()]
results["reduce"] = float(strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=0))
results["resolver"] = [strategy.cluster_resolver.task_id, strategy.num_replicas_in_sync]
print(json.dumps([rank, results]), flush=True)
"""

DIFFERENT = """
import graphwright as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.extended.workers.rank
shape = [2, 3] if rank == 0 else [3, 2]
strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", tf.ones(shape)))
"""

RAISES = """
import time
import graphwright as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
if strategy.extended.workers.rank == 1:
    raise KeyError("what went wrong")
strategy.reduce("SUM", tf.constant(1.0), axis=None)
"""

KILLED = """
import os, signal
import graphwright as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
if strategy.extended.workers.rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
for _ in range(1000000):
    strategy.reduce("SUM", tf.constant(1.0), axis=None)
"""

ENDS = """
import graphwright as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
if strategy.extended.workers.rank == 0:
    strategy.reduce("SUM", tf.constant(1.0), axis=None)
"""


def run(
    program: str, ranks: int, tmp_path: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """A program in so many processes; 60 s are a hang."""
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    paths = os.pathsep.join([str(TESTS), *[p for p in sys.path if p]])
    return subprocess.run(
        [sys.executable, "-m", "graphwright", "launch", "-n", str(ranks), str(path)],
        env=os.environ | {"PYTHONPATH": paths} | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )


def trained(ranks: int, tmp_path: Path) -> Any:
    """The weights and losses of the models, by several ranks and by one process."""
    done = run(TRAINING, ranks, tmp_path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_losses_are_those_of_one_process(ranks: int, tmp_path: Path) -> None:
    results, plain = trained(ranks, tmp_path)
    for name, (_, losses) in results.items():
        np.testing.assert_allclose(losses, plain[name][1], rtol=2e-5)


def test_runs_agree_bit_for_bit(tmp_path: Path) -> None:
    assert trained(2, tmp_path) == trained(2, tmp_path)


def test_values_variables_and_data_of_three_ranks(tmp_path: Path) -> None:
    done = run(VALUES, 3, tmp_path)
    assert done.returncode == 0, done.stderr
    ranks = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    assert sorted(ranks) == [0, 1, 2]
    gathered = [[0.0], [1.0], [1.0], [2.0], [2.0], [2.0]]
    parts = [[[0, 1], [4]], [[2, 3], [5]], [[], [6]]]
    for rank, results in ranks.items():
        assert results["sum"] == [3.0, [3, 6], 3.0]
        assert results["mean"] == 1.0
        assert results["rows"] == [[1.0], [2.0], [3.0]]
        assert results["gather"] == gathered
        assert results["last"] == [[row[0] for row in gathered]]
        assert results["variables"] == [6.0, 1.0, ranks[0]["variables"][2]]
        assert results["reduce"] == 9.0
        assert results["resolver"] == [rank, 3]
        assert results["data"] == parts[rank]
        assert results["made"] == [[0, 3], [1], [2]][rank]


def test_a_rank_with_another_graph_is_refused_at_the_first_collective(tmp_path: Path) -> None:
    done = run(DIFFERENT, 2, tmp_path)
    assert done.returncode != 0
    for words in ("rank 0 has collective 1: sum of float32[2,3]", "rank 1 has collective 1: sum"):
        assert words in done.stderr
    assert "float32[3,2]" in done.stderr


def test_a_rank_that_ends_early_is_named(tmp_path: Path) -> None:
    done = run(ENDS, 2, tmp_path)
    assert done.returncode != 0
    assert "rank 1 has collective 1: the end of the program" in done.stderr


def test_a_rank_that_raises_ends_all_after_its_traceback(tmp_path: Path) -> None:
    done = run(RAISES, 2, tmp_path)
    assert done.returncode != 0
    assert "KeyError: 'what went wrong'" in done.stderr


def test_a_rank_that_is_killed_ends_all(tmp_path: Path) -> None:
    assert run(KILLED, 2, tmp_path).returncode != 0


def test_a_cluster_of_another_size_is_refused(tmp_path: Path) -> None:
    cluster = {"worker": ["a:1", "b:1", "c:1"]}
    config = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}})
    done = run(ENDS, 1, tmp_path, TF_CONFIG=config)
    assert "The cluster has 3 workers, and MPI has started 1 processes" in done.stderr
