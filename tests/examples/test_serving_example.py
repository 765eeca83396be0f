"""`examples/serving.py`, run as a user would: it needs the extra `serve`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

ROOT = Path(__file__).resolve().parents[2]


def test_a_model_is_trained_saved_loaded_and_served() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "serving.py"), "--steps", "150"],
        capture_output=True, text=True, encoding="utf-8", env=environment, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    right = re.search(r"loaded: ([\d.]+) of the other digits are right", done.stdout)
    assert right is not None
    assert float(right[1]) > 0.85
    served = re.search(r"served: (\d+) of (\d+) answers are those of the model", done.stdout)
    assert served is not None
    assert served[1] == served[2]
    assert "a bad request: 400, the input 'pixels' has shape [1,2]; expected" in done.stdout
    assert done.stdout.endswith("the server ended with 0\n")
