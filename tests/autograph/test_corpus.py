"""Every program of the corpus gives in every mode what plain Python gives."""

from __future__ import annotations

from typing import Any

import pytest
from corpora import autograph as corpus
from corpora.random_functions import load
from support.toy import Toy, converted, installed, number, printed


def toy(value: Any) -> Toy:
    return Toy(list(value)) if isinstance(value, list) else Toy(value)


def test_there_are_enough() -> None:
    assert len(corpus.PROGRAMS) > 150
    assert len(corpus.NESTINGS) > 250


@pytest.mark.parametrize("program", corpus.PROGRAMS, ids=lambda p: p.name)
def test_numbers(program: corpus.Program, capsys: Any) -> None:
    new = converted(program.function)
    for arguments in program.arguments:
        expected = program.function(*arguments), capsys.readouterr().out
        assert (new(*arguments), capsys.readouterr().out) == expected


@pytest.mark.parametrize("program", corpus.STAGED, ids=lambda p: p.name)
def test_toys(program: corpus.Program) -> None:
    for arguments in program.arguments:
        expected = program.function(*arguments)
        with installed():
            result = converted(program.function)(*map(toy, arguments))
        assert number(result) == expected


@pytest.mark.parametrize("program", corpus.STAGED, ids=lambda p: p.name)
def test_what_to_code_prints(program: corpus.Program) -> None:
    new = printed(program.function)
    for arguments in program.arguments:
        expected = program.function(*arguments)
        assert new(*arguments) == expected
        with installed():
            assert number(new(*map(toy, arguments))) == expected


@pytest.mark.parametrize("name", corpus.NESTINGS)
def test_nestings(name: str) -> None:
    plain = load(corpus.NESTINGS[name], helper=corpus.positive)
    new = converted(plain)
    for values in [(0, 1), (3, 2), (-1, -1)]:
        expected = plain(*values, 0)
        assert new(*values, 0) == expected
        with installed():
            assert number(new(*map(Toy, values), Toy(0))) == expected
