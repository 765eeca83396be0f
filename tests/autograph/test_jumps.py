"""Jumps out of a `try` whose `else` and `finally` Python runs or leaves out."""

from __future__ import annotations

import pytest

import graphwright as tf


def with_break(n):
    passed = ended = 0
    for i in tf.range(6):
        try:
            if i >= n:
                break
        except ValueError:
            passed -= 100
        else:
            passed += 1
        finally:
            ended += 1
    return passed, ended


def with_continue(n):
    passed = ended = 0
    for i in tf.range(6):
        try:
            if i >= n:
                continue
        except ValueError:
            passed -= 100
        else:
            passed += 1
        finally:
            ended += 1
    return passed, ended


def with_return(n):
    i = tf.constant(0)
    while i < 6:
        try:
            if i >= n:
                return i, tf.constant(-1)
        except ValueError:
            i -= 100
        else:
            i += 1
    return i, tf.constant(1)


def unrolled(n):
    passed = ended = 0
    for i in range(6):
        try:
            if n <= i:
                break
        except ValueError:
            passed -= 100
        else:
            passed += 1
        finally:
            ended += 1
    return passed, ended


EXPECTED = {
    with_break: lambda n: (n, min(n + 1, 6)),
    with_continue: lambda n: (n, 6),
    with_return: lambda n: (n, -1 if n < 6 else 1),
    unrolled: lambda n: (n, min(n + 1, 6)),
}


@pytest.mark.parametrize("program", EXPECTED, ids=lambda program: program.__name__)
def test_else_runs_only_where_the_block_came_to_its_end(program):
    f = tf.function(program)
    for n in (0, 2, 6):
        assert tuple(int(r) for r in f(tf.constant(n))) == EXPECTED[program](n)
