# ruff: noqa: E741, RUF005 - the programs are written as users write them
"""Lists that a loop of the graph changes do what Python's lists do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf
from graphwright.types import tree

N = tf.constant(4)
V = tf.constant([1.0, 2.0])


def plain(value: Any) -> Any:
    return tree.map_structure(
        lambda leaf: leaf.numpy().tolist() if isinstance(leaf, tf.Tensor) else leaf, value
    )


def grown(n: Any) -> list[Any]:
    l = [10, 20]
    for i in tf.range(n):
        l.append(i)
    return l


def changed(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def program(n: Any) -> Any:
        l = grown(n)
        found = change(l)
        return l, found

    return program


CHANGES: dict[str, Callable[[Any], Any]] = {
    "append": lambda l: l.append(7),
    "extend by a list": lambda l: l.extend([7, 8]),
    "extend by itself": lambda l: l.extend(l),
    "extend by rows": lambda l: l.extend(tf.constant([7, 8])),
    "pop": lambda l: l.pop(),
    "pop the first": lambda l: (l.pop(0), l.pop(0)),
    "pop from the end": lambda l: l.pop(-2),
    "pop where a tensor says": lambda l: (l.pop(tf.constant(1)), l.pop(tf.constant(-1))),
    "delete": lambda l: l.__delitem__(1),
    "clear": lambda l: l.clear(),
    "copy": lambda l: (l.copy(), l.append(1)),
    "items": lambda l: (l[0], l[-1], l[tf.constant(2)], l[tf.constant(-3)]),
    "slices": lambda l: (l[1:], l[:-1], l[::2], l[::-1], l[2:3]),
    "set": lambda l: (l.__setitem__(0, 1), l.__setitem__(-1, 2), l.__setitem__(tf.constant(1), 3)),
    "add": lambda l: (l + [1], l + l, [1, 2] + l),
    "add in place": lambda l: l.__iadd__([5]),
}


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("name", CHANGES)
def test_a_list_of_the_graph_is_a_list(name: str, n: int) -> None:
    program = changed(CHANGES[name])
    wanted = tf.autograph.to_graph(program)(tf.constant(n))
    assert plain(tf.function(program)(tf.constant(n))) == plain(wanted)


def test_a_loop_passes_through_a_list_item_by_item() -> None:
    @tf.function
    def program(n: Any) -> Any:
        l = grown(n)
        total, seen = 0, 0
        for item in l:
            total = total * 3 + item
            seen += 1
            if seen < 2:
                l.append(100)
        return total, seen, len(l)

    total = 0
    for item in [10, 20, 0, 1, 2, 3, 100]:
        total = total * 3 + item
    assert plain(program(N)) == (total, 7, 7)


def test_the_items_as_one_tensor() -> None:
    @tf.function
    def program(n: Any) -> Any:
        l = [tf.stack([V, V + 5.0, V])]
        for _ in tf.range(n):
            l.append(l[-1] + 1.0)
        joined = [tf.concat(l, axis) for axis in (0, 1, -1, -2)]
        return l, [tf.stack(l, axis) for axis in (0, 1, 2, -1)], joined, tf.add_n(l)

    items, stacked, joined, total = program(N)
    assert len(items) == 5
    for found, axis in zip(stacked, (0, 1, 2, -1)):
        assert plain(found) == plain(tf.stack(items, axis))
    for found, axis in zip(joined, (0, 1, -1, -2)):
        assert plain(found) == plain(tf.concat(items, axis))
    assert plain(total) == plain(tf.add_n(items))


@pytest.mark.parametrize(
    ("change", "error", "what"),
    [
        (
            lambda l: l.append(tf.constant([1])),
            ValueError,
            r"`l`, which grows in the graph, holds items of shape",
        ),
        (
            lambda l: l.append(tf.constant(1.5)),
            TypeError,
            r"`l`, .* cannot hold one of dtype float",
        ),
        (lambda l: l.append((1, 2)), TypeError, r"`l`, .* holds items like"),
        (lambda l: l.append("s"), TypeError, r"`l`, .* cannot hold one of dtype string"),
        (lambda l: l.__setitem__(slice(2), [1]), TypeError, r"`l`, .* cannot be assigned to by sl"),
        (lambda l: l.__delitem__(slice(2)), TypeError, r"`l`, .* cannot lose slices"),
        (lambda l: l.sort(), AttributeError, r"`l`, .* has no method `sort`"),
        (lambda l: l.nothing(), AttributeError, r"object has no attribute 'nothing'"),
        (lambda l: l + (1,), TypeError, r"unsupported operand"),
        (lambda l: (1,) + l, TypeError, r"unsupported operand|can only concatenate"),
    ],
)
def test_what_it_cannot_do_is_refused_with_its_name(change: Any, error: Any, what: str) -> None:
    def program(n: Any) -> Any:
        l = [1]
        for i in tf.range(n):
            l.append(i)
        change(l)
        return l

    with pytest.raises(error, match=what):
        tf.function(program, autograph=True)(N)


@pytest.mark.parametrize("ask", [bool, len, iter, lambda l: 1 in l, lambda l: l == [1]])
def test_what_only_the_graph_knows_is_not_asked_by_plain_python(ask: Any) -> None:
    @tf.autograph.experimental.do_not_convert
    def plainly(l: Any) -> Any:
        return ask(l)

    with pytest.raises(Exception, match="how many items there are, only the graph knows"):
        tf.function(lambda n: plainly(grown(n)))(N)
