"""Interleaved rounds: every peer gives a sample before any gives its second.

What else the machine does then falls on all of them alike, and their ratio within a run holds
where their times do not.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers import FLOOR, OURS, library_of
from benchmarks.workload import Workload

ROOT = Path(__file__).resolve().parent.parent


class Refusal(Exception):
    """A peer cannot do what is measured; the words are its own."""


class Worker:
    """A process that takes samples of one peer at one workload."""

    def __init__(self, peer: str, python: str, workload: str, root: Path = ROOT) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - close() closes it
        #: How many numbers the peer has computed, and their sum, where the workload compares them.
        self.contents: tuple[int, float] | None = None
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", peer, workload],
            cwd=root,
            env=environment(peer, root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            encoding="utf-8",
        )

    @classmethod
    def start(cls, peer: str, python: str, workload: str, root: Path = ROOT) -> Worker | None:
        """A worker that has prepared; None where the peer is not installed. `Refusal` if it
        cannot do this.

        `root` is the checkout whose benchmarks it runs.
        """
        worker = cls(peer, python, workload, root)
        answer = worker._answer()
        if "ready" in answer:
            contents = answer.get("contents")  # workers of old checkouts do not say
            worker.contents = contents and tuple(contents)
            return worker
        worker.close()
        if "refused" in answer:
            raise Refusal(answer["refused"])
        return None

    def sample(self) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write("sample\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self._stderr.seek(0)
            said = self._stderr.read().decode("utf-8", "replace")
            self.close()
            raise RuntimeError(f"{self._process.args!r} ended with {code}:\n{said[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self._process.communicate()
        self._stderr.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def environment(peer: str, root: Path = ROOT) -> dict[str, str]:
    """The variables of a worker: this tree for ours, quiet and uncached for the others."""
    paths = [str(root / "src")] if library_of(peer) == OURS else []
    inherited = dict(os.environ)
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    return inherited | {
        "PYTHONPATH": os.pathsep.join([*paths, str(root)]),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",  # a cold call must be cold in every round
    }


@dataclass
class Row:
    """The samples of one workload, by peer."""

    workload: Workload
    samples: dict[str, list[float]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    contents: tuple[int, float] | None = None

    def start(self, peer: str, python: str) -> Worker | None:
        """A worker for the row, if the peer can do it."""
        if peer in self.refusals:
            return None
        try:
            worker = Worker.start(peer, python, self.workload.name)
        except Refusal as refusal:
            self.refusals[peer] = str(refusal)
            return None
        if worker is None or self.agrees(worker.contents):
            return worker
        worker.close()
        self.refusals[peer] = f"other results: {worker.contents}, not {self.contents}"
        return None

    def agrees(self, contents: tuple[int, float] | None) -> bool:
        """Whether a peer has computed what the first peer has."""
        if contents is None:
            return True
        self.contents = self.contents or contents
        if contents[0] != self.contents[0]:
            return False
        tolerance = self.workload.tolerance
        return tolerance is None or math.isclose(contents[1], self.contents[1], rel_tol=tolerance)

    def add(self, peer: str, answer: Mapping[str, Any]) -> None:
        self.samples.setdefault(peer, []).append(answer["value"])
        self.versions[library_of(peer)] = answer["version"]

    def median(self, peer: str) -> float | None:
        return statistics.median(self.samples[peer]) if peer in self.samples else None

    def best_peer(self) -> str | None:
        """The fastest of those that stage as we do: the floor is no peer."""
        others = [peer for peer in self.samples if peer not in (OURS, FLOOR)]
        return min(others, key=lambda peer: statistics.median(self.samples[peer]), default=None)

    def ratio(self) -> float | None:
        """Our median over the best peer's."""
        ours, best = self.median(OURS), self.best_peer()
        theirs = self.median(best) if best else None
        return ours / theirs if ours is not None and theirs else None


def measure(workload: Workload, pythons: Mapping[str, str], rounds: int) -> Row:
    """Samples of every installed peer that has a program for the workload."""
    row = Row(workload)
    peers = {peer: python for peer, python in pythons.items() if peer in workload.programs}
    take = _fresh_rounds if workload.fresh else _steady_rounds
    take(row, peers, rounds)
    return row


def _steady_rounds(row: Row, peers: Mapping[str, str], rounds: int) -> None:
    with ExitStack() as stack:
        workers = {}
        for peer, python in peers.items():
            worker = row.start(peer, python)
            if worker is not None:
                workers[peer] = stack.enter_context(worker)
        for _ in range(rounds):
            for peer, worker in workers.items():
                row.add(peer, worker.sample())


def _fresh_rounds(row: Row, peers: Mapping[str, str], rounds: int) -> None:
    installed = dict(peers)
    for _ in range(rounds):
        for peer, python in list(installed.items()):
            worker = row.start(peer, python)
            if worker is None:
                del installed[peer]
                continue
            with worker:
                row.add(peer, worker.sample())
