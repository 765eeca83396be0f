"""Records tests/golden/distribution.json: `python tools/record_distribution_goldens.py [NAME ...]`.

Run it with TensorFlow 2.21 installed. tests/library/distribute/test_programs.py compares what it
writes with what the programs of tests/corpora/distribution give here, on four logical devices.

Each program has a process of its own, since TensorFlow's collectives refuse to go on after an
error. It is forked before TensorFlow has started threads.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import recording

tf = recording.tensorflow()

from corpora.distribution.outcomes import Program, divide, outcomes
from corpora.distribution.table import MODULES


def in_child(name: str, program: Program) -> Any:
    """The outcome of a program that a child of this process runs."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        divide(tf)
        with os.fdopen(writer, "w") as pipe:
            json.dump(outcomes(tf, {name: program})[name], pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


def main() -> None:
    """Writes the outcomes of all programs by their modules, or anew those of the named ones."""
    chosen = sys.argv[1:]
    path = recording.GOLDEN / "distribution.json"
    known = json.loads(path.read_text(encoding="utf-8")) if chosen else {}
    recorded: dict[str, dict[str, Any]] = {}
    for module, programs in MODULES.items():
        before = known.get(module, {})
        recorded[module] = {
            name: before[name] if chosen and name not in chosen else in_child(name, program)
            for name, program in programs.items()
        }
    recording.write("distribution.json", recorded)


if __name__ == "__main__":
    main()
