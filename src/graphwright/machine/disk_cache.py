"""Machine code kept on disk: a second process need not compile again.

Entries are run, so they are read only from a directory that no other user can write. It is made
with mode 0700 and checked each time. An entry's name is a digest of all that its code depends on.
It begins with a digest of the rest; an entry that does not match its digest is removed.

`GRAPHWRIGHT_CACHE_DIR` sets the directory; `off` switches the cache off.
"""

from __future__ import annotations

import os
import stat
from _blake2 import blake2b  # as hashlib has it, which takes 3 ms to load OpenSSL
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from graphwright.base.files import remove_abandoned, write_whole
from graphwright.base.forks import own_lock
from graphwright.base.logs import get_logger

#: All entries together are kept below this many bytes; the oldest go first.
LIMIT = 256 << 20

_MAGIC = b"graphwright code 1\n"
_DIGEST = 32  # bytes
_SUFFIX = ".code"


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
        if not path.is_file() or not self.is_safe():
            return None
        try:
            data = path.read_bytes()
        except OSError as error:
            self.note(f"cannot read {path}: {error}")
            return None
        start = len(_MAGIC) + _DIGEST
        code = data[start:]
        if data[:start] != header_of(key, code):
            self.remove(key, "is damaged")
            return None
        return code

    def remove(self, key: str, reason: str) -> None:
        """Removes an entry, with a note that says why."""
        path = self.directory / (key + _SUFFIX)
        self.note(f"{path} {reason}; it is removed")
        path.unlink(missing_ok=True)

    def put(self, key: str, code: bytes) -> None:
        """Keeps code under a key, whole or not at all."""
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.is_safe():
                return
            write_whole(self.directory / (key + _SUFFIX), header_of(key, code) + code)
        except OSError as error:
            self.note(f"cannot write to {self.directory}: {error}")
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
        except OSError as error:
            self.note(f"cannot look at {self.directory}: {error}")
            return False
        if not stat.S_ISDIR(status.st_mode):
            self.note(f"{self.directory} is no directory; no machine code is kept")
            return False
        if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            self.note(
                f"{self.directory} can be written by others; no machine code is read from it. "
                f"`chmod 700 {self.directory}` if it is yours"
            )
            return False
        return True

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
    if folder:
        # A relative path is relative to the folder that is the current one now.
        return DiskCache(Path(os.path.expanduser(folder)).absolute())
    from platformdirs import user_cache_path

    return DiskCache(user_cache_path("graphwright") / "code")


def header_of(key: str, code: bytes) -> bytes:
    """The beginning of an entry: its digest shows whether the rest is whole."""
    return _MAGIC + blake2b(key.encode() + code, digest_size=_DIGEST).digest()


def key_of(text: str, *circumstances: str) -> str:
    """The key of code: a digest of its text and its circumstances."""
    digest = blake2b(digest_size=_DIGEST)
    for part in (*circumstances, text):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()
