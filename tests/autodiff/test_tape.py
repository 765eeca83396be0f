"""What a tape keeps, and for how long."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

import graphwright as tf
from graphwright.autodiff.tape import paused


def test_the_watched_variables_are_known_after_the_gradient():
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    assert [w.ref() for w in tape.watched_variables()] == [v.ref()]
    tape.reset()
    assert tape.watched_variables() == ()


def test_a_branch_that_gives_nothing_is_recorded_too():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if tf.reduce_sum(x) > 0.0:
                _ = tf.matmul(tf.zeros([0, 1]), x)
            y = x * x
        return tape.gradient(y, x)

    assert slope(tf.constant([[3.0]])).numpy().tolist() == [[6.0]]


@pytest.mark.parametrize("staged", [False, True])
def test_a_target_that_is_given_twice_counts_twice(staged):
    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient([y, [y, x]], x)

    f = tf.function(slopes) if staged else slopes
    assert f(tf.constant(3.0)) == 6.0 + 6.0 + 1.0


def test_blocks_that_record_nothing_lie_in_each_other():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tape.stop_recording():
            with tape.stop_recording():
                inner = x * x
            after = x * x
            with paused():
                pass
            last = x * x
        with paused():
            with tape.stop_recording():
                pass
            paused_ = x * x
        recorded = x * x
    assert [tape.gradient(y, x) for y in (inner, after, last, paused_)] == [None] * 4
    assert tape.gradient(recorded, x) == 6.0


@pytest.mark.parametrize("leave", ["normally", "by an exception", "by the end of a generator"])
@pytest.mark.parametrize("how", ["stop_recording", "paused"])
def test_a_tape_records_again_however_a_block_is_left(how, leave):
    x = tf.constant(3.0)

    def block():
        with tape.stop_recording() if how == "stop_recording" else paused():
            if leave == "by an exception":
                raise KeyError
            yield

    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError) if leave == "by an exception" else nullcontext():
            for _ in block():
                if leave != "normally":
                    break
        y = x * x
    assert tape.gradient(y, x) == 6.0


def test_loops_that_two_tapes_record_have_the_gradients_of_both():
    """The inner tape's lists of lists are popped by the outer gradient, with zeros in them."""

    def power(x, n):
        y = x
        with tf.GradientTape() as tape:
            tape.watch(x)
            for _ in tf.range(2):
                for _ in tf.range(n):
                    y = y * x
        return y, tape.gradient(y, x)

    @tf.function
    def slopes(x, n):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, slope = power(x, n)
        return y, slope, tape.gradient(y, x), tape.gradient(slope, x)

    result = [float(y) for y in slopes(tf.constant(2.0), tf.constant(3))]
    assert result == [2.0**7, 7 * 2.0**6, 7 * 2.0**6, 42 * 2.0**5]


@pytest.mark.parametrize("staged", [False, True])
def test_only_the_sources_that_are_asked_for_have_a_gradient(staged):
    def slope(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = x * x * w
        return tape.gradient(y, x)

    f = tf.function(slope) if staged else slope
    assert f(tf.constant(3.0), tf.constant(5.0)) == 30.0


def test_a_traced_gradient_starts_with_a_constant_where_the_shape_is_known():
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x)
        return tape.gradient(y, x)

    def ops(*shape):
        concrete = tf.function(slope).get_concrete_function(tf.TensorSpec(shape))
        return [op.type for op in concrete.graph.get_operations()]

    start = ["Placeholder", "Tanh"]
    assert ops(2) == [*start, "Const", "Const", "Fill", "TanhGrad", "Identity"]
    assert ops(None) == [*start, "Shape", "Const", "Fill", "TanhGrad", "Identity"]


def test_an_eager_jacobian_in_a_loop_needs_a_persistent_tape():
    x = tf.constant([[1.0, 2.0]])
    for method in ("jacobian", "batch_jacobian"):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        with pytest.raises(RuntimeError, match="persistent=True"):
            getattr(tape, method)(y, x, experimental_use_pfor=False)


def test_rules_that_no_source_needs_are_not_called():
    called = []

    @tf.custom_gradient
    def noted(w):
        return w * 2.0, lambda upstream: called.append("w") or upstream

    x, w = tf.constant(3.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y = x * noted(w)
    assert tape.gradient(y, x) == 10.0
    assert called == []
    assert tape.gradient(y, w) == 3.0
    assert called == ["w"]


def test_a_source_that_is_not_watched_has_no_gradient():
    """Not even through a call that was recorded for another operand, as in TensorFlow."""
    x, z, v = tf.constant(3.0), tf.constant(5.0), tf.Variable(2.0)
    pair = tf.function(lambda x: (x * v, x))
    with tf.GradientTape(persistent=True) as tape:
        y = x * v
        scaled = y * z
        product, same = pair(x)
    for sources in [x], [x, v]:
        assert tape.gradient(y, sources)[0] is None
        assert tape.jacobian(y, sources)[0] is None
    assert tape.gradient(scaled, [x, z, y])[:2] == [None, None]
    assert tape.gradient(scaled, [x, z, y])[2].numpy() == 5.0
    assert tape.gradient(product, x) is None
    assert tape.gradient(same, x) is None


@pytest.mark.parametrize("staged", [False, True])
def test_a_target_that_is_the_source_has_ones(staged):
    """Whether it is watched or not, as in TensorFlow."""
    v, still = tf.Variable(2.0), tf.Variable(2.0, trainable=False)

    def slopes(x):
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
        weights = [tf.constant(3.0), tf.constant(4.0)]
        return [
            tape.gradient([x, y], x),
            tape.gradient([x, x], x, output_gradients=weights),
            tape.gradient(v, v),
            tape.gradient(still, still),
            tape.jacobian(x, x) is None,
        ]

    results = (tf.function(slopes) if staged else slopes)(tf.constant(3.0))
    assert [float(r) for r in results] == [1.0, 7.0, 1.0, 1.0, True]


def test_a_batch_jacobian_takes_a_batch_whose_size_a_graph_does_not_know() -> None:
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.segment_sum(x * x, tf.cast(x[:, 0], tf.int32))
        return tape.batch_jacobian(y, x)

    assert f(tf.constant([[0.0, 2.0], [1.0, 3.0]])).numpy().tolist() == [
        [[0.0, 0.0], [0.0, 4.0]],
        [[2.0, 0.0], [0.0, 6.0]],
    ]
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([[0.0, 2.0], [0.0, 3.0]]))
