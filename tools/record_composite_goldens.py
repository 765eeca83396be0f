"""Records tests/golden/composites.json from TensorFlow: `python tools/record_composite_goldens.py`.

Run it with TensorFlow 2.21 installed. Tests in tests/library and tests/ragged read what it writes.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora import composites as corpus
from corpora import ragged


def main() -> None:
    """Writes the outcomes of the corpus."""
    plain = corpus.extension_scope(tf)
    record = {"extensions": {e: corpus.outcome(e, tf, plain) for e in corpus.EXTENSIONS}}
    handled = corpus.dispatched_scope(tf)
    record["dispatched"] = {e: corpus.outcome(e, tf, handled) for e in corpus.DISPATCHED}
    names = ragged.scope(tf)
    for area, expressions in ragged.AREAS.items():
        record[area] = {e: ragged.outcome(e, tf, names) for e in expressions}
    recording.write("composites.json", record)


if __name__ == "__main__":
    main()
