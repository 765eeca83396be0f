"""A simple node is placed right before its reader, and nothing else changes its place."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from support.tiers import normal

import graphwright as tf
from graphwright.compile.graph.accumulate import uses_of
from graphwright.compile.nests.element_kinds import SIMPLE
from graphwright.compile.nests.node_order import placing_order
from graphwright.ir.graph import Graph, Node
from graphwright.op.op import Op
from graphwright.ops.core.creation import Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.ops.math.arithmetic import AddV2, Mul, Neg
from graphwright.ops.math.transcendental import Exp
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

VECTOR = TensorType(dt.float32, (3,))
OPS: list[tuple[type[Op], int]] = [(AddV2, 2), (Mul, 2), (Neg, 1), (Exp, 1), (Identity, 1)]


def random_graph(seed: int) -> Graph:
    """A graph of 40 nodes over two arguments, of which half of the values are read soon."""
    choose, graph = random.Random(seed), Graph("random")
    graph.parameters = [graph.placeholder(VECTOR, "x") for _ in range(2)]
    values = list(graph.parameters)
    for _ in range(40):
        op, count = choose.choice(OPS)
        pool = choose.choice([values, values[-4:], graph.parameters])
        inputs = tuple([choose.choice(pool) for _ in range(count)])
        values += graph.add(op.of(), inputs, (VECTOR,)).outputs
    graph.results = choose.sample(values, 3)
    return graph


def may_move(node: Node, graph: Graph) -> bool:
    """Whether a node may be placed later, by the definition alone."""

    def is_present(other: Node) -> bool:
        if isinstance(other.op, Identity):
            return is_present(other.inputs[0].node)
        return isinstance(other.op, Placeholder) or may_move(other, graph)

    (value,) = node.outputs
    readers = [n for n in graph.nodes for v in n.inputs if v is value]
    if node.op.type_name not in SIMPLE or value in graph.results or len(readers) != 1:
        return False
    return readers[0].op.type_name in SIMPLE and all(is_present(v.node) for v in node.inputs)


@pytest.mark.parametrize("seed", range(30))
def test_nodes_move_to_their_only_readers(seed: int) -> None:
    graph = random_graph(seed)
    order = placing_order(graph.nodes, uses_of(graph))
    assert set(order) == set(graph.nodes)
    assert len(order) == len(graph.nodes)
    places = {node: i for i, node in enumerate(order)}
    assert all(places[v.node] < places[node] for node in order for v in node.inputs)
    staying = [node for node in graph.nodes if not may_move(node, graph)]
    assert [node for node in order if node in set(staying)] == staying
    ends: dict[Node, Node] = {}  # of each node: the one that stays, for which it is computed
    for node in reversed(order):
        readers = [n for n in graph.nodes if any(v.node is node for v in n.inputs)]
        ends[node] = ends[readers[0]] if may_move(node, graph) else node
    assert [ends[node] for node in order] == sorted(ends.values(), key=lambda n: places[n])


def wave(start: Any) -> Any:
    now = before = start
    for _ in tf.range(3):
        inner = now[:-2, 1:-1] + now[2:, 1:-1] - 2.0 * now[1:-1, 1:-1]
        now, before = 2.0 * now - before + 0.2 * tf.pad(inner, [[1, 1], [1, 1]]), now
    return now


def test_what_is_read_after_other_loops_is_computed_there() -> None:
    x = normal(40, 40)
    text = str(tf.function(wave).experimental_get_compiler_ir(x)(stage="nests"))
    turn = text[text.index("while ") :].split("\nnest")[0]
    assert len(re.findall(r"nest \[40, 40\]", turn)) == 1
    native, kernels = [tf.function(wave, jit_compile=jit)(x) for jit in (True, False)]
    np.testing.assert_allclose(native, kernels, rtol=1e-5, atol=1e-5)
