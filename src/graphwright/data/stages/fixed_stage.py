"""Elements that are there already, such as those of a window or of a list."""

from __future__ import annotations

from typing import Any

from graphwright.data.blocks import ElementBlock, of_rows
from graphwright.data.element_type import ElementType
from graphwright.data.stage import Cursor, DatasetStage, State
from graphwright.op.late_imports import late_module


class FixedStage(DatasetStage):
    """Elements that are there already."""

    type_name = "VariantDataset"

    def __init__(self, element: ElementType, block: ElementBlock) -> None:
        super().__init__(element)
        self.block = block

    def saved(self) -> list[Any]:
        """The elements and their type as plain values; UnimplementedError for other types."""
        specs: Any = late_module("graphwright.data.storage.spec_coding")
        return [self.block.saved(), [specs.saved_spec(leaf) for leaf in self.element.leaves]]

    @classmethod
    def restored(cls, state: list[Any]) -> FixedStage:
        """The stage that `saved` described."""
        block, (spec,) = state
        specs: Any = late_module("graphwright.data.storage.spec_coding")
        return cls(ElementType(specs.restored_spec(spec)), ElementBlock.restored(block))

    def cardinality(self) -> int:
        return self.block.count

    def start(self) -> Cursor:
        return FixedCursor(self)


class FixedCursor(Cursor):
    """A place among elements that are there."""

    def __init__(self, stage: FixedStage) -> None:
        self.block = stage.block
        self.place = 0

    def pull(self, limit: int) -> ElementBlock | None:
        start = self.place
        if start == self.block.count:
            return None
        self.place = min(start + limit, self.block.count)
        return self.block.part(start, self.place)

    def save(self) -> State:
        return self.place

    def restore(self, state: State) -> None:
        self.place = state


class ListStage(FixedStage):
    """Elements that a program gave one by one."""

    type_name = "ListDataset"

    def __init__(self, element: ElementType, *arrays: Any, width: int) -> None:
        rows = [arrays[i : i + width] for i in range(0, len(arrays), width)]
        super().__init__(element, of_rows(rows) if rows else ElementBlock(0, ()))
