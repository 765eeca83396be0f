"""Records tests/golden/core.json from TensorFlow: `python tools/record_core_goldens.py`.

Run it with TensorFlow 2.21 installed. tests/values/test_core_goldens.py compares what it writes.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora.core import corpus, outcome

if __name__ == "__main__":
    recording.write("core.json", {e: outcome(e, tf) for e in corpus()})
