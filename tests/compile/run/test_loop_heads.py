"""Loops that go on as machine code in the midst of a call come to what Python comes to."""

from __future__ import annotations

import gc
import os
import signal
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
import pytest
from support.departures import departing
from support.forking import in_child

import graphwright as tf
from graphwright.compile.run.loop_counts import LoopPatience
from graphwright.compile.run.loop_heads import LoopHead, LoopLowering, Visit
from graphwright.compile.run.options import OPTIONS
from graphwright.compile.run.straight_line import runner
from graphwright.machine import background
from graphwright.machine.preparation import Waiting

Program = Callable[..., Any]

pytestmark = pytest.mark.usefixtures("usual_tiers")


def collatz(limit: Any) -> Any:
    """Nested loops with a branch, and variables that change places."""
    best, at, n = 0, 0, 1
    while n < limit:
        steps, k = 0, n
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        if steps > best:
            best, at = steps, n
        n += 1
    return at, best


def rotated(a: Any, b: Any, c: Any) -> Any:
    """Each variable gets the value of another one."""
    i = tf.constant(0)
    while i < 7:
        a, b, c = b * 2.0, c + a, a
        i += 1
    return a, b, c, i


def written(n: Any) -> Any:
    """An array, and a constant from outside the loop."""
    items, factor, x = tf.TensorArray(tf.float32, size=n), tf.constant([2.0, 3.0]), tf.zeros([2])
    for i in tf.range(n):
        x = tf.sin(x) + factor
        items = items.write(i, x)
    return items.stack()


def grown(n: Any) -> Any:
    """A variable that gets longer."""
    x, i = tf.zeros([0]), tf.constant(0)
    while i < n:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
        x = tf.concat([x, [tf.cast(i, tf.float32) * 0.5]], 0)
        i += 1
    return x


def slope(x: Any) -> Any:
    """A loop that remembers its iterations, and one that goes back over them."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(9):
            y = tf.sin(y) * x
    return y, tape.gradient(y, x)


def spelled(n: Any) -> Any:
    """What has no machine code stays in Python, in a loop that has some."""
    text, i = tf.constant(""), tf.constant(0)
    while i < n:
        text = text + tf.strings.as_string(i)
        i += 1
    return text


def stopped(x: Any) -> Any:
    """A loop that ends in its midst, in a branch."""
    total, count = tf.zeros([]), tf.constant(0)
    if tf.reduce_sum(x) > 0.0:
        for element in x:
            if element > 3.0:
                break
            if element < 0.0:
                continue
            total += element
            count += 1
    return total, count


PROGRAMS: dict[str, tuple[Program, tuple[Any, ...]]] = {
    "nested": (collatz, (30,)),
    "rotated": (rotated, (3.0, -2.0, 5.5)),
    "array": (written, (6,)),
    "grown": (grown, (6,)),
    "gradient": (slope, (0.75,)),
    "strings": (spelled, (6,)),
    "stopped": (stopped, ([1.0, -1.0, 2.0, 0.5, 4.0, 1.0],)),
}


def values(result: Any) -> list[Any]:
    return [np.asarray(tf.convert_to_tensor(leaf).numpy()) for leaf in tf.nest.flatten(result)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_goes_on_at_any_turn(name: str) -> None:
    program, numbers = PROGRAMS[name]
    arguments = [tf.constant(number) for number in numbers]
    expected = values(program(*arguments))
    for seed in range(3):
        with departing(seed, most=2 * seed) as departures:
            computed = values(tf.function(program)(*arguments))
        assert departures.left
        for one, other in zip(computed, expected, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            if one.dtype.kind == "S":
                assert one.tobytes() == other.tobytes()
            else:
                np.testing.assert_allclose(one, other, rtol=1e-5)


def test_effects_happen_once_and_in_order() -> None:
    count, seen = tf.Variable(0), []

    def counted(n: Any) -> Any:
        i = tf.constant(0)
        while i < n:
            count.assign(count * 3 + i)
            tf.py_function(lambda x: seen.append(int(x)), [count], [])
            i += 1
        return count.read_value()

    counted(tf.constant(6))
    expected = int(count), [*seen]
    for seed in range(3):
        count.assign(0)
        seen.clear()
        with departing(seed) as departures:
            assert tf.function(counted)(tf.constant(6)).numpy() == expected[0]
        assert departures.left
        assert (int(count), seen) == expected


@pytest.mark.parametrize("is_inner", [False, True])
def test_streams_of_random_numbers_go_on(is_inner: bool) -> None:
    def drawn(x: Any) -> Any:
        for _ in tf.range(3):
            x += tf.random.uniform([2])
            if is_inner:
                for _ in tf.range(2):
                    x += tf.random.normal([2]) * x
        return x

    results = []
    for seed in (None, 1, 2):
        tf.random.set_seed(7)
        function = tf.function(drawn)
        if seed is None:
            results.append([function(tf.zeros([2])).numpy() for _ in range(2)])
            continue
        with departing(seed) as departures:
            results.append([function(tf.zeros([2])).numpy() for _ in range(2)])
        assert departures.left
    np.testing.assert_allclose(results[1], results[0], rtol=1e-6)
    np.testing.assert_allclose(results[2], results[0], rtol=1e-6)


def picked(x: Any) -> Any:
    total, i = tf.zeros([]), tf.constant(0)
    while i < 9:
        total += tf.gather(x, i)
        i += 1
    return total


def divided(n: Any) -> Any:
    total, i = tf.constant(0), tf.constant(5)
    while i > -3:
        total += n // i
        i -= 1
    return total


def asserted(n: Any) -> Any:
    i = tf.constant(0)
    while i < n:
        tf.debugging.assert_less(i, 4, "too far")
        i += 1
    return i


@pytest.mark.parametrize(
    ("program", "argument"), [(picked, [1.0] * 6), (divided, 9), (asserted, 9)]
)
def test_an_error_is_that_of_python_over_kernels(program: Program, argument: Any) -> None:
    messages = set()
    for most in (1 << 60, 0, 1, 2, 3):  # none goes on, or each does
        function = tf.function(program)
        with departing(most, most), pytest.raises(tf.errors.InvalidArgumentError) as caught:
            function(tf.constant(argument))
        messages.add(str(caught.value))
    assert len(messages) == 1


def steps(n: Any) -> Any:
    """A generator of pseudo-random numbers, which takes hours in Python."""
    x, i = tf.constant(1, tf.int64), tf.constant(0, tf.int64)
    while i < n:
        x = (x * 1103515245 + 12345) % 2147483648
        i += 1
    return x


ENDLESS = tf.constant(100_000_000, tf.int64)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LoopPatience, "asks", 0.0)
    monkeypatch.setattr(LoopPatience, "waits", 0.0)


def test_a_search_of_hours_ends_in_its_first_call() -> None:
    function = tf.function(steps)
    assert function(ENDLESS).numpy() == 660469505
    (trace,) = function._list_all_concrete_functions()
    assert trace.tiers.slow == 0.0  # so the next call waits for nothing
    background.wait()


def test_a_child_of_a_fork_asks_by_itself(impatient: None) -> None:
    function = tf.function(steps)
    function(tf.constant(5, tf.int64))
    assert in_child(lambda: function(ENDLESS).numpy() == 660469505)
    background.wait()


def test_threads_leave_one_loop_each_in_its_turn() -> None:
    function = tf.function(collatz)
    results: list[Any] = []

    def call(limit: int) -> None:
        at, best = function(tf.constant(limit))
        results.append((limit, int(at), int(best)))

    limits = [10, 20, 30, 40]
    with departing(5, most=9):
        threads = [threading.Thread(target=call, args=(limit,)) for limit in limits]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(results) == [(limit, *map(int, collatz(limit))) for limit in limits]


def test_ctrl_c_ends_a_loop_that_went_on() -> None:
    @tf.function
    def endless(x: Any) -> Any:
        while x > 0.0:
            x = tf.sin(x) + 2.0
        return x

    left = threading.Event()

    def interrupt() -> None:
        assert left.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    with departing(most=0) as departures:
        departures.then = left.set
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            endless(tf.constant(1.0))
    thread.join()


@pytest.mark.parametrize("reason", ["jit_compile", "off", "deterministic"])
def test_a_loop_that_must_stay_in_python_asks_for_nothing(
    reason: str, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[LoopHead] = []

    def ask(head: LoopHead) -> None:
        asked.append(head)
        head.answered = threading.Event()
        head.answered.set()

    monkeypatch.setattr(LoopHead, "ask", ask)
    function = tf.function(steps, jit_compile=False if reason == "jit_compile" else None)
    if reason == "off":
        monkeypatch.setitem(OPTIONS, "native", "off")
    function(tf.constant(50, tf.int64))
    if reason == "deterministic":
        assert asked  # as loops do else
        asked.clear()
        monkeypatch.setattr(Waiting, "always", True)
        function(tf.constant(50, tf.int64))
    assert not asked


def test_code_that_nobody_waits_for_is_not_made(
    impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[object] = []
    monkeypatch.setattr(background, "submit", lambda job, *_: jobs.append(job.__self__))
    monkeypatch.setattr(LoopPatience, "waits", 1e9)
    function = tf.function(steps)
    function(tf.constant(50, tf.int64))
    (head,) = [job for job in jobs if isinstance(job, LoopHead)]
    monkeypatch.setattr(LoopLowering, "native", staticmethod(lambda *_, **__: pytest.fail("made")))
    head.make()
    function(tf.constant(50, tf.int64))
    assert jobs.count(head) == 2


def test_a_loop_that_ends_meanwhile_is_lowered_once(
    impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[object] = []
    monkeypatch.setattr(background, "submit", lambda job, *_: jobs.append(job.__self__))
    tf.function(steps)(tf.constant(50, tf.int64))
    (head,) = [job for job in jobs if isinstance(job, LoopHead)]
    visits, lowered = [Visit(0.0)], []
    head.visitor = ref(visits[0])
    native = LoopLowering.native

    def ending(*args: Any, **kwargs: Any) -> Any:
        visits.clear()
        lowered.append(kwargs)
        return native(*args, **kwargs)

    monkeypatch.setattr(LoopLowering, "native", staticmethod(ending))
    head.make()
    assert len(lowered) == 1
    assert head.code is None
    assert not head.is_refused


@pytest.mark.parametrize("name", ["nested", "gradient"])
def test_a_trace_goes_with_the_code_of_its_loops(name: str) -> None:
    program, numbers = PROGRAMS[name]
    function = tf.function(program)
    with departing(most=0) as departures:
        function(*map(tf.constant, numbers))
    code = weakref.ref(departures.left[0].code)
    departures.left.clear()
    del function
    background.wait()  # where the call took long, code for its trace is being made
    gc.collect()
    assert code() is None


def test_a_loop_that_goes_on_holds_no_more_than_before() -> None:
    def halved(x: Any) -> Any:
        x, i = x + 1.0, tf.constant(0)
        while i < 4:
            half = tf.numpy_function(lambda array: array * 0.5, [x], tf.float32)
            x = tf.ensure_shape(half, x.shape)
            i += 1
        return x

    x = tf.ones([1 << 18])
    peaks = []
    for most in (None, 0):
        graph = tf.function(halved).get_concrete_function(x).graph
        run = runner(graph)
        with departing(most=0) as departures:
            if most is None:
                departures.most = 1 << 60
            run(x.numpy())
            tracemalloc.start()
            run(x.numpy())
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert bool(departures.left) is (most == 0)
    assert peaks[1] <= peaks[0] + (1 << 16)
