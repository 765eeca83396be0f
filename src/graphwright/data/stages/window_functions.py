"""Functions of windows: datasets of the elements of a window, which most often become one batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphwright.data.blocks import ElementBlock
from graphwright.data.columns.graph_runner import DrawingRunner
from graphwright.data.dataset_making import MakeDataset
from graphwright.data.element_function import BoundFunction
from graphwright.data.element_type import ElementType
from graphwright.data.stage import Cursor, DatasetStage, StageFunction, State, kind_of
from graphwright.data.stages.batch_stages import BatchCursor, BatchStage
from graphwright.data.stages.combine_stages import FlatMapCursor, FlatMapStage
from graphwright.data.stages.fixed_stage import FixedStage
from graphwright.data.stages.group_stages import WindowCursor, WindowStage
from graphwright.ir.graph import Graph
from graphwright.ops.core.identity import Identity
from graphwright.types import dtypes as dt

#: The classes of batches that all windows of a block may become.
_BATCHES = "BatchStage", "PaddedBatchStage"
#: The keys of which it is known what becomes of their windows, at most.
_KEYS = 4096


def looks_inside(function: StageFunction) -> bool:
    """Whether a function of datasets may do more than to make other datasets of them."""
    if not isinstance(function, BoundFunction):
        return True
    graph: Graph = function.function.graph
    return any(True for _ in graph.subgraphs()) or any(
        not isinstance(node.op, (Identity, MakeDataset))
        for node in graph.nodes
        if any(value.type.dtype is dt.variant for value in node.inputs)
    )


def is_repeatable(function: BoundFunction) -> bool:
    """Whether a function gives the same for the same: it has no effects, and draws nothing."""
    return not function.has_effects and not isinstance(function.one, DrawingRunner)


class KeyWindows:
    """What functions of keys and windows give for a key, which is the same each time.

    Args:
        reduction: A function of a key and a window.
        size: A function of a key: how many elements make a window.
        element: The type of the elements of windows.
    """

    def __init__(self, reduction: BoundFunction, size: BoundFunction, element: ElementType) -> None:
        self.reduction, self.window_size, self.element = reduction, size, element
        self.is_repeatable = is_repeatable(reduction) and is_repeatable(size)
        self.looks_inside = looks_inside(reduction)
        self.sizes: dict[int, int] = {}
        self.batches: dict[int, BatchCursor | None] = {}
        #: What makes the batches of the last key that was new.
        self.last: BatchCursor | None = None

    def size(self, key: int) -> int:
        """How many elements make a window of a key."""
        size = self.sizes.get(key)
        if size is None:
            size = int(self.window_size([np.array(key, np.int64)])[0])
            if self.is_repeatable:
                self.forget_many(self.sizes)
                self.sizes[key] = size
        return size

    def dataset(self, key: int, window: ElementBlock) -> DatasetStage:
        """The dataset of a window."""
        made: DatasetStage
        (made,) = self.reduction([np.array(key, np.int64), FixedStage(self.element, window)])
        return made

    def batch(self, key: int, count: int) -> BatchCursor | None:
        """What makes the one batch that a window of so many elements becomes; None for others."""
        if not self.is_repeatable or self.looks_inside:
            return None
        if key not in self.batches:
            self.forget_many(self.batches)
            self.batches[key] = self.shared(self.probed(key))
        cursor = self.batches[key]
        if cursor is None or count > cursor.stage.size:
            return None
        is_left_out = cursor.stage.drop_remainder and count < cursor.stage.size
        return None if is_left_out else cursor

    def probed(self, key: int) -> BatchCursor | None:
        """What makes batches of the windows of a key, if the function makes nothing else."""
        made = self.dataset(key, ElementBlock(0, ()))
        if kind_of(made) not in _BATCHES or not isinstance(made, BatchStage):
            return None
        cursor = made.start()
        is_direct = isinstance(made.inputs[0], FixedStage) and isinstance(cursor, BatchCursor)
        return cursor if is_direct and isinstance(cursor, BatchCursor) else None

    def shared(self, cursor: BatchCursor | None) -> BatchCursor | None:
        """The cursor of the key before where that does the same, so that both are known as one."""
        last, mine = self.last, cursor
        if last is not None and mine is not None and last.stage.is_like(mine.stage):
            mine = last
        self.last = mine
        return mine

    @staticmethod
    def forget_many(known: dict[int, int] | dict[int, BatchCursor | None]) -> None:
        """Forgets all keys where there are too many."""
        if len(known) >= _KEYS:
            known.clear()


class WindowBatchesStage(DatasetStage):
    """Windows of which each becomes one batch, all windows of a block at once.

    Args:
        stage: A `flat_map` of windows, which it stands for.
        parts: For each tensor of a batch the part of an element that it comes from.
    """

    def __init__(self, stage: FlatMapStage, windows: WindowStage, parts: Sequence[int]) -> None:
        super().__init__(stage.element, windows.inputs[0])
        self.origin, self.recipe = stage.origin, stage.recipe
        self.stage, self.windows = stage, windows
        self.parts = tuple(parts)
        self.type_name = f"{windows.type_name} + {BatchStage.type_name}"

    def cardinality(self) -> int:
        return self.stage.cardinality()

    def start(self) -> Cursor:
        return WindowBatchesCursor(self)


class WindowBatchesCursor(Cursor):
    """The cursors of windows and of their batches, and a way round them."""

    def __init__(self, stage: WindowBatchesStage) -> None:
        self.windows = WindowCursor(stage.windows)
        self.batches = FlatMapCursor(stage.stage, self.windows)
        self.parts = stage.parts

    def pull(self, limit: int) -> ElementBlock | None:
        block = None if self.batches.inner else self.windows.together(limit)
        if block is None:
            return self.batches.pull(limit)
        return ElementBlock(block.count, tuple([block.columns[part] for part in self.parts]))

    def save(self) -> State:
        return self.batches.save()

    def restore(self, state: State) -> None:
        self.batches.restore(state)

    def close(self) -> None:
        self.batches.close()
