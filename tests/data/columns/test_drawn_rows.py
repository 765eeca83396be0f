"""Random numbers of many elements at once: those that the elements would draw one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.options import OPTIONS
from graphwright.data.blocks import ElementBlock
from graphwright.data.element_function import BoundFunction

ROWS = 150
GENERATOR = np.random.default_rng(11)
PIXELS = GENERATOR.integers(0, 256, (ROWS, 8, 9, 3)).astype(np.uint8)
VECTORS = GENERATOR.normal(size=(ROWS, 5)).astype(np.float32)
Dataset = tf.data.Dataset
random = tf.random


def seed_of(i: Any) -> Any:
    return tf.stack([i * 3 - 7, i + 2])


def augmented(x: Any, v: Any, i: Any) -> Any:
    image = tf.image.random_flip_left_right(tf.cast(x, tf.float32) / 255.0)
    image = tf.image.random_brightness(image, 0.2)
    image = tf.image.resize_with_crop_or_pad(image, 12, 12)
    return tf.image.random_crop(image, [8, 8, 3]), i


def augmented_by_seed(x: Any, v: Any, i: Any) -> Any:
    image = tf.image.stateless_random_flip_left_right(tf.cast(x, tf.float32), seed_of(i))
    image = tf.image.stateless_random_contrast(image, 0.2, 0.9, seed_of(i + 1))
    return tf.image.stateless_random_crop(image, [5, 6, 3], seed_of(i + 2)), i


def recoloured(x: Any, v: Any, i: Any) -> Any:
    image = tf.image.random_contrast(tf.cast(x, tf.float32) / 255.0, 0.5, 1.5)
    image = tf.image.random_saturation(image, 0.5, 1.5)
    return tf.image.random_hue(image, 0.2), i


#: Functions of an image, a vector and a number.
FORMS: dict[str, Callable[..., Any]] = {
    "images": augmented,
    "images by seeds": augmented_by_seed,
    "colours": recoloured,
    "scalars": lambda x, v, i: (random.uniform([]), random.normal([]), i),
    "vectors": lambda x, v, i: v + random.uniform([5], -1.0, 1.0),
    "normal vectors": lambda x, v, i: v * random.normal([5], 2.0, 0.5),
    "many numbers": lambda x, v, i: tf.cast(x, tf.float32) + random.normal([8, 9, 3]),
    "long rows": lambda x, v, i: random.uniform([24, 25]),
    "float16": lambda x, v, i: random.uniform([3], dtype=tf.float16),
    "bfloat16": lambda x, v, i: tf.cast(random.uniform([3], dtype=tf.bfloat16), tf.float32),
    "float64": lambda x, v, i: (
        random.uniform([3], dtype=tf.float64),
        random.normal([5], dtype=tf.float64),
    ),
    "no numbers": lambda x, v, i: (random.uniform([0]), i),
    "truncated": lambda x, v, i: v + random.truncated_normal([5]),
    "whole numbers": lambda x, v, i: (
        random.uniform([2], 3, 1000, tf.int32),
        random.uniform([], -5, 5, tf.int64),
    ),
    "one op, then another": lambda x, v, i: random.uniform([5]) - random.uniform([5]),
    "one choice of two": lambda x, v, i: tf.where(random.uniform([]) < 0.5, v, -v),
    "dropout": lambda x, v, i: tf.nn.dropout(v, 0.4),
    "dropout by seeds": lambda x, v, i: tf.nn.experimental.stateless_dropout(v, 0.4, seed_of(i)),
    "seeds": lambda x, v, i: (
        random.stateless_uniform([7], seed_of(i)),
        random.stateless_normal([], seed_of(i), dtype=tf.float64),
        random.stateless_truncated_normal([3], seed_of(i)),
    ),
    "whole numbers of seeds": lambda x, v, i: (
        random.stateless_uniform([3], seed_of(i), 0, 77, tf.int32),
        random.stateless_uniform([2], seed_of(i), None, None, tf.uint64),
    ),
    "threefry": lambda x, v, i: random.stateless_uniform([3], seed_of(i), alg="threefry"),
    "one seed for all": lambda x, v, i: v + random.stateless_uniform([5], [4, 5]),
    # What is drawn for some elements alone, or by other ops, is drawn one by one.
    "a branch": lambda x, v, i: tf.cond(i % 2 == 0, lambda: random.uniform([]), lambda: 0.0),
    "an order": lambda x, v, i: random.shuffle(v),
    "gamma": lambda x, v, i: random.gamma([2], 1.5),
    "limits of its own": lambda x, v, i: random.uniform([], 0, i + 1, tf.int64),
}
ONE_BY_ONE = {"a branch", "an order", "gamma", "limits of its own"}


def dataset_of(form: Callable[..., Any], calls: int | None = None) -> Any:
    random.set_seed(3)
    rows = Dataset.from_tensor_slices((PIXELS, VECTORS, np.arange(ROWS)))
    return rows.map(form, num_parallel_calls=calls)


def results(dataset: Any, rounds: int = 1) -> list[list[Any]]:
    """The arrays of all elements, round by round."""
    made = []
    for _ in range(rounds):
        for element in dataset.as_numpy_iterator():
            made.append(list(element) if isinstance(element, tuple) else [element])
    return made


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[Any]]]:
    """What a dataset gives where each element is computed alone."""

    def given(make: Callable[[], Any], rounds: int = 1) -> list[list[Any]]:
        with monkeypatch.context() as patch:
            patch.setattr(BoundFunction, "together", lambda self, block: None)
            patch.setattr(BoundFunction, "draws_for_many", False)
            return results(make(), rounds)

    return given


def same(made: list[list[Any]], expected: list[list[Any]]) -> None:
    assert len(made) == len(expected)
    for row, other in zip(made, expected):
        for value, wanted in zip(row, other, strict=True):
            assert value.dtype == wanted.dtype
            if wanted.dtype.kind not in "fc":
                np.testing.assert_array_equal(value, wanted)
            else:
                np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("native", ["", pytest.param("always", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FORMS)
def test_blocks_draw_what_elements_draw(
    monkeypatch: pytest.MonkeyPatch,
    one_by_one: Callable[..., list[list[Any]]],
    name: str,
    native: str,
) -> None:
    expected = one_by_one(lambda: dataset_of(FORMS[name]), 2)
    if native:
        monkeypatch.setitem(OPTIONS, "native", native)
    alone: list[int] = []
    each = BoundFunction.each

    def counted(function: BoundFunction, block: ElementBlock) -> Any:
        alone.append(block.count)
        return each(function, block)

    monkeypatch.setattr(BoundFunction, "each", counted)
    for calls in (None, 2, tf.data.AUTOTUNE):
        if calls is None or name not in ONE_BY_ONE:  # threads draw in any order
            alone.clear()
            same(results(dataset_of(FORMS[name], calls), 2), expected)
            assert name in ONE_BY_ONE or sum(alone) < ROWS  # the first few of each round


@pytest.mark.parametrize("name", FORMS)
def test_what_is_drawn_for_many_is_said(name: str) -> None:
    dataset = dataset_of(FORMS[name])
    results(dataset)  # the report is of a second, which code of the first one may take
    text = " ".join(str(dataset.explain()).split())
    assert ("many elements at once" in text) is (name not in ONE_BY_ONE)
    # Threads would help none that draws for many: its numbers come in turn.
    assert ("calls its function in threads" in text) <= (name in ONE_BY_ONE)


@pytest.mark.parametrize("size", [1, 4, 64])
def test_batches_and_rounds_go_on_with_a_stream(
    one_by_one: Callable[..., list[list[Any]]], size: int
) -> None:
    def made(calls: int | None = None) -> Any:
        numbers = dataset_of(FORMS["scalars"], calls).repeat(2).batch(size)
        return numbers.unbatch().take(2 * ROWS)

    expected = one_by_one(made, 2)  # threads that call the function draw in any order
    same(results(made(tf.data.AUTOTUNE), 2), expected)
    same(results(made(), 2), expected)


def test_numbers_of_elements_before_an_error_are_drawn_once(
    one_by_one: Callable[..., list[list[Any]]],
) -> None:
    def checked(x: Any, v: Any, i: Any) -> Any:
        return random.uniform([]), 7 // (i % 40)

    def made() -> Any:
        return dataset_of(checked).ignore_errors()

    expected = one_by_one(made)
    assert len(expected) == ROWS - 4
    same(results(made()), expected)


def test_a_filter_that_draws_sees_one_element_at_a_time(
    one_by_one: Callable[..., list[list[Any]]],
) -> None:
    def made() -> Any:
        random.set_seed(5)
        return Dataset.range(300).filter(lambda i: random.uniform([]) < 0.5).map(lambda i: i * 2)

    expected = one_by_one(made)
    assert 100 < len(expected) < 200
    same(results(made()), expected)


def test_a_function_draws_for_two_datasets_in_turn(
    one_by_one: Callable[..., list[list[Any]]],
) -> None:
    def made() -> Any:
        drawn = dataset_of(FORMS["scalars"])
        return Dataset.zip(drawn, drawn.take(70)).map(lambda a, b: (*a, *b))

    same(results(made()), one_by_one(made))


def test_unseeded_elements_draw_numbers_of_their_own() -> None:
    random.set_seed(None)
    drawn = results(Dataset.range(100).map(lambda i: random.uniform([2])))
    assert len({tuple(row[0].tolist()) for row in drawn}) == 100
