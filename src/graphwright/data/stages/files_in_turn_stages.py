"""The records of several files at the same time, which give one each in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.data.blocks import ElementBlock, Row
from graphwright.data.element_type import ElementType
from graphwright.data.stage import Cursor, DatasetStage
from graphwright.data.stages.file_stages import FileCursor, FileFormat, FileOpener
from graphwright.data.stages.interleave_stages import InterleaveCursor, InterleaveStage
from graphwright.data.threads.calling_threads import CallingThreads
from graphwright.machine.threads import cores
from graphwright.types.arrays import Array


class FilesInTurnStage(InterleaveStage):
    """The records of files: several are open, and give one record each in turn."""

    def __init__(
        self,
        element: ElementType,
        names: DatasetStage,
        cycle: Array,
        *numbers: Any,
        form: type[FileFormat],
    ) -> None:
        one = np.array(1)
        opener = FileOpener(element, form(*numbers))
        super().__init__(element, names, cycle, one, opener)
        self.type_name = form.type_name

    def start(self) -> Cursor:
        return FilesInTurnCursor(self)


class FilesInTurnCursor(InterleaveCursor):
    """The open files, and the turn; threads read ahead in the files."""

    def __init__(self, stage: FilesInTurnStage) -> None:
        self.workers = CallingThreads(min(stage.cycle_length, 2 * cores()))
        super().__init__(stage)

    def enter(self, turn: int, row: Row) -> Cursor:
        cursor = super().enter(turn, row)
        if isinstance(cursor, FileCursor) and self.stage.cycle_length > 1:
            cursor.workers = self.workers
        return cursor

    def pull(self, limit: int) -> ElementBlock | None:
        return self.rounds(limit) or super().pull(limit)

    def rounds(self, limit: int) -> ElementBlock | None:
        """Whole rounds of records that are ready; None if there is none."""
        files = [c for c in self.cursors if isinstance(c, FileCursor)]
        if not files or (len(files) < len(self.cursors) and not self.is_over):
            return None
        width = len(files)
        count = min([limit // width, *[file.ready() for file in files]])
        if not count:
            return None
        before = sum([cursor is not None for cursor in self.cursors[: self.turn]])
        blocks = [file.take(count) for file in files]
        blocks = [*blocks[before:], *blocks[:before]]
        columns = [np.stack(parts, 1).reshape(-1) for parts in zip(*[b.columns for b in blocks])]
        return ElementBlock(count * width, tuple(columns))

    def close(self) -> None:
        super().close()
        self.workers.close()
