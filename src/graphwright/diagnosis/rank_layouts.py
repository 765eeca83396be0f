"""How a training step would do on many ranks, in three layouts: a prediction from its parts.

- Data-parallel: each rank has a batch as large as that of the program, and all weights. Gradients
  are summed in buckets while the rest of the backward pass computes.
- Sharded optimizer: the same, but each rank gets its share of the sums, updates its share of the
  weights, and the shares are joined.
- Tensor-parallel: all ranks have one batch. Weights are divided by columns and by rows in turn
  (Shoeybi et al., "Megatron-LM", 2019). So a pair of products has one sum forward and one backward,
  which all ranks wait for. What is no product is computed by each rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from graphwright.diagnosis.collective_costs import CollectiveCost, RankNetwork
from graphwright.diagnosis.step_costs import StepCosts
from graphwright.library.distribute.gradient_buckets import buckets

#: The bytes by which ranks agree on a sum.
_AGREEMENT = 16


class Prediction(NamedTuple):
    """A step on so many ranks.

    Args:
        ranks: The number of ranks.
        computing: The seconds in which a rank computes.
        sums: The time of its collectives.
        waiting: The seconds of these in which it computes nothing.
        memory: The bytes of a rank.
        batches: How many batches of the program a step takes.
        single: The seconds of a step in one process.
    """

    ranks: int
    computing: float
    sums: CollectiveCost
    waiting: float
    memory: float
    batches: int
    single: float

    @property
    def seconds(self) -> float:
        """The time of a step."""
        return self.computing + self.waiting

    @property
    def gain(self) -> float:
        """How many times as many examples a second as one process."""
        return self.batches * self.single / self.seconds

    @property
    def efficiency(self) -> float:
        """The gain for each rank."""
        return self.gain / self.ranks

    @property
    def bottleneck(self) -> str:
        """What takes most of a step, or of what keeps it from the ideal."""
        ideal = self.batches * self.single / self.ranks
        undivided = self.computing - ideal
        if max(undivided, self.waiting) < 0.1 * self.seconds:
            return "computing"
        if undivided > self.waiting:
            return "undivided computing"
        return "latency" if self.sums.latency > self.sums.transfer else "bandwidth"


#: What a layout is predicted to do, by the step, the number of ranks, the network and a bucket.
Layout = Callable[[StepCosts, int, RankNetwork, int], Prediction]


def data_parallel(costs: StepCosts, ranks: int, links: RankNetwork, bucket: int) -> Prediction:
    """The step where gradients are summed."""
    sums, end = overlapped(costs, links, ranks, bucket, links.all_reduce)
    waiting = max(0.0, end - (costs.seconds - costs.update))
    memory = 2 * costs.weights + costs.state + costs.values
    return Prediction(ranks, costs.seconds, sums, waiting, memory, ranks, costs.seconds)


def sharded_optimizer(costs: StepCosts, ranks: int, links: RankNetwork, bucket: int) -> Prediction:
    """The step where each rank updates a share of the weights."""
    sums, end = overlapped(costs, links, ranks, bucket, links.join)
    join = links.join(ranks, costs.weights)
    backward = costs.seconds - costs.update
    waiting = max(0.0, end - backward) + join.seconds
    computing = backward + costs.update / ranks
    memory = 2 * costs.weights + (costs.state + costs.weights) / ranks + costs.values
    return Prediction(ranks, computing, total([sums, join]), waiting, memory, ranks, costs.seconds)


def tensor_parallel(costs: StepCosts, ranks: int, links: RankNetwork, bucket: int) -> Prediction:
    """The step where weights are divided."""
    saved = memory = 0.0
    collectives = []
    for number, product in enumerate(costs.products):
        is_by_columns = number % 2 == 0
        parts = min(ranks, product.columns if is_by_columns else product.rows)
        saved += product.seconds * (1 - 1 / parts)
        memory += product.nbytes * (1 - 1 / parts)
        is_last = number == len(costs.products) - 1
        if not is_by_columns:
            collectives.append(links.all_reduce(ranks, product.result))
        elif product.slope:
            collectives.append(links.all_reduce(ranks, product.slope))
        if is_by_columns and is_last:
            collectives.append(links.join(ranks, product.result))
    copies = 2 + costs.state / max(costs.weights, 1)
    sums = total(collectives)
    whole = 2 * costs.weights + costs.state + costs.values
    return Prediction(
        ranks, costs.seconds - saved, sums, sums.seconds, whole - copies * memory, 1, costs.seconds
    )


LAYOUTS: dict[str, Layout] = {
    "data-parallel": data_parallel,
    "sharded optimizer": sharded_optimizer,
    "tensor-parallel": tensor_parallel,
}


def overlapped(
    costs: StepCosts,
    network: RankNetwork,
    ranks: int,
    bucket: int,
    collective: Callable[[int, float], CollectiveCost],
) -> tuple[CollectiveCost, float]:
    """The cost of all buckets, and when the last one ends: one is under way at a time."""
    end = 0.0
    all_costs = []
    for places in buckets(costs.gradients, bucket):
        members = [costs.gradients[place] for place in places]
        agreement = network.all_reduce(ranks, _AGREEMENT)
        summed = collective(ranks, sum(member.nbytes for member in members))
        all_costs += [agreement, summed]
        begin = max(end, *[member.ready for member in members])
        end = begin + agreement.seconds + summed.seconds
    return total(all_costs), end


def total(parts: Iterable[CollectiveCost]) -> CollectiveCost:
    """Several collectives, one after the other."""
    each = list(parts)
    return CollectiveCost(sum(c.latency for c in each), sum(c.transfer for c in each))
