"""Records what TensorFlow makes of sizes that are no integers: `tests/corpora/size_places`.

    python tools/record_size_goldens.py

Each call is made eagerly, and in a graph. The golden file has the class of error, or "" for a
value, of each form and value. A process that ends in a call is begun anew after it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import recording


def outcomes() -> None:
    """Makes the calls that the input names, and prints a line for each."""
    from corpora import size_places

    tf = recording.tensorflow()
    for line in sys.stdin:
        print(json.dumps(size_places.outcomes(tf, *json.loads(line))), flush=True)


def main() -> None:
    """Writes the golden file."""
    from corpora import size_places

    calls = [(form, value) for form in size_places.FORMS for value in size_places.VALUES]
    results: list[Any] = []
    while len(results) < len(calls):
        rest = "\n".join(map(json.dumps, calls[len(results) :]))
        command = [sys.executable, __file__, "outcomes"]
        run = subprocess.run(command, input=rest, capture_output=True, text=True)
        results += map(json.loads, run.stdout.splitlines())
        if len(results) < len(calls):
            results.append(["the process ended"] * 2)
    recording.write("sizes.json.gz", [[*call, *got] for call, got in zip(calls, results)])


if __name__ == "__main__":
    outcomes() if sys.argv[1:] == ["outcomes"] else main()
