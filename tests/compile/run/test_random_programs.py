"""A program gives the same eagerly, traced with full and with partial shapes, in steps, as text
and as machine code."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from corpora.random_programs import inputs, run, steps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.run.straight_line import build, runner
from graphwright.compile.run.tiers import native_runner
from graphwright.ir.text import parse_graph, print_graph
from graphwright.ir.verify import verify


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def eagerly(program, values):
    try:
        return run(program, values)
    except (tf.errors.InvalidArgumentError, ValueError, TypeError):
        return None


def check(program, seed):
    values = inputs(seed)
    expected = eagerly(program, values)
    for spec_of in (lambda v: v, lambda v: tf.TensorSpec([None] * v.ndim, v.dtype)):
        traced = tf.function(lambda *xs: run(program, xs), autograph=False)
        try:
            concrete = traced.get_concrete_function(*[spec_of(v) for v in values])
            result = concrete(*values)
        except (tf.errors.InvalidArgumentError, ValueError, TypeError):
            assert expected is None, "it runs eagerly and not as a graph"
            continue
        assert expected is not None, "it runs as a graph and not eagerly"
        compare(expected, result)
        check_graph(concrete, values, result)


def check_graph(concrete, values, found):
    graph = concrete.graph
    verify(graph)
    verify(simplify(graph))
    text = print_graph(graph)
    parsed = parse_graph(text)
    assert print_graph(parsed) == text
    if not graph.captures:
        arrays = [v._array for v in values]
        compare(found, [tf.constant(a) for a in runner(parsed, build(parsed))(*arrays)])
    compiled = native_runner(graph)(*[v._array for v in (*values, *graph.captured)])
    compare(found, [tf.constant(a) for a in compiled])


def compare(expected, found):
    assert len(expected) == len(found)
    for a, b in zip(expected, found):
        assert a.dtype is b.dtype
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6)


COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}


@settings(max_examples=120, **COMMON)
@given(steps(), st.integers(0, 3))
def test_all_ways_agree(program, seed):
    check(program, seed)


@pytest.mark.slow
@settings(max_examples=20_000, **COMMON)
@given(steps(20), st.integers(0, 9))
def test_all_ways_agree_over_20000_programs(program, seed):
    check(program, seed)
