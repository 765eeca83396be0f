# ruff: noqa - the programs are written as users write them
"""Small programs, by construct: each gives the same as plain Python in every mode.

`PROGRAMS` are written here; `nestings()` makes one for each construct in each construct in
each construct. A program is a function of integers (and lists of integers) with the
arguments to try. Those marked `python` keep something that only Python can do, so their
arguments are never tensors.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Program:
    function: Callable[..., Any]
    arguments: tuple[tuple[Any, ...], ...]
    staged: bool

    @property
    def name(self) -> str:
        return self.function.__name__


PROGRAMS: list[Program] = []


def on(*arguments: Any) -> Callable[[Any], Any]:
    """A program to run on each of the arguments, as numbers and as tensors."""

    def add(function: Any) -> Any:
        tuples = tuple(arg if isinstance(arg, tuple) else (arg,) for arg in arguments)
        PROGRAMS.append(Program(function, tuples, True))
        return function

    return add


def python(*arguments: Any) -> Callable[[Any], Any]:
    """A program whose arguments stay numbers."""

    def add(function: Any) -> Any:
        on(*arguments)(function)
        PROGRAMS[-1] = Program(function, PROGRAMS[-1].arguments, False)
        return function

    return add


# If


@on(3, -3)
def if_else(x):
    if x > 0:
        y = x
    else:
        y = -x
    return y


@on(3, -3)
def if_without_else(x):
    y = x
    if x > 0:
        y = y + 1
    return y


@on(-1, 0, 1, 5)
def elif_chain(x):
    if x < 0:
        y = 1
    elif x == 0:
        y = 2
    elif x < 3:
        y = 3
    else:
        y = 4
    return y


@on(3, -3)
def if_two_results(x):
    if x > 0:
        a, b = x, 1
    else:
        b, a = -x, 2
    return a, b


@on((1, 2), (2, 1), (-1, -1))
def nested_ifs(x, y):
    z = 0
    if x > 0:
        if y > x:
            z = 1
        else:
            z = 2
    elif y > 0:
        z = 3
    return z


@on(3, -3)
def if_pass(x):
    if x > 0:
        pass
    else:
        x = 7
    return x


@on(3, -3)
def if_swaps(x):
    a, b = x, 10
    if x > 0:
        a, b = b, a
    return a - b


@on(3, -3)
def if_temporary(x):
    t = x
    if x > 0:
        t = t * 2
        y = t
    else:
        y = t + 1
    return y


@on(3, -3)
def if_local_to_a_branch(x):
    y = 0
    if x > 0:
        local = x * 2
        y = local + 1
    return y


@on(3, -3)
def if_augmented(x):
    y = 1
    if x > 0:
        y += x
        y *= 2
    else:
        y -= x
    return y


@on(3, -3)
def if_uses_both_conditions(x):
    y = 0
    if x > 0 and x < 10:
        y = 1
    if x < 0 or x > 2:
        y += 2
    if not x > 0:
        y += 4
    return y


@on(3)
def if_python_condition(x):
    flag = True
    if flag:
        y = x
    else:
        y = undefined_name  # noqa: F821
    return y


@on(3)
def if_is_none(x):
    other = None
    if other is None:
        other = x
    if other is not None and x is not None:
        other = other + 1
    return other


@on(5, -5)
def if_raise_in_python_branch(x):
    if x is None:
        raise ValueError("none")
    return x + 1


@on(1, 2, 3)
def if_same_constant(x):
    if x > 1:
        n = 1
    else:
        n = 1
    return n + x


@on(1, 9)
def if_structures(x):
    if x > 5:
        pair = (x, {"a": x, "b": [1, 2]})
    else:
        pair = (0, {"a": 1, "b": [x, x]})
    return pair[0] + pair[1]["a"] + pair[1]["b"][1]


# While


@on(10, 0)
def while_countdown(x):
    while x > 0:
        x -= 3
    return x


@on(6, 1)
def while_factorial(n):
    total = 1
    while n > 1:
        total *= n
        n -= 1
    return total


@on(27, 1)
def while_collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@on((48, 18), (7, 13))
def while_gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@on(5, 0)
def while_nested(n):
    total = 0
    i = 0
    while i < n:
        j = 0
        while j < i:
            total += j
            j += 1
        i += 1
    return total


@on(5, 0)
def while_and(n):
    i = 0
    while i < n and i * i < 10:
        i += 1
    return i


@on(5, -1)
def while_else(n):
    i = 0
    while i < n:
        i += 1
    else:
        i += 100
    return i


@on(5, 1, -1)
def while_else_break(n):
    i = 0
    while i < n:
        i += 1
        if i == 3:
            break
    else:
        i += 100
    return i


@on(5)
def while_true_break(n):
    i = 0
    while True:
        i += 2
        if i > n:
            break
    return i


@on(5)
def while_true_return(n):
    i = 0
    while True:
        i += 2
        if i > n:
            return i


@on(9)
def while_continue(n):
    total = 0
    while n > 0:
        n -= 1
        if n % 2 == 0:
            continue
        total += n
    return total


@on(9)
def while_python_counter(n):
    i = 0
    while i < 3:
        n += i
        i += 1
    return n


@on(9)
def while_unused_temporary(n):
    while n > 0:
        t = n * 2
        n = t - n - 1
    return n


@on(9, 0)
def while_set_inside(n):
    last = -1
    while n > 0:
        last = n
        n -= 4
    return last


@on(3)
def while_walrus(n):
    total = 0
    while (half := n // 2) > 0:
        total += half
        n -= 1
    return total


# For


@on(5, 0)
def for_range(n):
    total = 0
    for i in range(n):
        total += i
    return total


@on((2, 9), (9, 2))
def for_range_two(a, b):
    total = 0
    for i in range(a, b):
        total += i
    return total


@on(4)
def for_range_step(n):
    total = 0
    for i in range(n, n * 4, 3):
        total += i
    return total


@on(4)
def for_range_down(n):
    total = 0
    for i in range(n, 0, -1):
        total = total * 10 + i
    return total


@on([1, 2, 3], [4])
def for_items(values):
    total = 0
    for v in values:
        total += v * v
    return total


@on([[1, 2], [3, 4], [5, 6]])
def for_rows(rows):
    total = 0
    for row in rows:
        total += row[0] * row[1]
    return total


@on([3, 1, 2])
def for_enumerate(values):
    total = 0
    for i, v in enumerate(values):
        total += i * v
    return total


@on([3, 1, 2])
def for_enumerate_start(values):
    total = 0
    for i, v in enumerate(values, 5):
        total += i * v
    return total


@on(([3, 1, 2], [4, 5, 6]))
def for_zip(a, b):
    total = 0
    for x, y in zip(a, b):
        total += x * y
    return total


@on(([3, 1, 2], [4, 5, 6]))
def for_enumerate_zip(a, b):
    total = 0
    for i, (x, y) in enumerate(zip(a, b)):
        total += i * x * y
    return total


@on([3, 1, 2])
def for_map(values):
    total = 0
    for v in map(lambda t: t + 1, values):
        total += v
    return total


@on(5)
def for_break(n):
    total = 0
    for i in range(n):
        if i == 3:
            break
        total += i
    return total


@on(5)
def for_continue(n):
    total = 0
    for i in range(n):
        if i % 2 == 1:
            continue
        total += i
    return total


@on(2, 7)
def for_else(n):
    found = 0
    for i in range(n):
        if i == 4:
            found = 1
            break
    else:
        found = 2
    return found


@on(2, 7)
def for_return(n):
    for i in range(n):
        if i == 4:
            return i * 10
    return -1


@on(2, 7)
def for_break_and_continue(n):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        if i == 5:
            break
        total += i
    return total


@on(4)
def for_nested(n):
    total = 0
    for i in range(n):
        for j in range(i):
            if j == 2:
                break
            total += i * j
        if total > 20:
            break
    return total


@on(4)
def for_python_list(n):
    total = 0
    for k in [1, 2, 3]:
        if n > k:
            total += k
    return total


@on(2, 9)
def for_python_list_break(n):
    total = 0
    for k in [1, 2, 3, 4]:
        if k > n:
            break
        total += k
    return total


@on(2, 9)
def for_python_list_return(n):
    for k in (1, 2, 3, 4):
        if k * 2 > n:
            return k
    return 0


@on(2, 9)
def for_python_list_else(n):
    for k in (1, 2, 3, 4):
        if k * 2 > n:
            break
    else:
        return -1
    return n


@on(4)
def for_dict(n):
    table = {1: 10, 2: 20}
    total = 0
    for key in table:
        total += table[key] * n
    for key, value in table.items():
        total += key * value
    return total


@on(4)
def for_unpacking(n):
    total = 0
    for a, (b, *c) in [(1, (2, 3, 4)), (5, (6,))]:
        total += a * b * n + sum(c)
    return total


@on(4)
def for_target_after(n):
    i = -1
    for i in range(n):
        pass
    return i


@on(4)
def for_item_target(n):
    slots = [0, 0]
    for slots[0] in range(n):
        slots[1] += slots[0]
    return slots[1]


@python(4)
def for_generator(n):
    total = 0
    for i in (k * k for k in range(n)):
        total += i
    return total


@python(4)
def for_iterator_keeps_place(n):
    source = iter(range(10))
    for i in source:
        if i == n:
            break
    return next(source)


@on(4)
def for_iterator_of_python(n):
    total = 0
    for i in itertools.islice(itertools.count(), 3):
        total += i * n
    return total


@on(4)
def for_reversed(n):
    total = 0
    for i in reversed([1, 2, 3]):
        total = total * n + i
    return total


# Return


@on(3, -3)
def early_return(x):
    if x > 0:
        return x
    return -x


@on(0, 1, 2, 3)
def several_returns(x):
    if x == 0:
        return 10
    if x == 1:
        return 11
    if x == 2:
        return 12
    return 13


@on((1, 1), (1, -1), (-1, 1), (-1, -1))
def returns_in_nested_ifs(x, y):
    if x > 0:
        if y > 0:
            return 1
        x = 5
    else:
        if y > 0:
            return 3
        y = 6
    return x + y


@on(3, -3)
def return_tuple(x):
    if x > 0:
        return x, 1
    return 0, x


@on(3, -3)
def return_dict(x):
    if x > 0:
        return {"a": x}
    return {"a": 0}


@on(3)
def return_none(x):
    x = x + 1


@on(3)
def return_bare(x):
    if x is None:
        return
    x = x + 1
    return


@on(2, 6)
def return_in_inner_loop(n):
    for i in range(n):
        for j in range(n):
            if i * j == 6:
                return i * 10 + j
    return -1


@on(2, 6)
def return_in_while(n):
    i = 0
    while i < 5:
        if i * 2 == n:
            return i
        i += 1
    return -1


@on(2, 6)
def return_after_loop_in_branch(n):
    if n > 3:
        for i in range(n):
            if i == 4:
                return i
        return 0
    return n


@on(3)
def return_in_with(x):
    with contextlib.nullcontext():
        if x > 1:
            return x
        x = 5
    return x + 1


@on(3)
def return_in_try(x):
    try:
        if x > 1:
            return x
        x = 5
    finally:
        x = 9
    return x + 1


@python(0, 1)
def return_in_except(x):
    try:
        x = 1 // x
    except ZeroDivisionError:
        return -1
    else:
        return x
    finally:
        x = 3


@python(0, 1)
def return_in_suppress(x):
    with contextlib.suppress(ZeroDivisionError):
        return 1 // x
    return 5


# Break and continue in other statements


@python(3)
def break_in_try(n):
    total = 0
    for i in range(n):
        try:
            if i == 2:
                break
            total += 1 // i
        except ZeroDivisionError:
            continue
        finally:
            total += 10
    return total


@on(4)
def break_in_with(n):
    total = 0
    for i in range(n):
        with contextlib.nullcontext():
            if i == 2:
                break
            total += i
    return total


@on(4)
def continue_in_while_else(n):
    total = 0
    i = 0
    while i < n:
        i += 1
        if i == 2:
            continue
        total += i
    else:
        total += 100
    return total


@on(4)
def break_out_of_two(n):
    count = 0
    for i in range(n):
        stop = False
        for j in range(n):
            count += 1
            if i + j == 4:
                stop = True
                break
        if stop:
            break
    return count


# Expressions


@on(3, -3)
def conditional_expression(x):
    return x if x > 0 else -x


@on(-1, 1, 6)
def nested_conditional_expression(x):
    return 1 if x < 0 else 2 if x < 5 else 3


@on((3, 4), (-3, 4), (3, -4))
def boolean_operators(x, y):
    return (x > 0 and y > 0), (x > 0 or y > 0), not x > 0


@on((3, 4), (-3, 4), (3, -4))
def boolean_chain(x, y):
    return x > 0 and y > 0 and x < y or x == y


@on(3, 0)
def lazy_and(x):
    return x != 0 and 6 % max(x, 1) == 0


@on(3, 7, -1)
def chained_comparison(x):
    return 0 < x < 5


@on((1, 2, 3), (1, 3, 2))
def long_chain(x, y, z):
    return x < y < z != 5


@on(3, 9)
def membership(x):
    y = 0
    if x in (1, 2, 3):
        y = 1
    if x not in [4, 5]:
        y += 2
    return y


@on(([1, 2, 3], 2), ([1, 2, 3], 9))
def membership_in_argument(values, x):
    return x in values


@on(3)
def walrus_in_if(x):
    if (y := x + 1) > 2:
        return y
    return 0


@on(3, 12)
def walrus_in_and(x):
    if (y := x * 2) > 2 and y < 20:
        return y
    return 0


@on(3)
def fstring(x):
    text = f"{1 + 1}{'a' if x is not None else 'b'}"
    return len(text) + x


@on(3)
def lambda_inside(x):
    double = lambda v, k=2: v * k
    return double(x) + (lambda: x)()


@on(3, -3)
def lambda_with_condition(x):
    absolute = lambda v: v if v > 0 else -v
    return absolute(x) + absolute(2)


@on(3)
def comprehension(x):
    values = [k * x for k in range(4) if k != 2]
    return sum(values)


@on(3)
def comprehensions(x):
    pairs = {k: k + x for k in range(3)}
    unique = {k % 2 for k in range(5)}
    every = sum(v for v in pairs.values())
    return every + len(unique)


@on(3, -3)
def comprehension_with_call(x):
    return sum([positive(x + k) for k in range(3)])


@on(3)
def comprehension_scope(x):
    k = 100
    values = [k for k in range(3)]
    return k + values[-1] + x


@on(3)
def starred(x):
    first, *rest = [1, 2, x]
    return first + rest[-1] + max(*rest, 0)


@on(3)
def keyword_calls(x):
    return keywords(1, b=x, **{"c": 2}) + keywords(*[1, 2], c=x)


@on(3)
def slices(x):
    values = [1, 2, 3, 4]
    values[1:3] = [7]
    return values[1] + values[-1] + len(values) + x


@on(3, -3)
def not_twice(x):
    if not not x > 0:
        return 1
    return 0


@on(3)
def conditional_call(x):
    function = positive if x is not None else None
    return function(x)


@on((3, 4))
def is_operator(x, y):
    z = x
    return z is x and x is not y


# State of objects


class Box:
    def __init__(self, value=0):
        self.value = value
        self.inner = None

    def add(self, x):
        if x > 0:
            self.value = self.value + x
        return self

    def __call__(self, x):
        while x > 2:
            x -= 2
        return x


@on(3, -3)
def attribute_in_if(x):
    box = Box()
    if x > 0:
        box.value = x
    return box.value


@on(3)
def attribute_in_while(x):
    box = Box()
    while x > 0:
        box.value += x
        x -= 1
    return box.value


@on(3)
def attribute_in_for(x):
    box = Box(1)
    for i in range(x):
        box.value = box.value * 2
    return box.value


@on(3)
def nested_attribute(x):
    box = Box()
    box.inner = Box(5)
    for i in range(x):
        box.inner.value -= i
    return box.inner.value


@on(3, -3)
def new_attribute(x):
    box = Box()
    if x > 0:
        box.fresh = 1
    else:
        box.fresh = 2
    return box.fresh


@on(3, -3)
def method_call(x):
    return Box(1).add(x).add(2).value


@on(7)
def callable_object(x):
    return Box()(x)


@on(3, -3)
def dict_item(x):
    table = {"k": 0}
    if x > 0:
        table["k"] = x
    return table["k"]


@on(3, -3)
def new_dict_item(x):
    table = {}
    if x > 0:
        table["k"] = x
    else:
        table["k"] = 7
    return table["k"]


@on(3)
def list_item_in_while(x):
    slots = [0, 0]
    while x > 0:
        slots[0] += x
        slots[1] = slots[0] * 2
        x -= 1
    return slots[1]


@on(3)
def list_item_variable_index(x):
    slots = [0, 0, 0]
    while x > 0:
        for k in range(3):
            slots[k] += x * k
        x -= 1
    return slots


@on(3, -3)
def item_of_item(x):
    table = {"k": [x, 0], "l": ([0],)}
    row = table["k"]
    if x > 0:
        table["k"][1] = x * 2
        table["l"][0][0] = 5
    while row[0] > 1:
        row[0] -= 1
    return row[0], row[1], table["k"][1], table["l"][0][0]


@on(3, -3)
def attribute_of_item(x):
    boxes, i = [Box(1), Box(2)], 1
    if x > 0:
        boxes[0].value = x
    else:
        boxes[i].value = x
    return boxes[0].value, boxes[1].value


@on(3, -3)
def item_of_default_dict(x):
    counts = collections.defaultdict(int)
    if x > 0:
        counts["k"] += 1
    else:
        counts["k"] += 2
    return counts["k"]


@on(3, -3)
def list_append_in_branches(x):
    kept = [x]
    if x > 0:
        kept.append(x)
    else:
        kept.append(-x)
    return kept


@on(3, -3)
def list_pop_in_branches(x):
    kept = [x, x * 2, x * 3]
    if x > 0:
        last = kept.pop()
    else:
        last = kept.pop(0)
    return kept, last


@on(3, -3)
def list_append_in_python_loop(x):
    kept = []
    for k in [1, 5]:
        if k > x:
            kept.append(k)
        else:
            kept.append(x)
    return kept


@on(3, -3)
def dict_update_in_branch(x):
    table = {"a": x, "b": 1}
    if x > 0:
        table.update(a=x * 2, b=5)
    return table["a"] + table["b"]


@on(3)
def list_aliases(x):
    slots = [0, 0]
    same = slots
    while x > 0:
        slots[0] += x
        x -= 1
    return same[0]


@on(3)
def list_of_attribute(x):
    box = Box()
    box.inner = [1, 2]
    for i in range(x):
        box.inner[1] += i
    return box.inner[1]


@on(3)
def list_rebound(x):
    values = [0, 0]
    while x > 0:
        values = [values[0] + x, values[1] + 1]
        x -= 1
    return values


@python(3)
def list_append(x):
    values = []
    for i in range(x):
        if i != 1:
            values.append(i)
    return values


@on(3)
def list_append_unrolled(x):
    values = []
    for k in [1, 2, 3]:
        values.append(k * x)
    return values


@python(3)
def list_of_functions(x):
    made = []
    for i in range(x):
        made.append(lambda: i)
    return [f() for f in made]


# Lists that grow


@on(0, 1, 5)
def grow_in_for(n):
    l = [n]
    for i in range(n):
        l.append(i * i)
    return sum(l), len(l), l[-1]


@on(0, 1, 7)
def grow_in_while(n):
    l = [1]
    while n > 0:
        l.append(n + l[-1])
        n -= 2
    return l[0], l[-1], len(l)


@on(0, 6)
def grow_in_branch(n):
    l = [0]
    for i in range(n):
        if i % 3 == 0:
            l.append(i)
        elif i % 3 == 1:
            l += [i, -i]
    total = 0
    for v in l:
        total = total * 3 + v
    return total


@on(0, 3, 9)
def grow_until_break(n):
    l = [1]
    for i in range(n):
        if l[-1] > 20:
            break
        l.append(l[-1] * 2)
    return l[-1], len(l)


@on(0, 3, 9)
def grow_and_continue(n):
    l = [0]
    for i in range(n):
        if i % 2 == 0:
            continue
        l.append(i)
    return sum(l)


@on(0, 3, 9)
def grow_until_return(n):
    l = [1]
    for i in range(n):
        l.append(i)
        if i > 4:
            return sum(l)
    return len(l)


@on(0, 4)
def grow_in_nested_loops(n):
    l, m = [0], [1]
    for i in range(n):
        for j in range(i):
            l.append(i * j)
            k = j
            while k > 0:
                m.append(k + l[-1])
                k -= 1
        m.append(len(l))
    return sum(l), sum(m), len(l), len(m)


@on(0, 4)
def grow_in_branch_around_a_loop(n):
    l = [7]
    if n > 2:
        for i in range(n):
            l.append(i)
    return sum(l), len(l)


@on(0, 2, 5)
def grow_after_a_return(n):
    l = [1]
    if n > 3:
        return sum(l)
    for i in range(n):
        l.append(i)
    return sum(l)


@on(0, 2, 5)
def grow_after_a_return_and_a_change(n):
    l, kept, k = [1], [n], n
    if n > 4:
        return k, kept[0], sum(l)
    k += 1
    kept.append(kept.pop(0) + k)
    for i in range(k):
        if i > 3:
            break
        l.append(i)
    else:
        k = kept[0]
    return k, kept[0], sum(l)


@on(0, 2, 5)
def item_in_one_branch_and_growth_in_another(n):
    l = [1]
    r = 0
    if n > 4:
        l[0] = 5
    elif n > 1:
        r = l[0]
    else:
        for i in range(n):
            l += [i]
    return sum(l), r


@on(0, 4)
def grow_in_function(n):
    l = [0]

    def add(x):
        if x % 2 == 0:
            l.append(x)

    def fill(count):
        for i in range(count):
            add(i)
            add(i * 3)

    fill(n)
    return sum(l), len(l)


def _push(l, x):
    l.append(x)
    if x > 2:
        l.extend([x, -x])


@on(0, 5)
def grow_in_called_function(n):
    l = [0]
    for i in range(n):
        l.append(1)
        _push(l, i)
    _push(l, n)
    return sum(l), len(l), max(l), min(l)


@on(0, 5)
def grow_by_two_names(n):
    l = [1]
    for i in range(n):
        l.append(i)
    m = l
    for i in range(n):
        m.append(i + 10)
        l[0] = l[0] + m[-1]
    m += [3]
    return sum(l), sum(m), len(l)


@on(1, 6)
def stack_of_work(n):
    todo = [n]
    steps = 0
    for _ in range(n - n + 1):
        todo.append(n)
    while todo:
        x = todo.pop()
        steps += 1
        if x > 0:
            todo.append(x - 1)
            if x % 2 == 0:
                todo.append(x - 3)
    return steps


@on(0, 5)
def shrinks_and_grows(n):
    l = [1, 2, 3]
    for i in range(n):
        if len(l) > 2:
            l.pop()
        else:
            l.append(i)
            l.append(i + 1)
        l[0] = l[0] + l[-1]
    return sum(l), len(l)


@on(0, 5)
def cleared(n):
    l = [1]
    for i in range(n):
        if len(l) > 3:
            l.clear()
        l.append(i)
    return sum(l), len(l)


@on(0, 5)
def truth_of_grown(n):
    l = [1]
    for i in range(n):
        l.append(i)
    for i in range(n + 1):
        l.pop()
    r = 0
    if l:
        r += 1
    if not l:
        r += 2
    return r + (4 if l and n > 0 else 8)


@on(0, 5)
def loops_over_grown(n):
    l, m = [1], [2]
    for i in range(n):
        l.append(i)
        m.append(i * 2)
    total = 0
    for k, (a, b) in enumerate(zip(l, m)):
        if b > 6:
            break
        total += k * a * b
    return total


@on(0, 3)
def grows_while_looped_over(n):
    l = [n]
    for v in range(n):
        l.append(v)
    total = 0
    for v in l:
        total += v
        if v > 1:
            l.append(v - 1)
    return total, len(l)


@on(0, 4)
def new_list_each_turn(n):
    total = 0
    for i in range(n):
        l = [i]
        for j in range(i):
            l.append(j)
        total += sum(l) * len(l)
    return total


@on(0, 4)
def grows_in_try(n):
    l = [0]
    try:
        for i in range(n):
            l.append(i)
    finally:
        l.append(100)
    return sum(l)


@on(0, 4)
def membership_of_grown(n):
    l = [5]
    for i in range(n):
        l.append(i)
    return (2 in l), (n in l), (5 in l)


@on(0, 4)
def held_by_an_object(n):
    class Box:
        pass

    box = Box()
    l = [0]
    for i in range(n):
        l.append(i)
    box.l = l
    for i in range(n):
        box.l.append(i)
        l.append(box.l[-1] + 1)
    return sum(l), sum(box.l)


# Variables


@on(3)
def delete(x):
    y = x
    z = y + 1
    del y
    return z


@on(3, -3)
def delete_in_branches(x):
    y = x
    if x > 0:
        z = y
        del y
    else:
        z = -y
        del y
    return z


@on(3)
def closure_write(x):
    count = 0

    def bump(by):
        nonlocal count
        count += by
        return count

    for i in range(x):
        bump(i)
    return count


@on(3, -3)
def closure_read(x):
    y = 1

    def read():
        return y + x

    if x > 0:
        y = 5
    return read()


@on(3)
def nested_function(x):
    def triangle(n):
        total = 0
        while n > 0:
            total += n
            n -= 1
        return total

    return triangle(x) + triangle(2)


@on(3)
def nested_function_defaults(x):
    def scaled(v, by=x, *more, plus=1):
        return v * by + plus + len(more)

    return scaled(2) + scaled(2, 3, 4, plus=5)


@on(3, -3)
def function_in_branch(x):
    if x is not None:

        def chosen(v):
            return v + 1
    else:

        def chosen(v):
            return v - 1

    return chosen(x)


@on(3)
def decorated_inner(x):
    @functools.lru_cache
    def constant():
        return 5

    @twice
    def step(v):
        if v > 3:
            return v * 2
        return v + 1

    return step(x) + constant()


@python(3)
def class_inside(x):
    class Point:
        scale = 2 if x else 3

        def __init__(self, v):
            self.v = v * self.scale

        def big(self):
            if self.v > 3:
                return True
            return False

    return Point(x).big()


@python(3)
def generator_inside(n):
    def produce():
        for i in range(n):
            if i == 1:
                continue
            yield i

    return list(produce())


@on(3)
def import_inside(x):
    import math
    from operator import add

    return add(int(math.floor(2.5)), x)


@on(3)
def multiple_targets(x):
    a = b = x
    (c, d), e = (a, 1), b
    return a + c + d + e


@on(3)
def annotated(x):
    y: int = x
    z: int
    z = y + 1
    return z


counter = 0


@python(3)
def global_write(x):
    global counter
    counter = 0
    for i in range(x):
        counter += i
    return counter


@on(3, -3)
def global_read(x):
    return x + len(PROGRAMS) * 0 + positive(x)


@on(3)
def shadowed_builtin(x):
    range = [5, 6]
    total = 0
    for len in range:
        total += len * x
    return total


@on(3)
def names_of_the_converter(get_state):
    loop_body = get_state
    break_ = 1
    while loop_body > 0:
        loop_body -= 1
        if loop_body == 1:
            break
    retval_ = do_return = loop_body + break_
    return retval_ + do_return


@on(2)
def conditionally_defined(x):
    for i in [1, 2]:
        if i == 1:
            y = x
    return y


# Exceptions and contexts


@python(0, 2)
def try_except(x):
    try:
        y = 4 // x
    except ZeroDivisionError as error:
        y = len(str(error)) * 0 - 1
    return y


@python(0, 1, 2)
def try_everything(x):
    log = []
    try:
        log.append(1 // x)
        if x == 2:
            raise KeyError("k")
    except ZeroDivisionError:
        log.append("zero")
    except (KeyError, ValueError) as error:
        log.append(error.args[0])
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


@on(3, -3)
def if_in_try(x):
    try:
        if x > 0:
            y = 1
        else:
            y = 2
    finally:
        z = 5
    return y + z


@on(4)
def try_in_loop(n):
    total = 0
    for i in range(n):
        try:
            total += i
        except ValueError:
            total = -1
    return total


@python(1)
def raise_from(x):
    try:
        try:
            raise KeyError("a")
        except KeyError as error:
            raise ValueError("b") from error
    except ValueError as error:
        return type(error.__cause__).__name__ * x


@python(1)
def reraise(x):
    try:
        try:
            1 // 0
        except ZeroDivisionError:
            x += 1
            raise
    except ArithmeticError:
        x += 10
    return x


@on(3)
def with_value(x):
    with contextlib.nullcontext(5) as y, contextlib.nullcontext(y):
        if x > 1:
            y = y + x
    return y


@python(3)
def with_effects(x):
    log = []

    @contextlib.contextmanager
    def noted(name):
        log.append(name)
        yield
        log.append(-name)

    for i in range(x):
        with noted(i):
            if i == 1:
                continue
            log.append("body")
    return log


@python(3)
def assertion(x):
    assert x > 0, "positive"
    try:
        assert x < 0, f"negative {x}"
    except AssertionError as error:
        return str(error)


# Match


@python(0, 1, 2, 9)
def match_values(x):
    match x:
        case 0:
            y = "zero"
        case 1 | 2:
            y = "few"
        case n if n > 5:
            y = n
        case _:
            y = "other"
    return y


@python(3)
def match_shapes(x):
    found = []
    for item in [(1, 2), [3, *[4, 5]], {"k": x, "z": 1}, Box(7), "s"]:
        match item:
            case (a, b):
                found.append(a + b)
            case [first, *rest]:
                found.append((first, rest))
            case {"k": value, **others}:
                if value > 1:
                    found.append((value, others))
            case Box(value=v):
                found.append(v)
                continue
            case _:
                break
        found.append("next")
    return found


@on(3, -3)
def match_around_if(x):
    kind = "a"
    match kind:
        case "a":
            if x > 0:
                y = 1
            else:
                y = 2
        case _:
            y = 3
    return y


@python(1, 2)
def match_return(x):
    match x:
        case 1:
            return "one"
    return "more"


# Calls


def positive(x):
    if x > 0:
        return x
    return 0


def keywords(a, b=1, *, c=3):
    return a * 100 + b * 10 + c


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(function(*args, **kwargs), **kwargs)

    return wrapper


@twice
def decorated(x):
    if x > 2:
        return x - 1
    return x + 5


def recursive(n):
    if n <= 0:
        return 0
    return n + recursive(n - 1)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


@on(3, -3)
def calls_function(x):
    return positive(x) + positive(-x)


@on(3)
def calls_decorated(x):
    return decorated(x)


@python(4)
def calls_recursive(x):
    return recursive(x), even(x)


@on(3)
def calls_partial(x):
    return functools.partial(keywords, 1, c=x)(5) + functools.partial(positive)(x)


@on(3)
def calls_unbound_method(x):
    return Box.add(Box(1), x).value


@on(3)
def calls_operator(x):
    return operator.add(x, operator.mul(2, 3))


@on(3)
def calls_reduce(x):
    return functools.reduce(lambda a, b: a if a > b else b, [1, x, 2])


@on(3)
def calls_in_arguments(x):
    return positive(positive(x) - positive(1))


@on(3)
def calls_conditional_callee(x):
    return (positive if x is not None else decorated)(x)


@on(3)
def calls_through_list(x):
    return [positive, decorated][1](x)


@on(3)
def calls_immediately(x):
    return (lambda v: v if v > 2 else 0)(x)


# Builtins


@on([3, -1, 2])
def builtin_len(values):
    return len(values)


@on(-3)
def builtin_abs(x):
    return abs(x) + abs(-2)


@on((3, 5))
def builtin_min_max(x, y):
    return min(x, y), max(x, y, 4)


@on([3, -1, 2])
def builtin_min_max_of(values):
    return min(values), max(values)


@on([3, -1, 2])
def builtin_sum(values):
    return sum(values)


@on(3)
def builtin_sum_of_list(x):
    return sum([x, 2, x])


@on(([True, False],), ([True, True],))
def builtin_any_all(values):
    return any(values), all(values)


@on((3, 5), (5, 3))
def builtin_any_of_list(x, y):
    return any([x > y, x > 4]), all([x > y, x > 4])


@on(3)
def builtin_int(x):
    return int(x) + int(2.7)


@on(0, 3)
def builtin_bool(x):
    return bool(x)


@on(3)
def builtin_isinstance(x):
    if isinstance(x, str):
        return 0
    return x


@python([3, 1, 2])
def builtin_sorted(values):
    return sorted(values), sorted(values, key=lambda v: -v), sorted(values, reverse=True)


@python([3, 1, 2])
def builtin_filter_map(values):
    return list(filter(lambda v: v > 1, values)), list(map(positive, values))


@python([3, 1, 2])
def builtin_next(values):
    iterator = iter(values)
    return next(iterator), next(iterator), next(iterator), next(iterator, 9)


@python(3)
def builtin_locals(x):
    y = 5
    return sorted(name for name in locals() if name in ("x", "y"))


@python(3)
def builtin_eval(x):
    return eval("x + 1")


@python(3)
def builtin_print(x):
    print("value", x)
    return x


# Whole algorithms


@on(10, 50)
def primes_below(n):
    count = 0
    for candidate in range(2, n):
        prime = True
        divisor = 2
        while divisor * divisor <= candidate:
            if candidate % divisor == 0:
                prime = False
                break
            divisor += 1
        if prime:
            count += 1
    return count


@on(20)
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@on(15)
def fizzbuzz(n):
    fizz = buzz = both = 0
    for i in range(1, n + 1):
        if i % 15 == 0:
            both += 1
        elif i % 3 == 0:
            fizz += 1
        elif i % 5 == 0:
            buzz += 1
    return fizz, buzz, both


@on(([1, 3, 5, 7, 9], 7), ([1, 3, 5, 7, 9], 4))
def binary_search(values, wanted):
    low, high = 0, 5
    while low < high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return -1


@on(1000, 17)
def digits(n):
    count = 0
    total = 0
    while n > 0:
        total += n % 10
        n //= 10
        count += 1
    return count, total


@on(25, 26)
def integer_root(n):
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        if middle * middle <= n:
            low = middle
        else:
            high = middle - 1
    return low


@on([5, 3, 8, 1])
def largest_two(values):
    first = second = -1
    for v in values:
        if v > first:
            first, second = v, first
        elif v > second:
            second = v
    return first, second


@on(12)
def perfect(n):
    total = 0
    for i in range(1, n):
        if n % i != 0:
            continue
        total += i
    return -1 if total < n else 0 if total == n else 1


# Nestings

_OUTER = {
    "if": ["if a < 2:", "{}", "else:", "    b += 1"],
    "elif": ["if a < 0:", "    b = 5", "elif b < 3:", "{}"],
    "while": ["n{d} = zero", "while n{d} < 3 and b < 40:", "    n{d} += 1", "{}"],
    "for": ["for i{d} in range(zero + 3):", "    b += i{d} % 2", "{}"],
    "list": ["for k{d} in [1, 2]:", "{}", "    a += k{d}"],
    "else": ["for i{d} in range(zero + 2):", "{}", "else:", "    b += 7"],
    "try": ["try:", "{}", "finally:", "    a += 1"],
}
_INNER = {
    "assign": ["a, b = b, a + 1"],
    "branch": ["if b > 2:", "    a += 1", "else:", "    b += 2"],
    "break": ["if a > 1:", "    break", "b += 1"],
    "continue": ["if b % 2 == 1:", "    continue", "a += 1"],
    "return": ["if a + b > 5:", "    return (a, b)", "b += 1"],
    "call": ["b += helper(a)"],
}
_LOOPS = ("while", "for", "list", "else")


def _inside(name: str, depth: int, body: list[str]) -> Iterator[str]:
    for line in _OUTER[name]:
        if line == "{}":
            yield from ("    " + inner for inner in body)
        else:
            yield line.format(d=depth)


def nestings() -> Iterator[tuple[str, str]]:
    """A name and a source for each way to nest three constructs."""
    for outer, middle, inner in itertools.product(_OUTER, _OUTER, _INNER):
        if inner in ("break", "continue") and not {outer, middle} & set(_LOOPS):
            continue
        body = list(_inside(outer, 1, list(_inside(middle, 2, _INNER[inner]))))
        lines = ["def program(a, b, zero):", *("    " + line for line in body)]
        yield f"{outer}-{middle}-{inner}", "\n".join([*lines, "    return (a, b)", ""])


#: The programs that may be given tensors, and the nestings by name.
STAGED = [program for program in PROGRAMS if program.staged]
NESTINGS = dict(nestings())
