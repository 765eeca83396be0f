"""Debug mode, and what is refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import graphwright as tf
from graphwright.data.element_function import DebugMode

Dataset = tf.data.Dataset


@pytest.fixture
def _debug() -> Iterator[None]:
    tf.data.experimental.enable_debug_mode()
    yield
    DebugMode.is_on = False


@pytest.mark.usefixtures("_debug")
def test_functions_run_eagerly_in_debug_mode() -> None:
    seen: list[Any] = []

    def function(x: Any, y: Any) -> Any:
        if tf.executing_eagerly():
            seen.append(int(x))
        return {"sum": x + y, "list": tf.fill([x], y)}

    dataset = Dataset.zip(Dataset.range(3), Dataset.range(3)).map(function)
    assert dataset.element_spec["list"] == tf.TensorSpec([None], tf.int64)
    assert [int(element["sum"]) for element in dataset] == [0, 2, 4]
    assert seen == [0, 1, 2]


@pytest.mark.usefixtures("_debug")
def test_functions_that_make_datasets_are_traced_in_debug_mode() -> None:
    assert [int(x) for x in Dataset.range(3).flat_map(Dataset.range)] == [0, 0, 1]


def test_debug_mode_is_refused_while_a_function_is_traced() -> None:
    with pytest.raises(ValueError, match="only supported in eager mode"):
        tf.function(tf.data.experimental.enable_debug_mode)()


@pytest.mark.parametrize("name", ["service", "get_model_proto", "make_saveable_from_iterator"])
def test_what_is_not_here_says_what_to_do_in_its_place(name: str) -> None:
    with pytest.raises(AttributeError, match=f"graphwright has no tf.data.experimental.{name}. "):
        getattr(tf.data.experimental, name)
    assert not hasattr(tf.data.experimental, "nothing_like_that")


def test_states_of_keys_are_saved() -> None:
    reducer = tf.data.experimental.Reducer(lambda key: key, lambda s, x: s + x, lambda s: s)
    sums = tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)
    first, second = (iter(Dataset.range(9).apply(sums)) for _ in range(2))
    assert int(next(first)) == 9
    second._reader.restore(first._reader.save())
    assert [int(x) for x in second] == [13, 17]
