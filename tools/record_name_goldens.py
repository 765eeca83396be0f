"""Records tests/golden/library_names.json: `python tools/record_name_goldens.py`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/library/test_library_names.py
compares.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora import names

if __name__ == "__main__":
    recording.write("library_names.json", names.outcomes(tf))
