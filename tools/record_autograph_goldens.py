"""Records tests/golden/autograph.json from TensorFlow: `python tools/record_autograph_goldens.py`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/autograph/test_goldens.py
compares.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import tensorflow as tf
from autograph.tensor_programs import outcome, programs


def main() -> None:
    """Writes the outcome of every program."""
    outcomes = {f.__name__: outcome(f, args, tf) for f, args in programs(tf)}
    target = ROOT / "tests" / "golden" / "autograph.json"
    target.write_text(json.dumps(outcomes, indent=0) + "\n")
    print(f"{len(outcomes)} outcomes, TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
