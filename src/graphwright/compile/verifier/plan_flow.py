"""A walk through a plan, which joins branches and repeats loops until nothing changes."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.nests.nest import Statement
from graphwright.compile.verifier.known_memory import Memory, State, meet
from graphwright.compile.verifier.plan_steps import Branch, Item, Repetition, Step


class PlanWalk:
    """A walk through the steps of a plan."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.statement: Statement | None = None  # the present one
        self.heads: dict[int, State] = {}  # by loop: the state before each turn of the last visit

    def block(self, items: Sequence[Item], state: State) -> State:
        """The state after a block."""
        for item in items:
            if isinstance(item, Step):
                self.statement = item.statement
                self.memory.run(item, state)
            elif isinstance(item, Repetition):
                state = self.loop(item, state)
            else:
                state = self.branch(item, state)
        return state

    def branch(self, item: Branch, state: State) -> State:
        """The state after either side."""
        one, other = [self.block(side, dict(state)) for side in item.sides]
        return meet(one, other)

    def loop(self, item: Repetition, state: State) -> State:
        """The state after the condition, for any number of turns.

        A loop is met again in each turn of the loops around it, with no more than before. So it
        begins with the state of its own turns then, and deep nests need few turns.
        """
        state = meet(state, self.heads.get(id(item), state))
        while True:
            after = self.block(item.condition, dict(state))
            end = self.block(item.body, dict(after))
            self.memory.exchange(item, end)
            again = meet(state, end)
            if again == state:
                self.heads[id(item)] = state
                return after
            state = again
