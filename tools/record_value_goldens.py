"""Records tests/golden/values.json.gz: `python tools/record_value_goldens.py`.

Run it with TensorFlow 2.21 installed. It has the outcomes of tests/value_corpus.py and
tests/dtype_corpus.py.
"""

from __future__ import annotations

from typing import Any

import recording

tf = recording.tensorflow()

import core_corpus
import dtype_corpus
import value_corpus


def main() -> None:
    """Writes the file."""
    calls: dict[str, dict[str, Any]] = {}
    for name, kind, outcome in value_corpus.calls(tf):
        calls.setdefault(name, {})[kind] = outcome
    found = {
        "calls": calls,
        "casts": value_corpus.cast_one_by_one(tf),
        "dtypes": {e: core_corpus.outcome(e, tf) for e in dtype_corpus.corpus()},
    }
    recording.write("values.json.gz", found)


if __name__ == "__main__":
    main()
