"""What collectives of many ranks take on a network: the alpha-beta model of rings and trees.

A message takes the latency (alpha), and a time for each byte (beta). Sources: Thakur, Rabenseifner,
Gropp, "Optimization of Collective Communication Operations in MPICH" (2005), for rings and halves;
Sanders, Speck, Träff, "Two-Tree Algorithms for Full Bandwidth Broadcast, Reduction and Scan", for
trees (2009).
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

_UNITS = {"bit": 0.125, "B": 1.0, "": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_FORM = re.compile(r"([\d.]+) *([KMGT]?)(bit|B)(?:/s)?, *([\d.]+) *(ns|us|µs|ms|s)")


class CollectiveCost(NamedTuple):
    """The seconds of a collective: those of its messages as such, and those of their bytes."""

    latency: float
    transfer: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.latency + self.transfer


class RankNetwork(NamedTuple):
    """A network: the seconds of an empty message, and the bytes of a second."""

    latency: float
    bandwidth: float

    def all_reduce(self, ranks: int, nbytes: float) -> CollectiveCost:
        """The sum of arrays of so many bytes, for all ranks: by a ring or by two trees."""
        ring = self.messages(2 * (ranks - 1), 2 * nbytes * (ranks - 1) / ranks)
        trees = self.messages(2 * depth(ranks), 2 * nbytes)
        return min(ring, trees, key=lambda cost: cost.seconds)

    def join(self, ranks: int, nbytes: float) -> CollectiveCost:
        """The shares of all ranks for all ranks, or the sums of which each rank gets its share.

        It goes by halves: each message carries twice as much as the one before it.
        """
        return self.messages(depth(ranks), nbytes * (ranks - 1) / ranks)

    def messages(self, count: int, nbytes: float) -> CollectiveCost:
        """So many messages in turn, which carry so many bytes together."""
        return CollectiveCost(count * self.latency, nbytes / self.bandwidth)


def depth(ranks: int) -> int:
    """The levels of a tree of so many ranks."""
    return math.ceil(math.log2(ranks))


def network_of(text: str) -> RankNetwork:
    """The network of a text such as "25Gbit,10us"; ValueError for another text."""
    match = _FORM.fullmatch(text.strip())
    if match is None or not float(match[1]):
        raise ValueError(
            f"{text!r} is no network: give its bandwidth and its latency, as in 25Gbit,10us"
        )
    rate, scale, unit, latency, seconds = match.groups()
    bandwidth = float(rate) * _UNITS[scale] * _UNITS[unit]
    return RankNetwork(float(latency) * _SECONDS[seconds], bandwidth)
