# ruff: noqa: C416, F821, F841, SIM108 - the programs are written as users write them
"""Mistakes: each error says what is wrong, what to write, and in which line (marked `# here`)."""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf
from graphwright.autograph import regions
from graphwright.base.errors import last_user_line

X, N, V = tf.constant(3.0), tf.constant(3), tf.constant([1.0, 2.0, 3.0])
MISTAKES: list[Any] = []


def wrong(argument: Any, error: type[Exception], what: str, instead: str) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        MISTAKES.append(
            pytest.param(function, argument, error, what, instead, id=function.__name__)
        )
        return function

    return add


@wrong(
    X, ValueError, "'y' must also be initialized in the else branch", "assign it before the `if`"
)
def undefined_in_one_branch(x):
    if x > 0:  # here
        y = x
    return y


NO_VALUE = "local variable 'y' where it is not associated with a value"


@wrong(N, UnboundLocalError, NO_VALUE, "")
def read_before_a_loop_assigns_it(n):
    for _ in tf.range(n):
        z = y + 1  # here
        y = z
    return z


@wrong(N, UnboundLocalError, NO_VALUE, "")
def extended_before_a_loop_assigns_it(n):
    while n > 0:
        n -= 1
        y += n  # here
    return y


@wrong(X, UnboundLocalError, NO_VALUE, "")
def read_in_a_branch_before_it_is_assigned(x):
    if x > 0:
        z = y  # here
    else:
        z = x
    y = z
    return y


@wrong(X, UnboundLocalError, NO_VALUE, "")
def read_after_a_branch_deletes_it(x):
    y = x
    if x > 0:
        del y
        x = y  # here
    else:
        del y
    return x


@wrong(X, UnboundLocalError, NO_VALUE, "")
def deleted_in_a_branch_without_a_value(x):
    if x > 0:
        del y  # here
    y = x
    return y


@wrong(X, ValueError, "'y' must also be initialized in the main branch", "or in both branches")
def deleted_in_one_branch(x):
    y = x
    if x > 0:  # here
        del y
    return y


@wrong(V, ValueError, "'found' must also be initialized in the else branch", "assign it before")
def set_before_a_break(v):
    for x in v:
        if x > 1:  # here
            found = x
            break
    else:
        found = tf.constant(0.0)
    return found


@wrong(
    X, ValueError, "the other path must also have a return statement", "Add a `return` to the end"
)
def return_in_one_branch(x):
    if x > 0:  # here
        return x


@wrong(
    X, ValueError, "'retval_' is None at the end of the main branch", "return a tensor on each path"
)
def return_of_none(x):
    if x > 0:  # here
        return None
    return x


@wrong(N, ValueError, "'best' is None at the end of the else branch", "such as -1 or zeros")
def none_in_a_loop(n):
    best = None
    for i in tf.range(n):
        if i > 1:  # here
            best = i
    return best


@wrong(
    X,
    TypeError,
    "'y' has dtype int32 in the main branch, but dtype float32",
    "tf.cast(..., tf.float32)",
)
def other_dtype_in_a_branch(x):
    if x > 0:  # here
        y = 1
    else:
        y = 2.0
    return y


@wrong(X, TypeError, "'y' must have the same nested structure", "as many items")
def other_structure_in_a_branch(x):
    if x > 0:  # here
        y = (x, x)
    else:
        y = x
    return y


@wrong(X, TypeError, "'kept' must have the same nested structure", "tf.TensorArray")
def append_in_one_branch(x):
    kept = []
    if x > 0:  # here
        kept.append(x)
    return kept


@wrong(X, TypeError, "'f' is <built-in function abs> in the main branch", "decide between tensors")
def functions_in_branches(x):
    if x > 0:  # here
        f = abs
    else:
        f = len
    return f(x)


@wrong(
    N,
    TypeError,
    "'s' has dtype int32 before the loop, but dtype float32",
    "begin with `tf.cast(..., tf.float32)`",
)
def other_dtype_in_a_loop(n):
    s = 0
    for i in tf.range(n):  # here
        s = tf.cast(i, tf.float32)
    return s


@wrong(
    N,
    ValueError,
    "'x' has shape (1,) before the loop, but shape (2,)",
    "shape_invariants=[(x, tf.TensorShape([None]))]",
)
def growing_shape(n):
    x = tf.constant([1])
    for i in tf.range(n):  # here
        x = tf.concat([x, [i]], 0)
    return x


@wrong(N, TypeError, "'pair' does not have the same nested structure", "before the loop")
def other_structure_in_a_loop(n):
    pair = (n,)
    while n > 0:  # here
        pair = (n, n)
        n -= 1
    return pair


@wrong(N, TypeError, "'state' is 'start' before the loop, but <object", "begin with a tensor")
def objects_in_a_loop(n):
    state = "start"
    for _ in tf.range(n):  # here
        state = object()
    return state


@wrong(X, ValueError, "condition of if statement expected to be `tf.bool` scalar", "`x != 0`")
def number_as_condition(x):
    if x:  # here
        return x
    return -x


@wrong(V, ValueError, "condition of while loop expected to be `tf.bool` scalar", "tf.reduce_all")
def vector_as_condition(v):
    while v < 3:  # here
        v = v + 1
    return v


@wrong(X, TypeError, "the operands of `and` must be bools, not 5", "`b if a else c`")
def value_of_and(x):
    return x > 0 and 5  # here


@wrong(
    V, TypeError, "a tensor and list cannot be looped over together", "make the other one a tensor"
)
def zip_of_tensor_and_list(v):
    total = 0.0
    for a, b in zip(v, [1.0, 2.0, 3.0]):  # here
        total += a * b
    return total


@wrong(V, TypeError, "Iterating over a symbolic `tf.Tensor` is not allowed", "tf.map_fn")
def comprehension_over_a_tensor(v):
    return [x for x in v]  # here


@wrong(V, TypeError, "Iterating over a symbolic `tf.Tensor` is not allowed", "tf.unstack")
def unpacking_of_a_tensor(v):
    a, b, c = v  # here
    return a + b + c


@wrong(V, TypeError, "how many items there are, only the graph knows", "Use a `for` statement")
def list_of_pairs(v):
    return list(zip(v, v))  # here


@wrong(N, ValueError, "is out of scope and cannot be used here", "dynamic_size=True)` before")
def list_of_a_loop(n):
    kept = []
    for i in tf.range(n):
        kept.append(i * 2)
    return tf.stack(kept)  # here


@wrong(
    N,
    NotImplementedError,
    "a tensor decides when this Python loop breaks",
    "Loop over a tensor, such as tf.range",
)
def endless_python_loop(n):
    for i in itertools.count():  # here
        if i > n:
            break
    return i


@wrong(V, TypeError, "does not support item assignment", "tf.tensor_scatter_nd_update")
def item_of_a_tensor(v):
    v[0] = 1.0  # here
    return v


@wrong(N, TypeError, "has no Python index", "Use `tf.gather([1, 2, 3], n)`")
def index_of_a_list(n):
    return [1, 2, 3][n]  # here


def test_items_cannot_be_assigned_and_what_can_be_done() -> None:
    ragged = tf.ragged.constant([[1], [2, 3]])
    for value, instead in ((tf.zeros(2), "tensor_scatter"), (ragged, "Make another")):
        with pytest.raises(TypeError, match=f"does not support item assignment: .*{instead}"):
            value[0] = 1
    variable = tf.Variable([1, 2])
    with pytest.raises(TypeError, match=r"`v\[i\].assign\(value\)`"):
        variable[0] = 3
    variable[0].assign(3)
    assert variable.numpy().tolist() == [3, 2]


@pytest.mark.parametrize(("function", "argument", "error", "what", "instead"), MISTAKES)
def test_mistake(
    monkeypatch: pytest.MonkeyPatch,
    function: Any,
    argument: Any,
    error: type[Exception],
    what: str,
    instead: str,
) -> None:
    monkeypatch.setattr(regions, "UNROLLED_AT_MOST", 50)
    with pytest.raises(error) as caught:
        tf.function(function)(argument)
    text = str(caught.value)
    assert what in text
    if sys.version_info >= (3, 11) or function is not index_of_a_list:
        assert instead in text  # before, Python does not say which expression it was
    lines, first = inspect.getsourcelines(function)
    marked = [first + number for number, line in enumerate(lines) if "# here" in line]
    place = last_user_line(caught.value)
    assert place is not None
    assert (place.filename, [place.lineno]) == (__file__, marked)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="earlier errors have no notes")
def test_what_a_branch_raises_says_why_it_did_so() -> None:
    def check(x: tf.Tensor) -> None:
        if x > 5:
            x -= 1
            if x > 5:
                raise KeyError("seven")

    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        check(x)
        return x

    with pytest.raises(KeyError, match="seven") as raised:
        f(tf.constant(1))
    assert raised.value.args == ("seven",)
    (note,) = raised.value.__notes__
    assert "raised while tracing, whatever the tensor holds" in note

    @tf.function
    def g(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, [2, 2]) if x > 5 else x

    with pytest.raises(ValueError, match="reshape") as refused:
        g(tf.constant(1))
    assert not hasattr(refused.value, "__notes__")
