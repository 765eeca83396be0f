"""The code cells of a notebook as Python: without magics, shell commands and questions.

The lines stay where they are, so that findings keep their places.
"""

from __future__ import annotations

import ast
import re
import warnings

#: Cell magics whose cells are Python.
_PYTHON = re.compile(r"%%(time|timeit|capture|prun|memit|mprun|python3?|debug)\b")
#: A line for IPython or the shell, one that assigns its output, and a question.
_MAGIC = re.compile(r"^(\s*)([%!?]|(?:cd|ls|pip|conda)\s+[\w./~-]+\s*$)")
_OUTPUT = re.compile(r"^(\s*[\w, ]+=\s*)[%!](?!=).*")
_QUESTION = re.compile(r"^(\s*)[\w.%*]+\?{1,2}\s*$")


class BrokenCell(Exception):
    """A cell that is no Python: why, and the line and column in it."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.line, self.column = line, column


def python_of(text: str) -> str:
    """A cell as Python, line by line; BrokenCell where it is none.

    >>> python_of("%matplotlib inline\\nx = !ls \\\\\\n  -l\\nx?")
    'pass\\nx = None\\n#  -l\\npass'
    >>> python_of("  %%bash\\n  echo 1")
    '#%%bash\\n#echo 1'
    """
    lines = without_margin(text.split("\n"))
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if not _PYTHON.match(lines[first]):
            return "\n".join(["#" + line for line in lines])
        lines[first] = "#" + lines[first]
        lines = [*lines[: first + 1], *without_margin(lines[first + 1 :])]
    if reason(lines) is None:
        return "\n".join(lines)  # a line in a string or in parentheses may look like a magic
    lines = without_magics(lines)
    error = reason(lines)
    if error is not None:
        raise BrokenCell(error.msg, error.lineno or 1, error.offset or 1)
    return "\n".join(lines)


def without_margin(lines: list[str]) -> list[str]:
    """Lines without the indentation that the first of them has."""
    first = next((line for line in lines if line.strip()), "")
    margin = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(margin) for line in lines] if margin else list(lines)


def without_magics(lines: list[str]) -> list[str]:
    """Lines in which `pass` and None stand for what IPython and the shell run."""
    python: list[str] = []
    goes_on = False  # the line before ends with a backslash, and is no Python
    for line in lines:
        if goes_on:
            python.append("#" + line)
            goes_on = line.rstrip().endswith("\\")
            continue
        output = _OUTPUT.match(line)
        other = output or _MAGIC.match(line) or _QUESTION.match(line)
        goes_on = other is not None and line.rstrip().endswith("\\")
        if other is None:
            python.append(line)
        else:
            python.append(f"{other[1]}{'None' if output else 'pass'}")
    return python


def reason(lines: list[str]) -> SyntaxError | None:
    """Why lines are no Python, or None."""
    try:
        parsed("\n".join(lines) + "\n")
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error) or type(error).__name__)
    return None


def parsed(text: str) -> ast.Module:
    """The tree of a text, without warnings of the text's own escapes and comparisons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
