"""Each command has help in a user's words, an example, and a row in docs/commands.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from graphwright import __main__
from graphwright.__main__ import COMMANDS, READER_GONE, main

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


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe without a reader, as POSIX has it")
@pytest.mark.parametrize("words", [["doctor", "--quick"], ["doctor", "--help"]], ids=" ".join)
def test_a_command_ends_quietly_when_its_reader_goes_away(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "graphwright", *words],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "PYTHONUNBUFFERED": "",  # else argparse itself writes help, and swallows the error
            },
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (READER_GONE, "")


def test_a_broken_pipe_of_a_program_is_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def command(arguments: object) -> int:
        raise BrokenPipeError("of a socket")

    monkeypatch.setattr(__main__, "command_code", command)
    with pytest.raises(BrokenPipeError, match="of a socket"):
        main(["doctor"])


def test_without_a_command_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "train a network on handwritten digits" in capsys.readouterr().out
