"""Files of the repository that scripts write: written anew, or compared with what would be."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path


def main(doc: str | None, file: Path, text: Callable[[], str], arguments: list[str] | None) -> int:
    """Does what a script is asked for on its command line; its exit code.

    `doc` is that of the script. With --check nothing is written, and what is old fails.
    """
    parser = argparse.ArgumentParser(description=str(doc).splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check = parser.parse_args(arguments).check
    written = text()
    if not check:
        file.write_text(written, encoding="utf-8")
        return 0
    current = file.exists() and file.read_text(encoding="utf-8") == written
    print(f"{file.name} is current" if current else f"{file} is old: run {Path(sys.argv[0]).name}")
    return 0 if current else 1
