"""Record files of TensorFlow's: `python tools/record_file_goldens.py`, with TensorFlow 2.21.

Writes tests/golden/examples.tfrecord, plain and compressed, from tests/file_corpus.py.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf
from file_corpus import COMPRESSIONS, examples

GOLDEN = ROOT / "tests" / "golden"


def main() -> None:
    """Write one file for each compression."""
    for suffix, compression in COMPRESSIONS.items():
        with tf.io.TFRecordWriter(str(GOLDEN / f"examples.tfrecord{suffix}"), compression) as file:
            for example in examples(tf):
                file.write(example.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
