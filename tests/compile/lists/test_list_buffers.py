"""Lists in machine code: the same results and errors as the kernels', in place and in one piece."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.interruptions import is_interrupted
from support.tiers import differences

import graphwright as tf
from graphwright.compile.lists.list_types import is_whole
from graphwright.compile.run.inspection import outside


def compiled(function, specs, native=True):
    """A function traced for some specs; wholly native, if it is compiled and `native`."""
    staged = tf.function(function, input_signature=specs, jit_compile=True)
    left = [(n.op.type_name, why) for n, why in outside(staged.get_concrete_function().graph)]
    assert not native or not left
    return staged


def flat(results):
    """Results as arrays."""
    return [np.asarray(r) for r in tf.nest.flatten(results)]


def agree(function, *arrays, dims=None, native=True):
    """Compares machine code with eager execution; `dims` are the shapes that are traced."""
    all_agree(function, [arrays], dims, native)


def all_agree(function, calls, dims=None, native=True):
    """Compares calls of machine code, which is made once, with eager execution."""
    shapes = dims or [a.shape for a in calls[0]]
    specs = [tf.TensorSpec(d, a.dtype) for d, a in zip(shapes, calls[0])]
    staged = compiled(function, specs, native)
    for arrays in calls:
        own = flat(staged(*arrays))
        expected = flat(function(*[tf.constant(a) for a in arrays]))
        for x, y in zip(own, expected, strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)


def normal(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


# -- random loops ---------------------------------------------------------------------------

STEPS = st.lists(
    st.sampled_from(
        ["write", "mirror", "again", "append", "branch", "read", "product", "rows", "last"]
    ),
    min_size=1,
    max_size=6,
)


def looped(steps, count, x):
    """A loop that does some things with a list of `count` items and one that grows."""
    fixed = tf.TensorArray(tf.float32, count, element_shape=[2, 2], clear_after_read=False)
    grown = tf.TensorArray(tf.float32, 0, True, element_shape=[2, 2], clear_after_read=False)
    numbers = tf.TensorArray(tf.int32, 0, True, clear_after_read=False)
    for i in tf.range(count):
        grown = grown.write(grown.size(), tf.tanh(x))
        numbers = numbers.write(i, i * i)
        for step in steps:
            if step == "write":
                fixed = fixed.write(i, x)
            elif step == "mirror":
                fixed = fixed.write(count - 1 - i, x - 1.0)
            elif step == "again":
                fixed = fixed.write(i, fixed.read(i) + x)
            elif step == "append":
                grown = grown.write(grown.size(), x * 0.5)
            elif step == "branch":
                if tf.reduce_sum(x) > 0.0:
                    fixed = fixed.write(i, -x)
                    x = x - 0.5
                else:
                    grown = grown.write(grown.size(), x)
            elif step == "read":
                x = x + tf.sin(grown.read(grown.size() // 2))
            elif step == "product":
                x = tf.tanh(x @ x)
            elif step == "rows":
                x = tf.map_fn(lambda row: row / (1.0 + tf.reduce_sum(row * row)), x)
            else:
                x = x + fixed.read(count - 1)
    return x, fixed.stack(), grown.stack(), numbers.stack()


@given(STEPS, st.integers(1, 5), st.booleans())
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_loops_over_lists_agree_with_eager_execution(steps, count, sloped):
    def run(x):
        return looped(steps, count, x)

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = looped(steps, count, x)
            loss = tf.add_n([tf.reduce_sum(r * r) for r in results[:3]])
        return tape.gradient(loss, x)

    x = normal(2, 2)
    agree(slope if sloped else run, x, native=not sloped)


# -- loops as programs have them ------------------------------------------------------------


def recurrent(x, inner, outer, bias):
    rows = tf.transpose(x, [1, 0, 2])
    state = tf.zeros([tf.shape(rows)[1], outer.shape[0]])
    states = tf.TensorArray(tf.float32, tf.shape(rows)[0])
    for i in tf.range(tf.shape(rows)[0]):
        state = tf.tanh(rows[i] @ inner + state @ outer + bias)
        states = states.write(i, state)
    return states.stack()


def slopes_of_recurrent(*given):
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = tf.reduce_mean(tf.square(recurrent(*given)))
    return tape.gradient(loss, given[1:])


WEIGHTS = [normal(3, 5) / 2, normal(5, 5) / 2, normal(5)]


@pytest.mark.parametrize("dims", [[2, 4, 3], [None, None, 3]])
@pytest.mark.parametrize("function", [recurrent, slopes_of_recurrent])
def test_a_recurrence_and_its_gradient_are_native(function, dims):
    shapes = [dims, *[w.shape for w in WEIGHTS]]
    agree(function, normal(2, 4, 3), *WEIGHTS, dims=shapes)


def test_one_compilation_serves_every_length():
    specs = [tf.TensorSpec(d, tf.float32) for d in ([None, None, 3], [3, 5], [5, 5], [5])]
    staged = compiled(slopes_of_recurrent, specs)
    for length, batch in ((1, 1), (2, 3), (9, 2), (30, 8)):
        x = normal(batch, length, 3)
        own, expected = staged(x, *WEIGHTS), slopes_of_recurrent(*map(tf.constant, (x, *WEIGHTS)))
        for a, b in zip(flat(own), flat(expected)):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)


def test_wide_products_are_packed_once_and_added_up_in_place():
    weights = [normal(40, 130) / 6, normal(130, 130) / 11, normal(130)]
    agree(slopes_of_recurrent, normal(33, 3, 40), *weights)


def mapped(x):
    return tf.map_fn(lambda row: tf.reduce_sum(tf.sin(row)) * row, x)


def scanned(x):
    return tf.scan(lambda total, row: tf.sin(total) * row + total, x)


def slope(function):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(function(x) ** 2)
        return tape.gradient(loss, x)

    return gradient


@pytest.mark.parametrize("dims", [[4, 3], [None, 3]])
@pytest.mark.parametrize("function", [mapped, scanned, slope(mapped), slope(scanned)])
def test_maps_and_scans_are_native(function, dims):
    agree(function, normal(4, 3), dims=[dims])


def second(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(slope(scanned)(x) ** 2)
    return tape.gradient(loss, x)


def second_of_recurrent(*given):
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = tf.add_n([tf.reduce_sum(tf.square(g)) for g in slopes_of_recurrent(*given)])
    return tape.gradient(loss, given[1:])


def test_second_derivatives_are_native():
    """Where sizes are known; else the sums to unknown shapes that they differentiate are calls."""
    agree(second, normal(4, 3))
    agree(second, normal(4, 3), dims=[[None, 3]], native=False)
    agree(second_of_recurrent, normal(2, 4, 3), *WEIGHTS)


def positive(x):
    kept = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])
    for row in x:
        if row > 0.0:
            kept = kept.write(kept.size(), row)
    return tf.reduce_sum(kept.stack() * 2.0), kept.size()


@pytest.mark.parametrize("x", [normal(9), -abs(normal(9)), abs(normal(9))])
def test_a_list_whose_length_a_run_tells_is_stacked(x):
    agree(positive, x)


def fibonacci(n):
    array = tf.TensorArray(tf.int64, n, clear_after_read=False)
    array = array.write(0, tf.constant(1, tf.int64)).write(1, tf.constant(1, tf.int64))
    for i in tf.range(2, n):
        array = array.write(i, array.read(i - 1) + array.read(i - 2))
    return array.stack()


@pytest.mark.parametrize("n", [2, 3, 40])
def test_the_length_may_be_a_tensor(n):
    agree(fibonacci, np.array(n, np.int32))


# -- lists that come and go -----------------------------------------------------------------


@pytest.mark.parametrize("dims", [[4, 3], [None, 3]])
def test_lists_leave_a_call_for_its_gradient(dims):
    """The tape is outside: what the loop pushes leaves machine code and enters it again."""
    specs = [tf.TensorSpec(dims, tf.float32)]
    staged = tf.function(scanned, input_signature=specs, jit_compile=True)
    x = tf.constant(normal(4, 3))
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(staged(x) ** 2)
        np.testing.assert_allclose(tape.gradient(loss, x), slope(scanned)(x), rtol=1e-4)


def test_a_list_that_is_given_and_changed_stays_what_it_was():
    @tf.function(jit_compile=True)
    def filled(array):
        for i in tf.range(3):
            array = array.write(i, tf.cast(i, tf.float32))
        return array

    @tf.function(jit_compile=True)
    def both():
        first = filled(tf.TensorArray(tf.float32, 3, element_shape=[]))
        second = filled(first.write(2, 9.0))
        return first.stack(), second.stack()

    assert [r.numpy().tolist() for r in both()] == [[0, 1, 2], [0, 1, 2]]


# -- errors ---------------------------------------------------------------------------------


def writes_at(place):
    def function(n):
        array = tf.TensorArray(tf.float32, 3, element_shape=[])
        for i in tf.range(n):
            array = array.write(i + place, 1.0)
        return array.stack()

    return function


def reads_at(place):
    def function(n):
        array = tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0])
        total = 0.0
        for i in tf.range(n):
            total += array.read(i + place)
        return total

    return function


def stacks_nothing(n):
    array = tf.TensorArray(tf.float32, n, infer_shape=False)
    for i in tf.range(n):
        if i > 100:
            array = array.write(i, 1.0)
    return array.stack()


def lasts(n):
    return tf.TensorArray(tf.float32, n - 5, element_shape=[]).write(0, 1.0).stack()


def other_shapes(x):
    array = tf.TensorArray(tf.float32, 2, element_shape=[2])
    for i in tf.range(2):
        array = array.write(i, x)
    return array.stack()


@pytest.mark.parametrize(
    "function", [writes_at(1), writes_at(-1), reads_at(2), reads_at(-2), stacks_nothing, lasts]
)
def test_errors_are_those_of_the_kernels(function):
    specs = [tf.TensorSpec([], tf.int32)]
    outcomes = []
    for jit_compile in (True, False):
        staged = tf.function(function, input_signature=specs, jit_compile=jit_compile)
        with pytest.raises(tf.errors.OpError) as caught:
            staged(3)
        outcomes.append((type(caught.value), caught.value.message.split("[Op:")[0]))
    assert outcomes[0] == outcomes[1]


def test_a_matrix_of_which_some_is_known_stands_beside_a_list():
    def mapped(x):
        return tf.map_fn(lambda row: row + row, x), tf.stack([tf.shape(x), [1, 1]])

    staged = compiled(mapped, [tf.TensorSpec([None, 2])], native=False)
    doubled, sizes = staged(tf.ones([3, 2]))
    assert doubled.numpy().tolist() == [[2, 2]] * 3
    assert sizes.numpy().tolist() == [[3, 2], [1, 1]]


def test_an_item_of_another_shape_is_refused():
    specs = [tf.TensorSpec([None], tf.float32)]
    staged = compiled(other_shapes, specs)
    assert staged([1.0, 2.0]).numpy().tolist() == [[1, 2], [1, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible shape"):
        staged([1.0, 2.0, 3.0])


def test_a_loop_over_lists_can_be_interrupted():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)], jit_compile=True)
    def endless(n):
        array = tf.TensorArray(tf.float32, 4, element_shape=[8])
        i = tf.constant(0, tf.int64)
        while i < n:
            array = array.write(tf.cast(i % 4, tf.int32), tf.ones([8]))
            i += 1
        return array.stack()

    assert endless(1000).shape == (4, 8)
    assert is_interrupted(lambda: endless(1 << 60))
    assert endless(1000).shape == (4, 8)


def test_threads_share_a_loop_over_lists():
    staged = compiled(scanned, [tf.TensorSpec([None, 3], tf.float32)])
    wrong = []

    def work(seed):
        x = np.random.default_rng(seed).normal(size=(5 + seed, 3)).astype(np.float32)
        expected = scanned(tf.constant(x)).numpy()
        for _ in range(200):
            if not np.allclose(staged(x), expected, rtol=1e-4, atol=1e-5):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def slid(x):
    for _ in tf.range(3):
        x = x * tf.sin(x) + tf.reduce_mean(x * x)
    return tf.reduce_sum(x)


def spread_rows(x):
    rows = tf.zeros_like(x[:, None] * x)
    for _ in tf.range(3):
        rows = tf.tanh(rows + x[:, None] * x) * x
    return tf.reduce_sum(rows * rows)


@pytest.mark.parametrize("function", [slid, spread_rows])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_second_derivatives_of_loops_are_native(function, dynamic):
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            slope = tf.reduce_sum(tf.sin(inner.gradient(y, x)))
        return outer.gradient(slope, x)

    assert not differences(second, [normal(5)], dynamic)


# -- lists of lists -------------------------------------------------------------------------


def slopes(function):
    """A function with its first and its second derivative."""

    def differentiated(x, n):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(function(x, n))
            slope = inner.gradient(y, x)
            steepness = tf.reduce_sum(slope * slope)
        return y, slope, outer.gradient(steepness, x, unconnected_gradients="zero")

    return differentiated


def triangle(x, n):
    """Loops in a loop: one more step in each turn."""
    y = x
    for i in tf.range(n):
        z = y
        for _ in tf.range(i):
            z = tf.sin(z) * 0.9 + 0.1 * y
        y = 0.5 * y + tf.tanh(z)
    return y


def pyramid(x, n):
    """Loops in a loop in a loop."""
    y = x
    for i in tf.range(n):
        for j in tf.range(i + 1):
            for _ in tf.range(j):
                y = tf.sin(y) + 0.1 * x
    return y


def halved(x, n):
    """A loop that some turns skip."""
    y = x
    for i in tf.range(n):
        if i % 2 == 0:
            z = y
            while tf.reduce_max(z) > 0.2:
                z = 0.5 * z - 0.01 * z * z
            y = y + z
    return y


@pytest.mark.parametrize("dims", [[3], [None]])
@pytest.mark.parametrize("function", [triangle, pyramid])
def test_loops_in_loops_have_native_derivatives(function, dims):
    x = np.array([0.1, 0.5, 0.9], np.float32)
    calls = [(x, np.array(count, np.int32)) for count in (0, 1, 5)]
    all_agree(slopes(function), calls, [dims, []])


def test_loops_in_branches_of_loops_have_derivatives():
    x, n = np.array([0.1, 0.5, 0.9], np.float32), np.array(5, np.int32)
    agree(slopes(halved), x, n, native=False)


def test_lists_of_lists_that_others_see_stay():
    def program(n):
        raw = tf.raw_ops
        lists = raw.EmptyTensorList(element_shape=[], max_num_elements=-1, element_dtype=tf.variant)
        own = raw.EmptyTensorList(element_shape=[], max_num_elements=-1, element_dtype=tf.int32)
        for i in tf.range(n):
            own = raw.TensorListPushBack(input_handle=own, tensor=i)
            lists = raw.TensorListPushBack(input_handle=lists, tensor=own)
        total = 0
        for _ in tf.range(n):
            lists, last = raw.TensorListPopBack(
                input_handle=lists, element_shape=[], element_dtype=tf.variant
            )
            items = raw.TensorListStack(
                input_handle=last, element_shape=[], element_dtype=tf.int32, num_elements=-1
            )
            total += tf.reduce_sum(items) * raw.TensorListLength(input_handle=lists)
        return total

    agree(program, np.array(6, np.int32), native=False)


def test_a_matrix_that_is_known_in_part_is_no_constant():
    assert is_whole(((1, 2), (3, 4)))
    assert not is_whole(((1, None), (3, 4)))
    assert not is_whole((1, None))
    assert not is_whole(None)


def test_a_list_of_what_was_reshaped_leaves_with_the_shape_of_its_items():
    def function(x, chosen):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(
                chosen,
                lambda: tf.foldl(lambda c, e: c * e, tf.reshape(x, [-1]), initializer=0.25),
                lambda: 1.0,
            )
        return tape.gradient(y, x)

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    slope = tf.function(function, jit_compile=True)(x, tf.constant(True))
    np.testing.assert_array_equal(slope, [[6.0, 3.0], [2.0, 1.5]])


def test_an_update_leaves_a_list_of_unknown_items_to_the_kernels():
    total = tf.Variable(0.0)

    def summed(x):
        written = tf.TensorArray(tf.float32, 2, element_shape=x.shape, clear_after_read=False)
        for _ in tf.range(3):
            for j in tf.range(2):
                written = written.write(j, x)
            total.assign_add(tf.reduce_sum(written.read(1)))
            x = tf.map_fn(lambda e: e * 2.0, x)
        return written.stack()

    x = np.array([1.0, 2.0], np.float32)
    stacked = compiled(summed, [tf.TensorSpec([None])], native=False)(x)
    assert stacked.numpy().tolist() == [[4.0, 8.0]] * 2
    assert total.numpy() == 3.0 + 6.0 + 12.0
