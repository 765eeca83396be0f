"""Training of which a rank is killed at any moment: all end, and the last checkpoint is whole.

Each moment is a test of its own, so a run may be cut short and go on with `--last-failed` or `-k`:
`python -m pytest -m slow tests/library/distribute/test_killed_ranks.py`.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

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
import os, pathlib, subprocess, sys
KILLER = '''
import os, sys, time
rank, moment = int(sys.argv[1]), float(sys.argv[2])
clock = ~rank << 3 | 2  # of its processor time
while time.clock_gettime(clock) < moment:
    time.sleep(0.002)
os.kill(rank, 9)
'''
number = os.environ.get("PMI_RANK") or os.environ.get("OMPI_COMM_WORLD_RANK")
if number == "{rank}":
    subprocess.Popen([sys.executable, "-SEc", KILLER, str(os.getpid()), "{moment}"])
import graphwright as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.extended.workers.rank
with strategy.scope():
    step = tf.Variable(0, dtype=tf.int64)
    weights = [tf.Variable(tf.zeros([100, 100])) for _ in range(4)]
    optimizer = tf.optimizers.SGD(1.0)

@tf.function
def train():
    def replica():
        optimizer.apply_gradients([(-tf.ones([100, 100]), w) for w in weights])
    strategy.run(replica)

checkpoint = tf.train.Checkpoint(step=step, weights=weights)
folder = str(pathlib.Path(__file__).parent / "checkpoints")
manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
while True:
    train()
    step.assign_add(1)
    if rank == 0:
        manager.save(checkpoint_number=int(step))
"""


@pytest.mark.parametrize("number", range(50))
def test_the_last_checkpoint_is_whole(number: int, tmp_path: Path) -> None:
    chance = random.Random(number)
    program = PROGRAM.format(rank=number % 2, moment=round(chance.uniform(0.05, 1.5), 4))
    done = ranks.end(ranks.begin(program, 2, tmp_path))
    assert done.returncode != 0
    assert "graphwright launch: a rank has failed, so all 2 have ended" in done.stderr
    path = tf.train.latest_checkpoint(str(tmp_path / "checkpoints"))
    if path is None:
        return  # it was killed before the first one
    step = tf.Variable(0, dtype=tf.int64)
    weights = [tf.Variable(tf.zeros([100, 100])) for _ in range(4)]
    tf.train.Checkpoint(step=step, weights=weights).restore(path).assert_consumed()
    assert path.endswith(f"ckpt-{int(step)}")
    for each in weights:
        assert set(each.numpy().ravel().tolist()) == {2.0 * int(step)}
