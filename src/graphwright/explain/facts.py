"""The names from outside that a function's source reads, calls, and changes.

A `NameChain` leads from a name to a value, as `self.layers[0].rate` does. A name that the function
binds once, to a chain, stands for this chain.
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.late_imports import late_module

#: Methods of containers that change them.
MUTATORS = frozenset(
    {
        "add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert",
        "pop", "popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update",
    }
)  # fmt: skip


class NameStep(NamedTuple):
    """One step of a chain: an attribute or a constant key."""

    is_item: bool
    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]" if self.is_item else f".{self.key}"


class NameChain(NamedTuple):
    """A name and the steps from it."""

    root: str
    steps: tuple[NameStep, ...] = ()

    def __str__(self) -> str:
        return self.root + "".join(map(str, self.steps))

    def then(self, *steps: NameStep) -> NameChain:
        """This chain with more steps."""
        return NameChain(self.root, (*self.steps, *steps))


class CallSite(NamedTuple):
    """A call: the function, and the chains among its arguments."""

    function: NameChain
    arguments: tuple[NameChain | None, ...]
    keywords: tuple[tuple[str, NameChain | None], ...]
    line: int


class StoreSite(NamedTuple):
    """A change of something outside: by assignment, or by a method of a container."""

    target: NameChain
    line: int
    method: str = ""


class Facts:
    """What one function does with values from outside."""

    def __init__(self, parameters: tuple[str, ...] = ()) -> None:
        self.parameters = parameters
        self.reads: dict[NameChain, int] = {}  # with the first line of each
        self.calls: list[CallSite] = []
        self.stores: list[StoreSite] = []


_FACTS: weakref.WeakKeyDictionary[types.CodeType, Facts] = weakref.WeakKeyDictionary()


def facts_of(function: types.FunctionType) -> Facts:
    """The facts of a function; none where it has no source."""
    facts = _FACTS.get(function.__code__)
    if facts is None:
        source: Any = late_module("graphwright.autograph.live_source")
        try:
            tree = source.fetch(function).tree()
        except source.SourceError:
            facts = Facts()
        else:
            reader = FactReader(tree)
            for statement in tree.body:
                reader.visit(statement)
            facts = reader.facts
        _FACTS[function.__code__] = facts
    return facts


class FactReader(ast.NodeVisitor):
    """Collects the facts of one definition."""

    def __init__(self, tree: ast.FunctionDef) -> None:
        arguments = tree.args
        positional = [*arguments.posonlyargs, *arguments.args]
        self.facts = Facts(tuple(a.arg for a in [*positional, *arguments.kwonlyargs]))
        self.outside = set(declared(tree))
        bound = [name for name in bindings(tree.body) if name not in self.outside]
        self.local = set(bound) - set(self.facts.parameters)
        self.local |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
        self.rebound = set(bound) & set(self.facts.parameters)
        once = {name for name in bound if bound.count(name) == 1}
        self.aliases: dict[str, NameChain] = {}
        self._once = once - set(self.facts.parameters)

    # -- chains ---------------------------------------------------------------------------

    def chain(self, node: ast.AST | None) -> NameChain | None:
        """The chain that an expression denotes; None for local names and other expressions."""
        if isinstance(node, ast.Name):
            if node.id in self.aliases:
                return self.aliases[node.id]
            return None if node.id in self.local | self.rebound else NameChain(node.id)
        if isinstance(node, ast.Attribute):
            before = self.chain(node.value)
            return None if before is None else before.then(NameStep(False, node.attr))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            before = self.chain(node.value)
            return None if before is None else before.then(NameStep(True, node.slice.value))
        return None

    def read(self, node: ast.Name | ast.Attribute | ast.Subscript) -> None:
        """Notes that a chain is read, or visits the parts of another expression."""
        chain = self.chain(node)
        if chain is None:
            self.generic_visit(node)
        else:
            self.facts.reads.setdefault(chain, node.lineno)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.read(node)
        elif node.id in self.outside:
            self.facts.stores.append(StoreSite(NameChain(node.id), node.lineno))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.read_or_store(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.read_or_store(node)

    def read_or_store(self, node: ast.Attribute | ast.Subscript) -> None:
        """Notes `x.a` or `x[k]`, on either side of an assignment."""
        if isinstance(node.ctx, ast.Load):
            self.read(node)
            return
        target = self.chain(node) or self.chain(node.value)
        if target is not None:
            self.facts.stores.append(StoreSite(target, node.lineno))
        if isinstance(node, ast.Subscript):
            self.visit(node.slice)

    # -- statements and calls ---------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            chain = self.chain(node.value)
            if isinstance(target, ast.Name) and target.id in self._once and chain is not None:
                self.aliases[target.id] = chain
            self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        chain = self.chain(node.target)
        if chain is not None:
            self.facts.reads.setdefault(chain, node.lineno)
        self.visit(node.target)

    def visit_Call(self, node: ast.Call) -> None:
        function = self.chain(node.func)
        if function is None:
            self.visit(node.func)
        else:
            self.called(function, node)
        for argument in [*node.args, *[k.value for k in node.keywords]]:
            self.visit(argument)

    def called(self, function: NameChain, node: ast.Call) -> None:
        """Notes a call of a function from outside, or of a method of a value from outside."""
        arguments = tuple([self.chain(a) for a in node.args])
        keywords = tuple([(k.arg or "", self.chain(k.value)) for k in node.keywords])
        self.facts.calls.append(CallSite(function, arguments, keywords, node.lineno))
        last = function.steps[-1] if function.steps else None
        if last is not None and not last.is_item and last.key in MUTATORS:
            owner = NameChain(function.root, function.steps[:-1])
            self.facts.stores.append(StoreSite(owner, node.lineno, str(last.key)))
        else:
            self.facts.reads.setdefault(function, node.lineno)


def declared(tree: ast.AST) -> Iterator[str]:
    """The names that a definition declares `global` or `nonlocal`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names


def bindings(body: Sequence[ast.AST]) -> Iterator[str]:
    """The names that statements bind, those of functions and comprehensions in them included."""
    for statement in body:
        for node in ast.walk(statement):
            yield from bound_names(node)


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that one node binds."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.ExceptHandler):
        yield from filter(None, [node.name])
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((a.asname or a.name).partition(".")[0] for a in node.names)
