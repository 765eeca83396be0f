"""The parts of a staged statement: functions of its blocks, and of the variables it assigns."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from graphwright.autograph import loads
from graphwright.autograph.refusals import RETURN_VALUE
from graphwright.autograph.syntax import OPERATORS, Fresh, SyntaxPlace, copied
from graphwright.autograph.touched_variables import Names, Path, variables
from graphwright.autograph.variable_flow import Summary, VariableFlow

Block = list[ast.stmt]


@dataclass(frozen=True)
class Parts:
    """The functions of a statement's parts, and what its operator takes after the test."""

    functions: Block
    arguments: list[ast.expr]


@dataclass(frozen=True)
class RegionState:
    """The symbols that cross the boundary of a statement, outputs first."""

    names: list[str]
    outputs: int
    unsure: Names  # names that may have no value
    containers: dict[str, Path]
    attributes: dict[str, Path]

    def symbols(self) -> list[str]:
        return [*self.containers, *self.attributes, *self.names]

    def count(self) -> int:
        return len(self.containers) + len(self.attributes) + self.outputs


class PartWriter:
    """Writes the parts of statements of one function.

    With `inline`, what is written runs, and leaves out what operators find by themselves.
    """

    def __init__(self, flow: VariableFlow, fresh: Fresh, own: Names, inline: bool) -> None:
        self.flow = flow
        self.fresh = fresh
        self.own = own  # the variables that hold `Undefined` where they have no value
        self.inline = inline
        # Of these, what to_code shows loads of, and what may have no value before a statement.
        self.loaded: set[str] = set()
        self.unset: set[str] = set()

    def state(self, node: ast.stmt, inside: Summary, live: Names, read: Names) -> RegionState:
        """What the statement changes that is read after it (first) or again inside it."""
        outputs = sorted(inside.modified & live)
        inputs = sorted((inside.modified & read) - live)
        names = outputs + inputs
        unsure = {name for name in names if self.is_unsure(node, inside, name)} - self.own
        if not self.inline:
            self._note(node, inside)
        attributes = _steady(inside.attributes, inside.modified)
        extended = inside.modified & inside.mutated.keys()  # by `+=`: it stays the same container
        moved = inside.modified - (extended - inside.assigned)
        containers = _steady(inside.containers, moved)
        containers = {name: at for name, at in containers.items() if name not in attributes}
        if isinstance(node, ast.If):
            containers |= self.mutated(inside, live)
            return RegionState(names, len(outputs), frozenset(unsure), containers, attributes)
        return RegionState(names, len(names), frozenset(unsure), containers, attributes)

    def _note(self, node: ast.stmt, inside: Summary) -> None:
        """Note which variables are loaded, and which may have no value."""
        own = self.own & inside.names()
        unset = {name for name in own if not self.flow.defined_before(node, name)}
        loaded = unset | (own & inside.modified)
        self.loaded.update(name for name in loaded if not self.fresh.has_made(name))
        self.unset |= unset

    def is_unsure(self, node: ast.stmt, inside: Summary, name: str) -> bool:
        """Whether a variable may have no value; that of `return` has none before it, inline."""
        if name in inside.deleted or not self.flow.defined_before(node, name):
            return True
        return self.inline and name.startswith(RETURN_VALUE)

    def mutated(self, inside: Summary, live: Names) -> dict[str, Path]:
        """The containers of this function that methods change and that are read afterwards."""
        own = live & self.flow.locals
        found = _steady(inside.mutated, inside.modified)
        return {name: node for name, node in found.items() if variables(node) <= own}

    def function(
        self, at: SyntaxPlace, name: str, body: Block, inside: Summary, params: Sequence[str] = ()
    ) -> ast.FunctionDef:
        """A part of a statement as a function that assigns the variables of this one."""
        return at.function(
            self.fresh.name(name), params, [*self.shared(at, inside.modified), *body]
            or [at.nothing()]
        )  # fmt: skip

    def head(self, at: SyntaxPlace) -> Block:
        """An instruction of the statement's first line, in what runs: whoever follows lines sees
        a branch or a turn come from there (branch coverage), and a turn go back.
        """
        return [at.statement(at.load(OPERATORS))] if self.inline else []

    def shared(self, at: SyntaxPlace, names: Names) -> Block:
        declarations: Block = []
        own = sorted(names & (self.flow.locals | self.flow.nonlocals))
        world = sorted(names & self.flow.globals)
        if own:
            declarations.append(ast.Nonlocal(own, **at.place))
        if world:
            declarations.append(ast.Global(world, **at.place))
        return declarations

    def access(self, at: SyntaxPlace, state: RegionState) -> tuple[Block, list[ast.expr]]:
        """get_state and set_state, and the arguments that operators take for them.

        What runs needs neither for mere variables: operators find their cells by name.
        """
        names = at.names(state.symbols())
        if self.inline and self.are_cells(state):
            return [], [at.constant(None), at.constant(None), names]
        reads: list[ast.expr] = []
        targets: list[ast.expr] = []
        after: Block = []
        for symbol, node in state.containers.items():
            contents = at.apply("contents", _loaded(node))
            reads.append(at.apply("ldu", at.thunk(contents), at.constant(symbol)))
            new = self.fresh.name("contents_")
            targets.append(at.store(new))
            after.append(at.statement(at.apply("refill", _loaded(node), at.load(new))))
        for symbol, node in state.attributes.items():
            reads.append(at.apply("ldu", at.thunk(_loaded(node)), at.constant(symbol)))
            targets.append(_stored(node))
            after.append(self.unbind(at, _loaded(node), node))
        for name in state.names:
            value: ast.expr = at.load(name)
            if name in state.unsure:
                after.append(self.unbind(at, at.load(name), at.store(name)))
                value = at.apply("ldu", at.thunk(value), at.constant(name))
            reads.append(value)
            targets.append(at.store(name))
        getter = at.function(self.fresh.name("get_state"), [], [at.result(at.tuple(reads))])
        unpack: Block = []
        if targets:
            unpack = [at.assign(at.tuple(targets, ast.Store()), at.load("vars_")), *after]
        setter = at.function(
            self.fresh.name("set_state"),
            ["vars_"],
            [*self.shared(at, frozenset(state.names)), *unpack] or [at.nothing()],
        )
        for function in (getter, setter):
            loads.leave(function)
        return [getter, setter], [at.load(getter.name), at.load(setter.name), names]

    def are_cells(self, state: RegionState) -> bool:
        """Whether all symbols are local variables that closures know by the same name."""
        others = state.attributes or state.containers or state.unsure
        others = others or self.flow.globals.intersection(state.names)
        return not others and not any(name.startswith("__") for name in state.names)

    def unbind(self, at: SyntaxPlace, value: ast.expr, target: Path) -> ast.stmt:
        """`if ag__.undefined(x): del x`"""
        gone = copied(target)
        gone.ctx = ast.Del()
        return at.branch(at.apply("undefined", value), [ast.Delete([gone], **at.place)])


def _steady(symbols: dict[str, Path], modified: Names) -> dict[str, Path]:
    """The symbols that hang on variables which are not assigned themselves."""
    steady = {name: node for name, node in symbols.items() if modified.isdisjoint(variables(node))}
    return dict(sorted(steady.items()))


def _loaded(node: Path) -> Path:
    new = copied(node)
    new.ctx = ast.Load()
    return new


def _stored(node: Path) -> Path:
    new = copied(node)
    new.ctx = ast.Store()
    return new
