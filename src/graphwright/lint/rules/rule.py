"""Rules, and the table of all rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import ClassVar

from graphwright.lint.analysis import Analysis, Place
from graphwright.lint.finding import Edit, Finding

#: Every rule by its code; filled as the modules of the rules are imported.
RULES: dict[str, Rule] = {}


class Rule:
    """One mistake that it finds. The first line of a rule's docstring is its summary."""

    code: ClassVar[str]
    #: The nodes of staged functions that `visit` is called with.
    nodes: ClassVar[tuple[type[ast.AST], ...]] = ()

    def __init_subclass__(cls) -> None:
        if "code" not in cls.__dict__:
            return  # a base of several rules
        rule = cls()
        if cls.code in RULES:
            raise ValueError(f"two rules have the code {cls.code}")
        RULES[cls.code] = rule

    @property
    def summary(self) -> str:
        """The rule in a sentence."""
        return str(self.__doc__).splitlines()[0].rstrip(".")

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        """The findings at one node of a staged function."""
        yield from ()

    def check_function(self, place: Place) -> Iterator[Finding]:
        """The findings of a staged function as a whole."""
        yield from ()

    def check_module(self, analysis: Analysis) -> Iterator[Finding]:
        """The findings of a file as a whole: where staged functions are wrapped and called."""
        yield from ()

    def finding(
        self, place: Place | Analysis, node: ast.AST, message: str, fix: list[Edit] | None = None
    ) -> Finding:
        """A finding of this rule."""
        return place.finding(node, self.code, message, fix)
