"""Files of TensorFlow's: `python tools/record_file_goldens.py`, with TensorFlow 2.21.

Writes tests/golden/examples.tfrecord, plain and compressed, and tests/golden/summaries.events, for
which TensorBoard must be installed too, from tests/file_corpus.py; tests/golden/gfile.json from
tests/gfile_corpus.py and parsing.json from tests/parsing_corpus.py.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import parsing_corpus
import tensorflow as tf
from file_corpus import COMPRESSIONS, examples, write_summaries
from gfile_corpus import outcomes

GOLDEN = ROOT / "tests" / "golden"


def main() -> None:
    """Write all files."""
    for suffix, compression in COMPRESSIONS.items():
        with tf.io.TFRecordWriter(str(GOLDEN / f"examples.tfrecord{suffix}"), compression) as file:
            for example in examples(tf):
                file.write(example.SerializeToString(deterministic=True))
    with tempfile.TemporaryDirectory() as folder:
        write_summaries(tf, folder)
        (path,) = Path(folder).iterdir()
        (GOLDEN / "summaries.events").write_bytes(path.read_bytes())
    record_gfile()


def record_gfile() -> None:
    """What `tf.io.gfile` does to a folder, and what is parsed."""
    with tempfile.TemporaryDirectory() as folder:
        found = outcomes(tf, folder)
    (GOLDEN / "gfile.json").write_text(json.dumps(found, indent=0) + "\n")
    parsed = json.dumps(parsing_corpus.outcomes(tf), indent=0)
    (GOLDEN / "parsing.json").write_text(parsed + "\n")


if __name__ == "__main__":
    main()
