"""A digest of the package's source files: what one version writes is not taken for another's."""

from __future__ import annotations

import os
from _blake2 import blake2b
from functools import cache
from pathlib import Path

#: The rooms that decide about machine code: `compile` and all that it may import.
ROOMS = (
    "autodiff",
    "base",
    "compile",
    "control",
    "ir",
    "machine",
    "op",
    "ops",
    "proto",
    "ragged",
    "trace",
    "types",
    "values",
)


@cache
def source_digest() -> str | None:
    """A digest of the names, sizes and times of the source files; None where there are none.

    To read them all would take longer than what it is for. Whoever writes a file changes a time of
    it, even where an archive sets the time of its content.
    """
    package = Path(__file__).parents[1]
    files: list[tuple[str, int, int, int]] = []
    try:
        for room in ROOMS:
            _list(os.fspath(package / room), files)
    except OSError:  # the package lies in an archive
        return None
    return blake2b(repr(sorted(files)).encode(), digest_size=16).hexdigest()


def _list(folder: str, files: list[tuple[str, int, int, int]]) -> None:
    """Lists the source files of a folder, and of those in it: path, size, times."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                files.append((entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
            elif entry.name != "__pycache__" and entry.is_dir():
                folders.append(entry.path)
    for inner in folders:
        _list(inner, files)
