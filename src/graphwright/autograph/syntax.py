"""New syntax at the place of a node of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar

# Names in converted code.
OPERATORS = "ag__"  # its operators
SITES = "ag_sites"  # its `Sites`
CALLS = "ag_calls"  # the callees of its calls (see `conversion`)
CALL = "ag_call"  # one of these
KNOWN = "ag_known"  # in the parts of a staged statement: the tensor that decides


_LOAD, _STORE = ast.Load(), ast.Store()
_Node = TypeVar("_Node", bound=ast.AST)


if TYPE_CHECKING:  # the class of a TypedDict compiles the annotations
    from typing import TypedDict

    class Start(TypedDict):
        """Where a node begins, as its constructor takes that."""

        lineno: int
        col_offset: int

    class Span(Start):
        """Where a node begins and ends."""

        end_lineno: int | None
        end_col_offset: int | None


#: A node that has a place in the source.
Placed: TypeAlias = ast.stmt | ast.expr | ast.excepthandler
#: A statement with blocks of the same function in it. `except*` has the fields of `ast.Try`.
Compound: TypeAlias = ast.If | ast.While | ast.For | ast.With | ast.Match | ast.Try
#: A value that generated code has written out.
Constant: TypeAlias = str | int | tuple["str | int", ...] | None

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a statement, without those in its statements."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if block:
            yield block
    for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield inner.body


TRIES = frozenset({ast.Try, getattr(ast, "TryStar", ast.Try)})  # the second one from 3.11 on
COMPOUND = TRIES | {ast.If, ast.While, ast.For, ast.With, ast.Match}


def is_try(node: ast.AST) -> TypeGuard[ast.Try]:
    """Whether the node is a try statement, with `except` or `except*`."""
    return type(node) in TRIES


def is_compound(node: ast.AST) -> TypeGuard[Compound]:
    """Whether statements of the same function are in the node."""
    return type(node) in COMPOUND


def with_type_params(node: ast.stmt) -> None:
    """Complete a new definition, which has type parameters from Python 3.12 on."""
    if "type_params" in node._fields:
        definition: Any = node
        definition.type_params = []


def copied(node: _Node) -> _Node:
    """A copy of the node around the same parts."""
    new: _Node = type(node)(**{name: getattr(node, name, None) for name in node._fields})
    return ast.copy_location(new, node) if hasattr(node, "lineno") else new


def is_docstring(node: ast.stmt) -> bool:
    """Whether the first statement of a function is its documentation."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


class SyntaxPlace:
    """Makes nodes at the place of `node`, so that they have the lines of the program.

    The place of a statement with blocks is its head. It is in one line: Python would give the call
    of an attribute the last of several.
    """

    __slots__ = ("span",)

    def __init__(self, node: Placed) -> None:
        end = getattr(node, "test", None) or getattr(node, "iter", None) or node
        one_line = end.end_lineno == node.lineno
        self.span: Span = {
            "lineno": node.lineno,
            "col_offset": node.col_offset,
            "end_lineno": node.lineno,
            "end_col_offset": end.end_col_offset if one_line else node.col_offset + 1,
        }

    def here(self, node: _Node) -> _Node:
        """The node, moved to the place. For so many nodes, keywords would be too slow."""
        node.__dict__.update(self.span)
        return node

    def load(self, name: str) -> ast.Name:
        return self.here(ast.Name(name, _LOAD))

    def store(self, name: str) -> ast.Name:
        return self.here(ast.Name(name, _STORE))

    def constant(self, value: Constant) -> ast.Constant:
        literal: Any = value  # the types of `ast` know no tuples
        return self.here(ast.Constant(literal))

    def operator(self, name: str) -> ast.Attribute:
        """`ag__.name`"""
        return self.attribute(self.load(OPERATORS), name)

    def attribute(self, value: ast.expr, name: str) -> ast.Attribute:
        """`value.name`"""
        return self.here(ast.Attribute(value, name, _LOAD))

    def apply(self, name: str, *args: ast.expr) -> ast.Call:
        """`ag__.name(args)`"""
        return self.here(ast.Call(self.operator(name), list(args), []))

    def call(self, name: str, *args: ast.expr) -> ast.Call:
        """`name(args)`"""
        return self.here(ast.Call(self.load(name), list(args), []))

    def tuple(self, items: Sequence[ast.expr], ctx: ast.expr_context | None = None) -> ast.Tuple:
        return self.here(ast.Tuple(list(items), ctx or _LOAD))

    def names(self, names: Iterable[str]) -> ast.Tuple:
        """The names as strings: `('x', 'y')`."""
        return self.tuple([self.constant(name) for name in names])

    def compare(self, value: ast.expr, op: ast.cmpop, other: ast.expr) -> ast.Compare:
        return self.here(ast.Compare(value, [op], [other]))

    def all(self, tests: Sequence[ast.expr]) -> ast.expr:
        """`a and b and ...`"""
        if len(tests) == 1:
            return tests[0]
        return self.here(ast.BoolOp(ast.And(), list(tests)))

    def negation(self, value: ast.expr) -> ast.UnaryOp:
        return self.here(ast.UnaryOp(ast.Not(), value))

    def identical(self, value: ast.expr, constant: bool) -> ast.Compare:
        """`value is True`"""
        return self.here(ast.Compare(value, [ast.Is()], [self.constant(constant)]))

    def negated(self, test: ast.Compare) -> ast.Compare:
        """`value is not True` for `value is True`"""
        return self.here(ast.Compare(test.left, [ast.IsNot()], test.comparators))

    def either(self, values: Sequence[ast.expr]) -> ast.expr:
        """`a or b or ...`"""
        if len(values) == 1:
            return values[0]
        return self.here(ast.BoolOp(ast.Or(), list(values)))

    def thunk(self, value: ast.expr) -> ast.Lambda:
        """`lambda: value`"""
        return self.here(ast.Lambda(_no_arguments(), value))

    def assign(self, target: ast.expr, value: ast.expr) -> ast.Assign:
        return self.here(ast.Assign([target], value, None))

    def set(self, name: str, value: Constant) -> ast.Assign:
        """`name = constant`"""
        return self.assign(self.store(name), self.constant(value))

    def statement(self, value: ast.expr) -> ast.Expr:
        return self.here(ast.Expr(value))

    def nothing(self) -> ast.Pass:
        return self.here(ast.Pass())

    def branch(
        self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt] | None = None
    ) -> ast.If:
        return self.here(ast.If(test, body, orelse or []))

    def leave(self) -> ast.Break:
        return self.here(ast.Break())

    def result(self, value: ast.expr | None) -> ast.Return:
        return self.here(ast.Return(value))

    def function(self, name: str, params: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
        arguments = _no_arguments()
        arguments.args = [self.here(ast.arg(param, None, None)) for param in params]
        node = self.here(ast.FunctionDef(name, arguments, body, [], None, None))
        with_type_params(node)
        return node

    def undefined(self, name: str) -> ast.Call:
        """`ag__.Undefined('name')`"""
        return self.apply("Undefined", self.constant(name))

    def declare(self, name: str) -> ast.AnnAssign:
        """`name: ag__.Undefined`: the name is local here; nothing runs."""
        return self.here(ast.AnnAssign(self.store(name), self.operator("Undefined"), None, 1))


def _no_arguments() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])


class Fresh:
    """Makes names that the function does not use."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._made: set[str] = set()

    def name(self, wish: str) -> str:
        name, number = wish, 1
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        self._made.add(name)
        return name

    def has_made(self, name: str) -> bool:
        """Whether `name` made the name."""
        return name in self._made


def parameters(args: ast.arguments) -> list[str]:
    """The names of all parameters, in order."""
    names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    names += [args.vararg.arg] if args.vararg else []
    names += [arg.arg for arg in args.kwonlyargs]
    names += [args.kwarg.arg] if args.kwarg else []
    return names
