"""docs/architecture.md names what there is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "architecture.md").read_text()


def test_the_modules_of_the_engine_are_named() -> None:
    section = TEXT.partition("\n## The modules of the engine\n")[2].partition("\n## ")[0]
    paths = [
        path
        for folder in ("lower", "lower/llvm", "lower/plan_verifier", "kernels")
        for path in (ROOT / "src" / "graphwright" / folder).glob("*.py")
    ]
    modules = {path.stem for path in paths} - {"__init__"}
    assert set(re.findall(r"`(\w+)`", section)) - {"lower", "kernels"} == modules


def test_files_that_are_named_are_there() -> None:
    folders = [ROOT / name for name in ("src", "tests", "tools")]
    paths = [f"/{path.relative_to(ROOT)}" for folder in folders for path in folder.rglob("*.py")]
    named = set(re.findall(r"`([\w/]+\.py)`", TEXT))
    assert not [name for name in named if not any(p.endswith(f"/{name}") for p in paths)]
