"""The text of a graph is read as the same graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.ir.text import parse_graph, parse_type, print_graph, show_type
from graphwright.ir.verify import verify


def looping(x: Any) -> Any:
    for _ in tf.range(3):
        x = tf.cond(tf.reduce_sum(x) > 0.0, lambda x=x: x - 1.0, lambda x=x: x * 2.0)
    return x


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: (x + 1.0) * x,
    "constants": lambda x: x + tf.constant([[1.0, np.nan], [-np.inf, np.inf]]),
    "complex": lambda x: tf.cast(x, tf.complex128) * tf.constant([-1 + 2j, complex("-0-infj")]),
    "strings": lambda x: tf.strings.join([tf.strings.as_string(x), "a, (b", 'c"]']),
    "quotes": lambda x: tf.strings.join([tf.strings.as_string(x), "a  # b", "it's\\", "\n", "e}"]),
    "several results": lambda x: tf.unstack(x, axis=1, num=2),
    "nothing": lambda x: None,
    "an effect": lambda x: tf.debugging.assert_all_finite(x, "not {finite}"),
    "a call": tf.function(lambda x: tf.function(lambda y: tf.exp(y))(x) + x),
    "branches in a loop": tf.function(looping),
    "a switch": lambda x: tf.switch_case(tf.constant(1), [lambda: x, lambda: x * 2.0, lambda: -x]),
}


@pytest.mark.parametrize("shape", [None, [None, 2], [2, 2]])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_text_is_read_as_the_same_graph(name: str, shape: Any) -> None:
    spec = tf.TensorSpec(shape, tf.float32)
    graph = tf.function(PROGRAMS[name]).get_concrete_function(spec).graph
    text = print_graph(graph)
    again = parse_graph(text)
    assert print_graph(again) == text
    verify(again)
    for with_places in (print_graph(graph, locations=True), text.replace("\n", "\n\n")):
        assert print_graph(parse_graph(with_places)) == text


def doubling(depth: int) -> Any:
    """A function that calls one function twice, which does so too, and so on."""
    f = tf.function(lambda x: x + 1.0, autograph=False)
    for _ in range(depth):
        f = tf.function(lambda x, f=f: f(f(x)), autograph=False)
    return f.get_concrete_function(tf.TensorSpec([2])).graph


def test_a_function_that_is_called_twice_is_printed_once() -> None:
    once, twice = (print_graph(doubling(depth)) for depth in (10, 20))
    assert len(twice.splitlines()) < 3 * len(once.splitlines())
    assert once.count(" as #") == once.count(" = #") == 10
    again = parse_graph(once)
    assert print_graph(again) == once
    verify(again)
    graphs = [again]
    while inner := list(dict.fromkeys(graphs[-1].subgraphs())):
        assert len(inner) == 1
        graphs += inner
    assert len(graphs) == 11


def test_a_graph_that_is_not_above_is_refused() -> None:
    text = print_graph(doubling(1)).replace("= #1", "= #2")
    with pytest.raises(ValueError, match=r"line \d+: no graph above is #2"):
        parse_graph(text)


def test_captured_variables_are_read_too() -> None:
    v = tf.Variable([1.0, 2.0])
    text = print_graph(tf.function(lambda x: x + v).get_concrete_function(tf.TensorSpec([2])).graph)
    assert "captures(" in text
    again = parse_graph(text)
    assert print_graph(again) == text
    assert [outside for outside, _ in again.captures] == [None]


@pytest.mark.parametrize(
    "text", ["float32", "float32[]", "int64[2]", "bool[?,3]", "string[?,?]", "complex64[0,1]"]
)
def test_types(text: str) -> None:
    type_ = parse_type(text)
    assert show_type(type_) == text
    name, _, inside = text.partition("[")
    assert type_.dtype.name == name
    rank = None if "[" not in text else len([d for d in inside.rstrip("]").split(",") if d])
    assert type_.rank == rank


GRAPH = """graph f(%x: float32[2]) {
  %y = AddV2(%x, %x) : float32[2]
  return %y
}"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("graph f", "grph f", "line 1: expected `graph name"),
        ("%y = ", "%y : ", "line 2: expected a node, got"),
        ("AddV2", "NoSuchOp", "line 2: there is no op 'NoSuchOp'"),
        ("(%x, %x)", "(%x, %z)", "line 2: %z is not defined before it is used"),
        ("return %y", "return %z", "line 3: %z is not defined"),
        ("AddV2(", "AddV2{a=b c}(", "line 2: attribute 'a=b c'"),
        ("AddV2(%x, %x) : float32[2]", "AddV2(%x, %x", r"unbalanced \(\)"),
        ("\n}", "", "the text ends inside a graph"),
        ("\n}", "\n}\n}", "line 5: text after the graph's end"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, message: str) -> None:
    assert print_graph(parse_graph(GRAPH)) == GRAPH
    assert old in GRAPH
    with pytest.raises(ValueError, match=message):
        parse_graph(GRAPH.replace(old, new))
