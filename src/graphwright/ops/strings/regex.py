"""Regular expressions by RE2, as in TensorFlow: linear in the text, whatever the pattern.

Patterns and texts are bytes, which RE2 reads as UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any


def full_matches(pattern: bytes, texts: Sequence[bytes]) -> list[bool]:
    """Whether the pattern matches each text as a whole."""
    match = compile_pattern(pattern).fullmatch
    return [match(text) is not None for text in texts]


def replaced(
    pattern: bytes, rewrite: bytes, texts: Sequence[bytes], everywhere: bool = True
) -> Sequence[bytes]:
    """Each text with its first match, or all, replaced; \\0 to \\9 in the rewrite are groups."""
    compiled, parts = compile_pattern(pattern), rewrite_parts(rewrite)
    if max((part for part in parts if isinstance(part, int)), default=0) > compiled.groups:
        return texts  # as RE2 does, which then replaces nothing
    return [replaced_in(compiled, parts, text, everywhere) for text in texts]


def replaced_in(compiled: Any, parts: list[bytes | int], text: bytes, everywhere: bool) -> bytes:
    """A text with its matches replaced. An empty match right behind another does not count.

    Source: `RE2::GlobalReplace`.
    """
    pieces: list[bytes] = []
    start, last = 0, -1
    while start <= len(text):
        match = compiled.search(text, start)
        if match is None:
            break
        pieces.append(text[start : match.start()])
        if match.end() == match.start() == last:
            following = match.end() + length_of_character(text, match.end())
            pieces.append(text[match.end() : following])
            start = following
            continue
        pieces += [part if isinstance(part, bytes) else match[part] or b"" for part in parts]
        start = last = match.end()
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


@lru_cache(maxsize=256)
def compile_pattern(pattern: bytes) -> Any:
    """The pattern for RE2. Raises ValueError where RE2 refuses it."""
    import re2  # most programs have no patterns

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
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
