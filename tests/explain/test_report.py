"""What is kept of each trace, and the report's forms."""

from __future__ import annotations

import json
import threading

import graphwright as tf
from graphwright.explain.replay import bucket


def traced():
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = x * 2.0
        return x

    for _ in range(3):
        f(tf.ones([2]), tf.constant(2))
    f(tf.ones([3]), n=tf.constant(2))
    return f


def test_a_trace_has_its_caller_its_costs_and_its_calls(usual_tiers):
    first, second = traced().explain().traces
    line = traced.__code__.co_firstlineno + 8
    assert first.caller == f"{__file__}:{line}"
    assert second.caller == f"{__file__}:{line + 1}"
    assert (first.calls, second.calls) == (3, 1)
    assert first.seconds > 0
    assert first.compiled["python"] > 0
    assert first.nodes > len("x n while")
    assert first.type == "(x: float32[2], n: int32[])"
    assert second.because == "`x`: float32[2] -> float32[3]"


def test_the_report_as_values_and_html_and_text():
    report = traced().explain()
    values = json.loads(json.dumps(report.to_dict()))
    assert "shape" in [cause["rule"] for cause in values["causes"]]
    html = report._repr_html_()
    assert html.count("<table>") == html.count("</table>") == 1
    assert "-&gt; float32[3]" in html
    assert "f: 2 traces in 4 calls" in str(report)


def test_every_call_is_counted_from_all_threads():
    f = tf.function(lambda x: x + 1)
    x = tf.constant(1)

    def call():
        for _ in range(5000):
            f(x)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n in range(20):  # others in between, by the keys of calls
        f(tf.ones([n % 2 + 1], tf.int32))
        f(x=x)
    assert [trace.calls for trace in f.explain().traces] == [20020, 10, 10]


def test_a_function_that_was_not_called():
    f = tf.function(lambda x: x)
    assert "0 traces in 0 calls" in str(f.explain())


def test_a_function_that_was_not_called_beside_others_of_its_code():
    def made():
        return tf.function(lambda x: x)

    others = [made() for _ in range(2)]
    for other in others:
        other(tf.constant(1.0))
    (cause,) = made().explain().causes
    assert cause.sentence.startswith("2 tf.function objects were made of")


def test_an_object_whose_repr_fails_is_reported():
    class Rude:
        def __repr__(self):
            raise RuntimeError("no")

    f = tf.function(lambda rude: tf.constant(1), on_stale="warn")
    kept = [Rude(), Rude()]
    for rude in kept:
        f(rude)
    assert "another Rude object" in str(f.explain())


def test_a_method_without_a_parameter_for_its_instance_is_in_a_report():
    class Scale:
        @tf.function
        def apply(*args):
            return tf.abs(args[1])

    scale = Scale()
    scale.apply(tf.constant(-3.0))
    scale.apply(tf.constant([-3.0]))
    assert [cause.rule for cause in scale.apply.explain().causes] == ["shape"]


def test_a_tensor_instead_of_a_number_is_said_to_need_a_cast():
    scaled = tf.function(lambda x, n: x * n)
    for n in range(3):
        scaled(tf.ones([n + 1]), n)
    report = scaled.explain()
    fixes = [fix for cause in report.causes for fix in cause.fixes if "tf.int32" in fix.code]
    assert fixes
    assert all("may need tf.cast" in fix.note for fix in fixes)


def test_all_instances_are_in_the_report_of_the_method():
    class Model:
        @tf.function
        def step(self, x):
            return x + 1

    kept = [Model(), Model()]
    for model in kept:
        model.step(tf.constant(1))
    assert len(Model.step.explain().traces) == 2


def test_the_causes_together_leave_the_fewest_traces():
    f = tf.function(lambda x, n: tf.cast(x, tf.float32) * n)
    for n, dtype in enumerate([tf.int32, tf.float32] * 2):
        f(tf.ones([2], dtype), float(n))
    report = f.explain()
    assert [cause.best.traces for cause in report.causes] == [2, 4]
    assert report.together.traces == 1
    assert report.together.code == "f(tf.cast(x, tf.float32), tf.constant(n))"


def test_one_fix_for_all_causes_is_no_fix_of_several():
    f = tf.function(lambda x, n: x * n)
    for n in range(1, 5):
        f(tf.ones([n]), float(n))
    report = f.explain()
    assert [cause.best.traces for cause in report.causes] == [1, 1]
    assert [cause.best.title for cause in report.causes] == ["Fix the signature"] * 2
    assert report.together is None


def test_buckets_are_powers_of_two():
    assert [bucket(n) for n in (0, 1, 2, 3, 4, 5, 1000)] == [1, 1, 2, 4, 4, 8, 1024]


def test_a_graph_to_look_at():
    graph = traced()._list_all_concrete_functions()[0].graph
    view = graph.view()
    assert "x = x * 2.0" in str(view)
    html = view._repr_html_()
    assert html.count("<svg") == 3
    assert html.count("<details>") == 2
    assert view.to_svg().startswith("<svg")
    dot = graph.to_dot()
    assert dot.count("{") == dot.count("}")
    assert "subgraph cluster_" in dot
