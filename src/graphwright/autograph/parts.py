"""The parts of a staged statement: functions of its blocks, and of the variables it assigns."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from graphwright.autograph import loads
from graphwright.autograph.refusals import RETURN_VALUE
from graphwright.autograph.syntax import OPERATORS, Fresh, SyntaxPlace, copied
from graphwright.autograph.touched_variables import Names, Path, variables
from graphwright.autograph.variable_flow import Summary, VariableFlow
from graphwright.base.named_tuples import NamedTuple

Block: TypeAlias = list[ast.stmt]


class Parts(NamedTuple):
    """The functions of a statement's parts, and the arguments of its operator after the test."""

    functions: Block
    arguments: list[ast.expr]


class RegionState(NamedTuple):
    """The symbols that cross the boundary of a statement, outputs first."""

    names: list[str]
    outputs: int
    unsure: Names  # names that may have no value
    containers: dict[str, Path]
    attributes: dict[str, Path]

    def symbols(self) -> list[str]:
        return [*self.containers, *self.attributes, *self.names]

    def size(self) -> int:
        return len(self.containers) + len(self.attributes) + self.outputs


class PartWriter:
    """Writes the parts of statements of one function.

    With `inline` the parts run, and lack what operators know by themselves. Else `to_code` shows
    them.
    """

    def __init__(self, flow: VariableFlow, fresh: Fresh, private: Names, inline: bool) -> None:
        self.flow = flow
        self.fresh = fresh
        self.private = private  # variables that hold `Undefined` where they have no value
        self.inline = inline
        # Private variables whose loads `to_code` shows, and those that may have no value before a
        # statement.
        self.loaded: set[str] = set()
        self.unset: set[str] = set()

    def state(self, node: ast.stmt, inside: Summary, live: Names, read: Names) -> RegionState:
        """The symbols that the statement changes: first those read after it, then those inside."""
        outputs = sorted(inside.modified & live)
        inputs = sorted((inside.modified & read) - live)
        names = outputs + inputs
        unsure = {name for name in names if self.is_unsure(node, inside, name)} - self.private
        if not self.inline:
            self._note(node, inside)
        attributes = _steady(inside.attributes, inside.modified)
        extended = inside.modified & inside.mutated.keys()  # by `+=`, which keeps the container
        moved = inside.modified - (extended - inside.assigned)
        containers = _steady(inside.containers, moved)
        containers = {name: place for name, place in containers.items() if name not in attributes}
        if isinstance(node, ast.If):
            containers |= self.mutated(inside, live)
            return RegionState(names, len(outputs), frozenset(unsure), containers, attributes)
        return RegionState(names, len(names), frozenset(unsure), containers, attributes)

    def _note(self, node: ast.stmt, inside: Summary) -> None:
        """Note which variables need loads, and which may have no value."""
        private = self.private & inside.names()
        unset = {name for name in private if not self.flow.defined_before(node, name)}
        loaded = unset | (private & inside.modified)
        self.loaded.update(name for name in loaded if not self.fresh.has_made(name))
        self.unset |= unset

    def is_unsure(self, node: ast.stmt, inside: Summary, name: str) -> bool:
        """Whether a variable may have no value. Inline, the return value has none before."""
        if name in inside.deleted or not self.flow.defined_before(node, name):
            return True
        return self.inline and name.startswith(RETURN_VALUE)

    def mutated(self, inside: Summary, live: Names) -> dict[str, Path]:
        """The containers of this function that methods change and that are read afterwards."""
        local = live & self.flow.locals
        paths = _steady(inside.mutated, inside.modified)
        return {name: path for name, path in paths.items() if variables(path) <= local}

    def function(
        self,
        place: SyntaxPlace,
        name: str,
        body: Block,
        inside: Summary,
        params: Sequence[str] = (),
    ) -> ast.FunctionDef:
        """A part of a statement, as a function that assigns the variables of the program's one."""
        return place.function(
            self.fresh.name(name), params, [*self.shared(place, inside.modified), *body]
            or [place.nothing()]
        )  # fmt: skip

    def head(self, place: SyntaxPlace) -> Block:
        """An instruction of the statement's first line, in parts that run.

        Tools that follow lines, as for branch coverage, see by it where a branch or an iteration
        begins.
        """
        return [place.statement(place.load(OPERATORS))] if self.inline else []

    def shared(self, place: SyntaxPlace, names: Names) -> Block:
        """The declarations of variables that a part assigns."""
        declarations: Block = []
        local = sorted(names & (self.flow.locals | self.flow.nonlocals))
        world = sorted(names & self.flow.globals)
        if local:
            declarations.append(ast.Nonlocal(local, **place.span))
        if world:
            declarations.append(ast.Global(world, **place.span))
        return declarations

    def access(self, place: SyntaxPlace, state: RegionState) -> tuple[Block, list[ast.expr]]:
        """`get_state` and `set_state`, and the arguments that operators take for them.

        Parts that run need neither for variables alone: operators know the cells by name.
        """
        names = place.names(state.symbols())
        if self.inline and self.are_cells(state):
            return [], [place.constant(None), place.constant(None), names]
        reads: list[ast.expr] = []
        targets: list[ast.expr] = []
        after: Block = []
        for symbol, node in state.containers.items():
            contents = place.apply("contents", _loaded(node))
            reads.append(place.apply("ldu", place.thunk(contents), place.constant(symbol)))
            new = self.fresh.name("contents_")
            targets.append(place.store(new))
            after.append(place.statement(place.apply("refill", _loaded(node), place.load(new))))
        for symbol, node in state.attributes.items():
            reads.append(place.apply("ldu", place.thunk(_loaded(node)), place.constant(symbol)))
            targets.append(_stored(node))
            after.append(self.unbind(place, _loaded(node), node))
        for name in state.names:
            value: ast.expr = place.load(name)
            if name in state.unsure:
                after.append(self.unbind(place, place.load(name), place.store(name)))
                value = place.apply("ldu", place.thunk(value), place.constant(name))
            reads.append(value)
            targets.append(place.store(name))
        getter = place.function(
            self.fresh.name("get_state"), [], [place.result(place.tuple(reads))]
        )
        unpack: Block = []
        if targets:
            unpack = [place.assign(place.tuple(targets, ast.Store()), place.load("vars_")), *after]
        setter = place.function(
            self.fresh.name("set_state"),
            ["vars_"],
            [*self.shared(place, frozenset(state.names)), *unpack] or [place.nothing()],
        )
        for function in (getter, setter):
            loads.leave(function)
        return [getter, setter], [place.load(getter.name), place.load(setter.name), names]

    def are_cells(self, state: RegionState) -> bool:
        """Whether all symbols are local variables with the same names in closures."""
        others = state.attributes or state.containers or state.unsure
        others = others or self.flow.globals.intersection(state.names)
        return not others and not any(name.startswith("__") for name in state.names)

    def unbind(self, place: SyntaxPlace, value: ast.expr, target: Path) -> ast.stmt:
        """`if ag__.undefined(x): del x`"""
        gone = copied(target)
        gone.ctx = ast.Del()
        return place.branch(place.apply("undefined", value), [ast.Delete([gone], **place.span)])


def _steady(symbols: Mapping[str, Path], modified: Names) -> dict[str, Path]:
    """The symbols whose paths have no assigned variable."""
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
