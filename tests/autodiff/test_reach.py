"""What a branch or a loop needs: its condition, what effects use, and what results come from."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf
from graphwright.compile.graph.prune import serving
from graphwright.control.branch import BranchingOp
from graphwright.control.loop import StatelessWhile
from graphwright.op.needs import members

SCALAR = tf.TensorSpec([], tf.float32)


def node_of(function: Any, *types: Any) -> Any:
    """The one branch or loop of a function."""
    graph = tf.function(function).get_concrete_function(*types).graph
    [node] = [n for n in graph.nodes if isinstance(n.op, (BranchingOp, StatelessWhile))]
    return node


def name_of(value: Any) -> str:
    """A value's name, without its number."""
    return str(value.name).partition(":")[0]


def named(node: Any, numbers: list[int]) -> set[str]:
    """The names of some inputs."""
    return {name_of(node.inputs[i]) for i in numbers}


@pytest.mark.parametrize("order", ["xyz", "zyx", "yxz"])
def test_effects_of_a_branch_need_what_they_write_and_results_what_they_are_made_of(
    order: str,
) -> None:
    variable = tf.Variable(1.0, name="v")

    def f(c: Any, x: Any, y: Any, z: Any) -> Any:
        given = {"x": x, "y": y, "z": z}

        def side() -> Any:
            parts = {name: given[name] * 2.0 for name in order}  # captured in this order
            variable.assign(parts["x"])
            return parts["y"], parts["z"]

        return tf.cond(c, side, lambda: (y, z))

    node = node_of(f, tf.TensorSpec([], tf.bool), SCALAR, SCALAR, SCALAR)
    needs = node.op.needs()
    handle = next(name_of(v) for v in node.inputs if v.type.dtype is tf.resource)
    assert named(node, members(needs.effects)) == {"c", "x", handle}
    assert [named(node, members(own)) for own in needs.results[:2]] == [{"y"}, {"z"}]
    assert named(node, serving(node.op, [1])[1]) == {"c", "x", handle, "z"}


def test_a_variable_of_a_loop_needs_what_its_next_value_needs() -> None:
    def f(x: Any, y: Any, z: Any) -> Any:
        return tf.while_loop(
            lambda i, *_: i < 3, lambda i, a, b, c: (i + 1, a + b, b, c + a), (0, x, y, z)
        )

    node = node_of(f, SCALAR, SCALAR, SCALAR)
    places = {name_of(value): i for i, value in enumerate(node.inputs)}
    outputs, inputs = serving(node.op, [places["x"]])
    assert {places["x"], places["y"]} <= set(inputs)
    assert places["z"] not in inputs
    assert places["z"] not in outputs
