"""Captures that are asked for at each call; TensorFlow 2.21 gave the values."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf

BIG = tf.ones([300])


def trace(**options: Any) -> tuple[Any, Any]:
    """A function that uses the first element of `BIG`, and its trace for a scalar."""
    f = tf.function(lambda x: tf.reduce_sum(x * BIG[:1]), **options)
    return f, f.get_concrete_function(tf.TensorSpec([]))


class Growing:
    """A closure that gives `BIG` times the number of its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        return BIG * float(self.calls)


@pytest.mark.parametrize("jit", [None, True])
@pytest.mark.parametrize("runs_before", [False, True])
def test_a_closure_is_asked_at_each_call(jit: bool | None, runs_before: bool) -> None:
    f, concrete = trace(jit_compile=jit)
    two = tf.constant(2.0)
    if runs_before:
        assert [f(two).numpy(), concrete(two).numpy()] == [2.0, 2.0]
    tensor = concrete.graph.captures[0][0]
    assert tensor is BIG
    closure = Growing()
    assert (
        concrete.replace_capture_with_deferred_capture(tensor, closure, tf.TensorSpec([300]))
        is None
    )
    assert closure.calls == 0
    assert [concrete(two).numpy(), concrete(two).numpy(), f(two).numpy()] == [2.0, 4.0, 6.0]
    assert closure.calls == 3
    assert concrete.captured_inputs[0][0].numpy() == 4.0
    assert len(concrete.inputs) == 2
    assert closure.calls == 4
    variable = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        result = concrete(variable)
    assert (result.numpy(), tape.gradient(result, variable).numpy()) == (15.0, 5.0)
    assert closure.calls == 5


def test_gradients_flow_into_what_the_closure_computes() -> None:
    _, concrete = trace()
    variable = tf.Variable(BIG)
    concrete.replace_capture_with_deferred_capture(
        BIG, lambda: variable * 2.0, tf.TensorSpec([None])
    )
    with tf.GradientTape() as tape:
        result = concrete(tf.constant(2.0))
    assert tape.gradient(result, variable)[:3].numpy().tolist() == [4.0, 0.0, 0.0]


def test_a_call_in_another_trace_is_of_the_closure_too() -> None:
    _, concrete = trace()
    variable = tf.Variable(BIG)
    concrete.replace_capture_with_deferred_capture(
        BIG, lambda: variable * 2.0, tf.TensorSpec([300])
    )
    outer = tf.function(lambda: concrete(tf.constant(2.0)))
    assert outer().numpy() == 4.0
    variable.assign(variable * 2.0)
    assert outer().numpy() == 8.0


def test_a_small_tensor_that_the_function_used() -> None:
    factor, two = tf.constant(4.0), tf.constant(2.0)
    f = tf.function(lambda x: x * factor)
    concrete = f.get_concrete_function(tf.TensorSpec([]))
    assert f(two).numpy() == 8.0
    concrete.replace_capture_with_deferred_capture(
        factor, lambda: tf.constant(10.0), tf.TensorSpec([])
    )
    assert [concrete(two).numpy(), f(two).numpy()] == [20.0, 20.0]
    with tf.GradientTape() as tape:
        tape.watch([factor, two])
        result = concrete(two)
    slopes = tape.gradient(result, [factor, two])
    assert (slopes[0], slopes[1].numpy()) == (None, 10.0)


def test_a_small_tensor_that_shapes_follow_from() -> None:
    size, x = tf.constant(4.0), tf.range(8.0)
    f = tf.function(lambda x: tf.reshape(x, [tf.cast(size, tf.int32), -1]) * 2.0)
    concrete = f.get_concrete_function(tf.TensorSpec([8]))
    with pytest.raises(ValueError, match="shapes in the trace follow from the value"):
        concrete.replace_capture_with_deferred_capture(
            size, lambda: tf.constant(2.0), tf.TensorSpec([])
        )
    assert concrete(x).shape == [4, 2]


@pytest.mark.parametrize("jit", [None, True])
def test_the_handle_of_a_variable(jit: bool | None) -> None:
    one, other = tf.Variable(4.0), tf.Variable(9.0)
    f = tf.function(lambda x: x * one, jit_compile=jit)
    concrete = f.get_concrete_function(tf.TensorSpec([]))
    assert concrete(tf.constant(2.0)).numpy() == 8.0
    concrete.replace_capture_with_deferred_capture(
        one.handle, lambda: other.handle, tf.TensorSpec([], tf.resource)
    )
    assert concrete(tf.constant(2.0)).numpy() == 18.0
    assert concrete.variables == (one,)


@pytest.mark.parametrize(
    ("tensor", "spec", "words"),
    [
        (tf.constant(2.0), tf.TensorSpec([]), "Did not find `tensor` argument 2.0 in the Concrete"),
        (5, tf.TensorSpec([300]), "Did not find `tensor` argument 5 in the ConcreteFunction's cap"),
        (BIG, tf.TensorSpec([]), r"with spec TensorSpec\(shape=\(\), .* that's incompatible with"),
        (BIG, tf.TensorSpec([300], tf.int32), "Attempting to substitute closure with spec"),
    ],
)
def test_what_it_refuses(tensor: Any, spec: tf.TensorSpec, words: str) -> None:
    _, concrete = trace()
    with pytest.raises(ValueError, match=words):
        concrete.replace_capture_with_deferred_capture(tensor, lambda: BIG, spec)
    assert concrete(tf.constant(2.0)).numpy() == 2.0


def test_a_capture_is_replaced_once() -> None:
    _, concrete = trace()
    concrete.replace_capture_with_deferred_capture(BIG, lambda: BIG * 5.0, tf.TensorSpec([300]))
    with pytest.raises(ValueError, match="Did not find `tensor` argument"):
        concrete.replace_capture_with_deferred_capture(BIG, lambda: BIG, tf.TensorSpec([300]))


@pytest.mark.parametrize("jit", [None, True])
def test_what_a_closure_gives_must_fit(jit: bool | None) -> None:
    _, concrete = trace(jit_compile=jit)
    given: list[Any] = [BIG]
    concrete.replace_capture_with_deferred_capture(BIG, lambda: given[0], tf.TensorSpec([300]))
    x = tf.constant(2.0)
    for wrong, kind, words in [
        (tf.ones([300], tf.int32), tf.errors.InvalidArgumentError, "expected to be a float tensor"),
        (2.0, TypeError, "returned"),
        (None, TypeError, "returned"),
        (tf.Variable(BIG), TypeError, "returned"),
        (tf.ones([299]), ValueError, "returned"),  # machine code would read beyond its end
    ]:
        given[0] = wrong
        with pytest.raises(kind, match=words):
            concrete(x)
    given[0] = BIG * 7.0
    assert concrete(x).numpy() == 14.0
