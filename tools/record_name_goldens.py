"""Records tests/golden/library_names.json: `python tools/record_name_goldens.py`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/edge/test_library_names.py
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

import name_corpus
import tensorflow as tf

if __name__ == "__main__":
    found = json.dumps(name_corpus.outcomes(tf), indent=0, ensure_ascii=False)
    (ROOT / "tests" / "golden" / "library_names.json").write_text(found + "\n", encoding="utf-8")
