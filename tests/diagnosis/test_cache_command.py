"""`graphwright cache` says what lies on the disk, and removes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphwright.__main__ import main
from graphwright.machine import disk_cache
from graphwright.machine.disk_cache import DiskCache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the process's cache, with two entries."""
    cache = DiskCache(tmp_path / "code")
    cache.put("one", bytes(1000))
    cache.put("two", bytes(500_000))
    monkeypatch.setattr("graphwright.diagnosis.cache_command.disk_cache", lambda: cache)
    return cache.directory


def test_what_lies_there_is_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    assert f"2 entries, 0.5 MB of at most 268 MB in {folder}" in capsys.readouterr().out


def test_all_of_it_is_removed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "--clear"]) == 0
    assert "removed 2 entries" in capsys.readouterr().out
    assert not list(folder.iterdir())
    assert main(["cache"]) == 0
    assert "0 entries" in capsys.readouterr().out


def test_there_is_none_to_clear(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert disk_cache.disk_cache() is None  # of the tests
    assert main(["cache"]) == 0
    assert main(["cache", "--clear"]) == 2
    assert "GRAPHWRIGHT_CACHE_DIR is off" in capsys.readouterr().err
