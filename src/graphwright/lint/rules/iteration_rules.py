"""Loops that Python runs while tracing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import ClassVar

from graphwright.lint.analysis import Place
from graphwright.lint.expression_analysis import TENSORS
from graphwright.lint.finding import Finding
from graphwright.lint.kinds import Kind
from graphwright.lint.model import PossibleValue
from graphwright.lint.rules.rule import Rule

LONG = 64  # iterations: so many are worth a loop of the graph


class ConsumedIterator(Rule):
    """A Python iterator advances while tracing, not at each call."""

    code = "GW106"
    nodes: ClassVar = (ast.Call, ast.For)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        source: ast.expr | None = None
        if isinstance(node, ast.Call):
            if place.callee(node) == "next" and node.args:
                source = node.args[0]
            elif isinstance(node.func, ast.Attribute) and node.func.attr == "__next__":
                source = node.func.value
        elif isinstance(node, ast.For):
            source = self._through(node.iter, place)
        if source is None or not place.value(source).may(Kind.ITERATOR) or place.is_lifted(node):
            return
        is_argument = isinstance(source, ast.Name) and place.is_parameter(source.id)
        if is_argument or place.comes_from_outside(source):
            yield self.finding(
                place,
                node,
                f"`{ast.unparse(source)}` is a Python iterator: it advances"
                " only while tracing, and every call sees the same items; pass a"
                " tf.data iterator",
            )

    def _through(self, source: ast.expr, place: Place) -> ast.expr:
        """The iterator inside `enumerate` and `zip`."""
        while isinstance(source, ast.Call) and source.args:
            if place.callee(source) not in ("enumerate", "zip", "iter"):
                break
            consumed = [a for a in source.args if place.value(a).may(Kind.ITERATOR)]
            source = consumed[0] if consumed else source.args[0]
        return source


class Unrolled(Rule):
    """A loop over NumPy or Python data is unrolled into the graph."""

    code = "GW304"
    nodes: ClassVar = (ast.For,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.For) or not self._is_staged_work(node, place):
            return
        value = place.value(node.iter)
        if value.may(Kind.NUMPY) and not value.is_only(TENSORS):
            yield self._unrolled(place, node, "NumPy data", "tf.constant of it")
        elif isinstance(node.iter, ast.Name) and place.is_parameter(node.iter.id):
            if place.is_root and self._is_data(value):
                yield self._unrolled(place, node, "Python data", "a tensor or a tf.data.Dataset")
        elif self._length(node.iter, place) >= LONG:
            yield self._unrolled(place, node, "a long range", "tf.range")

    def _unrolled(self, place: Place, node: ast.For, what: str, instead: str) -> Finding:
        return self.finding(
            place,
            node,
            f"this loop over {what} is unrolled: the graph gets a copy of"
            f" its body for every item; loop over {instead}",
        )

    def _is_staged_work(self, node: ast.For, place: Place) -> bool:
        """Whether the body adds to the graph."""
        for part in (part for statement in node.body for part in ast.walk(statement)):
            if isinstance(part, ast.AugAssign):
                part = part.target
            elif not isinstance(part, (ast.BinOp, ast.Call, ast.Compare)):
                continue
            if place.value(part).may(TENSORS):
                return True
        return False

    def _is_data(self, value: PossibleValue) -> bool:
        """Whether a call passes numbers in a list."""
        if not value.may(Kind.CONTAINER):
            return False
        each = value.each()
        if each.is_only(Kind.CONTAINER):
            each = each.each()
        return each.is_only(Kind.NUMBER | Kind.NUMPY) or each.may(Kind.NUMBER)

    def _length(self, node: ast.expr, place: Place) -> int:
        """The number of iterations of a loop over a range of literals; 0 where unknown."""
        if not isinstance(node, ast.Call) or place.callee(node) != "range":
            return 0
        bounds = [place.value(argument).constant for argument in node.args]
        whole = [bound for bound in bounds if type(bound) is int]
        return len(range(*whole)) if whole and len(whole) == len(bounds) else 0


class Recursion(Rule):
    """A staged function calls itself: one trace for each call, or endless tracing."""

    code = "GW305"

    def check_function(self, place: Place) -> Iterator[Finding]:
        if not place.is_root:
            return
        for staging in place.function.stagings:
            for call in staging.calls:
                callers = list(self._callers(call.caller))
                anew = place.function.scope.function in callers  # each call defines another one
                if place.function in callers and not anew:
                    yield self.finding(
                        place,
                        call.node,
                        f"`{place.function.name}` is staged and calls itself: each depth needs a"
                        " trace, and with a tensor tracing never ends; use a loop",
                    )

    def _callers(self, function: object) -> Iterator[object]:
        seen: list[object] = []
        while function is not None and function not in seen:
            seen.append(function)
            yield function
            function = getattr(function, "caller", None)
