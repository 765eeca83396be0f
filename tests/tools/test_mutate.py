"""Faults are planted where they are found, and tests that fail notice them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent

SOURCE = '''
LIMIT = 3  # not in a function


def taken(items, lock, state):
    """Adds 1."""
    key = items[0], len(items)
    with lock:
        state.calls += 1
        if len(items) > 2 and key not in state.known:
            state.add(key, items)
    try:
        return items[0] * (state.calls + 1)
    finally:
        state.end()
'''


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate", ROOT / "tools" / "mutate.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["mutate"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_fault_changes_one_place(mutate: ModuleType) -> None:
    found = mutate.faults(SOURCE)
    lines = SOURCE.split("\n")
    changed = set()
    for fault in found:
        broken = mutate.planted(SOURCE, fault).split("\n")
        assert mutate.is_python("\n".join(broken))
        (line,) = [i for i, (a, b) in enumerate(zip(lines, broken, strict=True)) if a != b]
        assert line == fault.line - 1
        changed.add((fault.kind, broken[line].strip()))
    assert {kind for kind, _ in changed} == {
        "operator", "comparison", "condition", "number", "arguments", "statement", "key", "finally",
        "lock",
    }  # fmt: skip
    assert ("key", "key = (len(items),)") in changed
    assert ("comparison", "if len(items) >= 2 and key not in state.known:") in changed
    assert ("operator", "if len(items) > 2 or key not in state.known:") in changed
    assert ("operator", "return items[0] + (state.calls + 1)") in changed
    assert ("arguments", "state.add(items, key)") in changed
    assert ("lock", "with __import__('contextlib').nullcontext():") in changed


def test_tests_mirror_the_package(mutate: ModuleType) -> None:
    package = ROOT / "src" / "graphwright"
    assert mutate.tests_of(package / "trace" / "tracer.py", ROOT) == ["tests/trace/test_tracer.py"]
    chunks = package / "compile" / "llvm" / "chunks.py"
    assert mutate.tests_of(chunks, ROOT) == ["tests/compile/llvm"]


def test_what_a_test_notices(
    mutate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step runs pytest in processes of its own: so there is one flow, and not one for each."""
    test, outcomes = "assert double(2) == 4", {"x + 2": "missed", "x * 3": "noticed"}
    package = tmp_path / "src" / "graphwright"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    source = package / "twice.py"
    source.write_text("def double(x):\n    return x * 2\n")
    (tmp_path / "tests").mkdir()
    text = f"from graphwright.twice import double\n\ndef test():\n    {test}\n"
    (tmp_path / "tests" / "test_twice.py").write_text(text)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    table = tmp_path / "table.jsonl"
    assert mutate.main([str(source), "--table", str(table)]) == 1
    records = [json.loads(line) for line in table.read_text().splitlines()]
    texts = {"operator": "x + 2", "number": "x * 3"}
    assert {texts[r["kind"]]: r["outcome"] for r in records} == outcomes
    assert mutate.main([str(source), "--table", str(table)]) == 0  # it is done
    assert len(table.read_text().splitlines()) == len(outcomes)
    own = tmp_path / "tests" / "test_first.py"
    own.write_text(text.replace(test, "assert double(1) == 2"))
    assert mutate.main([str(source), "--first", str(own)]) == 0
    assert source.read_text() == "def double(x):\n    return x * 2\n"

    better = text.replace(test, "assert double(3) == 6")
    (tmp_path / "tests" / "test_twice.py").write_text(better)
    assert mutate.main(["--missed", str(table)]) == 0
    records = [json.loads(line) for line in table.read_text().splitlines()]
    assert [r["outcome"] for r in records] == ["noticed"] * len(outcomes)

    moved = package / "double.py"
    moved.write_text("# elsewhere\n\n" + source.read_text())
    source.unlink()
    again = tmp_path / "again.jsonl"
    assert mutate.main(["--again", str(table), "--table", str(again)]) == 0  # no such import
    records = [json.loads(line) for line in again.read_text().splitlines()]
    assert [(r["file"], r["line"]) for r in records] == [("src/graphwright/double.py", 4)] * 2


def test_a_fault_that_is_gone_is_named(
    mutate: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {
        "file": "src/graphwright/types/shape.py", "function": "no_such_function", "line": 1,
        "code": "return 1", "kind": "number", "text": "2", "outcome": "noticed", "by": "",
    }  # fmt: skip
    table = tmp_path / "table.jsonl"
    table.write_text(json.dumps(record) + "\n")
    assert mutate.main(["--again", str(table)]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "gone"


def test_tests_that_are_not_there_notice_nothing(mutate: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"not found: .*no_such_test"):
        mutate.noticed(["tests/tools/test_mutate.py::no_such_test"], ROOT, 100.0)
