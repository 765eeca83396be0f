"""Break, continue and return become variables, so that a loop or a branch is one region.

`break` sets a flag, and what follows it in the loop runs only while the flag is not set. The loop
ends with `if break_: break`, the one jump left in the tree, so the result is still plain Python.
`return` assigns its value to a variable that the last statement returns.

Where an `if` alone decides whether the rest of a block runs, the rest moves into its other branch,
without a flag. So `if c: return a` before `return b` is an `if` with two branches.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from graphwright.autograph.syntax import SCOPES, Fresh, SyntaxPlace, blocks, is_docstring, is_try
from graphwright.base.named_tuples import NamedTuple


class JumpError(Exception):
    """A jump that cannot become a flag without changing the program."""


class LoweredJumps(NamedTuple):
    """The body of a function without jumps, and the statements that nothing reaches."""

    body: list[ast.stmt]
    dropped: list[ast.stmt]


class _Returned(NamedTuple):
    """The variables for the value that a function returns, and for whether it has returned."""

    value: str
    flag: str


class _Exit:
    """How a block may end: the flags that it may set, and whether it always jumps."""

    def __init__(self, flags: Iterable[str] = (), always: bool = False) -> None:
        self.flags = set(flags)
        self.always = always

    def __or__(self, other: _Exit) -> _Exit:
        return _Exit(self.flags | other.flags, self.always and other.always)


class _Loop(NamedTuple):
    """The flags of a loop."""

    leave: str  # the flag of break
    skip: str  # the flag of continue
    has_else: bool


def set_python_form(node: ast.stmt, form: list[ast.stmt]) -> None:
    """Note what a lowered statement is in the Python form of its function."""
    node.python_form = form  # type: ignore[attr-defined]


def python_form(node: ast.stmt) -> list[ast.stmt]:
    """The Python form of a lowered statement."""
    return getattr(node, "python_form", [node])


def returns(node: ast.stmt) -> bool:
    """Whether the lowered assignment is a `return` in the Python form of its function."""
    return getattr(node, "returns", False)


def lower_jumps(body: list[ast.stmt], fresh: Fresh) -> LoweredJumps:
    """The body of a function without jumps.

    A return that is the last statement, and the only one, stays. Raises JumpError for a jump out of
    a `finally`, which would swallow exceptions.
    """
    returns = [node for node in _statements(body) if isinstance(node, ast.Return)]
    if not returns or (len(returns) == 1 and body[-1] is returns[0]):
        lowering = _Lowering(None, fresh)
        lowered = lowering.block(body)[0]
    else:
        names = _Returned(fresh.name("retval_"), fresh.name("do_return"))
        lowering = _Lowering(names, fresh)
        lowered = lowering.function(body, names)
    _drop(lowered, lowering.flags - lowering.read)
    return LoweredJumps(lowered, lowering.dropped)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a block, at any depth, but not those of inner functions."""
    for node in body:
        yield node
        if not isinstance(node, SCOPES):
            for block in blocks(node):
                yield from _statements(block)


class _Lowering:
    """The lowering of one function: a method for each kind of statement.

    Each gives the new statements, and how they may end.
    """

    def __init__(self, returned: _Returned | None, fresh: Fresh) -> None:
        self.returned = returned
        self.fresh = fresh
        self.loops: list[_Loop] = []
        self.flags: set[str] = {returned.flag} if returned else set()
        self.read: set[str] = set()
        self.dropped: list[ast.stmt] = []
        self.exits: dict[ast.stmt, tuple[_Exit, _Exit]] = {}  # of the branches of each `if`

    def function(self, body: list[ast.stmt], names: _Returned) -> list[ast.stmt]:
        """A body that returns in several places, with one return, at its end."""
        lowered, leaving = self.block(body)
        start, end = SyntaxPlace(body[0]), SyntaxPlace(body[-1])
        begin: list[ast.stmt] = []
        last = end.result(end.load(names.value))
        if not leaving.always:
            self.read.add(names.flag)
            flag = end.load(names.flag)
            last = end.result(end.apply("ret", end.load(names.value), flag))
            fallen = end.branch(end.identical(flag, False), [end.result(None)])
            set_python_form(last, [fallen, last])
            begin = [start.assign(start.store(names.value), start.apply("UndefinedReturn"))]
            set_python_form(begin[0], [])
        if names.flag in self.read:
            begin.insert(0, start.set(names.flag, False))
        docs = 1 if is_docstring(body[0]) else 0
        return [*lowered[:docs], *begin, *lowered[docs:], last]

    def block(self, body: list[ast.stmt]) -> tuple[list[ast.stmt], _Exit]:
        out: list[ast.stmt] = []
        for position, node in enumerate(body):
            new, leaving = self.statement(node)
            out += new
            if leaving.always:
                self.dropped += body[position + 1 :]  # never reached
                return out, leaving
            if leaving.flags:
                rest = body[position + 1 :]
                return out, (self.rest(out, leaving, rest) if rest else leaving)
        return out, _Exit()

    def rest(self, out: list[ast.stmt], last: _Exit, rest: list[ast.stmt]) -> _Exit:
        """Add what follows a statement that may jump, to run only if that has not jumped."""
        lowered, after = self.block(rest)
        return self.attach(out, last, lowered, after, SyntaxPlace(rest[0]))

    def attach(
        self,
        out: list[ast.stmt],
        leaving: _Exit,
        lowered: list[ast.stmt],
        after: _Exit,
        place: SyntaxPlace,
    ) -> _Exit:
        """Add lowered statements to a block that may end so; returns how it may end then."""
        if not leaving.flags:
            out += lowered
            return after
        node = out[-1]
        first, second = self.exits.get(node, (leaving, leaving))
        if isinstance(node, ast.If) and first.always != second.always:
            if first.always:
                second = self.attach(node.orelse, second, lowered, after, place)
            else:
                first = self.attach(node.body, first, lowered, after, place)
            self.exits[node] = (first, second)
        else:
            out.append(place.branch(self.unset(leaving.flags, place), lowered))
        return _Exit(leaving.flags | after.flags, after.always)

    def test(self, flags: set[str], place: SyntaxPlace) -> ast.expr:
        """`a or b`"""
        self.read |= flags
        return place.either([place.load(flag) for flag in sorted(flags)])

    def unset(self, flags: set[str], place: SyntaxPlace) -> ast.expr:
        """`not (a or b)`, marked as a test of flags alone."""
        guard = place.negation(self.test(flags, place))
        guard.guards = True  # type: ignore[attr-defined]
        return guard

    def statement(self, node: ast.stmt) -> tuple[list[ast.stmt], _Exit]:
        handler = _STATEMENTS.get(type(node))
        if handler is not None:
            result: tuple[list[ast.stmt], _Exit] = handler(self, node)
            return result
        if is_try(node):
            return self.try_(node)
        return [node], _Exit()

    def break_(self, node: ast.Break) -> tuple[list[ast.stmt], _Exit]:
        return self.jump(node, self.loops[-1].leave)

    def continue_(self, node: ast.Continue) -> tuple[list[ast.stmt], _Exit]:
        return self.jump(node, self.loops[-1].skip)

    def jump(self, node: ast.stmt, flag: str) -> tuple[list[ast.stmt], _Exit]:
        setting = SyntaxPlace(node).set(flag, True)
        is_read = isinstance(node, ast.Break) and self.loops[-1].has_else
        set_python_form(setting, [setting, node] if is_read else [node])
        return [setting], _Exit({flag}, always=True)

    def return_(self, node: ast.Return) -> tuple[list[ast.stmt], _Exit]:
        if self.returned is None:
            return [node], _Exit()
        place = SyntaxPlace(node)
        value = node.value or place.constant(None)
        assignment = place.assign(place.store(self.returned.value), value)
        setting = place.set(self.returned.flag, True)
        assignment.returns = True  # type: ignore[attr-defined]
        set_python_form(setting, [])
        return [assignment, setting], _Exit({self.returned.flag}, always=True)

    def if_(self, node: ast.If) -> tuple[list[ast.stmt], _Exit]:
        body, first = self.block(node.body)
        orelse, second = self.block(node.orelse)
        new = SyntaxPlace(node).branch(node.test, body, orelse)
        self.exits[new] = (first, second)
        return [new], first | second

    def loop(self, node: ast.While | ast.For) -> tuple[list[ast.stmt], _Exit]:
        place = SyntaxPlace(node)
        names = _Loop(self.fresh.name("break_"), self.fresh.name("continue_"), bool(node.orelse))
        self.flags |= {names.leave, names.skip}
        self.loops.append(names)
        body, leaving = self.block(node.body)
        self.loops.pop()
        outward = leaving.flags - {names.skip, names.leave}
        stops = leaving.flags - {names.skip}
        out: list[ast.stmt] = []
        if names.leave in stops:
            out.append(place.set(names.leave, False))
        if names.skip in self.read:
            body.insert(0, place.set(names.skip, False))
        if stops:
            body.append(place.branch(self.test(stops, place), [place.leave()]))
        loop: ast.For | ast.While
        if isinstance(node, ast.For):
            loop = ast.For(node.target, node.iter, body, [], None, **place.span)
        else:
            loop = ast.While(node.test, body, [], **place.span)
        out.append(loop)
        exit_ = _Exit(outward, _endless(node) and names.leave not in stops)
        if node.orelse:
            orelse, after = self.block(node.orelse)
            if stops:
                orelse = [place.branch(self.unset(stops, place), orelse)]
            out += orelse
            exit_ = _Exit(outward | after.flags, after.always and not stops)
        return out, exit_

    def with_(self, node: ast.With) -> tuple[list[ast.stmt], _Exit]:
        body, leaving = self.block(node.body)
        # The context may swallow an exception of its body, so it is never sure to jump.
        return [ast.With(node.items, body, None, **SyntaxPlace(node).span)], _Exit(leaving.flags)

    def match(self, node: ast.Match) -> tuple[list[ast.stmt], _Exit]:
        cases, flags = [], set()
        for case in node.cases:
            body, leaving = self.block(case.body)
            flags |= leaving.flags
            cases.append(ast.match_case(case.pattern, case.guard, body))
        return [ast.Match(node.subject, cases, **SyntaxPlace(node).span)], _Exit(flags)

    def try_(self, node: ast.Try) -> tuple[list[ast.stmt], _Exit]:
        final, ending = self.block(node.finalbody)
        if ending.flags:
            raise JumpError(
                f"line {node.lineno}: a `finally` that ends in break, continue or return"
            )
        body, leaving = self.block(node.body)
        orelse, after = self.block(node.orelse)
        if leaving.flags and orelse:
            place = SyntaxPlace(node.orelse[0])
            orelse = [place.branch(self.unset(leaving.flags, place), orelse)]
        exit_ = _Exit(leaving.flags | after.flags, leaving.always or after.always)
        handlers = []
        for handler in node.handlers:
            caught, ending = self.block(handler.body)
            exit_ |= ending
            handlers.append(
                ast.ExceptHandler(handler.type, handler.name, caught, **SyntaxPlace(handler).span)
            )
        new = type(node)(body, handlers, orelse, final, **SyntaxPlace(node).span)
        return [new], exit_


_STATEMENTS: dict[type, Any] = {
    ast.Break: _Lowering.break_,
    ast.Continue: _Lowering.continue_,
    ast.Return: _Lowering.return_,
    ast.If: _Lowering.if_,
    ast.While: _Lowering.loop,
    ast.For: _Lowering.loop,
    ast.With: _Lowering.with_,
    ast.Match: _Lowering.match,
}


def _endless(node: ast.stmt) -> bool:
    """Whether a loop ends by jumps alone."""
    test = node.test if isinstance(node, ast.While) else None
    return isinstance(test, ast.Constant) and bool(test.value)


def _drop(body: list[ast.stmt], names: set[str]) -> None:
    """Remove the assignments of flags that nothing reads."""
    rest = [node for node in body if not _sets(node, names)]
    body[:] = rest or [SyntaxPlace(body[0]).nothing()]
    for node in body:
        if not isinstance(node, SCOPES):
            for block in blocks(node):
                _drop(block, names)


def _sets(node: ast.stmt, names: set[str]) -> bool:
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in names
    )
