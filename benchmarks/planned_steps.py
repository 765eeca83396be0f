"""What `graphwright plan` predicts of steps on ranks of this machine, against what they take.

`python -m benchmarks.planned_steps` prints the table of docs/distribution.md, of 1, 2 and 4 ranks.
Each rank measures the step of one process while the others do too, and waits for the slowest: the
plan knows of no other work, and of no ranks that share a core. The network is that of MPI here: the
times of a small and of a large sum give its latency and its bandwidth.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import graphwright as tf
from benchmarks.launches import of_ranks, table
from benchmarks.rank_steps import model, workers
from graphwright.diagnosis.collective_costs import RankNetwork, depth
from graphwright.diagnosis.rank_layouts import data_parallel, sharded_optimizer
from graphwright.diagnosis.step_costs import costs_of
from graphwright.diagnosis.step_watch import StepWatch
from graphwright.library.distribute.pending_sums import BUCKET
from graphwright.machine import threads

_RANKS = (1, 2, 4)
_ROUNDS = 40
_LARGE = 1 << 22

#: Whether optimizers divide their state, and the layout that is predicted.
_LAYOUTS = {False: data_parallel, True: sharded_optimizer}

#: The rows of the table: a model, and whether optimizers divide their state.
_TITLES = {
    f"{model_name}, {words}": (model_name, divides)
    for model_name in ("perceptron", "convolutions")
    for divides, words in ((False, "data-parallel"), (True, "sharded optimizer"))
}


def stepping(name: str, strategy: Any) -> Callable[[], object]:
    """A step of training in a strategy, on a batch of the rank."""
    with strategy.scope():
        weights, function, batch = model(name)
        optimizer = tf.optimizers.Adam(1e-3)
    x = tf.constant(batch)

    def replica(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(function(x) ** 2) / len(batch)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

    step = tf.function(lambda x: strategy.run(replica, args=(x,)), jit_compile=True)
    return lambda: step(x)


def quick(*calls: Callable[[], object], rounds: int = _ROUNDS) -> list[float]:
    """The seconds that a tenth of the runs of each call stay below; the calls take turns.

    Other work of the machine is in all the rest.
    """
    seconds: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, times in zip(calls, seconds):
            began = time.perf_counter()
            call()
            times.append(time.perf_counter() - began)
    return [float(np.quantile(times, 0.1)) for times in seconds]


def in_step(comm: Any, call: Callable[[], object]) -> None:
    """Makes a call, and waits for the other ranks."""
    call()
    comm.Barrier()


def network(comm: Any) -> RankNetwork:
    """The network between the ranks, by two sums."""
    ranks = comm.Get_size()
    small, large = np.zeros(2), np.zeros(_LARGE, np.uint8)
    totals = np.zeros(2), np.zeros(_LARGE, np.uint8)
    message, whole = quick(
        lambda: comm.Allreduce(small, totals[0]), lambda: comm.Allreduce(large, totals[1])
    )
    latency = message / (2 * depth(ranks))
    taken = whole - 2 * (ranks - 1) * latency
    return RankNetwork(latency, 2 * _LARGE * (ranks - 1) / ranks / max(taken, 1e-9))


def ratio(name: str, divides: bool) -> float:
    """The predicted time of a step by the measured one, on the ranks of this program."""
    layout = _LAYOUTS[divides]
    options = tf.distribute.experimental.CommunicationOptions(divide_state=divides)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    ranks, comm = workers().size, workers().comm
    watch = StepWatch()
    with watch.watching():
        plain = stepping(name, tf.distribute.get_strategy())
        for _ in range(_ROUNDS):
            plain()
    step = watch.step()
    assert step is not None
    calls, training = step
    ranked = stepping(name, strategy)
    ranked(), ranked()
    together = partial(in_step, comm, plain)
    alone, measured = quick(together, ranked)
    calls.seconds[:] = [alone]
    if ranks == 1:
        return alone / measured
    costs = costs_of(calls, training)
    return layout(costs, ranks, network(comm), BUCKET).seconds / measured


def main() -> None:
    """Prints the table of all models and layouts."""
    results = {ranks: of_ranks(ranks, "planned_steps", "ranks") for ranks in _RANKS}
    heads = ["model, layout", "predicted / measured, 1 rank"]
    heads += [f"{ranks} ranks on {threads.cores()} cores" for ranks in _RANKS[1:]]
    rows = [[title, *[f"{results[ranks][title]:.2f}" for ranks in _RANKS]] for title in _TITLES]
    print(table(heads, *rows))
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    if sys.argv[1:] == ["ranks"]:
        outcome = {title: ratio(*case) for title, case in _TITLES.items()}
        if workers().rank == 0:
            print(json.dumps(outcome))
    else:
        main()
