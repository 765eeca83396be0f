"""What a pipeline costs beside its time: the first element, memory, a saved position."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data.epochs import Opening, Peak, shared
from benchmarks.data.file_rows import (
    EXAMPLE_PROGRAMS,
    batches_of_lines_tf,
    csv_dataset_tf,
    examples_tf,
    lines_numpy,
)
from benchmarks.data.group_rows import (
    cache_numpy,
    cache_tf,
    groups_tf,
    padded_tf,
    sample_tf,
    windows_tf,
)
from benchmarks.data.image_rows import IMAGE_PROGRAMS, images_tf, photographs_tf
from benchmarks.data.number_rows import NUMBER_PROGRAMS, in_memory, numbers_tf
from benchmarks.data.python_rows import generated_tf, numpy_function_tf, py_function_tf
from benchmarks.peers import FLOOR, Program, module_of
from benchmarks.workload import Bar, Workload

# D16: a position in a shuffled pipeline is saved, the process killed, another goes on.

TAKEN = 100
BUFFER = 1_000


class Position(NamedTuple):
    """An iterator at its start, and how its position goes to a file and back."""

    iterator: Iterator[Any]
    save: Callable[[str], object]
    restore: Callable[[str], object]

    def ahead(self, batches: int) -> list[Any]:
        """The next batches as lists."""
        return [np.asarray(batch).tolist() for batch in islice(self.iterator, batches)]


def position_tf(tf: Any) -> Callable[[], Position]:
    def make() -> Position:
        dataset = tf.data.Dataset.range(100_000).shuffle(BUFFER, seed=1)
        iterator = iter(dataset.map(lambda x: x * 2 + 1).batch(32))
        checkpoint = tf.train.Checkpoint(iterator=iterator)
        return Position(iterator, checkpoint.write, checkpoint.read)

    return make


def position_grain(grain: Any) -> Callable[[], Position]:
    def make() -> Position:
        dataset = grain.MapDataset.range(100_000).shuffle(seed=1).map(lambda x: x * 2 + 1)
        iterator = iter(in_memory(grain, dataset).batch(32))

        def save(path: str) -> None:
            Path(path).write_text(json.dumps(iterator.get_state()), encoding="ascii")

        def restore(path: str) -> None:
            iterator.set_state(json.loads(Path(path).read_text(encoding="ascii")))

        return Position(iterator, save, restore)

    return make


POSITIONS: dict[str, Program] = {**shared(position_tf), "grain": position_grain}


@dataclass(frozen=True)
class Resumption(Workload):
    """A position that is saved in a process, which is killed, and restored in another.

    The unit says what is measured: "ms to save" (again), "ms to restore" (for the first time in a
    process) or "kB". The batches after it must be those that the first process was about to take.
    """

    def prepare(self, peer: str) -> Callable[[], float]:
        position = self.program(peer)()
        assert isinstance(position, Position)
        folder = tempfile.TemporaryDirectory()

        def sample() -> float:
            with folder:
                path = os.path.join(folder.name, "place")
                return take_sample(path)

        def take_sample(path: str) -> float:
            if self.unit == "ms to save":
                position.ahead(TAKEN)
                return statistics.median([seconds(position.save, path) * 1e3 for _ in range(5)])
            command = [sys.executable, "-m", "benchmarks.data.cost_rows", peer, path]
            killed = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            assert killed.returncode == -signal.SIGKILL, killed
            if self.unit == "kB":
                return sum(file.stat().st_size for file in Path(path).parent.iterdir()) / 1e3
            taken = seconds(position.restore, path) * 1e3
            assert position.ahead(3) == json.loads(killed.stdout), "other batches"
            return taken

        return sample


def seconds(function: Callable[[str], object], path: str) -> float:
    """The time of a call."""
    start = time.perf_counter()
    function(path)
    return time.perf_counter() - start


def save_and_die(peer: str, path: str) -> None:
    """Saves a position, prints the batches after it, and is killed."""
    position = POSITIONS[peer](module_of(peer))()
    assert isinstance(position, Position)
    position.ahead(TAKEN)
    position.save(path)
    print(json.dumps(position.ahead(3)), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def resumption(name: str, title: str, unit: str, goal: float) -> Resumption:
    return Resumption(name, f"{title} in a shuffle of {BUFFER:,}", unit, goal, POSITIONS)


OPENED: dict[str, Program] = {
    "D1": numbers_tf,
    "D3": images_tf,
    "D4": padded_tf,
    "D5": windows_tf,
    "D5g": groups_tf,
    "D6": generated_tf,
    "D7": csv_dataset_tf,
    "D7b": batches_of_lines_tf,
    "D8": examples_tf,
    "D9": photographs_tf,
    "D10": numpy_function_tf,
    "D11": py_function_tf,
    "D12": cache_tf,
    "D13": sample_tf,
}

#: Rows that NumPy by hand has too.
MEASURED: dict[str, dict[str, Program]] = {
    "D1": NUMBER_PROGRAMS,
    "D3": IMAGE_PROGRAMS,
    "D7b": {**shared(batches_of_lines_tf), "numpy": lines_numpy},
    "D8": EXAMPLE_PROGRAMS,
    "D12": {**shared(cache_tf), "numpy": cache_numpy},
}


def alone(programs: dict[str, Program]) -> dict[str, Program]:
    """Without those whose memory is that of several processes."""
    return {peer: program for peer, program in programs.items() if peer != "torch-workers"}


TABLE: tuple[Workload, ...] = (
    resumption("D16s", "save a position", "ms to save", 1.0),
    resumption("D16r", "restore a position", "ms to restore", 5.0),
    resumption("D16b", "a saved position", "kB", 16.0),
    *[
        Opening(f"{row}_open", f"first element of {row}", "ms", 20.0, shared(program))
        for row, program in OPENED.items()
    ],
    *[
        Peak(
            f"{row}_peak", f"highest memory of {row}", "MiB", None, alone(programs),
            bar=Bar(1, FLOOR, above=40),
        )
        for row, programs in MEASURED.items()
    ],
)  # fmt: skip


if __name__ == "__main__":
    save_and_die(*sys.argv[1:])
