"""Any calls can be explained: no history is too odd for a report."""

from __future__ import annotations

import json
import types

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.explain.brief import explanation


class Plain:
    def __init__(self, size):
        self.size = size


class Equal(Plain):
    def __eq__(self, other):
        return isinstance(other, Equal) and self.size == other.size

    def __hash__(self):
        return hash(self.size)


VARIABLES = [tf.Variable(1.0), tf.Variable([1.0, 2.0])]
KEPT = [Plain(1), Equal(1), Equal(2), lambda: None]

tensors = st.builds(
    lambda shape, dtype: tf.zeros(shape, dtype),
    st.lists(st.integers(0, 5), max_size=3),
    st.sampled_from([tf.float32, tf.int32, tf.string, tf.bool]),
)
numbers = st.one_of(
    st.integers(-3, 40), st.floats(-2, 2), st.booleans(), st.none(), st.text("ab", max_size=2),
    st.just(float("nan")), st.just(2**40), st.just(1j),
)  # fmt: skip
objects = st.one_of(
    st.builds(Plain, st.integers(0, 2)),
    st.builds(Equal, st.integers(0, 2)),
    st.sampled_from(KEPT),
    st.builds(lambda n: lambda: n, st.integers(0, 2)),
    st.sampled_from(VARIABLES),
    st.builds(lambda n: tf.ragged.constant([[1.0] * n]), st.integers(0, 3)),
    st.builds(lambda n: np.zeros(n), st.integers(0, 3)),
)
leaves = st.one_of(tensors, numbers, objects)
arguments = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    ),
    max_leaves=4,
)


def anew(function):
    """A function of code of its own: to a report, all that are made of one code belong together."""
    return types.FunctionType(function.__code__.replace(), globals(), argdefs=function.__defaults__)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(arguments, arguments), min_size=1, max_size=12),
    st.booleans(),
    st.sampled_from([None, "warn", "retrace"]),
)
def test_any_calls_can_be_explained(calls, reduces, on_stale):
    function = anew(lambda x, y=0: tf.constant(1))
    f = tf.function(function, reduce_retracing=reduces, on_stale=on_stale)
    for x, y in calls:
        f(x, y=y)
    del calls, x, y  # objects may be gone
    report = f.explain()
    assert len(report.traces) == f.experimental_get_tracing_count()
    assert all(trace.calls for trace in report.traces)
    made = [fix for cause in report.causes for fix in cause.fixes]
    if report.together is not None:
        made.append(report.together)
    assert all(fix.traces >= 1 and fix.code for fix in made)
    json.dumps(report.to_dict())
    assert "<lambda>:" in str(report)
    assert report._repr_html_()
    explanation(f._history, f._history.family)


few = st.one_of(
    st.builds(tf.zeros, st.lists(st.integers(1, 20), max_size=2)),
    st.integers(0, 20),
    st.lists(st.integers(0, 9), min_size=1, max_size=9),
    st.builds(lambda n: [tf.zeros([])] * n, st.integers(1, 9)),
    st.builds(Equal, st.integers(0, 20)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(few, min_size=6, max_size=20))
def test_many_calls_of_few_kinds_can_be_explained(calls):
    f = tf.function(anew(lambda x: tf.constant(1)))
    for x in calls:
        f(x)
    report = f.explain()
    made = [fix for cause in report.causes for fix in cause.fixes]
    assert all(1 <= fix.traces <= len(report.traces) for fix in made)
    assert str(report)
