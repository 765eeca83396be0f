"""What runs once, while tracing, is noticed and reported with its line."""

from __future__ import annotations

import random
import sys
import time
from collections import deque
from os import environ
from subprocess import run

import numpy as np
import pytest

import graphwright as tf
from graphwright.explain.facts import MUTATORS
from graphwright.explain.trace_record import Debug

OUTSIDE: list = []
STATE: dict = {}
QUEUE: deque = deque()
SEEN: set = set()


class Counter:
    count = 0


COUNTER = Counter()
NUMBERS = iter(range(100))


@pytest.fixture(autouse=True)
def _debug():
    tf.explain.debug_mode()
    yield
    tf.explain.debug_mode(False)
    for container in (OUTSIDE, STATE, QUEUE, SEEN):
        container.clear()
    COUNTER.count = 0


def prints(x):
    print("tracing")


def appends(x):
    OUTSIDE.append(1)


def extends(x):
    OUTSIDE.extend([1, 2])


def updates(x):
    STATE.update(a=1)


def sets_an_item(x):
    STATE["a"] = 1


def sets_an_attribute(x):
    COUNTER.count += 1


def queues(x):
    QUEUE.append(1)


def adds_to_a_set(x):
    SEEN.add(1)


def draws(x):
    random.random()


def draws_an_integer(x):
    random.randint(1, 6)


def draws_with_numpy(x):
    np.random.rand()


def takes_the_time(x):
    time.time()


def opens(x):
    with open(__file__):
        pass


def takes_the_next(x):
    next(NUMBERS)


def keeps_a_tensor(x):
    STATE["last"] = x * 2


def in_a_helper(x):
    appends(x)


EFFECTS = [
    (prints, "`print(...)`", "tf.print"),
    (appends, "`OUTSIDE.append(...)`", "tf.TensorArray"),
    (extends, "`OUTSIDE.extend(...)`", "tf.TensorArray"),
    (updates, "`STATE.update(...)`", "tf.TensorArray"),
    (sets_an_item, "the change of `STATE['a']`", "tf.Variable"),
    (sets_an_attribute, "the change of `COUNTER.count`", "tf.Variable"),
    (queues, "`QUEUE.append(...)`", "tf.TensorArray"),
    (adds_to_a_set, "`SEEN.add(...)`", "tf.TensorArray"),
    (draws, "`random(...)`", "tf.random.uniform"),
    (draws_an_integer, "`random.randint(...)`", "tf.random.uniform"),
    (draws_with_numpy, "NumPy's random numbers", "tf.random.uniform"),
    (takes_the_time, "`time(...)`", "tf.timestamp()"),
    (opens, "`open(...)`", "tf.io.read_file"),
    (takes_the_next, "`next(...)`", "tf.data"),
    (keeps_a_tensor, "the change of `STATE['last']`", "return it instead"),
    (in_a_helper, "`OUTSIDE.append(...)`", "tf.TensorArray"),
]


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize(
    ("function", "what", "form"), EFFECTS, ids=lambda v: getattr(v, "__name__", "")
)
def test_an_effect_is_reported_with_its_line(function, what, form, autograph):
    def traced(x):
        function(x)
        return x + 1

    f = tf.function(traced, autograph=autograph)
    f(tf.constant(1.0))
    (effect,) = f.explain().effects
    assert effect.startswith(what)
    assert "ran once, while tracing" in effect
    assert form in effect
    if what != "NumPy's random numbers":
        body = appends if function is in_a_helper else function
        assert f"({__file__}:{body.__code__.co_firstlineno + 1})" in effect
    assert what in str(f.explain())


def test_a_leak_names_where_the_tensor_was_made():
    f = tf.function(lambda x: [keeps_a_tensor(x), x][1])
    f(tf.constant(1.0))
    (effect,) = f.explain().effects
    line = keeps_a_tensor.__code__.co_firstlineno + 1
    assert f"made at {__file__}:{line}" in effect


def test_what_is_local_is_no_effect():
    @tf.function
    def f(x):
        items = []
        items.append(x)
        own = {"a": 1}
        own["b"] = 2
        counter = Counter()
        counter.count = 3
        return items[0] * own["b"] * counter.count

    f(tf.constant(1))
    assert f.explain().effects == ()


def test_a_branch_that_did_not_run_has_no_effect():
    @tf.function
    def f(x, loud=False):
        if loud:
            print("never")
            OUTSIDE.append(1)
        return x

    f(tf.constant(1))
    assert f.explain().effects == ()


def test_random_tensors_are_no_effect():
    f = tf.function(lambda: tf.random.uniform([2]) + tf.random.normal([2]))
    f()
    assert f.explain().effects == ()


def test_another_profiler_is_left_in_place():
    calls = []
    profiler = lambda *event: calls.append(event)  # noqa: E731
    inside = []

    @tf.function
    def f(x):
        inside.append(sys.getprofile())
        return x + 1

    sys.setprofile(profiler)
    try:
        f(tf.constant(1))
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert inside == [profiler]
    assert calls


def test_an_inner_trace_leaves_the_outer_one_watched():
    inner = tf.function(lambda x: [prints(x), x][1])

    @tf.function
    def outer(x):
        y = inner(x)
        prints(y)
        return y

    outer(tf.constant(1))
    assert sys.getprofile() is None
    assert len(outer.explain().effects) == len(inner.explain().effects) == 1


def test_the_profile_function_is_gone_after_the_trace():
    f = tf.function(lambda x: x + undefined)  # noqa: F821
    with pytest.raises(NameError):
        f(tf.constant(1))
    assert sys.getprofile() is None


def test_mutators_exist():
    kinds = (list, dict, set, deque)
    assert all(any(hasattr(kind, name) for kind in kinds) for name in MUTATORS)


def test_without_debug_mode_effects_are_those_of_the_source_and_of_what_changed(monkeypatch):
    monkeypatch.setattr(Debug, "notes", True)
    tf.explain.debug_mode(False)
    history, never = [], []

    @tf.function
    def step(x):
        print("step")
        history.append(x * 2)
        if x is None:
            never.append(1)
        return x

    step(tf.constant(1.0))
    kept, printed = step.explain().effects
    assert kept.startswith("`history.append(...)`")
    assert "it keeps a tensor of the graph (mul:0" in kept
    assert printed.startswith("`print(...)`")
    assert printed.endswith("runs only while tracing; tf.print(...) prints at each call")


def test_the_environment_switches_debug_mode_on():
    program = "import graphwright as tf\nfrom graphwright.explain.trace_record import Debug\n"
    program += "print(Debug.on)"
    for value in ("1", "0"):
        answer = run([sys.executable, "-c", program], env={**environ, "GRAPHWRIGHT_EXPLAIN": value},
                     capture_output=True, text=True, check=True)  # fmt: skip
        assert answer.stdout.strip() == str(value == "1")
