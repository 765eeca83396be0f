"""What ranks say of a collective before they begin it: all must come to the same one."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from graphwright.base.errors import DeadlineExceededError
from graphwright.types.arrays import Array

#: What ranks call the collectives that read a divided value.
JOIN = "join of"

#: Seconds between two looks of a rank that does not wait for ever.
_PAUSE = 1e-4


class Communicator(Protocol):
    """What is asked of MPI's communicators."""

    def Get_size(self) -> int:
        """The number of ranks."""

    def allgather(self, sendobj: object) -> Any:
        """The objects of all ranks."""

    def Allreduce(self, sendbuf: object, recvbuf: object, op: object) -> Any:
        """The second buffer gets the sums of the first ones."""

    def Reduce_scatter_block(self, sendbuf: object, recvbuf: object, op: object) -> Any:
        """Each rank gets the sums of its row of the first buffers."""

    def Iallreduce(self, sendbuf: object, recvbuf: object, op: object) -> Any:
        """A request: the second buffer gets the sums of the first ones."""

    def Ireduce_scatter_block(self, sendbuf: object, recvbuf: object, op: object) -> Any:
        """A request: each rank gets the sums of its row of the first buffers."""

    def Ialltoall(self, sendbuf: object, recvbuf: object) -> Any:
        """A request: each rank gets a part of all first buffers."""

    def Iallgather(self, sendbuf: object, recvbuf: object) -> Any:
        """A request: the second buffer gets the first ones, one after the other."""


class Patience:
    """How long a rank waits for others: for ever, unless a program says how many seconds."""

    seconds: float | None = None

    def wait(self, request: Any, words: Callable[[], str]) -> None:
        """Waits for a request of MPI, given its words. DeadlineExceededError if it is too long."""
        if self.seconds is None:
            request.Wait()
            return
        end = time.monotonic() + self.seconds
        while not request.Test():
            if time.monotonic() > end:
                raise DeadlineExceededError(
                    None, None,
                    f"{words()} has not ended in {self.seconds:g} s: another rank is slow, or it "
                    "waits for something else. `CommunicationOptions(timeout_seconds=...)` says "
                    "how long a rank waits.",
                )  # fmt: skip
            time.sleep(_PAUSE)


class CollectiveAgreement:
    """Eight bytes about a collective, on their way to all ranks.

    Args:
        mpi: The module `mpi4py.MPI`.
        comm: The communicator.
        kind: What it does, and its number.
        arrays: The arrays of this rank.
        patience: How long the rank waits for others.
    """

    def __init__(
        self,
        mpi: ModuleType,
        comm: Communicator,
        kind: str,
        arrays: Sequence[Array],
        patience: Patience,
    ) -> None:
        self.comm = comm
        self.kind = kind
        self.types = [(array.dtype, array.shape) for array in arrays]
        self.patience = patience
        types = [(dtype.char, dtype.itemsize, shape) for dtype, shape in self.types]  # quick to make
        key = f"{kind} {types}"
        digest = hashlib.blake2b(key.encode(), digest_size=7).digest()
        number = int.from_bytes(digest, "big")
        self.sent = np.array([number, -number], np.int64)
        self.greatest = np.empty_like(self.sent)
        self.request: Any = comm.Iallreduce(self.sent, self.greatest, mpi.MAX)

    def words(self) -> str:
        """The collective, in words."""
        described = ", ".join([describe(dtype, shape) for dtype, shape in self.types])
        return f"{self.kind} of {described}" if described else self.kind

    def wait(self) -> None:
        """RuntimeError on every rank where the ranks do not come to the same collective."""
        self.patience.wait(self.request, self.words)
        if self.greatest[0] == -self.greatest[1]:
            return
        words: list[str] = self.comm.allgather(self.words())
        other = next(rank for rank, text in enumerate(words) if text != words[0])
        message = (
            "The ranks do not run the same program: every rank must come to the same "
            "collectives in the same order.\n"
            f"  rank 0 has {words[0]}\n  rank {other} has {words[other]}"
        )
        if any(JOIN in text for text in (words[0], words[other])):
            message += (
                "\nA value that is divided among ranks is read by all of them at once. So let "
                "every rank save a checkpoint of it, each to a path of its own, and none inside of "
                "`if rank == 0:`."
            )
        raise RuntimeError(message)


class Agreements:
    """The agreements of a rank, which count its collectives.

    Args:
        mpi: The module `mpi4py.MPI`.
        comm: The communicator.
    """

    def __init__(self, mpi: ModuleType, comm: Communicator) -> None:
        self.mpi = mpi
        self.comm = comm
        self.count = 0  # of collectives until now
        self.patience = Patience()

    def post(self, kind: str, arrays: Sequence[Array]) -> CollectiveAgreement:
        """Says which collective comes next, and waits for nobody."""
        self.count += 1
        kind = f"collective {self.count}: {kind}"
        return CollectiveAgreement(self.mpi, self.comm, kind, arrays, self.patience)


def describe(dtype: np.dtype[Any], shape: Sequence[int]) -> str:
    """The dtype and shape of an array, as errors name them."""
    return f"{dtype.name}[{','.join(map(str, shape))}]"
