"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

#: A path as text.
TextPath: TypeAlias = str | os.PathLike[str]
#: A path as the system takes it.
PathLike: TypeAlias = TextPath | bytes | os.PathLike[bytes]

#: Seconds after which a file that is not finished has no writer, where files cannot be locked.
_ABANDONED = 3600


def write_whole(path: str | Path, content: bytes, durable: bool = False, mode: int = 0o666) -> None:
    """Writes a file, which gets its name once it is complete; makes its directory.

    Readers see the old file until then. Its mode is `mode` less what the process's mask takes. If
    `durable`, the content is on the disk before it gets the name, so that a crash leaves the old
    file or the new one. The name is there before this returns: what the file replaces may be
    removed then. What killed writers of the file have left is removed, too.
    """
    path = Path(path)
    make_folders(path.parent)
    if durable:
        remove_abandoned(path.parent, glob.escape(path.name))
    with new_file(path, mode) as new:
        try:
            with open(new, "r+b") as file:
                file.write(content)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:  # it names no file, and closing one raises it again
            raise OSError(error.errno, error.strerror, str(path)) from None
        os.replace(new, path)
    if durable and os.name == "posix":  # elsewhere a directory cannot be opened
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def make_folders(path: PathLike) -> None:
    """Makes a directory and those above it that are missing.

    Raises:
        NotADirectoryError: A file has the name of one of them.
    """
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        number = errno.ENOTDIR
        raise NotADirectoryError(number, os.strerror(number), os.fsdecode(path)) from None


def write_to_disk(path: TextPath) -> None:
    """Has the system write a file that it still holds in memory, and waits for that."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def new_file(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """A new file beside `path`, locked until the end; one that outlives its lock is abandoned."""
    while True:
        new = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode)
        if sys.platform == "win32":  # what is open cannot get its name
            os.close(descriptor)
        else:
            with contextlib.suppress(OSError):  # where nothing can be locked, nothing is abandoned
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if not new.exists():  # before the lock, it looked abandoned
                os.close(descriptor)
                continue
        break
    try:
        yield new
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    finally:
        if sys.platform != "win32":
            os.close(descriptor)


def remove_abandoned(directory: Path, names: str) -> None:
    """Removes the unfinished files of killed writers, for names that match a pattern.

    A process at work on a file has a lock on it, which ends with the process.
    """
    for path in directory.glob(f".{names}.{'[0-9a-f]' * 16}"):
        with contextlib.suppress(OSError):  # it has a writer, or another owner
            if sys.platform == "win32":
                if path.stat().st_mtime < time.time() - _ABANDONED:
                    path.unlink()
            else:
                descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
                finally:
                    os.close(descriptor)


class LockFile:
    """A file that one holder at a time has locked; the lock ends with the process at the latest.

    `acquire` does not wait. Threads of one process exclude each other, too.
    """

    def __init__(self, path: TextPath) -> None:
        self.path = path
        self.descriptor: int | None = None

    def acquire(self) -> bool:
        """Takes the lock; False where another has it. OSError where the file cannot be made."""
        descriptor = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            if sys.platform == "win32":
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            os.close(descriptor)
            return False
        except BaseException:
            os.close(descriptor)
            raise
        self.descriptor = descriptor
        return True

    def release(self) -> None:
        """Lets go of the lock; the file stays, as another may wait for it."""
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            os.close(descriptor)
