"""Documents name files that are there, and the tour stays short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "graphwright"
HARD = ["autograph", "compile", "compile/llvm", "data", "explain", "machine", "trace"]
PAGES = [
    ROOT / "docs" / "architecture.md",
    *sorted((ROOT / "docs" / "engineering").glob("*.md")),
    *[PACKAGE / folder / "README.md" for folder in HARD],
]


def missing(page: Path, root: Path) -> list[str]:
    """The files that a page names and that are nowhere in a tree."""
    names = set(re.findall(r"`([\w/]+\.py)`", page.read_text()))
    paths = [f"/{path.relative_to(root)}" for path in root.rglob("*.py")]
    return sorted(name for name in names if not any(p.endswith(f"/{name}") for p in paths))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_that_are_named_are_there(page: Path) -> None:
    assert not missing(page, ROOT)


def test_a_file_that_is_gone_is_seen(tmp_path: Path) -> None:
    (tmp_path / "here.py").touch()
    page = tmp_path / "page.md"
    page.write_text("`here.py` and `gone/there.py`")
    assert missing(page, tmp_path) == ["gone/there.py"]


def test_the_tour_is_short() -> None:
    assert len((ROOT / "docs" / "architecture.md").read_text().splitlines()) <= 200
