"""Stages whose elements are computed in the first round, and stored for the others."""

from __future__ import annotations

from typing import Any

from graphwright.base.forks import own_lock
from graphwright.data.blocks import ElementBlock, joined
from graphwright.data.element_type import ElementType
from graphwright.data.stage import Cursor, DatasetStage, State, cursor_of
from graphwright.op.late_imports import late_module
from graphwright.types.arrays import Array

#: Blocks of a cache become one up to so many bytes.
_TOGETHER = 1 << 26


class CacheMemory:
    """The elements of a cache, once a round has come to its end."""

    def __init__(self) -> None:
        self.blocks: list[ElementBlock] | None = None
        self.lock = own_lock(self)


def in_few(blocks: list[ElementBlock]) -> list[ElementBlock]:
    """Blocks, of which neighbours stand side by side as long as they are small."""
    sizes: Any = late_module("graphwright.data.tuning.buffer_sizes")
    few: list[ElementBlock] = []
    parts: list[ElementBlock] = []
    size = 0
    for block in blocks:
        mine = sizes.bytes_of(block)
        if parts and size + mine > _TOGETHER:
            few.append(joined(parts))
            parts, size = [], 0
        parts.append(block)
        size += mine
    return [*few, joined(parts)] if parts else few


class MemoryCacheStage(DatasetStage):
    """The elements, which are computed in the first round and stored for the others."""

    type_name = "CacheDataset"
    scalars = ("filename",)

    def __init__(self, element: ElementType, source: DatasetStage) -> None:
        super().__init__(element, source)
        self.memory = CacheMemory()

    @property
    def is_observable(self) -> bool:
        return self.memory.blocks is None and super().is_observable

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self) -> Cursor:
        return MemoryCacheCursor(self)


class MemoryCacheCursor(Cursor):
    """A position among the stored elements, or in the first round."""

    def __init__(self, stage: MemoryCacheStage) -> None:
        self.stage = stage
        self.blocks = stage.memory.blocks
        self.upstream = cursor_of(stage.inputs[0]) if self.blocks is None else None
        self.seen: list[ElementBlock] = []
        self.number = self.place = 0

    def pull(self, limit: int) -> ElementBlock | None:
        if self.blocks is None:
            return self.first_round(limit)
        if self.number == len(self.blocks):
            return None
        block, start = self.blocks[self.number], self.place
        self.place = min(start + limit, block.count)
        part = block.part(start, self.place)
        if self.place == block.count:
            self.number, self.place = self.number + 1, 0
        return part

    def first_round(self, limit: int) -> ElementBlock | None:
        """Computes elements, and stores them once there are all."""
        assert self.upstream is not None
        block = self.upstream.pull(limit)
        if block is None:
            memory = self.stage.memory
            with memory.lock:
                if memory.blocks is None:
                    memory.blocks = in_few(self.seen)
        else:
            self.seen.append(block)
        return block

    def save(self) -> State:
        if self.upstream is None:
            assert self.blocks is not None
            return {"blocks": [b.saved() for b in self.blocks], "at": [self.number, self.place]}
        return {"seen": [b.saved() for b in self.seen], "before": self.upstream.save()}

    def restore(self, state: State) -> None:
        if "blocks" in state:
            self.blocks = [ElementBlock.restored(block) for block in state["blocks"]]
            self.number, self.place = state["at"]
            self.stage.memory.blocks = self.blocks
            return
        self.blocks, self.upstream = None, cursor_of(self.stage.inputs[0])
        self.seen = [ElementBlock.restored(block) for block in state["seen"]]
        self.upstream.restore(state["before"])

    def close(self) -> None:
        if self.upstream is not None:
            self.upstream.close()


class CacheStage(MemoryCacheStage):
    """The elements, which are kept in memory, or in the folder of a name that is not empty."""

    def __init__(self, element: ElementType, source: DatasetStage, path: Array) -> None:
        super().__init__(element, source)
        #: The stage whose elements stay in the folder.
        self.stored: DatasetStage | None = None
        if path[()]:
            stages: Any = late_module("graphwright.data.stages.stored_stages")
            self.stored = stages.FileCacheStage(element, source, path)

    @property
    def is_observable(self) -> bool:
        return super().is_observable if self.stored is None else self.stored.is_observable

    def start(self) -> Cursor:
        return MemoryCacheCursor(self) if self.stored is None else self.stored.start()
