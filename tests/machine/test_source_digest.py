"""The digest of the package's sources changes with each of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from test_imports import package, reached

from graphwright.machine import source_digest as module

source_digest = module.source_digest.__wrapped__


@pytest.fixture
def inner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a small package, which the digest is of."""
    monkeypatch.setattr(module, "ROOMS", ("machine", "ops"))
    monkeypatch.setattr(module, "__file__", os.fspath(tmp_path / "machine" / "source_digest.py"))
    folder = tmp_path / "ops" / "math"
    folder.mkdir(parents=True)
    (tmp_path / "machine").mkdir()
    for file in (tmp_path / "machine" / "linking.py", folder / "one.py", folder / "two.py"):
        file.write_text("x = 1\n")
    return folder


def changed_in_place(folder: Path) -> None:
    """Gives a file other content of the same size and date, as an archive may."""
    file = folder / "two.py"
    before = file.stat()
    while file.stat().st_ctime_ns == before.st_ctime_ns:
        file.write_text("x = 2\n")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_mtime_ns, file.stat().st_size) == (before.st_mtime_ns, before.st_size)


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": changed_in_place,
    "size": lambda folder: (folder / "one.py").write_text("x = 10\n"),
    "new": lambda folder: (folder / "three.py").write_text(""),
    "gone": lambda folder: (folder / "one.py").unlink(),
    "renamed": lambda folder: (folder / "one.py").rename(folder / "ones.py"),
    "moved": lambda folder: (folder / "one.py").rename(folder.parent / "one.py"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_each_change_of_a_file_changes_it(inner: Path, change: Callable[[Path], object]) -> None:
    before = source_digest()
    assert before == source_digest()
    change(inner)
    assert before != source_digest()


def test_what_is_no_source_does_not_count(inner: Path) -> None:
    before = source_digest()
    (inner / "__pycache__").mkdir()
    (inner / "__pycache__" / "one.py").write_text("")
    (inner / "notes.txt").write_text("")
    assert before == source_digest()


def test_without_files_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__file__", "/nowhere/archive.zip/machine/source_digest.py")
    assert source_digest() is None


def test_it_covers_all_that_compilation_imports() -> None:
    graph = package()
    modules = {name for name in graph if name.startswith("graphwright.compile.")}
    modules |= {other for name in modules for other in reached(graph, name)}
    rooms = {name.split(".")[1] for name in modules if name.count(".") > 1}
    assert rooms <= set(module.ROOMS), rooms - set(module.ROOMS)
