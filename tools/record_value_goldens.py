"""Records tests/golden/values.json.gz: `python tools/record_value_goldens.py`.

Run it with TensorFlow 2.21 installed. It has the outcomes of tests/value_corpus.py and
tests/dtype_corpus.py.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import core_corpus
import dtype_corpus
import tensorflow as tf
import value_corpus


def main() -> None:
    """Writes the file."""
    tf.get_logger().setLevel("ERROR")
    calls: dict[str, dict[str, Any]] = {}
    for name, kind, outcome in value_corpus.calls(tf):
        calls.setdefault(name, {})[kind] = outcome
    found = {
        "calls": calls,
        "casts": value_corpus.cast_one_by_one(tf),
        "dtypes": {e: core_corpus.outcome(e, tf) for e in dtype_corpus.corpus()},
    }
    text = json.dumps(found, separators=(",", ":"))
    target = ROOT / "tests" / "golden" / "values.json.gz"
    target.write_bytes(gzip.compress(text.encode(), mtime=0))
    counts = [sum(map(len, calls.values())), *(len(found[part]) for part in ("casts", "dtypes"))]
    print(f"{counts} outcomes, {target.stat().st_size} bytes, TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
