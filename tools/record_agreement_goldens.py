"""Records tests/golden/agreement.json from TensorFlow: `python tools/record_agreement_goldens.py`.

Run it with TensorFlow 2.21 installed. tests/test_agreement.py compares what it writes.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora.agreement import PROGRAMS, outcome

if __name__ == "__main__":
    recording.write("agreement.json", {name: outcome(PROGRAMS[name], tf) for name in PROGRAMS})
