"""`tf.vectorized_map` is `tf.map_fn` with all rows at once."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpora.random_programs import inputs, run, steps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
            if a.dtype is tf.string:
                assert np.array_equal(a, b)
            else:
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


IMAGES = np.arange(24, dtype=np.float32).reshape(2, 4, 3)


def test_pieces_of_lists() -> None:
    """Of other lengths than each other, but not from row to row."""

    def joined(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 3, infer_shape=False)
        return array.write(0, x[:1]).write(1, x).write(2, x[:2] * 2).concat()

    def parted(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 3])
        return array.read(1), array.read(0), array.concat()

    def scattered(x: Any) -> Any:
        return tf.TensorArray(tf.float32, 6).scatter([3, 1, 0, 2], x).gather([0, 1, 3])

    def written(x: Any) -> Any:
        raw = tf.raw_ops
        items = raw.TensorListReserve(element_shape=[3], num_elements=6, element_dtype=tf.float32)
        items = raw.TensorListSetItem(input_handle=items, index=5, item=x[0] * 10)
        items = raw.TensorListScatterIntoExistingList(
            input_handle=items, tensor=x, indices=[3, 1, 0, 2]
        )
        shape = raw.TensorListElementShape(input_handle=items, shape_type=tf.int64)
        return (
            raw.TensorListStack(
                input_handle=items, element_shape=[3], element_dtype=tf.float32, num_elements=6
            ),
            shape,
        )

    three = (tf.float32,) * 3
    for fn, signature in ((joined, tf.float32), (parted, three), (scattered, tf.float32)):
        same(tf.function(fn), IMAGES, signature=signature)
    same(tf.function(written), IMAGES, signature=(tf.float32, tf.int64))


@pytest.mark.parametrize("shape", [-1, [], [None, 2], [3]])
def test_what_is_known_of_items_in_every_row(shape: Any) -> None:
    @tf.function
    def known(x: Any) -> Any:
        items = tf.raw_ops.EmptyTensorList(
            element_shape=-1 if shape == -1 else [-1 if d is None else d for d in shape],
            max_num_elements=-1,
            element_dtype=x.dtype,
        )
        return tf.raw_ops.TensorListElementShape(input_handle=items, shape_type=tf.int32)

    same(known, X, signature=tf.int32)


def test_the_gradient_of_joined_pieces() -> None:
    @tf.function
    def joined(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 2, infer_shape=False)
        return array.write(0, x[:1]).write(1, x * x).concat()

    def slope(fn: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(fn(x) ** 2)
        return tape.gradient(y, x)

    x = tf.constant(IMAGES)
    found = slope(lambda x: tf.vectorized_map(joined, x), x)
    np.testing.assert_allclose(found, tf.stack([slope(joined, row) for row in x]))


def message(*values: int) -> bytes:
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.extend(values)
    return example.SerializeToString()


def test_records_of_all_rows() -> None:
    lines = np.array([b"1,2.5,a", b"3,,b"], object)
    columns = (tf.int32, tf.float32, tf.string)
    for rows in (lines, lines[:, None]):
        same(lambda r: tuple(tf.io.decode_csv(r, [0, 1.0, "x"])), rows, signature=columns)
    messages = np.array([message(1, 2), message(3, 4)], object)
    feature = {"a": tf.io.FixedLenFeature([2], tf.int64)}
    same(lambda m: tf.io.parse_single_example(m, feature)["a"], messages, signature=tf.int64)
    several = np.stack([messages, messages[::-1]])
    same(lambda m: tf.io.parse_example(m, feature)["a"], several, signature=tf.int64)


@pytest.mark.loops
def test_what_is_sparse_differs_in_length(caplog: pytest.LogCaptureFixture) -> None:
    feature = {"a": tf.io.VarLenFeature(tf.int64)}

    def values(m: Any) -> Any:
        return tf.io.parse_single_example(m, feature)["a"].values

    messages = tf.constant([message(1, 2), message(3, 4)])
    with pytest.raises(ValueError, match="results are of another length in each row"):
        tf.vectorized_map(values, messages, fallback_to_while_loop=False)
    assert tf.vectorized_map(values, messages).numpy().tolist() == [[1, 2], [3, 4]]
    assert "Using a while_loop for converting ParseExampleV2" in caplog.text


SEEDED: dict[str, Callable[[Any], Any]] = {
    "binomial": lambda seed: tf.random.stateless_binomial([4], seed, 9.0, 0.5),
    "categorical": lambda seed: tf.random.stateless_categorical([[0.0, 1.0]], 9, seed),
    "gamma": lambda seed: tf.random.stateless_gamma([4], seed, 2.0),
    "normal": lambda seed: tf.random.stateless_normal([4], seed),
    "poisson": lambda seed: tf.random.stateless_poisson([4], seed, 9.0),
    "shuffle": lambda seed: tf.random.experimental.stateless_shuffle(tf.range(9), seed),
    "truncated": lambda seed: tf.random.stateless_parameterized_truncated_normal([4], seed),
    "uniform": lambda seed: tf.random.stateless_uniform([4], seed, 0, 1 << 20, tf.int32),
}


@pytest.mark.parametrize("name", SEEDED)
def test_each_row_s_seed_draws_what_it_draws_alone(name: str) -> None:
    fn = SEEDED[name]
    seeds = tf.constant([[1, 2], [3, 4], [1, 2]])
    found = tf.vectorized_map(fn, seeds, fallback_to_while_loop=False).numpy()
    assert np.array_equal(found, tf.stack([fn(seed) for seed in seeds]))
    assert np.array_equal(found[0], found[2])
    assert not np.array_equal(found[0], found[1])


def test_text_is_of_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    def fn(x: Any) -> Any:
        tf.print("row", x, output_stream=sys.stdout)
        return tf.strings.format("<{}>", x)

    x = tf.constant([[1, 2], [3, 4]])
    found = tf.vectorized_map(fn, x, fallback_to_while_loop=False)
    assert found.numpy().tolist() == [b"<[1 2]>", b"<[3 4]>"]
    assert capsys.readouterr().out == "row [1 2]\nrow [3 4]\n"


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


@pytest.mark.parametrize("shape", [(2, 3), (5, 3), (2, 5, 3)])
def test_rows_of_any_shape_meet_one_operand(shape: tuple[int, ...]) -> None:
    """One call takes all rows, put together along an axis of theirs."""
    rows = tf.reshape(tf.range(float(np.prod((ROWS, *shape)))), (ROWS, *shape))
    bias, matrix = tf.constant([1.0, 10.0, 100.0]), tf.ones([3, 4])

    def with_bias(x: Any) -> Any:
        return tf.nn.bias_add(x, bias)

    def product(x: Any) -> Any:
        return tf.matmul(x, matrix)

    for function in (with_bias, product):
        found = tf.vectorized_map(function, rows)
        np.testing.assert_array_equal(found, tf.stack([function(x) for x in rows]))
