"""Records tests/golden/autograph.json from TensorFlow: `python tools/record_autograph_goldens.py`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/autograph/test_goldens.py
compares.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora.tensor_programs import outcome, programs

if __name__ == "__main__":
    outcomes = {f.__name__: outcome(f, args, tf) for f, args in programs(tf)}
    recording.write("autograph.json", outcomes)
