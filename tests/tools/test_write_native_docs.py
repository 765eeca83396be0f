"""tools/write_native_docs.py: the document says what machine code covers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from corpora.oracles import oracles
from support.op_samples import our_ops

from tools import write_native_docs


@pytest.mark.slow  # .ci/run compares them
def test_the_document_is_what_the_samples_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = write_native_docs.FILE.read_text(encoding="utf-8")
    monkeypatch.setattr(write_native_docs, "FILE", tmp_path / "native.md")
    assert write_native_docs.main([]) == 0
    assert write_native_docs.FILE.read_text(encoding="utf-8") == current, (
        "run tools/write_native_docs.py"
    )


def test_every_op_is_native_or_a_call() -> None:
    text = write_native_docs.FILE.read_text(encoding="utf-8")
    native, calls = text.split("## Calls of kernels")
    rows = re.findall(r"^\| (\w+) \|", native, re.MULTILINE)[1:]
    listed = [name for line in re.findall(r"\) ([\w, ]+)$", calls, re.MULTILINE)
              for name in line.split(", ")]  # fmt: skip
    assert sorted([*rows, *listed]) == our_ops()


def test_oracles_are_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.op_examples.EXAMPLES", {})
    monkeypatch.setattr("support.goldens.AREAS", ())
    samples = write_native_docs.collected()
    assert {oracle.op for oracle in oracles()} <= samples.keys()
    assert all(samples.values())
