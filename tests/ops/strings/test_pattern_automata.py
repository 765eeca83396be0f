"""Automata of patterns match the whole texts that RE2 matches."""

from __future__ import annotations

import pytest
from hypothesis import given
from support.patterns import PATTERN, TEXTS, objects

from graphwright.ops.strings import regex, string_code
from graphwright.ops.strings.pattern_automata import START, automaton_of, full_matches


def ends(pattern: bytes, texts: list[bytes]) -> list[bool] | None:
    """Whether each text matches by the steps of the automaton; None where there is none."""
    automaton = automaton_of(pattern)
    if automaton is None:
        return None
    results = []
    for text in texts:
        state = START
        for octet in text:
            state = int(automaton.steps[state, octet])
        results.append(bool(automaton.matches[state]))
    return results


@given(PATTERN, TEXTS)
def test_an_automaton_matches_what_re2_matches(pattern: bytes, texts: list[bytes]) -> None:
    plain = [text for text in texts if text.isascii()]
    results = ends(pattern, plain)
    assert results is None or results == regex.compile_pattern(pattern).matches(plain)


@given(PATTERN, TEXTS)
def test_machine_code_takes_the_same_steps(pattern: bytes, texts: list[bytes]) -> None:
    string_code.PREPARATION.work()
    results = full_matches(pattern, objects(texts)).tolist()
    assert results == regex.compile_pattern(pattern).matches(texts)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(b"^ab$|^c", b"c"), (b"a$", b"a"), (b"", b""), (b"|b", b""), (b"(?P<x>a){2}", b"aa")],
)
def test_these_have_automata(pattern: bytes, text: bytes) -> None:
    others = [b"ab", b"^c", b"aab", b"b", b"x"]
    expected = regex.compile_pattern(pattern).matches([text, *others])
    assert expected[0]
    assert ends(pattern, [text, *others]) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        b"(?i)a", rb"\ba", b"(^a)", b"a$b", rb"\pL", b"\xc3\xa9", b"a{201}", b"a{2,1x",
        b"(" * 50 + b"a" + b")" * 50, b"(a|b)*a(a|b){12}",
    ],
)  # fmt: skip
def test_what_has_no_automaton_is_left_to_re2(pattern: bytes) -> None:
    assert automaton_of(pattern) is None
    texts = [b"a", b"A", b"\xc3\xa9", b"a{2,1x", b"a" * 201]
    string_code.PREPARATION.work()
    results = full_matches(pattern, objects(texts)).tolist()
    assert results == regex.compile_pattern(pattern).matches(texts)


def test_a_bad_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="Invalid pattern"):
        full_matches(b"(", objects([b"a"]))
