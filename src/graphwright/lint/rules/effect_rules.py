"""Effects of Python, which happen while tracing, not when the graph runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from graphwright.lint.analysis import Place
from graphwright.lint.expression_analysis import TENSORS
from graphwright.lint.finding import Edit, Finding
from graphwright.lint.kinds import Kind, words
from graphwright.lint.model import PossibleValue
from graphwright.lint.rules.rule import Rule
from graphwright.lint.statement_analysis import names_of

#: A name or text about tracing is meant to run while tracing.
TRACING = re.compile(r"trac|\bbuil(d(ing)?|t)\b|\bcompil|\bgraph\b", re.I)
GROWING = words("append extend insert appendleft")
CHANGING = GROWING | words(
    "update add pop popitem remove clear discard setdefault sort reverse popleft"
)
LOGGERS = re.compile(r"(logging|absl\.logging|warnings|tf\.(compat\.v1\.)?logging)\.[a-z]\w*")
AMBIENT = re.compile(
    r"random\.[a-z]\w*|np\.random\.(?!default_rng|seed|RandomState|Generator)[a-z]\w*|secrets\.\w+"
    r"|time\.(time|time_ns|perf_counter|perf_counter_ns|monotonic|monotonic_ns|process_time|sleep)"
    r"|datetime\.(datetime\.|date\.)?(now|utcnow|today)|uuid\.uuid[14]|os\.urandom|open|input"
)
INSTEAD = {
    "random": "tf.random draws at each call",
    "np": "tf.random draws at each call",
    "secrets": "tf.random draws at each call",
    "time": "tf.timestamp() reads the clock at each call",
    "datetime": "tf.timestamp() reads the clock at each call",
    "open": "tf.io reads and writes files at each call",
}


def changed_container(node: ast.AST) -> tuple[ast.expr, str, list[ast.expr]] | None:
    """The container that a node changes, the kind of change, and the new items."""
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Call) and isinstance(called, ast.Attribute) and called.attr in CHANGING:
        items = [*node.args, *(k.value for k in node.keywords)]
        return called.value, f".{called.attr}(...)", items
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                return target.value, "[...] = ...", [node.value]
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        return node.target.value, "[...] changed in place", [node.value]
    if isinstance(node, ast.Delete):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                return target.value, "[...] deleted", []
    return None


def is_container(value: PossibleValue, how: str) -> bool:
    """Whether a value is a container of Python, by evidence or by the change."""
    if value.may(Kind.CONTAINER):
        return not value.may(TENSORS)
    named = how[1:].split("(")[0]
    return named in GROWING and value.is_only(Kind.UNKNOWN | Kind.EXTERNAL) and not value.path


def is_tensor(value: PossibleValue) -> bool:
    """Whether a value is, or holds, a tensor of the trace."""
    if value.may(Kind.CONTAINER):
        return value.is_only(Kind.CONTAINER) and value.each().is_only(Kind.TENSOR)
    return value.may(Kind.TENSOR) and value.is_only(Kind.TENSOR | Kind.UNKNOWN)


class Print(Rule):
    """`print` in a staged function prints while it is traced, not when it runs."""

    code = "GW101"
    nodes: ClassVar = (ast.Call,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Call) or place.is_lifted(node):
            return
        path = place.callee(node)
        if LOGGERS.fullmatch(path):
            if any(place.value(argument).is_only(TENSORS) for argument in node.args):
                yield self.finding(
                    place,
                    node,
                    f"`{path}` runs only while tracing and gets a tensor"
                    " without a value; tf.print runs at each call",
                )
        elif path == "print" and not (self._announces(node) or self._is_staged(place)):
            tf = place.analysis.module_name
            fix = [Edit.of(node.func, f"{tf}.print")] if self._is_plain(node, place) else None
            yield self.finding(
                place,
                node,
                "`print` runs only while tracing, not at each call;"
                f" {tf}.print is part of the graph",
                fix,
            )

    def _is_staged(self, place: Place) -> bool:
        """Whether AutoGraph makes `print` a part of the graph."""
        return place.converts and place.staging.has_feature("BUILTIN_FUNCTIONS")

    def _announces(self, node: ast.Call) -> bool:
        """Whether the text says that the function is being traced."""
        texts = [
            part.value
            for argument in node.args
            for part in ast.walk(argument)
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        return any(map(TRACING.search, texts))

    def _is_plain(self, node: ast.Call, place: Place) -> bool:
        """Whether `tf.print` prints the same: no text that Python makes of tensors, no file."""
        texts = (ast.JoinedStr, ast.BinOp, ast.Call, ast.Starred)
        return (
            not any(isinstance(argument, texts) for argument in node.args)
            and bool(node.args)
            and all(keyword.arg in ("sep", "end") for keyword in node.keywords)
            and place.value(node.func).kind == Kind.EXTERNAL
        )


class OuterContainer(Rule):
    """A container from outside is changed while tracing, not at each call."""

    code = "GW102"
    nodes: ClassVar = (ast.Call, ast.Assign, ast.AugAssign, ast.Delete)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        change = changed_container(node)
        if change is None:
            return
        container, how, items = change
        if not place.comes_from_outside(container) or not is_container(place.value(container), how):
            return
        if any(is_tensor(place.value(part)) for part in items):
            return  # it leaks: GW201 reports it
        name = ast.unparse(container)
        if TRACING.search(name) or place.is_lifted(node) or place.is_guarded(node):
            return
        if self._is_put_back(name, place):
            return
        yield self.finding(
            place,
            node,
            f"`{name}{how}` happens only while tracing, not at each call;"
            " return the value, or use a tf.Variable or tf.TensorArray",
        )

    def _is_put_back(self, name: str, place: Place) -> bool:
        """Whether the change is temporary: a `finally` changes the container, too."""
        ends = [s for node in place.nodes if isinstance(node, ast.Try) for s in node.finalbody]
        changes = [changed_container(node) for end in ends for node in ast.walk(end)]
        return any(change is not None and ast.unparse(change[0]) == name for change in changes)


class OuterAttribute(Rule):
    """An attribute of an object from outside is set while tracing, not at each call."""

    code = "GW103"
    nodes: ClassVar = (ast.Assign, ast.AugAssign, ast.AnnAssign)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or node.value is None:
            return
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            for part in parts:
                if isinstance(part, ast.Attribute) and self._is_effect(part, node, place):
                    name = ast.unparse(part)
                    yield self.finding(
                        place,
                        part,
                        f"`{name}` is set only while tracing, not at each"
                        " call; make it a tf.Variable and assign to it, or return"
                        " the value",
                    )

    def _is_effect(self, part: ast.Attribute, node: ast.stmt, place: Place) -> bool:
        if place.is_lifted(node) or place.is_guarded(node) or not place.comes_from_outside(part):
            return False
        if TRACING.search(part.attr) or self._is_put_back(part, place):
            return False
        value = place.value(getattr(node, "value", part))
        before = place.value(part) if isinstance(node, ast.AugAssign) else None
        if before is not None and before.may(TENSORS):
            return False
        return not is_tensor(value) and not value.may(Kind.VARIABLE)

    def _is_put_back(self, part: ast.Attribute, place: Place) -> bool:
        """Whether the change is temporary: a `finally` sets the attribute, too, or a later
        statement gives it the value that a name took from it before."""
        name = ast.unparse(part)
        takers = {
            target.id
            for node in place.nodes
            if isinstance(node, ast.Assign) and ast.unparse(node.value) == name
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        ends = [s for node in place.nodes if isinstance(node, ast.Try) for s in node.finalbody]
        ends += [n for n in place.nodes if isinstance(n, ast.Assign) and is_name(n.value, takers)]
        return any(
            isinstance(target, ast.Attribute) and ast.unparse(target) == name
            for statement in ends
            for target in getattr(statement, "targets", [])
        )


def is_name(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is one of some names."""
    return isinstance(node, ast.Name) and node.id in names


class OuterName(Rule):
    """A global or nonlocal name is assigned while tracing, not at each call."""

    code = "GW104"
    nodes: ClassVar = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        scope = place.function.local
        if scope is None or not scope.outer or place.is_lifted(node) or place.is_guarded(node):
            return
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        value = place.value(getattr(node, "value", node))
        for name in [n for target in targets for n in names_of(target)]:
            known = place.owner(name).names.get(name)
            if name not in scope.outer or not place.is_outer(name) or TRACING.search(name):
                continue
            if is_tensor(value) or (known is not None and known.is_only(TENSORS)):
                continue
            yield self.finding(
                place,
                node,
                f"`{name}` is assigned only while tracing, not at each call;"
                " make it a tf.Variable and assign to it, or return the value",
            )


class Ambient(Rule):
    """Python reads random numbers, clocks and files once, while tracing."""

    code = "GW105"
    nodes: ClassVar = (ast.Call,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Call) or place.is_lifted(node):
            return
        path = place.callee(node)
        if AMBIENT.fullmatch(path):
            instead = INSTEAD.get(path.split(".")[0], "tf.py_function runs Python at each call")
            yield self.finding(
                place,
                node,
                f"`{ast.unparse(node.func)}` runs once, while tracing: every"
                f" call gets that value; {instead}",
            )
