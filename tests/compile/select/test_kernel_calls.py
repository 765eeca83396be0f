"""What machine code calls: kernels of ops without a native form, and routines of LAPACK."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from support.native_loops import compared, definite, number
from support.tiers import normal

import graphwright as tf
from graphwright.compile.nests.call_statements import KERNEL, OutsideCall
from graphwright.compile.nests.nest import all_statements
from graphwright.compile.run.inspection import segments
from graphwright.compile.run.kernel_loops import kernel_loops
from graphwright.compile.select import kernel_calls


def calls(function, *arrays):
    """The routines that a function's machine code calls."""
    graph = tf.function(function).get_concrete_function(*map(tf.constant, arrays)).graph
    return {
        s.routine
        for op in segments(graph)
        for s in all_statements(op.lowered[0].body)
        if isinstance(s, OutsideCall)
    }


# -- routines -------------------------------------------------------------------------------


def factored(x, n):
    for i in tf.range(n):
        lower = tf.linalg.cholesky(x) + tf.cast(i, x.dtype)
        x = x + tf.matmul(lower, lower, transpose_b=True) * 0.01
    return x


def solved(lower, adjoint):
    def run(x, n):
        side = x[..., :3] * 0.5
        for _ in tf.range(n):
            side = tf.linalg.triangular_solve(x, side, lower=lower, adjoint=adjoint) + 1.0
            side = tf.linalg.solve(x, side, adjoint=adjoint) - 0.5
        return side

    return run


def inverted(adjoint):
    def run(x, n):
        for _ in tf.range(n):
            x = tf.linalg.inv(x, adjoint=adjoint) * 0.5 + x
        return x

    return run


@pytest.mark.parametrize("shape", [(7, 7), (2, 9, 9)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "function",
    [factored, solved(True, False), solved(False, True), inverted(False), inverted(True)],
    ids=["cholesky", "lower", "upper adjoint", "inverse", "inverse adjoint"],
)
def test_matrices_that_lapack_factors(function, dtype, shape):
    x = definite(*shape, dtype=dtype) + np.triu(np.ones(shape[-1], dtype), 1) * (
        0 if function is factored else 0.3
    )
    x = x.astype(dtype)
    compared(function, x, number(2), dynamic=[False])
    assert KERNEL not in calls(function, x, number(2))
    assert calls(function, x, number(2))


def test_sides_of_any_number():
    def run(x, side, n):
        for _ in tf.range(n):
            side = tf.linalg.triangular_solve(x, tf.linalg.solve(x, side)) * 2.0
        return side

    fast = tf.function(
        run,
        input_signature=[
            tf.TensorSpec([8, 8]), tf.TensorSpec([8, None]), tf.TensorSpec([], tf.int32)
        ],
        jit_compile=True,
    )  # fmt: skip
    assert kernel_loops(fast.get_concrete_function().graph) == []
    x = definite(8, 8)
    for columns in (0, 1, 5):
        side = normal(8, columns)
        expected = run(*map(tf.constant, (x, side, 2)))
        np.testing.assert_allclose(fast(x, side, 2), expected, rtol=1e-4)


@pytest.mark.parametrize(
    "matrix",
    [
        np.diag([1, 1, 1, -1, 1, 1, 1.0]),
        np.diag([0, 1, 1, 1, 1, 1, 1.0]),
        np.diag([1, 1, 1, np.nan, 1, 1, 1]),
        np.diag([1, 1, np.inf, 1, 1, 1, 1]),
        np.triu(np.full((7, 7), np.nan), 1) + np.eye(7) * 2,
    ],
    ids=["indefinite", "singular", "NaN", "infinite", "NaN above"],
)
def test_matrices_that_lapack_refuses(matrix):
    def run(x, n):
        total = tf.zeros([7, 7], x.dtype)
        for _ in tf.range(n):
            total += tf.linalg.cholesky(x)
        return total

    compared(run, matrix, number(2), dynamic=[False], refused=bool(np.isfinite(matrix).all()))


@pytest.mark.parametrize("adjoint", [False, True])
def test_a_singular_matrix_is_refused_in_every_tier(adjoint):
    def inverse(x, n):
        for _ in tf.range(n):
            x = tf.linalg.inv(x, adjoint=adjoint)
        return x

    def solution(x, n):
        side = tf.ones([7, 2], x.dtype)
        for _ in tf.range(n):
            side = tf.linalg.solve(x, side, adjoint=adjoint)
        return side

    for matrix in (np.diag([1.0, 1, 1, 0, 1, 1, 1]), np.full((7, 7), np.nan)):
        for function in (inverse, solution):
            words = set()
            for compiled in (True, False):
                run = tf.function(function, jit_compile=compiled)
                try:
                    words.add(str(run(tf.constant(matrix), tf.constant(1)).numpy().tolist()))
                except tf.errors.InvalidArgumentError as error:
                    words.add(error.message)
            assert len(words) == 1


# -- kernels --------------------------------------------------------------------------------


def eigen(x, n):
    total = tf.zeros(x.shape[-1:], x.dtype)
    for i in tf.range(n):
        total += tf.linalg.eigvalsh(x) * tf.cast(i, x.dtype)
        x = x * 0.9
    return total


def special(x, n):
    for _ in tf.range(n):
        x = tf.math.igamma(tf.abs(x) + 1.0, tf.abs(x)) * 2.0
    return x


def decomposed(x, n):
    for _ in tf.range(n):
        q, r = tf.linalg.qr(x)
        x = tf.matmul(r, q) + tf.eye(tf.shape(x)[0], dtype=x.dtype)
    return tf.abs(x)


def ordered(x, n):
    """A kernel with a constant, and results of several dtypes."""
    places = tf.zeros([12], tf.int32)
    for _ in tf.range(n):
        values, places = tf.math.top_k(x[:, 0], 12)
        x = x + values[0] - tf.cast(places[1], x.dtype)
    return x, places


def branched(x, n):
    """A kernel in a branch of a loop, and what it makes as a loop's variable."""
    for i in tf.range(n):
        if i % 2 == 0:
            x = tf.math.igamma(tf.abs(x) + 1.0, tf.abs(x))
        else:
            y = x - 1.0
            x = y * 0.5
    return x


def asked(x, n):
    """A kernel that a loop's condition calls."""
    turns = 0
    while tf.reduce_sum(tf.math.igamma(x + 1.0, x + 1.0)) < 30.0 and turns < n:
        x = x * 2.0
        turns += 1
    return x, turns


@pytest.mark.parametrize("turns", [0, 3])
@pytest.mark.parametrize("function", [eigen, special, decomposed, branched, asked])
def test_kernels_in_loops(function, turns):
    x = np.abs(definite(5, 5)) if function is asked else definite(5, 5)
    compared(function, x, number(turns), dynamic=[False])
    assert calls(function, x, number(turns)) == {KERNEL}


def test_kernels_with_constants_and_several_results():
    compared(ordered, normal(300, 2), number(3), dynamic=[False])
    assert calls(ordered, normal(300, 2), number(3)) == {KERNEL}


@pytest.mark.parametrize("shape", [(1,), (3, 4), (0, 2)])
def test_kernels_of_arrays_of_any_size(shape):
    if 0 in shape:
        fast = tf.function(
            special,
            input_signature=[tf.TensorSpec([None] * len(shape)), tf.TensorSpec([], tf.int32)],
            jit_compile=True,
        )
        assert fast(tf.zeros(shape), 2).shape == shape
    else:
        compared(special, normal(*shape), number(2), dynamic=[True])


def test_kernels_with_vectors_of_numbers():
    def run(x, n):
        total = tf.zeros([2, 3], x.dtype)
        for i in tf.range(n):
            total += tf.slice(x, [i % 3, tf.shape(x)[1] - 4], [2, 3])
            total = tf.roll(total, [i, 1], [0, 1])
        return total

    compared(run, normal(5, 6), number(4), dynamic=[False])
    compared(run, normal(5, 6), number(4), dynamic=[True])
    assert calls(run, normal(5, 6), number(4)) == {KERNEL}
    for compiled in (True, False):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            tf.function(run, jit_compile=compiled)(tf.zeros([3, 6]), tf.constant(4))


def test_kernels_of_halves():
    def run(x, n):
        for _ in tf.range(n):
            x = tf.math.betainc(x, x, x) + x[:1]
        return x

    def narrow(x, n):
        half = tf.cast(x, tf.bfloat16)
        for _ in tf.range(n):
            half = half + tf.sort(tf.tile(half, [60]))[:300]
        return tf.cast(half, tf.float32)

    compared(run, np.full(3, 0.5, np.float32), number(2), dynamic=[False])
    compared(narrow, normal(300), number(2), dynamic=[False])
    assert calls(narrow, normal(300), number(2)) == {KERNEL}


# -- errors ---------------------------------------------------------------------------------


class Stubborn(Exception):
    """An error that no kernel raises."""


def replaced(monkeypatch, kernel):
    """Has all kernels that machine code calls be another one, around the own."""
    for call in kernel_calls.KERNELS.calls:
        own = call.kernel
        monkeypatch.setattr(call, "kernel", lambda *arrays, own=own: kernel(own, *arrays))


def ready():
    """A function that calls a kernel, and its results."""
    fast = tf.function(special, jit_compile=True)
    return fast, fast(tf.ones([4]), tf.constant(3)).numpy()


def test_an_error_of_a_kernel_is_that_of_the_slow_tier():
    def run(x, n):
        for _ in tf.range(n):
            x = tf.linalg.inv(x)
        return x

    words = []
    for compiled in (True, False):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible") as caught:
            tf.function(run, jit_compile=compiled)(tf.zeros([70, 70]), tf.constant(2))
        words.append(caught.value.message)
    assert words[0] == words[1]


def test_a_kernel_that_refuses_leaves_the_call_to_the_slow_tier(monkeypatch):
    fast, expected = ready()

    def refusing(own, *arrays):
        raise ValueError("no")

    replaced(monkeypatch, refusing)
    np.testing.assert_array_equal(fast(tf.ones([4]), tf.constant(3)), expected)


def test_a_result_of_another_shape_leaves_the_call_to_the_slow_tier(monkeypatch):
    fast, expected = ready()
    replaced(monkeypatch, lambda own, *arrays: own(*arrays)[None])
    np.testing.assert_array_equal(fast(tf.ones([4]), tf.constant(3)), expected)


@pytest.mark.parametrize("error", [Stubborn, KeyboardInterrupt, SystemExit])
def test_an_error_from_elsewhere_goes_through(monkeypatch, error):
    fast, expected = ready()
    raised = []

    def interrupted(own, *arrays):
        if not raised:
            raised.append(error())
            raise raised[0]
        return own(*arrays)

    replaced(monkeypatch, interrupted)
    with pytest.raises(error) as caught:
        fast(tf.ones([4]), tf.constant(3))
    assert caught.value is raised[0]
    np.testing.assert_array_equal(fast(tf.ones([4]), tf.constant(3)), expected)


def test_a_signal_during_a_kernel_ends_the_loop(monkeypatch):
    fast, _ = ready()
    count = []

    def signalled(own, *arrays):
        count.append(1)
        if len(count) == 5:
            signal.raise_signal(signal.SIGINT)
        return own(*arrays)

    replaced(monkeypatch, signalled)
    with pytest.raises(KeyboardInterrupt):
        fast(tf.ones([4]), tf.constant(1_000_000))
    assert len(count) < 100


def test_threads_call_kernels_at_the_same_time():
    fast, expected = ready()
    wrong = []

    def work():
        for _ in range(20):
            result = fast(tf.ones([4]), tf.constant(3)).numpy()
            wrong.extend([result] if not np.array_equal(result, expected) else [])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_update_of_a_variable_is_done_once():
    variable = tf.Variable(tf.ones([70, 70]))

    @tf.function(jit_compile=True)
    def step(n):
        total = variable * 1.0
        for _ in tf.range(n):
            total = total + tf.linalg.inv(total)
        variable.assign_add(total)

    before = variable.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError):
        step(tf.constant(1))
    np.testing.assert_array_equal(variable, before)


def test_a_library_refuses_what_is_outside(tmp_path):
    @tf.function(input_signature=[tf.TensorSpec([10, 10])])
    def run(x):
        for _ in tf.range(3):
            x = x + tf.linalg.eigvalsh(x)
        return tf.linalg.cholesky(x)

    with pytest.raises(ValueError, match="cannot be a library") as caught:
        tf.compile_library(run.get_concrete_function(), tmp_path / "none.so")
    assert "SelfAdjointEigV2" in str(caught.value)


def test_ops_that_have_effects_are_not_called():
    def run(n):
        total = tf.zeros([])
        for _ in tf.range(n):
            total += tf.ensure_shape(tf.py_function(lambda: 1.0, [], tf.float32), [])
        return total

    trace = tf.function(run).get_concrete_function(tf.constant(3))
    (loop,) = kernel_loops(trace.graph)
    assert "EagerPyFunc" in str(loop)
