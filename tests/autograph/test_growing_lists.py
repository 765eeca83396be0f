# ruff: noqa: C416, E741, RUF005 - the programs are written as users write them
"""Python lists that a loop of the graph changes. What they do with numbers is in the corpus."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from support.tiers import plain

import graphwright as tf
from graphwright.base.errors import InaccessibleTensorError
from graphwright.types import tree

N, X, V = tf.constant(4), tf.constant(0.7), tf.constant([1.0, 2.0])
LISTS = tf.autograph.experimental.Feature.LISTS


def same(function: Any, *arguments: Any, **options: Any) -> Any:
    """What a traced function returns, which is what it returns eagerly."""
    expected = tf.autograph.to_graph(function)(*arguments)
    result = tf.function(function, **options)(*arguments)
    assert plain(result) == plain(expected)
    return result


# What the items may be


def test_tensors() -> None:
    def f(v, n):
        l = [v]
        for i in tf.range(n):
            l.append(v * tf.cast(i, tf.float32))
        return tf.stack(l), tf.stack(l, 1), tf.stack(l, -1)

    same(f, V, N)


def test_joined() -> None:
    def f(v, n):
        l = [tf.stack([v, v])]
        for _ in tf.range(n):
            l.append(l[-1] + 1.0)
        joined = tf.concat(l, 0), tf.concat(l, 1), tf.concat(l, -1)
        return joined, tf.add_n(l), tf.reduce_mean(l), tf.convert_to_tensor(l), l[0] + l

    same(f, V, N)


def test_pieces_of_different_lengths() -> None:
    def f(v, n):
        l = [v]
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(l, tf.TensorShape([None]))]
            )
            l.append(tf.concat([l[-1], v[:1]], 0))
        return tf.concat(l, 0), l

    same(f, V, N)


def test_structures() -> None:
    def f(n):
        l = [(1, {"a": 2.0, "b": [True]})]
        for i in tf.range(n):
            l.append((i, {"a": l[-1][1]["a"] * 2.0, "b": [i > 2]}))
            if i == 1:
                l[0] = l[-1]
        first, _ = l[1]
        return l, first, len(l)

    same(f, N)


def test_numbers_take_the_dtype_of_tensors() -> None:
    def f(x, n):
        l = [0, x]
        for _ in tf.range(n):
            l.append(1)
        return tf.stack(l)

    assert tf.function(f)(X, N).dtype is tf.float32


def test_slices_and_places() -> None:
    def f(n):
        l = [5, 6]
        for i in tf.range(n):
            l.append(i)
            l.append(l.pop(0) + l.pop(-2) + l[n - n - 1])
            del l[0]
            l.extend(l[::-1])
            l.extend(tf.constant([7, 8]))
        more = l[1:] + [9]
        more.append(l[n])
        return l, [4] + l, more, l.copy(), l[-3:-1]

    same(f, N)


# Lists of unknown items: the option


def grows_from_nothing(n):
    l, pairs = [], []
    for i in tf.range(n):
        if i % 2 == 1:
            l.append(i * i)
            for j in tf.range(i):
                pairs.append((i, tf.cast(j, tf.float32)))
        else:
            l.append(-i)
    return l, pairs, len(l)


@pytest.mark.parametrize("option", [LISTS, tf.autograph.experimental.Feature.ALL, (LISTS,)])
def test_empty_list(option: Any) -> None:
    assert plain(same(grows_from_nothing, N, experimental_autograph_options=option)[0]) == [
        0, 1, -2, 9,
    ]  # fmt: skip


@pytest.mark.parametrize("n", [0, 1])
def test_empty_list_that_stays_so(n: int) -> None:
    def f(n):
        l = []
        for i in tf.range(n):
            if i > 0:
                pass
            else:
                l.append(V)
        r = 2
        if l:
            r = 1
        return tf.stack(l), r

    items, r = tf.function(f, experimental_autograph_options=LISTS)(tf.constant(n))
    assert (items.shape, int(r)) == ((n, 2), 2 - n)


def test_empty_list_of_to_graph() -> None:
    converted = tf.autograph.to_graph(grows_from_nothing, experimental_optional_features=LISTS)
    result = tf.function(converted, autograph=False)(N)
    assert plain(result) == plain(tf.function(
        grows_from_nothing, experimental_autograph_options=LISTS)(N))  # fmt: skip


def test_option_is_of_the_function_alone() -> None:
    def inner(n):
        l = []
        for i in tf.range(n):
            l.append(i)
        return tf.stack(l)

    nested = tf.function(inner)
    outer = tf.function(lambda n: nested(n), experimental_autograph_options=LISTS)
    with pytest.raises(InaccessibleTensorError):
        outer(N)


def test_read_before_anything_is_appended() -> None:
    def f(n):
        l = []
        for i in tf.range(n):
            i += l[0]  # here
            l.append(i)
        return l

    refused(f, TypeError, "`l`, which grows in the graph, has no item yet", LISTS)


# Whoever else holds the list


REFUSED: list[Any] = []


def is_refused(error: type[Exception], what: str) -> Any:
    """Has a function tested that is refused in the line that says `# here`."""

    def mark(function: Any) -> Any:
        REFUSED.append(pytest.param(function, error, what, id=function.__name__))
        return function

    return mark


loses = is_refused(InaccessibleTensorError, "tf.TensorArray")


def grown(n):
    l = [1]
    for i in tf.range(n):
        l.append(i)
    return l


def refused(function: Any, error: type[Exception], what: str, option: Any = None) -> None:
    with pytest.raises(error) as caught:
        tf.function(function, experimental_autograph_options=option)(N)
    text = str(caught.value)
    assert what in text
    lines, first = inspect.getsourcelines(function)
    numbers = [first + number for number, line in enumerate(lines) if "# here" in line]
    assert any(f"line {number}" in text for number in numbers), text


@loses
def other_variable(n):
    l = [1]
    m = l
    for i in tf.range(n):
        l.append(i)
    return m[0] + 1  # here


@loses
def other_variable_in_the_loop(n):
    l = [1]
    m = l
    for i in tf.range(n):
        l.append(m[0] + i)  # here
    return l


@pytest.mark.parametrize("count", [1, 2, 3])
def test_another_variable_has_as_many_items_as_before_the_loop(count: int) -> None:
    seen = []

    @tf.autograph.experimental.do_not_convert
    def note(items):
        seen.append(len(items))

    def f(n):
        l = [V] * count
        m = l
        for _ in tf.range(n):
            l.append(V)
            note(m)
        return l

    tf.function(f)(N)
    assert seen == [count]


@pytest.mark.parametrize("ask", [len, sum])
def test_attribute(ask: Any) -> None:
    def f(n):
        class Box:
            pass

        box = Box()
        box.l = [1]
        l = box.l
        for i in tf.range(n):
            l.append(i)
        return ask(box.l)  # here

    refused(f, InaccessibleTensorError, "tf.TensorArray")


def test_argument() -> None:
    def grow(l, n):
        for i in tf.range(n):
            l.append(i)
        return l

    def lost(n):
        l = [1]
        grow(l, n)
        return tf.stack(l)  # here

    def kept(n):
        l = grow([1], n)
        for i in tf.range(n):
            l.append(i)
        same_one = grow(l, n)
        return tf.stack(l), tf.stack(same_one)

    refused(lost, InaccessibleTensorError, "tf.TensorArray")
    same(kept, N)


def push(items, x):
    if x > 1:
        items.append(x)


def fill(items, n):
    for i in tf.range(n):
        items.extend([i, -i])


def test_functions_that_are_given_lists() -> None:
    def f(n):
        l, m, rest, k = [1], [2], [n, n], n
        table = {"a": n}
        for i in tf.range(n):
            k += 1
            table["a"] = table["a"] + k
            push(l, i)
            fill(n=i, items=m)
            push(m, sum(rest))
        return l, m, rest, k, table, len(rest)

    same(f, N)


def test_empty_lists_given_to_functions() -> None:
    def f(n):
        l = []
        for i in tf.range(n):
            push(l, i)
        return tf.stack(l)  # here

    same(f, N, experimental_autograph_options=LISTS)
    refused(f, InaccessibleTensorError, "tf.TensorArray")


@loses
def other_holder_of_a_list_given_to_a_function(n):
    l = [1]
    m = l
    for i in tf.range(n):
        push(l, i)
    return m[0] + 1  # here


def test_lists_that_functions_only_read_stay_pythons() -> None:
    def f(n):
        weights, total = [1, 2], 0
        for _ in tf.range(n):
            total += sum(weights) * len(weights)
        return total, [w + 1 for w in weights]

    same(f, N)


@loses
def list_of_another_type(n):
    l = [1, 2.5, "three"]
    for i in tf.range(n):
        l.append(i)
    return l[-1] + 1  # here


@loses
def truth_of_a_lost_list(n):
    l = []
    for i in tf.range(n):
        l.append(i)
    if l:  # here
        return 1
    return 2


@pytest.mark.parametrize("kind", ["truth", "count", "comprehension"])
def test_length_of_a_list_that_another_variable_changed(kind: str) -> None:
    def f(n):
        l = [1, 2]
        m = l
        for _ in tf.range(n):
            l.append(l.pop() + 1)
        count = 0
        if kind == "truth":
            if m:  # here
                count = 1
        elif kind == "count":
            for _ in m:  # here
                count += 1
        else:
            return [1 for _ in m]  # here
        return count

    refused(f, InaccessibleTensorError, "tf.TensorArray")


def test_nothing_is_changed_where_the_loop_cannot_be_built() -> None:
    held = []

    def f(n):
        l = [1]
        held.append(l)
        for i in tf.range(n):
            l.append(i)
            l.append(V)
        return l

    with pytest.raises(TypeError, match="dtype int32, and cannot hold one of dtype float32"):
        tf.function(f)(N)
    assert held == [[1]]


# What such a list cannot do


@is_refused(TypeError, "holds items of dtype int32, and cannot hold one of dtype float32")
def other_dtype(n):
    l = [1]
    for _ in tf.range(n):
        l.append(V[0])  # here


@is_refused(ValueError, "set_loop_options(shape_invariants=[(l, tf.TensorShape([None]))])")
def other_shape(n):
    l = [V]
    for _ in tf.range(n):
        l.append(tf.concat([V, V], 0))  # here


@is_refused(TypeError, "and cannot hold (")
def other_structure(n):
    l = [1]
    for i in tf.range(n):
        l.append((i, i))  # here


@is_refused(TypeError, "Make it alike: `tf.cast(item, tf.int32)`")
def stored_dtype(n):
    l = [1]
    for i in tf.range(n):
        l.append(i)
        l[0] = V[0]  # here


@is_refused(AttributeError, "has no method `sort`. Use `append`")
def other_method(n):
    l = grown(n)
    l.sort()  # here


@is_refused(TypeError, "'l' is another list afterwards than before")
def another_list(n):
    l = grown(n)
    for i in tf.range(n):  # here
        l = l + [i]
    return l


@is_refused(TypeError, "'l' is another list afterwards than before")
def another_list_in_a_branch(n):
    l = grown(n)
    if n > 2:  # here
        l = l + [1]
    return l


@is_refused(TypeError, "Iterating")
def comprehension(n):
    l = grown(n)
    return [x for x in l]  # here


@is_refused(TypeError, "A comparison")
def comparison(n):
    l = grown(n)
    return l == [1]  # here


@pytest.mark.parametrize(("function", "error", "what"), REFUSED)
def test_refused(function: Any, error: type[Exception], what: str) -> None:
    refused(function, error, what)


def test_outside_of_the_list() -> None:
    def f(n):
        l = grown(n)
        return l[n + 1]

    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(f)(N)


# Gradients, code, export


def series(x, n):
    l = [x]
    for i in tf.range(n):
        if tf.cast(i, tf.float32) * x < 1.0:
            l.append(l[-1] * x)
        else:
            l[0] = l[0] * l[-1]
            l.append(tf.sin(l.pop() * x))
    total = 0.0
    for item in l:
        total += item * item
    return total, l


@pytest.mark.parametrize("options", [{}, {"jit_compile": True}, {"jit_compile": False}])
def test_gradients(options: dict[str, Any]) -> None:
    outcomes = []
    for function in (tf.function(series, **options), tf.autograph.to_graph(series)):
        with tf.GradientTape() as second:
            second.watch(X)
            with tf.GradientTape() as first:
                first.watch(X)
                total, items = function(X, N)
                y = total + sum(items)
            slope = first.gradient(y, X)
        outcomes.append([y, slope, second.gradient(slope, X), len(items)])
    np.testing.assert_allclose(*[tree.map_structure(float, each) for each in outcomes], rtol=1e-5)


def test_returned_list_is_a_python_list() -> None:
    @tf.function
    def f(n):
        l = [V]
        for _ in tf.range(n):
            l.append(l[-1] + 1.0)
        return {"l": l}

    for n in range(12):
        result = f(tf.constant(n))["l"]
        assert type(result) is list
        assert plain(result) == [[1.0 + i, 2.0 + i] for i in range(n + 1)]
    assert f.experimental_get_tracing_count() == 1


def test_functions_take_and_return_lists() -> None:
    @tf.function
    def grow(l, n):
        for i in tf.range(n):
            l.append(i)
        return l

    def f(n):
        l = grown(n)
        longer = grow(l, n)
        longer.append(7)
        return longer, l

    assert plain(tf.function(f)(N)) == ([1, 0, 1, 2, 3, 0, 1, 2, 3, 7], [1, 0, 1, 2, 3])


def test_ops_are_tensorflows() -> None:
    concrete = tf.function(series).get_concrete_function(X, N)
    ops = {node.op for node in concrete.graph.as_graph_def().node}
    assert {"EmptyTensorList", "TensorListPushBack"} <= ops


class Holder:
    """An object with lists."""

    def __init__(self, **lists: Any) -> None:
        vars(self).update(lists)


def test_lists_of_attributes_and_dicts_grow() -> None:
    def attribute(n: Any) -> Any:
        box = Holder(items=[n])
        for i in tf.range(n):
            box.items.append(i)
        return tf.stack(box.items)

    def item(n: Any) -> Any:
        found = {"a": [n], "b": {"c": [n, n]}}
        while n > 0:
            n -= 1
            found["a"].append(n)
            found["b"]["c"].pop()
            found["b"]["c"].extend([n, n])
        return found

    def in_branches(n: Any) -> Any:
        box = Holder(inner=Holder(items=[n]))
        if n > 2:
            while n > 0:
                n -= 1
                if n % 2 == 0:
                    box.inner.items.append(n)
                else:
                    box.inner.items.append(-n)
        return tf.stack(box.inner.items)

    def shared(n: Any) -> Any:
        items = [n]
        box = Holder(items=items)
        for i in tf.range(n):
            items.append(i)
            box.items.append(-i)
        return tf.stack(box.items)

    for program in (attribute, item, in_branches, shared):
        same(program, N)
        same(program, tf.constant(2))


def test_what_an_earlier_call_left_in_an_object_does_not_grow() -> None:
    box = Holder(items=[tf.constant(1)])

    @tf.function
    def program(n: Any) -> Any:
        held = box
        for i in tf.range(n):
            held.items.append(i)
        return tf.stack(held.items)

    with pytest.raises(InaccessibleTensorError, match="attributes and dicts: tensors of the graph"):
        program(N)


def test_attributes_are_what_they_were_where_a_loop_cannot_be_built() -> None:
    box = Holder(items=[])

    @tf.function
    def program(n: Any) -> Any:
        held = box
        held.items = [n]
        for i in tf.range(n):
            held.items.append(i)
            held.items.append("a")
        return tf.stack(held.items)

    with pytest.raises(TypeError, match=r"`held\.items`, which grows in the graph, holds items of"):
        program(N)
    assert type(box.items) is list
    assert len(box.items) == 1


def test_classes_are_called_in_loops_that_pass_lists_on() -> None:
    def give(items: Any, x: Any) -> None:
        items.append(Holder(value=x).value)

    def program(n: Any) -> Any:
        items = [n]
        for i in tf.range(n):
            give(items, i)
            items[0] += len(str(1))
        return tf.stack(items)

    same(program, N)


def test_a_body_that_is_traced_anew_begins_without_what_the_first_trace_made() -> None:
    def give(items: Any, x: Any) -> None:
        items.append(x)

    def program(n: Any) -> Any:
        items = [n]
        for i in tf.range(n):

            class Scale:
                def value(self) -> Any:
                    nonlocal scale
                    try:
                        return scale
                    except NameError:
                        scale = tf.constant(3)
                        return scale

            give(items, Scale().value() * i)  # has the body traced anew
        scale = None
        return tf.stack(items)

    same(program, N)
