"""How many ops are remembered, and in how many forms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from support.growth import check_growth

import graphwright as tf
from graphwright.op.op import REGISTRY

MANY = 2048


def lengths(rounds: int = 4, each: int = 150) -> Iterator[int]:
    """Ever new lengths, those of each round about as long as those of another."""
    return (rounds * n + r + 1 for r in range(rounds) for n in range(each))


def test_ops_with_ever_new_attributes_leave_no_memory():
    numbers, leaky = count(1), REGISTRY["LeakyRelu"]
    check_growth(lambda: leaky.of(next(numbers) * 1e-6), 8 * MANY, warm_up=1, limit=1_000_000)


def test_lists_of_ever_new_lengths_leave_no_memory():
    one, new = tf.constant([1.0]), lengths()
    check_growth(lambda: tf.concat([one] * next(new), 0), 150, warm_up=150, limit=300_000)


def test_streams_of_ever_new_seeds_go_on_until_the_seed_is_set():
    tf.random.set_seed(7)
    first = tf.random.uniform([1], seed=0).numpy()
    for seed in range(1, MANY):
        tf.random.uniform([1], seed=seed)
    assert tf.random.uniform([1], seed=0).numpy() != first
    tf.random.set_seed(7)
    assert tf.random.uniform([1], seed=0).numpy() == first


def test_streams_of_ever_new_global_seeds_leave_no_memory():
    seeds = count()

    def draw():
        tf.random.set_seed(next(seeds))
        tf.random.uniform([1], seed=3)

    check_growth(draw, 200, warm_up=10, limit=100_000)
