"""Record tests/golden/keras_files.zip: models in the files that Keras writes on TensorFlow.

    python tools/record_keras_files.py [--check FOLDER]

To be run where TensorFlow and Keras 3 are installed. --check records nothing: it reads models in
FOLDER, which `python -m graphwright run tests/corpora/keras_files.py save FOLDER` has written.
"""

from __future__ import annotations

import argparse
import tempfile
import zipfile
from pathlib import Path

import recording


def main() -> None:
    """Records, or checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    recording.tensorflow()
    from corpora import keras_files

    if options.check is not None:
        keras_files.check(options.check)
        print(f"TensorFlow reads the models in {options.check}")
        return
    with tempfile.TemporaryDirectory() as folder:
        keras_files.save(Path(folder))
        pack(Path(folder), recording.GOLDEN / "keras_files.zip")


def pack(folder: Path, file: Path) -> None:
    """Writes an archive of a folder; its bytes depend on the files alone."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(str(path.relative_to(folder)))
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    print(f"{file.name}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
