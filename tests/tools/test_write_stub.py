"""tools/write_stub.py: the stub says where each public name comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import graphwright
from graphwright.op.refusal import own_form
from tools import write_stub


def test_every_import_of_the_stub_brings_the_public_object() -> None:
    brought: dict[str, Any] = {}
    exec(compile(write_stub.stub(), "stub", "exec"), brought)
    annotated = brought["__annotations__"]
    for name in graphwright.__all__:
        value = own_form(getattr(graphwright, name))
        assert brought[name] is value if name in brought else name in annotated, name


def test_constants_have_their_type() -> None:
    needed, line = write_stub.declaration("float32", graphwright.float32)
    assert needed == "from graphwright.types.dtypes import DType as _DType"
    assert line == "float32: _DType"
    assert write_stub.declaration("newaxis", None) == ("", "newaxis: None")


def test_an_old_stub_fails_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_stub, "FILE", tmp_path / "stub.pyi")
    assert write_stub.main(["--check"]) == 1
    assert write_stub.main([]) == 0
    assert write_stub.main(["--check"]) == 0
    write_stub.FILE.write_text("other: int\n", encoding="utf-8")
    assert write_stub.main(["--check"]) == 1
