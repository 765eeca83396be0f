"""Programs of these benchmarks in several ranks, or in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]


def command(ranks: int, program: str, arguments: Sequence[str] = ()) -> list[str]:
    """What starts a program of these benchmarks in so many ranks."""
    path = Path(__file__).with_name(f"{program}.py")
    return [sys.executable, "-m", "graphwright", "launch", "-n", str(ranks), str(path), *arguments]


def environment() -> dict[str, str]:
    """The environment in which these benchmarks and what they import are found."""
    paths = [str(_ROOT), *[path for path in sys.path if path]]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def outcome(given: Sequence[str]) -> Any:
    """What a command prints on its last line, as JSON; its errors are shown."""
    done = subprocess.run(given, env=environment(), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def of_ranks(ranks: int, program: str, *arguments: str) -> Any:
    """What the first rank of a program prints on its last line, as JSON."""
    return outcome(command(ranks, program, arguments))


def table(*rows: Sequence[str]) -> str:
    """Rows as a table of Markdown, in the form of docs/distribution.md; the first is its head."""
    head, *others = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *others])
