"""If, while and for become calls of operators on functions of their parts.

A branch or a body becomes a function without arguments; the variables it assigns stay
those of the user's function (`nonlocal`), so closures keep sharing them:

    while c: b        def loop_test(): return c
                      def loop_body(): b
                      def get_state(): ...
                      def set_state(vars_): ...
                      ag__.while_stmt(loop_test, loop_body, get_state, set_state, ...)

That staged form is what `to_code` shows. What runs is the Python form (`inline`): the
user's own statement in the user's own frame, at Python's speed, for conditions and
iterables that are not tensors. A tensor asks for the staged form at its `site`, which is
compiled then (see `sites`), for the variables that a lambda captures:

    while c: b        for ag_test in ag__.iterations():
                          ag_test = c
                          if ag_test is not True:
                              if ... and ag__.staged(ag_test):
                                  ag__.while_stmt(*ag_sites(0, lambda: (x, y)), {}, ag_test)
                                  break
                              if not ag_test: break
                          b
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphwright.autograph.effects import Names, collect
from graphwright.autograph.expressions import (
    Expressions,
    Options,
    assigns,
    is_python_bool,
    may_be_staged,
)
from graphwright.autograph.flow import Flow, Summary
from graphwright.autograph.jumps import lower_jumps
from graphwright.autograph.parts import Block, Parts, Writer
from graphwright.autograph.syntax import OPERATORS, SITES, At, Fresh, copied, is_docstring, is_try


@dataclass(frozen=True)
class Forms:
    """A block in its two forms; the staged one is made when it is asked for."""

    staged: Callable[[], Block]
    plain: Block


@dataclass
class Conversion:
    """The conversion of a function with all functions in it.

    `sites` has what makes the staged form of each statement that a tensor may ask for.
    """

    options: Options
    fresh: Fresh
    sites: list[Callable[[], Parts]] = field(default_factory=list)


def convert_function(node: ast.FunctionDef, conversion: Conversion, around: Names) -> None:
    """Convert the function's control flow, its expressions and the functions in it.

    `around` are the variables of the functions around it.
    """
    _Function(node, conversion, around).convert()


def is_generator(node: ast.FunctionDef) -> bool:
    """Whether the function yields."""
    todo: list[ast.AST] = list(node.body)
    while todo:
        inner = todo.pop()
        if isinstance(inner, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += ast.iter_child_nodes(inner)
    return False


class _Function:
    def __init__(self, node: ast.FunctionDef, conversion: Conversion, around: Names) -> None:
        self.node = node
        self.conversion = conversion
        self.options = conversion.options
        self.fresh = conversion.fresh
        lowered = lower_jumps(node.body, self.fresh)
        self.body = lowered.body
        self.flow = Flow(node.args, self.body)
        self.visible = around | self.flow.locals | self.flow.nonlocals
        self.lost = collect(lowered.dropped).bound()  # they made their names local
        first = (*node.args.posonlyargs, *node.args.args)[:1]
        self.first = first[0].arg if first else None
        self.parts = Writer(self.flow, self.fresh, self.options.inline)
        self.expressions = Expressions(self.first, self.options, self.fresh)

    def convert(self) -> None:
        forms = self.block(self.body)
        body = forms.plain if self.options.inline else forms.staged()
        at = At(self.node)
        known = set(self.flow.locals if self.options.inline else collect(body).bound())
        known |= self.flow.globals | self.flow.nonlocals | self.flow.parameters
        missing = sorted((self.flow.locals | self.lost) - known)
        docs = 1 if is_docstring(body[0]) else 0
        self.node.body = [*body[:docs], *map(at.declare, missing), *body[docs:]]

    def site(self, at: At, inside: Summary, parts: Callable[[], Parts]) -> ast.expr:
        """`*ag_sites(3, lambda: (x, y))`: the arguments of a statement's operator."""
        sites = self.conversion.sites
        sites.append(parts)
        names = {name for name in inside.names() if name in self.visible or name[:2] == "__"}
        if "__class__" in self.visible:  # for `super()`
            names |= {"__class__", self.first or "__class__"}
        captured = at.tuple([at.load(name) for name in (OPERATORS, SITES, *sorted(names))])
        made = at.call(SITES, at.constant(len(sites) - 1), at.thunk(captured))
        return ast.Starred(made, ast.Load(), **at.place)

    # Statements

    def block(self, body: Block) -> Forms:
        forms = [self.statement(node) for node in body]
        plain = [node for form in forms for node in form.plain]
        return Forms(lambda: [node for form in forms for node in form.staged()], plain)

    def statement(self, node: Any) -> Forms:
        if isinstance(node, ast.If):
            return self.if_(node)
        if isinstance(node, ast.While):
            return self.while_(node)
        if isinstance(node, ast.For):
            return self.for_(node)
        if isinstance(node, ast.With):
            node.items = [self.expressions.convert(item) for item in node.items]
            return self.rebuilt(node, ["body"], [])
        if isinstance(node, ast.Match):
            node.subject = self.expressions.convert(node.subject)
            for case in node.cases:
                case.guard = self.expressions.convert(case.guard)
            return self.rebuilt(node, [], ["cases"])
        if is_try(node):
            return self.rebuilt(node, ["body", "orelse", "finalbody"], ["handlers"])
        if isinstance(node, ast.FunctionDef):
            if not is_generator(node):
                convert_function(node, self.conversion, self.visible)
        elif not isinstance(node, (ast.AsyncFunctionDef, ast.ClassDef)):
            node = self.expressions.convert(node)
        return _alike([node])

    def rebuilt(self, node: Any, blocks: list[str], parts: list[str]) -> Forms:
        """A statement that stays: a copy of it around each form of its blocks."""
        inside = {name: self.block(getattr(node, name)) for name in blocks}
        deeper = {
            name: [self.rebuilt(part, ["body"], []) for part in getattr(node, name)]
            for name in parts
        }

        def around(take: Callable[[Forms], Block]) -> Block:
            new = copied(node)
            for name, forms in inside.items():
                setattr(new, name, take(forms))
            for name, list_ in deeper.items():
                setattr(new, name, [take(forms)[0] for forms in list_])
            return [new]

        return Forms(lambda: around(lambda forms: forms.staged()), around(lambda f: f.plain))

    def stage(
        self, at: At, name: str, test: list[ast.expr], parts: Parts, more: Sequence[ast.expr] = ()
    ) -> Block:
        """A statement of the staged form: its functions, and the call of its operator."""
        call = at.apply(name, *test, *parts.arguments, *more)
        return [*parts.functions, at.statement(call)]

    # If

    def if_(self, node: ast.If) -> Forms:
        python = is_python_bool(node.test)
        flags = _flags_unset(node.test)
        inside = self.flow.block(node.body).beside(self.flow.block(node.orelse))
        test = node.test
        swapped = self.options.inline and not flags and not python and _is_not(test)
        if swapped:  # `not` itself costs nothing then
            test = test.operand  # type: ignore[attr-defined]
        test = self.expressions.convert(test)
        body, orelse = self.block(node.body), self.block(node.orelse)
        at = At(node)
        if python:
            return Forms(
                lambda: [at.branch(test, body.staged(), orelse.staged())],
                [at.branch(test, body.plain, orelse.plain)],
            )
        parts = functools.partial(self.if_parts, node, inside, body, orelse)

        def staged() -> Block:
            return self.stage(at, "if_stmt", [at.apply("not_", test) if swapped else test], parts())

        if not self.options.inline:
            return Forms(staged, [])
        site = self.site(at, inside, parts)
        apply = functools.partial(at.apply, "if_stmt")
        if flags:
            tensor = at.branch(at.negation(_is(flags, True, at)), [at.statement(apply(test, site))])
            return Forms(staged, [at.branch(_unset(flags, at), body.plain, [tensor])])
        name = self.fresh.name("ag_test")
        known = at.load(name)
        call = at.statement(apply(at.apply("not_", known) if swapped else known, site))
        holds = at.negation(known) if swapped else known
        choice = at.branch(holds, body.plain or [at.nothing()], orelse.plain)
        guard = at.branch(may_be_staged(known, name, at), [call], [choice])
        return Forms(staged, [at.assign(at.store(name), test), guard])

    def if_parts(self, node: ast.If, inside: Summary, body: Forms, orelse: Forms) -> Parts:
        at = At(node)
        state = self.parts.state(node, inside, self.flow.live_after(node), inside.gen)
        functions, arguments = self.parts.access(at, state)
        then = self.parts.function(at, "if_body", body.staged(), self.flow.block(node.body))
        functions.append(then)
        branches: list[ast.expr] = [at.load(then.name), at.constant(None)]
        if node.orelse or not self.options.inline:
            other = self.parts.function(
                at, "else_body", orelse.staged(), self.flow.block(node.orelse)
            )
            functions.append(other)
            branches[1] = at.load(other.name)
        return Parts(functions, [*branches, *arguments, at.constant(state.count())])

    # Loops

    def while_(self, node: ast.While) -> Forms:
        stops, options, body_nodes = self.take_apart(node)
        at = At(node)
        inside, modified = self.flow.summary(node), self.flow.summary(node.test)
        test, lead, proceed = self.loop_test(node, stops, at)
        body = self.block(body_nodes)
        self.note_mutated(node, inside, options)

        def parts() -> Parts:
            live = self.flow.live_after(node)
            state = self.parts.state(node, inside, live, inside.gen | live)
            tester = self.parts.function(at, "loop_test", [*lead, at.result(proceed)], modified)
            turn = self.parts.function(at, "loop_body", body.staged(), self.flow.block(node.body))
            access, arguments = self.parts.access(at, state)
            arguments = [at.load(tester.name), at.load(turn.name), *arguments]
            return Parts([*access, tester, turn], arguments)

        def staged() -> Block:
            return self.stage(at, "while_stmt", [], parts(), [options])

        if not self.options.inline:
            return Forms(staged, [])
        name = self.fresh.name("ag_test")
        stage = functools.partial(at.apply, "while_stmt", self.site(at, inside, parts), options)
        turn = [] if _is_endless(node) else self.turn_test(at, name, test, stage(at.load(name)))
        turn += body.plain
        if stops:
            turn.append(self.stopped(at, stops, [at.statement(stage())]))
        turns = at.apply("iterations")
        loop = ast.For(at.store(name), turns, turn or [at.nothing()], [], None, **at.place)
        return Forms(staged, [loop])

    def turn_test(self, at: At, name: str, test: ast.expr, stage: ast.expr) -> Block:
        """The beginning of a turn of a `while`: leave if the test fails, or stage what is left."""
        known = at.load(name)
        maybe = at.negated(at.identical(known, False))
        asked = ast.BoolOp(ast.And(), [maybe, at.apply("staged", known)], **at.place)
        tensor = at.branch(asked, [at.statement(stage), at.leave()])
        over = at.branch(at.negation(known), [at.leave()])
        not_true = at.negated(at.identical(known, True))
        return [at.assign(at.store(name), test), at.branch(not_true, [tensor, over])]

    def stopped(self, at: At, stops: list[str], stage: Block) -> ast.stmt:
        """The end of a turn: leave if a flag is set, and stage what is left if a tensor is."""
        tensor = at.branch(at.negation(_is(stops, True, at)), stage)
        return at.branch(at.negation(_unset(stops, at)), [tensor, at.leave()])

    def loop_test(
        self, node: ast.While, stops: list[str], at: At
    ) -> tuple[ast.expr, Block, ast.expr]:
        """The test as written, and the test of the flags and it, after what that needs."""
        walrus, modified = assigns(node.test), self.flow.summary(node.test)
        test: ast.expr = self.expressions.convert(node.test)
        if not stops:
            return test, [], test
        going = self.not_stopped(stops, at)
        if _is_endless(node):
            return test, [], going
        if not walrus:
            return test, [], at.apply("and_", going, at.thunk(test))
        rest = self.parts.function(at, "rest_of_test", [at.result(test)], modified)
        return test, [rest], at.apply("and_", going, at.load(rest.name))

    def for_(self, node: ast.For) -> Forms:
        stops, options, body_nodes = self.take_apart(node)
        at = At(node)
        each = self.flow.summary(node.target).then(self.flow.block(node.body))
        iterable = self.expressions.convert(node.iter)
        target = self.expressions.convert(node.target)
        options.keys.append(at.constant("iterate_names"))
        options.values.append(at.constant(ast.unparse(node.target)))
        body = self.block(body_nodes)
        self.note_mutated(node, each, options)

        def parts() -> Parts:
            live = self.flow.live_after(node)
            state = self.parts.state(node, each, live, each.gen | live)
            item = self.fresh.name("itr")
            take = at.assign(target, at.load(item))
            looped = self.parts.function(at, "loop_body", [take, *body.staged()], each, [item])
            access, arguments = self.parts.access(at, state)
            access.append(looped)
            extra: ast.expr = at.constant(None)
            if stops:
                test = at.result(self.not_stopped(stops, at))
                going = self.parts.function(at, "extra_test", [test], Summary())
                access.append(going)
                extra = at.load(going.name)
            return Parts(access, [extra, at.load(looped.name), *arguments])

        def staged() -> Block:
            return self.stage(at, "for_stmt", [iterable], parts(), [options])

        if not self.options.inline:
            return Forms(staged, [])
        items = self.fresh.name("ag_items")
        arguments = [at.load(items), self.site(at, each, parts), options]
        stage: Block = [at.statement(at.apply("for_stmt", *arguments))]
        inside = body.plain or [at.nothing()]
        if stops:
            inside = [*inside, self.stopped(at, stops, stage)]
        loop = ast.For(target, at.load(items), inside, [], None, **at.place)
        begin = at.assign(at.store(items), at.apply("iterated", iterable))
        return Forms(staged, [begin, at.branch(_is_looped(items, at), stage, [loop])])

    def take_apart(self, node: Any) -> tuple[list[str], ast.Dict, Block]:
        """The flags that end a loop, its options, and its body without either."""
        body: Block = list(node.body)
        stops: list[str] = []
        last = body[-1]
        if isinstance(last, ast.If) and isinstance(last.body[0], ast.Break):
            stops = [inner.id for inner in ast.walk(last.test) if isinstance(inner, ast.Name)]
            body.pop()
        at = At(node)
        options = ast.Dict([], [], **at.place)
        for statement in list(body):
            call = _loop_options(statement)
            if call is not None:
                body.remove(statement)
                self.read_options(call, options, at)
        return stops, options, body

    def read_options(self, call: ast.Call, options: ast.Dict, at: At) -> None:
        """`set_loop_options(shape_invariants=[(x, s)])` -> `{'shape_invariants': [('x', s)]}`"""
        for keyword in call.keywords:
            value = keyword.value
            if keyword.arg == "shape_invariants" and isinstance(value, (ast.List, ast.Tuple)):
                for pair in value.elts:
                    if isinstance(pair, ast.Tuple):
                        pair.elts[0] = at.constant(ast.unparse(pair.elts[0]))
            options.keys.append(at.constant(keyword.arg))
            options.values.append(self.expressions.convert(value))

    def note_mutated(self, node: ast.stmt, inside: Summary, options: ast.Dict) -> None:
        """Add `'mutated': lambda: {'l': l}`: what methods change in the loop, read after it."""
        found = inside.mutated and self.parts.mutated(inside, self.flow.live_after(node))
        if found:
            at = At(node)
            held = ast.Dict([at.constant(name) for name in found], list(found.values()), **at.place)
            options.keys.append(at.constant("mutated"))
            options.values.append(at.thunk(held))

    def not_stopped(self, stops: Sequence[str], at: At) -> ast.expr:
        flags = [at.load(stop) for stop in stops]
        first, *rest = flags
        stopped: ast.expr = at.apply("or_", first, *map(at.thunk, rest)) if rest else first
        return at.apply("not_", stopped)


def _alike(block: Block) -> Forms:
    """A block in which nothing can be staged."""
    return Forms(lambda: block, block)


def _is_not(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _is_endless(node: ast.While) -> bool:
    return isinstance(node.test, ast.Constant) and bool(node.test.value)


def _loop_options(node: ast.stmt) -> ast.Call | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        func = node.value.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)
        if name == "set_loop_options":
            return node.value
    return None


def _flags_unset(test: ast.expr) -> list[str]:
    """The flags of a guard that `jumps` made: `not (a or b)` or `not a`."""
    if not getattr(test, "guards", False):
        return []
    return [inner.id for inner in ast.walk(test) if isinstance(inner, ast.Name)]


def _is(flags: Sequence[str], value: bool, at: At) -> ast.expr:
    """`a is value or b is value`"""
    return at.either([at.identical(at.load(flag), value) for flag in flags])


def _unset(flags: Sequence[str], at: At) -> ast.expr:
    """`a is False and b is False`"""
    tests: list[ast.expr] = [at.identical(at.load(flag), False) for flag in flags]
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests, **at.place)


def _is_looped(name: str, at: At) -> ast.expr:
    """`name.__class__ is ag__.Looped`"""
    kind = ast.Attribute(at.load(name), "__class__", ast.Load(), **at.place)
    return ast.Compare(kind, [ast.Is()], [at.operator("Looped")], **at.place)
