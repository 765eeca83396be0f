"""Record from TensorFlow what the expressions of tests/type_corpus.py come to.

Usage, in an environment with tensorflow 2.21 and attrs:
    python tools/record_type_goldens.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf
from tensorflow.python.framework.tensor_spec import BoundedTensorSpec

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import type_corpus  # found through the path above


def main() -> None:
    """Write one golden file for each group of expressions."""
    tf.BoundedTensorSpec = BoundedTensorSpec  # which has no public name
    for group in type_corpus.GROUPS:
        outcomes = {text: type_corpus.outcome(text, tf) for text in type_corpus.GROUPS[group]}
        text = json.dumps(outcomes, indent=0, ensure_ascii=False)
        (ROOT / "tests" / "golden" / f"{group}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{group}: {len(outcomes)} outcomes of TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
