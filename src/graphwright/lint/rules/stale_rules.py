"""Values of Python that a trace has read and does not read again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import ClassVar

from graphwright.lint.analysis import MAKERS, Place, line_of
from graphwright.lint.finding import Finding
from graphwright.lint.kinds import STATIC, Kind
from graphwright.lint.model import Binding, Class, PossibleValue, Scope
from graphwright.lint.rules.rule import Rule

PLAIN = STATIC | Kind.NUMPY | Kind.CONTAINER


class StaleName(Rule):
    """A global or free variable is read once, while tracing, and changes later."""

    code = "GW107"
    nodes: ClassVar = (ast.Name,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            return
        if place.staging.by == "dataset":
            return  # which traces it at once: another dataset has a trace of its own
        if not place.is_outer(node.id) or place.is_lifted(node) or self._is_receiver(node, place):
            return
        owner = place.owner(node.id)
        known = owner.names.get(node.id)
        if known is None or not known.is_only(PLAIN | Kind.NONE) or not known.may(PLAIN):
            return
        change = self._change(owner, node.id, place)
        if change is not None:
            yield self.finding(
                place,
                node,
                f"`{node.id}` is read only while tracing, but changes in line"
                f" {line_of(change)}: later calls keep the old value; pass it as an"
                " argument, or use a tf.Variable",
            )

    def _is_receiver(self, node: ast.Name, place: Place) -> bool:
        """Whether the name is that of a changed object: rules of effects report that."""
        parent = place.analysis.parents.get(node)
        if isinstance(parent, ast.Attribute):
            return True
        return isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)

    def _change(self, owner: Scope, name: str, place: Place) -> ast.AST | None:
        """The binding that may change a name after the function was traced."""
        line = line_of(place.function.node)
        bindings = [b for b in owner.bindings[name].values() if b.kind != "parameter"]
        plain = sorted((b for b in bindings if b.scope is owner), key=lambda b: line_of(b.node))
        for binding in bindings:
            elsewhere = binding.scope not in (owner, place.function.local)
            if elsewhere and binding.scope.function not in place.analysis.staged:
                return binding.node
        for index, binding in enumerate(plain):
            if line_of(binding.node) <= line:
                continue
            if binding.kind == "loop" or binding.kind == "augment" or binding.kind == "mutate":
                return binding.node
            if index > 0 and not self._excludes(plain[index - 1], binding, place):
                return binding.node
        return None

    def _excludes(self, a: Binding, b: Binding, place: Place) -> bool:
        """Whether two bindings stand in different branches, or say the same."""
        if a.value.constant is not None and a.value.constant == b.value.constant:
            return True
        above = {id(parent): child for parent, child in place.analysis.above(a.node)}
        return any(
            isinstance(parent, (ast.If, ast.Try)) and above.get(id(parent)) is not child
            for parent, child in place.analysis.above(b.node)
            if id(parent) in above
        )


class StaleAttribute(Rule):
    """An attribute of a Python object is read once, while tracing, and changes later."""

    code = "GW108"
    nodes: ClassVar = (ast.Attribute,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return
        owner = place.value(node.value)
        if not owner.may(Kind.OBJECT) or place.is_lifted(node) or not self._outlives(node, place):
            return
        for klass in sorted(owner.classes, key=lambda c: c.node.lineno):
            known = klass.attribute(node.attr)
            if known is None or klass.member(node.attr) is not None:
                continue
            if not known.may(STATIC) or not known.is_only(STATIC | Kind.UNKNOWN):
                continue
            change = self._change(klass, node.attr, place)
            if change is not None:
                yield self.finding(
                    place,
                    node,
                    f"`{ast.unparse(node)}` is read only while tracing, but"
                    f" changes in line {line_of(change)}: later calls keep the old"
                    " value; make it a tf.Variable",
                )
                return

    def _outlives(self, node: ast.Attribute, place: Place) -> bool:
        root = node.value
        is_argument = isinstance(root, ast.Name) and place.is_parameter(root.id)
        return (is_argument and not place.is_fresh) or place.comes_from_outside(node.value)

    def _change(self, klass: Class, name: str, place: Place) -> ast.AST | None:
        """The statement that sets the attribute of an object in use, outside of any trace."""
        for one in klass.lineage():
            for binding in one.writes.get(name, {}).values():
                function = binding.scope.function
                if function is not None and function.name == "__call__":
                    continue  # it runs around `call`, in the same trace
                if function in place.analysis.staged:
                    continue
                inside = function is not None and function.klass in list(klass.lineage())
                if function is not None and inside and MAKERS.fullmatch(function.name):
                    continue
                first = self._initial(klass, name)
                changes = binding.kind == "augment" or self._differs(first, binding.value)
                if changes and first is not None:
                    return binding.node
        return None

    def _initial(self, klass: Class, name: str) -> PossibleValue | None:
        for one in klass.lineage():
            for binding in one.writes.get(name, {}).values():
                function = binding.scope.function
                if function is not None and function.name == "__init__":
                    return binding.value
        return None

    def _differs(self, first: PossibleValue | None, other: PossibleValue) -> bool:
        """Whether an assignment gives another literal than the first."""
        return first is not None and other.constant is not None and other.constant != first.constant
