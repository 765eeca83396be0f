"""Records tests/golden/operators.json: `python tools/record_operator_goldens.py`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/edge/test_linear_operators.py
compares.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import operator_corpus
import tensorflow as tf

if __name__ == "__main__":
    found = json.dumps(operator_corpus.outcomes(tf), indent=0)
    (ROOT / "tests" / "golden" / "operators.json").write_text(found + "\n")
