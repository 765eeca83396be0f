"""Python that goes over a dataset while a function is traced comes to an end, with words."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf

DATA, NUMBERS = tf.data.Dataset.range(3), tf.data.Dataset.range(1, 5)


def plain(items: Any) -> Any:
    total = 0
    for item in items:
        total += item
    return total


#: Each goes over all elements by Python, which TensorFlow never ends with AutoGraph.
ENDLESS: dict[str, Callable[[], Any]] = {
    "list": lambda: list(DATA),
    "tuple": lambda: tuple(DATA),
    "sorted": lambda: sorted(DATA),
    "sum": lambda: sum(DATA),
    "comprehension": lambda: [item + 1 for item in DATA],
    "dict": lambda: dict(zip(range(10**9), DATA)),
    "generator": lambda: tf.add_n([*(item + 1 for item in DATA)]),
    "star": lambda: [*DATA],
    "iterator": lambda: list(iter(DATA)),
    "map": lambda: list(map(tf.square, DATA)),
    "zip": lambda: list(zip(DATA, DATA)),
    "enumerate": lambda: list(enumerate(DATA)),
    "extend": lambda: [].extend(DATA),
    "replicas": lambda: list(
        tf.distribute.get_strategy().experimental_distribute_dataset(DATA.batch(1))
    ),
    "not converted": lambda: tf.autograph.experimental.do_not_convert(plain)(DATA),
    "nothing": lambda: list(DATA.take(0)),
}


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("name", ENDLESS)
def test_python_comes_to_an_end(name: str, autograph: bool) -> None:
    with pytest.raises(ValueError, match=r"An unusually high number of `Iterator.get_next"):
        tf.function(ENDLESS[name], autograph=autograph)()


@pytest.mark.parametrize("by", [next, lambda i: i.get_next()])
def test_elements_that_a_program_takes_by_name(by: Callable[[Any], Any]) -> None:
    """With AutoGraph there is no limit, without it the one of TensorFlow."""

    def take(count: int) -> Any:
        iterator = iter(DATA.repeat())
        return tf.add_n([by(iterator) for _ in range(count)])

    def by_loop(count: int) -> Any:
        iterator, total = iter(DATA.repeat()), tf.constant(0, tf.int64)
        for _ in range(count):
            total += next(iterator)
        return total

    assert int(tf.function(by_loop)(1200)) == 1200
    for function in (take, by_loop):
        assert int(tf.function(function)(60)) == 60
        assert int(tf.function(function, autograph=False)(30)) == 30
        with pytest.raises(ValueError, match="Python took 33 elements of a dataset"):
            tf.function(function, autograph=False)(33)


@pytest.mark.parametrize("autograph", [True, False])
def test_what_goes_over_some_elements_takes_those(autograph: bool) -> None:
    data = tf.data.Dataset.range(5)

    @tf.function(autograph=autograph)
    def program() -> Any:
        pairs = list(zip([10, 20], data))
        second, _ = zip(iter(data), "ab")
        letters = dict(zip("abc", data))
        products = list(map(lambda a, b: a * b, data, [1, 2, 3]))
        return pairs[1], second[0], letters["c"], products[2]

    pair, first, last, product = program()
    assert [*map(int, pair)] == [20, 1]
    assert [int(first), int(last), int(product)] == [0, 2, 6]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames do not say where in a line they are")
def test_the_words_name_calls_that_work() -> None:
    @tf.function
    def listed() -> Any:
        return list(NUMBERS)

    with pytest.raises(ValueError, match="took 901") as caught:
        listed()
    words = str(caught.value)
    assert "a `for` statement over `NUMBERS`" in words
    forms = re.findall(r"`(NUMBERS\.[^`]*)`", words)
    assert len(forms) == 2
    results = []
    for form in forms:
        text = form.replace("start", "tf.constant(0, tf.int64)").replace("...", "state + element")
        results.append(tf.function(eval(f"lambda: {text}", {"tf": tf, "NUMBERS": NUMBERS}))())
    assert [result.numpy().tolist() for result in results] == [10, [1, 2, 3, 4]]

    @tf.function(autograph=False)
    def looped() -> Any:
        return plain(NUMBERS)

    with pytest.raises(ValueError, match="and AutoGraph stages it"):
        looped()


def test_builtins_of_datasets() -> None:
    """`any`, `all`, `abs` and `bool` of a dataset, as TensorFlow has them."""
    data = tf.data.Dataset.from_tensor_slices([-2, 1, 3])

    @tf.function
    def program(bound: Any) -> Any:
        over = data.map(lambda item: item > bound)
        total = tf.constant(0)
        for item in abs(data):
            total += item
        return any(over), all(over), total, bool(data.take(0))

    assert [[*map(int, program(tf.constant(b)))] for b in (-3, 0, 3)] == [
        [1, 1, 6, 1], [1, 0, 6, 1], [0, 0, 6, 1],
    ]  # fmt: skip
    nothing = data.take(0).map(lambda item: item > 0)
    assert [*map(bool, tf.function(lambda: (any(nothing), all(nothing)))())] == [False, True]
    for wrong in (data, tf.data.Dataset.from_tensors(([True], True))):
        with pytest.raises(ValueError, match="bool scalars"):
            tf.function(lambda wrong=wrong: any(wrong))()
