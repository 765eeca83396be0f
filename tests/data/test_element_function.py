"""Functions of elements that draw random numbers: the same in every iteration and every tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.options import OPTIONS
from graphwright.machine.preparation import Waiting

Dataset = tf.data.Dataset


def of_a_branch(x: Any) -> Any:
    if x % 2 == 0:
        return tf.random.uniform([3], seed=1)
    return tf.random.normal([3], seed=2)


FORMS: dict[str, Callable[[Any], Any]] = {
    "scalar": lambda x: tf.random.uniform([]) * tf.cast(x, tf.float32),
    "many": lambda x: tf.random.uniform([3, 5], 1, 3) + tf.random.normal([3, 5], seed=2),
    "wide": lambda x: tf.random.uniform([4], dtype=tf.float64) * 2.0,
    "whole": lambda x: tf.random.uniform([], 0, 100, tf.int32, seed=5) + 1,
    "rows": lambda x: tf.random.shuffle(tf.range(7), seed=2) * 2,
    "branch": of_a_branch,
    "images": lambda x: tf.image.random_flip_left_right(tf.ones([2, 3, 1]) * tf.random.normal([])),
    "of a size": lambda x: tf.random.uniform([x % 3 + 1])[0] * 2.0,
}


Choice = Callable[[str], None]


@pytest.fixture
def tiers(monkeypatch: pytest.MonkeyPatch) -> Choice:
    """Sets when functions become machine code."""
    monkeypatch.setattr(Waiting, "always", True)

    def choose(mode: str) -> None:
        monkeypatch.setitem(OPTIONS, "native", mode)
        if mode == "after some calls":
            monkeypatch.delitem(OPTIONS, "native")

    return choose


def drawn(form: str) -> list[Any]:
    """Elements of two iterations that take turns, and of a third after them."""
    tf.random.set_seed(7)
    dataset = Dataset.range(9).map(FORMS[form])
    turns = [[a.numpy(), b.numpy()] for a, b in zip(dataset, dataset)]
    return [np.array(turns), np.array(list(dataset.as_numpy_iterator()))]


@pytest.mark.parametrize("mode", ["always", "after some calls"])
@pytest.mark.parametrize("form", FORMS)
def test_machine_code_draws_what_kernels_draw(form: str, mode: str, tiers: Choice) -> None:
    tiers("off")
    expected = drawn(form)
    tiers(mode)
    turns, last = drawn(form)
    np.testing.assert_array_equal(turns, expected[0])
    np.testing.assert_array_equal(last, expected[1])
    np.testing.assert_array_equal(turns[:, 0], turns[:, 1])
    np.testing.assert_array_equal(turns[:, 0], last)


@pytest.mark.parametrize("mode", ["always", "after some calls"])
def test_saved_places_are_those_of_kernels(mode: str, tiers: Choice) -> None:
    def saved_and_restored() -> tuple[Any, list[float]]:
        tf.random.set_seed(7)
        options = tf.data.Options()
        options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
        dataset = Dataset.range(20).map(FORMS["scalar"]).with_options(options)
        iterator, other = iter(dataset), iter(dataset)
        for _ in range(5):
            next(iterator)
        state = iterator._reader.save()
        other._reader.restore(state)
        return state, [float(x) for x in [*other, *iterator]]

    tiers("off")
    state, elements = saved_and_restored()
    tiers(mode)
    again, others = saved_and_restored()
    assert repr(again) == repr(state)
    assert others == elements


def drawing(count: int) -> tf.data.Dataset:
    """Numbers to which random ones are added."""
    return Dataset.range(count).map(lambda x: 100 * x + tf.random.uniform([], 0, 90, tf.int64))


PIPELINES: dict[str, Callable[[], tf.data.Dataset]] = {
    "map": lambda: drawing(70),
    "two maps": lambda: drawing(70).map(lambda x: x + tf.random.uniform([], 0, 9, tf.int64)),
    "batches": lambda: drawing(70).prefetch(3).batch(8).prefetch(2).unbatch(),
    "repeated": lambda: drawing(7).repeat(9),
    "filter": lambda: drawing(99).filter(lambda x: x % 3 == 0).take(20),
    "one stream for two": lambda: Dataset.zip(2 * (drawing(40),)).map(lambda x, y: x - y),
    "one behind itself": lambda: (lambda d: d.concatenate(d))(drawing(20)),
    "in turns": lambda: (lambda d: Dataset.range(3).interleave(lambda _: d, 3))(drawing(20)),
    "inside": lambda: Dataset.range(3).interleave(lambda x: drawing(20), 3),
    "one after another": lambda: Dataset.range(3).flat_map(lambda x: drawing(20)),
    "chosen": lambda: (lambda d: Dataset.choose_from_datasets([d, d], Dataset.range(2).repeat()))(
        drawing(20)
    ),
    "errors": lambda: drawing(70).map(lambda x: 7 // (x % 4) + x),
    "errors of its own": lambda: Dataset.range(70).map(
        lambda x: 7 // tf.random.uniform([], 0, 4, tf.int64) + 10 * x
    ),
}


@pytest.mark.parametrize("form", PIPELINES)
def test_numbers_do_not_depend_on_how_many_elements_are_taken_at_once(form: str) -> None:
    def outcomes(is_seen: bool) -> list[object]:
        tf.random.set_seed(3)
        dataset = PIPELINES[form]()
        if is_seen:  # so nothing is taken ahead
            dataset = dataset.map(lambda x: tf.numpy_function(lambda y: y, [x], tf.int64))
        iterator, elements = iter(dataset), []
        for _ in range(130):
            try:
                elements.append(int(next(iterator)))
            except StopIteration:
                break
            except tf.errors.InvalidArgumentError:
                elements.append("error")
        return elements

    assert outcomes(False) == outcomes(True)


def test_what_comes_of_numbers_is_taken_many_at_once() -> None:
    rows = Dataset.range(1).map(lambda _: tf.random.shuffle(tf.range(4000)))
    iterator = iter(rows.flat_map(Dataset.from_tensor_slices).map(lambda x: x + 1))
    for _ in range(40):
        next(iterator)
    assert iterator._reader.block.count > 1


def test_a_variable_cannot_begin_with_an_element() -> None:
    made: list[Any] = []

    def first(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(x))
        return x + made[0]

    with pytest.raises(ValueError, match="depends on an argument of a function"):
        Dataset.range(3).map(first)


def test_a_table_cannot_be_filled_with_an_element() -> None:
    def looked_up(x: Any) -> Any:
        initializer = tf.lookup.KeyValueTensorInitializer([x], [1])
        return tf.lookup.StaticHashTable(initializer, -1).lookup(x)

    with pytest.raises(ValueError, match="depends on an argument of a function"):
        Dataset.range(3).map(looked_up)


def test_a_table_cannot_be_filled_from_a_file_that_an_element_names() -> None:
    index = tf.lookup.TextFileIndex

    def looked_up(path: Any) -> Any:
        columns = tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, *columns), -1)
        return table.lookup(path)

    with pytest.raises(ValueError, match="depends on an argument of a function"):
        Dataset.from_tensors("words.txt").map(looked_up)


def test_a_variable_begins_with_a_value_of_the_function_around() -> None:
    made: list[Any] = []

    def first(x: Any, values: Any) -> Any:
        if not made:
            made.append(tf.Variable(values))
        return x + made[0]

    @tf.function
    def total() -> Any:
        values = tf.constant([0, 1], tf.int64) * 2
        sums = tf.constant([0, 0], tf.int64)
        for x in Dataset.range(2).map(lambda x: first(x, values)):
            sums += x
        return sums

    assert total().numpy().tolist() == [1, 5]
