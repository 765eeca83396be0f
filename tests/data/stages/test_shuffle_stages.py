"""The two buffers of shuffled datasets: one of rows, and one of numbers that come in order."""

from __future__ import annotations

import random

import pytest

import graphwright as tf
from graphwright.data.random_words import RandomWords, SeedGenerator
from graphwright.data.stage import UNKNOWN
from graphwright.data.stages import shuffle_stages
from graphwright.data.stages.shuffle_stages import NumberBuffer, ShuffleBuffer, ShuffleCursor


def one_by_one(size: int, count: int) -> list[int]:
    """The order of numbers of which each enters a buffer of rows and is drawn alone."""
    buffer, numbers = ShuffleBuffer(size, RandomWords(3, 5)), iter(range(count))
    drawn = []
    while len(drawn) < count:
        while buffer.room(1) and (number := next(numbers, None)) is not None:
            buffer.add([number])
        drawn.append(buffer.draw(int(buffer.words.take(1)[0])))
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
        limit = min(rng.choice([1, 3, 40]), count - len(drawn))
        left = count - following + len(buffer)
        drawn += buffer.draw(buffer.words.take(limit), following, count)
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
    while (block := cursor.pull(rng.choice([1, 3, 40]))) is not None:
        drawn += block.columns[0].tolist()
        if rng.random() < 0.3:
            state = cursor.save()
            cursor = stage.start()
            cursor.restore(state)
    assert drawn == one_by_one(size, count)
