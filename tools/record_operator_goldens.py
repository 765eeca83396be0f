"""Records tests/golden/operators.json: `python tools/record_operator_goldens.py`.

Run it with TensorFlow 2.21 installed. Tests in tests/library/linear_operators read what it writes.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora import operators

if __name__ == "__main__":
    recording.write("operators.json", operators.outcomes(tf))
