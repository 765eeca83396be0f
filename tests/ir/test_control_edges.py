"""Effects on one resource, and those on the world, stay in the order of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import graphwright as tf
from graphwright.ir.control_edges import control_inputs, order_of
from graphwright.ir.graph import Graph, Node

V, W = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])


def reads_and_writes(x: Any) -> Any:
    a = V.read_value()
    W.assign(a)
    b = V.read_value() + W.read_value()
    V.assign(x)
    V.assign_add(b)
    return V.read_value() * W.read_value()


def prints(x: Any) -> Any:
    tf.print("one")
    y = V.read_value() + x
    tf.print("two", y)
    return y


def branch(x: Any) -> Any:
    before = V.read_value()
    tf.cond(x[0] > 0.0, lambda: V.assign_add(x), lambda: W.read_value() + 0.0)
    after = V.read_value()
    W.assign(after)
    return before + W.read_value()


def call(x: Any) -> Any:
    inner = tf.function(lambda y: V.assign(y + W))
    inner(x)
    inner(V.read_value())
    return V.read_value()


def nothing(x: Any) -> Any:
    return x + 1.0


#: For each node with effects, what it reads and what it writes; `.` is the world.
PROGRAMS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "reads and writes": (reads_and_writes, "v W v w V V v w"),
    "prints": (prints, ". v ."),
    "a branch": (branch, "v Vw v W w"),
    "a call": (call, "Vw v Vw v"),
    "nothing": (nothing, ""),
}


def graph_of(name: str) -> tuple[Graph, list[Node], list[str]]:
    function, touched = PROGRAMS[name]
    graph = tf.function(function).get_concrete_function(tf.TensorSpec([2])).graph
    return graph, list(control_inputs(graph)), touched.split()


def in_conflict(one: str, other: str) -> bool:
    if one == other == ".":
        return True
    pairs = [(a, b) for a in one for b in other if a.lower() == b.lower()]
    return any(a.isupper() or b.isupper() for a, b in pairs)


def all_before(node: Node, edges: dict[Node, list[Node]]) -> Iterator[Node]:
    for earlier in [*edges.get(node, ()), *[value.node for value in node.inputs]]:
        yield earlier
        yield from all_before(earlier, edges)


@pytest.mark.parametrize("name", PROGRAMS)
def test_effects_that_meet_are_ordered_and_no_others(name: str) -> None:
    graph, effects, touched = graph_of(name)
    edges = control_inputs(graph)
    assert len(effects) == len(touched), [n.op.type_name for n in effects]
    assert effects == [node for node in graph.nodes if node in edges]
    for i, node in enumerate(effects):
        reached = set(all_before(node, edges))
        for j, earlier in enumerate(effects[:i]):
            if in_conflict(touched[i], touched[j]):
                assert earlier in reached, (node.name, earlier.name)
            else:
                assert earlier not in edges[node], (node.name, earlier.name)
        assert not {value.node for value in node.inputs} & set(edges[node])
        assert len(edges[node]) == len(set(edges[node]))


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_come_after_all_effects(name: str) -> None:
    graph, effects, _ = graph_of(name)
    order = order_of(graph)
    assert order.effects == effects
    (result,) = graph.results
    if not effects:
        assert order.barrier is None
        assert result.node not in order.before
    else:
        assert order.barrier is not None
        assert order.before[result.node] == [order.barrier]
        assert order.before[order.barrier] == effects
        assert order.barrier.name == "NoOp"


def test_the_barrier_has_a_name_of_its_own() -> None:
    def program(x: Any) -> Any:
        for name in ("NoOp", "NoOp_1", "more"):
            x = tf.identity(V + x, name=name)
        return x

    graph = tf.function(program).get_concrete_function(tf.TensorSpec([2])).graph
    barrier = order_of(graph).barrier
    assert barrier is not None
    assert barrier.name == "NoOp_2"
