"""What type checkers reveal for 200 expressions, and that it is true."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    for example in (ROOT / "examples").glob("[!k]*.py"):  # Keras has no types
        shutil.copy(example, tmp_path)
    said = checked(tmp_path)
    assert said["summary"]["filesAnalyzed"] >= 13
    for each in said["generalDiagnostics"]:
        text = Path(each["file"]).read_text("utf-8").splitlines()
        assert "lambda" in text[each["range"]["start"]["line"]], each


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="pyright needs Node.js")
def test_pyright_knows_all_types_of_the_tutorials(tmp_path: Path) -> None:
    """Their functions state no types, as people write them, so parameters count as Any here."""
    pages = sorted((ROOT / "docs" / "tutorials").glob("[!k]*.md"))
    for page in pages:
        program = stating_any("\n".join(CODE.findall(page.read_text("utf-8"))))
        (tmp_path / f"{page.stem}.py").write_text(program, "utf-8")
    said = checked(tmp_path)
    assert said["summary"]["filesAnalyzed"] == len(pages) == 5
    assert not said["generalDiagnostics"]


#: The blocks of a page that run.
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def stating_any(program: str) -> str:
    """A program whose parameters without an annotation have the one of Any."""
    tree = ast.parse(program)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):  # lambdas have no annotations
            for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if parameter.annotation is None and parameter.arg != "self":
                    parameter.annotation = ast.Name("Any")
    return f"from typing import Any\n{ast.unparse(tree)}\n"


def checked(folder: Path) -> Any:
    """What pyright says about the programs of a folder: errors, and types that it does not know."""
    pytest.importorskip("pyright")
    unknown = ("reportUnknownVariableType", "reportUnknownMemberType", "reportUnknownArgumentType")
    settings = {
        "typeCheckingMode": "basic",
        "extraPaths": [str(ROOT / "src")],
        "reportMissingImports": "none",
        "reportMissingModuleSource": "none",
        "reportUnusedExpression": "none",  # the last line of a notebook's cell
        **dict.fromkeys(unknown, "warning"),
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        capture_output=True, text=True, cwd=folder, timeout=115,
    )  # fmt: skip
    return json.loads(done.stdout)
