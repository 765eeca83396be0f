"""The variables that a piece of code touches itself, whatever is around it.

Symbols are texts. They are a variable `x`, an assigned attribute (`self.x`, `boxes[0].x`), or the
container of an assigned item (`d` of `d[0] = v`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, TypeGuard

from graphwright.autograph.syntax import is_try, parameters
from graphwright.base.named_tuples import NamedTuple

Names: TypeAlias = frozenset[str]
#: A name, with attributes and items after it.
Path: TypeAlias = ast.Name | ast.Attribute | ast.Subscript
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
NONE: Names = frozenset()
NO_PATHS: Mapping[str, Path] = MappingProxyType({})

MUTATORS = frozenset(
    {
        "append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse",
        "setdefault", "sort", "update",
    }
)  # fmt: skip


class Loose(NamedTuple):
    """The variables around it that code may read and write which no statement names.

    Such are lambdas, methods of classes and generators.
    """

    reads: Names = NONE
    writes: Names = NONE

    def __or__(self, other: Loose) -> Loose:
        return Loose(self.reads | other.reads, self.writes | other.writes)

    def without(self, local: set[str]) -> Loose:
        """The same without local variables."""
        return Loose(self.reads - local, self.writes - local)


class Closure(NamedTuple):
    """What a call of an inner function may do to the variables around it.

    It may be `held` where no statement names it. `loose` is what its inner functions do that may be
    called elsewhere. `values` are the names that it may pass on. `guarded` are those that it reads
    where an exception handler may notice that they have no value.
    """

    reads: Names = NONE
    writes: Names = NONE
    loose: Loose = Loose()
    values: Names = NONE
    global_writes: Names = NONE
    guarded: Names = NONE
    held: bool = False
    attributes: Mapping[str, Path] = NO_PATHS
    containers: Mapping[str, Path] = NO_PATHS
    mutated: Mapping[str, Path] = NO_PATHS

    def __or__(self, other: Closure) -> Closure:
        return Closure(
            self.reads | other.reads,
            self.writes | other.writes,
            self.loose | other.loose,
            self.values | other.values,
            self.global_writes | other.global_writes,
            self.guarded | other.guarded,
            self.held or other.held,
            {**self.attributes, **other.attributes},
            {**self.containers, **other.containers},
            {**self.mutated, **other.mutated},
        )


class VariableEffect:
    """The variables that a piece of code touches itself, in no order."""

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self.writes: set[str] = set()  # surely bound once it has run
        self.maybe: set[str] = set()  # perhaps bound
        self.deletes: set[str] = set()
        self.attributes: dict[str, Path] = {}  # assigned: self.x
        self.containers: dict[str, Path] = {}  # of assigned items: d
        self.mutated: dict[str, Path] = {}  # by methods, d += [x]: d
        self.passed: set[str] = set()  # to functions: d
        self.globals: set[str] = set()
        self.global_writes: set[str] = set()  # by inner functions
        self.nonlocals: set[str] = set()
        self.closures: dict[str, Closure] = {}
        self.captured: set[str] = set()  # by functions that may run later
        self.values: set[str] = set()  # read otherwise than to be called
        self.loose = Loose()
        self.guarded: set[str] = set()  # read by functions with handlers around

    def add(self, other: VariableEffect) -> None:
        self.writes |= other.writes
        self.maybe |= other.maybe
        self.deletes |= other.deletes
        self.globals |= other.globals
        self.global_writes |= other.global_writes
        self.nonlocals |= other.nonlocals
        self.captured |= other.captured
        self.values |= other.values
        self.loose |= other.loose
        self.guarded |= other.guarded
        for name, closure in other.closures.items():
            self.closures[name] = self.closures.get(name, Closure()) | closure

    def bound(self) -> set[str]:
        """All that it may bind or unbind."""
        return self.writes | self.maybe | self.deletes


class _Collector:
    """Fills one `VariableEffect` from any number of nodes."""

    def __init__(self, sure: bool = True) -> None:
        self.effect = VariableEffect()
        self.sure = sure  # whether what is visited runs each time

    def visit(self, node: ast.AST) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.children(node)

    def children(self, node: ast.AST) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                self.visit(value)
            elif isinstance(value, list):
                self.all(value)

    def all(self, nodes: Iterable[object]) -> None:
        for node in nodes:
            if isinstance(node, ast.AST):
                self.visit(node)

    def name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.effect.reads.add(node.id)
            self.effect.values.add(node.id)
        elif isinstance(node.ctx, ast.Store):
            self.effect.writes.add(node.id)
        else:
            self.effect.deletes.add(node.id)
            self.effect.reads.add(node.id)

    def walrus(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        (self.effect.writes if self.sure else self.effect.maybe).add(node.target.id)

    def perhaps(self, nodes: Iterable[object]) -> None:
        """Visits what does not run each time."""
        sure, self.sure = self.sure, False
        self.all(nodes)
        self.sure = sure

    def logical(self, node: ast.BoolOp) -> None:
        self.visit(node.values[0])
        self.perhaps(node.values[1:])

    def comparison(self, node: ast.Compare) -> None:
        self.visit(node.left)
        self.visit(node.comparators[0])
        self.perhaps(node.comparators[1:])

    def choice(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        self.perhaps([node.body, node.orelse])

    def assertion(self, node: ast.Assert) -> None:
        self.perhaps([node.test, node.msg])

    def augmented(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self.visit(node.target)
        if isinstance(node.target, ast.Name):
            self.effect.reads.add(node.target.id)
            if isinstance(node.value, (ast.List, ast.ListComp)):
                self.effect.mutated[node.target.id] = node.target

    def assignment(self, node: ast.Assign) -> None:
        value, target = node.value, node.targets[0]
        if isinstance(value, ast.Lambda) and isinstance(target, ast.Name):
            self.defaults(value.args)
            self.closure(target.id, value.args, [value.body], len(node.targets) > 1)
            self.effect.captured |= _mentioned(value)
        else:
            self.visit(value)
        self.all(node.targets)

    def annotation(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)

    def attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load) and is_path(node):
            self.effect.attributes[symbol(node)] = node
        self.visit(node.value)

    def subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            base = node.value
            while isinstance(base, ast.Subscript):
                base = base.value
            if is_path(base):
                self.effect.containers[symbol(base)] = base
        self.visit(node.value)
        self.visit(node.slice)

    def call(self, node: ast.Call) -> None:
        method = node.func if isinstance(node.func, ast.Attribute) else None
        if method is not None and method.attr in MUTATORS and is_path(method.value):
            self.effect.mutated[symbol(method.value)] = method.value
        self.effect.passed.update([arg.id for arg in node.args if isinstance(arg, ast.Name)])
        for keyword in node.keywords:
            if isinstance(keyword.value, ast.Name):
                self.effect.passed.add(keyword.value.id)
        if isinstance(node.func, ast.Name):
            self.effect.reads.add(node.func.id)
        else:
            self.visit(node.func)
        self.all(node.args)
        self.all(node.keywords)

    def definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.all(node.decorator_list)
        self.defaults(node.args)
        held = bool(node.decorator_list) or isinstance(node, ast.AsyncFunctionDef)
        self.closure(node.name, node.args, node.body, held or is_generator(node.body))
        self.effect.writes.add(node.name)
        self.effect.captured |= _mentioned(node)

    def closure(self, name: str, args: ast.arguments, body: Sequence[ast.AST], held: bool) -> None:
        """An inner function with a name."""
        closure = _closure(args, body, held)
        self.effect.reads |= closure.reads - {name}
        self.effect.values |= closure.values
        self.effect.global_writes |= closure.global_writes
        self.effect.guarded |= closure.guarded
        self.effect.loose |= closure.loose
        self.effect.closures[name] = self.effect.closures.get(name, Closure()) | closure

    def lambda_(self, node: ast.Lambda) -> None:
        self.defaults(node.args)
        self.loosen(_closure(node.args, [node.body]))
        self.effect.captured |= _mentioned(node)

    def loosen(self, closure: Closure) -> None:
        """A function that may be called where no statement names it."""
        self.effect.reads |= closure.reads
        self.effect.values |= closure.values
        self.effect.global_writes |= closure.global_writes
        self.effect.guarded |= closure.guarded
        self.effect.loose |= closure.loose | Loose(closure.reads, closure.writes)

    def defaults(self, args: ast.arguments) -> None:
        self.all(args.defaults)
        self.all(args.kw_defaults)

    def class_(self, node: ast.ClassDef) -> None:
        self.all(node.decorator_list)
        self.all(node.bases)
        self.all(node.keywords)
        inner = collect(node.body)
        self.effect.reads |= inner.reads  # with names of the class itself: on the safe side
        self.effect.values |= inner.values
        self.effect.loose |= inner.loose
        for method in inner.closures.values():
            self.loosen(method)
        self.effect.writes.add(node.name)
        self.effect.captured |= _mentioned(node)

    def comprehension(self, node: _Comprehension) -> None:
        inner = _Collector(sure=False)
        inner.children(node)
        self.effect.reads |= inner.effect.reads - inner.effect.writes
        self.effect.maybe |= inner.effect.maybe
        self.effect.captured |= inner.effect.captured
        self.effect.values |= inner.effect.values
        self.effect.loose |= inner.effect.loose.without(inner.effect.writes)
        if isinstance(node, ast.GeneratorExp):
            self.effect.captured |= _mentioned(node)
            reads = frozenset(inner.effect.reads - inner.effect.writes)
            self.effect.loose |= Loose(reads, frozenset(inner.effect.maybe))

    def imports(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.effect.writes.add(alias.asname or alias.name.partition(".")[0])

    def scope(self, node: ast.Global | ast.Nonlocal) -> None:
        is_global = isinstance(node, ast.Global)
        (self.effect.globals if is_global else self.effect.nonlocals).update(node.names)

    def handler(self, node: ast.ExceptHandler) -> None:
        self.children(node)
        if node.name:
            self.effect.maybe.add(node.name)

    def capture(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        """A name in the pattern of a `match`."""
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            self.effect.maybe.add(name)
        self.children(node)


_HANDLERS: dict[type, Callable[[_Collector, Any], None]] = {
    ast.Name: _Collector.name,
    ast.NamedExpr: _Collector.walrus,
    ast.BoolOp: _Collector.logical,
    ast.Compare: _Collector.comparison,
    ast.IfExp: _Collector.choice,
    ast.Assert: _Collector.assertion,
    ast.AugAssign: _Collector.augmented,
    ast.Assign: _Collector.assignment,
    ast.AnnAssign: _Collector.annotation,
    ast.Attribute: _Collector.attribute,
    ast.Subscript: _Collector.subscript,
    ast.Call: _Collector.call,
    ast.FunctionDef: _Collector.definition,
    ast.AsyncFunctionDef: _Collector.definition,
    ast.Lambda: _Collector.lambda_,
    ast.ClassDef: _Collector.class_,
    ast.ListComp: _Collector.comprehension,
    ast.SetComp: _Collector.comprehension,
    ast.DictComp: _Collector.comprehension,
    ast.GeneratorExp: _Collector.comprehension,
    ast.Import: _Collector.imports,
    ast.ImportFrom: _Collector.imports,
    ast.Global: _Collector.scope,
    ast.Nonlocal: _Collector.scope,
    ast.ExceptHandler: _Collector.handler,
    ast.MatchAs: _Collector.capture,
    ast.MatchStar: _Collector.capture,
    ast.MatchMapping: _Collector.capture,
}


def collect(nodes: Iterable[ast.AST]) -> VariableEffect:
    """The effect of all the nodes together."""
    collector = _Collector()
    collector.all(nodes)
    return collector.effect


def _closure(args: ast.arguments, body: Sequence[ast.AST], held: bool = False) -> Closure:
    """What a call of a function with these parameters and this body may do around it."""
    inner = collect(body)
    local = inner.bound() - inner.nonlocals
    local.update(parameters(args))
    local |= inner.globals
    closure_of_body = Closure(
        frozenset(inner.reads - local),
        frozenset(inner.bound() & inner.nonlocals),
        loose_code(inner.closures, inner.values, inner.loose).without(local),
        frozenset(inner.values - local),
        frozenset(inner.global_writes | inner.globals & inner.bound()),
        frozenset((inner.guarded | _guarded(body)) - local),
        held,
        _reachable(inner.attributes, local),
        _reachable(inner.containers, local),
        _reachable(inner.mutated, local),
    )
    for name, closure in inner.closures.items():
        if name in inner.reads:  # it may call this one, or pass it on
            closure_of_body |= Closure(
                writes=closure.writes - local,
                attributes=_reachable(closure.attributes, local),
                containers=_reachable(closure.containers, local),
                mutated=_reachable(closure.mutated, local),
            )
    return closure_of_body


def _guarded(body: Sequence[ast.AST]) -> set[str]:
    """The names in the bodies of statements that may catch what reading them raises."""
    names: set[str] = set()
    for statement in body:
        for node in ast.walk(statement) if isinstance(statement, ast.stmt) else ():
            if is_try(node) and node.handlers:
                names.update(*map(_mentioned, node.body))
    return names


def loose_code(closures: dict[str, Closure], values: Iterable[str], loose: Loose) -> Loose:
    """What code does that no statement names, with the inner functions that it may call."""
    held = {name for name, closure in closures.items() if closure.held}
    called: set[str] = set()
    todo = {*held, *values, *loose.reads} & closures.keys()
    while todo:
        for name in todo:
            loose |= Loose(closures[name].reads, closures[name].writes)
        called |= todo
        todo = set(loose.reads) & closures.keys() - called
    return loose


def is_generator(body: Sequence[ast.AST]) -> bool:
    """Whether a function with this body is a generator."""
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += ast.iter_child_nodes(node)
    return False


def _mentioned(node: ast.AST) -> set[str]:
    """All names in a piece of code, whatever they mean there."""
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            names.add(inner.id)
        elif isinstance(inner, ast.Nonlocal):
            names.update(inner.names)
    return names


def _reachable(symbols: Mapping[str, Path], local: set[str]) -> dict[str, Path]:
    """The paths without local variables: these mean the same outside the function."""
    return {name: node for name, node in symbols.items() if local.isdisjoint(variables(node))}


def symbol(node: ast.expr) -> str:
    """The text of an expression."""
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


def is_path(node: ast.expr) -> TypeGuard[Path]:
    """Whether the expression leads from a name through attributes and plain items."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript):
            if not isinstance(node.slice, (ast.Constant, ast.Name)):
                return False
        elif not isinstance(node, ast.Attribute):
            return False
        node = node.value
    return True


def variables(node: ast.expr) -> Names:
    """The variables in a path: `boxes` and `i` of `boxes[i].v`."""
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
