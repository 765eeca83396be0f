"""A file as it is linted: its text, its tree, and the lines with `noqa`."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from graphwright.lint.finding import Edit, Finding
from graphwright.lint.notebook_cells import BrokenCell, parsed, python_of

NOQA = re.compile(r"#\s*noqa(?P<some>\s*:\s*(?P<codes>[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*))?", re.I)
UNREADABLE = "GW001"


class Unreadable(Exception):
    """The file is no Python: the reason, and the place."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        super().__init__(reason)
        self.line, self.column = line, column


@dataclass
class LintedSource:
    """The text of a Python file or of a notebook's code cells, one after the other."""

    path: str
    text: str
    cells: list[int] = field(default_factory=list)  # the line before each cell of a notebook
    broken: list[Unreadable] = field(default_factory=list)  # the cells that are no Python

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed text; Unreadable where it does not parse."""
        try:
            return parsed(self.text)
        except SyntaxError as error:
            raise Unreadable(error.msg, error.lineno or 1, error.offset or 1) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise Unreadable(str(error) or type(error).__name__) from error

    def finding(self, node: ast.AST, code: str, message: str, fix: tuple[Edit, ...]) -> Finding:
        """A finding at a node of the tree; of a long statement, its first line."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end, end_column = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column)
        if isinstance(node, ast.stmt) and end != line:
            end, end_column = line, len(self.lines[line - 1].encode())
        path, shift = self._place(line)
        return Finding(
            path,
            line - shift,
            self._characters(line, column),
            end - shift,
            self._characters(end, end_column),
            code,
            message,
            fix,
        )

    def unreadable(self) -> list[Finding]:
        """The findings that say which cells are no Python, and are left out."""
        findings = []
        for error in self.broken:
            path, shift = self._place(error.line)
            line = error.line - shift
            place = path, line, error.column, line, error.column
            findings.append(Finding(*place, UNREADABLE, f"cell not linted: {error}"))
        return findings

    def _place(self, line: int) -> tuple[str, int]:
        """The path to show for a line, and the number of lines before its cell."""
        before = [start for start in self.cells if start < line]
        if not before:
            return self.path, 0
        return f"{self.path}:cell {len(before)}", before[-1]

    def _characters(self, line: int, column: int) -> int:
        """A column in characters from 1, for one in bytes from 0."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return column + 1
        return len(text.encode()[:column].decode(errors="replace")) + 1

    def allows(self, finding: Finding) -> bool:
        """Whether neither the first nor the last line of a finding has a `noqa` for it."""
        shift = 0
        if self.cells:
            shift = self.cells[int(finding.path.rsplit(" ", 1)[1]) - 1]
        for number in {finding.line + shift, finding.end_line + shift}:
            text = self.lines[number - 1] if number <= len(self.lines) else ""
            match = NOQA.search(text) if "#" in text else None
            if match and not match["some"]:
                return False
            if match and any(
                finding.code.startswith(code.upper())
                for code in re.split(r"[,\s]+", match["codes"])
            ):
                return False
        return True


def read(path: Path) -> LintedSource:
    """The text of a file in the encoding that it states; Unreadable where it has another."""
    content = path.read_bytes()
    try:
        if path.suffix == ".ipynb":
            return notebook(str(path), content.decode("utf-8-sig"))
        text = io.TextIOWrapper(io.BytesIO(content), encoding_of(content), newline=None).read()
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise Unreadable(f"its encoding cannot be read: {error}") from error
    return LintedSource(str(path), text)


def encoding_of(content: bytes) -> str:
    """The encoding that a Python file states, by a mark at its start or a comment."""
    return tokenize.detect_encoding(io.BytesIO(content).readline)[0]


def notebook(path: str, content: str) -> LintedSource:
    """The code cells of a notebook, without magics."""
    try:
        document = json.loads(content)
        sources = [c["source"] for c in document["cells"] if c["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"it is no notebook: {error}") from error
    lines: list[str] = []
    notebook_source = LintedSource(path, "")
    for source in sources:
        text = source if isinstance(source, str) else "".join(source)
        start = len(lines)
        notebook_source.cells.append(start)
        try:
            lines += python_of(text).split("\n")
        except BrokenCell as error:
            lines += ["#" + line for line in text.split("\n")]
            place = start + error.line, error.column
            notebook_source.broken.append(Unreadable(str(error), *place))
    notebook_source.text = "\n".join(lines) + "\n"
    return notebook_source
