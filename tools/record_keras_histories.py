"""Record tests/golden/keras_histories.json: how losses go in programs of Keras on TensorFlow.

    python tools/record_keras_histories.py [--compare PYTHON]

To be run where TensorFlow and Keras 3 are installed. --compare writes nothing: it runs the programs
in PYTHON, which has keras and what graphwright needs, on graphwright, and prints what differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import recording

PROGRAMS = recording.ROOT / "tests" / "corpora" / "keras_programs.py"


def on_graphwright(python: Path) -> dict[str, dict[str, list[float]]]:
    """The histories on graphwright, in a process of another interpreter."""
    environment = os.environ | {
        "PYTHONPATH": str(recording.ROOT / "src"),
        "KERAS_BACKEND": "tensorflow",
    }
    command = [str(python), "-m", "graphwright", "run", str(PROGRAMS)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    histories: dict[str, dict[str, list[float]]] = json.loads(done.stdout)
    return histories


def main() -> int:
    """Records, or compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", type=Path, metavar="PYTHON")
    options = parser.parse_args()
    recording.tensorflow()
    from corpora import keras_programs
    from support.histories import differences

    histories = {name: keras_programs.history(name) for name in keras_programs.PROGRAMS}
    if options.compare is None:
        recording.write("keras_histories.json", histories)
        return 0
    others = on_graphwright(options.compare)
    lines = [
        line for name in histories for line in differences(name, histories[name], others[name])
    ]
    print("\n".join(lines) or f"{len(histories)} programs agree to 4 digits")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
