"""Records tests/golden/stored.json: `python tools/record_stored_goldens.py`.

Run it with TensorFlow 2.21 on two processors: the order of shards depends on their number. The file
has what each pipeline of tests/corpora/stored_pipelines.py gives eagerly.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora.pipelines import running
from corpora.stored_pipelines import PIPELINES


def main() -> None:
    """Writes the outcomes of all pipelines."""
    recording.write("stored.json", {n: running.eager(s, tf) for n, s in PIPELINES.items()})


if __name__ == "__main__":
    main()
