"""One element for each key of elements: a state that a function takes through those of the key."""

from __future__ import annotations

import numpy as np

from graphwright.data.blocks import ElementBlock, Row, of_rows
from graphwright.data.element_function import BoundFunction
from graphwright.data.element_type import ElementType
from graphwright.data.stage import UNKNOWN, Cursor, DatasetStage, State, Through

#: So many elements are taken at a time.
_AT_ONCE = 256


class GroupByReducerStage(DatasetStage):
    """What is left of the elements of each key, in the order of the keys."""

    type_name = "GroupByReducerDataset"

    def __init__(
        self, element: ElementType, source: DatasetStage,
        key: BoundFunction, init: BoundFunction, reduction: BoundFunction, final: BoundFunction,
    ) -> None:  # fmt: skip
        super().__init__(element, source)
        self.key, self.init, self.reduction, self.final = key, init, reduction, final
        self.has_effects = any(f.has_effects for f in (key, init, reduction, final))

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return GroupByReducerCursor(self)


class GroupByReducerCursor(Through):
    """The states of the keys so far, and then those that are left."""

    def __init__(self, stage: GroupByReducerStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.limit = 1 if stage.is_observable else _AT_ONCE
        self.states: dict[int, Row] = {}
        #: The keys that are left, from the last to the next, once there are no more elements.
        self.left: list[int] | None = None

    def pull(self, limit: int) -> ElementBlock | None:
        while self.left is None:
            block = self.upstream.pull(self.limit)
            if block is None:
                self.left = sorted(self.states, reverse=True)
            else:
                self.reduce(block)
        rows: list[Row] = []
        while self.left and len(rows) < limit:
            rows.append(self.stage.final(self.states.pop(self.left.pop())))
        return of_rows(rows) if rows else None

    def reduce(self, block: ElementBlock) -> None:
        """Takes the states through elements."""
        while block.count:
            keys = np.array(self.stage.key.of_block(block).columns[0])
            for key in dict.fromkeys(keys.tolist()):
                state = self.states.get(key)
                if state is None:
                    state = self.stage.init([np.array(key, np.int64)])
                part = block.at(np.flatnonzero(keys == key))
                self.states[key], _ = self.stage.reduction.step(state, part)
            block = block.part(len(keys), block.count)

    def save(self) -> State:
        states = [[key, list(state)] for key, state in self.states.items()]
        left = None if self.left is None else list(self.left)
        return {"before": super().save(), "states": states, "left": left}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.states = {key: list(row) for key, row in state["states"]}
        self.left = None if state["left"] is None else list(state["left"])
