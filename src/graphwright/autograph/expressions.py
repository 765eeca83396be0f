"""Expressions whose meaning may depend on tensors become calls of operators.

    f(x)              ag__.converted_call(f)(x)
    a and b           ag__.and_(a, lambda: b)
    not a             ag__.not_(a)
    a if c else b     ag__.if_exp(c, lambda: a, lambda: b)
    a < b <= c        ag__.chain(a, '<', lambda: b, '<=', lambda: c)
    a in b            ag__.in_(a, b)
    super()           super(__class__, self)

What cannot depend on a tensor, such as `x is None`, stays. So does an operator whose lazy
part assigns a variable (`a and (b := c)`): it is Python's, and refuses tensors.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphwright.autograph.syntax import At, Fresh

_SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def is_python_bool(node: ast.expr) -> bool:
    """Whether the value is one of Python's bools (or a constant) whatever its operands are."""
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_python_bool(node.operand)
    if isinstance(node, ast.BoolOp):
        return all(map(is_python_bool, node.values))
    return isinstance(node, ast.Constant)


def assigns(node: ast.AST) -> bool:
    """Whether evaluating the expression may bind a variable."""
    return any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node))


@dataclass(frozen=True)
class Options:
    """How to convert.

    `inline` writes the Python form beside the staged one, for values that are not tensors;
    `recursive` converts what is called.
    """

    inline: bool = True
    recursive: bool = True


def _branches(node: ast.AST) -> bool:
    """Whether the expression holds others whose code would be doubled twice."""
    return any(isinstance(inner, (ast.BoolOp, ast.IfExp)) for inner in ast.walk(node))


class Expressions:
    """Converts the expressions of one function, in place where they keep their shape.

    `first` is the function's first parameter, for `super()`.
    """

    def __init__(self, first: str | None, options: Options, fresh: Fresh) -> None:
        self.first = first
        self.options = options
        self.fresh = fresh
        self.nested = 0  # how many comprehensions are around

    def convert(self, node: Any) -> Any:
        """The node that replaces `node`, which may be an expression or a simple statement."""
        handler = _HANDLERS.get(type(node))
        return node if handler is None else handler(self, node)

    def inside(self, node: Any) -> Any:
        """Convert what the node holds and keep the node."""
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                setattr(node, name, self.convert(value))
            elif isinstance(value, list):
                value[:] = [self.convert(item) for item in value]
        return node

    def call(self, node: ast.Call) -> ast.expr:
        at = At(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            if not node.args and not node.keywords and self.first is not None:
                node.args = [at.load("__class__"), at.load(self.first)]
            return node
        self.inside(node)
        if self.options.recursive:
            node.func = At(node.func).apply("converted_call", node.func)
        return node

    def boolean(self, node: ast.BoolOp) -> ast.expr:
        lazy = node.values[1:]
        first = node.values[0]
        plain = all(map(is_python_bool, node.values[:-1])) or any(map(assigns, lazy))
        quick = self.options.inline and not self.nested and not any(map(_branches, lazy))
        self.inside(node)
        if plain:
            return node
        at = At(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        first, *rest = node.values
        if not quick:
            return at.apply(name, first, *map(at.thunk, rest))
        return self.quick_boolean(name, first, rest, at)

    def quick_boolean(self, name: str, first: ast.expr, rest: list[ast.expr], at: At) -> ast.expr:
        """`t if (t := a) is False else b if t is True else ag__.and_(t, lambda: b)`"""
        final, on = (False, True) if name == "and_" else (True, False)
        if isinstance(first, ast.Name):
            kept = first.id
        else:
            kept = self.fresh.name("ag_value")
            first = ast.NamedExpr(at.store(kept), first, **at.place)
        slow = at.apply(name, at.load(kept), *map(at.thunk, rest))
        more = rest[0] if len(rest) == 1 else self.quick_boolean(name, rest[0], rest[1:], at)
        more = ast.IfExp(at.identical(at.load(kept), on), more, slow, **at.place)
        return ast.IfExp(at.identical(first, final), at.load(kept), more, **at.place)

    def unary(self, node: ast.UnaryOp) -> ast.expr:
        plain = not isinstance(node.op, ast.Not) or is_python_bool(node.operand)
        self.inside(node)
        if plain:
            return node
        at, operand = At(node), node.operand
        slow = at.apply("not_", operand)
        if not (self.options.inline and isinstance(operand, ast.Name)):
            return slow
        rest = ast.BoolOp(ast.And(), [at.negated(at.identical(operand, True)), slow], **at.place)
        return at.either([at.identical(operand, False), rest])

    def comprehension(self, node: Any) -> Any:
        self.nested += 1
        self.inside(node)
        self.nested -= 1
        return node

    def conditional(self, node: ast.IfExp) -> ast.expr:
        plain = is_python_bool(node.test) or assigns(node.body) or assigns(node.orelse)
        self.inside(node)
        if plain:
            return node
        at = At(node)
        return at.apply("if_exp", node.test, at.thunk(node.body), at.thunk(node.orelse))

    def comparison(self, node: ast.Compare) -> ast.expr:
        plain = is_python_bool(node) or (
            len(node.ops) > 1 and any(map(assigns, node.comparators[1:]))
        )
        self.inside(node)
        if plain:
            return node
        at = At(node)
        if len(node.ops) == 1:
            if isinstance(node.ops[0], ast.In):
                return at.apply("in_", node.left, node.comparators[0])
            if isinstance(node.ops[0], ast.NotIn):
                return at.apply("not_", at.apply("in_", node.left, node.comparators[0]))
            return node
        links: list[ast.expr] = []
        for op, operand in zip(node.ops, node.comparators):
            links += [at.constant(_SYMBOLS[type(op)]), at.thunk(operand)]
        return at.apply("chain", node.left, *links)

    def lambda_(self, node: ast.Lambda) -> ast.expr:
        args = node.args.args
        inner = Expressions(args[0].arg if args else None, self.options, self.fresh)
        self.inside(node.args)
        node.body = inner.convert(node.body)
        return node

    def assertion(self, node: ast.Assert) -> ast.stmt:
        plain = is_python_bool(node.test)
        self.inside(node)
        if not plain:
            at = At(node)
            message = [at.thunk(node.msg)] if node.msg else []
            node.test = at.apply("assert_stmt", node.test, *message)
        return node

    def raising(self, node: ast.Raise) -> ast.stmt:
        if isinstance(node.exc, ast.Call):  # an exception is made, not called
            node.exc = self.inside(node.exc)
        elif node.exc is not None:
            node.exc = self.convert(node.exc)
        if node.cause is not None:
            node.cause = self.convert(node.cause)
        return node

    def annotation(self, node: ast.AnnAssign) -> ast.stmt:
        node.target = self.convert(node.target)
        if node.value is not None:
            node.value = self.convert(node.value)
        return node


_HANDLERS: dict[type, Callable[[Expressions, Any], Any]] = dict.fromkeys(
    (
        ast.Assign, ast.AugAssign, ast.Return, ast.Delete, ast.Expr, ast.withitem,
        ast.BinOp, ast.Dict, ast.Set, ast.List, ast.Tuple, ast.Starred, ast.keyword,
        ast.Attribute, ast.Subscript, ast.Slice, ast.JoinedStr, ast.FormattedValue,
        ast.NamedExpr, ast.comprehension, ast.arguments,
    ),
    Expressions.inside,
)  # fmt: skip
_HANDLERS |= dict.fromkeys(
    (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), Expressions.comprehension
)
_HANDLERS |= {
    ast.Call: Expressions.call,
    ast.BoolOp: Expressions.boolean,
    ast.UnaryOp: Expressions.unary,
    ast.IfExp: Expressions.conditional,
    ast.Compare: Expressions.comparison,
    ast.Lambda: Expressions.lambda_,
    ast.Assert: Expressions.assertion,
    ast.Raise: Expressions.raising,
    ast.AnnAssign: Expressions.annotation,
}
