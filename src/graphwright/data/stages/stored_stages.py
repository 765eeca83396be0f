"""Stages whose elements stay on disk: cache in a file, snapshot, save, load."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
)
from graphwright.base.file_paths import FilePath, file_path
from graphwright.base.forks import cached_property
from graphwright.data.blocks import ElementBlock, Row
from graphwright.data.element_type import ElementType
from graphwright.data.fingerprints import fingerprint
from graphwright.data.stage import Cursor, DatasetStage, StageFunction, State, cursor_of
from graphwright.data.stages.fixed_stage import FixedStage
from graphwright.data.stages.interleave_stages import InterleaveStage
from graphwright.data.stages.map_stages import FunctionCursor
from graphwright.data.storage.shard_stage import StoredShardStage, TypedCursor
from graphwright.data.storage.stores import Manifest, Run, Shard, finalize, manifest_of, run_in
from graphwright.library.io.gfile import makedirs, mkdir
from graphwright.machine.threads import cores
from graphwright.types.arrays import Array


class OneShard:
    """A function of elements that says of each to be in shard 0."""

    has_effects = False

    def __call__(self, arrays: Sequence[Any]) -> Row:
        return [np.array(0, np.int64)]

    def of_block(self, block: ElementBlock) -> ElementBlock:
        """The results for each element."""
        return ElementBlock(block.count, (np.zeros(block.count, np.int64),))


class Itself:
    """A function of a dataset that gives the dataset."""

    has_effects = False

    def __call__(self, arrays: Sequence[Any]) -> Row:
        return list(arrays)


def path_of(path: Array, what: str) -> FilePath:
    """The path that a tensor of string says."""
    if path.shape:
        raise InvalidArgumentError(None, None, f"{what} must be a scalar")
    return file_path(path.item())


def all_shards(stage: DatasetStage, folder: FilePath, manifest: Manifest) -> list[StoredShardStage]:
    """The shards of a whole run."""
    return [StoredShardStage(stage.element, folder / manifest.run, s) for s in manifest.shards]


class StoredStage(DatasetStage):
    """The base of stages with a folder, from which elements come once it is whole.

    `functions` has up to two functions. The first says in which shard an element is, where
    `is_sharded`. The other makes a dataset of a dataset of shards.
    """

    #: Whether somebody else who writes is an error; else elements are handed on.
    excludes = True
    #: Whether an unfinished run is left for a process that resumes it.
    stays = False
    compression = ""

    def __init__(
        self,
        element: ElementType,
        *inputs: DatasetStage,
        functions: Sequence[StageFunction] = (),
        is_sharded: bool = False,
        shards: ElementType | None = None,
    ) -> None:
        super().__init__(element, *inputs)
        self.sharder: Any = functions[0] if is_sharded else OneShard()
        self.reader = functions[-1] if len(functions) > is_sharded else None
        self.shards = shards

    @property
    @abstractmethod
    def folder(self) -> FilePath:
        """Where the elements are."""

    def manifest(self) -> Manifest | None:
        """What is in the folder; None where nothing is whole."""
        return manifest_of(self.folder)

    @property
    def is_observable(self) -> bool:
        return super().is_observable and self.manifest() is None

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def make_folder(self) -> None:
        """Makes the folder, and those above it."""
        makedirs(self.folder)

    def elements(self, manifest: Manifest) -> Cursor:
        """A cursor before the first of the elements that are there."""
        shards = all_shards(self, self.folder, manifest)
        if self.reader is None and len(shards) == 1:
            return cursor_of(shards[0])
        every = FixedStage(self.shards or self.element, ElementBlock(len(shards), (shards,)))
        if self.reader is None:
            cycle, one = np.array(cores()), np.array(1)
            in_turn = InterleaveStage(self.element, every, cycle, one, Itself())
            return cursor_of(in_turn)
        (stage,) = self.reader([every])
        if not isinstance(stage, DatasetStage):
            message = "`reader_func` must return a dataset; it returned a tensor."
            raise InvalidArgumentError(None, None, message)
        return TypedCursor(cursor_of(stage), self.element)

    def start(self) -> Cursor:
        return StoredCursor(self)


class StoredCursor(Cursor):
    """A place in what is there, or in what is written."""

    inner: Cursor
    #: The run that is read; None while one is written.
    run: str | None

    def __init__(self, stage: StoredStage) -> None:
        self.stage = stage
        manifest = stage.manifest()
        self.run = None if manifest is None else manifest.run
        self.inner = WritingCursor(stage) if manifest is None else stage.elements(manifest)

    def pull(self, limit: int) -> ElementBlock | None:
        return self.inner.pull(limit)

    def save(self) -> State:
        return {"run": self.run, "inner": self.inner.save()}

    def restore(self, state: State) -> None:
        self.inner.close()
        self.run = state["run"]
        if self.run is None:
            self.inner = WritingCursor(self.stage)
        else:
            manifest = self.stage.manifest()
            if manifest is None or manifest.run != self.run:
                raise FailedPreconditionError(
                    None, None,
                    f"the iterator was in the elements of {self.stage.folder}, which were removed "
                    "or written anew since it was saved",
                )  # fmt: skip
            self.inner = self.stage.elements(manifest)
        self.inner.restore(state["inner"])

    def close(self) -> None:
        self.inner.close()


class WritingCursor(FunctionCursor):
    """Elements that are computed, written and handed on; what was written is whole at the end."""

    stage: StoredStage

    def __init__(self, stage: StoredStage) -> None:
        super().__init__(stage.inputs[0], stage.sharder)
        self.stage = stage
        self.run: Run | None = None
        self.writes = True
        #: Whether an element had no shard, so what is written is not all.
        self.is_short = False
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        if self.is_over:
            return None
        if self.run is None and self.writes:
            self.begin()
        block = self.take(limit)
        if block is None:
            self.is_over = True
            self.end()
        elif self.run is not None:
            numbers = self.numbers(block)
            block = block.part(0, len(numbers))
            self.write(self.run, numbers, block)
        return block

    def numbers(self, block: ElementBlock) -> Any:
        """The shard of each element up to one that has none."""
        try:
            columns = self.results(block).columns
            numbers: Any = columns[0] if len(columns) == 1 else None
            if getattr(numbers, "dtype", None) != np.int64 or np.ndim(numbers) != 1:
                message = "`shard_func` must return a scalar int64."
                raise InvalidArgumentError(None, None, message)
            return numbers
        except Exception:
            self.is_short = True
            raise

    def begin(self, resumes: tuple[str, list[Shard]] | None = None) -> None:
        """Begins a run, or goes on with one that another process has left."""
        stage = self.stage
        stage.make_folder()
        try:
            self.run = run_in(
                stage.folder, stage.element, stage.compression, resumes=resumes, stays=stage.stays
            )
        except (AlreadyExistsError, NotFoundError):
            if stage.excludes and (resumes is None or stage.stays):
                raise
            self.writes = False
        else:
            finalize(self, self.run)

    def write(self, run: Run, numbers: Array, block: ElementBlock) -> None:
        """Writes elements; what cannot be written ends the run."""
        try:
            run.add(numbers, block)
        except BaseException:
            self.leave_run()
            raise

    def end(self) -> None:
        """Makes the run the one that is whole, if all elements are in it."""
        run = self.run
        if run is None or self.is_short:
            self.leave_run()
            return
        try:
            run.finish()
        finally:
            self.leave_run()

    def leave_run(self) -> None:
        """Lets go of the run; further elements are only handed on."""
        run, self.run, self.writes = self.run, None, False
        if run is not None:
            run.abandon()

    def save(self) -> State:
        run = None if self.run is None else self.run.saved()
        marks = [self.writes, self.is_short, self.is_over]
        return {"function": super().save(), "run": run, "marks": marks}

    def restore(self, state: State) -> None:
        self.leave_run()
        super().restore(state["function"])
        self.writes, self.is_short, self.is_over = state["marks"]
        if state["run"] is None:
            return
        name, shards, waiting = state["run"]
        self.begin((name, [Shard(*shard) for shard in shards]))
        if self.run is not None:
            for number, block in waiting:
                self.run.add_to(number, ElementBlock.restored(block))

    def close(self) -> None:
        self.leave_run()
        super().close()


class FileCacheStage(StoredStage):
    """The elements, which are computed in the first round and kept in a folder."""

    type_name = "CacheDataset"

    def __init__(self, element: ElementType, source: DatasetStage, path: Array) -> None:
        super().__init__(element, source)
        self.path = path_of(path, "filename")

    @property
    def folder(self) -> FilePath:
        return self.path

    def make_folder(self) -> None:
        mkdir(self.path)


class SnapshotStage(StoredStage):
    """The elements, which are computed once for each pipeline and kept in a folder."""

    type_name = "SnapshotDataset"
    excludes = False

    def __init__(
        self,
        element: ElementType,
        source: DatasetStage,
        path: Array,
        *functions: StageFunction,
        compression: str,
        is_sharded: bool,
        shards: ElementType,
    ) -> None:
        super().__init__(element, source, functions=functions, is_sharded=is_sharded, shards=shards)
        self.path = path_of(path, "path")
        self.compression = compression

    @cached_property
    def folder(self) -> FilePath:
        return self.path / fingerprint(self.inputs[0])


class SaveStage(StoredStage):
    """The elements, which are written to a folder as they are taken."""

    type_name = "SaveDatasetV2"

    def __init__(
        self,
        element: ElementType,
        source: DatasetStage,
        path: Array,
        *functions: StageFunction,
        compression: str,
        stays: bool,
    ) -> None:
        super().__init__(element, source, functions=functions, is_sharded=bool(functions))
        self.path = path_of(path, "path")
        self.compression, self.stays = compression, stays

    @property
    def folder(self) -> FilePath:
        return self.path

    def manifest(self) -> Manifest | None:
        return None

    def start(self) -> Cursor:
        return WritingCursor(self)


class LoadStage(StoredStage):
    """The elements that `SaveStage` wrote: those of the run that is whole now."""

    type_name = "LoadDataset"
    reads_when_made = True

    def __init__(
        self, element: ElementType, path: Array, *functions: StageFunction, shards: ElementType
    ) -> None:
        super().__init__(element, functions=functions, shards=shards)
        self.path = path_of(path, "path")
        manifest = manifest_of(self.path)
        if manifest is None:
            raise NotFoundError(None, None, f"Could not find metadata file [{self.path}]")
        self.whole = manifest

    @property
    def folder(self) -> FilePath:
        return self.path

    def manifest(self) -> Manifest:
        return self.whole

    def cardinality(self) -> int:
        return self.whole.elements
