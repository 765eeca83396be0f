"""Mistakes with tapes, optimizers and checkpoints are named, with what works; nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import graphwright as tf

X = tf.constant([1.0, 2.0])


def slope(program: Callable[[Any], Any], *asked: Any, **options: Any) -> Any:
    """The gradient of a program of a variable by what is asked for."""
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = program(v)
    return tape.gradient(y, *(asked or (v,)), **options)


def twice() -> None:
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v
    assert float(tape.gradient(y, v)) == 2.0
    tape.gradient(y, v)


def per_row_of_a_scalar() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(X)
    tape.batch_jacobian(y, X)


def without_a_rule() -> None:
    tf.custom_gradient(lambda x: x * 2.0)(X)


def applied(*pairs: Any) -> None:
    tf.optimizers.SGD(0.1).apply_gradients(list(pairs))


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a used tape": (twice, RuntimeError, r"Make it with persistent=True .* tape.gradient\(y, \[a"),
    "a name": (lambda: slope(lambda v: v, "w"), TypeError, "tensors and variables.* got 'w'"),
    "a number": (lambda: slope(lambda v: v, [3.0]), TypeError, "got 3.0 of type 'float'"),
    "a module": (lambda: slope(lambda v: v, tf.Module()), TypeError, "trainable_variables"),
    "too few weights": (
        lambda: slope(lambda v: [v, 2 * v], output_gradients=[X]),
        ValueError,
        "2 targets, 1 output gradients",
    ),
    "no batch": (per_row_of_a_scalar, ValueError, r"shapes are \(\) and \(2,\). tape.jacobian"),
    "no rule": (without_a_rule, TypeError, r"must return .* \(result, grad_fn\), got <tf.Tensor"),
    "no gradients": (
        lambda: applied((None, tf.Variable(1.0, name="w"))),
        ValueError,
        "No gradients provided for any variable: None for each of w:0.* inside the tape",
    ),
    "pairs the wrong way round": (
        lambda: applied((tf.Variable(1.0), tf.constant(2.0))),
        TypeError,
        "in this order; the second of this one is no variable",
    ),
    "no pairs": (lambda: applied(X), TypeError, r"as zip\(gradients, variables\) gives them"),
    "a tensor for pairs": (
        lambda: tf.optimizers.SGD(0.1).apply_gradients(X),
        TypeError,
        r"as zip\(gradients, variables\) gives them",
    ),
    "a word for a rate": (
        lambda: tf.optimizers.Adam("fast"),
        ValueError,
        "should be float, .* learning_rate='fast'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    program, error, words = MISTAKES[name]
    with pytest.raises(error, match=words):
        program()


@pytest.mark.parametrize("staged", [False, True])
def test_a_gradient_of_another_shape_changes_nothing(staged: bool) -> None:
    optimizer = tf.optimizers.Adam(0.1)
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([1.0], name="w")

    def step() -> None:
        optimizer.apply_gradients([(X, v), (X, w)])

    words = r"'w:0' with shape \[1\] using a gradient with shape \[2\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        (tf.function(step) if staged else step)()
    assert v.numpy().tolist() == [1.0, 2.0]
    assert int(optimizer.iterations) == 0
    assert not optimizer.built


def test_what_is_missing_and_what_is_unused_is_said_together(tmp_path: Path) -> None:
    saved = tf.train.Checkpoint(kept=tf.Variable(1.0), old=tf.Variable(2.0))
    path = saved.write(str(tmp_path / "x"))
    status = tf.train.Checkpoint(kept=tf.Variable(0.0), new=tf.Variable(0.0)).read(path)
    with pytest.raises(
        AssertionError, match=r"no variable \(yet\): old\nNo value .* variables new"
    ):
        status.assert_consumed()
