"""What type checkers reveal for 200 expressions, and that it is true."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from corpora.revealed_types import OTHERS, SETTING, TENSORS

ROOT = Path(__file__).parent.parent
EXPECTED = {**dict.fromkeys(TENSORS.split("\n")[1:-1], "Tensor"), **OTHERS}


def test_expressions_are_of_the_types_that_are_expected() -> None:
    space: dict[str, object] = {}
    exec(SETTING, space)
    for expression, expected in EXPECTED.items():
        value = eval(expression, space)
        names = {kind.__name__ for kind in type(value).__mro__}
        head = expected.split("[")[0]
        assert head in names or (value is None and "None" in expected) or " | " in head, (
            expression,
            names,
        )


@pytest.mark.slow  # mypy reads the whole package, unless its cache has it
def test_mypy_reveals_them(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    assert len(EXPECTED) >= 200
    lines = [f"reveal_type({expression})" for expression in EXPECTED]
    begin = SETTING.count("\n") + 2
    program = tmp_path / "revealed.py"
    program.write_text("\n".join([SETTING, *lines, 'plain("text")', "plain(x, 2, 3)", "x + {}"]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(program)],
        capture_output=True, text=True, cwd=ROOT, timeout=115,
    )  # fmt: skip
    revealed = {
        int(line): re.sub(r"\b[a-z_]+\.(?=\w)", "", shown)
        for line, shown in re.findall(
            r'revealed\.py:(\d+): note: Revealed type is "(.*)"', done.stdout
        )
    }
    shown = {e: revealed.get(begin + place) for place, e in enumerate(EXPECTED)}
    assert shown == EXPECTED
    errors = re.findall(r"revealed\.py:(\d+): error", done.stdout)
    assert sorted({int(line) - begin - len(EXPECTED) for line in errors}) == [0, 1, 2]
    assert "error" not in re.sub(r".*revealed\.py.*", "", done.stdout).replace("errors", "")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="pyright needs Node.js")
def test_pyright_knows_all_types_of_the_examples(tmp_path: Path) -> None:
    """But for what lambdas take, where any number of arguments may come."""
    pytest.importorskip("pyright")
    for example in (ROOT / "examples").glob("[!k]*.py"):  # Keras has no types
        shutil.copy(example, tmp_path)
    unknown = ("reportUnknownVariableType", "reportUnknownMemberType", "reportUnknownArgumentType")
    settings = {
        "typeCheckingMode": "basic",
        "extraPaths": [str(ROOT / "src")],
        "reportMissingImports": "none",
        "reportMissingModuleSource": "none",
        **dict.fromkeys(unknown, "warning"),
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        capture_output=True, text=True, cwd=tmp_path, timeout=115,
    )  # fmt: skip
    said = json.loads(done.stdout)
    assert said["summary"]["filesAnalyzed"] >= 13
    for each in said["generalDiagnostics"]:
        text = Path(each["file"]).read_text("utf-8").splitlines()
        assert "lambda" in text[each["range"]["start"]["line"]], each
