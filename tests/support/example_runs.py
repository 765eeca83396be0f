"""The programs of `examples/` in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def run(name: str, *options: str) -> str:
    """What an example prints."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *options]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout
