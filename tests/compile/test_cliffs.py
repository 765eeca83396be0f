"""Ops that used to leave their whole loop to Python: as machine code, against the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from support.native_loops import compared, definite, number
from support.tiers import normal

import graphwright as tf
from graphwright.compile.run.kernel_loops import called_kernels, kernel_loops
from graphwright.ops.random import stateless_random

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES = [*INTEGERS, "float16", "bfloat16", "float32", "float64", "bool"]


def gradient(function):
    """The gradient of a function by its first argument."""

    def derived(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, n)
        return tape.gradient(y, x)

    return derived


# -- vectors of integers --------------------------------------------------------------------


def packed(n):
    total, i = tf.zeros([2], n.dtype), n - n
    while i < n:
        total += tf.stack([i, i + tf.ones([], n.dtype)])
        i += tf.ones([], n.dtype)
    return total


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("turns", [0, 1, 7])
def test_packs_of_integers(dtype, turns):
    compared(packed, number(turns, dtype), dynamic=[False])


@pytest.mark.parametrize("entries", [1, 2, 16])
def test_packs_of_any_length(entries):
    def wide(n):
        total = tf.zeros([entries], tf.int32)
        for i in tf.range(n):
            total = total * 3 + tf.stack([i * k for k in range(entries)])
        return total

    compared(wide, number(5))


def test_a_pack_that_is_too_long_runs_as_kernels():
    @tf.function(jit_compile=True)
    def wide(n):
        total = tf.zeros([17], tf.int32)
        for i in tf.range(n):
            total = total + tf.stack([i] * 17)
        return total

    assert wide(tf.constant(4)).numpy().tolist() == [6] * 17


def carried(n):
    """A pack as a loop variable."""
    pair = tf.stack([n, n])
    for i in tf.range(n):
        pair = tf.stack([pair[1] + 1, pair[0] * 2 - i])
    return pair


def chosen(x, n):
    """Packs and shapes as results of branches."""
    pair = tf.stack([0, 0])
    for i in tf.range(n):
        if i % 2 == 0:
            pair = tf.stack([i, pair[0]])
        elif i % 3 == 0:
            pair = pair + tf.shape(x)
        else:
            pair = tf.shape(x)
    return pair


def shapes(x, n):
    """Shapes and parts of them as tensors."""
    total, last = tf.zeros([2], tf.int32), tf.zeros([1], tf.int64)
    for i in tf.range(n):
        total += tf.shape(x) * i
        last += tf.shape(x, tf.int64)[1:]
    return total, last


def both(x, n):
    """One pack as a tensor and as a shape."""
    total = tf.zeros([], x.dtype)
    for i in tf.range(n):
        dims = tf.stack([tf.shape(x)[1], tf.shape(x)[0]])
        total += tf.reshape(x, dims)[0, 0] * tf.cast(tf.reduce_sum(dims) + i, x.dtype)
    return total


def listed(n):
    """Packs as items of a list."""
    items = tf.TensorArray(tf.int32, size=n, element_shape=[2])
    for i in tf.range(n):
        items = items.write(i, tf.stack([i * i, i + 1]))
    return items.stack()


def board(n):
    """Places that are lists of an index."""
    squares = tf.zeros([8], tf.int32)
    grid = tf.zeros([4, 4])
    for i in tf.range(n):
        squares = tf.tensor_scatter_nd_update(squares, [[i % 8]], [i])
        grid = tf.tensor_scatter_nd_add(grid, [[i % 4, (i * 3) % 4]], [1.0])
    return squares, grid


def sized(x, n):
    """A size from outside of a loop, in a branch in it."""
    size, total = tf.shape(x)[0], tf.zeros([])
    for i in tf.range(n):
        if i < 3:
            total += tf.reduce_sum(tf.ones([size, 2]) * tf.cast(size + i, x.dtype))
        else:
            total -= tf.cast(size, x.dtype)
    return total


def picked(x, n):
    total = tf.zeros([], x.dtype)
    for i in tf.range(n):
        total += tf.gather_nd(x, [i % 3, 0]) + tf.gather(x, [i % 3, i % 2])[0, 0]
    return total


@pytest.mark.parametrize("turns", [0, 1, 9])
@pytest.mark.parametrize("function", [carried, listed, board])
def test_packs_of_counters(function, turns):
    compared(function, number(turns))


@pytest.mark.parametrize("turns", [0, 1, 9])
@pytest.mark.parametrize("function", [chosen, shapes, both, sized, picked])
def test_packs_and_shapes_as_tensors(function, turns):
    compared(function, normal(3, 2), number(turns))


def test_a_place_outside_is_refused_in_every_tier():
    def place(n):
        squares = tf.zeros([8], tf.int32)
        for i in tf.range(n):
            squares = tf.tensor_scatter_nd_update(squares, [[i]], [i])
        return squares

    for compiled in (True, False):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(place, jit_compile=compiled)(tf.constant(9))


# -- gradients of indices -------------------------------------------------------------------


def rows(x, n):
    state = tf.zeros([2], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state + x[t])
    return tf.reduce_sum(state)


def entries(x, n):
    state = tf.zeros([], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state + x[t, t % 2] * x[-1, 0])
    return state


def columns(x, n):
    """Indices behind an axis of which all is taken, and beside a new one."""
    state = tf.zeros([3, 1], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state + x[:, t % 2, tf.newaxis])
    return tf.reduce_sum(state)


def backwards(x, n):
    """Indices that count from the end."""
    state = tf.zeros([2], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state * x[-1 - t])
        state += x[t]
    return tf.reduce_sum(state)


def gathers(x, n):
    state = tf.zeros([2], x.dtype)
    for t in tf.range(n):
        state = tf.tanh(state + tf.gather(x, t))
    return tf.reduce_sum(state)


def over_rows(x, n):
    state = tf.zeros([2], x.dtype)
    for row in x:
        state = tf.tanh(state * tf.cast(n, x.dtype) + row)
    return tf.reduce_sum(state)


@pytest.mark.parametrize("turns", [0, 1, 3])
@pytest.mark.parametrize("function", [rows, entries, columns, backwards, gathers])
def test_gradients_of_indices(function, turns):
    dynamic = [False] if function in (columns, gathers) else [False, True]
    compared(gradient(function), normal(3, 2), number(turns), dynamic=dynamic)


def test_gradients_of_loops_over_rows():
    compared(gradient(over_rows), normal(3, 2), number(2))
    compared(gradient(over_rows), normal(1, 2), number(2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_place_of_a_slice_in_zeros(dtype):
    def spread(dy, places):
        total = tf.zeros([3, 4], tf.int32)
        for place in places:
            begin, end = tf.stack([0, place]), tf.stack([0, place + 1])
            one = tf.raw_ops.StridedSliceGrad(
                shape=[3, 4], begin=begin, end=end, strides=[1, 1], dy=dy,
                begin_mask=1, end_mask=1, shrink_axis_mask=2,
            )  # fmt: skip
            total += tf.cast(one, tf.int32) * (place + 5)
        return total

    dy = tf.cast(tf.constant([1, 0, 1]), dtype).numpy()
    compared(spread, dy, number([3, -4, 1]), dynamic=[False])
    compared(spread, dy, number([2]), dynamic=[False])


def test_an_index_outside_is_refused_by_the_gradient_too():
    def spread(dy, place):
        total = tf.zeros([4])
        for _ in tf.range(2):
            total += tf.raw_ops.StridedSliceGrad(
                shape=[4], begin=tf.stack([place]), end=tf.stack([place + 1]), strides=[1],
                dy=dy, shrink_axis_mask=1,
            )  # fmt: skip
        return total

    for place in (4, -5):
        for compiled in (True, False):
            with pytest.raises((tf.errors.InvalidArgumentError, ValueError, IndexError)):
                tf.function(spread, jit_compile=compiled)(tf.constant(1.0), tf.constant(place))


# -- sizes of variables ---------------------------------------------------------------------


def doubled(x):
    return tf.concat([x, x], 0)


def appended(x):
    return tf.concat([x, x[-1:] + 1.0], 0)


def shortened(x):
    return x[1:] * 2.0


def rotated(x):
    return tf.concat([x[1:], x[:1]], 0)


def repeated(step):
    """A loop with a variable of any length."""

    def run(x, n):
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = step(x)
        return x

    return run


@pytest.mark.parametrize("length", [3, None])
@pytest.mark.parametrize("step", [doubled, appended, shortened])
def test_a_loop_that_changes_a_size_is_not_said_to_be_native(step, length):
    run = tf.function(repeated(step), jit_compile=True)
    trace = run.get_concrete_function(tf.TensorSpec([length]), tf.TensorSpec([], tf.int32))
    (loop,) = kernel_loops(trace.graph)
    assert "an iteration changes the size of a variable" in str(loop)
    x = tf.range(3.0)
    wanted = step(step(x)).numpy().tolist()
    assert run(x, tf.constant(2)).numpy().tolist() == wanted


def test_a_variable_that_is_as_long_afterwards_is_native():
    compared(repeated(rotated), normal(5), number(3))


# -- rows of variables ----------------------------------------------------------------------


def gathered(table):
    """A loop over rows of a variable."""

    def run(indices):
        state = tf.zeros([2], table.dtype)
        for i in tf.range(tf.shape(indices)[0]):
            state = tf.tanh(state + tf.gather(table, indices[i]) + table[0])
            state += tf.gather_nd(table, [[indices[i], 1]])
        return state

    return run


@pytest.mark.parametrize("indices", [[], [2], [0, 2, 1, 1]])
def test_rows_of_variables(indices):
    table = tf.Variable(normal(3, 2))
    run = gathered(table)
    dynamic = [True] if not indices else [False, True]  # what is known to be empty is the kernels'
    compared(run, number(indices), dynamic=dynamic, refused=not indices)

    def derived(indices):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(run(indices) ** 2)
        return tf.convert_to_tensor(tape.gradient(y, table))

    compared(derived, number(indices), dynamic=dynamic, refused=not indices)
    if not indices:
        return  # no row was taken, so eagerly there is no gradient
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(run(tf.constant(indices, tf.int32)) ** 2)
    eager = tf.convert_to_tensor(tape.gradient(y, table))
    np.testing.assert_allclose(derived(tf.constant(indices, tf.int32)), eager, rtol=1e-5)


def test_a_row_outside_of_a_variable_is_refused():
    run = gathered(tf.Variable(normal(3, 2)))
    for compiled in (True, False):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"3 is not in \[0, 3\)"):
            tf.function(run, jit_compile=compiled)(tf.constant([3]))


def test_rows_that_a_loop_changes_are_read_in_each_iteration():
    table = tf.Variable([1, 1, 0])

    @tf.function
    def sums(n):
        for i in tf.range(n):
            table.assign(tf.gather(table, [1, 2, 0]) + i)
        return tf.gather(table, 0)

    assert sums(tf.constant(3)).numpy() == 3 + 1
    assert table.numpy().tolist() == [4, 4, 3]


def test_a_loop_that_draws_reads_variables_before_it():
    table = tf.Variable(normal(3, 2))

    @tf.function
    def walk(n):
        total = tf.zeros([2])
        for i in tf.range(n):
            total += tf.gather(table, i) * tf.random.uniform([])
        return total

    (loop,) = kernel_loops(walk.get_concrete_function(tf.constant(3)).graph)
    assert [obstacle.op for obstacle in loop.obstacles] == ["RandomUniform"]


# -- search ---------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    "rows",
    [
        [[0, 1, 1, 2, 4, 5, 6]],
        [[0, 1, np.nan]],
        pytest.param([[5]], marks=pytest.mark.slow),
        pytest.param([[-1, 0, 2], [0, 0, 0]], marks=pytest.mark.slow),
        pytest.param([[0, 1, np.nan], [-np.inf, 0, np.inf]], marks=pytest.mark.slow),
        pytest.param([[np.nan, np.nan, np.nan]], marks=pytest.mark.slow),
    ],
)
def test_search_in_rows(rows, side):
    def run(rows, values, n):
        total = tf.zeros(values.shape, values.dtype)
        for i in tf.range(n):
            shifted = values + tf.cast(i, values.dtype)
            total = total * 8 + tf.cast(tf.searchsorted(rows, shifted, side), values.dtype)
        return total

    values = [[-9, -1, 0, 0.5, 1, np.nan, np.inf, -np.inf]] * len(rows)
    arrays = number(rows, "float64"), number(values, "float64")
    compared(run, *arrays, number(3), dynamic=[False])
    slow = tf.searchsorted(*arrays, side).numpy()
    for row, places, wanted in zip(*arrays, slow, strict=True):
        if np.isnan(row).any():
            continue  # no order holds NaN, so where a search ends depends on its steps
        passes = [row < v if side == "left" else ~(row > v) for v in places]
        assert wanted.tolist() == [int(p.sum()) for p in passes]


# -- draws ----------------------------------------------------------------------------------


def draws(count):
    def run(logits, n):
        total = tf.zeros([logits.shape[0], count], tf.int64)
        for i in tf.range(n):
            seed = tf.stack([i, 7])
            total = total * 5 + tf.random.stateless_categorical(logits, count, seed=seed)
        return total

    return run


@pytest.mark.parametrize(("shape", "count"), [((1, 1), 1), ((1, 5), 7), ((4, 3), 1), ((4, 3), 5)])
def test_categorical_draws(shape, count):
    compared(draws(count), normal(*shape) * 3, number(6), dynamic=[False])


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "bool"])
def test_categorical_draws_of_each_dtype(dtype):
    logits = tf.cast(tf.constant([[3, 1, 2, 2], [0, 0, 5, 1]]), dtype).numpy()
    compared(draws(3), logits, number(6), dynamic=[False])


def test_categorical_draws_of_logits_that_are_not_finite():
    inf, nan = np.inf, np.nan
    logits = np.array([[0, inf, 1], [nan, 0, 1], [-inf, 0, -inf], [-inf, -inf, -inf]], np.float32)
    compared(draws(3), logits, number(6), dynamic=[False])


@pytest.mark.parametrize("shape", [(1, 9), (3, 4)])
def test_many_categorical_draws(shape, monkeypatch):
    monkeypatch.setattr(stateless_random, "_MOST_COMPARED", 0)
    logits = normal(*shape) * 3
    logits[0, :2] = -np.inf, np.nan
    compared(draws(5), logits, number(6), dynamic=[False])
    graph = tf.function(draws(5)).get_concrete_function(logits, number(6)).graph
    assert called_kernels(graph) == []


# -- small matrices -------------------------------------------------------------------------


def filtered(size):
    """The steps of a filter: factors and solutions of matrices of a fixed size."""

    def run(x, n):
        state = x[..., :2] * 0
        for i in tf.range(n):
            lower = tf.linalg.cholesky(x + tf.cast(i, x.dtype) * tf.eye(size, dtype=x.dtype))
            state += tf.linalg.triangular_solve(lower, x[..., :2])
            state += tf.linalg.triangular_solve(x, state, lower=False)
            state += tf.linalg.triangular_solve(lower, x[..., :2], adjoint=True)
            state += tf.linalg.cholesky_solve(lower, state) + lower[..., :2]
        return state

    return run


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (6, 6), (3, 2, 2)])
def test_small_factors_and_solutions(shape, dtype):
    x = definite(*shape, dtype=dtype)
    compared(filtered(shape[-1]), x, number(2), dynamic=[False])


def test_factors_of_one_number():
    def run(x, n):
        for _ in tf.range(n):
            x = tf.linalg.cholesky(x) + tf.linalg.triangular_solve(x, x)
        return x

    compared(run, np.array([[4.0]]), number(3), dynamic=[False])


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 2], [2, 1]],
        [[0, 0], [0, 1]],
        [[-1, 0], [0, 1]],
        [[np.nan, 0], [0, 1]],
        [[1, 0], [np.nan, 1]],
        [[1, np.nan], [0, 1]],
    ],
)
def test_matrices_without_a_factor(matrix):
    def run(x, n):
        total = tf.zeros([2, 2], x.dtype)
        for _ in tf.range(n):
            total += tf.linalg.cholesky(x)
        return total

    compared(run, np.array(matrix, np.float64), number(2), dynamic=[False])


def test_a_zero_on_the_diagonal_gives_infinities():
    def run(matrix, rhs, n):
        total = tf.zeros([2, 1], rhs.dtype)
        for _ in tf.range(n):
            total += tf.linalg.triangular_solve(matrix, rhs)
        return total

    matrix, rhs = np.array([[2.0, 0.0], [1.0, 0.0]]), np.array([[2.0], [3.0]])
    compared(run, matrix, rhs, number(1), dynamic=[False])


def test_gradients_of_factors():
    def energy(x, n):
        total = tf.zeros([], x.dtype)
        for i in tf.range(n):
            lower = tf.linalg.cholesky(x + tf.cast(i, x.dtype) * tf.eye(2, dtype=x.dtype))
            total += tf.reduce_sum(tf.linalg.triangular_solve(lower, x))
        return total

    compared(gradient(energy), definite(2, 2, dtype="float64"), number(2), dynamic=[False])


@pytest.mark.parametrize("dtype", ["float16", "complex64"])
def test_other_factors_are_the_kernels(dtype):
    def run(x, n):
        for _ in tf.range(n):
            x = tf.linalg.triangular_solve(x, x) + x
        return x

    x = tf.cast(definite(2, 2), dtype)
    fast, slow = [tf.function(run, jit_compile=mode)(x, tf.constant(2)) for mode in (True, False)]
    np.testing.assert_array_equal(fast, slow)


# -- windows --------------------------------------------------------------------------------------


def batches(x, n):
    total = tf.zeros([3, 6])
    for i in tf.range(n):
        total += x[i * 3 : (i + 1) * 3] * tf.cast(i + 1, x.dtype)
    return total


def beside_others(x, n):
    """Windows of an axis of which another index, a new axis or all is taken."""
    total = tf.zeros([2])
    for i in tf.range(n):
        total += x[i, 4 - i : 6 - i] + tf.reduce_sum(
            x[i : i + 2, tf.newaxis, i + 1 : i + 3], [0, 1]
        )
        total += x[:2, 2 * i] + x[-i + 4 : i + 6 - 2 * i, -1]
    return total


def cut_out(x, n):
    total = tf.zeros([2, 3])
    for i in tf.range(n):
        total += tf.slice(x, [i % 3, 1], [2, 3]) + tf.slice(x, tf.stack([1, i]), [2, 3])
    return total


@pytest.mark.parametrize("function", [batches, beside_others, cut_out])
def test_windows(function):
    compared(function, normal(12, 6), number(3))
    graph = tf.function(function).get_concrete_function(normal(12, 6), number(3)).graph
    assert called_kernels(graph) == []


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: x[i : i + 3],
        lambda x, i: x[i * 2 : i * 2 + 4, 1:],
        lambda x, i: tf.slice(x, [i, 0], [3, 2]),
    ],
)
@pytest.mark.parametrize("first", [-2, 0, 3])
def test_windows_that_are_partly_outside(function, first):
    """A slice is shorter then, or counts from the end, and a block is refused."""

    def run(x, first):
        total = 0.0
        for i in tf.range(first, first + 2):
            total += tf.reduce_sum(function(x, i))
        return total

    outcomes = []
    for compiled in (True, False):
        try:
            x = tf.constant(normal(5, 3))
            outcomes.append(float(tf.function(run, jit_compile=compiled)(x, tf.constant(first))))
        except tf.errors.InvalidArgumentError as error:
            outcomes.append(error.message)
    assert outcomes[0] == pytest.approx(outcomes[1])


def test_a_slice_that_grows_is_no_window():
    def run(x, n):
        total = 0.0
        for i in tf.range(n):
            total += tf.reduce_sum(x[i : 2 * i])
        return total

    x, n = tf.constant(normal(8)), tf.constant(4)
    results = [tf.function(run, jit_compile=compiled)(x, n) for compiled in (True, False)]
    assert float(results[0]) == pytest.approx(float(results[1]))
