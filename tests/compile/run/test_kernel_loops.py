"""What keeps loops out of machine code, and that the programs here have no such loop."""

from __future__ import annotations

import json
import runpy
import sys
from collections import Counter
from pathlib import Path

import pytest

import graphwright as tf
from benchmarks.peers import OURS
from benchmarks.programs import WORKLOADS
from benchmarks.workload import Cold, Repeated
from graphwright.compile.run.kernel_loops import kernel_loops
from graphwright.explain.trace_record import TraceRecord

ROOT = Path(__file__).resolve().parents[3]

#: Ops that take elements of a dataset: what reads files and calls Python runs as Python.
READERS = {"_NextBlock", "_NextElement"}

#: Workloads with programs. The statements (`S_...`) have code converted, and trace nothing.
KINDS = Cold, Repeated

#: For each example options that keep it short, and the obstacles in its loops.
OPTIONS = {
    "characters": ("--steps 1 --units 8 --batch 2", {"SplitV": 1, "Multinomial": 1}),
    "lines": ("--epochs 1 --lines 64 --units 4", {}),
    "pictures": ("--epochs 1", {}),
    "predators": ("--steps 1", {}),
}  # fmt: skip


def loops(function, *arguments):
    """The loops of a function's trace that run as Python."""
    return kernel_loops(function.get_concrete_function(*arguments).graph)


def test_a_loop_without_obstacles_is_none():
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            total += i
        return total

    assert loops(f, tf.constant(3)) == []
    assert f.explain().loops == ()


def test_each_node_in_the_way_is_listed_with_its_line_and_why():
    @tf.function
    def f(x, words):
        total = tf.zeros([2, 2])
        for i in tf.range(5):
            if i > 2:
                total = total + tf.cast(tf.strings.length(words[::-1]), tf.float32)
            total = total + tf.cast(tf.strings.length(words), tf.float32)
        return total

    (loop,) = loops(f, tf.eye(2), tf.constant([["a", "b"], ["c", "d"]]))
    lines = [(o.op, o.line.lineno - loop.line.lineno) for o in loop.obstacles]
    assert lines[-1] == ("StringLength", 3)
    assert {line for _, line in lines[:-1]} == {2}
    assert all(f"{op} has no native form" in str(loop.obstacles) for op, _ in lines)


def test_a_variable_that_begins_empty_is_named():
    @tf.function
    def f(n):
        items = tf.zeros([0, 2], name="nothing")
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(items, tf.TensorShape([None, 2]))]
            )
            items = tf.concat([items, tf.ones([1, 2])], 0)
        return items

    (loop,) = loops(f, tf.constant(3))
    assert [o.reason for o in loop.obstacles] == ["nothing:0 has no elements"]


def test_the_innermost_node_that_a_lowering_refuses_is_listed():
    @tf.function
    def f(x, n):
        for i in tf.range(n):
            if i > 2:
                x = x + tf.cast(tf.size(tf.where(x > 0.0)), x.dtype)
        return x

    (loop,) = loops(f, tf.ones([3]), tf.constant(3))
    (obstacle,) = loop.obstacles
    first = f.python_function.__code__.co_firstlineno
    assert (loop.line.lineno, obstacle.line.lineno) == (first + 2, first + 4)
    reason = "Where gives a shape that only its kernel knows"
    assert (obstacle.op, obstacle.reason) == ("Where", reason)


def test_loops_inside_one_that_runs_as_python_are_listed_alone():
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            for _ in tf.range(n):
                x = x * 0.5
            for _ in tf.range(n):
                x = x + tf.cast(tf.size(tf.where(x > 0.0)), x.dtype)
        return x

    first = f.python_function.__code__.co_firstlineno
    lines = [loop.line.lineno - first for loop in loops(f, tf.ones([3]), tf.constant(3))]
    assert lines == [2, 5]


def test_reports_and_profiles_say_it(tmp_path):
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = x + tf.cast(tf.size(tf.where(x > 0.0)), x.dtype)
        return x

    with tf.profiler.experimental.Profile(tmp_path):
        f(tf.ones([3]), tf.constant(3))
    (file,) = tmp_path.rglob("*.trace.json")
    (remark,) = json.loads(file.read_text())["otherData"]["remarks"]
    (sentence,) = f.explain().loops
    assert remark == f"f: {sentence}"
    assert sentence.startswith("1 node keeps a loop (")
    assert sentence.endswith(": Where gives a shape that only its kernel knows")
    assert "Loops that run as Python" in str(f.explain())


def test_reports_say_which_kernels_machine_code_calls():
    @tf.function
    def f(x, n):
        for i in tf.range(n):
            if i > 1:
                x = tf.math.igamma(x, x)
            x = tf.cumsum(x, i % 1)
        return x

    f(tf.ones([3]), tf.constant(3))
    assert f.explain().loops == ()
    first = f.python_function.__code__.co_firstlineno
    lines = [f"Igamma ({__file__}:{first + 4})", f"Cumsum ({__file__}:{first + 5})"]
    assert sorted(f.explain().kernels) == sorted(lines)
    assert "Kernels that machine code calls" in str(f.explain())


@pytest.fixture
def graphs(monkeypatch):
    """The graphs of all traces that are made."""
    made = []
    begin = TraceRecord.__init__

    def noted(self, *arguments):
        begin(self, *arguments)
        made.append(self.concrete.graph)

    monkeypatch.setattr(TraceRecord, "__init__", noted)
    return made


def obstacles(graphs):
    """How often each op keeps a loop out of machine code, loops that read elements left out."""
    ops = [[o.op for o in loop.obstacles] for graph in graphs for loop in kernel_loops(graph)]
    return Counter(op for each in ops if READERS.isdisjoint(each) for op in each)


@pytest.mark.parametrize(
    "name", [n for n, w in WORKLOADS.items() if type(w) in KINDS and not n.startswith("S_")]
)
def test_loops_of_benchmarks_are_native(name, graphs):
    WORKLOADS[name].program(OURS)()
    assert not obstacles(graphs)


@pytest.mark.parametrize("name", OPTIONS)
def test_loops_of_examples_have_no_other_obstacles(name, graphs, monkeypatch):
    options, expected = OPTIONS[name]
    monkeypatch.setattr(sys, "argv", [name, *options.split()])
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    assert graphs
    assert obstacles(graphs) == expected
