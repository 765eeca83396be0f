"""Makes a page of each public name, of its docstring: what tools/site_pages.py adds to the site.

The names need the package, and its pages take a minute to build. So they are made only where the
environment has `API_PAGES=1`, which is how a release is built.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from tools.write_api_docs import namespaces

SECTION = re.compile(r"^(Args|Returns|Yields|Raises|Example|Source):$")
ENTRY = re.compile(r"^    (\*{0,2}\w[\w.]*): ")
#: Annotations are strings, since modules import `annotations`.
QUOTED = re.compile(r""": (['"])(.*?)\1(?=$| =)""")
NAMESPACE = re.compile(r"^## (\S+)$")
LINE = re.compile(r"^- `(\w+)`:")


def markdown(docstring: str, level: str = "##") -> str:
    """The Markdown of a docstring: headings of its sections, lists of arguments, code as blocks."""
    lines: list[str] = []
    in_code, in_section = False, False
    for line in inspect.cleandoc(docstring).splitlines():
        starts_code = line.lstrip().startswith(">>>")
        if starts_code and not in_code:
            lines.append("```pycon")
        elif in_code and not line.strip():
            lines.append("```")
        in_code = starts_code or (in_code and bool(line.strip()))
        if in_code:
            lines.append(line)
        elif head := SECTION.match(line):
            lines += [f"{level} {head[1]}", ""]
            in_section = True
        elif in_section and ENTRY.match(line):
            lines.append(ENTRY.sub(r"- `\1`: ", line))
        else:
            in_section = in_section and (not line or line.startswith(" "))
            lines.append("  " + line.lstrip() if line.startswith("     ") else line.lstrip())
    return "\n".join([*lines, *(["```"] if in_code else [])])


def signature(name: str, value: Any) -> str:
    """A block with the call of a function or class, or nothing where Python knows none."""
    try:
        parameters = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    lines = [QUOTED.sub(r": \2", str(p)) for p in parameters.parameters.values()]
    returned = parameters.return_annotation
    gives = "" if returned is inspect.Signature.empty else f" -> {returned}"
    short = f"{name}({', '.join(lines)}){gives}"
    if len(short) > 90:
        short = f"{name}(\n" + "".join([f"    {line},\n" for line in lines]) + f"){gives}"
    return f"```python\n{short}\n```\n\n"


def page(name: str, value: Any, others: list[str]) -> str:
    """The page of a public name: its call, its docstring, its public methods."""
    parts = [f"# {name}\n\n", signature(name, value)]
    if others:
        parts.append("Also " + ", ".join([f"`{other}`" for other in others]) + ".\n\n")
    parts.append(markdown(value.__doc__ or "") + "\n")
    if inspect.isclass(value):
        for member in sorted(name for name in dir(value) if not name.startswith("_")):
            method = inspect.getattr_static(value, member)
            text = inspect.getdoc(method)
            if text and method.__class__.__module__ != "enum":
                bound = getattr(value, member, None)  # some only refuse
                call = bound if callable(bound) else None
                shown = signature(member, call) if call else ""
                parts.append(f"\n## {member}\n\n{shown}{markdown(text, '###')}\n")
    return "".join(parts)


def pages() -> dict[str, str]:
    """The pages of public names but raw ops, by address: one page for all names of a value."""
    values: dict[int, Any] = {}
    names: dict[int, list[str]] = {}
    for path, module, own in namespaces():
        for name in own if path != "tf.raw_ops" else []:
            value = getattr(module, name)
            if (inspect.isclass(value) or callable(value)) and value.__doc__:
                values[id(value)] = value
                names.setdefault(id(value), []).append(f"{path}.{name}")
    return {
        f"api/{first}.md": page(first, values[key], others)
        for key, (first, *others) in names.items()
    }


def linked(listing: str, made: dict[str, str]) -> str:
    """The list of public names with links to those pages that are made.

    >>> print(linked("## tf.nn\\n\\n- `relu`: Cuts.\\n- `x`: No page.", {"api/tf.nn.relu.md": ""}))
    ## tf.nn
    <BLANKLINE>
    - [`relu`](api/tf.nn.relu.md): Cuts.
    - `x`: No page.
    """
    path, lines = "", []
    for line in listing.splitlines():
        if heading := NAMESPACE.match(line):
            path = heading[1].replace("\\_", "_")
        entry = LINE.match(line)
        address = f"api/{path}.{entry[1]}.md" if entry else ""
        lines.append(LINE.sub(rf"- [`\1`]({address}):", line) if address in made else line)
    return "\n".join(lines)
