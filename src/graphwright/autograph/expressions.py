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
import functools
from collections.abc import Callable, Sequence
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


def _lazy(node: ast.AST) -> int:
    """How deep expressions are nested whose parts may be skipped."""
    inside = max(map(_lazy, ast.iter_child_nodes(node)), default=0)
    chained = isinstance(node, ast.Compare) and len(node.ops) > 1
    return inside + (chained or isinstance(node, (ast.BoolOp, ast.IfExp)))


def may_be_staged(value: ast.expr, name: str, at: At) -> ast.expr:
    """`value is not True and name is not False and ag__.staged(name)`"""
    odd = [at.negated(at.identical(value, True)), at.negated(at.identical(at.load(name), False))]
    return ast.BoolOp(ast.And(), [*odd, at.apply("staged", at.load(name))], **at.place)


class Expressions:
    """Converts the expressions of one function, in place where they keep their shape.

    `first` is the function's first parameter, for `super()`.
    """

    def __init__(self, first: str | None, options: Options, fresh: Fresh) -> None:
        self.first = first
        self.options = options
        self.fresh = fresh
        self.iterating = 0  # how many iterables of comprehensions are around

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

    def quick(self, lazy: Sequence[ast.expr]) -> bool:
        """Whether to write Python's form beside the staged one: it doubles what is lazy."""
        return self.options.inline and not self.iterating and max(map(_lazy, lazy)) < 2

    def guarded(
        self,
        value: ast.expr,
        stage: Callable[[ast.expr], ast.expr],
        python: Callable[[ast.expr], ast.expr],
        at: At,
    ) -> ast.expr:
        """`stage(t) if (t := value) may be staged else python(t)`"""
        if isinstance(value, ast.Name):
            name = value.id
        else:
            name = self.fresh.name("ag_value")
            value = ast.NamedExpr(at.store(name), value, **at.place)
        kept = at.load(name)
        test = may_be_staged(value, name, at)
        return ast.IfExp(test, stage(kept), python(kept), **at.place)

    def boolean(self, node: ast.BoolOp) -> ast.expr:
        lazy = node.values[1:]
        plain = all(map(is_python_bool, node.values[:-1])) or any(map(assigns, lazy))
        quick = not plain and self.quick(lazy)
        self.inside(node)
        return node if plain else self.lazy_boolean(node.op, node.values, quick, At(node))

    def lazy_boolean(
        self, op: ast.boolop, values: Sequence[ast.expr], quick: bool, at: At
    ) -> ast.expr:
        """`a and b ...`, of converted operands."""
        name = "and_" if isinstance(op, ast.And) else "or_"
        first, *rest = values
        thunks = list(map(at.thunk, rest))
        if not quick:
            return at.apply(name, first, *thunks)

        def python(kept: ast.expr) -> ast.expr:
            more = self.lazy_boolean(op, rest, True, at) if len(rest) > 1 else rest[0]
            return ast.BoolOp(op, [kept, more], **at.place)

        return self.guarded(first, lambda kept: at.apply(name, kept, *thunks), python, at)

    def unary(self, node: ast.UnaryOp) -> ast.expr:
        plain = not isinstance(node.op, ast.Not) or is_python_bool(node.operand)
        self.inside(node)
        if plain:
            return node
        at = At(node)
        if not self.quick([node]):
            return at.apply("not_", node.operand)
        return self.guarded(
            node.operand, lambda kept: at.apply("not_", kept), lambda kept: at.negation(kept), at
        )

    def comprehension(self, node: ast.comprehension) -> Any:
        self.iterating += 1  # no variable may be assigned there
        node.iter = self.convert(node.iter)
        self.iterating -= 1
        node.ifs = [self.convert(test) for test in node.ifs]
        node.target = self.convert(node.target)
        return node

    def conditional(self, node: ast.IfExp) -> ast.expr:
        plain = is_python_bool(node.test) or assigns(node.body) or assigns(node.orelse)
        quick = not plain and self.quick([node.body, node.orelse])
        self.inside(node)
        if plain:
            return node
        at = At(node)
        body, orelse = node.body, node.orelse
        thunks = at.thunk(body), at.thunk(orelse)
        if not quick:
            return at.apply("if_exp", node.test, *thunks)
        return self.guarded(
            node.test,
            lambda kept: at.apply("if_exp", kept, *thunks),
            lambda kept: ast.IfExp(kept, body, orelse, **at.place),
            at,
        )

    def comparison(self, node: ast.Compare) -> ast.expr:
        lazy = node.comparators[1:]
        plain = is_python_bool(node) or any(map(assigns, lazy))
        simple = all(isinstance(right, (ast.Name, ast.Constant)) for right in lazy[:-1])
        quick = not plain and simple and bool(lazy) and self.quick(lazy)
        self.inside(node)
        if plain:
            return node
        at = At(node)
        if not lazy:
            return self.link(node.left, node.ops[0], node.comparators[0], at)
        if quick:
            return self.quick_chain(node, at)
        links: list[ast.expr] = []
        for op, operand in zip(node.ops, node.comparators):
            links += [at.constant(_SYMBOLS[type(op)]), at.thunk(operand)]
        return at.apply("chain", node.left, *links)

    def link(self, left: ast.expr, op: ast.cmpop, right: ast.expr, at: At) -> ast.expr:
        """A comparison of two."""
        if isinstance(op, ast.In):
            return at.apply("in_", left, right)
        if isinstance(op, ast.NotIn):
            return at.apply("not_", at.apply("in_", left, right))
        return ast.Compare(left, [op], [right], **at.place)

    def quick_chain(self, node: ast.Compare, at: At) -> ast.expr:
        """`a < (t := b) and t < c` for `a < b < c`."""
        first, *rest = node.comparators
        kept = first
        if not isinstance(first, (ast.Name, ast.Constant)):
            kept = at.load(self.fresh.name("ag_value"))
            first = ast.NamedExpr(at.store(kept.id), first, **at.place)
        left, right = [node.left, kept, *rest], [first, *rest]
        links = [self.link(*operands, at) for operands in zip(left, node.ops, right)]
        return self.lazy_boolean(ast.And(), links, True, at)

    def lambda_(self, node: ast.Lambda) -> ast.expr:
        args = node.args.args
        inner = Expressions(args[0].arg if args else None, self.options, self.fresh)
        self.inside(node.args)
        node.body = inner.convert(node.body)
        return node

    def assertion(self, node: ast.Assert) -> ast.stmt:
        plain = is_python_bool(node.test)
        self.inside(node)
        if plain:
            return node
        at = At(node)
        message = [at.thunk(node.msg)] if node.msg else []
        stage = functools.partial(at.apply, "assert_stmt")
        if self.options.inline:
            node.test = self.guarded(node.test, lambda t: stage(t, *message), lambda t: t, at)
        else:
            node.test = stage(node.test, *message)
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
        ast.NamedExpr, ast.arguments, ast.ListComp, ast.SetComp, ast.DictComp,
        ast.GeneratorExp,
    ),
    Expressions.inside,
)  # fmt: skip
_HANDLERS |= {
    ast.comprehension: Expressions.comprehension,
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
