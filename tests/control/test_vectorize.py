"""`tf.vectorized_map` is `tf.map_fn` with all rows at once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_programs import inputs, run, steps

import graphwright as tf

ROWS = 4


@pytest.fixture(autouse=True)
def _no_loops(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Any:
    """Nothing here may fall back to a loop, unless a test says so."""
    yield
    if "loops" not in request.keywords:
        assert "Using a while_loop" not in caplog.text


def stacks(seed: int) -> list[Any]:
    """Rows that a random program can start from."""
    rows = [inputs(seed + i) for i in range(ROWS)]
    return [tf.stack(column) for column in zip(*rows)]


def attempt(function: Callable[[], Any]) -> Any:
    """What a function returns; None if it refuses its operands."""
    try:
        return function()
    except (tf.errors.InvalidArgumentError, ValueError, TypeError):
        return None


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps(), st.integers(0, 3), st.lists(st.booleans(), min_size=5, max_size=5))
def test_random_programs(program: Any, seed: int, differ: list[bool]) -> None:
    """Each of the values that a program starts from differs from row to row, or does not."""
    logging.disable(logging.WARNING)
    columns = stacks(seed)
    moving = [c for c, flag in zip(columns, differ) if flag] or columns[:1]

    def body(row: Any) -> Any:
        mine = iter(row)
        flags = differ if any(differ) else [True, False, False, False, False]
        return run(program, [next(mine) if f else c[0] for c, f in zip(columns, flags)])

    alone = [attempt(lambda i=i: body([c[i] for c in moving])) for i in range(ROWS)]
    together = attempt(lambda: tf.vectorized_map(body, moving, fallback_to_while_loop=False))
    traced = attempt(lambda: tf.function(lambda *m: tf.vectorized_map(body, list(m)))(*moving))
    logging.disable(logging.NOTSET)
    if any(results is None for results in alone):
        return
    for found in (together, traced):
        assert len(found) == len(alone[0])
        for column, values in zip(zip(*alone), found):
            assert values.dtype is column[0].dtype
            np.testing.assert_allclose(values, np.stack(column), rtol=1e-4, atol=1e-5)


def same(fn: Callable[[Any], Any], *elems: Any, signature: Any = None) -> Any:
    """Compares a function of all rows, eagerly and traced, with those of each; the first."""
    elems = tuple(map(tf.convert_to_tensor, elems))
    argument = elems if len(elems) > 1 else elems[0]
    expected = tf.map_fn(fn, argument, fn_output_signature=signature or elems[0].dtype)
    found = tf.vectorized_map(fn, argument)
    specs = [tf.TensorSpec([None, *e.shape[1:]], e.dtype) for e in elems]
    traced = tf.function(
        lambda *e: tf.vectorized_map(fn, e if len(e) > 1 else e[0]), input_signature=specs
    )
    for results in (found, traced(*elems)):
        for a, b in zip(tf.nest.flatten(results), tf.nest.flatten(expected)):
            assert a.dtype is b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    return found


X = np.random.RandomState(0).normal(size=(5, 3)).astype(np.float32)
N = np.array([3, 0, 7, 1, 2], np.int32)


def test_a_branch_that_all_rows_take() -> None:
    flag = tf.constant(True)
    same(lambda x: tf.cond(flag, lambda: x * 2, lambda: tf.zeros_like(x)), X)


def test_each_row_takes_its_branch() -> None:
    """The other one does not run for it: it would fail."""

    def fn(row: Any) -> Any:
        x, n = row
        safe = lambda: tf.debugging.check_numerics(tf.math.log(tf.cast(n, tf.float32)), "log") * x  # noqa: E731
        return tf.cond(n > 0, safe, lambda: x - 1)

    same(fn, X, N)


def test_a_switch_by_row() -> None:
    branches = [lambda: tf.constant(1.0), lambda: tf.constant(2.0), lambda: tf.constant(7.0)]
    same(lambda n: tf.switch_case(n, branches), N, signature=tf.float32)
    same(lambda row: tf.switch_case(row[1], [lambda: row[0], lambda: -row[0]]), X, N)


def test_a_loop_as_long_for_all_rows() -> None:
    def fn(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 4)
        state = tf.constant(0), x, array
        body = lambda i, y, a: (i + 1, tf.sin(y) + 1, a.write(i, tf.reduce_sum(y)))  # noqa: E731
        _, y, array = tf.while_loop(lambda i, *_: i < 4, body, state)
        return y, array.stack()

    same(fn, X, signature=(tf.float32, tf.float32))


def test_each_row_stops_by_itself() -> None:
    """The body does not run for rows that have stopped: it would fail."""

    def collatz(n: Any) -> Any:
        def body(n: Any, count: Any) -> Any:
            with tf.control_dependencies([tf.debugging.Assert(n != 1, [n])]):
                return tf.where(n % 2 == 0, n // 2, 3 * n + 1), count + 1

        return tf.while_loop(lambda n, _: n != 1, body, (n, 0))[1]

    found = same(collatz, np.array([27, 1, 6, 97], np.int32))
    assert found.numpy().tolist() == [111, 0, 8, 118]


def test_a_loop_inside_a_loop() -> None:
    def fn(n: Any) -> Any:
        def outer(i: Any, total: Any) -> Any:
            inner = tf.while_loop(lambda j, _: j < i, lambda j, s: (j + 1, s + j * n), (0, 0))
            return i + 1, total + inner[1]

        return tf.while_loop(lambda i, _: i < n, outer, (0, 0))[1]

    same(fn, N)


def test_maps_in_maps_and_in_functions() -> None:
    inner = tf.function(lambda x: tf.vectorized_map(lambda y: y * tf.reduce_sum(x), x))
    same(inner, X)
    same(lambda x: tf.scan(lambda a, b: a * 0.5 + b, x), X)


def test_elements_with_one_row_are_the_same_for_all() -> None:
    found = tf.vectorized_map(lambda p: p[0] * p[1], (tf.constant(X), tf.constant(X[:1])))
    np.testing.assert_allclose(found, X * X[:1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"they have \[2, 5\]"):
        tf.vectorized_map(lambda p: p[0], (tf.constant(X), tf.constant(X[:2])))
    with pytest.raises(IndexError, match="scalar"):
        tf.vectorized_map(lambda p: p, tf.constant(1.0))


def test_what_no_row_changes_is_repeated() -> None:
    found = tf.vectorized_map(lambda _: tf.constant([1, 2]), tf.constant(X))
    assert found.numpy().tolist() == [[1, 2]] * 5


def test_no_rows() -> None:
    found = tf.vectorized_map(lambda x: tf.reduce_sum(tf.reshape(x, [-1])), tf.zeros([0, 3]))
    assert found.shape == [0]


def test_random_numbers_are_new_in_every_row() -> None:
    tf.random.set_seed(1)
    drawn = tf.vectorized_map(lambda _: tf.random.normal([3]), tf.range(1000)).numpy()
    assert len(np.unique(drawn)) == 3000
    assert abs(drawn.mean()) < 0.1
    assert abs(drawn.std() - 1) < 0.1


def test_variables_and_what_is_captured() -> None:
    v, c = tf.Variable([1.0, 2.0, 3.0]), tf.constant(X.sum())
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = tf.reduce_sum(tf.vectorized_map(lambda x: x * v * c, tf.constant(X)))
    by_v, by_c = tape.gradient(y, [v, c])
    np.testing.assert_allclose(by_v, X.sum(axis=0) * c, rtol=1e-5)
    np.testing.assert_allclose(by_c, (X.sum(axis=0) * [1, 2, 3]).sum(), rtol=1e-5)


def test_gradients_of_each_example() -> None:
    w = tf.Variable(X[:3])

    def slope(row: Any) -> Any:
        x, y = row
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.linalg.matvec(w, x) - y))
        return tape.gradient(loss, w)

    same(slope, X, X[::-1].copy())


def test_it_is_traced_once() -> None:
    seen = []
    tf.vectorized_map(lambda x: seen.append(x) or x * 2, tf.constant(X))
    assert len(seen) == 1


@pytest.mark.loops
def test_what_cannot_take_all_rows_runs_in_a_loop(caplog: pytest.LogCaptureFixture) -> None:
    def fn(x: Any) -> Any:
        return tf.unique(tf.argsort(x))[0][0]

    same(fn, X, signature=tf.int32)
    assert "Using a while_loop for converting Unique" in caplog.text
    caplog.clear()
    tf.vectorized_map(fn, tf.constant(X), warn=False)
    assert not caplog.text
    with pytest.raises(ValueError, match="No pfor vectorization defined for Unique"):
        tf.vectorized_map(fn, tf.constant(X), fallback_to_while_loop=False)


@pytest.mark.loops
def test_effects_happen_for_every_row(caplog: pytest.LogCaptureFixture) -> None:
    v = tf.Variable(0.0)

    def fn(x: Any) -> Any:
        v.assign_add(tf.reduce_sum(x))
        return x

    tf.vectorized_map(fn, tf.constant(X))
    np.testing.assert_allclose(v.numpy(), X.sum(), rtol=1e-5)


def test_a_list_from_outside_is_not_changed_by_rows() -> None:
    @tf.function
    def run() -> Any:
        array = tf.TensorArray(tf.float32, 2)
        return tf.vectorized_map(lambda x: array.write(0, x).stack(), tf.constant([1.0, 2.0]))

    with pytest.raises(ValueError, match="it changes a list of outside"):
        run()


def test_a_gradient_of_one_s_own_is_refused_from_outside() -> None:
    @tf.custom_gradient
    def halved(x: Any) -> Any:
        return x, lambda g: g / 2

    x = tf.constant(X)

    def inside(row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = halved(row)
        return tape.gradient(y, row)

    assert np.all(tf.vectorized_map(inside, x).numpy() == 0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(halved, x)
    with pytest.raises(LookupError, match="its rule is for one row"):
        tape.gradient(y, x)
