"""Expressions whose meaning may depend on tensors become calls of operators.

    f(x)              ag__.converted_call(f)(x)
    a and b           ag__.and_(a, lambda: b)
    not a             ag__.not_(a)
    a if c else b     ag__.if_exp(c, lambda: a, lambda: b)
    a < b <= c        ag__.chain(a, '<', lambda: b, '<=', lambda: c)
    a in b            ag__.in_(a, b)
    super()           super(__class__, self)

What runs has a shorter way to what is called beside that, for functions of modules (`calls`) and
for builtins on Python's own values:

    (ag_call.target if (ag_call := ag_calls[3]).key is f and ag_call.code is f.__code__
     else ag__.call_at(f, ag_calls, (3, 1)))(x)
    (len if ag__.kind(x) in ag__.SETTLED and len is ag__.len else ag__.converted_call(len))(x)

What cannot depend on a tensor, such as `x is None`, stays. So does an operator whose lazy
part assigns a variable (`a and (b := c)`): it is Python's, and refuses tensors.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from graphwright.autograph.decisions import (
    Chain,
    ConditionalExpression,
    Decision,
    DecisionOperand,
    Junction,
    Membership,
    Negation,
    is_python_bool,
)
from graphwright.autograph.syntax import CALL, CALLS, Fresh, SyntaxPlace, parameters
from graphwright.autograph.touched_variables import Names
from graphwright.base.named_tuples import NamedTuple

#: Whether comprehensions run in the frame of the function that they are in.
ASKS_IN_FRAME = sys.version_info >= (3, 12)

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


_Node = TypeVar("_Node", bound=ast.AST)

#: What kinds of arguments a builtin takes that is never another function's for them.
TAKES = {
    "abs": "SETTLED", "bool": "SETTLED", "enumerate": "ITERABLES", "float": "SETTLED",
    "int": "SETTLED", "iter": "ITERABLES", "len": "SETTLED", "range": "SETTLED",
    "zip": "ITERABLES",
}  # fmt: skip

#: Builtins that look into their arguments.
LOOKS_INSIDE = frozenset({"all", "any", "filter", "map", "max", "min", "sorted", "sum"})


class Options(NamedTuple):
    """How to convert.

    `inline` writes the Python form beside the staged one, for values that are not tensors;
    `recursive` converts what is called.
    """

    inline: bool = True
    recursive: bool = True


def _nature(node: ast.AST) -> tuple[int, bool]:
    """How deep expressions are nested whose parts may be skipped, and whether one assigns."""
    kind = type(node)
    if kind is ast.Name or kind is ast.Constant:
        return 0, False
    depth, binds = 0, kind is ast.NamedExpr
    for name in node._fields:
        value = getattr(node, name, None)
        for inner in value if type(value) is list else (value,):
            if isinstance(inner, ast.expr):
                more, assigns = _nature(inner)
                depth, binds = max(depth, more), binds or assigns
    lazy = kind is ast.BoolOp or kind is ast.IfExp
    return depth + (lazy or (isinstance(node, ast.Compare) and len(node.ops) > 1)), binds


def _is_pure(node: ast.AST) -> bool:
    """Whether the comparison is one of variables and constants, which may be evaluated again."""
    pure = (ast.Compare, ast.cmpop, ast.Name, ast.Constant, ast.Tuple, ast.List, ast.expr_context)
    return all(isinstance(inner, pure) for inner in ast.walk(node))


def _has_star(node: ast.Call) -> bool:
    """Whether how many arguments there are shows when the call runs."""
    return any(isinstance(arg, ast.Starred) for arg in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    )


class ExpressionRewriter:
    """Converts the expressions of one function, in place where they keep their shape.

    `first` is the function's first parameter, for `super()`; `visible` are the variables of
    functions that it can see.
    """

    def __init__(
        self,
        first: str | None,
        visible: Names,
        options: Options,
        fresh: Fresh,
        new_call: Callable[[], int],
    ) -> None:
        self.first = first
        self.visible = visible
        self.options = options
        self.fresh = fresh
        self.new_call = new_call  # numbers the calls that keep what they found
        self.iterating = 0  # how many iterables of comprehensions are around
        self.kept: set[str] = set()  # names of values in the middle of chains
        self.is_after_growth = False  # whether a loop before may have made lists grow

    def convert(self, node: ast.AST | None) -> Any:
        """The node that replaces `node`, which may be an expression or a simple statement."""
        handler = _HANDLERS.get(type(node))
        return node if handler is None else handler(self, node)

    def inside(self, node: _Node) -> _Node:
        """Convert what the node holds and keep the node."""
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                setattr(node, name, self.convert(value))
            elif isinstance(value, list):
                value[:] = [self.convert(item) for item in value]
        return node

    def call(self, node: ast.Call) -> ast.expr:
        at = SyntaxPlace(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            if not node.args and not node.keywords and self.first is not None:
                node.args = [at.load("__class__"), at.load(self.first)]
            return node
        self.inside(node)
        if self.options.recursive:
            node.func = self.callee(node, SyntaxPlace(node.func))
        return node

    def callee(self, node: ast.Call, at: SyntaxPlace) -> ast.expr:
        """What to call instead of what a call calls."""
        function = node.func
        found = at.apply("converted_call", function)
        if not isinstance(function, ast.Name) or function.id in self.visible or self.iterating:
            return found
        if not self.options.inline:
            return found
        name, is_simple = function.id, not node.keywords and not _has_star(node)
        if not hasattr(builtins, name):
            return found if _has_star(node) else self.kept_callee(node, function, at)
        if name in LOOKS_INSIDE or (name in TAKES and not is_simple):
            return found
        values = [arg for arg in node.args if not isinstance(arg, ast.Constant)]
        tests: list[ast.expr] = []
        if name in TAKES:
            if len(values) > 1 and not all(isinstance(value, ast.Name) for value in values):
                return found  # what is asked first is evaluated first
            for value in values:
                first, again = self.once(value, at)
                node.args[node.args.index(value)] = again
                kinds = at.operator(TAKES[name])
                tests.append(at.compare(at.apply("kind", first), ast.In(), kinds))
        tests.append(at.compare(function, ast.Is(), at.operator(name)))
        return ast.IfExp(at.all(tests), function, found, **at.place)

    def kept_callee(self, node: ast.Call, function: ast.Name, at: SyntaxPlace) -> ast.expr:
        """`ag_call.target if (ag_call := ag_calls[3]) is of the function else ...`"""
        here, place = at.load(CALL), self.new_call()
        calls = at.load(CALLS)
        entry = ast.Subscript(calls, at.constant(place), function.ctx, **at.place)
        taken = ast.NamedExpr(at.store(CALL), entry, **at.place)
        same = at.compare(at.attribute(taken, "key"), ast.Is(), function)
        code = at.compare(at.attribute(here, "code"), ast.Is(), at.attribute(function, "__code__"))
        given = len(node.args) + len(node.keywords)
        found = at.apply("call_at", function, calls, at.constant((place, given)))
        test = at.all([same, code])
        return ast.IfExp(test, at.attribute(here, "target"), found, **at.place)

    def once(self, value: ast.expr, at: SyntaxPlace) -> tuple[ast.expr, ast.expr]:
        """The value where it is evaluated, and where it is used after that."""
        if isinstance(value, ast.Name):
            return value, value
        kept = self.fresh.name("ag_value")
        return ast.NamedExpr(at.store(kept), value, **at.place), at.load(kept)

    def decision(self, node: ast.expr) -> Decision:
        """An expression that may ask for truth, its operands converted."""
        at = SyntaxPlace(node)
        if isinstance(node, ast.BoolOp):
            return Junction(node.op, [self.decision(value) for value in node.values], at)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Negation([self.decision(node.operand)], at)
        if isinstance(node, ast.IfExp):
            parts = (node.test, node.body, node.orelse)
            return ConditionalExpression([self.decision(part) for part in parts], at)
        if isinstance(node, ast.Compare) and not is_python_bool(node):
            return self.comparison(node, at)
        is_plain, (depth, binds) = is_python_bool(node), _nature(node)
        is_operator = isinstance(node, (ast.Compare, ast.UnaryOp))
        value = self.inside(node) if is_operator else self.convert(node)
        value = self.counted(node, value)
        return DecisionOperand(value, assigns=binds, is_plain=is_plain, depth=depth)

    def counted(self, node: ast.expr, value: ast.expr) -> ast.expr:
        """A value whose number of items Python is about to ask for: `ag__.held(l)`."""
        if self.is_after_growth and isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return SyntaxPlace(node).apply("held", value)
        return value

    def deciding(self, node: ast.expr) -> ast.expr:
        """A decision inside another expression, converted."""
        decision = self.decision(node)
        if self.options.inline and not self.iterating:
            return decision.inline(self.fresh)
        return decision.staged()

    def comparison(self, node: ast.Compare, at: SyntaxPlace) -> Decision:
        """`a < b`, `a in b`, or a chain of them."""
        depth, binds = _nature(node)
        simple = isinstance(node.ops[0], (ast.In, ast.NotIn)) and _is_pure(node)
        self.inside(node)
        if len(node.ops) == 1:
            link = self.link(node.left, node.ops[0], node.comparators[0], at)
            if simple:
                return Membership(node, link)
            value = node if isinstance(link, ast.Compare) else link
            return DecisionOperand(value, assigns=binds, depth=depth)
        links: list[ast.expr] = [node.left]
        for op, operand in zip(node.ops, node.comparators):
            links += [at.constant(_SYMBOLS[type(op)]), at.thunk(operand)]
        first, *rest = node.comparators
        if not all(isinstance(middle, (ast.Name, ast.Constant)) for middle in rest[:-1]):
            return DecisionOperand(at.apply("chain", *links), assigns=binds, depth=depth)
        binding = [binds, *(_nature(link)[1] for link in rest)]
        kept = first
        if not isinstance(first, (ast.Name, ast.Constant)):
            kept = at.load(self.fresh.name("ag_value"))
            self.kept.add(kept.id)
            first = ast.NamedExpr(at.store(kept.id), first, **at.place)
        operands = zip([node.left, kept, *rest], node.ops, [first, *rest])
        parts = [
            DecisionOperand(self.link(*link, at), assigns=binds, depth=depth - 1)
            for link, binds in zip(operands, binding)
        ]
        return Chain(parts, links, at)

    def unary(self, node: ast.UnaryOp) -> ast.expr:
        is_not = isinstance(node.op, ast.Not)
        return self.deciding(node) if is_not else self.inside(node)

    def comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.iterating += 1  # no variable may be assigned there
        node.iter = self.counted(node.iter, self.convert(node.iter))
        self.iterating -= 1
        node.ifs = [self.convert(test) for test in node.ifs]
        if ASKS_IN_FRAME and self.options.inline:  # or a statement around it would go on with that
            node.ifs = [SyntaxPlace(test).apply("python_truth", test) for test in node.ifs]
        node.target = self.convert(node.target)
        return node

    def link(self, left: ast.expr, op: ast.cmpop, right: ast.expr, at: SyntaxPlace) -> ast.expr:
        """A comparison of two."""
        if isinstance(op, ast.In):
            return at.apply("in_", left, right)
        if isinstance(op, ast.NotIn):
            return at.apply("not_", at.apply("in_", left, right))
        return ast.Compare(left, [op], [right], **at.place)

    def lambda_(self, node: ast.Lambda) -> ast.expr:
        args = node.args.args
        visible = self.visible.union(parameters(node.args))
        inner = ExpressionRewriter(
            args[0].arg if args else None, visible, self.options, self.fresh, self.new_call
        )
        self.inside(node.args)
        node.body = inner.convert(node.body)
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


_HANDLERS: dict[type, Callable[[ExpressionRewriter, Any], Any]] = dict.fromkeys(
    (
        ast.Assign, ast.AugAssign, ast.Return, ast.Delete, ast.Expr, ast.withitem,
        ast.BinOp, ast.Dict, ast.Set, ast.List, ast.Tuple, ast.Starred, ast.keyword,
        ast.Attribute, ast.Subscript, ast.Slice, ast.JoinedStr, ast.FormattedValue,
        ast.NamedExpr, ast.arguments, ast.ListComp, ast.SetComp, ast.DictComp,
        ast.GeneratorExp,
    ),
    ExpressionRewriter.inside,
)  # fmt: skip
for _name in ("TemplateStr", "Interpolation"):  # from Python 3.14 on
    if hasattr(ast, _name):
        _HANDLERS[getattr(ast, _name)] = ExpressionRewriter.inside
_HANDLERS |= {
    ast.comprehension: ExpressionRewriter.comprehension,
    ast.Call: ExpressionRewriter.call,
    ast.BoolOp: ExpressionRewriter.deciding,
    ast.UnaryOp: ExpressionRewriter.unary,
    ast.IfExp: ExpressionRewriter.deciding,
    ast.Compare: ExpressionRewriter.deciding,
    ast.Lambda: ExpressionRewriter.lambda_,
    ast.Raise: ExpressionRewriter.raising,
    ast.AnnAssign: ExpressionRewriter.annotation,
}
