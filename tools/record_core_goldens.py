"""Records tests/golden/core.json from TensorFlow: `python tools/record_core_goldens.py`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/test_core_goldens.py compares.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import tensorflow as tf
from core_corpus import corpus, outcome


def main() -> None:
    """Writes the outcome of every expression of the corpus."""
    outcomes = {e: outcome(e, tf) for e in corpus()}
    target = ROOT / "tests" / "golden" / "core.json"
    target.write_text(json.dumps(outcomes, indent=0, ensure_ascii=False) + "\n")
    print(f"{len(outcomes)} outcomes, TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
