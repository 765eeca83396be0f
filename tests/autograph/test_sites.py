"""Staged forms are compiled when a tensor asks for them, and again if their trees are gone."""

from __future__ import annotations

from typing import Any

from corpora.random_functions import load
from support.toy import Toy, converted, installed, number

from graphwright.autograph import sites
from graphwright.autograph.syntax import SITES

SOURCE = """
def program(x, limit):
    total = 0
    while x > 0:
        if x > limit:
            total += x
        else:
            total -= 1
        x -= 1
    return total
"""


def sites_of(function: Any) -> sites.Sites:
    free = function.__code__.co_freevars
    found: sites.Sites = function.__closure__[free.index(SITES)].cell_contents
    return found


def test_numbers_compile_nothing_staged() -> None:
    new = converted(load(SOURCE))
    assert new(5, 2) == 10
    assert not sites_of(new)._codes


def test_a_tensor_compiles_what_it_asks_for() -> None:
    plain = load(SOURCE)
    new = converted(plain)
    with installed():
        assert number(new(5, Toy(2))) == plain(5, 2)
        assert list(sites_of(new)._codes) == [1]  # the `if`
        assert number(new(Toy(5), 2)) == plain(5, 2)
        assert list(sites_of(new)._codes) == [1, 2]  # and the `while` around it


def test_trees_are_made_again() -> None:
    plain = load(SOURCE)
    new = converted(plain)
    for _ in range(sites._AT_MOST):
        converted(load(SOURCE))
    assert sites_of(new)._makers is None
    with installed():
        assert number(new(Toy(5), Toy(2))) == plain(5, 2)
    assert len(sites._recent) == sites._AT_MOST


def test_names_that_classes_make_private() -> None:
    source = """
class Holder:
    def run(self, x):
        __hidden = 1
        while x > 0:
            __hidden = __hidden * 2
            x -= 1
        return __hidden

    def up(self, x):
        if x > 0:
            return super().__repr__ is not None and x
        return 0

program = Holder()
"""
    holder = load(source)
    with installed():
        assert number(converted(type(holder).run)(holder, Toy(3))) == 8
        assert number(converted(type(holder).run)(holder, 3)) == 8
        assert number(converted(type(holder).up)(holder, Toy(3))) == 3


def test_only_what_functions_of_the_user_share_is_a_cell() -> None:
    source = """
def program(x):
    y = 1
    def put(value):
        nonlocal y
        y = value
    for i in (1, 2, 3):
        z = i * y
        if x > 1:
            put(z)
            break
    return y, z
"""
    plain = load(source)
    new = converted(plain)
    assert new.__code__.co_cellvars == plain.__code__.co_cellvars == ("y",)
    assert new(3) == plain(3) == (1, 1)
    with installed():
        assert tuple(map(number, new(Toy(3)))) == (1, 1)
        assert tuple(map(number, new(Toy(0)))) == plain(0) == (1, 3)


def test_variables_without_a_value_stay_without_one() -> None:
    source = """
def program(items, x):
    for i in items:
        y = i
    if x > 0:
        del x
    try:
        return y
    except UnboundLocalError:
        return 'none'
"""
    plain = load(source)
    with installed():
        assert converted(plain)([], 1) == plain([], 1) == "none"
        assert converted(plain)([5], Toy(0)) == 5
