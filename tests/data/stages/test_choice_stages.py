"""Datasets that are chosen by numbers give their elements at once, each in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.data.reader import Reader
from graphwright.data.stages.choice_stages import places_of
from graphwright.ops.random import philox_draws, variates

Dataset = tf.data.Dataset


def outcomes(dataset: Any) -> list[Any]:
    """The elements as numbers, and the classes of errors in their places."""
    iterator, seen = iter(dataset), []
    while True:
        try:
            seen.append(int(next(iterator)))
        except StopIteration:
            return seen
        except tf.errors.OpError as error:
            seen.append(type(error).__name__)


def chosen(numbers: list[int], lengths: list[int], stops: bool, bad: int = -1) -> Any:
    """Datasets of such lengths, chosen by numbers; the element `bad` of the first is an error."""
    datasets = [Dataset.range(100 * k, 100 * k + length) for k, length in enumerate(lengths)]
    datasets[0] = datasets[0].map(lambda x: x + 0 * (7 // (x - bad)))
    choices = Dataset.from_tensor_slices(np.array(numbers, np.int64))
    return Dataset.choose_from_datasets(datasets, choices, stop_on_empty_dataset=stops)


def by_hand(numbers: list[int], lengths: list[int], stops: bool, bad: int) -> list[Any]:
    """The same, one by one."""
    places, ended, seen = [0] * len(lengths), [False] * len(lengths), []
    for k in numbers:
        if all(ended):
            break
        if not 0 <= k < len(lengths):
            seen.append("InvalidArgumentError")
        elif places[k] == lengths[k]:
            ended[k] = True
            if stops:
                break
        else:
            is_bad = k == 0 and places[k] == bad
            seen.append("InvalidArgumentError" if is_bad else 100 * k + places[k])
            places[k] += 1
    return seen


@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_elements_errors_and_ends_come_in_their_places(seed: int, stops: bool) -> None:
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 12, 3).tolist()
    numbers = random.integers(0, 3 + seed % 2, 40).tolist()
    bad = int(random.integers(0, 12)) if seed % 3 else -1
    dataset = chosen(numbers, lengths, stops, bad)
    assert outcomes(dataset) == by_hand(numbers, lengths, stops, bad)


@pytest.mark.parametrize("wrong", [-1, -256, -(2**63), 3, 256, 2**63 - 1])
def test_numbers_of_no_dataset_are_errors_in_their_places(wrong: int) -> None:
    numbers = [0, wrong, 1, 2, wrong, wrong, 0]
    expected = by_hand(numbers, [5, 5, 5], False, -1)
    assert expected.count("InvalidArgumentError") == 3
    assert outcomes(chosen(numbers, [5, 5, 5], False)) == expected


def test_a_position_is_saved_with_the_elements_that_wait() -> None:
    numbers = [0, 1, 1, 0, 2, 2, 1, 0, 0, 2, 1, 0] * 4
    dataset = chosen(numbers, [20, 15, 9], False, bad=6)
    stage = dataset.ignore_errors()._stage
    whole = [int(x) for x in dataset.ignore_errors()]
    for place in range(len(whole)):
        first, second = Reader(stage), Reader(stage)
        for _ in range(place):
            first.row()
        second.restore(first.save())
        rest = []
        while (row := second.row()) is not None:
            rest.append(int(row[0]))
        assert whole[:place] + rest == whole


def test_many_seeds_draw_what_each_draws_alone() -> None:
    random = np.random.default_rng(3)
    seeds = random.integers(-(2**63), 2**63 - 1, (50, 2), np.int64)
    logits = np.log(np.array([0.2, 0.0, 0.5, 0.3], np.float32) + 1e-30).astype(np.float32)
    logits[1] = -np.inf
    alone = [
        variates.categorical(*philox_draws.scramble((int(a), int(b))), logits[None], 1)[0, 0]
        for a, b in seeds
    ]
    assert variates.categorical_of_seeds(seeds, logits).tolist() == alone


def test_places_of_few_and_of_many_datasets() -> None:
    numbers = np.random.default_rng(0).integers(0, 5, 100)
    few, many = [places_of(numbers, count) for count in (7, 300)]
    assert few.keys() == many.keys() == {0, 1, 2, 3, 4}
    for number, places in few.items():
        np.testing.assert_array_equal(places, many[number])
        assert (numbers[places] == number).all()
