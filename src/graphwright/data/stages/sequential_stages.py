"""Stages that call a function for one element after another: take_while and scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphwright.data.blocks import ElementBlock, Row
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    Cursor,
    DatasetStage,
    FunctionStage,
    State,
    Through,
)
from graphwright.data.stages.map_stages import (
    FunctionCursor,
    MapStage,
)

if TYPE_CHECKING:
    from graphwright.data.element_function import BoundFunction


class TakeWhileStage(FunctionStage):
    """The elements before the first for which a function is false."""

    type_name = "TakeWhileDataset"
    function: BoundFunction

    def start(self) -> Cursor:
        return TakeWhileCursor(self)


class TakeWhileCursor(Through):
    """The elements while the function is true."""

    def __init__(self, stage: TakeWhileStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        # One by one: no element after the end may be taken.
        if self.is_over:
            return None
        block = self.upstream.pull(1)
        if block is None or not self.stage.function(block.row(0))[0]:
            self.is_over = True
            return None
        return block

    def save(self) -> State:
        return {"before": super().save(), "is_over": self.is_over}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.is_over = state["is_over"]


class ScanStage(MapStage):
    """The results of a function of a state and each element, which also returns the next state."""

    type_name = "ScanDataset"

    def __init__(self, element: ElementType, source: DatasetStage, *rest: Any, width: int) -> None:
        *initial, function = rest
        super().__init__(element, source, function)
        self.initial: Row = list(initial)
        self.width = width

    def start(self) -> Cursor:
        return ScanCursor(self)


class ScanCursor(FunctionCursor):
    """The state so far."""

    def __init__(self, stage: ScanStage) -> None:
        super().__init__(stage.inputs[0], stage.function)
        self.state = stage.initial

    def pull(self, limit: int) -> ElementBlock | None:
        block = self.take(limit)
        if block is None:
            return None
        try:
            self.state, results = self.function.step(self.state, block)
        except Exception:
            if block.count == 1:
                raise
            # One by one: results before the error come first, and the state has not changed.
            self.leave(block, 1)
            self.state, results = self.function.step(self.state, block.part(0, 1))
        return results

    def save(self) -> State:
        return {"before": super().save(), "state": self.state}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.state = state["state"]
