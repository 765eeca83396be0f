"""Says which docstrings of public functions lack something of the one form.

    python -m tools.docstrings ops/math

Without a folder of the package it names the functions of all. The form: a summary, Args, Returns,
Raises, an example, Source.
"""

from __future__ import annotations

import builtins
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import graphwright as tf
from graphwright.op.dispatch import closed
from graphwright.op.refusal import own_form
from tools.write_api_docs import namespaces

PACKAGE = Path(tf.__file__).parent
#: The sections, in their order.
SECTIONS = ("Args", "Returns", "Yields", "Raises", "Example", "Source")
_HEAD = re.compile(rf"^({'|'.join(SECTIONS)}):$", re.M)


def functions() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """The public functions that are written here: public name, function, folder.

    Those of `tf.raw_ops` are made of the ops' records, and are no texts of their own.
    """
    seen: set[types.CodeType] = set()
    for path, module, names in namespaces():
        if path == "tf.raw_ops":
            continue
        for name in names:
            value = own_form(closed(getattr(module, name)))
            code = getattr(value, "__code__", None)
            if not isinstance(code, types.CodeType) or code in seen:
                continue
            file = Path(code.co_filename)
            if file.is_relative_to(PACKAGE) and file.exists():
                seen.add(code)
                yield f"{path}.{name}", value, str(file.parent.relative_to(PACKAGE))


def sections(doc: str) -> dict[str, str]:
    """The sections of a docstring by name; "" is what comes before them."""
    parts = _HEAD.split(doc)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def entries(section: str) -> dict[str, str]:
    """The entries of a section: `name: text`, indented by four."""
    return dict(re.findall(r"^ {4}(\*{0,2}\w+)(?: \([^)]*\))?: (.*)$", section, re.M))


def faults(function: Callable[..., Any]) -> list[str]:
    """What a docstring lacks."""
    doc = inspect.getdoc(function) or ""
    found = sections(doc)
    words = []
    first = found[""].strip().split("\n\n")[0].replace("\n", " ")
    if not re.match(r".{1,200}?[.:]( |$)", first):
        words.append("its first paragraph is no sentence")
    order = [s for s in SECTIONS if s in found]
    if order != [s for s in found if s]:
        words.append(f"the order of its sections is {[s for s in found if s]}")
    signature = inspect.signature(function)
    wanted = {
        ("*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else "") + p.name
        for p in signature.parameters.values()
    }
    named = entries(found.get("Args", "")).keys()
    if wanted != named:
        words.append(f"Args lacks {sorted(wanted - named)} and has {sorted(named - wanted)}")
    if signature.return_annotation not in (None, "None") and not {"Returns", "Yields"} & {*found}:
        words.append("it has no Returns")
    for name in entries(found.get("Raises", "")):
        if not (hasattr(builtins, name) or hasattr(tf.errors, name)):
            words.append(f"Raises names {name}, which is no exception")
    if ">>>" not in doc:
        words.append("it has no example")
    return words


def main(folders: Sequence[str]) -> None:
    """Prints the functions of folders that lack something."""
    for public, function, folder in functions():
        missing = faults(function)
        if missing and (not folders or folder in folders):
            code = function.__code__
            place = f"{Path(code.co_filename).relative_to(PACKAGE)}:{code.co_firstlineno}"
            print(f"{place} {public}: {'; '.join(missing)}")


if __name__ == "__main__":
    main(sys.argv[1:])
