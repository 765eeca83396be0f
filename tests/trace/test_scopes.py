"""Where a program is: in a function or not, in which scope of names."""

from __future__ import annotations

import pytest

import graphwright as tf


def where() -> tuple[bool, bool]:
    return tf.inside_function(), tf.executing_eagerly()


def test_a_trace_is_inside_a_function_and_what_it_lifts_out_is_not():
    seen = []

    @tf.function
    def f(x):
        seen.append(where())
        with tf.init_scope():
            seen.append(where())
        seen.append(where())
        return x

    assert where() == (False, True)
    f(1)
    assert seen == [(True, False), (False, True), (True, False)]
    with tf.init_scope():
        assert where() == (False, True)
    with tf.GradientTape():
        assert where() == (False, True)


@pytest.mark.parametrize("traced", [False, True])
def test_scopes_nest_and_end(traced):
    seen = []

    def body():
        seen.append(tf.get_current_name_scope())
        with tf.name_scope("a") as outer:
            with tf.name_scope("b") as inner:
                seen.extend([outer, inner, tf.get_current_name_scope()])
            with tf.name_scope("") as top:
                seen.extend([top, tf.get_current_name_scope()])
            with tf.name_scope("x/y/"):
                seen.append(tf.get_current_name_scope())
            seen.append(tf.get_current_name_scope())
        seen.append(tf.get_current_name_scope())

    (tf.function(body) if traced else body)()
    assert seen == ["", "a/", "a/b/", "a/b", "", "", "x/y", "a", ""]


def test_names_of_scopes_and_ops_are_unique_in_a_graph():
    @tf.function
    def f(x):
        for _ in range(2):
            with tf.name_scope("layer"):
                x = tf.exp(x, name="e")
                x = tf.exp(x, name="e")
        return x

    nodes = f.get_concrete_function(tf.TensorSpec([])).graph.get_operations()
    names = [op.name for op in nodes if op.type == "Exp"]
    assert names == ["layer/e", "layer/e_1", "layer_1/e", "layer_1/e_1"]
