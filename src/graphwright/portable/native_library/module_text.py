"""Several texts of LLVM as one module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_DEFINED = re.compile(r"^define [^@\n]*@([\w.]+)", re.MULTILINE)
_DECLARED = re.compile(r"^declare [^@\n]*@([\w.]+)|^@([\w.]+) = external ")
_OBJECT = re.compile(r"^@([\w.]+) = ")


def private(text: str, suffix: str, names: Mapping[str, str] | None = None) -> str:
    """A text whose functions nobody outside the module sees.

    Their names get a suffix, unless `names` has others for them.
    """
    names = names or {}
    defined = sorted(_DEFINED.findall(text), key=len, reverse=True)
    if defined:
        pattern = re.compile(rf"@({'|'.join(map(re.escape, defined))})(?![\w.])")
        text = pattern.sub(lambda m: f"@{names.get(m[1], m[1] + suffix)}", text)
    return re.sub(r"^define (?!internal )", "define internal ", text, flags=re.MULTILINE)


def joined(texts: Sequence[str]) -> str:
    """One module of several texts, which may declare the same things and have the same constants.

    What one text defines and another one declares is declared no more.
    """
    declarations: dict[str, str] = {}
    objects: dict[str, str] = {}
    rest: list[str] = []
    attributes: set[str] = set()
    for line in "\n".join(texts).splitlines():
        declared, thing = _DECLARED.match(line), _OBJECT.match(line)
        if declared:
            declarations.setdefault(declared[1] or declared[2], line)
        elif thing:
            if objects.setdefault(thing[1], line) != line:
                raise ValueError(f"two objects are called {thing[1]}")
        elif line.startswith("attributes "):
            if line not in attributes:
                attributes.add(line)
                rest.append(line)
        else:
            rest.append(line)
    body = "\n".join(rest)
    here = {*_DEFINED.findall(body), *objects}
    missing = [line for name, line in declarations.items() if name not in here]
    return "\n".join([*missing, *objects.values(), body])


def referred(text: str) -> set[str]:
    """The names that a text declares and does not define, without LLVM's own."""
    names = [m[1] or m[2] for m in map(_DECLARED.match, text.splitlines()) if m]
    return {name for name in names if not name.startswith("llvm.")} - set(_DEFINED.findall(text))
