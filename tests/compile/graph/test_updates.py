"""Variables that machine code changes: read at a segment's start, written at its end."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.select.native_op import NativeUpdate
from graphwright.compile.select.segments import partition


def parts(function, *specs):
    """The nodes of a function as it runs natively, without what only names values."""
    graph = partition(simplify(function.get_concrete_function(*specs).graph))
    return [n for n in graph.nodes if n.op.type_name not in ("Placeholder", "Const")]


def updates(function, *specs):
    return [n for n in parts(function, *specs) if isinstance(n.op, NativeUpdate)]


def trained(jit, steps=4):
    """A dense layer trained by Adam: what each step returned, and the variables at the end."""
    w, b = tf.Variable(np.ones((3, 4), np.float32)), tf.Variable(np.ones(4, np.float32))
    optimizer = tf.optimizers.Adam(0.1)

    @tf.function(jit_compile=jit)
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w + b))
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
        return loss, optimizer.iterations, w + 1.0

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    result = [r.numpy() for _ in range(steps) for r in step(x)]
    return step, [*result, *[v.numpy() for v in (w, b)]]


def test_a_step_of_training_is_one_native_call():
    (_, slow), (step, fast) = trained(False), trained(True)
    for a, b in zip(slow, fast):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)
    result = [n for n in parts(step, tf.TensorSpec([2, 3])) if n.op.type_name != "ReadVariableOp"]
    assert [type(n.op) for n in result] == [NativeUpdate]


def test_what_was_assigned_is_read_again_without_the_variable():
    v = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def f(x):
        v.assign_add(x * 2.0)
        first = v.read_value()
        v.assign(first * first)
        v.assign_sub(x)
        return first, v + 0.0

    first, last = f(tf.constant([1.0, 1.0]))
    assert first.numpy().tolist() == [3.0, 4.0]
    assert last.numpy().tolist() == v.numpy().tolist() == [8.0, 15.0]
    assert len(parts(f, tf.TensorSpec([2]))) == 1


def test_handles_that_may_be_one_variable_keep_the_order_of_effects():
    v, w = tf.Variable([1.0]), tf.Variable([1.0])

    @tf.function(jit_compile=True)
    def f(other):
        v.assign_add([1.0])
        other.assign_add(other * 10.0)
        v.assign_add(v * 100.0)
        return other + 0.0

    assert f(w).numpy().tolist() == [11.0]
    assert f(v).numpy().tolist() == [(2.0 * 101.0 + 1.0) * 11.0 * 101.0]
    assert f.experimental_get_tracing_count() == 1


def test_a_variable_that_a_trace_was_given_is_the_argument_wherever_it_stands():
    """As in TensorFlow, whose numbers these are: the trace of `f(v)` knows one variable alone."""
    v, w = tf.Variable([1.0]), tf.Variable([1.0])

    @tf.function(jit_compile=True)
    def f(other):
        v.assign_add([1.0])
        other.assign_add(other * 10.0)
        v.assign_add(v * 100.0)
        return other + 0.0

    assert f(v).numpy().tolist() == [2222.0]
    assert f(w).numpy().tolist() == [2222.0]
    assert (v.numpy(), w.numpy()) == ([2222.0], [2222.0])


def test_what_looks_at_variables_from_outside_sees_them_in_order():
    v, seen = tf.Variable([0.0]), []

    @tf.function(jit_compile=True)
    def f(x):
        v.assign_add(x)
        tf.py_function(lambda: seen.append(float(v.numpy()[0])), [], [])
        v.assign_add(x * 2.0)
        tf.py_function(lambda: seen.append(float(v.numpy()[0])), [], [])

    f(tf.constant([1.0]))
    assert seen == [1.0, 3.0]


def test_an_update_that_does_not_fit_is_refused():
    v = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])])
    def f(x):
        v.assign_add(x * 1.0)

    f(tf.constant([1.0, 1.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal"):
        f(tf.constant([1.0]))
    assert v.numpy().tolist() == [2.0, 3.0]


def test_a_call_that_machine_code_cannot_do_changes_variables_once():
    v = tf.Variable([10, 10])

    @tf.function(jit_compile=True)
    def f(x):
        v.assign_add(100 // x)

    f(tf.constant([1, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
        f(tf.constant([1, 0]))
    assert v.numpy().tolist() == [110, 60]
    f(np.array([[1, 5], [2, 5]], np.int32)[:, 0])  # not contiguous
    assert v.numpy().tolist() == [210, 110]


def test_threads_lose_no_update(unchecked):
    counts = [tf.Variable(np.zeros(64, np.float64)) for _ in range(3)]

    @tf.function(jit_compile=True)
    def f(x):
        for k, v in enumerate(counts):
            v.assign_add(x * (k + 1.0))

    one = tf.ones([64], tf.float64)
    f(one)
    threads = [threading.Thread(target=lambda: [f(one) for _ in range(300)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [set(v.numpy()) for v in counts] == [{1801.0 * (k + 1)} for k in range(3)]


def test_what_was_read_before_stays_as_it_was():
    v = tf.Variable(np.zeros(1000, np.float32))
    f = tf.function(lambda: v.assign_add(tf.ones([1000])), jit_compile=True)
    held, view = v.read_value(), v.numpy()[::2]
    f()
    f()
    assert not held.numpy().any()
    assert not view.any()
    assert v.numpy()[0] == 2.0


def test_a_segment_does_not_hold_many_large_variables_at_once():
    variables = [tf.Variable(tf.zeros([1 << 20])) for _ in range(6)]  # 4 MiB each

    @tf.function
    def f(x):
        for v in variables:
            v.assign_add(x)

    assert len(updates(f, tf.TensorSpec([1 << 20]))) == 3


def test_a_loop_that_updates_variables_is_one_segment():
    v, w = tf.Variable(0.0), tf.Variable([1.0, 1.0])

    @tf.function(jit_compile=True)
    def f(n):
        for i in tf.range(n):
            v.assign_add(tf.cast(i, tf.float32))
            w.assign(w * 2.0)

    f(tf.constant(5))
    assert v.numpy() == 10.0
    assert w.numpy().tolist() == [32.0, 32.0]
    nodes = parts(f, tf.TensorSpec([], tf.int32))
    assert [type(n.op) for n in nodes if n.op.type_name in ("While", "_Native")] == []
    assert sum(isinstance(n.op, NativeUpdate) for n in nodes) == 1


def descent(form):
    """Steps that change a matrix by a product: how, and what NumPy makes of it."""
    w = tf.Variable(np.linspace(-1, 1, 300 * 260, dtype=np.float32).reshape(300, 260))
    slow = tf.Variable(np.full((300, 260), 0.5, np.float32))
    rate = tf.Variable(0.25)

    def step(x, g):
        product = tf.matmul(x, g, transpose_a=True)
        if form == "minus":
            w.assign_sub(0.25 * product)
        elif form == "minus, by a variable":
            w.assign_sub(product * rate)
        elif form == "plus":
            w.assign_add(product)
        elif form == "difference":
            w.assign(w - rate * product)
        elif form == "sum":
            w.assign(product + w * 0.5)
        elif form == "momentum":
            slow.assign(0.5 * slow - product * 0.25)
            w.assign_add(slow)
        return w + 0.0

    def expected(x, g):
        product, before = x.T @ g, w.numpy()
        sums = {"plus": before + product, "sum": product + before * 0.5}
        sums["momentum"] = before + 0.25 - 0.25 * product
        return sums.get(form, before - 0.25 * product)

    return step, expected


def matrices(seed=0):
    random = np.random.default_rng(seed)
    return [random.normal(size=(64, n)).astype(np.float32) for n in (300, 260)]


FORMS = ["minus", "minus, by a variable", "plus", "difference", "sum", "momentum"]


@pytest.mark.parametrize("form", FORMS)
def test_products_update_variables_as_they_are_computed(form):
    step, expected = descent(form)
    x, g = matrices()
    wanted = expected(x, g)
    f = tf.function(step, jit_compile=True)
    np.testing.assert_allclose(f(x, g).numpy(), wanted, rtol=1e-5, atol=1e-4)
    names = [n.op.type_name for n in parts(f, tf.constant(x), tf.constant(g))]
    assert "_ProductUpdate" in names
    assert "MatMul" not in names


def test_what_was_read_before_an_update_by_a_product_is_the_old_value():
    x, g = matrices()
    w = tf.Variable(np.ones((300, 260), np.float32))
    array = w.read_value()

    @tf.function(jit_compile=True)
    def f(x, g):
        before = w.read_value()
        w.assign_sub(tf.matmul(x, g, transpose_a=True))
        middle = w.read_value()
        w.assign_sub(
            tf.matmul(x, tf.matmul(g, before, transpose_b=True)[:, :260], transpose_a=True)
        )
        return before, middle, w

    before, middle, after = [r.numpy() for r in f(x, g)]
    one = np.ones((300, 260), np.float32)
    product = x.T @ g
    np.testing.assert_array_equal(before, one)
    np.testing.assert_array_equal(array.numpy(), one)
    np.testing.assert_allclose(middle, one - product, rtol=1e-4, atol=1e-3)
    second = x.T @ (g @ one.T)[:, :260]
    np.testing.assert_allclose(after, one - product - second, rtol=1e-4, atol=1e-2)
    np.testing.assert_array_equal(w.numpy(), after)


def test_a_variable_is_updated_by_a_product_with_itself():
    w = tf.Variable(np.linspace(0, 1, 300 * 300, dtype=np.float32).reshape(300, 300))
    before = w.numpy().copy()
    f = tf.function(lambda: w.assign_sub(0.5 * tf.matmul(w, w)), jit_compile=True)
    f()
    np.testing.assert_allclose(w.numpy(), before - 0.5 * before @ before, rtol=1e-4, atol=1e-3)


def test_a_product_that_is_needed_elsewhere_is_computed_by_itself():
    x, g = matrices()
    w = tf.Variable(np.ones((300, 260), np.float32))

    @tf.function(jit_compile=True)
    def f(x, g):
        product = tf.matmul(x, g, transpose_a=True)
        w.assign_sub(product)
        return product

    np.testing.assert_allclose(f(x, g).numpy() + w.numpy(), 1, atol=1e-3)
    assert "_ProductUpdate" not in [
        n.op.type_name for n in parts(f, tf.constant(x), tf.constant(g))
    ]


def test_an_old_value_that_was_written_over_is_no_part_of_an_update():
    x, g = matrices()
    w = tf.Variable(np.ones((300, 260), np.float32))

    @tf.function(jit_compile=True)
    def f(x, g):
        before = w.read_value()
        w.assign(before * 3.0)
        w.assign(before - tf.matmul(x, g, transpose_a=True))

    f(x, g)
    np.testing.assert_allclose(w.numpy(), 1 - x.T @ g, rtol=1e-4, atol=1e-3)


SCATTERS = ["scatter_add", "scatter_sub", "scatter_mul", "scatter_div", "scatter_max",
            "scatter_min", "scatter_update", "scatter_nd_add", "slice"]  # fmt: skip


def scatter(w, how, value):
    """Changes a row of a variable in one of the ways in which that can be done."""
    rows = tf.fill([1, w.shape[1]], value)
    if how == "slice":
        w[5:6].assign(rows)
    elif how == "scatter_nd_add":
        w.scatter_nd_add([[5]], rows)
    else:
        getattr(w, how)(tf.IndexedSlices(rows, [5]))


@pytest.mark.parametrize("how", SCATTERS)
def test_an_old_value_that_was_scattered_into_is_no_part_of_an_update(how):
    x, g = matrices()
    w, other = (tf.Variable(np.ones((300, 260), np.float32)) for _ in range(2))

    @tf.function(jit_compile=True)
    def f(x, g):
        before = w.read_value()
        scatter(w, how, 0.5)
        after = w.read_value()
        w.assign(before - tf.matmul(x, g, transpose_a=True))
        return after

    after = f(x, g)
    np.testing.assert_allclose(w.numpy(), 1 - x.T @ g, rtol=1e-4, atol=1e-3)
    scatter(other, how, 0.5)
    np.testing.assert_array_equal(after, other)


@pytest.mark.parametrize("how", SCATTERS)
@pytest.mark.parametrize("jit", [False, None, True])
def test_what_was_read_before_a_scatter_is_not_read_again(how, jit):
    w, other = (tf.Variable(np.ones((8, 4), np.float32)) for _ in range(2))

    @tf.function(jit_compile=jit)
    def f(x):
        first = w.read_value()
        scatter(w, how, 0.5)
        return first * x, w.read_value() * x

    first, second = f(2.0)
    scatter(other, how, 0.5)
    np.testing.assert_array_equal(first, np.full((8, 4), 2.0))
    np.testing.assert_array_equal(second, 2.0 * other.numpy())


def test_handles_that_may_be_one_matrix_keep_the_order_of_effects():
    x, g = matrices()
    w = tf.Variable(np.ones((300, 260), np.float32))

    @tf.function(jit_compile=True)
    def f(other, x, g):
        other.assign(other * 3.0)
        w.assign_sub(tf.matmul(x, g, transpose_a=True))
        other.assign(other * 2.0)

    f(w, x, g)
    np.testing.assert_allclose(w.numpy(), 2 * (3 - x.T @ g), rtol=1e-4, atol=1e-3)


def test_threads_lose_no_update_by_a_product(unchecked):
    x, g = [np.ones((64, n), np.float32) for n in (300, 260)]
    w = tf.Variable(np.zeros((300, 260), np.float32))
    b = tf.Variable(np.zeros(260, np.float32))

    @tf.function(jit_compile=True)
    def f(x, g):
        w.assign_add(tf.matmul(x, g, transpose_a=True))
        b.assign_add(tf.reduce_sum(g, 0))
        return w[0, 0]

    threads = [threading.Thread(target=lambda: [f(x, g) for _ in range(40)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(w.numpy().ravel()) == set(b.numpy()) == {64.0 * 160}


def test_updates_by_products_wait_for_what_is_one_segment():
    x, g = matrices()
    w, b = tf.Variable(np.ones((300, 260), np.float32)), tf.Variable(np.ones(260, np.float32))

    @tf.function(jit_compile=True)
    def f(x, g):
        g = tf.nn.relu(g)
        w.assign_sub(tf.matmul(x, g, transpose_a=True))
        b.assign_sub(tf.reduce_sum(g, 0))

    f(x, g)
    np.testing.assert_allclose(w.numpy(), 1 - x.T @ g.clip(0), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(b.numpy(), 1 - g.clip(0).sum(0), rtol=1e-4, atol=1e-3)
    types = [n.op.type_name for n in parts(f, tf.constant(x), tf.constant(g))]
    assert types == ["_NativeUpdate", "_ProductUpdate"]


def test_an_update_by_a_product_has_happened_when_what_follows_fails():
    x, g = matrices()
    w, n = tf.Variable(np.ones((300, 260), np.float32)), tf.Variable([6, 6])

    @tf.function(jit_compile=True)
    def f(x, g, by):
        w.assign_sub(tf.matmul(x, g, transpose_a=True))
        n.assign(n // by)

    with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
        f(x, g, [1, 0])
    np.testing.assert_allclose(w.numpy(), 1 - x.T @ g, rtol=1e-4, atol=1e-3)
    assert n.numpy().tolist() == [6, 6]
