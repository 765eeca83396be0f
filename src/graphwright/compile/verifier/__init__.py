"""A verifier of plans: it walks through each finished one and proves that it does what was lowered.

docs/engineering/plans.md has the rules, by their numbers. No code is shared with what makes plans;
from that come, as data, the program as it was lowered, the plan, and what it says of memory.
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
    """InternalError, which names a rule and a statement, unless a plan does what was lowered."""
    for sizes in runs_of(plan):
        walk: Statements | PlanWalk | None = None
        try:
            layout = Layout(lowered, plan, sizes)
            verify_loans(plan, layout)
            walk = statements = Statements(layout)
            items = statements.block(lowered.body, plan.body, KnownScalars())
            walk = flow = PlanWalk(Memory(layout))
            given: State = dict.fromkeys(plan.inputs, WHOLE)
            left = flow.block(items, given)
            flow.statement = None
            verify_results(lowered, plan, flow.memory, left)
        except Refused as refusal:
            statement = refusal.statement
            if statement is None and walk is not None:
                statement = walk.statement
            lines = [] if statement is None else show((statement,), 1)
            message = "\n".join([f"a plan breaks {refusal}", *lines])
            raise InternalError(None, None, message) from refusal


def verify_results(lowered: Program, plan: Program, memory: Memory, left: State) -> None:
    """All results are there in the end, each in memory that is its own."""
    require(lowered.results == plan.results, PlanRule.SAME_PROGRAM, "results are elsewhere")
    for i, (buffer, _) in enumerate(plan.results):
        right = plan.buffers[buffer].role in ("result", "late")
        require(right, PlanRule.RESULTS, f"result {i} is in b{buffer}, which is no result")
        there = memory.is_whole(buffer, left)
        require(there, PlanRule.RESULTS, f"result {i} is not all in b{buffer} in the end")
