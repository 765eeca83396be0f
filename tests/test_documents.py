"""Documents name files that are there, and the tour stays short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "graphwright"
HARD = [
    "autograph", "compile", "compile/llvm", "data", "explain", "library/distribute",
    "library/presence", "machine", "portable", "portable/graphs", "portable/native_library",
    "portable/onnx", "portable/serving", "portable/stablehlo", "trace",
]  # fmt: skip
PAGES = [
    ROOT / "docs" / "architecture.md",
    ROOT / "docs" / "elementary.md",
    *sorted((ROOT / "docs" / "engineering").glob("*.md")),
    *[PACKAGE / folder / "README.md" for folder in HARD],
]


#: Files that need no folder before their name.
PLAIN = {"conftest.py", "hooks.py"}


def missing(page: Path, root: Path) -> list[str]:
    """The files that a page names and that are not there.

    A name without a folder is that of a file beside a README: elsewhere another file may have it.
    """
    names = set(re.findall(r"`([\w/]+\.py)`", page.read_text()))
    paths = [f"/{path.relative_to(root)}" for path in root.rglob("*.py")]
    return sorted(
        name
        for name in names
        if not (page.parent / name).exists()
        and not (("/" in name or name in PLAIN) and any(p.endswith(f"/{name}") for p in paths))
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_that_are_named_are_there(page: Path) -> None:
    assert not missing(page, ROOT)


def test_a_file_that_is_gone_is_seen(tmp_path: Path) -> None:
    for folder in ("docs", "package"):
        (tmp_path / folder).mkdir()
    (tmp_path / "package" / "here.py").touch()
    (tmp_path / "package" / "hooks.py").touch()
    text = "`here.py`, `package/here.py`, `hooks.py` and `gone/there.py`"
    for folder, files in (("docs", ["gone/there.py", "here.py"]), ("package", ["gone/there.py"])):
        page = tmp_path / folder / "README.md"
        page.write_text(text)
        assert missing(page, tmp_path) == files


def test_the_tour_is_short() -> None:
    assert len((ROOT / "docs" / "architecture.md").read_text().splitlines()) <= 200
