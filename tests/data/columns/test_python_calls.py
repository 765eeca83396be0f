"""Functions of Python are called for the elements of a batch in a row, and as if one by one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.data.columns.python_calls import PythonCalls

Dataset = tf.data.Dataset
THREE = tf.constant([1, 2, 3], tf.int64)
BUFFER = np.zeros(2, np.int64)


def refill(x: Any) -> Any:
    """The same array each time, with other numbers."""
    BUFFER[:] = x
    return BUFFER


def as_floats(x: Any) -> Any:
    return np.float32(x) if x == 2 else x


def refuse(x: Any) -> Any:
    if x % 4 == 2:
        raise ValueError("no")
    return x


def stop(x: Any) -> Any:
    if x % 4 == 2:
        raise StopIteration
    return x


#: By name a function of a number that calls Python once.
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "numbers": lambda x: tf.numpy_function(lambda a: a * 2, [x], tf.int64),
    "with a number and a capture": lambda x: (
        x, tf.numpy_function(lambda a, b: a + b, [x, THREE], tf.int64), THREE,
    ),
    "of nothing": lambda x: tf.numpy_function(lambda: np.int64(3), [], tf.int64),
    "two results": lambda x: tf.numpy_function(
        lambda a: (a, np.float32(a)), [x], (tf.int64, tf.float32)
    ),
    "no result": lambda x: (x, tf.numpy_function(lambda a: None, [x], []))[0],
    "texts": lambda x: tf.numpy_function(lambda a: b"%d" % a, [x], tf.string),
    "truths": lambda x: tf.numpy_function(lambda a: a > 2, [x], tf.bool),
    "integers of Python": lambda x: tf.numpy_function(int, [x], tf.int64),
    "one array again and again": lambda x: tf.numpy_function(refill, [x], tf.int64),
    "other lengths": lambda x: tf.numpy_function(np.arange, [x], tf.int64),
    "another dtype": lambda x: tf.numpy_function(as_floats, [x], tf.int64),
    "two values for one": lambda x: tf.numpy_function(lambda a: (a, a), [x], tf.int64),
    "a refusal": lambda x: tf.numpy_function(refuse, [x], tf.int64),
    "the end of an iterator": lambda x: tf.numpy_function(stop, [x], tf.int64),
    "the end of an iterator, of tensors": lambda x: tf.py_function(stop, [x], tf.int64),
    "tensors of nothing": lambda x: tf.py_function(lambda: tf.constant(3), [], tf.int32),
    "integers of tensors": lambda x: tf.py_function(int, [x], tf.int64),
    "a refusal without effects": lambda x: tf.numpy_function(refuse, [x], tf.int64, stateful=False),
    "tensors": lambda x: tf.py_function(lambda a: a + 1, [x], tf.int64),
    "two tensors": lambda x: tf.py_function(
        lambda a: (a, tf.cast(a, tf.float32)), [x], (tf.int64, tf.float32)
    ),
    "a refusal of tensors": lambda x: tf.py_function(refuse, [x], tf.int64),
}  # fmt: skip


def outcomes(dataset: Any) -> list[Any]:
    """The elements as lists with dtypes, and errors in their places as texts."""
    reader, result = iter(dataset), []
    while True:
        try:
            element = next(reader)
        except StopIteration:
            return result
        except tf.errors.OpError as error:
            result.append((type(error).__name__, re.sub(r"pyfunc_\d+", "pyfunc", error.message)))
        else:
            result.append(
                tf.nest.map_structure(lambda t: (t.numpy().tolist(), t.dtype.name), element)
            )


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("size", [3, 4])
def test_calls_in_a_row_give_what_steps_of_a_graph_give(
    name: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dataset() -> Any:
        return Dataset.range(10).map(FUNCTIONS[name]).batch(size)

    function = Dataset.range(10).map(FUNCTIONS[name])._stage.function
    assert (function.calls is None) == ("without effects" in name)
    in_a_row = outcomes(dataset())
    monkeypatch.setattr(PythonCalls, "of", lambda graph, captured: None)
    assert in_a_row == outcomes(dataset())


@pytest.mark.parametrize("call", [tf.numpy_function, tf.py_function])
@pytest.mark.parametrize("is_fused", [True, False])
def test_no_call_comes_before_its_batch(call: Any, is_fused: bool) -> None:
    """What TensorFlow does without the fusion, which calls ahead of its own accord."""
    calls: list[int] = []

    def note(x: Any) -> Any:
        calls.append(int(x))
        return refuse(x)

    options = tf.data.Options()
    options.experimental_optimization.map_and_batch_fusion = is_fused
    dataset = Dataset.range(10).map(lambda x: call(note, [x], tf.int64)).batch(3)
    reader = iter(dataset.with_options(options))
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(reader)
    assert calls == [0, 1, 2]
    assert next(reader).numpy().tolist() == [3, 4, 5]
    assert calls == [*range(6)]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(reader)
    assert calls == [*range(9 if is_fused else 7)]
    assert next(reader).numpy().tolist() == ([9] if is_fused else [7, 8, 9])


def test_stages_that_are_seen_take_turns() -> None:
    seen: list[str] = []

    def noting(name: str) -> Callable[[Any], Any]:
        def note(x: Any) -> Any:
            seen.append(f"{name}{int(x)}")
            return x

        return lambda x: tf.numpy_function(note, [x], tf.int64)

    next(iter(Dataset.range(9).map(noting("a")).map(noting("b")).batch(2)))
    assert seen == ["a0", "b0", "a1", "b1"]
