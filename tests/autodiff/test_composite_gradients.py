"""Gradients have the structure of the sources, composites in it too."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf


def slopes(sources: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = sum(tf.reduce_sum(tf.square(part)) for part in tf.nest.flatten(sources, True))
    return tape.gradient(y, sources)


@pytest.mark.parametrize("staged", [False, True])
def test_a_gradient_has_the_structure_of_the_sources(staged: bool) -> None:
    find = tf.function(slopes) if staged else slopes
    x, y, z = tf.constant(1.0), tf.constant([2.0, 3.0]), tf.constant(4.0)
    assert find(x).numpy() == 2.0
    result = tf.nest.map_structure(lambda g: g.numpy().tolist(), find({"a": x, "b": [y, (z,)]}))
    assert result == {"a": 2.0, "b": [[4.0, 6.0], (8.0,)]}


@pytest.mark.parametrize("staged", [False, True])
def test_a_composites_gradient_is_a_composite(staged: bool) -> None:
    def slope(rows: Any, other: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([rows, other])
            y = tf.reduce_sum(tf.square(rows.values))
        return tape.gradient(y, {"rows": rows, "other": other})

    find = tf.function(slope) if staged else slope
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    result = find(ragged, ragged * 1.0)
    assert result["rows"].to_list() == [[2.0], [4.0, 6.0]]
    assert result["other"] is None
    assert slope(ragged, tf.constant(1.0))["other"] is None


def test_what_has_no_gradient_is_refused() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    with pytest.raises(TypeError, match="trainable_variables: got 'x' of type 'str'"):
        tape.gradient(x, [x, "x"])


class Wrapped(tf.__internal__.types.Tensor):
    """A library's variable, which holds one of ours."""

    _should_act_as_resource_variable = True

    def __init__(self, value: float) -> None:
        self.value = tf.Variable(value)

    @property
    def handle(self) -> Any:
        return self.value.handle


@pytest.mark.parametrize("staged", [False, True])
def test_what_acts_as_a_variable_is_a_source(staged: bool) -> None:
    v, w = Wrapped(3.0), Wrapped(5.0)

    def slope(x: Any) -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch([v])
            y = v.value * v.value * x + w.value
        return tape.gradient(y, [v, w])

    of_v, of_w = (tf.function(slope) if staged else slope)(tf.constant(2.0))
    assert of_v.numpy() == 12.0
    assert of_w is None
