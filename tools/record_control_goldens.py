"""Records tests/golden/control.json from TensorFlow: `python tools/record_control_goldens.py`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/control/ compares.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import control_corpus as corpus
import tensorflow as tf


def main() -> None:
    """Writes the outcomes of the corpus."""
    modes = (False, True)
    record = {
        "outcomes": {e: [corpus.outcome(e, tf, g) for g in modes] for e in corpus.EXPRESSIONS},
        "derivatives": {
            name: [corpus.derivatives(tf, name, point, True) for point in corpus.POINTS]
            for name in corpus.GRADIENTS
        },
        "printed": {a: corpus.printed(a, tf, False) for a in corpus.PRINTED},
    }
    target = ROOT / "tests" / "golden" / "control.json"
    target.write_text(json.dumps(record, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{sum(map(len, record.values()))} records, TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
