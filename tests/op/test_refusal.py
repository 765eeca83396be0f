"""What a refusal says: the words of the rule, and the user's call with its arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.op import refusal


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (tf.constant(1.5), "float32 1.5"),
        (tf.constant([1, 2]), "int32 [1, 2]"),
        (tf.range(6), "int32 [0, 1, 2, 3, 4, 5]"),
        (tf.range(7), "int32[7]"),
        (tf.zeros([0]), "float32[0]"),
        (tf.zeros([1, 1]), "float32[1,1]"),
        (tf.constant("s"), "string b's'"),
        (np.float32([1.5]), "array float32 [1.5]"),
        (np.zeros((2, 3)), "array float64[2,3]"),
        (tf.float32, "tf.float32"),
        (tf.TensorSpec([2]), "TensorSpec float32[2]"),
        (tf.TensorSpec, None),
        (len, "<function len>"),
        ("s" * 58, f"'{'s' * 58}'"),
        ("s" * 59, f"'{'s' * 27}...{'s' * 28}'"),
        (10**59, "1" + "0" * 59),
        (10**60, "1" + "0" * 27 + "..." + "0" * 29),
        ([[[[1]]]], "[[[[1]]]]"),
        ([[[[[1]]]]], "[[[[[...]]]]]"),
    ],
)
def test_values_are_shown_in_a_few_words(value: Any, shown: str | None) -> None:
    assert refusal.show(value) == (repr(value) if shown is None else shown)


def test_long_texts_of_objects_are_shortened() -> None:
    class Long:
        def __init__(self, length: int) -> None:
            self.length = length

        def __repr__(self) -> str:
            return "x" * self.length

    assert refusal.show(Long(80)) == "x" * 80
    assert refusal.show(Long(81)) == "x" * 38 + "..." + "x" * 39


def test_calls_are_shown_with_what_is_not_a_default() -> None:
    assert refusal.show_call("f", [("x", 1), ("", [2])]) == "f(x=1, [2])"

    def function(x: Any, y: Any = 5, *more: Any, name: Any = None, **others: Any) -> None: ...

    def arguments(*values: Any, **named: Any) -> Any:
        return list(refusal.arguments_of(function, values, named))

    assert arguments(1) == [("x", 1)]
    assert arguments(1, 5) == [("x", 1)]
    assert arguments(1, 6, 7, 8) == [("x", 1), ("y", 6), ("", 7), ("", 8)]
    assert arguments(1, z=3, name="n") == [("x", 1), ("name", "n"), ("z", 3)]
    assert arguments() == []


def test_an_error_names_the_users_call_once() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.reduce_sum(tf.add(tf.ones([2]), tf.ones([3])))
    text = str(raised.value)
    assert text.count("\n    in ") == 1
    assert "\n    in tf.add(x=float32 [1.0, 1.0], y=float32 [1.0, 1.0, 1.0])" in text
    assert refusal.own_words(raised.value).startswith("Incompatible shapes: [2] vs. [3]")
    assert "\n    in " not in refusal.own_words(raised.value)


def test_words_may_be_said_before() -> None:
    with pytest.raises(TypeError) as raised:
        tf.constant(1.5, tf.int32)
    error = raised.value
    words = refusal.own_words(error)
    assert "\n    in tf.constant(" in str(error)
    refusal.prefix_words(error, "argument 'a': ")
    assert refusal.own_words(error) == str(error) == f"argument 'a': {words}"
    own = ValueError("own")
    refusal.prefix_words(own, "mine: ")
    assert own.args == ("mine: own",)


def test_errors_of_users_and_complete_ones_are_left_alone() -> None:
    def called(error: Exception) -> Exception:
        refusal.name_call(error, "f", called, (error,), {})
        return error

    with pytest.raises(ValueError, match="mine") as users:
        raise ValueError("mine")
    assert called(users.value).args == ("mine",)
    with pytest.raises(ValueError, match="compatible") as raised:
        tf.TensorShape([2]).assert_is_compatible_with([3])
    words = raised.value.args
    assert called(refusal.complete(raised.value)).args == words
    assert called(ValueError()).args == ()


def test_what_is_public_has_its_own_form() -> None:
    own = refusal.own_form(tf.add)
    assert refusal.is_public(tf.add)
    assert not refusal.is_public(own)
    assert refusal.own_form(own) is own
    assert refusal.boundary(tf.add) is tf.add


def test_a_public_form_calls_another_function_from_now_on_and_errors_name_it_once() -> None:
    def half(x: Any, by: Any = 2) -> Any:
        return tf.divide(x, by)

    def total(*terms: Any) -> Any:
        return tf.add_n(list(terms))

    public_half, public_total = refusal.boundary(half), refusal.boundary(total)
    references = [public_half, public_total]
    refusal.replace(public_half, lambda former: lambda x, by=2: -former(x, by))
    refusal.replace(public_total, lambda former: lambda *terms: -former(*terms))
    assert references[0](tf.constant(3.0)).numpy() == -1.5
    assert references[0](x=tf.constant(3.0), by=3).numpy() == -1.0
    assert references[1](tf.constant(3.0), tf.constant(1.0)).numpy() == -4.0
    assert half(tf.constant(3.0)).numpy() == 1.5
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        public_half(tf.zeros([2]), tf.zeros([3]))
    assert str(caught.value).count("tf.divide(") == 1
