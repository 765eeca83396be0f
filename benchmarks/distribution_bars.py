"""What devices and ranks must do on one machine of two cores: all that is measured, as one table.

    python -m benchmarks.distribution_bars [--only steps sums replicas starts ends]

The table is that of docs/distribution.md. Each part runs in processes of its own. Ways that are
compared take turns in the same processes, and ratios are the middle one of all rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.launches import command, environment, of_ranks, outcome, table

_ROUNDS = 15
_MEGABYTES = 64

Row = list[str]


def ratios_to_last(**calls: Callable[[], object]) -> dict[str, float]:
    """The time of the last call by that of each other one; they take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(_ROUNDS + 2):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            if number > 1:
                times[name].append(time.perf_counter() - began)
    *others, last = times.values()
    return {
        name: statistics.median(b / a for a, b in zip(other, last))
        for name, other in zip(times, others)
    }


# -- what runs in ranks, or in a process of its own ----------------------------------------------


def sums() -> dict[str, float]:
    """Sums over ranks by a strategy, against calls of mpi4py on the same arrays."""
    import graphwright as tf
    from benchmarks.rank_steps import workers

    comm = workers().comm
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    one = np.ones(_MEGABYTES << 18, np.float32)
    many = np.split(one, _MEGABYTES)
    tensor, tensors = tf.constant(one), [tf.constant(part) for part in many]
    total = np.empty_like(one)

    def all_reduce(value: Any) -> object:
        replica: Any = tf.distribute.get_replica_context
        return strategy.run(lambda: replica().all_reduce("sum", value))

    def sum_of(part: Any) -> Any:
        result = np.empty_like(part)
        comm.Allreduce(part, result)
        return result

    large = ratios_to_last(
        existing=lambda: comm.Allreduce(one, total),
        new=lambda: comm.Allreduce(one, np.empty_like(one)),
        ours=lambda: all_reduce(tensor),
    )
    small = ratios_to_last(
        together=lambda: comm.Allreduce(one, total),
        apart=lambda: [sum_of(part) for part in many],
        ours=lambda: all_reduce(tensors),
    )
    return large | small


def replicas() -> dict[str, float]:
    """A step on two logical devices, against one without a strategy, for each model."""
    import graphwright as tf

    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    from benchmarks.rank_steps import BATCH, model

    def stepping(name: str, strategy: Any) -> Callable[[], object]:
        with strategy.scope():
            weights, function, batch = model(name)
            optimizer = tf.optimizers.SGD(1e-3)
        data = tf.data.Dataset.from_tensors(batch).unbatch().batch(len(batch))
        (parts,) = strategy.experimental_distribute_dataset(data)

        def replica(x: Any) -> None:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(function(x) ** 2) / len(batch)
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

        step = tf.function(lambda x: strategy.run(replica, args=(x,)), jit_compile=True)
        return lambda: [step(parts) for _ in range(5)]

    strategies = {
        "plain": tf.distribute.get_strategy(),
        "mirrored": tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
    }
    return {
        name: ratios_to_last(**{way: stepping(name, s) for way, s in strategies.items()})["plain"]
        for name in BATCH
    }


def starts() -> float:
    """The sum of the ranks' numbers, as soon as there is one."""
    import graphwright as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    return float(strategy.reduce("SUM", tf.constant(1.0), axis=None))


def ends(fault: str) -> None:
    """Sums without end, in which the last rank is killed or raises after it has said when."""
    import graphwright as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    for number in range(1_000_000_000):
        strategy.reduce("SUM", tf.constant(1.0), axis=None)
        if number == 100 and strategy.cluster_resolver.task_id == strategy.num_replicas_in_sync - 1:
            print(json.dumps(time.time()), flush=True)
            if fault == "a kill":
                os.kill(os.getpid(), 9)
            raise RuntimeError("a fault on purpose")


# -- the table -----------------------------------------------------------------------------------


def step_rows() -> list[Row]:
    """Two ranks of one core, against one process of two and against sums behind each step."""
    results: Mapping[str, Mapping[str, float]] = of_ranks(2, "rank_steps")
    rows = []
    for way, words, bar in (
        ("one process", "two ranks of one core against one process of two: step", "1.15"),
        ("one by one", "buckets against an Allreduce for each gradient, after the step", "0.9"),
        ("least", "no sums at all against an Allreduce for each gradient", ""),
        ("bfloat16", "buckets of float32 against those of bfloat16", ""),
    ):
        rows += [[f"{words}, {name}", f"{r[way]:.2f}", bar] for name, r in results.items()]
    return rows


def sum_rows() -> list[Row]:
    """Sums of 64 MB."""
    given = of_ranks(2, "distribution_bars", "sums")
    words = {
        "existing": (f"sum of {_MEGABYTES} MB, against Allreduce into an array that exists", "1.2"),
        "new": ("the same, against Allreduce into a new array", ""),
        "together": (f"sum of {_MEGABYTES} arrays of 1 MB, against one Allreduce", ""),
        "apart": (f"the same, against {_MEGABYTES} Allreduces into new arrays", ""),
    }
    return [[words[name][0], f"{value:.2f}", words[name][1]] for name, value in given.items()]


def replica_rows() -> list[Row]:
    """Two logical devices."""
    given = outcome([sys.executable, "-m", "benchmarks.distribution_bars", "replicas"])
    title = "two logical devices against no strategy: step"
    return [[f"{title}, {name}", f"{ratio:.2f}", "1.1"] for name, ratio in given.items()]


def start_rows() -> list[Row]:
    """The start of four ranks, from the command to the end of the first sum and of the program."""
    seconds, used = [], []
    for _ in range(5):
        before, began = os.times(), time.perf_counter()
        assert of_ranks(4, "distribution_bars", "starts") == 4.0
        seconds.append(time.perf_counter() - began)
        after = os.times()
        used.append(sum(after[2:4]) - sum(before[2:4]))
    title = "start of four ranks, one sum and their end"
    return [
        [f"{title}: time that passes", f"{statistics.median(seconds):.1f} s", "3 s"],
        [f"{title}: processor time", f"{statistics.median(used):.1f} s", ""],
    ]


def end_rows() -> list[Row]:
    """From a fault of one rank to the end of all."""
    rows = []
    for fault in ("a kill", "an error"):
        done = subprocess.run(
            command(4, "distribution_bars", ["ends", fault]),
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode
        seconds = time.time() - json.loads(done.stdout.splitlines()[0])  # MPI speaks later
        title = f"{fault} in one of four ranks: until all have ended"
        rows.append([title, f"{seconds:.1f} s", "30 s"])
    return rows


_PARTS: dict[str, Callable[[], list[Row]]] = {
    "steps": step_rows,
    "sums": sum_rows,
    "replicas": replica_rows,
    "starts": start_rows,
    "ends": end_rows,
}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.distribution_bars")
    parser.add_argument("--only", nargs="+", choices=_PARTS, default=list(_PARTS))
    rows = []
    for name in parser.parse_args().only:
        part = _PARTS[name]()
        load = os.getloadavg()[0]
        rows += [[what, result, bar or "-", f"{load:.1f}"] for what, result, bar in part]
    print(table(["what", "result", "at most", "load"], *rows))


if __name__ == "__main__":
    kind, *others = sys.argv[1:] or [""]
    if kind == "ends":
        ends(*others)
    elif kind in ("sums", "replicas", "starts"):
        given = {"sums": sums, "replicas": replicas, "starts": starts}[kind]()
        if "0" in map(os.environ.get, ("PMI_RANK", "OMPI_COMM_WORLD_RANK")) or kind == "replicas":
            print(json.dumps(given))
    else:
        main()
