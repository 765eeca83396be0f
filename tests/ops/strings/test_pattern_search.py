"""Automata that search replace the matches that RE2 replaces."""

from __future__ import annotations

import sys

import pytest
import re2
from hypothesis import example, given
from hypothesis import strategies as st
from support.patterns import PATTERN, TEXTS, objects

from graphwright.ops.strings import pattern_search, regex, string_code, string_kernels
from graphwright.ops.strings.pattern_automata import FOREIGN, START
from graphwright.ops.strings.pattern_search import search_automaton


def spans(pattern: bytes, text: bytes) -> list[tuple[int, int]] | None:
    """The places of matches by the automaton; None where there is none."""
    automaton = search_automaton(pattern)
    if automaton is None:
        return None
    places, begin = [], 0
    while begin < len(text):
        state, end = START, -1
        for place in range(begin, len(text)):
            state = int(automaton.steps[state, text[place]])
            if state <= FOREIGN:
                break
            end = place + 1 if automaton.matches[state] else end
        if end > 0:
            places.append((begin, end))
        begin = max(begin + 1, end)
    return places


def spans_of_re2(pattern: bytes, text: bytes) -> list[tuple[int, int]]:
    compiled, places, begin = regex.compile_pattern(pattern), [], 0
    while begin < len(text):
        span = compiled.spans(text, begin)[0]
        if span[0] < 0:
            break
        places.append(span)
        begin = span[1]
    return places


@given(PATTERN, st.text("ab1.]\n", max_size=12).map(str.encode))
def test_matches_are_those_of_re2(pattern: bytes, text: bytes) -> None:
    places = spans(pattern, text)
    assert places is None or places == spans_of_re2(pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [b"a|ab", b"ab|a", b"a+?b?", b"a??b", b"(a|ab)(c|bcd)", b"a{1,2}?", b"[ab]{2,}", b"a{2}b*?c"],
)
def test_these_have_automata(pattern: bytes) -> None:
    text = b"aababcdabbcabcdaab"
    assert spans(pattern, text) == spans_of_re2(pattern, text)


@pytest.mark.parametrize(
    "pattern", [b"a*", b"^a", b"a$", b"(?i)a", rb"\ba", b"(a?)+b", b"\xc3\xa9"]
)
def test_these_have_none(pattern: bytes) -> None:
    assert search_automaton(pattern) is None


@given(PATTERN, TEXTS, st.sampled_from([b"", b"-", b"a b"]), st.booleans())
def test_machine_code_replaces_them(
    pattern: bytes, texts: list[bytes], rewrite: bytes, everywhere: bool
) -> None:
    string_code.PREPARATION.work()
    pattern_search.PREPARATION.work()
    many = texts * string_code.MANY
    result = string_kernels.regex_replace(objects(many), pattern, rewrite, everywhere)
    assert result.tolist() == [*regex.replaced(pattern, rewrite, many, everywhere)]


def test_tries_that_take_long_are_left_to_re2() -> None:
    string_code.PREPARATION.work()
    pattern_search.PREPARATION.work()
    texts = objects([b"a" * 20_000, b"aab"] * string_code.MANY)
    result = pattern_search.replaced(b"a+b", b"x", texts, True)
    assert result is not None
    assert result.tolist() == [None, b"x"] * string_code.MANY


def test_replaced_strings_are_counted_once() -> None:
    string_code.PREPARATION.work()
    pattern_search.PREPARATION.work()
    text = b"a string that nobody else has"
    array = objects([text] * string_code.MANY)
    before = sys.getrefcount(text), sys.getrefcount(None)
    for _ in range(20):
        same = string_kernels.regex_replace(array, b"x+", b"y")
        other = string_kernels.regex_replace(array, b"[st]+", b"y")
    assert sys.getrefcount(text) == before[0] + len(array)
    assert sys.getrefcount(other[0]) <= 3
    del same
    assert sys.getrefcount(text) == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 100


REWRITES = st.lists(
    st.sampled_from([rb"\0", rb"\1", rb"\2", rb"\3", b"<", b">", b"--"]), min_size=1, max_size=5
).map(b"".join)


#: Patterns with more groups than `PATTERN` has, and groups that match several times.
GROUPED = st.recursive(
    PATTERN,
    lambda part: st.one_of(
        st.tuples(part, part).map(b"".join),
        part.map(lambda p: b"(" + p + b")"),
        st.tuples(part, st.sampled_from([b"+", b"*", b"{2}", b"{1,3}", b"+?", b"?"])).map(
            lambda p: b"(?:(%b)1?)%b" % p
        ),
    ),
    max_leaves=4,
)


@given(GROUPED, TEXTS, REWRITES, st.booleans())
@example(b"(?:(a|b)1)+", [b"a1b1"], rb"[\1]", True)
@example(b"(a|ab)(c|bcd)", [b"abcd"], rb"[\1,\2]", True)
@example(b"(?:(a)|b)+", [b"ab"], rb"[\1]", True)
@example(b"((a)|(b)){2,3}", [b"abab"], rb"[\1,\2,\3]", True)
@example(b"(a+?)(a*)b", [b"aaab"], rb"[\1,\2]", True)
@example(b"(?P<x>[ab]+)(1)?", [b"ab1 b"], rb"[\2,\1]", False)
def test_machine_code_replaces_by_groups(
    pattern: bytes, texts: list[bytes], rewrite: bytes, everywhere: bool
) -> None:
    pattern_search.GROUP_PREPARATION.work()
    many = texts * string_code.MANY
    result = string_kernels.regex_replace(objects(many), pattern, rewrite, everywhere)
    assert result.tolist() == [*regex.replaced(pattern, rewrite, many, everywhere)]


@given(GROUPED, st.text("ab1.]\n", max_size=12).map(str.encode))
@example(b"(?:(a|b)1)+", b"a1b1")
def test_groups_are_those_of_the_python_module_of_re2(pattern: bytes, text: bytes) -> None:
    pattern_search.GROUP_PREPARATION.work()
    compiled = re2.compile(b"(" + pattern + b")")
    automaton = search_automaton(b"(" + pattern + b")")
    if automaton is None or automaton.origins is None or compiled.groups > pattern_search.GROUPS:
        return
    numbers = range(compiled.groups + 1)
    parts = [part for number in numbers for part in (number, b"|")]
    replacement = pattern_search.GroupReplacement(automaton, automaton.origins, parts, False)
    match = compiled.search(text)
    expected = text
    if match is not None:
        groups = b"".join([(match.group(number) or b"") + b"|" for number in numbers])
        expected = text[: match.start()] + groups + text[match.end() :]
    assert replacement.of(objects([text])).tolist() == [expected]


def test_results_that_are_longer_than_expected() -> None:
    pattern_search.GROUP_PREPARATION.work()
    texts = [b"ab" * 50, b"", b"x", b"\xc3\xa9a", b"a" * 2_000] * 40
    rewrite = rb"\1" * 40
    result = string_kernels.regex_replace(objects(texts), b"([ab])", rewrite)
    assert result.tolist() == [*regex.replaced(b"([ab])", rewrite, texts)]


def test_tries_that_take_long_by_groups() -> None:
    pattern_search.GROUP_PREPARATION.work()
    texts = objects([b"a" * 5_000, b"aab"] * string_code.MANY)
    result = pattern_search.regrouped(b"(a+)b", [1], texts, True)
    assert result is not None
    assert result.tolist() == [None, b"aa"] * string_code.MANY
