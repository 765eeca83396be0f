"""Findings of rules, and the changes that mend them."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Edit:
    """A new text between two places; lines from 1, columns in UTF-8 bytes as in `ast`."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str

    @staticmethod
    def of(node: ast.expr, text: str) -> Edit:
        """The edit that replaces an expression."""
        end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return Edit((node.lineno, node.col_offset), end, text)


@dataclass(frozen=True, order=True)
class Finding:
    """One place where something will go wrong; columns from 1, in characters."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    message: str
    fix: tuple[Edit, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"
