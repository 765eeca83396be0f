"""Records tests/golden/whole_programs.json from TensorFlow.

Run `python tools/record_whole_programs.py` with TensorFlow 2.21 installed. For each whole program
of the benchmarks the file holds, at the size of the tests, how many numbers the first and the
second call compute, and a weighted sum. tests/benchmarks/test_whole_programs.py compares it.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from benchmarks.whole_programs.table import PROGRAMS
from benchmarks.whole_programs.whole_program import contents_of

if __name__ == "__main__":
    calls = {name: program.tf(tf, program.small) for name, program in PROGRAMS.items()}
    contents = {name: [contents_of(call()), contents_of(call())] for name, call in calls.items()}
    recording.write("whole_programs.json", contents)
