"""Traces that differ in sizes alone share one native form, and no others do."""

from __future__ import annotations

import gc
import os
import threading
import weakref

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run import executable, tiers
from graphwright.compile.run.options import OPTIONS
from graphwright.compile.select.size_families import family_of, joined, types
from graphwright.machine import background
from graphwright.machine.preparation import Waiting

pytestmark = pytest.mark.skipif(
    OPTIONS.get("native") is not None, reason="nothing is compiled in the background"
)


@pytest.fixture(autouse=True)
def no_call_is_long(monkeypatch):
    """A busy machine makes calls take long, and then they are worth compiling for."""
    monkeypatch.setattr(tiers, "_LONG", float("inf"))


def vector(n):
    return np.random.default_rng(n).normal(size=n).astype(np.float32)


def spread(x):
    centred = x - tf.reduce_mean(x)
    return tf.sqrt(tf.reduce_mean(centred * centred)) + tf.reduce_max(tf.tanh(centred))


def called(function, *arguments, times=4):
    """The traces for arguments, each called so often that it is compiled."""
    for _ in range(times):
        for given in arguments:
            function(*given)
    background.wait()
    return [function.get_concrete_function(*given) for given in arguments]


def graph_of(function, *arguments):
    return function.get_concrete_function(*arguments).graph


LENGTHS = [7, 8, 9, 16, 2, 3, 1000, 1]

#: Where the length is a number of the trace, a slice ends before another one, ...
PROGRAMS = {
    "spread": spread,
    "last": lambda x: tf.exp(x[-2:]) * 2.0,
    "first": lambda x: tf.exp(x[:5]) * 2.0,
    "all but the last": lambda x: tf.exp(x[:-1]) - x[1:],
    "rows": lambda x: tf.exp(tf.reshape(x, [1, -1])) + 1.0,
    "its size": lambda x: tf.exp(x) * tf.cast(tf.shape(x)[0], tf.float32),
    "a matrix": lambda x: tf.nn.softmax(tf.reshape(x, [-1, 1]) - x),
    "padded": lambda x: tf.exp(tf.pad(x, [[1, 2]])),
    "sixteen": lambda x: tf.exp(tf.reshape(x, [x.shape[0], 1]) * tf.ones([1, 16])),
    "a small product": lambda x: tf.linalg.matvec(tf.exp(x[:, None] - x), x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_length_gives_what_the_kernels_give(name):
    function = tf.function(PROGRAMS[name])
    arguments = [(vector(n),) for n in LENGTHS]
    traces = called(function, *arguments)
    assert {t.tier for t in traces} == {"native"}
    for (x,) in arguments:
        np.testing.assert_allclose(function(x), PROGRAMS[name](x), rtol=2e-5, atol=1e-6)


def test_what_was_compiled_for_two_lengths_is_there_for_all():
    function = tf.function(spread)
    called(function, *[(vector(n),) for n in (5, 6)])
    x = vector(77)
    np.testing.assert_allclose(function(x), spread(x), rtol=1e-5)
    trace = function.get_concrete_function(x)
    assert [c.tier for c in trace.compilations] == ["native"]
    assert trace.tiers.family.function_for(types(trace.graph))


@pytest.mark.parametrize("size", [0, 1])
def test_a_trace_has_code_of_its_kin_till_it_has_its_own(size):
    function = tf.function(lambda x: tf.reduce_sum(tf.exp(x) - tf.reduce_mean(x)))
    called(function, *[(vector(n),) for n in (5, 6)])
    x = vector(size)
    stages = []
    for _ in range(4):
        np.testing.assert_allclose(function(x), function.python_function(tf.constant(x)), rtol=1e-5)
        background.wait()
        trace = function.get_concrete_function(x)
        stages.append(trace.tiers.stage.name)
        assert trace.tier == "native"
    assert stages == ["KIN", "KIN", "EXACT", "EXACT"]


def libraries():
    """How many modules of machine code there are in this process."""
    gc.collect()
    return len(executable._LIBRARIES)


def test_a_round_of_lengths_is_native_when_it_is_over():
    function = tf.function(spread)
    before = libraries()
    traces = called(function, *[(vector(n),) for n in range(1, 65)], times=1)
    assert {t.tier for t in traces} == {"native"}
    assert libraries() <= before + 1
    for n in (1, 2, 3, 64):
        np.testing.assert_allclose(function(vector(n)), spread(vector(n)), rtol=1e-5, atol=1e-6)


def test_a_thousand_lengths_are_one_program():
    function = tf.function(lambda x: tf.reduce_sum(tf.tanh(x) * 3.0))
    before = libraries()
    traces = called(function, *[(tf.zeros([n]),) for n in range(2, 1002)], times=1)
    assert {t.tier for t in traces} == {"native"}
    assert len({id(t.tiers.family) for t in traces}) == 1
    assert libraries() <= before + 1


def test_where_one_form_is_not_as_good_only_what_is_called_often_is_compiled():
    function = tf.function(PROGRAMS["first"])
    before = libraries()
    arguments = [(vector(n),) for n in range(6, 26)]
    traces = called(function, *arguments, times=2)
    assert not traces[0].tiers.family.is_open
    assert {t.tier for t in traces} == {"python"}
    assert libraries() == before
    called(function, arguments[7], times=1)
    assert [i for i, t in enumerate(traces) if t.tier == "native"] == [7]
    assert libraries() == before + 1


def test_structures_that_only_look_alike_do_not_count_together():
    functions = [tf.function(lambda x, k=k: tf.exp(x) * k) for k in range(20)]
    traces = [called(function, (vector(5),), times=1)[0] for function in functions]
    assert len({id(t.tiers.lookalikes) for t in traces}) == 1
    assert {t.tier for t in traces} == {"python"}


def test_the_first_calls_may_be_of_many_threads():
    function = tf.function(spread)
    results = {}

    def work(k):
        for n in range(2 + k, 66, 8):
            results[n] = function(vector(n)).numpy()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    background.wait()
    assert sorted(results) == list(range(2, 66))
    for n, result in results.items():
        np.testing.assert_allclose(result, spread(vector(n)), rtol=1e-5, atol=1e-6)
        assert function.get_concrete_function(vector(n)).tier == "native"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_a_fork_makes_what_its_parent_had_asked_for(monkeypatch):
    function = tf.function(spread)
    with monkeypatch.context() as nobody:
        nobody.setattr(background, "submit", lambda *_: None)
        traces = called(function, *[(vector(n),) for n in (5, 6, 7)], times=1)
    assert {t.tier for t in traces} == {"python"}
    child = os.fork()
    if not child:
        called(function, (vector(7),), times=1)
        os._exit(0 if {t.tier for t in traces} == {"native"} else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_traces_that_may_not_be_compiled_do_not_count():
    functions = [tf.function(spread, jit_compile=False), tf.function(spread)]
    arguments = [(vector(n),) for n in (5, 6)]
    never, perhaps = [called(function, *arguments, times=1) for function in functions]
    assert {t.tier for t in (*never, *perhaps)} == {"python"}
    called(functions[1], arguments[0], times=1)
    assert {t.tier for t in never} == {"python"}
    assert {t.tier for t in perhaps} == {"native"}


def test_who_wants_the_same_in_every_run_has_the_third_call_wait(monkeypatch):
    monkeypatch.setattr(Waiting, "always", True)
    function = tf.function(spread)
    result = []
    for n in (5, 6, 7, 8):
        function(vector(n))
        result.append([function.get_concrete_function(vector(m)).tier for m in range(5, n + 1)])
    assert result == [["python"], ["python"] * 2, ["native"] * 3, ["native"] * 4]


def test_only_the_sizes_that_differ_are_unknown():
    function = tf.function(lambda x: tf.reduce_sum(x * 2.0, 0))
    wide = joined(*[graph_of(function, tf.TensorSpec([n, 4])) for n in (5, 6)])
    assert [v.type.dims for v in wide.parameters] == [(None, 4)]
    assert [v.type.dims for v in wide.results] == [(4,)]


def test_other_constants_dtypes_or_lines_are_another_family():
    def scaled(factor):
        return tf.function(lambda x: x * factor + 1.0)

    double = scaled(2.0)
    family = family_of(graph_of(double, vector(5)))
    assert family is not None
    assert family is family_of(graph_of(double, vector(6)))
    assert family is family_of(graph_of(scaled(2.0), vector(6)))
    assert family is not family_of(graph_of(scaled(3.0), vector(5)))
    assert family is not family_of(graph_of(double, vector(5).astype(np.float64)))
    assert family is not family_of(graph_of(double, vector(5)[None]))
    assert family is not family_of(graph_of(tf.function(lambda x: x * 2.0 + 1.0), vector(5)))


def halved(x):
    while tf.reduce_sum(x * x) > 1.0:
        x = x / 2.0
    return x


def running(x):
    """Sums of the first elements, written down one after the other."""
    result = tf.TensorArray(tf.float32, tf.shape(x)[0])
    total = 0.0
    for i in tf.range(tf.shape(x)[0]):
        total += tf.tanh(x[i])
        result = result.write(i, total)
    return result.stack()


def signed(x):
    return tf.exp(x) if tf.reduce_sum(x) > 0.0 else tf.exp(-x)


@pytest.mark.parametrize("program", [halved, running, signed])
def test_loops_and_branches_are_shared(program):
    function = tf.function(program)
    traces = called(function, *[(vector(n),) for n in (5, 6, 7, 9)])
    assert {t.tier for t in traces} == {"native"}
    (general,) = {t.tiers.family.form.linked() for t in traces}
    for n in (6, 77):
        np.testing.assert_allclose(function(vector(n)), program(tf.constant(vector(n))), rtol=2e-5)
    later = function.get_concrete_function(vector(77))
    assert later.tiers.family.function_for(types(later.graph)) is general


def test_updates_of_the_same_variables_are_shared_and_no_others():
    def counted(variable):
        @tf.function
        def mean(x):
            variable.assign_add(tf.reduce_mean(x * x))
            return variable * 2.0

        return mean

    one, other = tf.Variable(0.0), tf.Variable(100.0)
    first, second = counted(one), counted(other)
    for function in (first, second):
        called(function, *[(tf.ones([n]),) for n in (5, 6, 7, 9)])
    assert first(tf.ones([11])).numpy() == 2.0 * 17
    assert second(tf.ones([11])).numpy() == 2.0 * 117
    traces = [f.get_concrete_function(tf.TensorSpec([11])) for f in (first, second)]
    assert {t.tier for t in traces} == {"native"}
    assert traces[0].tiers.family is not traces[1].tiers.family


def test_what_draws_numbers_or_runs_python_has_no_family():
    for function in (
        lambda x: x + tf.random.normal([]),
        lambda x: tf.py_function(lambda y: y, [x], tf.float32),
    ):
        assert family_of(graph_of(tf.function(function), vector(5))) is None


def test_an_error_is_about_the_line_of_its_own_trace():
    one = tf.function(lambda x, i: tf.exp(x)[i] + 1.0)
    other = tf.function(lambda x, i: tf.exp(x)[i] + 1.0)
    index = tf.constant(1)
    for function in (one, other):
        called(function, *[(vector(n), index) for n in (5, 6)])
    for function in (one, other):
        line = function.python_function.__code__.co_firstlineno
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"line {line},"):
            function(vector(7), tf.constant(7))


def test_a_family_lives_as_long_as_its_traces():
    function = tf.function(spread)
    traces = called(function, *[(vector(n),) for n in (5, 6, 7)])
    family = weakref.ref(traces[0].tiers.family)
    assert family() is traces[2].tiers.family
    del function, traces
    gc.collect()
    assert family() is None
