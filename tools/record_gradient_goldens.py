"""Records what TensorFlow makes of tests/gradient_corpus.py in tests/golden/gradients.json.

CUDA_VISIBLE_DEVICES= python tools/record_gradient_goldens.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(TESTS))

import gradient_corpus as corpus


def main() -> None:
    """Writes the file."""
    found = {}
    for name, (program, given) in corpus.CASES.items():
        tensors = [tf.constant(x) for x in corpus.operands(given)]
        found[name] = [
            [corpus.entry(g) for g in part] for part in corpus.derivatives(tf, program, tensors)
        ]
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in found)
    (TESTS / "golden" / "gradients.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
