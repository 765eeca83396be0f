"""Records tests/golden/classic_programs.json from TensorFlow.

Run `python tools/record_classic_programs.py` with TensorFlow 2.21 installed. The file holds what
each program of tests/corpora (classic_programs.py, classic_training.py,
former_calls.py) returns; arrays are lists.
"""

from __future__ import annotations

import tempfile

import recording
from corpora.classic_programs import plain
from corpora.former_calls import PROGRAMS

if __name__ == "__main__":
    tf = recording.tensorflow().compat.v1
    results = {}
    for name, program in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            results[name] = plain(program(tf, folder))
    recording.write("classic_programs.json", results)
