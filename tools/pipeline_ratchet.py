"""Writes tests/data/pipelines_missing.txt anew: `python tools/pipeline_ratchet.py`.

It lists the recorded pipelines that differ from TensorFlow still: those that need a name which is
not there, those that TensorFlow refuses alone, and those that do something else. With `--show` it
prints how each differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support import pipelines

#: The headings of the list, and what they stand over.
ABSENT = "Names that are not built yet"
OTHERWISE = "Other differences"
ALLOWED = "Refused by TensorFlow alone"


def kind(difference: str) -> str:
    """The heading for a difference.

    >>> kind("{'error': 'ValueError'}, not [1]")
    'Other differences'
    >>> kind("[1], not {'error': 'ValueError'}")
    'Refused by TensorFlow alone'
    """
    ours, _, theirs = difference.partition(", not ")
    if "has no attribute" in ours:
        return ABSENT
    refused = [text.startswith("{'error'") for text in (ours, theirs)]
    return ALLOWED if refused == [False, True] else OTHERWISE


def main(arguments: list[str]) -> int:
    """Writes the list; prints how many pipelines stand in it."""
    groups: dict[str, list[str]] = {ABSENT: [], OTHERWISE: [], ALLOWED: []}
    for mode, name in pipelines.cases():
        words = pipelines.difference(mode, name)
        if words:
            groups[kind(words)].append(f"{mode} {name}")
            if "--show" in arguments:
                print(f"{mode} {name}\n    {words}")
    lines = [line for heading, names in groups.items() for line in (f"# {heading}", *names)]
    pipelines.MISSING.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(", ".join([f"{heading}: {len(names)}" for heading, names in groups.items()]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
