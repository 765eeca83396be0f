"""Files of TensorFlow's: `python tools/record_file_goldens.py`, with TensorFlow 2.21.

Writes tests/golden/examples.tfrecord, plain and compressed, and tests/golden/summaries.events, for
which TensorBoard must be installed too, from tests/file_corpus.py; tests/golden/gfile.json from
tests/gfile_corpus.py and parsing.json from tests/parsing_corpus.py.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import recording
from recording import GOLDEN

tf = recording.tensorflow()

import gfile_corpus
import parsing_corpus
from file_corpus import COMPRESSIONS, examples, write_summaries


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
    with tempfile.TemporaryDirectory() as folder:
        recording.write("gfile.json", gfile_corpus.outcomes(tf, folder))
    recording.write("parsing.json", parsing_corpus.outcomes(tf))


if __name__ == "__main__":
    main()
