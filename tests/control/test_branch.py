"""What branches return, and what of it must agree."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf
from graphwright.control.branch import smart_cond


def rows(x: Any, indices: Any) -> Any:
    return tf.IndexedSlices(x, indices, tf.constant([5, 2]))


@pytest.mark.parametrize("jit", [False, True])
def test_slices_have_the_wider_indices_of_two_branches(jit: bool) -> None:
    """As Keras's optimizers need for embeddings. The outcomes are TensorFlow's."""
    dtypes = []

    @tf.function(jit_compile=jit)
    def f(chosen: Any, x: Any, i: Any, j: Any) -> Any:
        two = tf.cond(
            chosen,
            lambda: {"rows": rows(x, i), "row": x[0]},
            lambda: {"rows": rows(x[:1] * 2.0, tf.unique(j)[0][:1]), "row": x[1]},
        )
        number = tf.cast(chosen, tf.int32)
        more = tf.switch_case(number, [lambda: rows(x, j), lambda: rows(x, i)])
        same = tf.cond(chosen, lambda: rows(x, i), lambda: rows(x, i + 1))
        dtypes[:] = [slices.indices.dtype for slices in (two["rows"], more, same)]
        return tf.convert_to_tensor(two["rows"]), tf.convert_to_tensor(more), two["row"]

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    i, j = tf.constant([0, 3]), tf.constant([1, 4], tf.int64)
    none = [0.0, 0.0]
    first = [[1.0, 2.0], none, none, [3.0, 4.0], none]
    outcomes = {
        True: (first, first, [1.0, 2.0]),
        False: ([none, [2.0, 4.0], none, none, none], [none, [1.0, 2.0], none, none, [3.0, 4.0]]),
    }
    for chosen, outcome in outcomes.items():
        results = f(tf.constant(chosen), x, i, j)
        for result, values in zip(results, outcome):
            assert result.numpy().tolist() == values
    assert dtypes == [tf.int64, tf.int64, tf.int32]


#: Conditions on a [2, 3] tensor that TensorFlow 2.21 decides while it traces, and what it decides.
DECIDED = [
    (lambda x: tf.shape(x)[-1] > 1, True),
    (lambda x: tf.equal(tf.shape(x)[0], 3), False),
    (lambda x: tf.logical_and(tf.shape(x)[0] > 1, tf.shape(x)[1] < 5), True),
    (lambda x: tf.reduce_all(tf.shape(x) > 2), False),
    (lambda x: tf.cast(tf.shape(x)[0], tf.float32) > 1.5, True),
    (lambda x: tf.where(tf.shape(x)[0] > 1, False, True), False),
]


@pytest.mark.parametrize("place", range(len(DECIDED)))
def test_a_condition_on_static_shapes_traces_one_branch(place: int) -> None:
    condition, decision = DECIDED[place]

    @tf.function
    def f(x):
        return smart_cond(condition(x), lambda: calls.append(True), lambda: calls.append(False))

    calls: list[bool] = []
    f.get_concrete_function(tf.TensorSpec([2, 3]))
    assert calls == [decision]


def test_each_side_returns_the_cotangents_that_are_asked_for_and_no_others() -> None:
    """The list makes one side trace its gradient by all operands, where one was asked for."""

    @tf.function
    def f(x: Any, n: Any, y: Any) -> Any:
        if x > 100.0:  # noqa: SIM102 - a branch in a branch
            if n > 0:
                return tf.floor(x), tf.map_fn(lambda s: s, y), x
        return x, tf.math.unsorted_segment_prod(y, [0], 1), y[n % 1]

    x, y, n = tf.constant(1.5), tf.constant([0.25]), tf.constant(4)
    with tf.GradientTape() as outer:
        outer.watch([x, y])
        with tf.GradientTape() as inner:
            inner.watch([x, y])
            results = f(x, n, y)
        slopes = inner.gradient(results[0], [x, y])
    assert [slope.numpy().tolist() for slope in slopes] == [1.0, [0.0]]


def test_a_side_that_is_never_taken_may_hold_what_its_ops_do_not_take(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What the other side remembers has stand-ins there. That is no fault of the engine."""

    def last(x: Any, y: Any) -> Any:
        for t in tf.range(4):
            if t >= 0:
                z = y
                for row in x:
                    sides = [lambda: z, lambda: tf.linalg.matvec(x, row)]  # noqa: B023
                    y = tf.switch_case(tf.constant(1), sides)
            else:
                for _ in tf.range(3):
                    pass
        return y

    @tf.function(jit_compile=True)
    def slope(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = last(x, y)
        return tape.gradient(z, x)

    assert slope(tf.constant([[1.0]]), tf.constant([1.0])).numpy().tolist() == [[2.0]]
    assert "fault of graphwright" not in caplog.text
