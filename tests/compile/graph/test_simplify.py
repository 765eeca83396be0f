"""Each rewrite of graphs, by the text of a graph before it and after."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import RULES, simplify
from graphwright.compile.run.options import OPTIONS
from graphwright.ir.text import parse_graph, print_graph
from graphwright.ir.verify import verify

#: What applies -> a graph before it and after, without the line of its name.
REWRITES = {
    "identity(x)": (
        """
        %a = Identity(%x) : float32[2,3]
        %b = StopGradient(%a) : float32[2,3]
        return %b
        """,
        "return %x",
    ),
    "identity(x, y)": (
        """
        %a, %a:1 = IdentityN(%x, %y) : float32[2,3], float32[?,?]
        %b = Identity(%a:1) : float32[?,?]
        return %b, %a
        """,
        "return %y, %x",
    ),
    "reshape(x, its own shape)": (
        """
        %shape = Const{value=literal('int32[2]', [2, 3])}() : int32[2]
        %a = Reshape(%x, %shape) : float32[2,3]
        return %a
        """,
        "return %x",
    ),
    "transpose(transpose(x, p), inverse of p)": (
        """
        %swap = Const{value=literal('int32[2]', [1, 0])}() : int32[2]
        %a = Transpose(%x, %swap) : float32[3,2]
        %b = Transpose(%a, %swap) : float32[2,3]
        return %b
        """,
        "return %x",
    ),
    "-(-x)": (
        """
        %a = Neg(%x) : float32[2,3]
        %b = Neg(%a) : float32[2,3]
        return %b
        """,
        "return %x",
    ),
    "x * 1": (
        """
        %one = Const{value=literal('float32[]', 1.0)}() : float32[]
        %ones = Const{value=literal('float32[1]', [1.0])}() : float32[1]
        %a = Mul(%x, %ones) : float32[2,3]
        %b = Mul(%one, %a) : float32[2,3]
        return %b
        """,
        "return %x",
    ),
    "x - 0": (
        """
        %zero = Const{value=literal('float32[]', 0.0)}() : float32[]
        %a = Sub(%x, %zero) : float32[2,3]
        return %a
        """,
        "return %x",
    ),
    "reduce(x, no axes)": (
        """
        %axes = Const{value=literal('int32[0]', [])}() : int32[0]
        %a = Sum{keep_dims=False}(%x, %axes) : float32[2,3]
        %b = Prod{keep_dims=True}(%a, %axes) : float32[2,3]
        %c = Max{keep_dims=False}(%b, %axes) : float32[2,3]
        %d = Min{keep_dims=False}(%c, %axes) : float32[2,3]
        %e = Mean{keep_dims=False}(%d, %axes) : float32[2,3]
        return %e
        """,
        "return %x",
    ),
    "f(constants)": (
        """
        %two = Const{value=literal('float32[]', 2.0)}() : float32[]
        %a = Mul(%two, %two) : float32[]
        %b = AddV2(%x, %a) : float32[2,3]
        return %b
        """,
        """
        %a = Const{value=literal('float32[]', 4.0)}() : float32[]
        %b = AddV2(%x, %a) : float32[2,3]
        return %b
        """,
    ),
    "equal ops on equal inputs": (
        """
        %a = Exp(%x) : float32[2,3]
        %b = Exp(%x) : float32[2,3]
        %c = AddV2(%a, %b) : float32[2,3]
        return %c
        """,
        """
        %a = Exp(%x) : float32[2,3]
        %c = AddV2(%a, %a) : float32[2,3]
        return %c
        """,
    ),
}

#: Why nothing applies -> a graph that stays as it is.
EXCEPTIONS = {
    "the operand's shape is known only in part": """
        %shape = Shape{out_type=tf.int32}(%y) : int32[2]
        %a = Reshape(%y, %shape) : float32[?,?]
        return %a
        """,
    "the permutations differ": """
        %swap = Const{value=literal('int32[2]', [1, 0])}() : int32[2]
        %a = Transpose(%y, %swap) : float32[?,?]
        %same = Const{value=literal('int32[2]', [0, 1])}() : int32[2]
        %b = Transpose(%a, %same) : float32[?,?]
        return %b
        """,
    "a factor broadcasts": """
        %ones = Const{value=literal('float32[3]', [1.0, 1.0, 1.0])}() : float32[3]
        %a = Mul(%y, %ones) : float32[?,3]
        return %a
        """,
    "a value is negated once, and another op is between": """
        %a = Neg(%x) : float32[2,3]
        %b = Exp(%a) : float32[2,3]
        %c = Neg(%b) : float32[2,3]
        return %c
        """,
    "0 - -0 is no longer 0 without it": """
        %zero = Const{value=literal('float32[]', -0.0)}() : float32[]
        %a = Sub(%x, %zero) : float32[2,3]
        return %a
        """,
    "the kernel refuses the constants, and does so when the graph runs": """
        %zero = Const{value=literal('int32[]', 0)}() : int32[]
        %a = FloorDiv(%zero, %zero) : int32[]
        return %a
        """,
}


def graph_text(body: str) -> str:
    """The text of a graph of two operands with these lines."""
    head = "graph g(%x: float32[2,3], %y: float32[?,?]) {\n"
    return head + textwrap.indent(textwrap.dedent(body).strip("\n"), "  ") + "\n}"


def simplified_text(text: str) -> str:
    """The text of a graph, simplified."""
    graph = simplify(parse_graph(text))
    verify(graph)
    return print_graph(graph)


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite(name: str) -> None:
    before, after = map(graph_text, REWRITES[name])
    assert simplified_text(before) == after


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_what_stays(name: str) -> None:
    text = graph_text(EXCEPTIONS[name])
    assert simplified_text(text) == text


def test_every_rule_of_the_table_has_an_example() -> None:
    examples = [parse_graph(graph_text(before)) for before, _ in REWRITES.values()]
    assert set(RULES) <= {type(node.op) for graph in examples for node in graph.nodes}


def test_a_gradient_of_a_programs_own_leaves_no_node() -> None:
    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        return x * 2.0, lambda slope: slope * 3.0

    function = tf.function(lambda x: doubled(x) + 1.0)
    graph = simplify(function.get_concrete_function(tf.TensorSpec([2])).graph)
    assert [node.op.type_name for node in graph.nodes if node.inputs] == ["Mul", "AddV2"]
    with tf.GradientTape() as tape:
        x = tf.ones([2])
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize("option", ["arithmetic_optimization", "constant_folding"])
def test_an_option_turns_rewrites_off(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "f(constants)" if option == "constant_folding" else "x - 0"
    before, after = map(graph_text, REWRITES[name])
    assert simplified_text(before) == after
    monkeypatch.setitem(OPTIONS, option, False)
    assert simplified_text(before) == before
