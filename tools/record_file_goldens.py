"""Files of TensorFlow's: `python tools/record_file_goldens.py`, with TensorFlow 2.21.

Writes tests/golden/examples.tfrecord, plain and compressed, and tests/golden/summaries.events, for
which TensorBoard must be installed too, from tests/corpora/files.py; tests/golden/gfile.json from
tests/corpora/gfile.py, parsing.json from tests/corpora/parsing.py and file_pipelines.json from
tests/corpora/file_pipelines.py, and table_files.json from tests/corpora/table_files.py.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import recording
from recording import GOLDEN

tf = recording.tensorflow()

from corpora import file_pipelines, gfile, parsing, table_files
from corpora.files import COMPRESSIONS, examples, write_summaries


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
        recording.write("gfile.json", gfile.outcomes(tf, folder))
    recording.write("parsing.json", parsing.outcomes(tf))
    for name, steps in (("file_pipelines", file_pipelines), ("table_files", table_files)):
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                outcomes = steps.outcomes(tf)
            finally:
                os.chdir(before)
        recording.write(f"{name}.json", outcomes)


if __name__ == "__main__":
    main()
