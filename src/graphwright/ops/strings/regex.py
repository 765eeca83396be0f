"""Regular expressions by RE2, as in TensorFlow: linear in the text, whatever the pattern.

Patterns and texts are bytes, which RE2 reads as UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from typing import Any


def replaced(
    pattern: bytes, rewrite: bytes, texts: Sequence[bytes], everywhere: bool = True
) -> Sequence[bytes]:
    """Each text with its first match, or all, replaced; \\0 to \\9 in the rewrite are groups."""
    compiled, parts = compile_pattern(pattern), rewrite_parts(rewrite)
    if everywhere and all(isinstance(part, bytes) for part in parts):
        results = replaced_characters(pattern, b"".join(map(bytes, parts)), texts)
        if results is not None:
            return results
    if max((part for part in parts if isinstance(part, int)), default=0) > compiled.groups:
        return texts  # as RE2 does, which then replaces nothing
    return [replaced_in(compiled, parts, text, everywhere) for text in texts]


# -- characters -----------------------------------------------------------------------------

#: One character of a set, or a run of them: `[^a-z ]`, `[[:punct:]]+`, `\\d`, `\\s+`.
_CHARACTERS = re.compile(
    rb"(?:\\[dswDSW]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^pPQEx0-9]|[^\\\[\]])*\])(\+?)", re.DOTALL
)

#: A byte that no ASCII text has.
_END = b"\xff"


def replaced_characters(
    pattern: bytes, rewrite: bytes, texts: Sequence[bytes]
) -> list[bytes] | None:
    """Texts of ASCII with each character of a set, or each run of them, replaced.

    None for other patterns and texts. All texts are one for that, with ends between them.
    """
    form = _CHARACTERS.fullmatch(pattern)
    if form is None or not texts:
        return None
    together = b"".join(texts)
    if not together.isascii():
        return None
    members = ascii_members(pattern)
    whole = _END.join(texts)
    if not members:
        return list(texts)
    if not form[1] and not rewrite:
        whole = whole.translate(None, members)
    elif not form[1] and len(rewrite) == 1:
        whole = whole.translate(bytes.maketrans(members, rewrite * len(members)))
    else:
        one = b"".join([re.escape(members[i : i + 1]) for i in range(len(members))])
        whole = re.sub(b"[" + one + b"]" + form[1], lambda _: rewrite, whole)
    return whole.split(_END)


@lru_cache(maxsize=256)
def ascii_members(pattern: bytes) -> bytes:
    """The characters of ASCII that a pattern matches, as RE2 reads it."""
    compiled = compile_pattern(pattern)
    characters = [bytes([n]) for n in range(128)]
    return b"".join(compress(characters, compiled.matches(characters)))


def replaced_in(
    compiled: Compiled, parts: list[bytes | int], text: bytes, everywhere: bool
) -> bytes:
    """A text with its matches replaced. An empty match right behind another does not count.

    Source: `RE2::GlobalReplace`.
    """
    pieces: list[bytes] = []
    start, last = 0, -1
    while start <= len(text):
        spans = compiled.spans(text, start)
        begin, end = spans[0]
        if begin < 0:
            break
        pieces.append(text[start:begin])
        if end == begin == last:
            following = end + length_of_character(text, end)
            pieces.append(text[end:following])
            start = following
            continue
        for part in parts:
            if isinstance(part, bytes):
                pieces.append(part)
            else:
                first, behind = spans[part]
                pieces.append(text[first:behind] if first >= 0 else b"")
        start = last = end
        if not everywhere:
            break
    return b"".join([*pieces, text[start:]]) if pieces else text


def length_of_character(text: bytes, place: int) -> int:
    """The bytes of the character at a place of UTF-8; 1 where there is none."""
    head = text[place] if place < len(text) else 0
    length = 1 + (head >= 0xC2) + (head >= 0xE0) + (head >= 0xF0)
    try:
        text[place : place + length].decode()
    except UnicodeDecodeError:
        return 1
    return length


#: The span of what does not match.
NOWHERE = (-1, -1)


class Compiled:
    """A pattern of RE2, by the functions that its module documents."""

    def __init__(self, pattern: Any) -> None:
        self.pattern = pattern
        self.groups: int = pattern.groups

    def matches(self, texts: Sequence[bytes]) -> list[bool]:
        """Whether the pattern matches each text as a whole."""
        return [self.pattern.fullmatch(text) is not None for text in texts]

    def spans(self, text: bytes, start: int) -> Sequence[tuple[int, int]]:
        """The places of the first match from a start on, and of its groups; `NOWHERE` for none."""
        match = self.pattern.search(text, start)
        if match is None:
            return [NOWHERE] * (self.groups + 1)
        return [match.span(group) for group in range(self.groups + 1)]


class Spans(Compiled):
    """The same by RE2's own function, which takes a twentieth of the time."""

    def __init__(self, pattern: Any, match: Any, anchors: Any) -> None:
        super().__init__(pattern)
        self.match = match
        self.whole, self.anywhere = anchors.ANCHOR_BOTH, anchors.UNANCHORED

    def matches(self, texts: Sequence[bytes]) -> list[bool]:
        """Whether the pattern matches each text as a whole."""
        match, whole = self.match, self.whole
        return [match(whole, text, 0, len(text))[0] != NOWHERE for text in texts]

    def spans(self, text: bytes, start: int) -> Sequence[tuple[int, int]]:
        """The places of the first match from a start on, and of its groups; `NOWHERE` for none."""
        result: Sequence[tuple[int, int]] = self.match(self.anywhere, text, start, len(text))
        return result


def of_module(pattern: Any) -> Compiled:
    """A compiled pattern, by the fastest functions that this version of the module has."""
    inner = getattr(pattern, "_regexp", None)
    match, anchors = getattr(inner, "Match", None), getattr(type(inner), "Anchor", None)
    return Compiled(pattern) if match is None or anchors is None else Spans(pattern, match, anchors)


@lru_cache(maxsize=256)
def compile_pattern(pattern: bytes) -> Compiled:
    """The pattern for RE2. Raises ValueError where RE2 refuses it."""
    import re2  # most programs have no patterns

    options = re2.Options()
    options.log_errors = False
    try:
        return of_module(re2.compile(pattern, options))
    except re2.error as error:
        reason = error.args[0]
        words = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        shown = pattern.decode(errors="replace")
        raise ValueError(f"Invalid pattern: {shown}, error: {words}") from None


def rewrite_parts(rewrite: bytes) -> list[bytes | int]:
    """The texts of a rewrite, and the numbers of its groups."""
    parts: list[bytes | int] = []
    for piece in re.findall(rb"\\.?|[^\\]+", rewrite, re.DOTALL):
        if piece[:1] != b"\\":
            parts.append(piece)
        elif piece[1:].isdigit():
            parts.append(int(piece[1:]))
        elif piece == b"\\\\":
            parts.append(b"\\")
        else:
            shown = piece.decode(errors="replace")
            raise ValueError(
                f"rewrite {rewrite!r} has {shown!r}; a backslash wants a digit or itself"
            )
    return parts
