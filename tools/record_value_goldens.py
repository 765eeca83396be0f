"""Records tests/golden/values.json.gz: `python tools/record_value_goldens.py`.

Run it with TensorFlow 2.21 installed. It has the outcomes of tests/corpora/values.py and
tests/corpora/dtypes.py.
"""

from __future__ import annotations

from typing import Any

import recording

tf = recording.tensorflow()

from corpora import core, dtypes, values


def main() -> None:
    """Writes the file."""
    calls: dict[str, dict[str, Any]] = {}
    for name, kind, outcome in values.calls(tf):
        calls.setdefault(name, {})[kind] = outcome
    result = {
        "calls": calls,
        "casts": values.cast_one_by_one(tf),
        "dtypes": {e: core.outcome(e, tf) for e in dtypes.corpus()},
    }
    recording.write("values.json.gz", result)


if __name__ == "__main__":
    main()
