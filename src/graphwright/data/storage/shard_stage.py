"""The elements of one file, verified block by block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.file_paths import FilePath, file_path
from graphwright.data.blocks import Column, ElementBlock
from graphwright.data.element_type import ElementType
from graphwright.data.stage import Cursor, DatasetStage, State
from graphwright.data.storage.block_files import HEAD, BlockFile
from graphwright.data.storage.spec_coding import restored_structure, saved_structure
from graphwright.data.storage.stores import Shard, file_of
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import Dims, TensorType, is_compatible


class StoredShardStage(DatasetStage):
    """The elements of one shard of a run, which is a folder."""

    type_name = "SnapshotReaderDataset"

    def __init__(self, element: ElementType, run: FilePath, shard: Shard) -> None:
        super().__init__(element)
        self.run, self.shard = run, shard

    def saved(self) -> list[Any]:
        """Where the elements are, and their type, as plain values."""
        return [str(self.run), list(self.shard), saved_structure(self.element.specs)]

    @classmethod
    def restored(cls, state: list[Any]) -> StoredShardStage:
        """The stage that `saved` described."""
        run, shard, specs = state
        return cls(ElementType(restored_structure(specs)), file_path(run), Shard(*shard))

    def cardinality(self) -> int:
        return self.shard.elements

    def start(self) -> Cursor:
        return TypedCursor(StoredShardCursor(self), self.element)


class StoredShardCursor(Cursor):
    """A place in a file, which is opened when the first element is asked for."""

    def __init__(self, stage: StoredShardStage) -> None:
        self.stage = stage
        self.file: BlockFile | None = None
        #: Where the present block begins, and how many elements are before it; then the next.
        self.block_start = self.next = (HEAD, 0)
        self.block: ElementBlock | None = None
        self.place = 0
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        while self.block is None or self.place >= self.block.count:
            if self.is_over or not self.advance():
                return None
        start, self.place = self.place, min(self.place + limit, self.block.count)
        return self.block.part(start, self.place)

    def advance(self) -> bool:
        """Reads the next block; False at the end, and behind an error."""
        self.is_over = True
        if self.block is not None:
            self.block_start, self.block, self.place = self.next, None, 0
        offset, before = self.block_start
        stage = self.stage
        if before >= stage.shard.elements:
            self.close()
            return False
        if self.file is None:
            self.file = BlockFile(
                file_of(stage.run, stage.shard.number), stage.run.name, stage.shard.size
            )
        self.block, end = self.file.block_at(offset, before)
        self.next = (end, before + self.block.count)
        self.is_over = False
        return True

    def save(self) -> State:
        return [*self.block_start, self.place, self.is_over]

    def restore(self, state: State) -> None:
        self.close()
        offset, before, self.place, self.is_over = state
        self.block_start, self.block = (offset, before), None

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None


class TypedCursor(Cursor):
    """The elements of another cursor, of which each is of a type; an error for one that is not."""

    def __init__(self, inner: Cursor, element: ElementType) -> None:
        self.inner = inner
        self.types = element.types
        self.rest: ElementBlock | None = None

    def pull(self, limit: int) -> ElementBlock | None:
        block, self.rest = self.rest, None
        if block is None:
            block = self.inner.pull(limit)
        if block is None:
            return None
        place, words = misfit(block.columns, self.types)
        stop = min(place if words else block.count, limit)
        if stop < block.count:
            self.rest = (
                block.part(max(stop, 1), block.count) if max(stop, 1) < block.count else None
            )
        if not stop:
            raise InvalidArgumentError(None, None, words)
        return block.part(0, stop)

    def save(self) -> State:
        rest = None if self.rest is None else self.rest.saved()
        return {"inner": self.inner.save(), "rest": rest}

    def restore(self, state: State) -> None:
        self.inner.restore(state["inner"])
        rest = state["rest"]
        self.rest = None if rest is None else ElementBlock.restored(rest)

    def close(self) -> None:
        self.inner.close()


def misfit(columns: Sequence[Column], types: Sequence[TensorType]) -> tuple[int, str]:
    """The place of the first element that is of another type, and why; no words for none."""
    if len(columns) != len(types):
        parts = f"an element of {len(types)} parts, but got {len(columns)}"
        return 0, f"Number of components mismatch: expected {parts}."
    misfits = [
        (place, f"{words[0]} at component {number}: {words[1]}.")
        for number, (values, type_) in enumerate(zip(columns, types))
        for place, words in [first_misfit(values, type_)]
        if words
    ]
    return min(misfits, default=(0, ""))


def first_misfit(values: Column, type_: TensorType) -> tuple[int, tuple[str, str] | None]:
    """The place of the first value of another type, and what is said of it."""
    if isinstance(values, np.ndarray):
        return 0, unlike(values, values.shape[1:], type_)
    for place, value in enumerate(values):
        words = unlike(value, getattr(value, "shape", ()), type_)
        if words:
            return place, words
    return 0, None


def unlike(value: object, shape: tuple[int, ...], type_: TensorType) -> tuple[str, str] | None:
    """What differs between an array of elements of a shape, or a stage, and a type."""
    dtype = dt.of_numpy(value.dtype) if isinstance(value, np.ndarray) else dt.variant
    if dtype is not type_.dtype:
        return "Data type mismatch", f"expected {type_.dtype.name} but got {dtype.name}"
    dims = type_.dims
    if dims is None or is_compatible(shape, dims):
        return None
    return "Incompatible shapes", f"expected {shown(dims)} but got {shown(shape)}"


def shown(dims: Dims) -> str:
    """A shape in brackets."""
    return f"[{','.join('?' if size is None else str(size) for size in dims)}]"
