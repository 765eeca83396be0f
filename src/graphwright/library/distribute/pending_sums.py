"""Sums over ranks that are under way while a rank computes: MPI's nonblocking collectives."""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import Enum
from itertools import accumulate
from types import ModuleType
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.library.distribute.agreements import Agreements, CollectiveAgreement, Communicator
from graphwright.library.summary.profiler_session import ProfileEvents, ProfilerSession
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array

_SUMMED = "?bhilqBHILQfdFD"  # the kinds of numbers that MPI adds; others are added as float32
_HALF: Any = dt.bfloat16.as_numpy_dtype


#: So many bytes of arrays of one dtype are summed together in a graph, unless a program says
#: otherwise: a graph computes while buckets are summed.
BUCKET = 1 << 22

#: The same outside of graphs, where a sum has nothing to hide behind, and messages cost the most.
LARGE_BUCKET = 1 << 24

#: An array of so many bytes travels alone: to copy it takes longer than another message.
ALONE = 1 << 17


class SumWay(Enum):
    """Who gets a sum, and how it travels; the value is what follows "sum" in words."""

    WHOLE = ""  # all ranks get all of it
    HALVED = ", in bfloat16,"  # the same; float32 travels as bfloat16
    SHARED = ", in shares,"  # each rank gets its share of it


class SumOptions(NamedTuple):
    """How sums travel: the most bytes of a bucket, or None for the usual ones, and the way."""

    bucket: int | None = None
    way: SumWay = SumWay.WHOLE


def loads(arrays: Sequence[Array]) -> list[list[int]]:
    """The places of arrays that travel together: each large one alone, and all small ones."""
    small = [place for place, array in enumerate(arrays) if array.nbytes < ALONE]
    large = [[place] for place, array in enumerate(arrays) if array.nbytes >= ALONE]
    return [*large, small] if small else large


class BucketPacking:
    """Arrays of one dtype as one flat array of a dtype that MPI adds, and back.

    An array that is alone is not copied.

    Args:
        parts: The arrays.
    """

    def __init__(self, parts: Sequence[Array]) -> None:
        self.dtype = parts[0].dtype
        self.shapes = [part.shape for part in parts]
        self.sizes = [part.size for part in parts]
        self.wide: np.dtype[Any] = wide(self.dtype)
        self.flat: Array
        if len(parts) == 1:
            self.flat = np.ascontiguousarray(parts[0], self.wide).reshape(-1)
        else:
            self.flat = np.concatenate([p.ravel().astype(self.wide, copy=False) for p in parts])

    def unpacked(self, flat: Array) -> list[Array]:
        """The parts of a flat array, with the dtype and the shapes that the arrays had."""
        narrow = flat.astype(self.dtype, copy=False)
        stops = accumulate(self.sizes)
        parts = zip(stops, self.sizes, self.shapes)
        return [narrow[stop - size : stop].reshape(shape) for stop, size, shape in parts]


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype as which numbers are added."""
    return dtype if dtype.char in _SUMMED else np.dtype(np.float32)


class PendingSum:
    """The sum of a bucket of arrays over all ranks, from its agreement to its results.

    Args:
        mpi: The module `mpi4py.MPI`.
        comm: The communicator.
        parts: Arrays of one dtype.
        agreement: What this rank has said of the sum.
    """

    def __init__(
        self,
        mpi: ModuleType,
        comm: Communicator,
        parts: Sequence[Array],
        agreement: CollectiveAgreement,
    ) -> None:
        self.mpi = mpi
        self.comm = comm
        self.parts = parts  # until they are packed
        self.agreement: CollectiveAgreement | None = agreement
        self.words, self.patience = agreement.words, agreement.patience
        self.loads: list[list[int]] = []  # the places of the arrays that travel together
        self.packings: list[Any] = []
        self.totals: list[Array] = []
        self.requests: list[Any] = []
        self.began = time.perf_counter_ns()

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays."""
        return sum(part.nbytes for part in self.parts)

    def post(self, is_awaited: bool = False) -> None:
        """Begins the sum, once all ranks agree. RuntimeError if they do not.

        Args:
            is_awaited: Whether it may end here as well, since this rank does nothing meanwhile.
        """
        agreement, self.agreement = self.agreement, None
        if agreement is not None:
            agreement.wait()
            self.loads = self.divided()
            self.packings = [self.packed([self.parts[i] for i in load]) for load in self.loads]
            blocks = is_awaited and self.patience.seconds is None
            for packing in self.packings:
                self.send(packing.flat, blocks)

    def divided(self) -> list[list[int]]:
        """The places of the arrays that travel together."""
        return loads(self.parts)

    def packed(self, parts: Sequence[Array]) -> BucketPacking:
        """Arrays as one."""
        return BucketPacking(parts)

    def send(self, flat: Array, blocks: bool) -> None:
        """Sums a flat array, or begins to."""
        total, how = np.empty_like(flat), self.addition(flat)
        self.totals.append(total)
        if blocks:
            self.comm.Allreduce(flat, total, how)
        else:
            self.requests.append(self.comm.Iallreduce(flat, total, how))

    def addition(self, flat: Array) -> Any:
        """MPI's operation for the numbers of an array."""
        return self.mpi.LOR if flat.dtype.kind == "b" else self.mpi.SUM

    def go_on(self) -> None:
        """Begins what follows when a first part of the sum has ended."""

    def wait(self) -> None:
        """Waits for what is under way."""
        for request in self.requests:
            self.patience.wait(request, self.words)

    def results(self) -> list[Array]:
        """The sums, once they are there."""
        self.wait()
        results: list[Any] = [None] * len(self.parts)
        for load, packing, total in zip(self.loads, self.packings, self.totals):
            for place, result in zip(load, packing.unpacked(total)):
                results[place] = result
        return results


class SharePacking(BucketPacking):
    """Arrays of one dtype as a row of equal length for each rank: its share of each of them.

    An array that is alone, and has shares of one size, is not copied.

    Args:
        parts: The arrays.
        ranks: The number of ranks.
    """

    def __init__(self, parts: Sequence[Array], ranks: int) -> None:
        self.dtype = parts[0].dtype
        self.wide = wide(self.dtype)
        self.sizes = [share_size(part.size, ranks) for part in parts]
        self.shapes = [(size,) for size in self.sizes]
        if len(parts) == 1 and not parts[0].size % ranks:
            self.flat = np.ascontiguousarray(parts[0], self.wide).reshape(ranks, -1)
            return
        self.flat = np.empty([ranks, sum(self.sizes)], self.wide)
        start = 0
        for part, size in zip(parts, self.sizes):
            for rank in range(ranks):
                self.flat[rank, start : start + size] = share_of(part, rank, size)
            start += size


def share_size(size: int, ranks: int) -> int:
    """How many elements of an array the share of a rank has; zeros fill up the last shares."""
    return -(-size // ranks)


def share_of(array: Array, rank: int, size: int) -> Array:
    """The share of a rank: so many elements of the flat array, with zeros behind its end."""
    piece = array.reshape(-1)[rank * size : (rank + 1) * size]
    return piece if piece.size == size else np.pad(piece, (0, size - piece.size))


class SharedSum(PendingSum):
    """The sum of a bucket of which each rank gets its share of each array, as a flat array."""

    def packed(self, parts: Sequence[Array]) -> BucketPacking:
        """Arrays as a row for each rank."""
        return SharePacking(parts, self.comm.Get_size())

    def send(self, flat: Array, blocks: bool) -> None:
        """Sums the rows, of which this rank gets its own, or begins to."""
        total, how = np.empty(flat.shape[1], flat.dtype), self.addition(flat)
        self.totals.append(total)
        if blocks:
            self.comm.Reduce_scatter_block(flat, total, how)
        else:
            self.requests.append(self.comm.Ireduce_scatter_block(flat, total, how))


class HalvedSum(PendingSum):
    """The same sum of float32, of which bfloat16 travels: half as many bytes.

    Each rank gets a part of the arrays of all, adds these in the order of the ranks as float32,
    and sends the sum. So numbers are rounded twice, and all ranks have the same bits.
    """

    parcels: Any = None

    def divided(self) -> list[list[int]]:
        """All arrays at once: they are copied anyway."""
        return [list(range(len(self.parts)))]

    def send(self, flat: Array, blocks: bool) -> None:
        """Begins to send each rank its part."""
        ranks = self.comm.Get_size()
        sent = np.zeros([ranks, -(-flat.size // ranks)], _HALF)
        sent.reshape(-1)[: flat.size] = flat
        self.parcels = sent, np.empty_like(sent)
        self.requests = [self.comm.Ialltoall(*[p.view(np.uint16) for p in self.parcels])]

    def go_on(self) -> None:
        """Adds this rank's part, and begins to send the sum to all."""
        if self.parcels is None:
            return
        self.wait()
        _, received = self.parcels
        part = np.zeros(received.shape[1], np.float32)
        for each in received:
            part += each.astype(np.float32)
        self.parcels = None
        total, self.sent = np.empty_like(received), part.astype(_HALF)
        self.totals = [total]
        self.requests = [self.comm.Iallgather(self.sent.view(np.uint16), total.view(np.uint16))]

    def results(self) -> list[Array]:
        """The sums as float32, once they are there."""
        self.wait()
        (packing,), (total,) = self.packings, self.totals
        self.totals = [total.reshape(-1)[: packing.flat.size].astype(np.float32)]
        return super().results()


#: The classes of sums by the way in which they travel.
_KINDS = {SumWay.WHOLE: PendingSum, SumWay.HALVED: HalvedSum, SumWay.SHARED: SharedSum}


class SumQueue:
    """The sums of a rank that are under way, in the order in which all ranks begin them.

    A rank says first which sum it comes to. The numbers follow at its next call here, when the
    others have said theirs. So a rank runs ahead of a slower one by a bucket, and where ranks
    differ none sends what no other takes.

    Args:
        mpi: The module `mpi4py.MPI`.
        comm: The communicator.
        agreements: The agreements of this rank.
    """

    def __init__(self, mpi: ModuleType, comm: Communicator, agreements: Agreements) -> None:
        self.mpi = mpi
        self.comm = comm
        self.agreements = agreements
        self.pending: dict[int, PendingSum] = {}  # by their tickets
        self.tickets = 0

    def begin(self, parts: Sequence[Array], words: str = "sum", way: SumWay = SumWay.WHOLE) -> int:
        """Begins a sum; the ticket for its results.

        Args:
            parts: Arrays of one dtype.
            words: What the sum is.
            way: Who gets it, and how it travels; what is not float32 travels whole.
        """
        self.advance()
        if way is SumWay.HALVED and parts[0].dtype != np.float32:
            way = SumWay.WHOLE
        agreement = self.agreements.post(words + way.value, parts)
        self.tickets += 1
        self.pending[self.tickets] = _KINDS[way](self.mpi, self.comm, parts, agreement)
        return self.tickets

    def advance(self) -> None:
        """Lets all sums go on as far as they can without results of this rank."""
        for each in self.pending.values():
            each.post()
        under_way = [request for each in self.pending.values() for request in each.requests]
        if under_way:
            self.mpi.Request.Testall(under_way)

    def end(self, ticket: int) -> list[Array]:
        """The results of a sum. It waits for them."""
        arrived = time.perf_counter_ns()
        ended = self.pending[ticket]
        ended.post(is_awaited=True)
        self.advance()
        for each in self.pending.values():
            each.go_on()
        del self.pending[ticket]
        results = ended.results()
        if ProfilerSession.timer is not None:
            SumTimes.of(ProfilerSession.timer).note(ended, arrived)
        return results

    def settle(self) -> None:
        """Ends the sums whose results nobody has asked for."""
        for ticket in list(self.pending):
            self.end(ticket)


class SumTimes:
    """What a profile shows of sums: how long each was under way, and how long a rank waited.

    Args:
        timer: The profile.
    """

    #: Those of the present profile.
    current: SumTimes | None = None

    def __init__(self, timer: ProfileEvents) -> None:
        self.timer = timer
        self.count = 0
        self.under_way = 0
        self.waited = 0
        self.track = timer.tracks.setdefault("sums over ranks", 1 << 29)
        timer.remarks.append(self.remark)

    @classmethod
    def of(cls, timer: ProfileEvents) -> SumTimes:
        """Those of a profile."""
        if cls.current is None or cls.current.timer is not timer:
            cls.current = cls(timer)
        return cls.current

    def note(self, ended: PendingSum, arrived: int) -> None:
        """Adds a sum that has ended now, for which a rank has waited since `arrived` (ns)."""
        now = time.perf_counter_ns()
        self.count += 1
        self.under_way += now - ended.began
        self.waited += now - arrived
        details = {"bytes": ended.nbytes, "tensors": len(ended.parts)}
        event = self.timer.event("sum over ranks", details, self.track)
        times = {"ts": ended.began / 1000, "dur": (now - ended.began) / 1000}
        self.timer.events.append(event | times)
        self.timer.note("wait for a sum over ranks", arrived, details)

    def remark(self) -> str:
        """A sentence about all of them."""
        hidden = 1.0 - self.waited / max(self.under_way, 1)
        return (
            f"{self.count} sums over ranks were under way for {self.under_way / 1e6:.1f} ms, and "
            f"the rank waited {self.waited / 1e6:.1f} ms for them: it computed during "
            f"{hidden:.0%} of that time"
        )
