"""Tensors that leave their graph by other ways than the function's result."""

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

    def visit(self, node: ast.AST, at: Place) -> Iterator[Finding]:
        change = changed_container(node)
        if change is not None:
            container, how, given = change
            leaks = any(is_tensor(at.value(part)) for part in given)
            outside = at.comes_from_outside(container) and is_container(at.value(container), how)
            if leaks and outside and not at.is_lifted(node):
                yield self.found(
                    at, node, f"a tensor is kept in `{ast.unparse(container)}`: {ADVICE}"
                )
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if self._keeps(target, node, at):
                    yield self.found(
                        at, node, f"a tensor is kept in `{ast.unparse(target)}`: {ADVICE}"
                    )

    def _keeps(self, target: ast.expr, node: ast.stmt, at: Place) -> bool:
        if at.is_lifted(node):
            return False
        if isinstance(node, ast.AugAssign):
            before = at.value(target)
            leaks = before.is_only(Kind.TENSOR) or (
                is_tensor(at.value(node.value)) and not before.may(Kind.VARIABLE)
            )
        else:
            leaks = is_tensor(at.value(getattr(node, "value", target)))
        if isinstance(target, ast.Attribute):
            return leaks and at.comes_from_outside(target)
        own = at.function.own
        named = isinstance(target, ast.Name) and own is not None and target.id in own.outer
        return leaks and named and isinstance(target, ast.Name) and at.is_outer(target.id)


class LoopList(Rule):
    """A list is filled in a loop of the graph and used after it."""

    code = "GW202"
    nodes: ClassVar = (ast.Call,)

    def visit(self, node: ast.AST, at: Place) -> Iterator[Finding]:
        change = changed_container(node)
        if change is None or not at.converts or not isinstance(change[0], ast.Name):
            return
        name, how, given = change[0].id, change[1], change[2]
        loop = self._graph_loop(node, at)
        if (
            loop is None
            or at.is_outer(name)
            or not given
            or not at.value(change[0]).may(Kind.CONTAINER)
        ):
            return
        if not any(at.value(part).may(TENSORS) for part in given):
            return
        made = [b for b in at.owner(name).bindings.get(name, {}) if b in set(ast.walk(loop))]
        end = getattr(loop, "end_lineno", 0)
        later = any(
            isinstance(one, ast.Name) and one.id == name and line_of(one) > end for one in at.nodes
        )
        if later and not made:
            yield self.found(
                at,
                node,
                f"`{name}{how}` in a loop over a tensor runs once, while its"
                " body is traced; collect with a tf.TensorArray",
            )

    def _graph_loop(self, node: ast.AST, at: Place) -> ast.AST | None:
        """The innermost loop around a node, if a tensor was seen to drive it."""
        for parent, child in at.analysis.above(node):
            if isinstance(parent, LOOPS) and child in parent.body:
                driver = parent.test if isinstance(parent, ast.While) else parent.iter
                value = at.value(driver)
                graph = value.may(Kind.TENSOR | Kind.DATASET | Kind.DATA_ITERATOR)
                return parent if graph else None
        return None


class Rebound(Rule):
    """A variable is replaced by a tensor instead of assigned to."""

    code = "GW205"
    nodes: ClassVar = (ast.AugAssign,)
    methods: ClassVar = {ast.Add: "assign_add", ast.Sub: "assign_sub"}

    def visit(self, node: ast.AST, at: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.AugAssign) or not at.value(node.target).may(Kind.VARIABLE):
            return
        target, own = node.target, at.function.own
        outer = isinstance(target, ast.Attribute) and at.comes_from_outside(target)
        named = isinstance(target, ast.Name) and own is not None and target.id in own.outer
        if not outer and not named:
            return
        method = self.methods.get(type(node.op))
        name, fix = ast.unparse(target), None
        if method:
            fix = self._fix(node, method, at)
        yield self.found(
            at,
            node,
            f"`{name}` is a variable, and this puts a tensor of the trace in"
            f" its place; use {name}.{method or 'assign'}(...)",
            fix,
        )

    def _fix(self, node: ast.AugAssign, method: str, at: Place) -> list[Edit]:
        """`v += x -> v.assign_add(x)`."""
        line = at.analysis.source.lines[node.target.end_lineno - 1 if node.target.end_lineno else 0]
        begin = node.target.end_col_offset or 0
        operator = line.encode().index(b"=", begin) + 1
        rest = line.encode()[operator:]
        after = operator + len(rest) - len(rest.lstrip())
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        row = node.target.end_lineno or 0
        return [Edit((row, begin), (row, after), f".{method}("), Edit(end, end, ")")]
