"""Paths of files and folders: those of the machine, and those that fsspec reaches.

A path with a scheme, as `memory://a/b`, `s3://bucket/a` or `zip://a.txt::memory://b.zip`, is
fsspec's. It is imported with the first such path. The errors of both kinds are those of the system.
"""

from __future__ import annotations

import errno
import glob
import io
import os
import re
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeAlias

from graphwright.base.files import PathLike, make_folders, write_whole
from graphwright.base.forks import cached_property

#: Links of fsspec before a scheme, the scheme, the place there, and further links. Python compiles
#: it for the first path with a scheme: most programs have none.
_URL = r"(?s)((?:\w+::)*)([A-Za-z][\w.+-]+)://(.*?)((?:::.*)?)"
#: Those whose files appear under their names at once, when all is there.
_WHOLE = frozenset({"memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"})

#: The path of a folder, the names of the folders in it, and those of its files.
Listing: TypeAlias = tuple[str, list[str], list[str]]


class FilePath:
    """The path of a file or folder of the machine, whether it is there or not."""

    is_remote = False

    def __init__(self, path: PathLike, before: str = "") -> None:
        self.path = os.fspath(path)
        #: What the program writes before each such path: "file://", or nothing.
        self.before = before

    def __fspath__(self) -> str:
        return os.fsdecode(self.path)

    __str__ = __fspath__

    def __truediv__(self, name: str) -> FilePath:
        return FilePath(os.path.join(str(self), name), self.before)

    @property
    def name(self) -> str:
        """Its last part."""
        return os.path.basename(str(self).rstrip("/"))

    def opened(self, mode: str) -> IO[bytes]:
        """The file, open; the mode is that of bytes."""
        return open(self.path, mode)

    def read(self) -> bytes:
        """The content of the file."""
        with self.opened("rb") as file:
            return file.read()

    def write(self, content: bytes, durable: bool = False) -> None:
        """Makes the file whole or not at all, and its folder; see `write_whole`."""
        write_whole(str(self), content, durable)

    def exists(self) -> bool:
        """Whether there is a file or a folder."""
        return os.path.exists(self.path)

    def is_folder(self) -> bool:
        """Whether there is a folder."""
        return os.path.isdir(self.path)

    def status(self) -> tuple[int, int]:
        """The size in bytes, and the time of the last change in nanoseconds since 1970."""
        status = os.stat(self.path)
        return status.st_size, status.st_mtime_ns

    def names(self) -> list[str]:
        """The names in the folder."""
        return os.listdir(str(self))

    def matches(self) -> list[str]:
        """The paths that match this one as a pattern; those in no folder begin with "./"."""
        pattern = str(self)
        plain = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
        paths = glob.glob(pattern if os.path.dirname(plain) else os.path.join(".", pattern))
        return [self.before + path for path in paths] if self.before else paths

    def listings(self, topdown: bool, report: Callable[[OSError], None]) -> Iterator[Listing]:
        """The folder and each folder below it; `report` gets the errors."""
        for path, folders, files in os.walk(str(self), topdown, report):
            yield self.before + path, folders, files

    def make_folder(self) -> None:
        """Makes the folder."""
        os.mkdir(self.path)

    def make_folders(self) -> None:
        """Makes the folder and those above it that are missing."""
        make_folders(self.path)

    def move(self, target: FilePath) -> None:
        """Gives the file or folder another path."""
        refuse_unlike(self, target)
        os.replace(self.path, target.path)

    def remove_file(self) -> None:
        """Deletes the file."""
        os.unlink(self.path)

    def remove_folder(self) -> None:
        """Deletes the folder with all that it contains."""
        from shutil import rmtree  # here, for it takes long to import

        rmtree(self.path)


class RemotePath(FilePath):
    """The path of a file or folder that fsspec reaches."""

    is_remote = True

    def __init__(self, path: str) -> None:
        super().__init__(path)
        match = re.fullmatch(_URL, path)
        assert match is not None
        self.before, self.scheme, self.place, self.rest = match.groups()

    @cached_property
    def system(self) -> tuple[Any, str]:
        """The file system of fsspec, and the path in it."""
        try:
            from zipfile import BadZipFile

            from fsspec.core import url_to_fs
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"Paths such as {self} are fsspec's: pip install 'graphwright[fsspec]'"
            ) from error
        try:
            system, path = url_to_fs(self.path)
        except ValueError as error:  # there is no such scheme
            words = f"File system scheme '{self.scheme}' not implemented: {error}"
            raise OSError(errno.ENOTSUP, words) from error
        except BadZipFile as error:
            raise OSError(errno.EIO, str(error)) from error
        system.invalidate_cache()  # others write, too
        return system, path

    def at(self, place: str) -> str:
        """A path in the file system as the program writes such paths."""
        inner_place = self.system[1].lstrip("/")
        host = self.place.removesuffix(inner_place) if self.place.endswith(inner_place) else ""
        inner = place.removeprefix(f"{self.scheme}://").removeprefix(host).lstrip("/")
        return f"{self.before}{self.scheme}://{host}{inner}{self.rest}"

    def __truediv__(self, name: str) -> RemotePath:
        inner = f"{self.place.rstrip('/')}/{name}" if self.place else name
        return RemotePath(f"{self.before}{self.scheme}://{inner}{self.rest}")

    @property
    def name(self) -> str:
        return self.place.rstrip("/").rpartition("/")[2]

    @property
    def is_whole(self) -> bool:
        """Whether a file appears under its name at once, when all is there."""
        return not self.before and not self.rest and self.scheme in _WHOLE

    def require_whole(self) -> None:
        """Raises OSError unless a file appears at once."""
        if not self.is_whole:
            raise OSError(
                errno.ENOTSUP,
                f"no file is written at once by the scheme '{self.scheme}': write to a folder of "
                "the machine, and copy it",
            )

    def opened(self, mode: str) -> IO[bytes]:
        with supported():
            system, place = self.system
            file: IO[bytes] = system.open(place, mode)
        if mode == "rb" and isinstance(file, io.BytesIO):
            return io.BytesIO(file.getvalue())  # all its readers would share one position
        weakref.finalize(file, id, system)  # an archive is closed with its file system
        return file

    def write(self, content: bytes, durable: bool = False) -> None:
        if durable:
            self.require_whole()
        with supported():
            system, place = self.system
            system.makedirs(system._parent(place), exist_ok=True)
            if self.is_whole:
                system.pipe_file(place, content)
            else:
                with system.open(place, "wb") as file:
                    file.write(content)

    def exists(self) -> bool:
        try:
            system, place = self.system
        except FileNotFoundError:  # the archive that it is in
            return False
        return bool(system.exists(place))

    def is_folder(self) -> bool:
        system, place = self.system
        return bool(system.isdir(place))

    def status(self) -> tuple[int, int]:
        system, place = self.system
        size = system.info(place).get("size") or 0
        try:
            return size, int(system.modified(place).timestamp() * 1e9)
        except (NotImplementedError, FileNotFoundError):  # nobody knows, or a folder has no time
            return size, 0

    def entries(self) -> dict[str, bool]:
        """The names in the folder, and whether each is that of a folder."""
        with supported():
            system, place = self.system
            entries = system.ls(place, detail=True)
        folder = place.strip("/")
        paths = {entry["name"].rstrip("/"): entry["type"] == "directory" for entry in entries}
        return {
            p.rpartition("/")[2]: is_one for p, is_one in paths.items() if p.strip("/") != folder
        }

    def names(self) -> list[str]:
        return list(self.entries())

    def matches(self) -> list[str]:
        try:
            with supported():
                system, place = self.system
                return [self.at(path) for path in system.glob(place)]
        except FileNotFoundError:
            return []

    def listings(self, topdown: bool, report: Callable[[OSError], None]) -> Iterator[Listing]:
        try:
            if not self.is_folder():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            entries = self.entries()
        except OSError as error:
            report(error)
            return
        folders = [name for name, is_one in entries.items() if is_one]
        listing = str(self), folders, [name for name, is_one in entries.items() if not is_one]
        if topdown:
            yield listing
        for name in folders:  # whoever goes down may have changed them
            yield from (self / name).listings(topdown, report)
        if not topdown:
            yield listing

    def make_folder(self) -> None:
        with supported():
            system, place = self.system
            system.mkdir(place, create_parents=False)

    def make_folders(self) -> None:
        with supported():
            system, place = self.system
            if system.isfile(place):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            system.makedirs(place, exist_ok=True)

    def move(self, target: FilePath) -> None:
        refuse_unlike(self, target)
        assert isinstance(target, RemotePath)
        with supported():
            system, place = self.system
            system.mv(place, target.system[1], recursive=self.is_folder())

    def remove_file(self) -> None:
        with supported():
            system, place = self.system
            system.rm_file(place)

    def remove_folder(self) -> None:
        with supported():
            system, place = self.system
            system.rm(place, recursive=True)


@contextmanager
def supported() -> Iterator[None]:
    """Makes an operation that a file system lacks an error of the system."""
    try:
        yield
    except NotImplementedError as error:
        words = str(error) or os.strerror(errno.ENOTSUP)
        raise OSError(errno.ENOTSUP, words) from error


def refuse_unlike(path: FilePath, target: FilePath) -> None:
    """Raises OSError where nothing can move from one path to another, as systems differ."""
    systems = [p.system[0] if isinstance(p, RemotePath) else None for p in (path, target)]
    if systems[0] != systems[1]:
        words = f"no file is moved from one file system to another: copy it to {target}"
        raise OSError(errno.ENOTSUP, words)


def file_path(path: PathLike) -> FilePath:
    """A path with what can be done there.

    >>> (file_path("memory://a/") / "b").is_remote, str(file_path("file:///tmp/a"))
    (True, '/tmp/a')
    """
    plain = os.fspath(path)
    text = os.fsdecode(plain)
    if "://" not in text or not (match := re.fullmatch(_URL, text)):
        return FilePath(plain)
    if match.group(1, 2, 4) == ("", "file", ""):
        return FilePath(match[3], "file://")
    return RemotePath(text)
