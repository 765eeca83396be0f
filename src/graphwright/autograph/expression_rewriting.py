"""Expressions whose meaning may depend on tensors become calls of operators.

    f(x)              ag__.converted_call(f)(x)
    a and b           ag__.and_(a, lambda: b)
    not a             ag__.not_(a)
    a if c else b     ag__.if_exp(c, lambda: a, lambda: b)
    a < b <= c        ag__.chain(a, '<', lambda: b, '<=', lambda: c)
    a in b            ag__.in_(a, b)
    super()           super(__class__, self)

What runs also has a shorter way to the callee, for functions of modules (`conversion.Callee`) and
for builtins on Python's own values:

    (ag_call.target if (ag_call := ag_calls[3]).key is f and ag_call.code is f.__code__
     else ag__.call_at(f, ag_calls, (3, 1)))(x)
    (len if ag__.kind(x) in ag__.SETTLED and len is ag__.len else ag__.converted_call(len))(x)

What cannot depend on a tensor, such as `x is None`, stays. So does an operator whose lazy part
assigns a variable (`a and (b := c)`): it is Python's, and refuses tensors.
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

#: The kinds of arguments for which a builtin is Python's own.
TAKES = {
    "abs": "SETTLED", "bool": "SETTLED", "enumerate": "ITERABLES", "float": "SETTLED",
    "int": "SETTLED", "iter": "ITERABLES", "len": "SETTLED", "range": "SETTLED",
    "zip": "ITERABLES",
}  # fmt: skip

#: Builtins that look at the items of their arguments.
LOOKS_INSIDE = frozenset({"all", "any", "filter", "map", "max", "min", "next", "sorted", "sum"})


class Options(NamedTuple):
    """How to convert.

    `inline` writes the Python form beside the staged one, for values that are not tensors;
    `recursive` converts what is called.
    """

    inline: bool = True
    recursive: bool = True


def _nature(node: ast.AST) -> tuple[int, bool]:
    """The nesting of expressions whose parts may be skipped, and whether one assigns."""
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
    """Whether the comparison has variables and constants alone, and may be evaluated again."""
    pure = (ast.Compare, ast.cmpop, ast.Name, ast.Constant, ast.Tuple, ast.List, ast.expr_context)
    return all(isinstance(inner, pure) for inner in ast.walk(node))


def _has_star(node: ast.Call) -> bool:
    """Whether only the running call knows how many arguments it has."""
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
        self.new_call = new_call  # numbers the calls that keep their callees
        self.iterating = 0  # how many iterables of comprehensions are around
        self.middles: set[str] = set()  # variables for values in the middle of chains
        self.is_after_growth = False  # whether a loop before may have made lists grow

    def convert(self, node: ast.AST | None) -> Any:
        """The node that replaces `node`, which may be an expression or a simple statement."""
        handler = _HANDLERS.get(type(node))
        return node if handler is None else handler(self, node)

    def inside(self, node: _Node) -> _Node:
        """The same node, with its parts converted."""
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                setattr(node, name, self.convert(value))
            elif isinstance(value, list):
                value[:] = [self.convert(item) for item in value]
        return node

    def call(self, node: ast.Call) -> ast.expr:
        place = SyntaxPlace(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            if not node.args and not node.keywords and self.first is not None:
                node.args = [place.load("__class__"), place.load(self.first)]
            return node
        self.inside(node)
        if self.options.recursive:
            node.func = self.callee(node, SyntaxPlace(node.func))
        return node

    def callee(self, node: ast.Call, place: SyntaxPlace) -> ast.expr:
        """The expression that a call calls instead of its function."""
        function = node.func
        converted = place.apply("converted_call", function)
        if not isinstance(function, ast.Name) or function.id in self.visible or self.iterating:
            return converted
        if not self.options.inline:
            return converted
        name, is_simple = function.id, not node.keywords and not _has_star(node)
        if not hasattr(builtins, name):
            return converted if _has_star(node) else self.known_callee(node, function, place)
        if name in LOOKS_INSIDE or (name in TAKES and not is_simple):
            return converted
        values = [arg for arg in node.args if not isinstance(arg, ast.Constant)]
        tests: list[ast.expr] = []
        if name in TAKES:
            if len(values) > 1 and not all(isinstance(value, ast.Name) for value in values):
                return converted  # or the test would change the order of evaluation
            for value in values:
                first, again = self.once(value, place)
                node.args[node.args.index(value)] = again
                kinds = place.operator(TAKES[name])
                tests.append(place.compare(place.apply("kind", first), ast.In(), kinds))
        tests.append(place.compare(function, ast.Is(), place.operator(name)))
        return ast.IfExp(place.all(tests), function, converted, **place.span)

    def known_callee(self, node: ast.Call, function: ast.Name, place: SyntaxPlace) -> ast.expr:
        """`ag_call.target if (ag_call := ag_calls[3]) is of the function else ...`"""
        entry, number = place.load(CALL), self.new_call()
        callees = place.load(CALLS)
        item = ast.Subscript(callees, place.constant(number), function.ctx, **place.span)
        taken = ast.NamedExpr(place.store(CALL), item, **place.span)
        same = place.compare(place.attribute(taken, "key"), ast.Is(), function)
        code = place.compare(
            place.attribute(entry, "code"), ast.Is(), place.attribute(function, "__code__")
        )
        count = len(node.args) + len(node.keywords)
        new = place.apply("call_at", function, callees, place.constant((number, count)))
        test = place.all([same, code])
        return ast.IfExp(test, place.attribute(entry, "target"), new, **place.span)

    def once(self, value: ast.expr, place: SyntaxPlace) -> tuple[ast.expr, ast.expr]:
        """The expression that evaluates a value, and the one that uses it after that."""
        if isinstance(value, ast.Name):
            return value, value
        name = self.fresh.name("ag_value")
        return ast.NamedExpr(place.store(name), value, **place.span), place.load(name)

    def decision(self, node: ast.expr) -> Decision:
        """The decision of an expression that may ask for truth, its operands converted."""
        place = SyntaxPlace(node)
        if isinstance(node, ast.BoolOp):
            return Junction(node.op, [self.decision(value) for value in node.values], place)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Negation([self.decision(node.operand)], place)
        if isinstance(node, ast.IfExp):
            parts = (node.test, node.body, node.orelse)
            return ConditionalExpression([self.decision(part) for part in parts], place)
        if isinstance(node, ast.Compare) and not is_python_bool(node):
            return self.comparison(node, place)
        is_plain, (depth, binds) = is_python_bool(node), _nature(node)
        is_operator = isinstance(node, (ast.Compare, ast.UnaryOp))
        value = self.inside(node) if is_operator else self.convert(node)
        value = self.counted(node, value)
        return DecisionOperand(value, assigns=binds, is_plain=is_plain, depth=depth)

    def counted(self, node: ast.expr, value: ast.expr) -> ast.expr:
        """A value whose items Python is about to count: `ag__.held(l)`."""
        if self.is_after_growth and isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return SyntaxPlace(node).apply("held", value)
        return value

    def deciding(self, node: ast.expr) -> ast.expr:
        """A decision inside another expression, converted."""
        decision = self.decision(node)
        if self.options.inline and not self.iterating:
            return decision.inline(self.fresh)
        return decision.staged()

    def comparison(self, node: ast.Compare, place: SyntaxPlace) -> Decision:
        """`a < b`, `a in b`, or a chain of them."""
        depth, binds = _nature(node)
        simple = isinstance(node.ops[0], (ast.In, ast.NotIn)) and _is_pure(node)
        self.inside(node)
        if len(node.ops) == 1:
            link = self.link(node.left, node.ops[0], node.comparators[0], place)
            if simple:
                return Membership(node, link)
            value = node if isinstance(link, ast.Compare) else link
            return DecisionOperand(value, assigns=binds, depth=depth)
        links: list[ast.expr] = [node.left]
        for op, operand in zip(node.ops, node.comparators):
            links += [place.constant(_SYMBOLS[type(op)]), place.thunk(operand)]
        first, *rest = node.comparators
        if not all(isinstance(middle, (ast.Name, ast.Constant)) for middle in rest[:-1]):
            return DecisionOperand(place.apply("chain", *links), assigns=binds, depth=depth)
        binding = [binds, *(_nature(link)[1] for link in rest)]
        middle = first
        if not isinstance(first, (ast.Name, ast.Constant)):
            middle = place.load(self.fresh.name("ag_value"))
            self.middles.add(middle.id)
            first = ast.NamedExpr(place.store(middle.id), first, **place.span)
        operands = zip([node.left, middle, *rest], node.ops, [first, *rest])
        parts = [
            DecisionOperand(self.link(*link, place), assigns=binds, depth=depth - 1)
            for link, binds in zip(operands, binding)
        ]
        return Chain(parts, links, place)

    def unary(self, node: ast.UnaryOp) -> ast.expr:
        is_not = isinstance(node.op, ast.Not)
        return self.deciding(node) if is_not else self.inside(node)

    def comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.iterating += 1  # Python allows no assignment there
        node.iter = self.counted(node.iter, self.convert(node.iter))
        self.iterating -= 1
        node.ifs = [self.convert(test) for test in node.ifs]
        if ASKS_IN_FRAME and self.options.inline:  # else the statement around would stage the test
            node.ifs = [SyntaxPlace(test).apply("python_truth", test) for test in node.ifs]
        node.target = self.convert(node.target)
        return node

    def link(self, left: ast.expr, op: ast.cmpop, right: ast.expr, place: SyntaxPlace) -> ast.expr:
        """A comparison of two."""
        if isinstance(op, ast.In):
            return place.apply("in_", left, right)
        if isinstance(op, ast.NotIn):
            return place.apply("not_", place.apply("in_", left, right))
        return ast.Compare(left, [op], [right], **place.span)

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
        # Annotated names cannot be nonlocal in the functions that blocks become.
        if node.value is None:
            is_name = isinstance(node.target, ast.Name)
            return ast.copy_location(ast.Pass(), node) if is_name else node
        node.value = self.convert(node.value)
        if not isinstance(node.target, ast.Name):
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


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
