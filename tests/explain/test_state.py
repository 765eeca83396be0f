"""State that was read while tracing is known to the trace; functions say when it changed."""

from __future__ import annotations

import gc
import types
import warnings
import weakref

import numpy as np
import pytest

import graphwright as tf
from graphwright.explain.paths import print_of
from graphwright.explain.trace_record import Debug

FACTOR = 2
SETTINGS = {"rate": {"now": 1.0}, "names": ["a"]}
TABLE = np.arange(4.0)


@pytest.fixture(autouse=True)
def _restore():
    yield
    global FACTOR
    FACTOR = 2
    SETTINGS.update({"rate": {"now": 1.0}, "names": ["a"]})
    TABLE[:] = np.arange(4.0)


def warnings_of(call):
    """The messages about stale state that a call gives, and its result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return [str(w.message) for w in caught if w.category is tf.explain.StaleStateWarning], result


def test_known_issue_globals():
    global FACTOR

    @tf.function(on_stale="warn")
    def buggy_add():
        return 1 + FACTOR

    assert warnings_of(buggy_add) == ([], 3)
    FACTOR = 100
    (message,), result = warnings_of(buggy_add)
    assert result == 3
    assert "`buggy_add` still computes with the state that it read" in message
    assert "the global `FACTOR` was 2 and is 100 now" in message
    assert "FACTOR = tf.Variable(2); FACTOR.assign(100)" in message
    assert warnings_of(buggy_add) == ([], 3), "once for each new value"
    FACTOR = 7
    assert len(warnings_of(buggy_add)[0]) == 1


def test_known_issue_free_variables():
    foo = 1

    @tf.function(on_stale="warn")
    def buggy_add():
        return 1 + foo

    buggy_add()
    foo = 100
    (message,), _ = warnings_of(buggy_add)
    assert "the free variable `foo` was 1 and is 100 now" in message


class SimpleModel(tf.Module):
    def __init__(self):
        super().__init__()
        self.bias = 0.0
        self.weight = 2.0


def test_known_issue_python_objects():
    @tf.function(on_stale="warn")
    def evaluate(model, x):
        return model.weight * x + model.bias

    model, x = SimpleModel(), tf.constant(10.0)
    assert warnings_of(lambda: evaluate(model, x)) == ([], 20.0)
    model.bias += 5.0
    (message,), result = warnings_of(lambda: evaluate(model, x))
    assert result == 20.0
    assert "`model.bias` was 0.0 and is 5.0 now" in message


def test_known_issue_python_objects_behind_a_concrete_function():
    model, x = SimpleModel(), tf.constant(10.0)
    evaluate = tf.function(lambda model, x: model.weight * x + model.bias, on_stale="warn")
    concrete = evaluate.get_concrete_function(model, x)
    model.bias += 5.0
    (message,), _ = warnings_of(lambda: concrete(x))
    assert "`model.bias` was 0.0" in message


def test_known_issue_reused_id():
    """A new object may get the id of the traced one: no trace serves both; the report says so."""

    class Fruit:
        def __init__(self, flavor):
            self.flavor = flavor

    @tf.function
    def taste(fruit):
        return tf.constant(fruit.flavor)

    assert [int(taste(Fruit(n))) for n in range(4)] == [0, 1, 2, 3]
    (cause,) = [c for c in taste.explain().causes if c.rule == "dead weak reference"]
    assert "not even one with the same id" in cause.sentence


def test_variables_do_not_go_stale():
    v = tf.Variable(1.0)
    f = tf.function(lambda: v * 2, on_stale="warn")
    f()
    v.assign(5.0)
    assert warnings_of(f) == ([], 10.0)


def test_retrace_gives_the_result_of_now_and_keeps_old_traces():
    global FACTOR
    f = tf.function(lambda x: x * FACTOR, on_stale="retrace")
    x = tf.constant(3)
    results = []
    for value in (2, 5, 5, 2, 5):
        FACTOR = value
        results.append(int(f(x)))
    assert results == [6, 15, 15, 6, 15]
    assert f.experimental_get_tracing_count() == 2
    (cause,) = f.explain().causes
    assert cause.sentence.startswith("`FACTOR` changes: 2 and 5;")


def test_retrace_of_an_inner_function():
    global FACTOR
    inner = tf.function(lambda x: x * FACTOR, on_stale="retrace")
    outer = tf.function(lambda x: inner(x) + 1)
    x = tf.constant(3)
    assert int(outer(x)) == 7
    FACTOR = 5
    assert int(outer(x)) == 16


def test_warning_of_an_inner_function():
    global FACTOR
    inner = tf.function(lambda x: x * FACTOR, on_stale="warn")
    outer = tf.function(lambda x: inner(x) + 1)
    outer(tf.constant(3))
    FACTOR = 5
    assert len(warnings_of(lambda: outer(tf.constant(3)))[0]) == 1


def change_nested_dictionary():
    SETTINGS["rate"]["now"] = 2.0


def change_list_in_a_dictionary():
    SETTINGS["names"].append("b")


def change_array():
    TABLE[2] = 7.0


def helper(settings):
    return settings["rate"]["now"]


class Layer:
    def __init__(self):
        self.scale = 1.0
        self.parts = [1.0]

    def __call__(self, x):
        return self.scaled(x)

    def scaled(self, x):
        return x * self.scale + sum(self.parts)


LAYER = Layer()


def change_attribute():
    LAYER.scale += 1.0


def change_items():
    LAYER.parts.append(1.0)


def rebind_helper():
    global helper
    helper = lambda settings: 2.0  # noqa: E731


READERS = [
    (lambda x: x * SETTINGS["rate"]["now"], change_nested_dictionary, "SETTINGS['rate']['now']"),
    (lambda x: x * helper(SETTINGS), change_nested_dictionary, "SETTINGS['rate']['now']"),
    (lambda x: x * len(SETTINGS["names"]), change_list_in_a_dictionary, "SETTINGS['names']"),
    (lambda x: x * TABLE, change_array, "TABLE"),
    (lambda x: LAYER(x), change_attribute, "LAYER.scale"),
    (lambda x: LAYER.scaled(x), change_items, "LAYER.parts"),
    (lambda x: x * helper(SETTINGS), rebind_helper, "helper"),
]


@pytest.mark.parametrize(("function", "change", "path"), READERS)
def test_what_is_read_in_helpers_attributes_and_containers(function, change, path):
    f = tf.function(function, on_stale="warn")
    x = tf.ones([4])
    assert warnings_of(lambda: f(x))[0] == []
    assert warnings_of(lambda: f(x))[0] == []
    change()
    messages, _ = warnings_of(lambda: f(x))
    assert any(f"`{path}` was" in m for m in messages), messages


def test_an_alias_is_followed():
    @tf.function(on_stale="warn")
    def f(x):
        rate = SETTINGS["rate"]
        return x * rate["now"]

    f(tf.constant(1.0))
    change_nested_dictionary()
    messages, _ = warnings_of(lambda: f(tf.constant(1.0)))
    assert any("SETTINGS['rate']['now']" in m for m in messages)


def test_what_the_function_binds_itself_is_not_state():
    @tf.function(on_stale="warn")
    def f(x):
        FACTOR = 3
        names = [name for name in ("a", "b")]  # noqa: C416
        return x * FACTOR * len(names)

    f(tf.constant(1))
    (trace,) = f.explain().traces
    assert trace.reads == {}


def test_the_default_is_to_ignore_and_debug_mode_warns():
    global FACTOR
    f = tf.function(lambda: tf.constant(FACTOR))
    g = tf.function(lambda: tf.constant(FACTOR))
    f()
    tf.explain.debug_mode()
    try:
        g()
        FACTOR = 9
        assert warnings_of(f)[0] == []
        assert len(warnings_of(g)[0]) == 1
        assert "was 2 and is 9 now" in str(g.explain())
    finally:
        tf.explain.debug_mode(False)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="on_stale must be one of warn, retrace, ignore"):
        tf.function(lambda: 1, on_stale="sometimes")


def test_arguments_are_not_kept_alive():
    f = tf.function(lambda model: tf.constant(model.bias), on_stale="warn")
    model = SimpleModel()
    reference = weakref.ref(model)
    f(model)
    del model
    gc.collect()
    assert reference() is None


def test_functions_without_state_stay_on_the_fast_path():
    f = tf.function(lambda x: x + 1, on_stale="warn")
    f(tf.constant(1))
    assert len(f._fast) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True), (1, 1.0), ("a", b"a"), ([1], (1,)), ([1, 2], [2, 1]), ({1: 2}, {1: 3}),
        ({1}, {2}), (np.zeros(2), np.ones(2)), (np.zeros(2), np.zeros(2, np.float32)),
        (tf.constant(1), tf.constant(2)), (object(), object()), ([[[1]]], [[[2]]]),
        (types.SimpleNamespace(), types.SimpleNamespace()),
    ],
)  # fmt: skip
def test_values_are_told_apart(one, other):
    assert print_of(one) == print_of(one)
    assert print_of(one) != print_of(other)


def test_nan_is_itself():
    assert print_of(float("nan")) == print_of(float("nan"))


class Settings:
    def __init__(self, rate):
        self.rate = rate


def test_an_argument_that_is_gone_has_not_changed():
    f = tf.function(lambda x, settings: x * settings.rate, on_stale="warn")
    for rate in range(3):
        f(tf.constant(1.0), Settings(rate))
    gc.collect()
    assert "has read" not in str(f.explain())


def test_an_attribute_that_was_deleted_is_gone():
    f = tf.function(lambda x, settings: x * settings.rate, on_stale="warn")
    settings = Settings(2.0)
    f(tf.constant(1.0), settings)
    del settings.rate
    (message,), _ = warnings_of(lambda: f(tf.constant(1.0), settings))
    assert "`settings.rate` was 2.0 and is gone now" in message
    assert "settings.rate = tf.Variable(2.0))" in message


def test_a_report_says_what_has_changed_though_nobody_asked_before(monkeypatch):
    monkeypatch.setattr(Debug, "notes", True)
    settings = {"rate": 2.0, "deep": {"a": [1]}}

    @tf.function
    def f(x):
        return x * settings["rate"] + len(settings["deep"]["a"])

    f(tf.constant(1.0))
    assert f.explain().changes == ()
    assert f.explain().traces[0].reads["free variable `settings['rate']`"] == "2.0"
    settings["rate"] = 3.0
    [change] = f.explain().changes
    assert "`settings['rate']` was 2.0 and is 3.0 now" in change
    settings["rate"] = 2.0
    assert f.explain().changes == ()


def test_notes_keep_no_object_alive(monkeypatch):
    monkeypatch.setattr(Debug, "notes", True)

    class Model:
        def __init__(self):
            self.part = Model.Part()

        class Part:
            rate = 2.0

    model = Model()
    part = weakref.ref(model.part)

    @tf.function
    def f(x):
        return x * model.part.rate

    f(tf.constant(1.0))
    model.part = Model.Part()
    gc.collect()
    assert part() is None
    assert f.explain().traces[0].reads


def test_an_object_that_cannot_be_looked_at_stops_no_trace(monkeypatch):
    monkeypatch.setattr(Debug, "notes", True)

    class Proxy:
        @property
        def __class__(self):
            raise RuntimeError("outside of a request")

    proxy = Proxy()

    @tf.function
    def f(x):
        return x if id(proxy) else -x

    assert f(tf.constant(1.0)).numpy() == 1.0
    assert f.explain().summary == "f: 1 trace in 1 call"


def test_direct_calls_of_a_trace_that_fail_are_reported():
    @tf.function
    def f(x):
        return x

    concrete = f.get_concrete_function(tf.TensorSpec([]))
    with pytest.raises(TypeError, match="too many positional"):
        concrete(tf.constant(1.0), 2)
    with pytest.raises(tf.errors.InvalidArgumentError):
        concrete(tf.constant(1))
    errors = [failure.error for failure in f.explain().failures]
    assert errors == ["TypeError", "InvalidArgumentError"]


def helped(x, model):
    return x * FACTOR * SETTINGS["rate"]["now"] + model.weight


class Scaled(SimpleModel):
    def scale(self, x):
        return x * self.weight + FACTOR

    @tf.function
    def __call__(self, x):
        return self.scale(x) + self.bias


def changes_of(function):
    """The changes that a report names, without the form that mends them."""
    return sorted(change.partition(";")[0] for change in function.explain().changes)


def test_a_report_compares_what_lay_around_a_trace():
    global FACTOR
    step, model = 1, SimpleModel()

    @tf.function
    def f(x, model):
        return helped(x, model) + step

    f(tf.constant(1.0), model)
    assert changes_of(f) == []
    FACTOR, step, model.weight = 5, 2, 7.0
    SETTINGS["rate"]["now"] = 3.0
    SETTINGS["names"].append("not read")
    model.bias = 4.0
    assert changes_of(f) == [
        "the argument `model.weight` was 2.0 and is 7.0 now",
        "the free variable `step` was 1 and is 2 now",
        "the global `FACTOR` was 2 and is 5 now",
        "the global `SETTINGS['rate']['now']` was 1.0 and is 3.0 now",
    ]
    FACTOR, step, model.weight = 2, 1, 2.0
    SETTINGS["rate"]["now"] = 1.0
    assert changes_of(f) == []


def test_a_report_compares_what_methods_of_the_object_read():
    global FACTOR
    model = Scaled()
    model(tf.constant(1.0))
    FACTOR, model.bias, model.weight = 3, 1.0, 1.0
    assert changes_of(Scaled.__call__.__get__(model)) == [
        "the argument `self.bias` was 0.0 and is 1.0 now",
        "the argument `self.weight` was 2.0 and is 1.0 now",
        "the global `FACTOR` was 2 and is 3 now",
    ]


def test_a_glimpse_keeps_no_object_alive():
    model = SimpleModel()
    model.part = SimpleModel()
    part = weakref.ref(model.part)
    f = tf.function(lambda x: x * model.part.weight)
    f(tf.constant(1.0))
    model.part = SimpleModel()
    gc.collect()
    assert part() is None
    assert changes_of(f) == []
