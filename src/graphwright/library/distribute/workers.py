"""The processes of a program that MPI started, and their collectives, which are MPI's own."""

from __future__ import annotations

import atexit
import hashlib
import sys
from collections.abc import Sequence
from types import ModuleType, TracebackType
from typing import Any

import numpy as np

from graphwright.types.arrays import Array

#: So many bytes of arrays of one dtype are summed by one call, unless a program says otherwise.
BUCKET = 1 << 25

_SUMMED = "?bhilqBHILQfdFD"  # the kinds of numbers that MPI adds; others are added as float32


class WorkerGroup:
    """The processes, of which this is one: a rank of MPI's communicator.

    Every collective is preceded by eight bytes that say what it is. So a rank whose program takes
    another path is noticed, and no rank waits for ever.

    Args:
        mpi: The module `mpi4py.MPI`.
        bucket: The most bytes that one call sums.
    """

    def __init__(self, mpi: ModuleType, bucket: int = BUCKET) -> None:
        module: Any = mpi
        self.mpi = module
        everyone: Any = module.COMM_WORLD
        self.comm = everyone.Dup()
        self.rank: int = self.comm.Get_rank()
        self.size: int = self.comm.Get_size()
        self.bucket = bucket
        self.count = 0  # of collectives until now

    def sum_arrays(self, *arrays: Array) -> list[Array]:
        """The sums of arrays over all ranks, of which each has its own of the same shapes."""
        self.agree("sum", [describe(a) for a in arrays])
        results: list[Any] = [None] * len(arrays)
        for places in buckets(arrays, self.bucket):
            parts = [arrays[place] for place in places]
            for place, total in zip(places, self._summed(parts)):
                results[place] = total
        return results

    def _summed(self, parts: Sequence[Array]) -> list[Array]:
        """The sums of arrays of one dtype, by one call."""
        dtype = parts[0].dtype
        wide = dtype if dtype.char in _SUMMED else np.dtype(np.float32)
        if len(parts) == 1:
            sent = np.ascontiguousarray(parts[0], wide)
            total = np.empty_like(sent)
            self.comm.Allreduce(sent, total, self._sum(wide))
            return [total.reshape(parts[0].shape).astype(dtype, copy=False)]
        flat = np.concatenate([part.ravel().astype(wide, copy=False) for part in parts])
        self.comm.Allreduce(self.mpi.IN_PLACE, flat, self._sum(wide))
        ends = np.cumsum([part.size for part in parts])[:-1]
        pieces = zip(parts, np.split(flat, ends))
        return [piece.reshape(part.shape).astype(dtype, copy=False) for part, piece in pieces]

    def _sum(self, dtype: np.dtype[Any]) -> Any:
        return self.mpi.LOR if dtype.kind == "b" else self.mpi.SUM

    def join_arrays(self, axis: int, array: Array) -> Array:
        """The arrays of all ranks along an axis, in which they may have other sizes."""
        moved = np.ascontiguousarray(np.moveaxis(array, axis, 0))
        self.agree("gather", [describe(moved[:0])])
        sizes = self.comm.allgather(len(moved))
        counts = [size * int(np.prod(moved.shape[1:])) * moved.itemsize for size in sizes]
        joined = np.empty((sum(sizes), *moved.shape[1:]), moved.dtype)
        sent = moved.reshape(-1).view(np.uint8)
        self.comm.Allgatherv(sent, [joined.reshape(-1).view(np.uint8), counts])
        return np.ascontiguousarray(np.moveaxis(joined, 0, axis))

    def of_first(self, array: Array) -> Array:
        """The array that the first rank has; those of others are of its dtype and shape."""
        self.agree("broadcast", [describe(array)])
        copy = np.array(array, order="C")
        self.comm.Bcast(copy.reshape(-1).view(np.uint8), 0)
        return copy

    def agree(self, kind: str, arrays: Sequence[str]) -> None:
        """RuntimeError on every rank where the ranks do not come to the same collective."""
        self.count += 1
        text = f"{kind} of {', '.join(arrays)}" if arrays else kind
        said = f"collective {self.count}: {text}"
        digest = hashlib.blake2b(said.encode(), digest_size=7).digest()
        number = int.from_bytes(digest, "big")
        extremes = np.array([number, -number], np.int64)
        self.comm.Allreduce(self.mpi.IN_PLACE, extremes, self.mpi.MAX)
        if extremes[0] != -extremes[1]:
            words: list[str] = self.comm.allgather(said)
            other = next(rank for rank, word in enumerate(words) if word != words[0])
            raise RuntimeError(
                "The ranks do not run the same program: every rank must come to the same "
                "collectives in the same order.\n"
                f"  rank 0 has {words[0]}\n  rank {other} has {words[other]}"
            )

    def watch(self) -> None:
        """Ends all ranks after the traceback of an error that ends this one.

        The end of this program is an error on ranks that still wait for it.
        """
        before = sys.excepthook

        def report(
            kind: type[BaseException], error: BaseException, trace: TracebackType | None
        ) -> None:
            sys.stdout.flush()
            before(kind, error, trace)
            sys.stderr.write(f"rank {self.rank} of {self.size} has failed: all ranks end\n")
            sys.stderr.flush()
            self.comm.Abort(1)

        def last() -> None:
            try:
                self.agree("the end of the program", [])
            except RuntimeError as error:
                report(type(error), error, error.__traceback__)

        sys.excepthook = report
        atexit.register(last)


def describe(array: Array) -> str:
    """The dtype and shape of an array, as errors name them."""
    return f"{array.dtype.name}[{','.join(map(str, array.shape))}]"


def buckets(arrays: Sequence[Array], limit: int) -> list[list[int]]:
    """The places of arrays that are summed together: neighbours of one dtype, up to a size."""
    result: list[list[int]] = []
    size = 0
    for place, array in enumerate(arrays):
        fits = bool(result) and size + array.nbytes <= limit
        if fits and arrays[result[-1][0]].dtype == array.dtype:
            result[-1].append(place)
            size += array.nbytes
        else:
            result.append([place])
            size = array.nbytes
    return result


class StartedGroup:
    """The processes of this program, once a strategy has asked for them."""

    workers: WorkerGroup | None = None


def world(bucket: int) -> WorkerGroup:
    """The processes that MPI has started; ImportError if mpi4py is not there."""
    if StartedGroup.workers is None:
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:
            raise ImportError(
                "tf.distribute.MultiWorkerMirroredStrategy runs on MPI by mpi4py, which is not "
                f"usable here ({error}). It comes with: pip install 'graphwright[mpi]'"
            ) from None
        StartedGroup.workers = WorkerGroup(MPI, bucket)
        if StartedGroup.workers.size > 1:
            StartedGroup.workers.watch()
    return StartedGroup.workers
