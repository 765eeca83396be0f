"""Each command has help in a user's words, an example, and a row in docs/commands.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphwright.__main__ import COMMANDS, main

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main([name, "--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    assert COMMANDS[name].summary[1:] in " ".join(text.split())
    for example in COMMANDS[name].examples:
        assert f"  graphwright {example}\n" in text
    assert "Exit codes: 0" in text
    # An argument without words about it is a line with nothing behind its name.
    options = text.partition("options:")[2].partition("for example:")[0]
    assert not re.search(r"^  -[^ ]+( [A-Z]+)?$(?!\n {10})", options, re.MULTILINE)


def test_the_page_has_a_row_for_each_command() -> None:
    rows = re.findall(r"^\| `graphwright (\w+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == sorted(COMMANDS)


def test_all_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert [name for name in COMMANDS if any(line.split()[:1] == [name] for line in lines)] == [
        *COMMANDS
    ]


def test_without_a_command_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "train a network on handwritten digits" in capsys.readouterr().out
