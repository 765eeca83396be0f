"""Statements that may leave a call to the kernels, which then do all of it again.

A plan that writes a result over an argument has none: the argument would be lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.nests.element_kinds import INTEGERS
from graphwright.compile.nests.nest import (
    Clear,
    Copy,
    Element,
    Instruction,
    Multiply,
    Nest,
    Program,
    Scan,
    Statement,
    Straight,
)
from graphwright.compile.verifier.layout import Layout
from graphwright.compile.verifier.plan_rules import PlanRule, Refused, require
from graphwright.ops.core.own_ops import PickIndex, Required

#: Statements that run to their end, unless an element reports.
_STEADY = (Nest, Straight, Clear, Copy, Multiply, Scan)

#: Ops that have no result for some integers: divisors of 0, and negative exponents.
_DIVISIONS = frozenset(
    {
        *("Div", "DivNoNan", "FloorDiv", "FloorMod", "RealDiv", "Reciprocal", "Softsign"),
        *("SoftsignGrad", "SqrtGrad", "TruncateDiv", "TruncateMod", "Xdivy"),
    }
)


def verify_loans(plan: Program, layout: Layout) -> None:
    """Requires that lent arguments are like the results, and that nothing leaves the call."""
    results = [buffer for buffer, _ in plan.results]
    for result, number in plan.reuses:
        one, other = results[result], plan.inputs[number]
        words = f"b{other}, an argument, is lent to b{one}"
        require(results.count(one) == 1, PlanRule.ARGUMENTS, f"{words}, which is two results")
        require(layout.buffers[one].role == "result", PlanRule.ARGUMENTS, f"{words}, which is none")
        same = layout.buffers[one].kind == layout.buffers[other].kind
        shapes = plan.results[result][1], layout.buffers[one].shape, layout.buffers[other].shape
        dims = {tuple([layout.sizes.of(d) for d in shape]) for shape in shapes}
        require(same and len(dims) == 1, PlanRule.ARGUMENTS, f"{words}, which is not alike")
    if plan.reuses:
        for statement in plan.body:
            if may_leave(statement):
                words = "the call may be left, and an argument is written over"
                raise Refused(PlanRule.ARGUMENTS, words, statement)


def may_leave(statement: Statement) -> bool:
    """Whether a statement may leave the call."""
    if not isinstance(statement, _STEADY):
        return True
    if isinstance(statement, Nest):
        return any(may_report(stage.instructions) for stage in statement.stages)
    return isinstance(statement, Straight) and may_report(statement.instructions)


def may_report(instructions: Sequence[Instruction]) -> bool:
    """Whether an element of some instructions may report that it has no result."""
    for x in instructions:
        if isinstance(x, Element):
            kind = instructions[x.operands[0]].kind if x.operands else x.kind
            name = x.op.type_name
            if isinstance(x.op, (PickIndex, Required)) or (name == "Pow" and kind[0] == "i"):
                return True
            if name in _DIVISIONS and kind in INTEGERS:
                return True
    return False
