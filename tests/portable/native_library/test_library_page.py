"""The programs of docs/portable.md about libraries do what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ziglang")

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "portable.md").read_text()
SECTION = PAGE[PAGE.index("## Without Python") : PAGE.index("## Checkpoints")]


def block(language: str, part: str) -> str:
    """The block of a language that has a part."""
    blocks = re.findall(rf"```{language}\n(.*?)```", SECTION, re.DOTALL)
    (text,) = [text for text in blocks if part in text]
    return str(text)


def run(folder: Path, *command: str) -> str:
    """What a command prints in a folder, with this package to import."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *sys.path]),
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_the_page_shows_what_works(tmp_path: Path) -> None:
    run(tmp_path, sys.executable, "-c", block("python no-run", "tf.compile_library"))
    (tmp_path / "line.c").write_text(block("c", "line_predict"))
    assert run(tmp_path, "bash", "-c", block("bash", "gcc")) == "1 3 5 7\n"
    used = block("python no-run", "ctypes")
    assert "graphwright" not in used
    assert run(tmp_path, sys.executable, "-c", used) == "[9.0, 11.0]\n"
