"""Models go between Keras on TensorFlow and Keras on graphwright: `.keras`, weights, SavedModel.

`tools/record_keras_files.py` records what TensorFlow writes, and reads there what graphwright does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(find_spec("keras") is None, reason="the extra `keras`")

TESTS = Path(__file__).resolve().parents[2]


def run(action: str, folder: Path) -> None:
    """Saves or checks the models of a folder, in a process of its own."""
    program = str(TESTS / "corpora" / "keras_files.py")
    done = subprocess.run(
        [sys.executable, "-m", "graphwright", "run", program, action, str(folder)],
        env=os.environ | {"PYTHONPATH": str(TESTS.parent / "src"), "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_models_that_were_saved_on_tensorflow(tmp_path: Path) -> None:
    """They make of an input what they did, and learning goes on where it stopped."""
    with zipfile.ZipFile(TESTS / "golden" / "keras_files.zip") as archive:
        archive.extractall(tmp_path)
    assert len(list(tmp_path.glob("*.keras"))) == 3
    run("check", tmp_path)


@pytest.mark.slow
def test_models_that_were_saved_here(tmp_path: Path) -> None:
    run("save", tmp_path)
    run("check", tmp_path)
