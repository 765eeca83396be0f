"""Graphs that are not well-formed are refused, with the node that is wrong."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.ir.graph import Graph
from graphwright.ir.text import parse_graph
from graphwright.ir.verify import verify, verify_call, verify_structure
from graphwright.types.tensor_type import TensorType

PLAIN = """graph f(%x: float32[2,?], %i: int32[]) {
  %y = AddV2(%x, %x) : float32[2,?]
  %z = Exp(%y) : float32[2,?]
  return %z
}"""


def plain() -> Graph:
    return parse_graph(PLAIN)


def test_what_is_right_passes() -> None:
    verify(plain())
    verify(parse_graph(PLAIN.replace("float32[2,?]\n  return", "float32[?,3]\n  return")))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("%z = Exp(%y)", "%y = Exp(%y)", r"f: y \(Exp\): another node has this name"),
        ("%y = AddV2(%x, %x)", "%y = AddV2(%x, %i)", r"f: y \(AddV2\)"),
        ("%y = AddV2(%x, %x) : float32", "%y = AddV2(%x, %x) : float64", r"y \(AddV2\): its resul"),
        ("Exp(%y) : float32[2,?]", "Exp(%y) : float32[3,?]", r"z \(Exp\): its results .* should"),
        ("Exp(%y) : float32[2,?]", "Exp(%y) : float32[2]", r"z \(Exp\): its results .* should"),
    ],
)
def test_a_wrong_node_is_named(old: str, new: str, message: str) -> None:
    text = PLAIN.replace(old, new)
    if "%z = " not in text:
        text = text.replace("return %z", "return %y")
    with pytest.raises(ValueError, match=message):
        verify(parse_graph(text))


def test_nodes_in_a_wrong_place() -> None:
    graph = plain()
    graph.nodes[-1], graph.nodes[-2] = graph.nodes[-2], graph.nodes[-1]
    with pytest.raises(ValueError, match=r"f: z \(Exp\): y:0 .* is used before it is defined"):
        verify(graph)
    graph = plain()
    graph.nodes.append(graph.nodes[-1])
    with pytest.raises(ValueError, match=r"f: z \(Exp\): it is there twice"):
        verify_structure(graph)
    graph = plain()
    del graph.nodes[-1]
    with pytest.raises(ValueError, match=r"the argument or result .* is not in the graph"):
        verify(graph)
    graph = plain()
    graph.parameters.pop()
    with pytest.raises(ValueError, match=r"f: i \(Placeholder\): it is no argument"):
        verify(graph)
    graph = plain()
    graph.parameters.append(graph.results[0])
    with pytest.raises(ValueError, match=r"the argument .* is no placeholder"):
        verify(graph)


def test_inner_graphs_are_verified() -> None:
    inner = tf.function(lambda x: x * 2.0)
    concrete = tf.function(lambda x: inner(x) + 1.0).get_concrete_function(tf.TensorSpec([2]))
    verify(concrete.graph)
    (body,) = concrete.graph.subgraphs()
    right: set[object] = set()
    verify_structure(concrete.graph, right)
    assert {concrete.graph, body} <= right
    body.nodes.append(body.nodes[-1])
    verify_structure(concrete.graph, right)  # it is known to be right
    with pytest.raises(ValueError, match="it is there twice"):
        verify(concrete.graph)


def test_calls_have_the_arguments_and_results_of_their_graph() -> None:
    matrix, number = TensorType(tf.float32, (2, 3)), TensorType(tf.int32, ())
    verify_call(plain(), [matrix, number])
    verify_call(plain(), [matrix, number], [matrix])
    for operands, results in (
        ([matrix], None),
        ([number, matrix], None),
        ([TensorType(tf.float32, (3, 3)), number], None),
        ([matrix, number], []),
        ([matrix, number], [number]),
    ):
        what = "arguments" if results is None else "results"
        with pytest.raises(ValueError, match=f"the {what} of f are .*, and should be"):
            verify_call(plain(), operands, results)
