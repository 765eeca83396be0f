"""Record checkpoints that TensorFlow saves.

Usage, in an environment with tensorflow 2.21:
    python tools/record_checkpoints.py
    python tools/record_checkpoints.py --load PATH

The first form writes tests/golden/checkpoints.zip: a checkpoint of the objects of
tests/corpora/checkpoint_objects.py, and one of named variables, as TensorFlow 1 wrote them. With
`--load`, TensorFlow restores a checkpoint of these objects that graphwright wrote; the exit status
is 1 when a value is another.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path

import recording

tf = recording.tensorflow()

from corpora.checkpoint_objects import objects, values


def record() -> None:
    """Writes the golden file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tf.train.Checkpoint(**objects(tf, is_set=True)).save(str(folder / "ckpt"))
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            tf.compat.v1.get_variable("scope/v", initializer=[1.0, 2.0])
            session.run(tf.compat.v1.global_variables_initializer())
            tf.compat.v1.train.Saver().save(session, str(folder / "named"), write_state=False)
        file = recording.GOLDEN / "checkpoints.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(folder.iterdir()):
                if path.suffix != ".meta":
                    entry = zipfile.ZipInfo(path.name)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(entry, path.read_bytes())
        print(f"{file.name}: {file.stat().st_size} bytes")


def check(path: str) -> int:
    """Restores a checkpoint, and returns 1 if a value is another."""
    restored, expected = objects(tf, is_set=False), objects(tf, is_set=True)
    tf.train.Checkpoint(**restored).restore(path).assert_consumed()
    same = values(tf, restored) == values(tf, expected)
    print("all values are there" if same else f"{values(tf, restored)}, not {values(tf, expected)}")
    return int(not same)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--load"]:
        raise SystemExit(check(sys.argv[2]))
    record()
