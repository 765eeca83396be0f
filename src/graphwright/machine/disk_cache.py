"""Machine code kept on disk: a second process need not compile again.

Entries are run, so they are read only from a directory that no other user can write. It is made
with mode 0700 and checked each time; one that others could write is emptied. An entry's name is a
digest of all that its code depends on. It begins with a digest of the rest, keyed with a secret
that only this user can read: an entry that does not match it, or of another owner, is removed.

`GRAPHWRIGHT_CACHE_DIR` sets the directory; `off` switches the cache off.
"""

from __future__ import annotations

import contextlib
import os
import stat
from _blake2 import blake2b  # as hashlib has it, which takes 3 ms to load OpenSSL
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from graphwright.base.files import new_file, remove_abandoned, write_whole
from graphwright.base.forks import own_lock
from graphwright.base.logs import get_logger

#: All entries together are kept below this many bytes; the oldest go first.
LIMIT = 256 << 20

#: What entries of all formats begin with, and those of this one.
_FORMATS = b"graphwright code "
_MAGIC = _FORMATS + b"2\n"
_DIGEST = 32  # bytes
_SUFFIX = ".code"
#: The file of the secret, and how many bytes it has.
_SECRET, _SECRET_SIZE = "secret", 32
#: How entries are opened: no link is followed, and nothing that is no file is waited for.
_OPENING = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _OPENING |= getattr(os, _flag, 0)


class DiskCache:
    """The entries in one directory."""

    def __init__(self, directory: Path, limit: int = LIMIT) -> None:
        self.directory = directory
        self.limit = limit
        self.lock = own_lock(self)
        self._noted: set[str] = set()
        self._written = 0

    def get(self, key: str) -> bytes | None:
        """The code under a key; None where there is none, or none that is whole."""
        path = self.directory / (key + _SUFFIX)
        if not self.is_safe():
            return None
        try:
            data = own_content(path, LIMIT)
            secret = self.secret()
        except FileNotFoundError:
            return None
        except ForeignFile as fault:
            self.remove(key, str(fault))
            return None
        except OSError as error:
            self.note(f"cannot read from {self.directory}: {error.strerror}")
            return None
        if data.startswith(_FORMATS) and not data.startswith(_MAGIC):
            return None  # another version wrote it; the next writer replaces it
        start = len(_MAGIC) + _DIGEST
        code = data[start:]
        if data[:start] != header_of(key, code, secret):
            self.remove(key, "is damaged, or was not written here")
            return None
        return code

    def secret(self) -> bytes:
        """The key of the digests, which is made where there is none; OSError where that fails."""
        path = self.directory / _SECRET
        try:
            content = own_content(path, _SECRET_SIZE, private=True)
            if len(content) == _SECRET_SIZE:
                return content
            path.unlink(missing_ok=True)
        except FileNotFoundError:
            pass
        except ForeignFile:
            path.unlink(missing_ok=True)
        with new_file(path, 0o600) as new:
            try:
                new.write_bytes(os.urandom(_SECRET_SIZE))
                with contextlib.suppress(FileExistsError):  # another process was faster
                    os.link(new, path)
            finally:
                new.unlink(missing_ok=True)
        return own_content(path, _SECRET_SIZE, private=True)

    def remove(self, key: str, reason: str) -> None:
        """Removes an entry, with a note that says why."""
        path = self.directory / (key + _SUFFIX)
        self.note(f"{path} {reason}; it is removed")
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)

    def put(self, key: str, code: bytes) -> None:
        """Keeps code under a key, whole or not at all."""
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.is_safe():
                return
            header = header_of(key, code, self.secret())
            write_whole(self.directory / (key + _SUFFIX), header + code, mode=0o600)
        except (OSError, ForeignFile) as error:
            self.note(f"cannot write to {self.directory}: {getattr(error, 'strerror', error)}")
            return
        with self.lock:
            self._written += len(code)
            full = self._written > self.limit // 8
            self._written = 0 if full else self._written
        if full or len(code) > self.limit // 8:
            self.prune()

    def is_safe(self) -> bool:
        """Whether nobody else can write to the directory."""
        try:
            status = os.stat(self.directory, follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError as error:
            self.note(f"cannot look at {self.directory}: {error.strerror}")
            return False
        if not stat.S_ISDIR(status.st_mode):
            self.note(f"{self.directory} is no directory; no machine code is kept")
            return False
        if not is_own(status):
            self.note(f"{self.directory} belongs to another user; no machine code is kept in it")
            return False
        if hasattr(os, "geteuid") and status.st_mode & 0o022:
            self.clear()
            self.note(
                f"{self.directory} can be written by others: what was in it is removed, and no "
                f"machine code is kept in it. `chmod 700 {self.directory}` makes it yours alone"
            )
            return False
        return True

    def clear(self) -> None:
        """Removes all entries, and the secret."""
        for path in [*self.entries(), self.directory / _SECRET]:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def prune(self) -> None:
        """Removes the oldest entries until all fit in the limit."""
        remove_abandoned(self.directory, f"*{_SUFFIX}")
        entries = []
        for path in self.entries():
            try:
                status = path.stat()
            except OSError:
                continue  # another process removed it
            entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit:
                return
            path.unlink(missing_ok=True)
            total -= size

    def entries(self) -> Iterable[Path]:
        """The files of the entries."""
        return self.directory.glob("*" + _SUFFIX)

    def note(self, message: str) -> None:
        """Logs a message once."""
        with self.lock:
            known = message in self._noted
            self._noted.add(message)
        if not known:
            get_logger().warning("the cache of machine code: %s", message)


@cache
def disk_cache() -> DiskCache | None:
    """The cache of this process, if it is not switched off."""
    folder = os.environ.get("GRAPHWRIGHT_CACHE_DIR")
    if folder == "off":
        return None
    if not folder:
        from platformdirs import user_cache_path

        return DiskCache(user_cache_path("graphwright") / "code")
    path = Path(os.path.expanduser(folder))
    try:
        # A relative path is relative to the folder that is the current one now.
        return DiskCache(path.absolute())
    except FileNotFoundError:
        get_logger().warning(
            "the cache of machine code: the working directory is gone, so there is no %s; no code "
            "is kept. Give GRAPHWRIGHT_CACHE_DIR an absolute path.",
            path,
        )
        return None


class ForeignFile(Exception):
    """Why a file is not read: others may have written it, or it is larger than any of ours."""


def own_content(path: Path, most: int, private: bool = False) -> bytes:
    """The bytes of a file that this user alone can write, and alone can read if `private`."""
    descriptor = os.open(path, _OPENING)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ForeignFile("is no file")
        if not is_own(status):
            raise ForeignFile("belongs to another user")
        if hasattr(os, "geteuid") and status.st_mode & (0o077 if private else 0o022):
            raise ForeignFile("could be written or read by others")
        if status.st_size > most:
            raise ForeignFile(f"has {status.st_size} bytes, more than any entry")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def is_own(status: os.stat_result) -> bool:
    """Whether a file or directory belongs to this user, where the system has owners."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def header_of(key: str, code: bytes, secret: bytes) -> bytes:
    """The beginning of an entry: its digest shows that the rest is whole and was written here."""
    digest = blake2b(key.encode() + code, digest_size=_DIGEST, key=secret)
    return _MAGIC + digest.digest()


def key_of(text: str, *circumstances: str) -> str:
    """The key of code: a digest of its text and its circumstances."""
    parts = "".join([f"{part}\0" for part in (*circumstances, text)])
    return blake2b(parts.encode(), digest_size=_DIGEST).hexdigest()
