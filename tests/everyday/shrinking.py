"""The smallest program that differs still."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

from everyday.programs import Program

Judge = Callable[[Program], bool]


def shrink(program: Program, differs: Judge, seconds: float = 60.0) -> Program:
    """A smaller program of which `differs` holds; the smallest there is if time allows."""
    end = time.monotonic() + seconds
    tried: set[Program] = set()
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for candidate in smaller(program):
            if time.monotonic() > end:
                break
            if candidate in tried or size(candidate) >= size(program):
                continue
            tried.add(candidate)
            if differs(candidate):
                program, progress = candidate, True
                break
    return program


def size(program: Program) -> tuple[int, int]:
    """How large a program is: parts of its text, then letters."""
    trees = [ast.parse(program.source), *(ast.parse(c) for c in program.calls)]
    parts = sum(1 for tree in trees for node in ast.walk(tree))
    return parts, len(program.source) + sum(map(len, program.calls))


def smaller(program: Program) -> Iterator[Program]:
    """Programs that are smaller in one place, those that lose most first."""
    for i in range(len(program.calls)):
        if len(program.calls) > 1:
            yield program._replace(calls=program.calls[:i] + program.calls[i + 1 :])
    tree = ast.parse(program.source)
    for edit in (*statement_edits(tree), *expression_edits(tree)):
        try:
            source = ast.unparse(ast.fix_missing_locations(edit()))
            ast.parse(source)  # a slice in the place of an expression is no program
        except (SyntaxError, ValueError):
            continue
        yield program._replace(source=source)
    for i, text in enumerate(program.calls):
        call = ast.parse(text, mode="eval")
        for edit in expression_edits(call):
            changed = ast.unparse(edit())
            yield program._replace(calls=(*program.calls[:i], changed, *program.calls[i + 1 :]))


def located(tree: ast.AST) -> list[tuple[int, ast.AST]]:
    """Nodes with their numbers, which a copy of the tree has too."""
    return list(enumerate(ast.walk(tree)))


def node_at(tree: ast.AST, number: int) -> ast.AST:
    """The node with a number."""
    for i, node in enumerate(ast.walk(tree)):
        if i == number:
            return node
    raise IndexError(number)


def statement_edits(tree: ast.AST) -> list[Callable[[], ast.AST]]:
    """A block, half of one, or a statement is left out, or gives way to what is in it."""
    edits: list[tuple[int, Callable[[], ast.AST]]] = []
    for number, node in located(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            spans = {(i, i + 1) for i in range(len(block))}
            half = len(block) // 2
            if half > 1:
                spans |= {(0, half), (half, len(block))}
            for start, stop in spans:
                lost = sum(sum(1 for _ in ast.walk(s)) for s in block[start:stop])
                edits.append((lost, removal(tree, number, field, start, stop)))
                inner = [s for s in block[start:stop] if getattr(s, "body", None)]
                if stop - start == 1 and inner and not isinstance(inner[0], ast.FunctionDef):
                    edits.append((1, opening(tree, number, field, start, "body")))
                    if getattr(inner[0], "orelse", None):
                        edits.append((1, opening(tree, number, field, start, "orelse")))
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            edits.append((2, emptied(tree, number, "decorator_list")))
    return [edit for _, edit in sorted(edits, key=lambda pair: -pair[0])]


def emptied(tree: ast.AST, number: int, field: str) -> Callable[[], ast.AST]:
    """A list of a node is empty."""

    def edit() -> ast.AST:
        changed = copy.deepcopy(tree)
        setattr(node_at(changed, number), field, [])
        return changed

    return edit


def removal(tree: ast.AST, number: int, field: str, start: int, stop: int) -> Callable[[], ast.AST]:
    """Statements of a block are left out."""

    def edit() -> ast.AST:
        changed = copy.deepcopy(tree)
        block = getattr(node_at(changed, number), field)
        block[start:stop] = []
        if not block and field == "body":
            block.append(ast.Pass())
        return changed

    return edit


def opening(
    tree: ast.AST, number: int, field: str, start: int, inner: str
) -> Callable[[], ast.AST]:
    """A statement gives way to the statements in it."""

    def edit() -> ast.AST:
        changed = copy.deepcopy(tree)
        block = getattr(node_at(changed, number), field)
        block[start : start + 1] = getattr(block[start], inner)
        return changed

    return edit


_CONSTANTS = ("0", "1", "0.0", "1.0", "True", "tf.constant(1)", "tf.constant(1.0)")


def expression_edits(tree: ast.AST) -> list[Callable[[], ast.AST]]:
    """An expression gives way to one in it, or to a constant; a list loses an item."""
    edits: list[tuple[int, Callable[[], ast.AST]]] = []
    for number, node in located(tree):
        for field, value in ast.iter_fields(node):
            places = [(field, None, value)] if isinstance(value, ast.expr) else []
            if isinstance(value, list):
                places += [(field, i, v) for i, v in enumerate(value) if isinstance(v, ast.expr)]
                if len(value) > 1 and field in ("elts", "args", "values", "keywords"):
                    edits += [(2, dropped(tree, number, field, i)) for i in range(len(value))]
            for name, i, old in places:
                if isinstance(getattr(old, "ctx", None), (ast.Store, ast.Del)):
                    continue
                weight = sum(1 for _ in ast.walk(old))
                parts = [p for p in ast.walk(old) if isinstance(p, ast.expr) and p is not old]
                parts = [p for p in parts if not isinstance(getattr(p, "ctx", None), ast.Store)]
                for part in parts[:12]:
                    lost = weight - sum(1 for _ in ast.walk(part))
                    edits.append((lost, replacement(tree, number, name, i, part)))
                if weight > 1 and field != "func":
                    for text in _CONSTANTS:
                        part = ast.parse(text, mode="eval").body
                        edits.append((weight - 1, replacement(tree, number, name, i, part)))
    return [edit for _, edit in sorted(edits, key=lambda pair: -pair[0])]


def dropped(tree: ast.AST, number: int, field: str, index: int) -> Callable[[], ast.AST]:
    """A list of expressions has one less."""

    def edit() -> ast.AST:
        changed = copy.deepcopy(tree)
        del getattr(node_at(changed, number), field)[index]
        return changed

    return edit


def replacement(
    tree: ast.AST, number: int, field: str, index: int | None, part: ast.AST
) -> Callable[[], ast.AST]:
    """An expression gives way to another one."""

    def edit() -> ast.AST:
        changed, new = copy.deepcopy(tree), copy.deepcopy(part)
        node = node_at(changed, number)
        if index is None:
            setattr(node, field, new)
        else:
            getattr(node, field)[index] = new
        return changed

    return edit
