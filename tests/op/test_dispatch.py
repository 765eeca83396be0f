"""Meanings of public functions for composites: `op.dispatch`."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import graphwright as tf
from graphwright.op import dispatch
from graphwright.types.composite import Composite


class Interval(Composite):
    """A composite without a spec: enough to dispatch on."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high


@pytest.fixture
def meanings() -> Iterator[list[Any]]:
    """Targets to take back after the test."""
    targets: list[Any] = []
    yield targets
    for target in targets:
        assert dispatch.forget(target)


def test_the_open_form_has_the_functions_own_signature_and_name() -> None:
    function = dispatch.closed(tf.reduce_sum)
    assert function is not tf.reduce_sum
    assert inspect.signature(tf.reduce_sum) == inspect.signature(function)
    assert tf.reduce_sum.__name__ == "reduce_sum"
    assert tf.reduce_sum.__code__.co_varnames[:2] == ("input_tensor", "axis")
    assert tf.reduce_sum.__doc__ == function.__doc__
    assert dispatch.opened(tf.reduce_sum) is tf.reduce_sum is tf.math.reduce_sum
    with pytest.raises(TypeError, match=r"reduce_sum\(\) missing 1 required positional argument"):
        tf.reduce_sum()


def test_a_meaning_is_used_where_an_argument_is_of_its_kind(meanings: list[Any]) -> None:
    @dispatch.implement(dispatch.closed(tf.concat), Interval)
    def hull(values: Any, axis: Any, name: Any = "concat") -> Any:
        return min(v.low for v in values), max(v.high for v in values), axis, name

    meanings.append(hull)
    assert tf.concat([Interval(1, 2), Interval(5, 7)], 0, name="x") == (1, 7, 0, "x")
    assert tf.concat([[1], [2]], 0).numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="unsupported type"):
        tf.stack([Interval(1, 2)])


def test_a_family_is_served_by_one_handler(meanings: list[Any]) -> None:
    def is_interval(value: Any) -> bool:
        return isinstance(value, Interval)

    dispatch.UNARY.declare(dispatch.closed(tf.exp))

    @dispatch.UNARY.handle(is_interval)
    def each(function: Any, x: Any) -> Any:
        return Interval(function(x.low), function(x.high))

    meanings.append(each)
    result = tf.exp(Interval(0.0, 1.0))
    assert float(result.low) == pytest.approx(1.0)
    assert float(result.high) == pytest.approx(2.7182818)


def test_the_functions_own_refusal_is_raised_where_nothing_else_is_meant(
    meanings: list[Any],
) -> None:
    @dispatch.implement(dispatch.closed(tf.rank), Interval)
    def unsure(input: Any, name: Any = None) -> Any:
        return NotImplemented

    meanings.append(unsure)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.rank(Interval(0, 1))
    with pytest.raises(ValueError, match="unsupported type"):
        tf.rank(object())


def test_a_call_that_fits_no_parameters_is_refused_in_the_functions_words() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        tf.add(1, 2, foo=3)
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        tf.print(1, foo=3)


@pytest.mark.parametrize("function", [tf.add, tf.nn.relu, tf.reduce_sum, tf.linalg.trace])
def test_public_functions_can_be_pickled(function):
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_function_that_is_not_open_is_its_own_closed_form() -> None:
    def own(x: Any) -> Any:
        return x

    assert dispatch.closed(own) is own
    assert dispatch.closed(dispatch.closed(tf.exp)) is dispatch.closed(tf.exp)


def test_a_call_that_a_function_refuses_means_what_others_say(meanings: list[Any]) -> None:
    function = dispatch.closed(tf.concat)

    @dispatch.implement(function, Interval)
    def first(values: Any, axis: Any, name: Any = "concat") -> Any:
        return values[0].low, axis

    meanings.append(first)
    assert dispatch.call(function, [Interval(1, 2)], 0) == (1, 0)
    assert dispatch.call(function, [[1]], 0).numpy().tolist() == [1]


@pytest.mark.parametrize("name", ["ragged", "sparse"])
def test_a_meaning_costs_no_text_of_the_value(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value = tf.ragged.constant([[1.0], [2.0, 3.0]])
    if name == "sparse":
        value = value.to_sparse()

    def shown(self: Any) -> str:
        raise AssertionError("nobody reads this text")

    monkeypatch.setattr(type(value), "__repr__", shown)
    monkeypatch.setattr(type(value), "__str__", shown)
    for function in (tf.abs, tf.identity, tf.shape, tf.size, lambda x: tf.cast(x, tf.int32)):
        function(value)
