"""Variables that loops and branches change: what a call leaves, also one that fails in the midst,
and what other threads and readers see."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from support.forking import in_child

import graphwright as tf
from graphwright.compile.run.checking import compare
from graphwright.machine import background

Case = Callable[[], tuple[Callable[..., Any], list[Any]]]
CASES: dict[str, tuple[Case, list[list[Any]]]] = {}
#: Errors of operands, which are not found where a program is wrong.
ERRORS = (tf.errors.OpError, IndexError, ValueError, TypeError)


def case(*calls: list[Any]) -> Callable[[Case], Case]:
    """Adds a function with its variables, and the arguments of calls in turn."""

    def add(make: Case) -> Case:
        CASES[make.__name__] = make, list(calls)
        return make

    return add


def eagerly(make: Case, calls: list[list[Any]]) -> list[list[Any]]:
    """What the calls give and leave where all functions run as plain Python."""
    tf.config.run_functions_eagerly(True)
    try:
        function, variables = make()
        return [outcome(function, variables, call) for call in calls]
    finally:
        tf.config.run_functions_eagerly(False)


def outcome(function: Any, variables: list[Any], call: list[Any]) -> list[Any]:
    """What a call gives, or the class of its error, and what variables hold after it.

    What was read before the call stays what it was, and so do its results when variables change.
    """
    reads = [r for v in variables for r in (v.numpy(), v.read_value())]
    copies = [np.array(r) for r in reads]
    try:
        leaves = tf.nest.flatten(function(*call))
        result: list[Any] = [np.array(leaf) for leaf in leaves]
        reads += leaves
        copies += result
    except ERRORS as error:
        result = [type(error).__name__]
    after = [np.array(v.numpy()) for v in variables]
    for v, array in zip(variables, after):
        if v.dtype in (tf.float32, tf.int32):
            v.assign_add(v)
            v.assign(array)
    for read, copy in zip(reads, copies):
        np.testing.assert_array_equal(np.asarray(read), copy)
    return result + after


def agree(expected: list[list[Any]], outcomes: list[list[Any]]) -> None:
    """Fails where outcomes differ."""
    assert len(expected) == len(outcomes)
    for call, (one, other) in enumerate(zip(expected, outcomes)):
        assert len(one) == len(other), (call, one, other)
        for a, b in zip(one, other):
            if isinstance(a, str) or isinstance(b, str):
                assert (type(a), str(a)) == (type(b), str(b)), (call, one, other)
            else:
                assert compare(b, a) == "", (call, one, other)
                assert a.dtype != object or a.tolist() == b.tolist()


def settled(make: Case, calls: list[list[Any]], **options: Any) -> Iterator[list[list[Any]]]:
    """Outcomes of the calls, from the start each, at first and once code is made."""
    function, variables = make()
    starts = [np.array(v.numpy()) for v in variables]
    staged = tf.function(function, **options)
    for turn in range(4):
        if turn == 3:
            background.wait()
        for v, start in zip(variables, starts):
            v.assign(start)
        yield [outcome(staged, variables, call) for call in calls]


WAYS: dict[str, dict[str, Any]] = {"traced": {}, "compiled": {"jit_compile": True}}


def check(make: Case, calls: list[list[Any]], way: str) -> None:
    """Fails where a way to run a function differs from plain Python."""
    expected = eagerly(make, calls)
    for outcomes in settled(make, calls, **WAYS[way]):
        agree(expected, outcomes)


def several() -> tuple[Any, Any, Any]:
    return tf.Variable(1.0), tf.Variable([1.0, 2.0, 3.0]), tf.Variable(2)


# Functions with their calls


@case([3], [0], [5])
def read_behind_a_loop_that_reads():
    s, _, k = several()

    def f(n):
        for _ in tf.range(n):
            s.assign_add(tf.cast(k, tf.float32))
        k.assign(k + 1)
        return k * 2

    return f, [s, k]


@case([True], [False])
def read_behind_a_branch_that_reads():
    s, _, k = several()

    def f(holds):
        if holds:
            s.assign(tf.cast(k, tf.float32))
        k.assign_add(k)
        return k

    return f, [s, k]


@case([3], [0])
def results_that_a_loop_only_reads():
    s, v, k = several()

    def f(n):
        for _ in tf.range(n):
            s.assign_add(v[0])
            if s > 2.0:
                s.assign(s / 2.0 + tf.cast(k, tf.float32))
        return v.read_value(), tf.identity(k), s.read_value()

    return f, [s, v, k]


@case([3], [0])
def values_of_earlier_times():
    s, v, _ = several()

    def f(n):
        first, latest = v.read_value(), tf.identity(v)
        total = tf.zeros([3])
        for i in tf.range(n):
            total += latest
            latest = tf.identity(v)
            v.assign(v * 2.0 - s)
            if i % 2 == 0:
                s.assign(v[1])
        return first, latest, total, v + 0.0

    return f, [s, v]


@case([4], [0], [1])
def one_side_changes_what_the_other_reads():
    s, v, k = several()

    def f(n):
        total = tf.constant(0.0)
        for i in tf.range(n):
            if i % 2 == 0:
                s.assign_add(2.0)
            elif i % 3 == 0:
                v.assign(v + s)
                k.assign_sub(1)
            else:
                total += s + tf.reduce_sum(v)
        return total

    return f, [s, v, k]


@case([3, 2], [0, 2], [2, 0])
def loops_in_loops():
    s, v, k = several()

    def f(n, m):
        for i in tf.range(n):
            s.assign_add(1.0)
            for j in tf.range(m):
                if s > 3.0:
                    k.assign_add(i + j)
                    continue
                v.assign_add([s, 1.0, tf.cast(k, tf.float32)])
            s.assign(s * 2.0 - v[0])
        return k

    return f, [s, v, k]


@case([6], [0], [20])
def jumps():
    s, v, k = several()

    def f(n):
        for i in tf.range(n):
            if i == 2:
                continue
            k.assign_add(i)
            if k > 15:
                v.assign(v * 0.0)
                return s + 1.0
            if k > 40:
                break
            s.assign_add(0.5)
        v.assign_add(tf.ones([3]))
        return s

    return f, [s, v, k]


@case([10], [1], [0])
def a_variable_is_the_condition():
    s, _, k = several()

    def f(n):
        while k < n:
            k.assign_add(3)
            s.assign(s / 2.0)
        return k, s

    return f, [s, k]


@case([3], [0])
def two_names():
    s, v, _ = several()
    other = v

    def f(n):
        for _ in tf.range(n):
            other.assign(v + 1.0)
            v.assign(other * 2.0)
            s.assign(v[0] - other[1])
        return s

    return f, [s, v]


@case([0.5], [2.0])
def changed_in_called_functions():
    s, v, k = several()

    @tf.function
    def inner(a):
        for _ in tf.range(2):
            s.assign_add(a)
        return tf.identity(s)

    @tf.function
    def given(target, a):
        if s > 3.0:
            target.assign(target + a)
        return tf.reduce_sum(target)

    def f(a):
        total = 0.0
        for _ in tf.range(3):
            total += inner(a) + given(v, s) + given(s, a)
            k.assign_add(1)
        return total, s + 0.0

    return f, [s, v, k]


@case([3], [0])
def arrays_beside():
    s, v, _ = several()

    def f(n):
        rows = tf.TensorArray(
            tf.float32, size=0, dynamic_size=True, clear_after_read=False, element_shape=[3]
        )
        for i in tf.range(n):
            v.assign(v * 1.5 - s)
            rows = rows.write(i, v)
            s.assign_add(rows.read(i)[0])
        return rows.stack(), rows.size()

    return f, [s, v]


@case([], [])
def elements_of_datasets():
    s, v, k = several()
    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0, 5.0]).batch(2)

    def f():
        for x in data:
            s.assign_add(tf.reduce_mean(x))
            for y in data.skip(1):
                k.assign_add(tf.size(y))
                v.assign(v + y[0])
        for x in data.take(0):
            s.assign(x[0])
        return s

    return f, [s, v, k]


@case([3], [3])
def momentum():
    weights, bias = tf.Variable([[0.5], [-0.25]]), tf.Variable([0.1])
    moments = [tf.Variable(tf.zeros_like(w), trainable=False) for w in (weights, bias)]
    x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
    y = tf.constant([[1.0], [0.0], [2.0]])

    def f(n):
        loss = 0.0
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) + bias - y))
            slopes = tape.gradient(loss, [weights, bias])
            for w, m, slope in zip((weights, bias), moments, slopes):
                m.assign(0.9 * m + slope)
                w.assign_sub(0.05 * m)
        return loss

    return f, [weights, bias, *moments]


@case([3], [2])
def an_optimizer():
    weights = tf.Variable([0.5, -0.25, 1.0])
    optimizer = tf.optimizers.Adam(0.1)
    optimizer.build([weights])

    def f(n):
        for i in tf.range(n):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(weights * [1.0, 2.0, 3.0] - 1.0))
            (slope,) = tape.gradient(loss, [weights])
            if i != 1:
                optimizer.apply_gradients([(slope, weights)])
        return weights + 0.0

    return f, [weights, *optimizer.variables]


@case([2], [0])
def a_tape_around():
    s, v, _ = several()

    @tf.function
    def loop(n, x):
        for _ in tf.range(n):
            x = x * s
            s.assign_add(1.0)
        return x * v

    def f(n):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loop(n, x)
        return y, tape.gradient(y, [x, v])

    return f, [s, v]


@case([3], [0])
def other_dtypes():
    half, tiny = tf.Variable(1.5, dtype=tf.bfloat16), tf.Variable([250, 3], dtype=tf.uint8)
    turn, word = tf.Variable(1.0 + 2.0j), tf.Variable("a")
    holds = tf.Variable(True)

    def f(n):
        for _ in tf.range(n):
            half.assign(half * tf.constant(0.5, tf.bfloat16))
            tiny.assign_add([3, 255])
            turn.assign(turn * turn)
            word.assign(word + "b")
            holds.assign(tf.logical_not(holds))
        return tf.cast(tiny, tf.int32)

    return f, [half, tiny, turn, word, holds]


@case([2], [0])
def shapes_that_change():
    u, free = tf.Variable([1.0, 2.0], shape=[None]), tf.Variable(1.0, shape=tf.TensorShape(None))
    s = tf.Variable(0.0)

    def f(n):
        for _ in tf.range(n):
            u.assign(tf.concat([u, [tf.reduce_sum(u)]], 0))
            free.assign(tf.reshape(u, [1, -1]))
            s.assign_add(u[-1])
        return tf.size(u), s

    return f, [u, free, s]


@case([2], [0])
def ways_of_cond_and_while():
    s, v, k = several()

    def f(n):
        def body(i):
            k.assign_add(i)
            return [i + 1]

        tf.while_loop(lambda i: i < n, body, [tf.constant(0)])
        value = tf.cond(k > 2, lambda: s.assign_add(1.0) * 2.0, lambda: s - 1.0)
        tf.switch_case(k % 2, [lambda: v.assign(v + 1.0) * 1.0, lambda: v * 1.0])
        return value, tf.case([(s > 1.5, lambda: k + 1)], default=lambda: k.assign(0) + 0)

    return f, [s, v, k]


# Calls that fail in the midst


def failing(fault: Callable[[Any, Any, Any], Any]) -> Case:
    """A loop with a statement that fails in the third iteration of a long call, between others."""

    def make() -> tuple[Callable[..., Any], list[Any]]:
        s, v, k = several()

        def f(n: Any, x: Any) -> Any:
            s.assign_add(10.0)
            for i in tf.range(n):
                k.assign_add(i + 1)
                v.assign(v * 2.0)
                result = fault(i, x, v)
                if result is not None:
                    s.assign(result)
                v.assign_add(tf.ones([3]))
            k.assign(-k)
            return k

        return f, [s, v, k]

    return make


def asserted(i: Any, x: Any, v: Any) -> Any:
    tf.debugging.assert_less(i, 2)


def of_conditions(i: Any, x: Any, v: Any) -> Any:
    if i >= 1:
        tf.debugging.Assert(i != 2, [i])


def part_of_a_variable(i: Any, x: Any, v: Any) -> Any:
    v.scatter_nd_update([[i + 1]], [9.0])


def overwritten(i: Any, x: Any, v: Any) -> Any:
    v.assign(v + tf.gather(x, i))
    v.assign([1.0, 2.0, 3.0])


def overwritten_beside_an_assertion(i: Any, x: Any, v: Any) -> Any:
    v.assign(v + tf.gather(x, i))
    v.assign(x[0] * [1.0, 2.0, 3.0])
    tf.debugging.assert_less(i, 20)


def overwritten_in_a_branch(i: Any, x: Any, v: Any) -> Any:
    element = tf.gather(x, i)
    if i < 4:
        v.assign(v * element)
    v.assign([1.0, 2.0, 3.0])


def overwritten_behind_a_loop(i: Any, x: Any, v: Any) -> Any:
    for j in tf.range(i, i + 1):
        v.assign(tf.fill([3], x[j]))
    v.assign([1.0, 2.0, 3.0])


FAULTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "assertion": asserted,
    "assertion in a branch": of_conditions,
    "element": lambda i, x, v: x[i],
    "gather": lambda i, x, v: tf.gather(x, i),
    "gather of a variable": lambda i, x, v: tf.gather(v, i + 1),
    "division": lambda i, x, v: tf.cast(4 // (2 - i), tf.float32),
    "remainder": lambda i, x, v: tf.cast(4 % (2 - i), tf.float32),
    "reshape": lambda i, x, v: tf.reduce_sum(tf.reshape(v, [1 + i // 2, -1])),
    "shape": lambda i, x, v: tf.reduce_sum(v + tf.ones([3 + i // 2])),
    "part of a variable": part_of_a_variable,
    "overwritten": overwritten,
    "overwritten beside an assertion": overwritten_beside_an_assertion,
    "overwritten in a branch": overwritten_in_a_branch,
    "overwritten behind a loop": overwritten_behind_a_loop,
}
LONG, SHORT = [5, [1.0, 2.0]], [2, [1.0, 2.0]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_leaves_what_the_statements_before_it_have_left(fault: str, way: str) -> None:
    calls = [[tf.constant(a) for a in call] for call in (SHORT, LONG, SHORT, LONG)]
    make = failing(FAULTS[fault])
    expected = eagerly(make, calls)
    assert [isinstance(o[0], str) for o in expected] == [False, True, False, True]
    check(make, calls, way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CASES)
def test_each_way_gives_what_python_gives(name: str, way: str) -> None:
    make, calls = CASES[name]
    check(make, [[tf.constant(a) for a in call] for call in calls], way)


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_numbers_that_are_drawn_before_an_error_are_drawn_once(options: Any) -> None:
    def run(stage: Callable[[Any], Any]) -> list[Any]:
        s, generator = tf.Variable(0.0), tf.random.Generator.from_seed(3)

        @stage
        def f(n: Any) -> Any:
            for i in tf.range(n):
                s.assign_add(generator.uniform([]))
                tf.debugging.assert_less(i, 2)

        results = []
        for n in 2, 4, 2, 4, 2, 4:
            call = outcome(f, [s], [tf.constant(n)])
            results.append([*call, np.array(generator.state)])
            background.wait()
        return results

    agree(run(lambda f: f), run(lambda f: tf.function(f, **options)))


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_what_a_loop_takes_or_tells_before_an_error_it_does_once(options: Any) -> None:
    def run(stage: Callable[[Any], Any]) -> list[Any]:
        s, log = tf.Variable(0), []
        iterator = iter(tf.data.Dataset.range(100))

        def tell(i: Any) -> Any:
            log.append(int(i))
            return i

        def numbers() -> Iterator[int]:
            for i in range(5):
                log.append(-i)
                yield i

        data = tf.data.Dataset.from_generator(
            numbers, output_signature=tf.TensorSpec([], tf.int32)
        )

        @stage
        def taking(n: Any) -> None:
            for i in tf.range(n):
                s.assign_add(tf.cast(next(iterator), tf.int32))
                tf.debugging.assert_less(i, 2)

        @stage
        def telling(n: Any) -> None:
            for i in tf.range(n):
                s.assign_add(tf.py_function(tell, [i], tf.int32))
                tf.debugging.assert_less(i, 2)

        @stage
        def over(n: Any) -> None:
            for i in data:
                s.assign_add(i)
                tf.debugging.assert_less(i, n)

        results: list[Any] = []
        for n in 2, 4, 2, 4, 2, 4:
            for f in taking, telling, over:
                results.append([*outcome(f, [s], [tf.constant(n)]), np.array(log)])
                log.clear()
            background.wait()
        return results

    agree(run(lambda f: f), run(lambda f: tf.function(f, **options)))


# One variable by several ways


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_one_variable_may_be_two_arguments(options: Any) -> None:
    def run(stage: Callable[[Any], Any]) -> list[Any]:
        one, other = tf.Variable(1.0), tf.Variable(2.0)

        @stage
        def f(a: Any, b: Any, n: Any) -> Any:
            for _ in tf.range(n):
                a.assign_add(b)
                b.assign(b * 2.0 - a)
            return a - b

        results = []
        for a, b in [(one, other), (other, other), (one, one), (other, one)] * 4:
            one.assign(1.0)
            other.assign(2.0)
            results.append(outcome(lambda n, a=a, b=b: f(a, b, n), [one, other], [tf.constant(3)]))
            background.wait()
        return results

    agree(run(lambda f: f), run(lambda f: tf.function(f, **options)))


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_an_argument_may_be_a_variable_that_the_function_knows(options: Any) -> None:
    def run(stage: Callable[[Any], Any]) -> list[Any]:
        one, other = tf.Variable(1.0), tf.Variable(2.0)

        @stage
        def f(a: Any, n: Any) -> Any:
            for _ in tf.range(n):
                a.assign_add(1.0)
                one.assign_add(1.0)
            return tf.identity(a)

        results = []
        for a in [other, one] * 4:
            one.assign(1.0)
            other.assign(2.0)
            results.append(outcome(lambda n, a=a: f(a, n), [one, other], [tf.constant(3)]))
            background.wait()
        return results

    agree(run(lambda f: f), run(lambda f: tf.function(f, **options)))


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_an_argument_may_be_a_variable_that_a_called_function_knows(options: Any) -> None:
    one, other = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def inner(n: Any) -> None:
        for _ in tf.range(n):
            other.assign_add(1.0)
            one.assign_add(2.0)

    @tf.function(**options)
    def f(a: Any, n: Any) -> Any:
        inner(n)
        return tf.identity(a)

    results = []
    for _ in range(4):
        f(other, tf.constant(3))
        one.assign(1.0)
        results.append(float(f(one, tf.constant(3))))
        background.wait()
    assert results == [10.0] * 4


def test_a_concrete_function_may_get_one_variable_twice() -> None:
    one, other = tf.Variable(1.0), tf.Variable(2.0)

    def f(a: Any, b: Any, n: Any) -> Any:
        for _ in tf.range(n):
            a.assign_add(b)
            b.assign(b * 2.0 - a)
        return a - b

    staged = tf.function(f)
    concrete = staged.get_concrete_function(one, other, tf.TensorSpec([], tf.int32))
    for _ in range(5):
        results = []
        for function in f, concrete:
            one.assign(1.0)
            results.append((float(function(one, one, tf.constant(3))), float(one)))
        assert results[0] == results[1]
        background.wait()


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_a_concrete_function_that_is_called_may_get_one_variable_twice(options: Any) -> None:
    one, other = tf.Variable(1.0), tf.Variable(2.0)

    def f(a: Any, b: Any, n: Any) -> Any:
        for _ in tf.range(n):
            a.assign_add(b)
            b.assign(b * 2.0 - a)
        return a - b

    concrete = tf.function(f).get_concrete_function(one, other, tf.TensorSpec([], tf.int32))
    around = tf.function(lambda n: concrete(one, one, n) + one, **options)
    one.assign(1.5)
    expected = f(one, one, tf.constant(3)) + one, one.numpy()
    for _ in range(5):
        one.assign(1.5)
        result = around(tf.constant(3))
        assert (result, one.numpy()) == expected
        background.wait()


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_a_value_whose_shape_only_a_run_knows_may_not_fit(options: Any) -> None:
    v, k = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0)

    @tf.function(**options)
    def f(n: Any) -> Any:
        for i in tf.range(n):
            k.assign_add(1)
            v.assign(tf.fill([3 + i // 2], tf.cast(i, tf.float32)) + 0.5)
        return tf.shape(v)

    for _ in range(4):
        k.assign(0)
        assert f(tf.constant(2)).numpy().tolist() == [3]
        assert v.numpy().tolist() == [1.5] * 3
        k.assign(0)
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            f(tf.constant(5))
        assert k == 3
        assert v.numpy().tolist() == [1.5] * 3
        background.wait()


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_a_variable_is_created_once(options: Any) -> None:
    created: list[Any] = []

    @tf.function(**options)
    def f(n: Any) -> Any:
        if not created:
            created.append(tf.Variable([1.0, 2.0]))
        for i in tf.range(n):
            if i > 0:
                created[0].assign(created[0] * 2.0)
        return tf.reduce_sum(created[0])

    for result in 12.0, 48.0, 192.0, 768.0:
        assert float(f(tf.constant(3))) == result
        background.wait()
    assert len(created) == 1


@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
@pytest.mark.parametrize("is_read_first", [False, True])
def test_a_loop_over_a_variable_that_is_not_set(is_read_first: bool, options: Any) -> None:
    """It fails where it is read first; a loop without an iteration leaves it unset."""
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name="", name="unset")
    s = tf.Variable(0.0)

    def read() -> Any:
        return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)

    @tf.function(**options)
    def f(n: Any) -> Any:
        for _ in tf.range(n):
            s.assign_add(1.0)
            if is_read_first:
                s.assign_add(read())
            tf.raw_ops.AssignVariableOp(resource=handle, value=s * 2.0)
            s.assign_add(read())
        return s + 1.0

    for _ in range(4):
        s.assign(0.0)
        assert f(tf.constant(0)) == 1.0
        with pytest.raises(tf.errors.FailedPreconditionError):
            read()
        background.wait()
        if is_read_first:
            with pytest.raises(tf.errors.FailedPreconditionError):
                f(tf.constant(2))
            assert s == 1.0
    if not is_read_first:
        assert f(tf.constant(2)) == 13.0
        assert read() == 8.0


# Threads and forks


@contextmanager
def threads(*jobs: Callable[[], Any]) -> Iterator[None]:
    """Runs jobs in threads until the block ends, and raises what they raise."""
    errors: list[BaseException] = []

    def guarded(job: Callable[[], Any]) -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - it is raised below
            errors.append(error)

    started = [threading.Thread(target=guarded, args=[job]) for job in jobs]
    for thread in started:
        thread.start()
    try:
        yield
    finally:
        for thread in started:
            thread.join()
    if errors:
        raise errors[0]


def adding(options: Any, last: int = 1000) -> Any:
    """A function that adds in loops and branches, once there is code for it."""
    total, count = tf.Variable(tf.zeros([8], tf.int64)), tf.Variable(0, dtype=tf.int64)

    @tf.function(**options)
    def f(n: Any) -> None:
        for i in tf.range(n):
            total.assign_add(tf.ones([8], tf.int64))
            if i % 2 == 0:
                count.assign_add(1)
            tf.debugging.assert_less(i, last)

    for _ in range(5):
        f(tf.constant(2))
    background.wait()
    f(tf.constant(2))
    total.assign(tf.zeros([8], tf.int64))
    count.assign(0)
    return f, total, count


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_threads_lose_no_update(options: Any) -> None:
    f, total, count = adding(options)

    def call() -> None:
        for _ in range(60):
            f(tf.constant(50))

    def add() -> None:
        for _ in range(500):
            count.assign_add(7)

    with threads(call, call, add):
        pass
    assert total.numpy().tolist() == [6000] * 8
    assert count.numpy() == 3000 + 3500


@pytest.mark.usefixtures("unchecked")
def test_threads_lose_no_update_where_calls_fail() -> None:
    f, total, count = adding({}, last=20)

    def call() -> None:
        for _ in range(30):
            with pytest.raises(tf.errors.InvalidArgumentError):
                f(tf.constant(50))

    def succeed() -> None:
        for _ in range(30):
            f(tf.constant(10))

    with threads(call, call, succeed):
        pass
    assert total.numpy().tolist() == [30 * (21 + 21 + 10)] * 8
    assert count.numpy() == 30 * (11 + 11 + 5)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_threads_see_whole_values_that_only_grow(options: Any) -> None:
    f, total, count = adding(options)
    ended = threading.Event()

    def look() -> None:
        latest = 0
        while not ended.is_set():
            seen = total.numpy().tolist()
            assert seen == [seen[0]] * 8
            assert seen[0] >= latest
            latest = seen[0]

    with threads(look, look):
        try:
            for _ in range(100):
                f(tf.constant(100))
        finally:
            ended.set()
    assert count.numpy() == 5000


@pytest.mark.usefixtures("unchecked")
def test_a_loop_reads_whole_values_while_another_thread_changes_them() -> None:
    """The variable is large, so what changes it overwrites its array."""
    large, apart = tf.Variable(tf.zeros([1 << 18])), tf.Variable(0.0)

    @tf.function(jit_compile=True)
    def change(n: Any) -> None:
        for _ in tf.range(n):
            large.assign(large * 0.5 + 1.0)

    @tf.function(jit_compile=True)
    def step() -> None:
        large.assign_add(tf.ones([1 << 18]))

    @tf.function(jit_compile=True)
    def look(n: Any) -> None:
        for _ in tf.range(n):
            value = large.read_value()
            apart.assign_add(tf.reduce_max(value) - tf.reduce_min(value))

    def read() -> None:
        for _ in range(60):
            look(tf.constant(4))

    def write() -> None:
        for _ in range(60):
            step()
            change(tf.constant(4))

    for f in (look, change):
        f(tf.constant(1))
    step()
    with threads(read, write):
        pass
    assert apart == 0.0


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("options", WAYS.values(), ids=[*WAYS])
def test_a_fork_while_a_thread_runs_a_loop(options: Any) -> None:
    f, total, _ = adding(options)
    ended = threading.Event()

    def call() -> None:
        while not ended.is_set():
            f(tf.constant(50))

    def question() -> bool:
        before = total.numpy()
        f(tf.constant(6))
        return bool(np.all(total.numpy() - before == 6))

    with threads(call):
        try:
            assert all(in_child(question) for _ in range(5))
        finally:
            ended.set()
    assert len(set(total.numpy().tolist())) == 1
