"""Reads of variables in staged forms: `x` becomes `ag__.ld(x)`.

The functions of a staged form share a variable that one of them assigns, so it is a cell there.
Python's error about an empty cell names an enclosing function, which the program lacks. So a
variable without a value holds `Undefined` in a staged form. `ag__.ld` refuses to read that, with
Python's error about a local variable.

Variables that inner functions of the program share need no loads: they have the cells of the
original function.
"""

from __future__ import annotations

import ast
from typing import Any

from graphwright.autograph.syntax import SyntaxPlace
from graphwright.autograph.touched_variables import Names


def leave(node: ast.AST) -> None:
    """Note that a function of the staged form handles variables, not their values."""
    node.asks_variables = True  # type: ignore[attr-defined]


def insert(tree: ast.AST, names: Names) -> None:
    """Replace all reads of the variables in a tree by loads; `del` assigns `Undefined`."""
    _Loads(names).generic_visit(tree)


class _Loads(ast.NodeTransformer):
    def __init__(self, names: Names) -> None:
        self.names = names

    def visit(self, node: ast.AST) -> Any:
        return node if hasattr(node, "asks_variables") else super().visit(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names or not isinstance(node.ctx, ast.Load):
            return node
        load = SyntaxPlace(node).apply("ld", node)
        leave(load)
        return load

    def visit_Delete(self, node: ast.Delete) -> list[ast.AST]:
        """`del x` -> `ag__.ld(x)` and `x = ag__.Undefined('x')`"""
        place = SyntaxPlace(node)
        out: list[ast.AST] = []
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in self.names:
                name = target.id
                out.append(place.statement(self.visit_Name(place.load(name))))
                out.append(place.assign(place.store(name), place.undefined(name)))
            else:
                out.append(ast.Delete([self.visit(target)], **place.span))
        return out
