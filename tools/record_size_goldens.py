"""Records what TensorFlow makes of sizes that are no integers, and of axes that are small integers
or bools: `tests/corpora/size_places`, `tests/corpora/axis_places`.

    python tools/record_size_goldens.py [size_places | axis_places]

Each call is made eagerly, and in a graph. The golden file has the class of error, or "" for a
value, of each form and value. A process that ends in a call is begun anew after it.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from typing import Any

import recording

FILES = {"size_places": "sizes.json.gz", "axis_places": "axes.json.gz"}


def outcomes(name: str) -> None:
    """Makes the calls that the input names, and prints a line for each."""
    corpus: Any = importlib.import_module(f"corpora.{name}")
    tf = recording.tensorflow()
    for line in sys.stdin:
        print(json.dumps(corpus.outcomes(tf, *json.loads(line))), flush=True)


def main(name: str) -> None:
    """Writes the golden file of a corpus."""
    corpus: Any = importlib.import_module(f"corpora.{name}")
    calls = [(form, value) for form in corpus.FORMS for value in corpus.VALUES]
    results: list[Any] = []
    while len(results) < len(calls):
        rest = "\n".join(map(json.dumps, calls[len(results) :]))
        command = [sys.executable, __file__, "outcomes", name]
        run = subprocess.run(command, input=rest, capture_output=True, text=True)
        results += map(json.loads, run.stdout.splitlines())
        if len(results) < len(calls):
            results.append(["the process ended"] * 2)
    recording.write(FILES[name], [[*call, *got] for call, got in zip(calls, results)])


if __name__ == "__main__":
    if sys.argv[1:2] == ["outcomes"]:
        outcomes(sys.argv[2])
    else:
        for corpus_name in sys.argv[1:] or FILES:
            main(corpus_name)
