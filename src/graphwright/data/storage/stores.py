"""Folders of elements: runs of files, and the manifest that says which run is whole.

A writer makes a folder for its run, under a lock, and then the manifest, at once. Until then
readers see the run before. The next writer removes a run that its writer has left.

Where fsspec reaches, nothing is locked: each writer makes a run, and the manifest names that of the
last one to end. No run is removed there that was whole once.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

import numpy as np

from graphwright.base.errors import (
    AlreadyExistsError,
    DataLossError,
    FailedPreconditionError,
    NotFoundError,
    UnimplementedError,
)
from graphwright.base.file_paths import FilePath, RemotePath, file_path
from graphwright.base.files import LockFile, PathLike, TextPath
from graphwright.base.named_tuples import NamedTuple
from graphwright.data.blocks import ElementBlock, joined
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.element_type import ElementType
from graphwright.data.storage.block_files import head, record
from graphwright.data.storage.spec_coding import restored_structure, saved_structure
from graphwright.library.io.gfile import makedirs
from graphwright.library.io.records import framed, split
from graphwright.ops.io.file_system import failed
from graphwright.types.arrays import Array

MANIFEST, LOCK, TYPE = "manifest", "lock", "type"
_RUN = re.compile(r"run-[0-9a-f]{16}")

#: A block is written once it has so many bytes or elements. So memory for it comes from the heap,
#: and lies in a processor's cache while it is verified.
_BYTES = 1 << 18
_MOST = 1 << 14
#: So many bytes may wait in all shards together.
_WAITING = 1 << 23


class Shard(NamedTuple):
    """A file of elements."""

    #: What the shard function said.
    number: int
    #: How many elements and bytes it has.
    elements: int
    size: int


class Manifest(NamedTuple):
    """What a folder says of the run that is whole."""

    run: str
    #: The structure of specs, as `saved_structure` gives it; None where it has no such form.
    spec: Any
    shards: tuple[Shard, ...]

    @property
    def elements(self) -> int:
        """How many elements there are."""
        return sum([shard.elements for shard in self.shards])


@contextmanager
def refusing(path: FilePath) -> Iterator[None]:
    """Has errors of the system become those of `tf.errors`, with a path."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        raise FailedPreconditionError(None, None, f"{path} is not a directory") from error
    except OSError as error:
        raise failed(error, path) from error


def text_of(path: FilePath) -> bytes | None:
    """The record that a file has; None where there is no file. DataLossError for a damaged one."""
    try:
        data = path.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise failed(error, path) from error
    records, size, _, _ = split(data)
    if len(records) != 1 or size != len(data):
        raise DataLossError(None, None, f"{path}: corrupted record at 0")
    return records[0]


def announce_type(folder: FilePath, element: ElementType) -> None:
    """Says of what type the elements will be that a function being traced will save."""
    makedirs(folder)
    with refusing(folder):
        (folder / TYPE).write(framed(json.dumps(spec_of(element)).encode()), durable=True)


def type_of(folder: FilePath) -> Any:
    """The structure of specs of the elements that are there, or are announced; None for neither.

    DataLossError where it has another form, NotFoundError where it has none.
    """
    text = text_of(folder / TYPE)
    if text is None:
        manifest = manifest_of(folder)
        if manifest is None:
            return None
        spec = manifest.spec
    try:
        spec = spec if text is None else json.loads(text)
        if spec is not None:
            return restored_structure(spec)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise DataLossError(None, None, f"{folder}: no type of elements: {error}") from error
    raise NotFoundError(
        None, None,
        f"the type of the elements of {folder} has no form on disk: give `element_spec`",
    )  # fmt: skip


def manifest_of(folder: TextPath) -> Manifest | None:
    """What a folder says of its whole run; None where there is none.

    DataLossError where the manifest is damaged.
    """
    path = file_path(folder) / MANIFEST
    text = text_of(path)
    if text is None:
        return None
    try:
        entries = json.loads(text)
        shards = [Shard(*map(int, shard)) for shard in entries["shards"]]
        if _RUN.fullmatch(entries["run"]) and all(min(s.elements, s.size) >= 0 for s in shards):
            return Manifest(entries["run"], entries["spec"], tuple(shards))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise DataLossError(None, None, f"{path}: no manifest at 0: {error}") from error
    raise DataLossError(None, None, f"{path}: no manifest at 0")


def file_of(run: PathLike, number: int) -> FilePath:
    """The file of a shard."""
    return file_path(run) / f"shard{number}"


class UnwrittenElements:
    """Elements of a shard that are not in its file yet."""

    def __init__(self) -> None:
        self.blocks: list[ElementBlock] = []
        self.count = self.size = 0

    def add(self, block: ElementBlock) -> int:
        """Adds elements; says how many bytes they have."""
        size = size_of(block)
        self.blocks.append(block)
        self.count += block.count
        self.size += size
        return size


class Run:
    """A run that is written: a folder of shards, and the lock of the folder around it.

    Args:
        folder: The folder around it, which is made with those above it.
        compression: The name of one; plain blocks for others.
        resumes: The name of a run that another process has left, and its shards then.
        stays: Whether the files stay where the run is not brought to its end, to be resumed.
    """

    def __init__(
        self,
        folder: FilePath,
        element: ElementType,
        compression: str,
        *,
        resumes: tuple[str, list[Shard]] | None = None,
        stays: bool = False,
    ) -> None:
        self.folder, self.element, self.compression = folder, element, compression
        self.stays = stays
        self.process = os.getpid()
        self.name, shards = resumes or (f"run-{os.urandom(8).hex()}", [])
        self.path = folder / self.name
        #: What is in the files, and how many blocks.
        self.shards = {shard.number: shard for shard in shards}
        self.waiting: dict[int, UnwrittenElements] = {}
        self.size = 0
        self.lock = LockFile(folder / LOCK)
        with refusing(folder):
            self.exclude()
        try:
            with refusing(folder):
                self.begin(resumes is not None)
        except BaseException:
            self.lock.release()
            raise

    def exclude(self) -> None:
        """Excludes other writers; AlreadyExistsError where there is one."""
        if not self.lock.acquire():
            raise AlreadyExistsError(
                None, None,
                f"another iterator is writing the elements of {self.folder}: it has the lock "
                f"{self.lock.path}. Go on when it is at its end, or use another path.",
            )  # fmt: skip

    def begin(self, resumes: bool) -> None:
        """Makes the folder, or cuts its files to what they had; removes what others have left."""
        if resumes:
            for shard in self.shards.values():
                path = file_of(self.path, shard.number)
                if path.status()[0] < shard.size:
                    raise FileNotFoundError(2, "it has less than was written", str(path))
                os.truncate(path, shard.size)
        manifest = manifest_of(self.folder)
        for name in self.folder.names():
            if _RUN.fullmatch(name) and name not in (self.name, manifest and manifest.run):
                shutil.rmtree(self.folder / name, ignore_errors=True)
        os.makedirs(self.path, exist_ok=resumes)

    def add(self, numbers: Array, block: ElementBlock) -> None:
        """Adds elements, each to the shard with its number."""
        if (numbers == numbers[0]).all():
            self.add_to(int(numbers[0]), block)
            return
        for number in np.unique(numbers).tolist():
            self.add_to(number, block.at(np.flatnonzero(numbers == number)))

    def add_to(self, number: int, block: ElementBlock) -> None:
        """Adds elements to a shard."""
        waiting = self.waiting.setdefault(number, UnwrittenElements())
        self.size += waiting.add(block)
        if waiting.size >= _BYTES or waiting.count >= _MOST:
            self.write(number)
        elif self.size >= _WAITING:
            self.write(max(self.waiting, key=lambda n: self.waiting[n].size))

    def write(self, number: int) -> None:
        """Writes what waits in a shard, in blocks of about equal size."""
        waiting = self.waiting.pop(number)
        self.size -= waiting.size
        block = joined(waiting.blocks)
        parts = max(1, round(waiting.size / _BYTES))
        step = -(-block.count // parts)
        for start in range(0, block.count, step):
            self.write_block(number, block.part(start, start + step))

    def write_block(self, number: int, block: ElementBlock) -> None:
        """Adds a block to the file of a shard."""
        shard = self.shards.get(number, Shard(number, 0, 0))
        data = record(block, shard.elements, self.compression)
        if not shard.size:
            data = head(self.name) + data
        with refusing(self.path):
            self.append(number, data)
        self.shards[number] = Shard(number, shard.elements + block.count, shard.size + len(data))

    def append(self, number: int, data: bytes) -> None:
        """Adds bytes to the file of a shard."""
        with file_of(self.path, number).opened("ab") as file:
            file.write(data)

    def settle(self) -> None:
        """Waits until the files are on the disk."""
        for number in self.shards:
            descriptor = os.open(file_of(self.path, number), os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def finish(self) -> Manifest:
        """Writes what waits, and makes the run the one that is whole."""
        for number in list(self.waiting):
            self.write(number)
        shards = sorted(self.shards.values(), key=lambda shard: shard.number % (1 << 64))
        manifest = Manifest(self.name, spec_of(self.element), tuple(shards))
        with refusing(self.path):
            self.settle()
            text = json.dumps({"run": self.name, "spec": manifest.spec, "shards": shards})
            (self.folder / MANIFEST).write(framed(text.encode()), durable=True)
            with suppress(FileNotFoundError):
                (self.folder / TYPE).remove_file()
        self.lock.release()
        return manifest

    def saved(self) -> list[Any]:
        """What `resumes` needs, and the blocks that wait."""
        waiting = [[n, b.saved()] for n, w in self.waiting.items() for b in w.blocks]
        return [self.name, [list(shard) for shard in self.shards.values()], waiting]

    def abandon(self) -> None:
        """Lets go of a run that is not brought to its end."""
        if self.process != os.getpid():
            return  # the run is that of the process which forked this one
        if self.lock.descriptor is not None and not self.stays:
            shutil.rmtree(self.path, ignore_errors=True)
        self.lock.release()


class RemoteRun(Run):
    """A run where fsspec reaches: its files stay open, as nothing can be added to one later.

    Raises:
        UnimplementedError: It would have to stay, or no file appears there at once.
    """

    folder: RemotePath

    def exclude(self) -> None:
        if self.stays:
            raise OSError(errno.ENOTSUP, "`checkpoint_args` need a folder of the machine")
        self.folder.require_whole()

    def begin(self, resumes: bool) -> None:
        if resumes:
            raise FileNotFoundError(errno.ENOENT, "the run ended with the process that wrote it")
        self.files: dict[int, IO[bytes]] = {}
        self.is_finished = False

    def append(self, number: int, data: bytes) -> None:
        if number not in self.files:
            self.files[number] = file_of(self.path, number).opened("wb")
        self.files[number].write(data)

    def settle(self) -> None:
        for file in self.files.values():
            file.close()

    def finish(self) -> Manifest:
        manifest = super().finish()
        self.is_finished = True
        return manifest

    def abandon(self) -> None:
        if self.process == os.getpid() and not self.is_finished:
            self.is_finished = True
            with suppress(OSError):  # the run is in nobody's way
                self.settle()
                self.path.remove_folder()


def run_in(
    folder: FilePath,
    element: ElementType,
    compression: str,
    *,
    resumes: tuple[str, list[Shard]] | None = None,
    stays: bool = False,
) -> Run:
    """A run that is written in a folder, with the arguments of `Run`."""
    kind = RemoteRun if isinstance(folder, RemotePath) else Run
    return kind(folder, element, compression, resumes=resumes, stays=stays)


def spec_of(element: ElementType) -> Any:
    """The structure of specs of elements for a manifest; None where it has no such form."""
    with suppress(UnimplementedError):
        return saved_structure(element.specs)
    return None


def size_of(block: ElementBlock) -> int:
    """About how many bytes the elements of a block have."""
    return sum(map(bytes_of, block.columns))


def bytes_of(values: object) -> int:
    """About how many bytes values have."""
    if isinstance(values, np.ndarray):
        texts = values.dtype.kind == "O"
        return sum(map(bytes_of, values.ravel().tolist())) if texts else values.nbytes
    if isinstance(values, (list, RaggedColumn)):
        return sum(map(bytes_of, values))
    return 8 + len(values) if isinstance(values, bytes) else 8


def finalize(owner: object, run: Run) -> None:
    """Has a run be abandoned when nobody has its owner any more."""
    weakref.finalize(owner, run.abandon)
