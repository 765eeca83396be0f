"""Tensors that leave their graph without being returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import ClassVar

from graphwright.lint.analysis import LOOPS, Place, line_of
from graphwright.lint.expression_analysis import TENSORS
from graphwright.lint.finding import Edit, Finding
from graphwright.lint.kinds import Kind
from graphwright.lint.rules.effect_rules import changed_container, is_container, is_tensor
from graphwright.lint.rules.rule import Rule

ADVICE = "outside its graph it has no value; return it, or assign it to a tf.Variable"


class Leak(Rule):
    """A tensor is kept in an outer name, attribute or container: it has no value there."""

    code = "GW201"
    nodes: ClassVar = (ast.Call, ast.Assign, ast.AnnAssign, ast.AugAssign)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        change = changed_container(node)
        if change is not None:
            container, how, items = change
            leaks = any(is_tensor(place.value(part)) for part in items)
            outside = place.comes_from_outside(container) and is_container(
                place.value(container), how
            )
            if leaks and outside and not place.is_lifted(node):
                yield self.finding(
                    place, node, f"a tensor is kept in `{ast.unparse(container)}`: {ADVICE}"
                )
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if self._keeps(target, node, place):
                    yield self.finding(
                        place, node, f"a tensor is kept in `{ast.unparse(target)}`: {ADVICE}"
                    )

    def _keeps(self, target: ast.expr, node: ast.stmt, place: Place) -> bool:
        if place.is_lifted(node):
            return False
        if isinstance(node, ast.AugAssign):
            before = place.value(target)
            leaks = before.is_only(Kind.TENSOR) or (
                is_tensor(place.value(node.value)) and not before.may(Kind.VARIABLE)
            )
        else:
            leaks = is_tensor(place.value(getattr(node, "value", target)))
        if isinstance(target, ast.Attribute):
            return leaks and place.comes_from_outside(target)
        scope = place.function.local
        named = isinstance(target, ast.Name) and scope is not None and target.id in scope.outer
        return leaks and named and isinstance(target, ast.Name) and place.is_outer(target.id)


class LoopList(Rule):
    """A list is filled in a loop of the graph and used after it."""

    code = "GW202"
    nodes: ClassVar = (ast.Call,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        change = changed_container(node)
        if change is None or not place.converts or not isinstance(change[0], ast.Name):
            return
        name, how, items = change[0].id, change[1], change[2]
        loop = self._graph_loop(node, place)
        if (
            loop is None
            or place.is_outer(name)
            or not items
            or not place.value(change[0]).may(Kind.CONTAINER)
        ):
            return
        if not any(place.value(part).may(TENSORS) for part in items):
            return
        inner_bindings = [
            b for b in place.owner(name).bindings.get(name, {}) if b in set(ast.walk(loop))
        ]
        end = getattr(loop, "end_lineno", 0)
        later = any(
            isinstance(one, ast.Name) and one.id == name and line_of(one) > end
            for one in place.nodes
        )
        if later and not inner_bindings:
            yield self.finding(
                place,
                node,
                f"`{name}{how}` in a loop over a tensor runs once, while its"
                " body is traced; collect with a tf.TensorArray",
            )

    def _graph_loop(self, node: ast.AST, place: Place) -> ast.AST | None:
        """The innermost loop around a node, if a tensor drives it."""
        for parent, child in place.analysis.above(node):
            if isinstance(parent, LOOPS) and child in parent.body:
                driver = parent.test if isinstance(parent, ast.While) else parent.iter
                value = place.value(driver)
                graph = value.may(Kind.TENSOR | Kind.DATASET | Kind.DATA_ITERATOR)
                return parent if graph else None
        return None


class Rebound(Rule):
    """A tensor replaces a variable, which should be assigned to."""

    code = "GW205"
    nodes: ClassVar = (ast.AugAssign,)
    methods: ClassVar = {ast.Add: "assign_add", ast.Sub: "assign_sub"}

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.AugAssign) or not place.value(node.target).may(Kind.VARIABLE):
            return
        target, scope = node.target, place.function.local
        outer = isinstance(target, ast.Attribute) and place.comes_from_outside(target)
        named = isinstance(target, ast.Name) and scope is not None and target.id in scope.outer
        if not outer and not named:
            return
        method = self.methods.get(type(node.op))
        name, fix = ast.unparse(target), None
        if method:
            fix = self._fix(node, method, place)
        yield self.finding(
            place,
            node,
            f"`{name}` is a variable, and this replaces it by a tensor of the"
            f" trace; use {name}.{method or 'assign'}(...)",
            fix,
        )

    def _fix(self, node: ast.AugAssign, method: str, place: Place) -> list[Edit]:
        """The change `v += x -> v.assign_add(x)`."""
        line = place.analysis.source.lines[
            node.target.end_lineno - 1 if node.target.end_lineno else 0
        ]
        begin = node.target.end_col_offset or 0
        operator = line.encode().index(b"=", begin) + 1
        rest = line.encode()[operator:]
        after = operator + len(rest) - len(rest.lstrip())
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        row = node.target.end_lineno or 0
        return [Edit((row, begin), (row, after), f".{method}("), Edit(end, end, ")")]
