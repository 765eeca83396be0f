# ruff: noqa - the programs are written as people write them
"""Variables that change, or are read, through code that is called elsewhere.

Each program gives what plain Python gives, for a loop without turns, with one and with several, and
for a branch that runs and one that does not.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import pytest
from support.tiers import plain

import graphwright as tf

PROGRAMS: list[Callable[..., Any]] = []


def same(program: Callable[..., Any]) -> Callable[..., Any]:
    """Add a program that gives the same eagerly and traced."""
    PROGRAMS.append(program)
    return program


REFUSED: list[tuple[Callable[..., Any], str]] = []


def refused(words: str) -> Callable[..., Any]:
    """Add a program whose trace is an error with these words."""

    def add(program: Callable[..., Any]) -> Callable[..., Any]:
        REFUSED.append((program, words))
        return program

    return add


# Changes through calls


@same
def alias(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    for i in tf.range(n):
        g(i + 1)
    return t


@same
def alias_of_a_count(n):
    t = 0

    def mark():
        nonlocal t
        t += 1

    g = mark
    for _ in tf.range(n):
        g()
    return t


@same
def item_of_a_dict(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    table = {"k": mark}
    for i in tf.range(n):
        table["k"](i + 1)
    return t


@same
def item_of_a_list(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    table = [mark]
    i = n
    while i > 0:
        table[0](i)
        i -= 1
    return t


@same
def each_of_a_list(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    def twice(i):
        nonlocal t
        t = t * 2 - i

    table = [mark, twice]
    for i in tf.range(n):
        for step in table:
            step(i)
    return t


@same
def given_by_a_function(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    def pick():
        return mark

    for i in tf.range(n):
        pick()(i + 1)
    return t


@same
def made_by_a_function(n):
    def make():
        t = 0

        def bump(i):
            nonlocal t
            t = t + i
            return t

        return bump

    bump, total = make(), 0
    for i in tf.range(n):
        total = total * 2 + bump(i)
    return total + bump(1)


@same
def partial(n):
    t = 0

    def mark(factor, i):
        nonlocal t
        t = t * factor + i

    g = functools.partial(mark, 3)
    for i in tf.range(n):
        g(i + 1)
    return t


@same
def method_of_a_local_class(n):
    t = 0

    class Marker:
        def mark(self, i):
            nonlocal t
            t = t * 3 + i

    marker = Marker()
    for i in tf.range(n):
        marker.mark(i + 1)
    return t


@same
def static_method_of_a_local_class(n):
    t = 0

    class Marker:
        @staticmethod
        def mark(i):
            nonlocal t
            t = t * 3 + i

    for i in tf.range(n):
        Marker.mark(i + 1)
    return t


@same
def bound_method(n):
    t = 0

    class Marker:
        def mark(self, i):
            nonlocal t
            t = t * 3 + i

    g = Marker().mark
    for i in tf.range(n):
        g(i + 1)
    return t


@same
def call_of_an_object(n):
    t = 0

    class Marker:
        def __call__(self, i):
            nonlocal t
            t = t * 3 + i

    marker = Marker()
    for i in tf.range(n):
        marker(i + 1)
    return t


@same
def constructor(n):
    t = 0

    class Marker:
        def __init__(self, i):
            nonlocal t
            t = t * 3 + i

    for i in tf.range(n):
        Marker(i + 1)
    return t


@same
def operator_in_place(n):
    t = 0

    class Marker:
        def __iadd__(self, i):
            nonlocal t
            t = t * 3 + i
            return self

    marker = Marker()
    for i in tf.range(n):
        marker += i + 1
    return t


@same
def operator(n):
    t = 0

    class Marker:
        def __add__(self, i):
            nonlocal t
            t = t * 3 + i
            return t

    marker, total = Marker(), 0
    for i in tf.range(n):
        total = total + (marker + i)
    return total + t


@same
def property_of_an_object(n):
    t = 0

    class Marker:
        @property
        def next(self):
            nonlocal t
            t = t * 3 + 1
            return t

    marker, total = Marker(), 0
    for i in tf.range(n):
        total = total + marker.next * i
    return total + t


@refused("'marker.value' is another value than the one assigned to it")
def setter_of_an_object(n):
    t = 0

    class Marker:
        @property
        def value(self):
            return t

        @value.setter
        def value(self, new):
            nonlocal t
            t = new + 1

    marker = Marker()
    for i in tf.range(n):
        marker.value = marker.value + i
    return t


@same
def setter_that_converts(n):
    class Box:
        @property
        def value(self):
            return self._value

        @value.setter
        def value(self, new):
            self._value = tf.convert_to_tensor(new)

    box = Box()
    box.value = 1
    for i in tf.range(n):
        if i > 0:
            box.value = box.value * 2 + i
    return box.value


@same
def getter_that_computes(n):
    class Box:
        @property
        def value(self):
            return self._half * 2

        @value.setter
        def value(self, new):
            self._half = new // 2

    box = Box()
    box.value = tf.constant(4)
    for i in tf.range(n):
        box.value = box.value * 2 + i
    return box.value


@same
def items_of_an_object(n):
    t = 0

    class Box:
        def __getitem__(self, key):
            return t + key

        def __setitem__(self, key, value):
            nonlocal t
            t = value * 2 + key

    box = Box()
    for i in tf.range(n):
        box[1] = box[0] + i
    return t


@same
def context_of_an_object(n):
    t = 0

    class Count:
        def __enter__(self):
            nonlocal t
            t = t + 1

        def __exit__(self, *_):
            nonlocal t
            t = t * 2

    count = Count()
    for i in tf.range(n):
        with count:
            t = t + i
    return t


@same
def context_of_a_generator(n):
    t = 0

    @contextlib.contextmanager
    def count():
        nonlocal t
        t = t + 1
        yield
        t = t * 2

    for i in tf.range(n):
        with count():
            pass
    return t


@same
def generator(n):
    t = 0

    def steps(i):
        nonlocal t
        t = t * 3 + i
        yield i
        t = t + 1

    total = 0
    for i in tf.range(n):
        for step in steps(i):
            total = total * 2 + step + t
    return total + t


@same
def lambda_with_a_function(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i
        return t

    g = lambda i: mark(i + 1)
    table = (g,)
    for i in tf.range(n):
        table[0](i)
    return t


@refused("out of scope")
def lambda_with_an_item(n):
    box = {"t": 0}
    g = lambda i: box.update(t=box["t"] * 3 + i)
    for i in tf.range(n):
        g(i + 1)
    return box["t"]


@same
def two_functions_deep(n):
    t = 0

    def outer(i):
        def inner():
            nonlocal t
            t = t * 3 + i

        inner()

    for i in tf.range(n):
        outer(i + 1)
    return t


@same
def two_functions_deep_by_an_alias(n):
    t = 0

    def outer(i):
        def inner():
            nonlocal t
            t = t * 3 + i

        g = inner
        g()

    g = outer
    for i in tf.range(n):
        g(i + 1)
    return t


@same
def passed_to_a_function(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    repeat(mark, n)
    return t


def repeat(function, n):
    for i in tf.range(n):
        function(i + 1)


@same
def passed_to_an_inner_function(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    def each(function):
        for i in tf.range(n):
            function(i + 1)

    each(mark)
    return t


@same
def decorated(n):
    t = 0

    def twice(function):
        def call(i):
            function(i)
            function(i + 1)

        return call

    @twice
    def mark(i):
        nonlocal t
        t = t * 3 + i

    for i in tf.range(n):
        mark(i)
    return t


@same
def decorator_that_changes(n):
    t = 0

    def counted(function):
        @functools.wraps(function)
        def call(i):
            nonlocal t
            t = t * 3 + i
            return function(i)

        return call

    @counted
    def square(i):
        return i * i

    total = 0
    for i in tf.range(n):
        total = total + square(i)
    return total * 100 + t


@same
def recursion(n):
    t = 0

    def mark(i, depth):
        nonlocal t
        t = t * 3 + i
        if depth:
            again(i + 1, depth - 1)

    again = mark
    for i in tf.range(n):
        again(i, 2)
    return t


@same
def in_a_branch(n):
    t = 1

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    if n > 0:
        g(n)
    return t


@same
def in_the_other_branch(n):
    t = 1

    def mark(i):
        nonlocal t
        t = t * 3 + i

    table = {"k": mark}
    if n > 0:
        pass
    else:
        table["k"](n + 7)
    return t


@same
def in_both_branches(n):
    t = 1

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    if n > 0:
        g(n)
    else:
        g(n - 1)
        g(n)
    return t


@same
def number_in_both_branches(n):
    t = 1

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    if n > 0:
        g(5)
    else:
        g(7)
    return t


@same
def in_a_conditional_expression(n):
    t = 1

    def mark(i):
        nonlocal t
        t = t * 3 + i
        return t

    g = mark
    total = g(n) if n > 0 else n
    return total * 100 + t


@same
def after_and(n):
    t = 1

    def mark(i):
        nonlocal t
        t = t * 3 + i
        return t > 4

    g = mark
    holds = n > 0 and g(n)
    return (10 if holds else 20) + t


@same
def after_or_in_a_test(n):
    t = 1

    def mark(i):
        nonlocal t
        t = t * 3 + i
        return t > 4

    g = mark
    if n > 0 or g(n):
        return t
    return t + 100


@same
def in_nested_loops(n):
    t = 1

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    for i in tf.range(n):
        j = i
        while j > 0:
            if j > 1:
                g(j)
            j -= 1
    return t


@same
def in_the_test_of_a_loop(n):
    t = 0

    def more():
        nonlocal t
        t = t + 1
        return t <= n

    g = more
    total = 0
    while g():
        total = total * 2 + t
    return total * 100 + t


@same
def before_break(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    for i in tf.range(10):
        if i >= n:
            break
        g(i + 1)
    return t


@same
def before_return(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    for i in tf.range(10):
        g(i)
        if i >= n:
            return t
    return t - 1


@same
def in_a_python_loop_that_a_tensor_ends(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    for i in range(5):
        if i >= n:
            break
        g(i + 1)
    return t


@same
def over_a_dataset(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    g = mark
    for i in tf.data.Dataset.range(tf.cast(n, tf.int64)):
        g(tf.cast(i, tf.int32) + 1)
    return t


@same
def structure(n):
    t = (0, {"a": 1})

    def mark(i):
        nonlocal t
        one, two = t
        t = (one + i, {"a": two["a"] * 2})

    g = mark
    for i in tf.range(n):
        g(i + 1)
    return t[0] * 100 + t[1]["a"]


@same
def none_before(n):
    t = None

    def mark(i):
        nonlocal t
        t = i

    g = mark
    g(n)
    for i in tf.range(n):
        g(i + 1)
    return t


@same
def deleted_and_made_again(n):
    t = 1

    def mark(i):
        nonlocal t
        old = t
        del t
        t = old * 3 + i

    g = mark
    for i in tf.range(n):
        g(i)
    return t


# Changes by statements, read through calls


@same
def read_by_an_alias(n):
    t, total = 1, 0

    def look():
        return t

    g = look
    for i in tf.range(n):
        total = total * 3 + g()
        t = i + 5
    return total


@same
def read_by_an_item(n):
    t, total = 1, 0

    def look():
        return t

    table = {"k": look}
    for i in tf.range(n):
        total = total * 3 + table["k"]()
        t = i + 5
    return total


@same
def read_by_a_method(n):
    t, total = 1, 0

    class Seen:
        def look(self):
            return t

    seen = Seen()
    for i in tf.range(n):
        total = total * 3 + seen.look()
        t = i + 5
    return total


@same
def read_by_a_property(n):
    t, total = 1, 0

    class Seen:
        @property
        def value(self):
            return t

    seen = Seen()
    for i in tf.range(n):
        total = total * 3 + seen.value
        t = i + 5
    return total


@same
def read_by_an_operator(n):
    t, total = 1, 0

    class Seen:
        def __add__(self, other):
            return t + other

    seen = Seen()
    for i in tf.range(n):
        total = total * 3 + (seen + i)
        t = i + 5
    return total


@same
def read_by_a_generator(n):
    t, total = 1, 0

    def values():
        while True:
            yield t

    for i in tf.range(n):
        for value in values():
            total = total * 3 + value
            break
        t = i + 5
    return total


@same
def read_by_a_generator_expression(n):
    t, total = 1, 0
    for i in tf.range(n):
        values = (t + k for k in range(2))
        t = i + 5
        total = total * 3 + sum(values)
    return total


@same
def read_by_a_lambda_in_a_list(n):
    t, total = 1, 0
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        t = i + 5
    return total


@same
def read_by_a_partial(n):
    t, total = 1, 0

    def look(k):
        return t * k

    g = functools.partial(look, 2)
    for i in tf.range(n):
        total = total * 3 + g()
        t = i + 5
    return total


@same
def read_by_what_a_function_gives(n):
    t, total = 1, 0

    def pick():
        return lambda: t

    look = pick()
    for i in tf.range(n):
        total = total * 3 + look()
        t = i + 5
    return total


@same
def read_two_functions_deep(n):
    t, total = 1, 0

    def outer():
        def inner():
            return t

        return inner

    look = outer()
    for i in tf.range(n):
        total = total * 3 + look()
        t = i + 5
    return total


@same
def read_by_a_decorated_function(n):
    t, total = 1, 0

    @functools.lru_cache(maxsize=0)
    def look():
        return t

    for i in tf.range(n):
        total = total * 3 + look()
        t = i + 5
    return total


@same
def read_after_a_loop(n):
    t = 1
    table = [lambda: t]
    for i in tf.range(n):
        t = i + 5
    return table[0]()


@same
def read_after_a_branch(n):
    t = 1
    table = [lambda: t]
    if n > 0:
        t = n + 5
    return table[0]()


@same
def number_read_after_a_branch(n):
    t = 1
    table = [lambda: t]
    if n > 0:
        t = 7
    else:
        t = 8
    return table[0]() + n


@same
def read_in_the_other_branch(n):
    t = 1
    table = [lambda: t]
    if n > 0:
        t = 7
        total = n
    else:
        total = table[0]()
    return total


@same
def read_in_the_test_of_a_loop(n):
    t, total = 0, 0
    table = [lambda: t < n]
    while table[0]():
        t = t + 1
        total = total * 2 + 1
    return total


@same
def read_in_a_conditional_expression(n):
    t, total = 1, 0
    g = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + (g[0]() if i > 0 else 2)
        t = i + 5
    return total


@same
def walrus(n):
    total, t = 0, 1
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        total = total + (t := i + 5)
    return total


@same
def walrus_in_a_comprehension(n):
    total, t = 0, 1
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        total = total + sum([(t := i + k) for k in range(2)])
    return total


@same
def starred_target(n):
    total, t, rest = 0, 1, [2, 3]
    table = [lambda: t + rest[1]]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        t, *rest = i, i + 1, i + 2
    return total


@same
def target_of_the_loop(n):
    total, t = 0, 1
    table = [lambda: t]
    for t in tf.range(n):
        total = total * 3 + table[0]()
    return total + table[0]()


@same
def target_of_an_inner_loop(n):
    total, t = 0, 1
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        for t in range(3):
            total = total + t
    return total


@same
def target_of_with(n):
    total, t = 0, tf.constant(1)
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        with contextlib.nullcontext(i + 4) as t:
            pass
    return total


@same
def captured_by_match(n):
    total, t = 0, tf.constant(1)
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        match (1, i + 4):
            case (1, t):
                pass
    return total


@same
def changed_in_with_and_try(n):
    total, t = 0, tf.constant(1)
    table = [lambda: t]
    for i in tf.range(n):
        with contextlib.nullcontext():
            total = total * 3 + table[0]()
            try:
                t = i + 4
            finally:
                total = total + table[0]()
    return total


@same
def body_of_a_class(n):
    total, t = 0, 1

    def make():
        class Seen:
            value = t + 1

        return Seen.value

    table = [make]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        t = i + 5
    return total


@same
def default_of_a_function(n):
    """A default is evaluated once."""
    total, t = 0, 1

    def look(k=t):
        return k

    table = [look]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        t = i + 5
    return total + t


@same
def comprehension(n):
    total, t = 0, 1
    look = [lambda: t for _ in range(2)]
    for i in tf.range(n):
        total = total * 3 + sum([g() for g in look])
        t = i + 5
    return total


@same
def del_and_reassign(n):
    total, t = 0, 1
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        del t
        t = i + 5
    return total


@same
def except_target(n):
    total, t = 0, 1
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        try:
            raise ValueError(5)
        except ValueError as e:
            t = i + e.args[0]
    return total


@same
def while_with_break_read(n):
    total, t = 0, 1
    table = [lambda: t]
    i = 0
    while True:
        if i >= n:
            break
        total = total * 3 + table[0]()
        t = i + 5
        i += 1
    return total


@same
def continue_read(n):
    total, t = 0, 1
    table = [lambda: t]
    for i in tf.range(n):
        t = t + 1
        if i % 2 == 0:
            continue
        total = total * 3 + table[0]()
    return total


@same
def python_loop_inside(n):
    total, t = 0, 1
    table = [lambda: t]
    for i in range(3):
        if i < n:
            total = total * 3 + table[0]()
            t = i + 5
    return total


@same
def map_fn_reads(n):
    t = 1
    total = 0
    fn = lambda v: v * t
    for i in tf.range(n):
        total = total * 3 + tf.reduce_sum(tf.map_fn(fn, tf.range(3)))
        t = i + 2
    return total


@same
def comp_calls(n):
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i
        return t

    g = mark
    total = 0
    for i in tf.range(n):
        total = total + sum([g(i) for _ in range(2)])
    return total * 100 + t


@same
def list_var_rebound(n):
    l = [1, 2]

    def look():
        return l[0] + l[1]

    g = [look]
    total = 0
    for i in tf.range(n):
        total = total * 3 + g[0]()
        l = [i, i + 1]
    return total


@same
def dict_rebound(n):
    d = {"a": 1}
    g = [lambda: d["a"]]
    total = 0
    for i in tf.range(n):
        total = total * 3 + g[0]()
        d = {"a": i}
    return total


@same
def param_captured(n):
    def inner(x, k):
        g = [lambda: x]
        total = 0
        for i in tf.range(k):
            total = total * 3 + g[0]()
            x = x + i
        return total

    return inner(2, n) + inner(3, n)


@same
def recursive_def_in_loop(n):
    total = 0
    for i in tf.range(n):

        def fact(k):
            return k * fact(k - 1) if k > 1 else 1

        total = total + fact(3) * i
    return total


@same
def class_in_loop(n):
    total = 0
    for i in tf.range(n):

        class A:
            def m(self):
                return i + 1

        total = total * 2 + A().m()
    return total


@refused("before the loop, but")
def lambda_in_loop_kept(n):
    total, t = 0, 1
    g = lambda: t
    for i in tf.range(n):
        total = total * 3 + g()
        t = i + 4
        g = lambda: t + 1
    return total


# Variables of the module

count = 0


def bump():
    global count
    count += 1


@same
def global_by_inner(n):
    global count
    count = 0

    def mark(i):
        global count
        count = count * 3 + i

    for i in tf.range(n):
        mark(i + 1)
    r = count
    count = 0
    return r


@same
def global_by_inner_alias(n):
    global count
    count = 0

    def mark(i):
        global count
        count = count * 3 + i

    g = mark
    for i in tf.range(n):
        g(i + 1)
    r = count
    count = 0
    return r


@same
def global_by_module_function(n):
    global count
    count = 0
    for i in tf.range(n):
        bump()
    r = count
    count = 0
    return r


def in_a_function_around() -> Callable[..., Any]:
    t = 0

    def mark(i):
        nonlocal t
        t = t * 3 + i

    @same
    def changed_by_a_function_beside(n):
        nonlocal t
        t = 0
        for i in tf.range(n):
            mark(i + 1)
        result, t = t, 0
        return result

    return changed_by_a_function_beside


in_a_function_around()


# What the graph can give no value to is refused where it is read


@refused("'t' may not be None before the loop")
def none_before_and_read_after(n):
    t = None

    def mark(i):
        nonlocal t
        t = i

    g = mark
    for i in tf.range(n):
        g(i)
    return t + 1


@refused("'t' may not be None before the loop")
def none_over_a_dataset_by_an_alias(n):
    t, total = None, tf.constant(0, tf.int64)

    def look():
        return tf.constant(7, tf.int64) if t is None else t * 3

    g = look
    for i in tf.data.Dataset.range(3):
        total = total * 2 + g()
        t = i
    return total


@refused("'t' has dtype int32 before the loop, but dtype float32 after one iteration")
def other_type_by_an_alias(n):
    t = 0

    def mark():
        nonlocal t
        t = tf.cast(t, tf.float32) + 0.5

    g = mark
    for _ in tf.range(n):
        g()
    return t


@refused("'t' has dtype int32 in the main branch, but dtype float32 in the else branch")
def other_types_in_branches(n):
    t = 0
    table = [lambda: t]
    if n > 0:
        t = 1
    else:
        t = 1.5
    return table[0]()


@refused("'t' has no value outside of a branch or a loop")
def value_of_a_branch(n):
    table = [lambda: t]
    if n > 0:
        t = n + 1
    return table[0]() + 1


@same
def unread_where_the_graph_has_no_value(n):
    t, total = 0, 0

    def mark(i):
        nonlocal t
        t = [i, "text"][1 if t else 0]

    g = mark
    for i in tf.range(n):
        total = total + i
    g(3)
    return total + t


@same
def unread_and_lost_in_an_inner_loop(n):
    t, total = 0, 0
    table = [lambda: t]
    for i in tf.range(n):
        for j in tf.range(i):
            t = tf.cast(j, tf.float32)
            total = total + j
    return total


STATE = tf.Variable(5)


@same
def variable_of_state(n):
    t, total = STATE, 0
    table = [lambda: t]
    for i in tf.range(n):
        total = total * 3 + table[0]()
        t = t * 2 + i
    return total


@refused("'d' has no value outside of a branch or a loop")
def keys_of_several_types(n):
    t, d = 1, {1: 2, "a": 3}
    table = [lambda: t + d[1]]
    total = 0
    for i in tf.range(n):
        total = total * 3 + table[0]()
        t = i + 5
        d = {1: 4, "a": 5}
    return total


# Needless loop variables do no harm


@same
def temporary_of_another_type(n):
    scale, total = 3, 0.0
    table = [lambda v: v * scale]
    total = total + table[0](1.0)
    for i in tf.range(n):
        scale = tf.cast(i, tf.float32)
        total = total + table[0](1.5)
    return total


@same
def temporary_without_a_value(n):
    total = 0
    for i in tf.range(n):
        scale = i * 2
        total = total + sum(map(lambda v: v * scale, [1, 2]))
    return total


@same
def number_that_stays_a_number(n):
    count = 0

    def bump():
        nonlocal count
        count += 1
        return count

    table = [bump]
    table[0]()
    total = 0
    for i in tf.range(n):
        total = total + i
    for _ in range(count):
        total = total * 2
    return total + len([0] * table[0]())


@same
def function_of_a_branch(n):
    if n > 0:

        def power(k):
            return n * power(k - 1) if k else 1

        total = power(2)
    else:

        def power(k):
            return power(k - 1) + 1 if k else 0

        total = power(3)
    return total


# No value before the loop


@same
def is_none(n):
    t = None
    for i in tf.range(n + 1):
        if t is None:
            t = i + 7
        else:
            t = t * 3
    return t


@same
def is_not_none_in_an_expression(n):
    t = None
    total = 0
    for i in tf.range(n + 1):
        total = total * 3 + (1 if t is None else 2)
        t = i
    return total


@same
def is_none_in_a_while(n):
    t, i = None, 0
    while i <= n:
        t = i + 7 if t is None else t * 3
        i += 1
    return t


@same
def is_none_by_a_function(n):
    def first(t, i):
        return i + 7 if t is None else t * 3

    t = None
    for i in tf.range(n + 1):
        t = first(t, i)
    return t


@same
def is_none_by_a_closure(n):
    t, total = None, 0

    def look(i):
        return 7 if t is None else t * 3

    for i in tf.range(n + 1):
        total = total * 2 + look(i)
        t = i
    return total


@same
def is_none_by_an_alias(n):
    t, total = None, 0

    def look(i):
        return 7 if t is None else t * 3

    g = look
    for i in tf.range(n + 1):
        total = total * 2 + g(i)
        t = i
    return total


@same
def is_none_and_a_break(n):
    t = None
    for i in tf.range(10):
        if t is None:
            t = i + 7
        else:
            t = t * 3
        if i >= n:
            break
    return t


@refused("may not be None before the loop")
def none_in_a_structure(n):
    t = (None, 1)
    for i in tf.range(n + 1):
        t = (i + 7, 2) if t[0] is None else (t[0] * 3, t[1] + 1)
    return t[0] * 100 + t[1]


@same
def no_value_before(n):
    for i in tf.range(n + 1):
        try:
            t = t * 3
        except NameError:
            t = i + 7
    return t


@same
def no_value_before_a_while(n):
    i = 0
    while i <= n:
        try:
            t = t * 3
        except UnboundLocalError:
            t = i + 7
        i += 1
    return t


@same
def no_value_for_a_function(n):
    total = 0

    def look():
        try:
            return t
        except NameError:
            return 7

    for i in tf.range(n + 1):
        total = total * 2 + look()
        t = i + 3
    return total


@refused("may not be None before the loop")
def none_over_a_dataset(n):
    t = None
    for i in tf.data.Dataset.range(tf.cast(n, tf.int64) + 1):
        if t is None:
            t = i + 7
        else:
            t = t * 3
    return t


@same
def none_in_while_elif(n):
    best, i = None, 0
    while i <= n:
        v = (i * 7) % 5
        if best is None:
            best = v
        elif v > best:
            best = v
        i += 1
    return best


@same
def none_nested(n):
    total = 0
    for i in tf.range(n + 1):
        prev = None
        for j in tf.range(i + 1):
            if prev is None:
                total = total + 10
            else:
                total = total * 2 + prev
            prev = j
    return total


@same
def none_return_in_loop(n):
    t = None
    for i in tf.range(10):
        if t is None:
            t = i + 1
        else:
            t = t * 3
        if i >= n:
            return t
    return -1


@same
def or_default(n):
    t = None
    for i in tf.range(n + 1):
        t = (i if t is None else t) + 1
    return t


@same
def none_over_items(n):
    t = None
    for v in tf.range(n + 1) * 2:
        t = v if t is None else tf.maximum(t, v)
    return t


@same
def none_enumerate(n):
    t = None
    for k, v in enumerate(tf.range(n + 1) * 2):
        t = v + k if t is None else t * 2 + k
    return t


@same
def none_python_break(n):
    t = None
    for k in range(5):
        t = k + 3 if t is None else t * 2
        if k >= n:
            break
    return t


@same
def guarded_by_alias(n):
    total = 0

    def look():
        try:
            return t
        except NameError:
            return 7

    g = [look]
    for i in tf.range(n + 1):
        total = total * 2 + g[0]()
        t = i + 3
    return total


@refused("is None at the end of the main branch")
def none_continue(n):
    t, total = None, 0
    for i in tf.range(n + 1):
        if i % 2 == 1:
            continue
        if t is None:
            t = i + 1
        else:
            t = t * 3 + i
        total = total + t
    return total


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_same_as_python(program: Callable[..., Any], n: int) -> None:
    assert plain(tf.function(program)(tf.constant(n))) == plain(program(tf.constant(n)))


@pytest.mark.parametrize(
    ("program", "words"), REFUSED, ids=lambda value: getattr(value, "__name__", "")
)
def test_refused_in_words(program: Callable[..., Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        tf.function(program)(tf.constant(4))
