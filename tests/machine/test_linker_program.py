"""The linker is run as a program, and says what it lacks."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from graphwright.machine import linker_program
from graphwright.machine.linker_program import LinkerFailure, LinkerMissing, link_files


def test_a_missing_linker_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LinkerMissing, match=r"pip install 'graphwright\[compile\]'"):
        link_files("ld.lld", [], str(tmp_path))


def test_the_linkers_words_are_passed_on(tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    assert linker_program.is_there()
    with pytest.raises(LinkerFailure, match=r"ld.lld ended with 1: .*cannot open missing\.o"):
        link_files("ld.lld", ["-shared", "missing.o", "-o", "x.so"], str(tmp_path))
