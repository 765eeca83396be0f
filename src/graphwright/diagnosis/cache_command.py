"""`graphwright cache`: how much machine code lies on the disk, and where; `--clear` removes it.

    graphwright cache
    graphwright cache --clear

Nothing is lost but time: the next process compiles again what it needs.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import NamedTuple

from graphwright.machine.disk_cache import DiskCache, disk_cache


class CacheContent(NamedTuple):
    """How many entries a cache has, and their bytes."""

    entries: int
    nbytes: int

    @property
    def words(self) -> str:
        """The content in words."""
        noun = "entry" if self.entries == 1 else "entries"
        return f"{self.entries} {noun}, {self.nbytes / 1e6:.1f} MB"


def content_of(cache: DiskCache) -> CacheContent:
    """The entries of a cache; those that another process removes meanwhile do not count."""
    sizes = []
    for path in cache.entries():
        with contextlib.suppress(FileNotFoundError):
            sizes.append(path.stat().st_size)
    return CacheContent(len(sizes), sum(sizes))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--clear", action="store_true", help="remove all machine code")


def run(options: argparse.Namespace) -> int:
    """Prints what is in the cache, or clears it; 0, or 2 where there is no cache to clear."""
    cache = disk_cache()
    if cache is None:
        print("there is no cache: GRAPHWRIGHT_CACHE_DIR is off", file=sys.stderr)
        return 2 if options.clear else 0
    content = content_of(cache)
    if options.clear:
        cache.clear()
        rest = content_of(cache)
        if rest.entries:
            print(f"{rest.words} in {cache.directory} could not be removed", file=sys.stderr)
            return 2
        print(f"removed {content.words} from {cache.directory}")
    else:
        print(f"{content.words} of at most {cache.limit / 1e6:.0f} MB in {cache.directory}")
    return 0
