"""Fixes: the changes that findings propose, applied to a text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from graphwright.lint.finding import Edit, Finding

ROUNDS = 10  # a fix may uncover another finding


def fix(text: str, check: Callable[[str], list[Finding]]) -> tuple[str, int]:
    """The text after every safe change, and the number of changes."""
    count = 0
    for _ in range(ROUNDS):
        proposals = [finding.fix for finding in check(text) if finding.fix]
        changed, number = apply(text, proposals)
        if not number or not parses(changed):
            break
        text, count = changed, count + number
    return text, count


def parses(text: str) -> bool:
    """Whether a text is Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def apply(text: str, proposals: Iterable[tuple[Edit, ...]]) -> tuple[str, int]:
    """The text after the proposals that do not overlap, and their number."""
    chosen: list[Edit] = []
    count = 0
    for edits in proposals:
        if all(apart(edit, other) for edit in edits for other in chosen):
            chosen.extend(edits)
            count += 1
    lines = [line.encode() for line in text.split("\n")]
    for edit in sorted(chosen, reverse=True):
        (first, begin), (last, end) = edit.start, edit.end
        merged = lines[first - 1][:begin] + edit.text.encode() + lines[last - 1][end:]
        lines[first - 1 : last] = merged.split(b"\n")
    return b"\n".join(lines).decode(), count


def apart(one: Edit, other: Edit) -> bool:
    """Whether two edits change different places."""
    return one.end < other.start or other.end < one.start
