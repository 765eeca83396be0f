"""Calls that are known go straight to a trace, and mean what they meant the first time."""

from __future__ import annotations

import gc
import itertools
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.function import fast_path
from graphwright.function.fast_path import guard, never

OFTEN = 10  # calls after which each has code of its own


def combine(a, b=2.0, *rest, c=3.0, **others):
    """A number for every way to pass arguments."""
    total = a + 10.0 * b + 100.0 * c
    for i, more in enumerate(rest):
        total += 1000.0 * (i + 1) * more
    for i, name in enumerate(sorted(others)):
        total += 0.1 * (i + 1) * others[name]
    return total


def number(i, kind):
    return {"tensor": tf.constant(float(i)), "float": float(i), "array": np.float32(i)}[kind]


CALLS = [
    lambda *v: ((v[0],), {}),
    lambda *v: ((v[0], v[1]), {}),
    lambda *v: ((v[0],), {"b": v[1]}),
    lambda *v: ((v[0],), {"b": v[1], "c": v[2]}),
    lambda *v: ((v[0],), {"c": v[1], "b": v[2]}),
    lambda *v: ((), {"c": v[0], "b": v[1], "a": v[2]}),
    lambda *v: ((), {"b": v[0], "a": v[1]}),
    lambda *v: ((v[0], v[1], v[2]), {"c": v[0]}),
    lambda *v: ((v[0],), {"z": v[1], "y": v[2]}),
    lambda *v: ((v[0],), {"y": v[1], "c": v[0], "z": v[2]}),
]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(CALLS),
            st.lists(st.sampled_from(["tensor", "float", "array"]), min_size=3, max_size=3),
        ),
        min_size=1,
        max_size=3,
    ),
    st.integers(0, 5),
)
def test_calls_mean_the_same_each_time(calls, first):
    f = tf.function(combine)
    for _, (call, kinds) in itertools.product(range(OFTEN), calls):
        args, kwargs = call(*[number(first + 2 * i, kind) for i, kind in enumerate(kinds)])
        np.testing.assert_allclose(f(*args, **kwargs), combine(*args, **kwargs), rtol=1e-6)


def test_tensors_of_other_values_and_types_are_served_by_their_traces():
    f = tf.function(lambda x, y=1.0: (x * 2, y))
    for x in [1.0, [2.0], 3.0, tf.constant([4.0]), 5, np.float64(6.0)] * OFTEN:
        tensor = tf.constant(x)
        assert f(tensor, y=tensor)[0].dtype is tensor.dtype
        np.testing.assert_array_equal(f(tensor, y=tensor)[0], 2 * tensor.numpy())
    assert f.experimental_get_tracing_count() == 4


@pytest.mark.parametrize("pair", [(1, 1.0), (1, True), (0.0, -1.0), ("a", b"a"), (None, 0)])
def test_python_values_are_told_apart(pair):
    f = tf.function(lambda x, mode: (x, repr(mode)))
    x = tf.constant(1.0)
    for _ in range(OFTEN):
        for mode in pair:
            assert f(x, mode)[1].numpy().decode() == repr(mode)
            assert f(x, mode=mode)[1].numpy().decode() == repr(mode)


KINDS = [(1, True), (1, 1.0), (0.0, -0.0), (-0.0, 0.0), (0j, complex(0.0, -0.0)), (0, False),
         ({1: 2}, {True: 2}), ({1.0: 2}, {1: 2}), ({0.0: 2}, {-0.0: 2})]  # fmt: skip


@pytest.mark.parametrize("pair", KINDS, ids=repr)
@pytest.mark.parametrize("times", [1, OFTEN])
@pytest.mark.parametrize("named", [False, True])
def test_equal_values_are_told_apart_however_often_one_came(pair, times, named):
    f = tf.function(lambda x, mode: (x, repr(mode)))
    x = tf.constant(1.0)
    for mode in (*pair, *pair):
        for _ in range(times):
            result = f(x, mode=mode) if named else f(x, mode)
            assert result[1].numpy().decode() == repr(mode)
    assert f.experimental_get_tracing_count() == 2


def test_nan_is_known():
    f = tf.function(lambda x: x)
    for _ in range(OFTEN):
        assert np.isnan(f(float("nan")))
    assert f.experimental_get_tracing_count() == len(f._fast) == 1


def test_variables_are_told_apart_by_whether_tapes_watch_them():
    def slope(v):
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, v, unconnected_gradients="zero")

    trained, other = tf.Variable(3.0), tf.Variable(3.0, trainable=False)
    for pair in ([trained, other], [other, trained]):
        f = tf.function(slope)
        for v in (*pair, *pair):
            for _ in range(OFTEN):
                assert f(v) == slope(v) == (6.0 if v is trained else 0.0)


def test_structures_are_told_apart():
    f = tf.function(lambda s: tf.add_n(tf.nest.flatten(s)))
    x, y, z = (tf.constant(v) for v in (1.0, 2.0, 4.0))
    shapes = [[x, y], (x, y), {"a": x, "b": y}, {"b": x, "a": y}, {"a": x, "c": y}, [x, y, z],
              [[x], y], {"a": {"b": (x, [y])}}, {"a": x, "b": y, "c": z}]  # fmt: skip
    for _ in range(OFTEN):
        for s in shapes:
            assert f(s) == f(s) == sum(t.numpy() for t in tf.nest.flatten(s))
    assert f.experimental_get_tracing_count() == len(shapes) - 1  # keys have no order


def test_variables_are_told_apart():
    f = tf.function(lambda a, b, c: a + 10.0 * b + 100.0 * c)
    u, v, w = (tf.Variable(float(i)) for i in (1, 2, 3))
    for _ in range(OFTEN):
        for a, b, c in itertools.product([u, v, w], repeat=3):
            expected = a.numpy() + 10 * b.numpy() + 100 * c.numpy()
            assert f(a, b, c) == f(a, c=c, b=b) == f(c=c, b=b, a=a) == expected
        w.assign_add(1.0)


def test_calls_that_are_known_are_bounded(monkeypatch):
    monkeypatch.setattr(fast_path, "_MOST", 5)
    f = tf.function(lambda x: x + 1.0)
    for n in (*range(20), 3):
        assert f(tf.ones([n])).shape == (n,)
        assert len(f._fast) <= 5
    for n in (1, 1):
        assert f(tf.ones([n])).numpy().tolist() == [2.0] * n


def test_wrong_calls_are_refused_each_time():
    f = tf.function(lambda x, y=1.0: x + y)
    x = tf.constant(1.0)
    for _ in range(OFTEN):
        f(x, y=x)
        with pytest.raises(TypeError, match="multiple values"):
            f(x, x=x)
        with pytest.raises(TypeError, match="unexpected"):
            f(x, z=x)


def test_a_structure_that_holds_itself_is_refused_each_time():
    f = tf.function(lambda items: items[0])
    items = [tf.constant(1)]
    assert f(items) == f(items=items) == 1
    items.append(items)
    for call in (lambda: f(items), lambda: f(items=items)):
        with pytest.raises(ValueError, match="contains itself"):
            call()


def test_code_for_a_call_is_shared_and_holds_no_arguments():
    x = tf.ones([3])
    reference = weakref.ref(x)
    ticks = itertools.repeat(None, 2)
    guards = [guard(["a", "b"], (tf.ones([n]),), {"b": [tf.ones([n])]}, ticks) for n in (1, 2)]
    assert guards[0].__code__.co_filename == guards[1].__code__.co_filename
    known = guard(["x"], (x,), {}, ticks)
    (array,) = known((x,), {})
    assert array is x._array
    assert known((1.0,), {}) is None
    assert len(list(ticks)) == 1  # a tick for the call that it let pass
    del x, array
    gc.collect()
    assert reference() is None


def test_code_is_made_for_a_call_that_comes_often_and_for_no_other():
    f = tf.function(lambda x, n=1: x * n)
    x = tf.constant(2)
    made = []
    for _ in range(2 * OFTEN + 4):
        f(x)
        made.append(f._fast.latest[0] is not never)
    f(x, 3)
    assert made == sorted(made)
    assert not made[0]
    assert made[-1]
    assert {entry.guard is None for entry in f._fast.entries.values()} == {True, False}
