"""Control flow that a tensor decides, where a graph cannot do as Python does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import ClassVar

from graphwright.lint.analysis import COMPREHENSIONS, LOOPS, Place, line_of
from graphwright.lint.expression_analysis import TENSORS
from graphwright.lint.finding import Finding
from graphwright.lint.kinds import Kind, words
from graphwright.lint.model import SCOPES
from graphwright.lint.rules.rule import Rule
from graphwright.lint.statement_analysis import names_of

#: Functions of Python that need the value of a tensor, where AutoGraph does not stage them.
ASKING = words("bool int float complex len range all any")


class Truth(Rule):
    """A tensor decides where AutoGraph does not convert: tracing does not know its truth."""

    code = "GW301"
    nodes: ClassVar = (
        ast.If,
        ast.While,
        ast.IfExp,
        ast.Assert,
        ast.BoolOp,
        ast.UnaryOp,
        ast.For,
        ast.Call,
        ast.Match,
        *COMPREHENSIONS,
    )

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if isinstance(node, COMPREHENSIONS):
            yield from self._comprehension(node, place)
        elif isinstance(node, ast.Match):
            if place.value(node.subject).may(Kind.TENSOR):
                yield self._decides(place, node.subject, "`match` stays Python's; use if and elif")
        elif not place.converts:
            why = "AutoGraph does not convert this function; use tf.cond or tf.while_loop"
            tests = self._tests(node)
            if isinstance(node, ast.Call) and place.callee(node) in ASKING:
                tests = node.args[:1]
            for test in tests:
                if place.value(test).may(TENSORS) and not self._is_tested_inside(test, place):
                    yield self._decides(place, test, why)

    def _decides(self, place: Place, node: ast.AST, why: str) -> Finding:
        return self.finding(
            place, node, f"the tensor `{ast.unparse(node)}` has no value while tracing, and {why}"
        )

    def _comprehension(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        for generator in getattr(node, "generators", []):
            for test in generator.ifs:
                if place.value(test).may(Kind.TENSOR):
                    yield self._decides(
                        place, test, "comprehensions stay Python's; use tf.boolean_mask or a loop"
                    )
            source = place.value(generator.iter)
            if source.is_only(TENSORS | Kind.UNKNOWN) and source.may(TENSORS):
                yield self._decides(
                    place,
                    generator.iter,
                    "comprehensions stay Python's; use tf.map_fn"
                    ", or tf.unstack if its length is known",
                )

    def _tests(self, node: ast.AST) -> list[ast.expr]:
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return [node.test]
        if isinstance(node, ast.BoolOp):
            return node.values[:-1]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return [node.operand]
        if isinstance(node, ast.For):
            return [node.iter]
        return []

    def _is_tested_inside(self, test: ast.expr, place: Place) -> bool:
        """Whether a part of the test has a finding of its own."""
        return isinstance(test, (ast.BoolOp, ast.UnaryOp)) and not (
            isinstance(test, ast.UnaryOp) and not isinstance(test.op, ast.Not)
        )


class MissingDefinition(Rule):
    """A name gets a value in one branch of a tensor's `if` only, and is read later."""

    code = "GW302"
    nodes: ClassVar = (ast.If,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.If) or not place.converts:
            return
        if not place.value(node.test).may(Kind.TENSOR):
            return
        before = place.function.environments.get(node, frozenset())
        branches = [node.body, node.orelse]
        if any(map(ends, branches)):
            return
        body, other = map(assigned, branches)
        for name in sorted((body ^ other) - before):
            where = "else branch" if name in body else "body"
            if self._is_read_later(name, node, place):
                yield self.finding(
                    place,
                    node,
                    f"a tensor decides this `if`, and `{name}` has no value"
                    f" at the end of its {where}; assign it before the `if`",
                )

    def _is_read_later(self, name: str, node: ast.If, place: Place) -> bool:
        end = node.end_lineno or 0
        scope = place.function.local
        if scope is not None and name in scope.outer:
            return False
        for one in place.nodes:
            if isinstance(one, ast.Name) and one.id == name and line_of(one) > end:
                return isinstance(one.ctx, ast.Load) and self._is_reachable(node, one, place)
        return False

    def _is_reachable(self, node: ast.If, read: ast.AST, place: Place) -> bool:
        """Whether the read is not in another branch of an `if` around both."""
        around = {id(parent): child for parent, child in place.analysis.above(node)}
        for parent, child in place.analysis.above(read):
            if isinstance(parent, ast.If) and id(parent) in around:
                mine = around[id(parent)] in parent.body
                return mine == (child in parent.body)
            if isinstance(parent, ast.Assign) and id(parent) in around:
                return False
        return True


class MissingReturn(Rule):
    """A tensor's `if` returns in one branch, and the function may end without a value."""

    code = "GW303"

    def check_function(self, place: Place) -> Iterator[Finding]:
        node = place.function.node
        if isinstance(node, ast.Lambda) or not place.converts or not self._falls_through(node.body):
            return
        for one in place.nodes:
            decided = isinstance(one, ast.If) and place.value(one.test).may(Kind.TENSOR)
            if decided and any(self._gives_value(part) for part in within(one)):
                yield self.finding(
                    place,
                    one,
                    "a tensor decides this `if`, and only one branch returns a value;"
                    " return on every path",
                )
                return

    def _gives_value(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Return) and not (
            node.value is None
            or (isinstance(node.value, ast.Constant) and node.value.value is None)
        )

    def _falls_through(self, body: list[ast.stmt]) -> bool:
        """Whether the end of a block can be reached, or a bare `return` stands in it."""
        return not ends(body)


class PythonPredicate(Rule):
    """`tf.cond` gets a Python bool: only tensors can decide in a graph."""

    code = "GW306"
    nodes: ClassVar = (ast.Call,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Call) or place.callee(node) != "tf.cond":
            return
        predicate = node.args[0] if node.args else None
        for keyword in node.keywords:
            predicate = keyword.value if keyword.arg == "pred" else predicate
        if predicate is None or self._is_tested(predicate, place):
            return
        if place.value(predicate).may(Kind.BOOL):
            yield self.finding(
                place,
                predicate,
                f"`{ast.unparse(predicate)}` can be a Python bool here,"
                " which tf.cond refuses in a graph; use Python's `if`, or pass a"
                " tensor",
            )

    def _is_tested(self, predicate: ast.expr, place: Place) -> bool:
        """Whether an `if` around the call tests the predicate first."""
        names = {part.id for part in ast.walk(predicate) if isinstance(part, ast.Name)}
        return any(
            isinstance(parent, (ast.If, ast.IfExp))
            and child is not parent.test
            and names & {part.id for part in ast.walk(parent.test) if isinstance(part, ast.Name)}
            for parent, child in place.analysis.above(predicate)
        )


def ends(statements: list[ast.stmt]) -> bool:
    """Whether a block always leaves by return, raise, continue or break."""
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            return True
        if isinstance(statement, ast.If) and ends(statement.body) and ends(statement.orelse):
            return True
        if isinstance(statement, (ast.With, ast.AsyncWith)) and ends(statement.body):
            return True
        if isinstance(statement, ast.Try):
            handled = all(ends(handler.body) for handler in statement.handlers)
            if ends(statement.finalbody) or (handled and ends(statement.body + statement.orelse)):
                return True
        if isinstance(statement, ast.While) and is_endless(statement):
            return True
        if isinstance(statement, ast.Match):
            last = statement.cases[-1]
            wild = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
            if wild and last.guard is None and all(ends(case.body) for case in statement.cases):
                return True
    return False


def is_endless(loop: ast.While) -> bool:
    """Whether a loop is left by `return` only."""
    forever = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
    return forever and not any(isinstance(part, ast.Break) for part in within(loop))


def within(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes inside one, without those of functions and classes there."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, SCOPES):
            yield from within(child)


def assigned(statements: list[ast.stmt]) -> set[str]:
    """The names that a block may assign, except those of comprehensions."""
    names: set[str] = set()
    for statement in statements:
        for part in (statement, *within(statement)):
            if isinstance(part, ast.Assign):
                names.update(name for target in part.targets for name in names_of(target))
            elif isinstance(part, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
                names.update(names_of(part.target))
            elif isinstance(part, (ast.With, ast.AsyncWith)):
                for item in part.items:
                    names.update(names_of(item.optional_vars) if item.optional_vars else [])
            elif isinstance(part, LOOPS) and not isinstance(part, ast.While):
                names.update(names_of(part.target))
            elif isinstance(part, SCOPES) and not isinstance(part, ast.Lambda):
                names.add(part.name)
    return names
