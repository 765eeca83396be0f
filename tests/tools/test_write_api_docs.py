"""tools/write_api_docs.py: the document says what the package publishes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import graphwright
from tools import write_api_docs


def test_the_document_is_that_of_the_package() -> None:
    assert write_api_docs.main(["--check"]) == 0, "run tools/write_api_docs.py"


def test_every_public_name_is_described() -> None:
    text = write_api_docs.FILE.read_text(encoding="utf-8")
    for path, module, names in write_api_docs.namespaces():
        assert f"\n{write_api_docs.heading(path)}\n" in text
        for name in names:
            assert f"\n- `{name}`: " in text, f"{path}.{name}"
            assert getattr(module, name, None) is not None or name == "newaxis"
    assert not re.search(r"^- `\w+`: *$", text, re.MULTILINE)


def test_each_recorded_name_is_here_or_has_a_reason() -> None:
    recorded = json.loads(write_api_docs.RECORDED.read_text(encoding="utf-8"))
    names = {f"{space}.{n}".lstrip(".") for space, row in recorded.items() for n in row.split()}
    reasons = [name for _, group in write_api_docs.absences() for name in group]
    assert sorted(reasons) == write_api_docs.missing()
    assert names.issuperset(reasons)
    for name in names.difference(reasons):
        assert write_api_docs.exists(graphwright, name), name


def test_an_old_document_fails_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_api_docs, "FILE", tmp_path / "api.md")
    assert write_api_docs.main(["--check"]) == 1
    assert write_api_docs.main([]) == 0
    assert write_api_docs.main(["--check"]) == 0
