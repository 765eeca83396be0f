"""Keras 3, unchanged, on this package; skipped where it is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[3] / "src"
PROGRAM = Path(__file__).with_name("keras_models.py")

pytestmark = pytest.mark.skipif(find_spec("keras") is None, reason="the extra `keras`")


@pytest.mark.parametrize("model", ["mlp", "cnn", "lstm", "gru", "attention"])
def test_a_model_learns_and_is_saved(model: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "graphwright", "run", str(PROGRAM), str(tmp_path), model],
        env=os.environ | {"PYTHONPATH": str(SRC), "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
