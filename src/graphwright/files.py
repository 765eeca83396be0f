"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: str | Path, content: bytes, durable: bool = False) -> None:
    """Writes a file that has its name only when all of it is there; makes its directory.

    Whoever reads it meanwhile sees the old one. If `durable`, it is on the disk before it gets
    its name, so that a crash leaves one of the two.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as new:
        try:
            new.write(content)
            new.flush()
            if durable:
                os.fsync(new.fileno())
            os.chmod(new.name, 0o666 & ~_umask())
            new.close()
            os.replace(new.name, path)
        except BaseException:
            os.unlink(new.name)
            raise
    if durable and os.name == "posix":  # elsewhere a directory cannot be opened
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def _umask() -> int:
    """The permissions that new files do not have."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
