"""TensorArrays that branches and loops write: what is known of the shape of their items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf


def array(**options: Any) -> Any:
    return tf.TensorArray(tf.float32, 1, **options)


def in_if(c: Any, x: Any) -> Any:
    a = array()
    if c:
        a = a.write(0, x)
    return a


def in_else(c: Any, x: Any) -> Any:
    a = array()
    if c:
        pass
    else:
        a = a.unstack(x[tf.newaxis])
    return a


def in_both(c: Any, x: Any) -> Any:
    a = array()
    if c:  # noqa: SIM108 - a statement is what is tested
        a = a.write(0, x)
    else:
        a = a.scatter([0], 2 * x[tf.newaxis])
    return a


def in_a_branch_of_a_branch(c: Any, x: Any) -> Any:
    a = array()
    if c:  # noqa: SIM102 - so is this one
        if tf.reduce_sum(x) > 0:
            a = a.write(0, x)
    return a


def in_a_branch_of_a_loop(c: Any, x: Any) -> Any:
    a = array()
    for i in tf.range(3):
        if c:
            a = a.write(0, x)
        elif i > 5:
            continue
    return a


def in_a_branch_of_while(c: Any, x: Any) -> Any:
    a, i = array(), 0
    while i < tf.constant(2):
        if c:
            a = a.write(0, x)
        i += 1
    return a


def by_cond(c: Any, x: Any) -> Any:
    a = array()
    return tf.cond(c, lambda: a, lambda: a.write(0, x))


def by_case(c: Any, x: Any) -> Any:
    a = array()
    return tf.case([(c, lambda: a.write(0, x))], default=lambda: a)


def by_number(c: Any, x: Any) -> Any:
    a = array()
    return tf.switch_case(tf.cast(c, tf.int32), [lambda: a, lambda: a, lambda: a.write(0, x)])


@pytest.mark.parametrize("c", [True, False])
@pytest.mark.parametrize(
    "function",
    [in_if, in_else, in_both, in_a_branch_of_a_branch, in_a_branch_of_a_loop, in_a_branch_of_while,
     by_cond, by_case, by_number],
)  # fmt: skip
def test_the_shape_of_items_that_a_branch_writes(function: Callable[..., Any], c: bool) -> None:
    @tf.function
    def program(c: Any, x: Any) -> Any:
        a = function(c, x)
        stacked = a.stack()
        assert a.element_shape.as_list() == [3]
        assert stacked.shape.as_list()[1:] == [3]
        return stacked

    x = tf.constant([1.0, 2.0, 3.0])
    written = {
        in_else: not c, in_both: True, by_cond: not c, by_number: False,
    }.get(function, c)  # fmt: skip
    factor = (2 if function is in_both and not c else 1) if written else 0
    assert program(tf.constant(c), x).numpy().tolist() == [[factor * i for i in (1, 2, 3)]]


def test_what_arrays_do_not_promise_stays_unknown() -> None:
    @tf.function
    def program(c: Any, x: Any) -> Any:
        a, b = array(infer_shape=False), array(element_shape=[None])
        if c:
            a, b = a.write(0, x), b.write(0, x)
        else:
            b = b.write(0, x[:1])
        assert a.element_shape.rank is None
        assert b.element_shape.as_list() == [None]
        return b.stack()

    x = tf.constant([1.0, 2.0, 3.0])
    assert [program(tf.constant(c), x).shape[1] for c in (True, False)] == [3, 1]
