"""Regular expressions in RE2's syntax, translated to Python's `re`.

Source: the syntax page of RE2 (github.com/google/re2/wiki/Syntax). Text is UTF-8; bytes that are
none travel as lone surrogates, which nothing but themselves matches. RE2 and `re` agree on
leftmost-first matching; what differs is rewritten: `\\d`, `\\w`, `\\s`, `\\b` are ASCII, `$` is the
end of the text only, flags may stand anywhere in a group. What RE2 refuses (look-around, back
references, possessive repetition) is refused, and so are `\\C` and script names (`\\p{Greek}`),
which `re` cannot express.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from operator import methodcaller

_BROKEN = "\udc80-\udcff"  # bytes that are no UTF-8, by the "surrogateescape" handler
_WORD = "0-9A-Za-z_"
_PERL = {"d": "0-9", "w": _WORD, "s": "\\t\\n\\f\\r\\x20"}
_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\\x00-\\x7f", "blank": "\\t\\x20",
    "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": "\\x20-~",
    "punct": "!-/:-@\\[-`{-~", "space": "\\t\\n\\v\\f\\r\\x20", "upper": "A-Z", "word": _WORD,
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_REPEAT = re.compile(r"[*+?]|\{\d+(,\d*)?\}")


def full_matches(pattern: bytes, texts: Sequence[bytes]) -> list[bool]:
    """Whether the pattern matches each text as a whole."""
    match = compile_pattern(pattern).fullmatch
    return [found is not None for found in map(match, map(_decode, texts))]


def replaced(
    pattern: bytes, rewrite: bytes, texts: Sequence[bytes], everywhere: bool = True
) -> Sequence[bytes]:
    """Each text with its first match, or all, replaced; \\0 to \\9 in the rewrite are groups."""
    compiled, parts = compile_pattern(pattern), _rewrite(rewrite)
    groups = max((part for part in parts if isinstance(part, int)), default=0)
    if groups > compiled.groups:  # RE2 then replaces nothing
        return texts
    if everywhere and _may_match_nothing(compiled):
        return [_encode(_replaced_with_care(compiled, parts, _decode(text))) for text in texts]
    template = "".join(
        part.replace("\\", "\\\\") if isinstance(part, str) else f"\\g<{part}>" for part in parts
    )
    substitute, count = compiled.sub, 0 if everywhere else 1
    return [_encode(substitute(template, source, count)) for source in map(_decode, texts)]


def _may_match_nothing(compiled: re.Pattern[str]) -> bool:
    """Whether an empty part of a text may match.

    Then an empty text matches too, since each assertion but those of words' ends holds there.
    """
    return compiled.search("") is not None or bool(re.search(r"\\[bB]", compiled.pattern))


def _replaced_with_care(compiled: re.Pattern[str], parts: list[str | int], source: str) -> str:
    """All matches replaced, as `re` does but that nothing, right behind a match, is no match."""
    result: list[str] = []
    start = done = 0
    last = -1
    while start <= len(source):
        match = compiled.search(source, start)
        if match is None:
            break
        if match.end() == match.start() == last:
            start = match.end() + 1
            continue
        result.append(source[done : match.start()])
        result.extend(part if isinstance(part, str) else match[part] or "" for part in parts)
        start = done = last = match.end()
    result.append(source[done:])
    return "".join(result)


@lru_cache(maxsize=256)
def compile_pattern(pattern: bytes) -> re.Pattern[str]:
    """The pattern for `re`. Raises ValueError where RE2 refuses it or `re` has no equivalent."""
    text = _decode(pattern)
    try:
        return re.compile(_Translation(text).run())
    except (re.error, _Refusal) as error:
        raise ValueError(f"Invalid pattern: {text}, error: {error}") from None


_decode = methodcaller("decode", "utf-8", "surrogateescape")
_encode = methodcaller("encode", "utf-8", "surrogateescape")


def _rewrite(rewrite: bytes) -> list[str | int]:
    parts: list[str | int] = []
    for piece in re.findall(r"\\.?|[^\\]+", _decode(rewrite), re.DOTALL):
        if piece[0] != "\\":
            parts.append(piece)
        elif piece[1:].isdigit():
            parts.append(int(piece[1:]))
        elif piece == "\\\\":
            parts.append("\\")
        else:
            raise ValueError(
                f"rewrite {rewrite!r} has {piece!r}; a backslash wants a digit or itself"
            )
    return parts


class _Refusal(Exception):
    """What is wrong with a pattern, in RE2's words."""


class _Translation:
    """One pass over a pattern, with the flags of the groups that are open."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.out = pattern, 0, list[str]()
        self.flags: frozenset[str] = frozenset()
        self.groups: list[frozenset[str]] = []  # the flags outside each open group
        self.scopes: list[list[str]] = [[]]  # inline flags opened in each open group

    def run(self) -> str:
        while self.at < len(self.pattern):
            self._step()
        if self.groups:
            raise _Refusal(f"missing ): {self.pattern}")
        self.out.append(")" * len(self.scopes[0]))
        return "".join(self.out)

    def _take(self, count: int = 1) -> str:
        taken = self.pattern[self.at : self.at + count]
        self.at += count
        return taken

    def _step(self) -> None:
        repeat = _REPEAT.match(self.pattern, self.at)
        if repeat:
            self._repeat(repeat[0])
            return
        match char := self._take():
            case "\\":
                self.out.append(self._escape())
            case "[":
                self.out.append(self._class())
            case "(":
                self._open()
            case ")":
                if not self.groups:
                    raise _Refusal(f"unexpected ): {self.pattern}")
                self.out.append(")" * (len(self.scopes.pop()) + 1))
                self.flags = self.groups.pop()
            case "|":
                scopes = self.scopes[-1]
                self.out.append(")" * len(scopes) + "|" + "".join(scopes))
            case ".":
                self.out.append(f"[^{_BROKEN}]" if "s" in self.flags else f"[^\\n{_BROKEN}]")
            case "^":
                self.out.append("(?m:^)" if "m" in self.flags else "^")
            case "$":
                self.out.append("(?m:$)" if "m" in self.flags else "\\Z")
            case _:
                self.out.append(re.escape(char))

    def _repeat(self, operator: str) -> None:
        self._take(len(operator))
        lazy = self.pattern[self.at : self.at + 1] == "?"
        self.at += lazy
        following = _REPEAT.match(self.pattern, self.at)
        if following:
            raise _Refusal(f"bad repetition operator: {operator}{'?' * lazy}{following[0]}")
        if not self.out or self.out[-1] in ("(", "|"):
            raise _Refusal(f"no argument for repetition operator: {operator}")
        self.out.append(operator + "?" * (lazy != ("U" in self.flags)))

    def _open(self) -> None:
        rest = self.pattern[self.at :]
        if not rest.startswith("?"):
            self._push("(", self.flags)
        elif name := re.match(r"\?P?<(\w+)>", rest):
            self.at += name.end()
            self._push(f"(?P<{name[1]}>", self.flags)
        elif flags := re.match(r"\?([imsU]*)(-[imsU]+)?([:)])", rest):
            self.at += flags.end()
            inner = (self.flags | set(flags[1])) - set((flags[2] or "")[1:])
            opening = "(?i:" if "i" in inner else "(?-i:" if "i" in self.flags else "(?:"
            if flags[3] == ":":
                self._push(opening, inner)
            else:
                self.flags = frozenset(inner)
                self.out.append(opening)
                self.scopes[-1].append(opening)
        else:
            raise _Refusal(f"invalid perl operator: ({rest[:2]}")

    def _push(self, opening: str, flags: frozenset[str] | set[str]) -> None:
        self.out.append(opening)
        self.groups.append(self.flags)
        self.scopes.append([])
        self.flags = frozenset(flags)

    def _escape(self) -> str:
        """What a backslash outside of a class means."""
        kind = self.pattern[self.at : self.at + 1]
        if kind and kind in "dws":
            self.at += 1
            return f"[{_PERL[kind]}]"
        if kind and kind in "DWS":
            self.at += 1
            return f"[^{_PERL[kind.lower()]}{_BROKEN}]"
        if kind and kind in "pP":
            self.at += 1
            return f"[{self._category(kind == 'P')}]"
        fixed = {"A": "\\A", "z": "\\Z", "b": "(?a:\\b)", "B": "(?a:\\B)"}
        if kind in fixed:
            self.at += 1
            return fixed[kind]
        if kind == "Q":
            end = self.pattern.find("\\E", self.at)
            literal = self.pattern[self.at + 1 : end if end >= 0 else None]
            self.at = end + 2 if end >= 0 else len(self.pattern)
            return re.escape(literal)
        return self._character()

    def _character(self) -> str:
        """One escaped character, wherever it stands."""
        rest = self.pattern[self.at :]
        code = re.match(r"x\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})", rest)
        octal = re.match(r"0[0-7]{0,2}|[1-7][0-7]{1,2}", rest)
        if code or octal:
            found = code or octal
            assert found is not None
            self.at += found.end()
            value = int(code[1] or code[2], 16) if code else int(found[0], 8)
            if value > sys.maxunicode:
                raise _Refusal(f"invalid escape sequence: \\{found[0]}")
            return re.escape(chr(value))
        char = self._take()
        if char and char in "aftnrv":
            return "\\" + char
        if not char or char.isalnum():
            raise _Refusal(f"invalid escape sequence: \\{char}" if char else "trailing \\")
        return re.escape(char)

    def _category(self, negated: bool) -> str:
        """The members of a Unicode category, \\pN or \\p{Lu}, as the inside of a class."""
        named = re.match(r"\{(\^?)(\w+)\}|(\w)", self.pattern[self.at :])
        if named is None:
            raise _Refusal("invalid character class range")
        self.at += named.end()
        return _category(named[2] or named[3], negated != bool(named[1]))

    def _class(self) -> str:
        start = self.at - 1
        parts = ["[^" + _BROKEN if self._skip("^") else "["]
        first = True
        while first or self.pattern[self.at : self.at + 1] != "]":
            if self.at >= len(self.pattern):
                raise _Refusal(f"missing ]: {self.pattern[start:]}")
            parts.append(self._member())
            first = False
        self.at += 1
        return "".join(parts) + "]"

    def _skip(self, char: str) -> bool:
        found = self.pattern.startswith(char, self.at)
        self.at += len(char) * found
        return found

    def _member(self) -> str:
        """A character, a range or a named class, inside of a class."""
        posix = re.match(r"\[:(\^?)(\w+):\]", self.pattern[self.at :])
        if posix:
            if posix[2] not in _POSIX:
                raise _Refusal(f"invalid character class range: {posix[0]}")
            self.at += posix.end()
            return _complement(_POSIX[posix[2]]) if posix[1] else _POSIX[posix[2]]
        if self.pattern.startswith("\\", self.at):
            kind = self.pattern[self.at + 1 : self.at + 2]
            if kind and kind in "dwsDWSpP":
                self.at += 2
                if kind in "pP":
                    return self._category(kind == "P")
                return _PERL[kind] if kind.islower() else _complement(_PERL[kind.lower()])
        low = self._single()
        ranged = re.match(r"-[^\]]", self.pattern[self.at :])
        if not ranged:
            return low
        self.at += 1
        return f"{low}-{self._single()}"

    def _single(self) -> str:
        return self._character() if self._skip("\\") else re.escape(self._take())


def _complement(members: str) -> str:
    """The other characters, as the inside of a class."""
    inside = re.compile(f"[{members}]")
    return _ranges(tuple(code for code in range(256) if not inside.match(chr(code)))) + (
        "\u0100-\ud7ff\ue000-\U0010ffff"
    )


@lru_cache(maxsize=64)
def _category(name: str, negated: bool) -> str:
    def member(code: int) -> bool:
        return unicodedata.category(chr(code)).startswith(name) != negated

    codes = (*range(0xD800), *range(0xE000, sys.maxunicode + 1))
    members = tuple(code for code in codes if member(code))
    if not members or len(members) == len(codes):
        raise _Refusal(f"invalid character class range: {name}")
    return _ranges(members)


def _ranges(codes: tuple[int, ...]) -> str:
    """Ascending code points as ranges for the inside of a class."""
    parts, start = [], 0
    for place, code in enumerate(codes):
        if place + 1 == len(codes) or codes[place + 1] != code + 1:
            parts.append(f"\\U{codes[start]:08x}-\\U{code:08x}")
            start = place + 1
    return "".join(parts)
