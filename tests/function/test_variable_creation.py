"""Variables that a function creates: once, with the values that its first call gives them."""

from __future__ import annotations

import pytest

import graphwright as tf


class Creating:
    """A function that creates a variable in its first trace."""

    def __init__(self, initial, after=lambda variable, x: variable * x, **options):
        self.made = []

        @tf.function
        def call(x):
            if not self.made:
                self.made.append(tf.Variable(initial(x), **options))
            return after(self.made[0], x)

        self.call = call


@pytest.mark.parametrize(
    ("initial", "value"),
    [
        (lambda x: 3.0, 3.0),
        (lambda x: tf.constant(3.0), 3.0),
        (lambda x: x + 1.0, 3.0),
        (lambda x: tf.cond(x > 0.0, lambda: x * 4.0, lambda: x), 8.0),
        (lambda x: tf.function(lambda y: y - 0.5)(x), 1.5),
    ],
)
def test_the_initial_value_is_that_of_the_first_call(initial, value):
    f = Creating(initial)
    assert f.call(tf.constant(2.0)) == 2.0 * value
    assert f.call(tf.constant(-3.0)) == -3.0 * value
    assert f.made[0].numpy() == value
    assert len(f.made) == 1
    assert f.call.experimental_get_tracing_count() == 1


def test_what_the_program_does_is_not_done_for_initial_values():
    """The graph of the initial values has no effects: they come with the call alone."""
    done, outside = [], tf.Variable(0.0)

    def after(variable, x):
        outside.assign_add(1.0)
        noted = tf.py_function(lambda v: done.append(float(v)) or v, [x], tf.float32)
        return variable + noted

    f = Creating(lambda x: x * 2.0, after)
    assert f.call(tf.constant(1.0)) == 3.0
    assert done == [1.0]
    assert outside.numpy() == 1.0
    assert f.call(tf.constant(2.0)) == 4.0
    assert done == [1.0, 2.0]


def test_an_effect_before_an_initial_value_is_not_done_for_it():
    done = []

    def initial(x):
        tf.py_function(lambda v: done.append(float(v)) or v, [x], tf.float32)
        return x * 2.0

    f = Creating(initial)
    assert f.call(tf.constant(1.5)) == 4.5
    f.call(tf.constant(2.5))
    assert done == []  # the effect is in the trace that created, which no call runs


def test_captures_and_several_variables_take_part():
    outside = tf.ones([200])
    made = []

    @tf.function
    def f(x, y):
        if not made:
            made.append(tf.Variable(tf.reduce_sum(outside) + y))
            made.append(tf.Variable(x * y, trainable=False))
        return made[0] + made[1] + x

    assert f(tf.constant(2.0), tf.constant(3.0)) == 203.0 + 6.0 + 2.0
    assert f.get_concrete_function(1.0, 2.0).trainable_variables == (made[0],)


def test_a_variable_of_a_later_trace_is_refused():
    @tf.function
    def each_time(x):
        return tf.Variable(1.0) + tf.cast(x, tf.float32)

    with pytest.raises(ValueError, match=r"only supports singleton tf\.Variables"):
        each_time(1)

    made = []

    @tf.function
    def later(x):
        if x.dtype == tf.int32:
            made.append(tf.Variable(1.0))
        return x

    later(tf.constant(1.0))
    with pytest.raises(ValueError, match=r"only supports singleton tf\.Variables"):
        later(tf.constant(1))


def test_a_first_trace_that_fails_may_be_made_again():
    made = []

    @tf.function
    def f(x):
        if not made:
            variable = tf.Variable(x)
            if x.dtype == tf.int32:
                raise KeyError("not this one")
            made.append(variable)
        return made[0] + x

    with pytest.raises(KeyError):
        f(tf.constant(1))
    assert f(tf.constant(2.0)) == 4.0


def test_variables_of_a_first_trace_that_fails_have_their_values():
    class Dense(tf.Module):
        w = b = None

        def __call__(self, x):
            if self.w is None:
                self.b = tf.Variable(x[0])  # of an argument: it has no value before a trace ends
                self.w = tf.Variable(tf.fill([x.shape[-1], 2], 0.5))
            return x @ self.w

    layer = Dense()

    @tf.function
    def f(x, y):
        return layer(x) + y

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        f(tf.ones([1, 3]), tf.ones([5, 7]))
    assert f(tf.ones([1, 3]), tf.ones([1, 2])).numpy().tolist() == [[2.5, 2.5]]
    assert layer.w.numpy().tolist() == [[0.5, 0.5]] * 3
    with pytest.raises(tf.errors.FailedPreconditionError):
        layer.b.numpy()


def test_a_function_that_is_called_in_a_trace_creates_variables():
    """Their values may come of constants, random numbers and variables, not of the arguments."""
    held, made = tf.Variable(3.0), []

    @tf.function
    def inner(x):
        if not made:
            made.append(tf.Variable(lambda: held * tf.ones([2])))
            made.append(tf.Variable(tf.random.uniform([2])))
        return made[0] * x + 0.0 * made[1]

    @tf.function
    def outer(x):
        return inner(x + 1.0)

    assert outer(tf.constant(1.0)).numpy().tolist() == [6.0, 6.0]
    assert outer(tf.constant(2.0)).numpy().tolist() == [9.0, 9.0]
    assert 0.0 < made[1].numpy().min() < made[1].numpy().max() < 1.0


def test_a_value_of_the_function_around_is_no_initial_value():
    made = []

    @tf.function
    def inner(x):
        if not made:
            made.append(tf.Variable(x))
        return made[0] * x

    @tf.function
    def outer(x):
        return inner(x + 1.0)

    with pytest.raises(ValueError, match="depends on an argument of a function that is traced"):
        outer(tf.constant(1.0))


def test_a_function_gets_the_very_variable_that_the_call_has():
    """Optimizers know variables by their identity, in the first trace and in each later one."""
    seen, made = [], []

    @tf.function
    def f(variable, x):
        seen.append(variable)
        if not made:
            made.append(tf.Variable(10.0))
        variable.assign_add(x)
        return variable * made[0]

    one, two = tf.Variable(1.0), tf.Variable(2.0)
    assert f(one, tf.constant(1.0)) == 20.0
    assert all(variable is one for variable in seen)
    assert f(two, tf.constant(2.0)) == 40.0
    assert (one.numpy(), two.numpy(), len(seen)) == (2.0, 4.0, 2)


def test_a_variable_of_another_shape_than_the_trace_is_not_handed_on():
    seen = []

    @tf.function(reduce_retracing=True)
    def f(variable):
        seen.append(variable.shape.as_list())
        return tf.reduce_sum(variable)

    assert f(tf.Variable([1.0])) == 1.0
    assert f(tf.Variable([1.0, 2.0])) == 3.0
    assert f(tf.Variable([1.0, 2.0, 3.0])) == 6.0
    assert seen == [[1], [None]]


def test_a_variable_is_created_in_a_branch():
    made = []

    def create(x):
        if not made:
            made.append(tf.Variable(tf.ones([2]) * tf.constant(3.0)))
        return made[0] * x

    @tf.function
    def f(x):
        return tf.cond(x > 0.0, lambda: create(x), lambda: tf.zeros([2]))

    assert f(tf.constant(2.0)).numpy().tolist() == [6.0, 6.0]
    assert f(tf.constant(-1.0)).numpy().tolist() == [0.0, 0.0]
