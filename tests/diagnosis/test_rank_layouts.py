"""Predictions of steps on many ranks, against steps that are small enough to reckon by hand."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.diagnosis.collective_costs import RankNetwork, network_of
from graphwright.diagnosis.rank_layouts import (
    LAYOUTS,
    data_parallel,
    sharded_optimizer,
    tensor_parallel,
)
from graphwright.diagnosis.step_costs import GradientCost, StepCosts, WeightProduct

MEGABYTE = 10**6
INSTANT = RankNetwork(0.0, float("inf"))
SLOW = RankNetwork(0.0, 1e6)  # a second for each megabyte

#: Ten seconds, of which the last two are the update; gradients after 4 and 8 seconds.
STEP = StepCosts(
    "step", 10.0, 2.0,
    (GradientCost(tf.float32, MEGABYTE, 4.0), GradientCost(tf.float32, MEGABYTE, 8.0)),
    2 * MEGABYTE, 4 * MEGABYTE, 3 * MEGABYTE,
    (
        WeightProduct(MEGABYTE, 64, 64, 3.0, 100, 0),
        WeightProduct(MEGABYTE, 64, 2, 3.0, MEGABYTE, MEGABYTE),
    ),
)  # fmt: skip


def test_a_network_is_read() -> None:
    assert network_of("25Gbit,10us") == pytest.approx(RankNetwork(1e-5, 3.125e9))
    assert network_of("100 MB/s, 2 ms") == RankNetwork(2e-3, 1e8)
    for text in ("25", "25Gbit", "fast,10us", "0Gbit,1us", "1Gbit,10"):
        with pytest.raises(ValueError, match="is no network: give its bandwidth"):
            network_of(text)


def test_collectives_take_messages_and_bytes() -> None:
    links = RankNetwork(1.0, 1e3)
    assert links.all_reduce(2, 1e6) == (2.0, 1e3)  # a ring
    assert links.all_reduce(4, 1e6) == (6.0, 1.5e3)
    assert links.all_reduce(1024, 1.0) == (20.0, 2e-3)  # trees: a ring has 2046 messages
    assert links.join(1024, 1e6) == (10.0, 1023e6 / 1024 / 1e3)
    assert links.join(1024, 1e6).seconds == pytest.approx(10.0 + 999.0234375)


@pytest.mark.parametrize("name", LAYOUTS)
def test_more_ranks_never_take_less_communication(name: str) -> None:
    links = network_of("1Gbit,50us")
    curve = [LAYOUTS[name](STEP, 1 << power, links, 1) for power in range(1, 13)]
    sums = [prediction.sums.seconds for prediction in curve]
    assert sums == sorted(sums)
    memory = [prediction.memory for prediction in curve]
    assert memory == sorted(memory, reverse=True)
    for prediction in curve:
        assert prediction.efficiency <= 1.0 or name == "sharded optimizer"


def test_sums_hide_behind_the_backward_pass() -> None:
    apart = data_parallel(STEP, 2, SLOW, 1)
    # A sum of a second begins after 4 s, the other after 8 s: it alone is waited for.
    assert apart.waiting == pytest.approx(1.0, rel=1e-4)
    assert apart.sums.seconds == pytest.approx(2.0, rel=1e-4)
    assert apart.gain == pytest.approx(20.0 / 11.0, rel=1e-4)
    assert apart.memory == 11 * MEGABYTE
    assert apart.bottleneck == "computing"
    together = data_parallel(STEP, 2, SLOW, 10 * MEGABYTE)
    assert together.waiting == pytest.approx(2.0, rel=1e-4)
    assert together.bottleneck == "bandwidth"
    assert data_parallel(STEP, 4096, INSTANT, 1).efficiency == 1.0
    late = data_parallel(STEP, 1024, RankNetwork(0.5, 1e12), 1)
    assert late.bottleneck == "latency"


def test_a_sharded_optimizer_updates_and_keeps_shares() -> None:
    sharded = sharded_optimizer(STEP, 2, SLOW, 1)
    # Half a second for the last sum, a second to join the weights, a second of updates.
    assert sharded.waiting == pytest.approx(1.5, rel=1e-4)
    assert sharded.computing == 9.0
    assert sharded.memory == (4 + 2 + 1 + 3) * MEGABYTE
    assert sharded_optimizer(STEP, 2, INSTANT, 1).gain == pytest.approx(20.0 / 9.0)


def test_tensor_parallel_products_have_as_many_parts_as_rows_or_columns() -> None:
    predicted = tensor_parallel(STEP, 4, SLOW, 1)
    assert predicted.computing == pytest.approx(10.0 - 3.0 * 3 / 4 - 3.0 / 2)  # two rows
    assert predicted.sums.seconds == pytest.approx(1.5)  # of the second product's result
    assert predicted.memory == pytest.approx((11 - 4 * (3 / 4 + 1 / 2)) * MEGABYTE)
    assert predicted.bottleneck == "undivided computing"
    assert tensor_parallel(STEP, 4, INSTANT, 1).gain == pytest.approx(10.0 / 6.25)
