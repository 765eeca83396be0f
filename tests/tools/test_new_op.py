"""`tools/new_op.py` makes a skeleton that runs, and says what an op lacks."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools import new_op


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with one family and one namespace."""
    package = tmp_path / "src" / "graphwright"
    (package / "ops" / "math").mkdir(parents=True)
    (package / "api").mkdir()
    (package / "api" / "math.py").write_text(
        '"""`tf.math`."""\n\nfrom graphwright.ops.math.arithmetic import add\n\n'
        '__all__ = [\n    "add",\n]\n'
    )
    (tmp_path / "oracles.py").write_text("def oracles():\n    x = 1\n")
    monkeypatch.setattr(new_op, "ROOT", tmp_path)
    monkeypatch.setattr(new_op, "PACKAGE", package)
    monkeypatch.setattr(new_op, "ORACLES", tmp_path / "oracles.py")
    return package


def test_a_skeleton_is_in_three_places(tree: Path) -> None:
    files = new_op.make("soft_cap", "math/caps", "math")
    op, api, oracle = [path.read_text() for path in files]
    assert files[0] == tree / "ops" / "math" / "caps.py"
    names = [n.name for n in ast.parse(op).body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]
    assert names == ["SoftCap", "soft_cap"]
    assert "from graphwright.ops.math.caps import soft_cap" in api
    assert '    "soft_cap",\n' in api
    assert 'yield Oracle("SoftCap", tf.math.soft_cap, ' in oracle
    ast.parse(oracle)


def test_a_second_op_goes_behind_the_first(tree: Path) -> None:
    new_op.make("soft_cap", "math/caps", "math")
    [file, *_] = new_op.make("hard_cap", "math/caps", "math")
    text = file.read_text()
    assert text.index("def soft_cap") < text.index("class HardCap")
    assert text.count("from graphwright.op.op import Call\n") == 1


@pytest.mark.parametrize(
    ("name", "public", "words"),
    [("soft_cap", "math", "has soft_cap already"), ("other", "maths", "no public namespace maths")],
)
def test_what_cannot_be_is_refused(tree: Path, name: str, public: str, words: str) -> None:
    new_op.make("soft_cap", "math/caps", "math")
    before = {path: path.read_text() for path in tree.rglob("*.py")}
    with pytest.raises(ValueError, match=words):
        new_op.make(name, "math/caps", public)
    assert before == {path: path.read_text() for path in tree.rglob("*.py")}


def test_what_an_op_lacks_is_said() -> None:
    found = list(new_op.lacking("sigmoid", "math/logistic"))
    assert all(line.startswith("the docstring: ") for line in found)
    [missing] = new_op.lacking("no_such_op", "math/logistic")
    assert missing.endswith("has no class NoSuchOp or no function no_such_op")
