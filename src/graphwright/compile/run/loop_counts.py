"""How loops count their iterations, and how long those may run until somebody looks again."""

from __future__ import annotations

from typing import Any, NamedTuple

from graphwright.ir.graph import Graph, Node, Value
from graphwright.ops.core.creation import Const
from graphwright.ops.math.arithmetic import AddV2
from graphwright.ops.math.comparison import Less, LogicalAnd


class LoopPatience:
    """How long loops run in Python before they ask for code and wait for it, in seconds.

    No loop waits longer than `patience` times as long as it has run. It would take as long again,
    perhaps, and keep the compiler from the interpreter's lock. Between two looks, each of which
    costs as much as a kernel of small arrays, is a millisecond. A loop whose iterations take longer
    than `drafts` gets no draft: it could not leave that for long. The last number is the time from
    one view to the next.
    """

    asks = 0.02
    waits = 0.04
    patience = 2
    looks = 0.001
    drafts = 0.5
    shows = 0.1


class LoopCount(NamedTuple):
    """How a loop counts: by steps of one size, while a variable is less than an operand."""

    variable: int  # their places among the operands
    limit: int
    step: int

    def left(self, present: Any, limit: Any) -> int:
        """The iterations until the variable is at its limit."""
        return max(-(-(int(limit) - int(present)) // self.step), 0)


def count_of(node: Node, condition: Graph, body: Graph) -> LoopCount | None:
    """How a loop counts, whose simple graphs these are; None if not as `for i in tf.range(n)`."""
    operands, inside = condition.arguments, body.arguments
    for test in conjuncts(condition.results[0]):
        if not isinstance(test.node.op, Less) or not set(test.node.inputs) <= set(operands):
            continue
        variable, limit = map(operands.index, test.node.inputs)
        if variable >= len(body.parameters) or limit < len(body.parameters):
            continue
        following = body.results[variable].node
        if not isinstance(following.op, AddV2) or following.inputs[0] is not inside[variable]:
            continue
        step = following.inputs[1]
        if step in inside[len(body.parameters) :]:
            step = node.inputs[inside.index(step)]
        if isinstance(step.node.op, Const) and (size := int(step.node.op.value.array)) > 0:
            return LoopCount(variable, limit, size)
    return None


def conjuncts(value: Value) -> list[Value]:
    """The truths that hold together where a value is true."""
    if not isinstance(value.node.op, LogicalAnd):
        return [value]
    return [part for operand in value.node.inputs for part in conjuncts(operand)]


def fitting(done: int, seconds: float, span: float) -> int:
    """The iterations that take so long, at most twice as many as those that are done."""
    return max(1, min(int(done * span / seconds) if seconds else 1, 2 * done))
