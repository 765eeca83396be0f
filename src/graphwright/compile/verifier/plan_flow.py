"""A walk through a plan: branches are joined, loops taken until nothing more changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.compile.verifier.known_memory import Memory, State, meet
from graphwright.compile.verifier.plan_steps import Branch, Item, Read, Repetition, Step


class PlanWalk:
    """A walk."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.statement: Any = None  # where it is
        self.heads: dict[int, State] = {}  # by loop, what held before each turn at the last visit

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
        """What there is after both sides."""
        one, other = [self.block(side, dict(state)) for side in item.sides]
        return meet(one, other)

    def loop(self, item: Repetition, state: State) -> State:
        """What there is after the condition, however many turns were taken.

        A loop is met again in each turn of those around it, with no more than before: it begins
        with what held in its own turns then. So what is nested deeply is not taken over and over.
        """
        state = meet(state, self.heads.get(id(item), state))
        while True:
            after = self.block(item.condition, dict(state))
            end = self.block(item.body, dict(after))
            self.statement = item.statement
            for _, following in item.pairs:
                self.memory.read(Read(following, None), end)
            self.memory.exchange(item, end)
            again = meet(state, end)
            if again == state:
                self.heads[id(item)] = state
                return after
            state = again
