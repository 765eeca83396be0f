"""The generated text: values let go of their names as soon as nobody needs them."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.run.straight_line import GeneratedSource, runner


def text_of(function, *arguments):
    graph = tf.function(function).get_concrete_function(*arguments).graph
    source = GeneratedSource(simplify(graph))
    source.write()
    return source.lines[1:]


def test_a_value_gets_the_name_of_the_one_that_it_is_made_of():
    lines = text_of(lambda x: tf.exp(tf.exp(tf.exp(x)) + 1.0), tf.TensorSpec([3]))
    names = {line.split(" = ")[0].strip() for line in lines if " = " in line}
    assert names == {"v1"}


def test_one_kernel_serves_all_places_of_an_op():
    def chain(x, y):
        for _ in range(50):
            x = x * y + y
        return x

    spec = tf.TensorSpec([])
    lines = text_of(chain, spec, spec)
    assert len({line.split(" = ")[1].split("(")[0] for line in lines if " = " in line}) == 2


def rotated(a, b, c, n):
    """Each variable of the loop gets the name of another one's value."""
    i = 0
    while i < n:
        a, b, c = b * 2.0, c + a, a
        if c > b:
            b, c = c - 1.0, b
        d = a
        while d > 100.0:
            d, b = d / 2.0, b + d
        i, a = i + 1, d
    return a, b, c


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_variables_of_nested_loops_keep_apart(n):
    numbers = np.float32(3.0), np.float32(-2.0), np.float32(5.5)
    result = tf.function(rotated, jit_compile=False)(*map(tf.constant, numbers), tf.constant(n))
    np.testing.assert_allclose([float(x) for x in result], rotated(*numbers, n), rtol=1e-6)


def test_what_is_computed_goes_when_it_was_needed_last():
    """No array of a chain outlives the next but one."""
    seen = []
    alive = []

    def look(x):
        alive.append(sum(r() is not None for r in seen))
        result = x + 1.0
        seen.append(weakref.ref(result))
        return result

    def chain(x):
        for _ in range(10):
            x = tf.numpy_function(look, [x], tf.float32)
        return x

    graph = tf.function(chain).get_concrete_function(tf.TensorSpec([3])).graph
    run = runner(graph)
    gc.disable()
    try:
        run(np.ones(3, np.float32))
    finally:
        gc.enable()
    assert max(alive) <= 1
