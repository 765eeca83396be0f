"""The buffers of shuffled datasets: of numbers, and of the elements that they stand for."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.data.random_words import RandomWords, SeedGenerator
from graphwright.data.stage import UNKNOWN
from graphwright.data.stages import shuffle_buffers, shuffle_stages
from graphwright.data.stages.shuffle_buffers import (
    NumberBuffer,
    exchanged,
    exchanged_in_turn,
    exchanged_natively,
)
from graphwright.data.stages.shuffle_stages import ShuffleCursor


def one_by_one(size: int, count: int) -> list[int]:
    """The order of numbers of which each enters a buffer and is drawn alone.

    TensorFlow's buffer is a ring: the oldest number takes the place of the one that is drawn.
    """
    words, numbers = RandomWords(3, 5), iter(range(count))
    buffer: list[int] = []
    drawn = []
    while len(drawn) < count:
        while (size == UNKNOWN or len(buffer) < size) and (n := next(numbers, None)) is not None:
            buffer.append(n)
        place = int(words.take(1)[0]) % len(buffer)
        drawn.append(buffer[place])
        buffer[place] = buffer[0]
        del buffer[0]
    return drawn


@pytest.mark.parametrize("size", [1, 2, 7, 50, 300, UNKNOWN])
@pytest.mark.parametrize("count", [1, 6, 50, 299])
def test_numbers_are_drawn_in_the_order_of_rows(
    size: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle_stages, "_MANY", 20)
    rng = random.Random(size * 1000 + count)
    buffer = NumberBuffer(size, RandomWords(3, 5))
    drawn: list[int] = []
    following = 0
    while len(drawn) < count:
        limit = min(rng.choice([1, 3, 40, 150]), count - len(drawn))
        left = count - following + len(buffer)
        drawn += buffer.draw(buffer.words.take(limit), following, count).tolist()
        following = count - (left - limit - len(buffer))
        if rng.random() < 0.3:
            state = buffer.save()
            buffer = NumberBuffer(size, RandomWords(0, 0))
            buffer.restore(state)
    assert drawn == one_by_one(size, count)


@pytest.mark.parametrize("size", [1, 2, 7, 50, 300, UNKNOWN])
@pytest.mark.parametrize("count", [1, 6, 50, 299])
def test_rows_in_blocks_are_drawn_in_the_order_of_single_rows(
    size: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle_stages, "_MANY", 20)
    numbers = tf.data.Dataset.range(count).filter(lambda x: x >= 0)  # it has no numbers of its own
    stage = numbers.shuffle(size, seed=1)._stage
    assert isinstance(stage.start(), ShuffleCursor)
    stage.generator = SeedGenerator(3, 5, True)
    rng = random.Random(size * 1000 + count)
    cursor, drawn = stage.start(), []
    while (block := cursor.pull(rng.choice([1, 3, 40, 150]))) is not None:
        drawn += block.columns[0].tolist()
        if rng.random() < 0.3:
            state = cursor.save()
            cursor = stage.start()
            cursor.restore(state)
    assert drawn == one_by_one(size, count)


@pytest.mark.parametrize("exchange", [exchanged, exchanged_natively])
def test_many_exchanges_are_those_of_one_after_another(exchange: Any) -> None:
    rng = np.random.default_rng(0)
    for _ in range(400):
        size = int(rng.integers(1, 40))
        turns = np.arange(rng.integers(1, size + 1))
        chosen = rng.integers(0, size - turns)
        places = turns + np.where(rng.random(len(turns)) < 0.2, 0, chosen)
        one = rng.permutation(size) + 100
        other = one.copy()
        assert exchange(one, places).tolist() == exchanged_in_turn(other, places).tolist()
        assert one[len(turns) :].tolist() == other[len(turns) :].tolist()


#: Sources of elements that a buffer keeps in different ways.
SOURCES = {
    "small": lambda n: tf.data.Dataset.range(n).map(lambda x: (x, tf.fill([3], x))),
    "large": lambda n: tf.data.Dataset.range(n).map(lambda x: tf.fill([700], x)),
    "of lengths": lambda n: tf.data.Dataset.range(n).map(lambda x: tf.range(x, x + x % 4 + 1)),
    "texts": lambda n: tf.data.Dataset.range(n).map(tf.strings.as_string),
    "first alike": lambda n: tf.data.Dataset.range(n).map(
        lambda x: tf.fill([tf.maximum(x - 40, 1)], x)
    ),
    "cached": lambda n: tf.data.Dataset.range(n).map(lambda x: x).cache(),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("size", [3, 64])
def test_elements_of_any_kind_come_whole(
    source: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle_stages, "_MANY", 20)
    monkeypatch.setattr(shuffle_buffers, "_GAPS", 8)
    count = 100
    dataset = SOURCES[source](count).shuffle(size, seed=1)
    for _ in range(2):
        stage = dataset._stage
        stage.generator = SeedGenerator(3, 5, True)
        rng = random.Random(size)
        cursor, drawn = stage.start(), []
        while (block := cursor.pull(rng.choice([1, 3, 40]))) is not None:
            drawn += [row[0] for row in block.rows()]
            if rng.random() < 0.3:
                state = cursor.save()
                cursor = stage.start()
                cursor.restore(state)
        assert [int(np.ravel(x)[0]) for x in drawn] == one_by_one(size, count)
        assert len({x.tobytes() for x in drawn}) == count
