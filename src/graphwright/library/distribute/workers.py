"""The processes of a program that MPI started, and their collectives, which are MPI's own."""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Sequence
from types import ModuleType, TracebackType
from typing import Any

import numpy as np

from graphwright.library.distribute.agreements import JOIN, Agreements
from graphwright.library.distribute.gradient_buckets import buckets
from graphwright.library.distribute.pending_sums import LARGE_BUCKET, SumOptions, SumQueue, loads
from graphwright.library.presence.program_run import program_traceback
from graphwright.machine import threads
from graphwright.machine.process_settings import keep_freed
from graphwright.types.arrays import Array

#: The seconds from the error of a rank to the end of all, in which others print theirs.
_LAST_WORDS = 0.5


class WorkerGroup:
    """The processes, of which this is one: a rank of MPI's communicator.

    Every collective is preceded by eight bytes that say what it is. So a rank whose program takes
    another path is noticed, and no rank waits for ever.

    Args:
        mpi: The module `mpi4py.MPI`.
    """

    def __init__(self, mpi: ModuleType) -> None:
        module: Any = mpi
        self.mpi = module
        everyone: Any = module.COMM_WORLD
        self.comm = everyone.Dup()
        self.rank: int = self.comm.Get_rank()
        self.size: int = self.comm.Get_size()
        self.agreements = Agreements(module, self.comm)
        self.sums = SumQueue(module, self.comm, self.agreements)
        self.lines: dict[tuple[int, ...], Any] = {}  # parts of the ranks, each a communicator

    def sum_arrays(self, options: SumOptions, *arrays: Array) -> list[Array]:
        """The sums of arrays over all ranks, of which each has its own of the same shapes.

        Args:
            options: How they travel; in shares, each rank gets its share of each, flat.
            arrays: The arrays of this rank.
        """
        results: list[Any] = [None] * len(arrays)
        groups = buckets(arrays, options.bucket or LARGE_BUCKET)
        for number, places in enumerate(groups, start=1):
            words = "sum" if len(groups) == 1 else f"sum {number} of {len(groups)}"
            parts = [arrays[place] for place in places]
            ticket = self.sums.begin(parts, words, options.way)
            for place, total in zip(places, self.sums.end(ticket)):
                results[place] = total
        return results

    def join_arrays(self, axis: int, array: Array) -> list[Array]:
        """One array: those of all ranks along an axis, in which they may have other sizes."""
        moved = np.ascontiguousarray(np.moveaxis(array, axis, 0))
        self.agree("gather", [moved[:0]])
        sizes = self.comm.allgather(len(moved))
        counts = [size * int(np.prod(moved.shape[1:])) * moved.itemsize for size in sizes]
        joined = np.empty((sum(sizes), *moved.shape[1:]), moved.dtype)
        sent = moved.reshape(-1).view(np.uint8)
        self.comm.Allgatherv(sent, [joined.reshape(-1).view(np.uint8), counts])
        return [np.ascontiguousarray(np.moveaxis(joined, 0, axis))]

    def join_shares(self, limit: int, *shares: Array) -> list[Array]:
        """Flat arrays: the shares of all ranks, in their order, and the zeros behind the last.

        Args:
            limit: The most bytes that are joined together, unless one array has more.
            shares: The shares of this rank, which all ranks have of the same sizes.
        """
        results: list[Any] = [None] * len(shares)
        for places in buckets(shares, limit):
            parts = [shares[place] for place in places]
            self.agree(f"{JOIN} shares", parts)
            for load in loads(parts):
                alone = np.ascontiguousarray(parts[load[0]])
                sent = np.concatenate([parts[i] for i in load]) if load[1:] else alone
                received = np.empty([self.size, sent.size], sent.dtype)
                self.comm.Allgather(sent.view(np.uint8), received.reshape(-1).view(np.uint8))
                edges = np.cumsum([parts[i].size for i in load])[:-1]
                for i, piece in zip(load, np.split(received, edges, axis=1)):
                    results[places[i]] = piece.reshape(-1)
        return results

    def of_first(self, array: Array) -> Array:
        """The array that the first rank has; those of others are of its dtype and shape."""
        self.agree("broadcast", [array])
        copy = np.array(array, order="C")
        self.comm.Bcast(copy.reshape(-1).view(np.uint8), 0)
        return copy

    def line(self, shape: Sequence[int], axis: int) -> Any:
        """The communicator of the ranks in line with this one along an axis of a grid of ranks."""
        key = (*shape, axis)
        if key not in self.lines:
            place = [int(i) for i in np.unravel_index(self.rank, shape)]
            along, place[axis] = place[axis], 0
            number = int(np.ravel_multi_index(place, shape))
            self.lines[key] = self.comm.Split(number, along)
        return self.lines[key]

    def agree(self, kind: str, arrays: Sequence[Array] = ()) -> None:
        """RuntimeError on every rank where the ranks do not come to the same collective."""
        self.sums.advance()
        self.agreements.post(kind, arrays).wait()

    def share_cores(self) -> None:
        """Gives each rank of this machine its part of the cores, unless the program says more."""
        neighbours = self.comm.Split_type(self.mpi.COMM_TYPE_SHARED)
        is_bound = threads.Limit.threads or threads.cores() < (os.cpu_count() or 1)
        if not is_bound:
            threads.bound(max(1, threads.cores() // neighbours.Get_size()))
        neighbours.Free()

    def watch(self) -> None:
        """Ends all ranks after the traceback of an error that ends this one.

        Ranks that fail for the same reason have a moment to say so. The end of this program is an
        error on ranks that still wait for it.
        """
        before = sys.excepthook

        def report(
            kind: type[BaseException], error: BaseException, trace: TracebackType | None
        ) -> None:
            sys.stdout.flush()
            part = program_traceback(trace, sys.argv[0]) or trace  # mpi4py has started the program
            before(kind, error.with_traceback(part), part)
            sys.stderr.write(f"rank {self.rank} of {self.size} has failed: all ranks end\n")
            sys.stderr.flush()
            time.sleep(_LAST_WORDS)
            self.comm.Abort(1)

        def last() -> None:
            try:
                self.sums.settle()
                self.agree("the end of the program")
            except RuntimeError as error:
                report(type(error), error, error.__traceback__)

        sys.excepthook = report
        atexit.register(last)


class StartedGroup:
    """The processes of this program, once a strategy has asked for them."""

    workers: WorkerGroup | None = None


def world() -> WorkerGroup:
    """The processes that MPI has started; ImportError if mpi4py is not there."""
    if StartedGroup.workers is None:
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:
            raise ImportError(
                "tf.distribute.MultiWorkerMirroredStrategy runs on MPI by mpi4py, which is not "
                f"usable here ({error}). It comes with: pip install 'graphwright[mpi]'"
            ) from None
        StartedGroup.workers = WorkerGroup(MPI)
        if StartedGroup.workers.size > 1:
            keep_freed()  # sums are new arrays in each step
            StartedGroup.workers.watch()
            StartedGroup.workers.share_cores()
    return StartedGroup.workers
