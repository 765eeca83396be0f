"""Training of which a rank is killed at any moment: all end, and a restart gives the same losses.

Each moment is a test of its own, so a run may be cut short and go on with `--last-failed` or `-k`.
With `-s` each one says what came of it:
`python -m pytest -n 0 -s -m slow tests/library/distribute/test_killed_ranks.py`.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import ranks

import graphwright as tf

pytest.importorskip("mpi4py")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ranks.ARE_POSSIBLE, reason="there is no mpiexec"),
    pytest.mark.skipif(sys.platform != "linux", reason="clocks of other processes are Linux's"),
]

#: Another process ends the rank wherever it is: in an import, in MPI, in machine code or in a file.
#: It does so after so many seconds of the rank's processor time, so a busy machine does not choose
#: the moment. An alarm of the rank would not do: the kernel counts its time in ticks, and may miss
#: those of a rank that runs for less.
PROGRAM = """
import os, pathlib, subprocess, sys, time
FOLDER = pathlib.Path(__file__).parent
KILLER = '''
import os, pathlib, sys, time
rank, moment = int(sys.argv[1]), float(sys.argv[2])
clock = ~rank << 3 | 2  # of its processor time
while time.clock_gettime(clock) < moment:
    time.sleep(0.002)
pathlib.Path(sys.argv[3]).write_text(str(time.time()))
os.kill(rank, 9)
'''
number = os.environ.get("PMI_RANK") or os.environ.get("OMPI_COMM_WORLD_RANK")
(FOLDER / f"{number}.pid").write_text(str(os.getpid()))
victim, moment = os.environ.get("KILL", "none never").split()
if number == victim:
    killer = [sys.executable, "-SEc", KILLER, str(os.getpid()), moment, str(FOLDER / "killed")]
    subprocess.Popen(killer)
import numpy as np
import graphwright as tf
from support.ranks import leave
STEPS, BATCH = 150, 8
numbers = np.random.default_rng(7)
x, y, *values = [
    numbers.normal(size=shape).astype("float32")
    for shape in ([STEPS * BATCH, 20], [STEPS * BATCH, 1], [20, 64], [64, 1])
]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    step, losses = tf.Variable(0, dtype=tf.int64), tf.Variable(tf.zeros([STEPS]))
    weights = [tf.Variable(value) for value in values]
    optimizer = tf.optimizers.Adam(0.01)

@tf.function(jit_compile=True)
def train(batch):
    def replica(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.tanh(x @ weights[0]) @ weights[1] - y) ** 2) / BATCH
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss
    return strategy.reduce("SUM", strategy.run(replica, args=batch), axis=None)

checkpoint = tf.train.Checkpoint(step=step, losses=losses, weights=weights, optimizer=optimizer)
manager = tf.train.CheckpointManager(checkpoint, str(FOLDER / "checkpoints"), max_to_keep=2)
manager.restore_or_initialize()
first = int(step)
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH).skip(first)
for batch in strategy.experimental_distribute_dataset(data):
    losses.assign(tf.tensor_scatter_nd_update(losses, [[int(step)]], [train(batch)]))
    step.assign_add(1)
    if number == "0":
        manager.save(checkpoint_number=int(step))
while number == victim:
    pass
results = [first, losses.numpy().tolist(), time.process_time()]
leave(__file__, int(number), results)
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Any]:
    """What each rank leaves that nobody kills: its first step, all losses and its seconds.

    The first run may compile, which no other one does.
    """
    runs = [ranks.run(PROGRAM, 2, tmp_path_factory.mktemp("undisturbed")) for _ in range(2)]
    losses, *others = [each for run in runs for _, each, _ in run.values()]
    assert others == [losses] * 3
    assert losses[-1] < losses[0]
    return runs[1]


@pytest.mark.parametrize("number", range(50))
def test_a_restart_gives_the_same_losses(
    number: int, tmp_path: Path, undisturbed: dict[int, Any]
) -> None:
    victim = number % 2
    _, losses, seconds = undisturbed[victim]
    moment = random.Random(number).uniform(0.02, 0.98) * seconds
    killed = ranks.end(ranks.begin(PROGRAM, 2, tmp_path, KILL=f"{victim} {moment}"))
    ended = time.time() - float((tmp_path / "killed").read_text())
    assert killed.returncode != 0
    assert "graphwright launch: a rank has failed, so all 2 have ended" in killed.stderr
    for file in tmp_path.glob("*.pid"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(file.read_text()), 0)
    path = tf.train.latest_checkpoint(str(tmp_path / "checkpoints"))
    last = int(path.rpartition("-")[2]) if path else 0
    results = ranks.run(PROGRAM, 2, tmp_path)
    assert {(first, tuple(each)) for first, each, _ in results.values()} == {(last, tuple(losses))}
    print(
        f"\n{number}: rank {victim} killed after {moment:.3f} of {seconds:.3f} s, all ended "
        f"{ended:.2f} s later, went on from step {last}, losses are the same"
    )
