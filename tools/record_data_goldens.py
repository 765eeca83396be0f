"""Records tests/golden/data.json.gz: `python tools/record_data_goldens.py [NAME ...]`.

Run it with TensorFlow 2.21 installed; tests/data/test_pipelines.py compares what it writes. Each
pipeline of tests/corpora/pipelines has its `eager` outcome. `function` and `parallel` are there
where TensorFlow gives something else in a function or in parallel; null where that is not fixed.
"""

from __future__ import annotations

import gzip
import json
import sys
from typing import Any

import recording

tf = recording.tensorflow()

from corpora.pipelines import running
from corpora.pipelines.table import PIPELINES


def record(name: str) -> dict[str, Any]:
    """The outcomes of a pipeline."""
    source = PIPELINES[name]
    outcomes = {"eager": stable(name, running.eager)}
    expected = running.elements_of(outcomes["eager"])
    if running.in_functions(outcomes["eager"]):
        outcome = running.traced(source, tf)
        refused = isinstance(outcome, dict) and not isinstance(expected, dict)
        if not running.alike(outcome, expected):
            outcomes["function"] = None if refused else outcome
    if running.has_parallel_stages(source):
        outcome = running.elements_of(stable(name, running.parallel))
        if not running.alike(outcome, expected):
            outcomes["parallel"] = outcome
    return outcomes


def stable(name: str, run: Any) -> Any:
    """An outcome, or None where a second run gives another one."""
    first, second = run(PIPELINES[name], tf), run(PIPELINES[name], tf)
    same = running.alike(first, second)
    if not same:
        print(f"not fixed, {run.__name__}: {name}")
    return first if same else None


def main() -> None:
    """Writes the outcomes of all pipelines, or anew those of the named ones."""
    chosen = sys.argv[1:]
    path = recording.GOLDEN / "data.json.gz"
    known = json.loads(gzip.decompress(path.read_bytes())) if chosen else {}
    known |= {name: record(name) for name in chosen or PIPELINES}
    recording.write("data.json.gz", {name: known[name] for name in PIPELINES})


if __name__ == "__main__":
    main()
