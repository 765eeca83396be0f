"""The command line: paths, formats, exit codes, configuration, fixes, files that are odd."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest

from graphwright.__main__ import main

WRONG = "import tensorflow as tf\n\n\n@tf.function\ndef f(x):\n    print(x)\n    return x\n"
RIGHT = WRONG.replace("print", "tf.print")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "right.py").write_text(RIGHT)
    return tmp_path


def lint(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    code = main(["lint", *map(str, words)])
    return code, capsys.readouterr().out


def test_exit_codes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(capsys, folder / "right.py") == (0, "No findings.\n")
    code, out = lint(capsys, folder)
    assert code == 1
    assert out.splitlines()[0].startswith(f"{folder / 'wrong.py'}:6:5: GW101 `print` runs only")
    assert out.splitlines()[1] == "1 finding; --fix mends 1."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.py"], "no such file or folder: nowhere.py"),
        ([], "a PATH is missing"),
    ],
)
def test_a_wrong_use_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_code_that_is_none_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["lint", str(folder), "--select", "GW9"])
    assert exit_.value.code == 2
    assert "no rule begins with GW9" in capsys.readouterr().err


def test_selecting_and_ignoring(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(capsys, folder, "--select", "GW2,GW3")[0] == 0
    assert lint(capsys, folder, "--select", "GW2", "--select", "gw101")[0] == 1
    assert lint(capsys, folder, "--ignore", "GW1")[0] == 0
    assert lint(capsys, folder, "--ignore", "GW1", "--select", "GW101")[0] == 1  # the longer


def test_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = lint(capsys, "--rules")
    assert code == 0
    assert out.splitlines()[0].startswith("GW101  `print` in a staged function")


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = json.loads(lint(capsys, folder, "--format", "json")[1])
    assert (found["code"], found["line"], found["column"]) == ("GW101", 6, 5)
    assert (found["end_line"], found["end_column"]) == (6, 13)
    assert found["fixable"]


def test_sarif(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    document = json.loads(lint(capsys, folder, "--format", "sarif")[1])
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    (result,) = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == "GW101"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "wrong.py"
    assert place["region"] == {"startLine": 6, "startColumn": 5, "endLine": 6, "endColumn": 13}


def test_sarif_of_files_that_are_elsewhere(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(lint(capsys, folder, "--format", "sarif")[1])
    location = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == (folder / "wrong.py").resolve().as_uri()


def test_github(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a,b.py").write_text(WRONG)
    out = lint(capsys, folder, "--format", "github")[1].splitlines()
    assert out[0].startswith(f"::warning file={folder.as_posix()}/a%2Cb.py,line=6,col=5,endLine=6")
    assert ",title=GW101::`print` runs only" in out[1]


def test_fixing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(capsys, folder, "--fix") == (0, "No findings.\n")
    assert (folder / "wrong.py").read_text() == RIGHT
    assert lint(capsys, folder, "--fix") == (0, "No findings.\n")
    assert (folder / "wrong.py").read_text() == RIGHT


def test_fixing_keeps_encoding_and_line_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "latin.py"
    text = "# coding: latin-1\n" + WRONG.replace("print(x)", "print('é', x)")
    text = text.replace("\n", "\r\n")
    file.write_bytes(text.encode("latin-1"))
    assert lint(capsys, file, "--fix")[0] == 0
    assert file.read_bytes() == text.replace("print", "tf.print").encode("latin-1")


def test_a_file_that_does_not_parse_is_reported_and_the_others_linted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.py").write_text("def f(:\n")
    (folder / "null.py").write_bytes(b"x = 1\0\n")
    (folder / "odd.py").write_bytes(b"# coding: no-such-code\n")
    (folder / "bytes.py").write_bytes(b"x = '\xff'\n")
    (folder / "deep.py").write_text("(" * 5000 + ")" * 5000)
    code, out = lint(capsys, folder)
    lines = out.splitlines()
    assert code == 1
    found = {Path(line.split(":")[0]).name: line.split(": ")[1][:5] for line in lines[:-1]}
    broken = dict.fromkeys(["broken.py", "null.py", "odd.py", "bytes.py", "deep.py"], "GW001")
    assert found == {"wrong.py": "GW101", **broken}


def test_code_that_is_nested_too_deeply_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sums = WRONG.replace("return x", "return " + "+".join(["x"] * 600))
    (tmp_path / "deep.py").write_text(sums)
    code, out = lint(capsys, tmp_path)
    assert code == 1
    assert "deep.py:1:1: GW001 not linted: " in out or "GW101" in out


def test_a_long_chain_of_calls_is_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = "".join(f"def f{n}(x): return f{n + 1}(x)\n" for n in range(2000))
    text = f"import tensorflow as tf\n@tf.function\n{calls}def f2000(x): print(x)\n"
    (tmp_path / "chain.py").write_text(text)
    assert "chain.py:2003:15: GW101" in lint(capsys, tmp_path)[1]


@pytest.mark.parametrize(
    "content",
    [
        codecs.BOM_UTF8 + WRONG.encode(),
        ("# -*- coding: utf-8 -*-\n" + WRONG).encode(),
        ("# coding: cp1252\n# \u201cé\u201d\n" + WRONG).encode("cp1252"),
        WRONG.replace("\n", "\r\n").encode(),
        WRONG.replace("\n", "\r").encode(),
    ],
)
def test_encodings(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file.py").write_bytes(content)
    code, out = lint(capsys, tmp_path)
    assert code == 1
    assert " GW101 " in out


def test_columns_count_characters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file.py").write_text(WRONG.replace("    print", '    "é\U0001f600"; print'))
    assert ":6:11: GW101" in lint(capsys, tmp_path)[1]


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("# noqa", 0),
        ("# noqa: GW101", 0),
        ("#NOQA:gw101,E501", 0),
        ("# noqa: E501, GW101 - meant", 0),
        ("# noqa: GW1", 0),
        ("# noqa: GW102", 1),
        ("# quanoqal: GW101", 1),
    ],
)
def test_noqa(comment: str, found: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file.py").write_text(WRONG.replace("print(x)", f"print(x)  {comment}"))
    assert lint(capsys, tmp_path)[0] == found


def notebook(*cells: str) -> str:
    document = {
        "cells": [
            {"cell_type": "markdown", "source": "# print(x)"},
            *({"cell_type": "code", "source": cell.splitlines(True)} for cell in cells),
        ]
    }
    return json.dumps(document)


def test_notebooks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "book.ipynb").write_text(
        notebook(
            "%matplotlib inline\nimport tensorflow as tf",
            "%%bash\nif then",
            "@tf.function\ndef f(x):\n    !ls\n    print(x)",
        )
    )
    (tmp_path / "broken.ipynb").write_text("{}")
    (tmp_path / "quiet.ipynb").write_text(notebook(WRONG.replace("print(x)", "print(x)  # noqa")))
    code, out = lint(capsys, tmp_path, "--fix")
    lines = out.splitlines()
    assert code == 1
    assert lines[0].startswith(f"{tmp_path / 'book.ipynb'}:cell 3:4:5: GW101 ")
    assert lines[1].startswith(f"{tmp_path / 'broken.ipynb'}:1:1: GW001 not linted: it is no note")
    assert len(lines) == 3


def test_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = folder / "pyproject.toml"
    settings.write_text('[tool.graphwright.lint]\nignore = ["GW101"]\n')
    assert lint(capsys, folder)[0] == 0
    settings.write_text('[tool.graphwright.lint]\nexclude = ["wr*.py"]\n')
    assert lint(capsys, folder)[0] == 0
    assert lint(capsys, folder / "wrong.py")[0] == 1  # it was named
    settings.write_text('[tool.graphwright.lint.per-file-ignores]\n"wrong.py" = ["GW1"]\n')
    assert lint(capsys, folder)[0] == 0
    settings.write_text("[tool.other]\n")
    assert lint(capsys, folder)[0] == 1
    other = folder / "other.toml"
    other.write_text('[tool.graphwright.lint]\nselect = ["GW2"]\n')
    assert lint(capsys, folder, "--config", other)[0] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[tool.graphwright.lint]\nselct = ["GW1"]\n', "no option 'selct'"),
        ('[tool.graphwright.lint]\nselect = "GW1"\n', "select must be a list of strings"),
        ("[tool.graphwright.lint\n", "pyproject.toml"),
    ],
)
def test_wrong_configuration(
    text: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pyproject.toml").write_text(text)
    assert main(["lint", str(folder)]) == 2
    assert said in capsys.readouterr().err


def test_folders_of_others_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (".venv", "build", "node_modules", "own"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "wrong.py").write_text(WRONG)
    out = lint(capsys, tmp_path)[1].splitlines()
    assert len(out) == 2
    assert str(tmp_path / "own" / "deep" / "wrong.py") in out[0]
