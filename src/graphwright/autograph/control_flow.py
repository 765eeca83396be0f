"""If, while and for become calls of operators on functions of their parts.

A branch or a body becomes a function without arguments; the variables it assigns stay
those of the user's function (`nonlocal`), so closures keep sharing them:

    while c: b        def loop_test(): return c
                      def loop_body(): b
                      def get_state(): ...
                      def set_state(vars_): ...
                      ag__.while_stmt(loop_test, loop_body, get_state, set_state, ...)

That staged form is what `to_code` shows. What runs has the Python form too (`inline`): the
user's own statement in the user's own frame, at Python's speed, for conditions and
iterables that are not tensors. The functions then stand aside, in `ag_regions`, which
makes them only when a tensor asks for them:

    while c: b        for ag_test in ag__.iterations():
                          ag_test = c
                          if ag_test is not True:
                              if ... and ag__.staged(ag_test):
                                  ag__.while_stmt(*ag_regions(0), {}, ag_test)
                                  break
                              if not ag_test: break
                          b
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.autograph.effects import Names, collect, variables
from graphwright.autograph.expressions import Expressions, Options, assigns, is_python_bool
from graphwright.autograph.flow import Flow, Summary
from graphwright.autograph.jumps import lower_jumps
from graphwright.autograph.syntax import At, Fresh, is_docstring, is_try

Block = list[ast.stmt]


@dataclass(frozen=True)
class Forms:
    """A block in its two forms; where nothing can be staged in it they are the same."""

    staged: Block
    plain: Block


def convert_function(node: ast.FunctionDef, options: Options, fresh: Fresh) -> ast.FunctionDef:
    """The function with its control flow, its expressions and its inner functions converted."""
    return _Function(node, options, fresh).convert()


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


@dataclass(frozen=True)
class _State:
    """The symbols that cross the boundary of a statement, outputs first."""

    names: list[str]
    outputs: int
    unsure: Names  # names that may have no value
    containers: dict[str, ast.expr]
    attributes: dict[str, ast.expr]

    def symbols(self) -> list[str]:
        return [*self.containers, *self.attributes, *self.names]

    def count(self) -> int:
        return len(self.containers) + len(self.attributes) + self.outputs


class _Function:
    def __init__(self, node: ast.FunctionDef, options: Options, fresh: Fresh) -> None:
        self.node = node
        self.options = options
        self.fresh = fresh
        self.parts: Block = []  # the functions that stand aside
        self.regions: list[ast.expr] = []  # the arguments of the statements they belong to
        self.maker = fresh.name("ag_regions")
        lowered = lower_jumps(node.body, fresh)
        self.body = lowered.body
        self.flow = Flow(node.args, self.body)
        self.lost = collect(lowered.dropped).bound()  # they made their names local
        first = (*node.args.posonlyargs, *node.args.args)[:1]
        self.expressions = Expressions(first[0].arg if first else None, options, self.fresh)

    def convert(self) -> ast.FunctionDef:
        forms = self.block(self.body)
        body = forms.plain if self.options.inline else forms.staged
        at = At(self.node)
        known = set(self.flow.locals if self.options.inline else collect(body).bound())
        known |= self.flow.globals | self.flow.nonlocals | self.flow.parameters
        missing = sorted((self.flow.locals | self.lost) - known)
        docs = 1 if is_docstring(body[0]) else 0
        start = [*map(at.declare, missing), *self.region_maker(at)]
        self.node.body = [*body[:docs], *start, *body[docs:]]
        return self.node

    def region_maker(self, at: At) -> Block:
        """The function that makes the parts of staged statements, and gives those of one."""
        if not self.regions:
            return []
        number = self.fresh.name("number")
        every = ast.Subscript(at.tuple(self.regions), at.load(number), ast.Load(), **at.place)
        return [at.function(self.maker, [number], [*self.parts, at.result(every)])]

    def region(self, at: At, functions: Block, arguments: list[ast.expr]) -> tuple[Block, ast.expr]:
        """Keep the parts of a statement: what to write before it, and its arguments in the
        Python form."""
        if not self.options.inline:
            return functions, at.constant(None)
        self.parts += functions
        self.regions.append(at.tuple(arguments))
        made = ast.Call(at.load(self.maker), [at.constant(len(self.regions) - 1)], [], **at.place)
        return [], ast.Starred(made, ast.Load(), **at.place)

    # Statements

    def block(self, body: Block) -> Forms:
        staged: Block = []
        plain: Block = []
        for node in body:
            forms = self.statement(node)
            staged += forms.staged
            plain += forms.plain
        return Forms(staged, plain)

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
                node = convert_function(node, self.options, self.fresh)
            return Forms([node], [node])
        if isinstance(node, (ast.AsyncFunctionDef, ast.ClassDef)):
            return Forms([node], [node])
        new = self.expressions.convert(node)
        return Forms([new], [new])

    def rebuilt(self, node: Any, blocks: list[str], parts: list[str]) -> Forms:
        """A statement that stays: two copies of it around the two forms of its blocks."""
        staged, plain = _copy(node), _copy(node)
        for name in blocks:
            forms = self.block(getattr(node, name))
            setattr(staged, name, forms.staged)
            setattr(plain, name, forms.plain)
        for name in parts:
            inner = [self.rebuilt(part, ["body"], []) for part in getattr(node, name)]
            setattr(staged, name, [forms.staged[0] for forms in inner])
            setattr(plain, name, [forms.plain[0] for forms in inner])
        return Forms([staged], [plain])

    # If

    def if_(self, node: ast.If) -> Forms:
        python = is_python_bool(node.test)
        flags = _flags_unset(node.test)
        summary = self.flow.block(node.body).beside(self.flow.block(node.orelse))
        live = self.flow.live_after(node)
        test = self.expressions.convert(node.test)
        body, orelse = self.block(node.body), self.block(node.orelse)
        at = At(node)
        if python:
            return Forms(
                [at.branch(test, body.staged, orelse.staged)],
                [at.branch(test, body.plain, orelse.plain)],
            )
        state = self.state(node, summary, live, summary.gen)

        then = self.function(at, "if_body", body.staged, self.flow.block(node.body))
        other = self.function(at, "else_body", orelse.staged, self.flow.block(node.orelse))
        access, arguments = self.access(at, state)
        arguments = [at.load(then.name), at.load(other.name), *arguments]
        arguments.append(at.constant(state.count()))
        before, aside = self.region(at, [*access, then, other], arguments)
        staged = [*before, at.statement(at.apply("if_stmt", test, *arguments))]
        if not self.options.inline:
            return Forms(staged, staged)
        name = self.fresh.name("ag_test")
        known = at.either([_unset(flags, at), test]) if flags else test
        fallback = at.branch(at.load(name), body.plain or [at.nothing()], orelse.plain)
        stage = at.statement(at.apply("if_stmt", at.load(name), aside))
        guard = at.branch(_may_be_staged(name, at), [stage], [fallback])
        return Forms(staged, [at.assign(at.store(name), known), guard])

    # Loops

    def while_(self, node: ast.While) -> Forms:
        stops, options, body_nodes = self.take_apart(node)
        at = At(node)
        summary, modified = self.flow.summary(node), self.flow.summary(node.test)
        live = self.flow.live_after(node)
        test, lead, proceed = self.loop_test(node, stops, at)
        body = self.block(body_nodes)
        state = self.state(node, summary, live, summary.gen | live)
        tester = self.function(at, "loop_test", [*lead, at.result(proceed)], modified)
        looped = self.function(at, "loop_body", body.staged, self.flow.block(node.body))
        access, arguments = self.access(at, state)
        arguments = [at.load(tester.name), at.load(looped.name), *arguments]
        before, aside = self.region(at, [*access, tester, looped], arguments)
        staged = [*before, at.statement(at.apply("while_stmt", *arguments, options))]
        if not self.options.inline:
            return Forms(staged, staged)
        name = self.fresh.name("ag_test")
        stage = at.statement(at.apply("while_stmt", aside, options, at.load(name)))
        go = ast.IfExp(_unset(stops, at), test, proceed, **at.place) if stops else test
        other: Block = [at.branch(_may_be_staged(name, at), [stage, at.leave()])]
        other.append(at.branch(at.negation(at.load(name)), [at.leave()]))
        inside: Block = [*lead, at.assign(at.store(name), go)]
        inside.append(at.branch(at.negated(at.identical(at.load(name), True)), other))
        inside += body.plain
        if stops:
            inside.append(at.branch(_is(stops, True, at), [at.leave()]))
        turns = at.apply("iterations")
        return Forms(staged, [ast.For(at.store(name), turns, inside, [], None, **at.place)])

    def loop_test(
        self, node: ast.While, stops: list[str], at: At
    ) -> tuple[ast.expr, Block, ast.expr]:
        """The test as written, and the test of the flags and it, after what that needs."""
        walrus, modified = assigns(node.test), self.flow.summary(node.test)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        test: ast.expr = self.expressions.convert(node.test)
        if not stops:
            return test, [], test
        going = self.not_stopped(stops, at)
        if endless:
            return test, [], going
        if not walrus:
            return test, [], at.apply("and_", going, at.thunk(test))
        rest = self.function(at, "rest_of_test", [at.result(test)], modified)
        return test, [rest], at.apply("and_", going, at.load(rest.name))

    def for_(self, node: ast.For) -> Forms:
        stops, options, body_nodes = self.take_apart(node)
        at = At(node)
        each = self.flow.summary(node.target).then(self.flow.block(node.body))
        live = self.flow.live_after(node)
        iterable = self.expressions.convert(node.iter)
        target = self.expressions.convert(node.target)
        body = self.block(body_nodes)
        state = self.state(node, each, live, each.gen | live)
        item = self.fresh.name("itr")
        take = at.assign(target, at.load(item))
        looped = self.function(at, "loop_body", [take, *body.staged], each, [item])
        access, arguments = self.access(at, state)
        access.append(looped)
        extra: ast.expr = at.constant(None)
        if stops:
            test = at.result(self.not_stopped(stops, at))
            going = self.function(at, "extra_test", [test], Summary())
            access.append(going)
            extra = at.load(going.name)
        options.keys.append(at.constant("iterate_names"))
        options.values.append(at.constant(ast.unparse(node.target)))
        arguments = [extra, at.load(looped.name), *arguments]
        before, aside = self.region(at, access, arguments)
        staged = [*before, at.statement(at.apply("for_stmt", iterable, *arguments, options))]
        if not self.options.inline:
            return Forms(staged, staged)
        items = self.fresh.name("ag_items")
        stage = at.statement(at.apply("for_stmt", at.load(items), aside, options))
        inside = list(body.plain)
        if stops:
            stopped = at.branch(_is(stops, True, at), [at.leave()])
            inside.append(at.branch(at.negation(_unset(stops, at)), [stopped, stage, at.leave()]))
        loop = ast.For(target, at.load(items), inside or [at.nothing()], [], None, **at.place)
        begin = at.assign(at.store(items), at.apply("iterated", iterable))
        guard = at.branch(_is_looped(items, at), [stage], [loop])
        return Forms(staged, [begin, guard])

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

    def not_stopped(self, stops: Sequence[str], at: At) -> ast.expr:
        flags = [at.load(stop) for stop in stops]
        first, *rest = flags
        stopped: ast.expr = at.apply("or_", first, *map(at.thunk, rest)) if rest else first
        return at.apply("not_", stopped)

    # Functions for the parts

    def state(self, node: ast.stmt, inside: Summary, live: Names, read: Names) -> _State:
        """What the statement changes that is read after it (first) or again inside it."""
        outputs = sorted(inside.modified & live)
        inputs = sorted((inside.modified & read) - live)
        names = outputs + inputs
        unsure = {n for n in names if n in inside.deleted or not self.flow.defined_before(node, n)}
        attributes = _steady(inside.attributes, inside.modified)
        containers = _steady(inside.containers, inside.modified)
        containers = {name: at for name, at in containers.items() if name not in attributes}
        if isinstance(node, ast.If):
            return _State(names, len(outputs), frozenset(unsure), containers, attributes)
        return _State(names, len(names), frozenset(unsure), containers, attributes)

    def function(
        self, at: At, name: str, body: Block, inside: Summary, params: Sequence[str] = ()
    ) -> ast.FunctionDef:
        """A part of a statement as a function that assigns the variables of this one."""
        return at.function(
            self.fresh.name(name), params, [*self.shared(at, inside.modified), *body]
            or [at.nothing()]
        )  # fmt: skip

    def shared(self, at: At, names: Names) -> Block:
        declarations: Block = []
        own = sorted(names & (self.flow.locals | self.flow.nonlocals))
        world = sorted(names & self.flow.globals)
        if own:
            declarations.append(ast.Nonlocal(own, **at.place))
        if world:
            declarations.append(ast.Global(world, **at.place))
        return declarations

    def access(self, at: At, state: _State) -> tuple[Block, list[ast.expr]]:
        """get_state and set_state, and the arguments that operators take for them."""
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
        names = at.names(state.symbols())
        return [getter, setter], [at.load(getter.name), at.load(setter.name), names]

    def unbind(self, at: At, value: ast.expr, target: ast.expr) -> ast.stmt:
        """`if ag__.undefined(x): del x`"""
        gone = _copy(target)
        gone.ctx = ast.Del()
        return at.branch(at.apply("undefined", value), [ast.Delete([gone], **at.place)])


def _steady(symbols: dict[str, ast.expr], modified: Names) -> dict[str, ast.expr]:
    """The symbols that hang on variables which are not assigned themselves."""
    steady = {name: node for name, node in symbols.items() if modified.isdisjoint(variables(node))}
    return dict(sorted(steady.items()))


def _copy(node: Any) -> Any:
    new = type(node)(**{name: getattr(node, name, None) for name in node._fields})
    return ast.copy_location(new, node) if hasattr(node, "lineno") else new


def _loaded(node: ast.expr) -> ast.expr:
    new = _copy(node)
    new.ctx = ast.Load()
    return new  # type: ignore[no-any-return]


def _stored(node: ast.expr) -> ast.expr:
    new = _copy(node)
    new.ctx = ast.Store()
    return new  # type: ignore[no-any-return]


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


def _may_be_staged(name: str, at: At) -> ast.expr:
    """`name is not True and name is not False and ag__.staged(name)`"""
    odd = [at.negated(at.identical(at.load(name), value)) for value in (True, False)]
    return ast.BoolOp(ast.And(), [*odd, at.apply("staged", at.load(name))], **at.place)


def _is_looped(name: str, at: At) -> ast.expr:
    """`name.__class__ is ag__.Looped`"""
    kind = ast.Attribute(at.load(name), "__class__", ast.Load(), **at.place)
    return ast.Compare(kind, [ast.Is()], [at.operator("Looped")], **at.place)
