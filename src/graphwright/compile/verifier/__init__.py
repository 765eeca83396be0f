"""A verifier of plans: it walks through each finished plan and proves that it is what was lowered.

docs/engineering/plans.md has the rules, by their numbers. The verifier shares no code with the
planner. That gives it, as data, the lowered program, the plan, and the plan's tables of memory.
"""

from __future__ import annotations

from graphwright.base.errors import InternalError
from graphwright.compile.nests.nest import Program, show
from graphwright.compile.verifier.known_memory import WHOLE, Memory, State
from graphwright.compile.verifier.known_scalars import KnownScalars
from graphwright.compile.verifier.layout import Layout
from graphwright.compile.verifier.leaving import verify_loans
from graphwright.compile.verifier.plan_flow import PlanWalk
from graphwright.compile.verifier.plan_rules import PlanRule, Refused, require
from graphwright.compile.verifier.quantities import runs_of
from graphwright.compile.verifier.statement_steps import Statements


def verify(lowered: Program, plan: Program) -> None:
    """InternalError, which names a rule and a statement, unless a plan is what was lowered."""
    for sizes in runs_of(plan):
        walk: Statements | PlanWalk | None = None
        try:
            layout = Layout(lowered, plan, sizes)
            verify_loans(plan, layout)
            walk = statements = Statements(layout)
            items = statements.block(lowered.body, plan.body, KnownScalars())
            walk = flow = PlanWalk(Memory(layout))
            start: State = dict.fromkeys(plan.inputs, WHOLE)
            end = flow.block(items, start)
            flow.statement = None
            verify_results(lowered, plan, flow.memory, end)
        except Refused as refusal:
            statement = refusal.statement
            if statement is None and walk is not None:
                statement = walk.statement
            lines = [] if statement is None else show((statement,), 1)
            message = "\n".join([f"a plan breaks {refusal}", *lines])
            raise InternalError(None, None, message) from refusal


def verify_results(lowered: Program, plan: Program, memory: Memory, end: State) -> None:
    """Refuses a plan whose results are not whole in the end, each in memory of its own."""
    require(lowered.results == plan.results, PlanRule.SAME_PROGRAM, "results are elsewhere")
    for i, (buffer, _) in enumerate(plan.results):
        right = plan.buffers[buffer].role in ("result", "late")
        require(right, PlanRule.RESULTS, f"result {i} is in b{buffer}, which is no result")
        there = memory.is_whole(buffer, end)
        require(there, PlanRule.RESULTS, f"result {i} is not all in b{buffer} in the end")
