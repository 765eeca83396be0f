"""The warning of retracing: the cause and the best fix, once for each cause."""

from __future__ import annotations

import logging
import warnings

import pytest

import graphwright as tf
from graphwright.base.identities import IdentityTable
from graphwright.explain import trace_record


@pytest.fixture(autouse=True)
def _nothing_told_before(monkeypatch):
    monkeypatch.setattr(trace_record, "FAMILIES", IdentityTable())


@pytest.fixture
def told():
    """What handlers of the logger get, and what the `warnings` module does."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append
    tf.get_logger().addHandler(handler)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield records, caught
    tf.get_logger().removeHandler(handler)


def retraced(times):
    @tf.function
    def process_data(data):
        return tf.reduce_sum(data)

    for n in range(1, times + 1):
        process_data(tf.ones([n]))
    return process_data


def test_one_line_names_cause_and_fix(told, capsys):
    retraced(11)
    line, *more = capsys.readouterr().err.splitlines()
    assert more == []
    assert "`data` comes in 5 shapes: [1], [2], [3], [4] and [5]" in line
    assert "input_signature=[tf.TensorSpec([None], tf.float32)]" in line
    assert "(1 trace)" in line
    assert f"({__file__}:" in line


def test_handlers_get_tensorflows_words_twice(told):
    records, _ = told
    retraced(11)
    assert [r.getMessage()[:25] for r in records] == [
        "5 out of the last 5 calls",
        "6 out of the last 6 calls",
    ]
    assert "comes in 5 shapes" in records[0].explanation
    assert records[1].explanation == ""


def test_the_warnings_module_hears_it_at_the_callers_line(told):
    _, caught = told
    retraced(11)
    (warning,) = caught
    assert warning.category is tf.explain.RetracingWarning
    assert warning.filename == __file__
    line = retraced.__code__.co_firstlineno + 6
    assert warning.lineno == line


def test_it_can_be_made_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", tf.explain.RetracingWarning)
        with pytest.raises(tf.explain.RetracingWarning, match="was traced 5 times"):
            retraced(6)


def test_by_default_the_warnings_module_is_silent():
    found = [f for f in warnings.filters if f[2] is tf.explain.RetracingWarning]
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("ignore", tf.explain.RetracingWarning, append=True)
        retraced(6)
    assert found == [] or found[0][0] == "ignore"


def test_another_cause_is_told_too(told):
    _, caught = told
    f = tf.function(lambda x, n: x * n)
    x = tf.ones([2])
    for n in range(8):
        f(x, float(n))
    for n in range(3, 20):
        f(tf.ones([n]), 0.0)
    messages = [str(w.message) for w in caught]
    assert len(messages) == 2
    assert "`n` is a Python float" in messages[0]
    assert "`x` comes in" in messages[1]


def test_a_decorator_in_a_loop_is_told(told):
    _, caught = told
    for i in range(6):
        tf.function(lambda x: x + 1)(tf.constant(i))
    (warning,) = caught
    assert "5 tf.function objects were made of `<lambda>`" in str(warning.message)


def test_functions_that_are_made_in_traces_are_no_reason(told):
    """Each model of Keras has a step inside of its training function; TensorFlow is silent too."""

    def step(x):
        return x + 1

    def training():
        inner = tf.function(step)
        return tf.function(lambda x: inner(x))

    for _ in range(9):
        train = training()
        for batch in range(4):
            train(tf.constant(batch))
    assert told == ([], [])


def test_traces_among_many_calls_are_no_reason(told):
    records, caught = told
    f = tf.function(lambda x: x * 2)
    for n in range(1, 8):
        for _ in range(4):
            f(tf.ones([n]))
    assert (records, caught) == ([], [])


def test_many_traces_are_not_asked_for_their_calls_each_time(told, monkeypatch):
    asked = []
    calls = trace_record.TraceRecord.calls.fget
    monkeypatch.setattr(
        trace_record.TraceRecord, "calls", property(lambda self: asked.append(self) or calls(self))
    )
    f = tf.function(lambda x: x * 2)
    counts = []
    f._history.family.looks = 1025  # no report, which asks for calls too
    for n in range(1, 301):
        before = len(asked)
        f(tf.ones([n]))
        counts.append(len(asked) - before)
    assert max(counts[:32]) == 32
    assert sum(counts) < 300 * 2 * 16


@pytest.mark.parametrize("kept", [40, 200])
def test_a_burst_of_traces_after_many_is_told(told, kept):
    """Traces of shapes that were called often, then one Python number after the other."""
    _, caught = told
    f = tf.function(lambda x, n: x * n)
    for n in range(1, kept + 1):
        for _ in range(12):
            f(tf.ones([n]), 1.0)
    assert caught == []
    for n in range(100):
        f(tf.ones([1]), float(n))
    assert any("`n` is a Python float" in str(warning.message) for warning in caught)


def test_concrete_functions_on_purpose_are_no_reason(told):
    records, caught = told
    f = tf.function(lambda x: x * 2)
    for n in range(1, 12):
        f.get_concrete_function(tf.TensorSpec([n]))
    assert (records, caught) == ([], [])


def test_code_of_several_statements_is_left_to_the_report(told):
    @tf.function
    def countdown(n):
        return countdown(n - 1) if n > 0 else 0

    countdown(9)
    line = told[0][0].explanation
    assert "calls itself" in line
    assert line.endswith(": see explain()")


def test_a_warning_lowers_no_trace_again(monkeypatch):
    def lowered(graph):
        raise AssertionError("a warning asks for no loops")

    monkeypatch.setattr("graphwright.compile.run.kernel_loops.kernel_loops", lowered)

    @tf.function
    def halved(x):
        while tf.reduce_sum(x) > 1.0:
            x = x / 2.0
        return x

    for n in range(1, 9):
        halved(tf.ones([n]))
    with pytest.raises(AssertionError, match="no loops"):
        halved.explain()
