"""If, while and for become calls of operators on functions of their parts.

A branch or a body becomes a function without arguments. The variables that it assigns stay those of
the function around it (`nonlocal`), so closures keep sharing them:

    while c: b        def loop_test(): return c
                      def loop_body(): b
                      def get_state(): ...
                      def set_state(vars_): ...
                      ag__.while_stmt(loop_test, loop_body, get_state, set_state, ...)

That staged form is what `to_code` shows. What runs is the Python form (`inline`): the statement of
the program in the program's frame, at Python's speed. A tensor that is asked there whether it is
true raises. The statement catches that and goes on in its staged form, which is compiled at that
moment (see `sites`):

    while c: b        try:
                          while c: b
                      except ag__.undecided():
                          x, y = ag_sites(1, ('x', 'y'), ..., 2, ag__.while_stmt)

Where a statement asks several operands, `ag_at` says which one it asks, and each has its own site.
So Python asks for truth in such a `try` alone, or in an inline form, which looks first (see
`decisions`).
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeGuard

from graphwright.autograph import loads
from graphwright.autograph.decisions import Decision, DecisionOperand, Unstaged, Wraps, asked_apart
from graphwright.autograph.expression_rewriting import ExpressionRewriter, Options
from graphwright.autograph.jumps import lower_jumps, python_form, returns
from graphwright.autograph.parts import Block, Parts, PartWriter
from graphwright.autograph.refusals import RETURN_VALUE
from graphwright.autograph.syntax import (
    KNOWN,
    SITES,
    Fresh,
    SyntaxPlace,
    blocks,
    copied,
    is_compound,
    is_docstring,
    is_try,
)
from graphwright.autograph.touched_variables import (
    NONE,
    Names,
    Path,
    collect,
    is_generator,
    symbol,
    variables,
)
from graphwright.autograph.variable_flow import Summary, VariableFlow
from graphwright.base.named_tuples import NamedTuple

MARK = "ag_at"  # the site of the operand that is asked
_DEEPEST = 15  # blocks in each other: Python has room for 20 in one function


#: A path to where an object has an attribute or an item.
Place: TypeAlias = ast.Attribute | ast.Subscript
#: What keeps its form, and what has blocks in it.
Rebuilt: TypeAlias = ast.With | ast.Match | ast.Try | ast.match_case | ast.ExceptHandler


class Forms(NamedTuple):
    """A block in its two forms; the staged one is a function that makes it."""

    staged: Callable[[], Block]
    plain: Block


class GrowingLists(NamedTuple):
    """The variables whose lists a statement may change itself, and by functions that it calls.

    `places` are attributes and items whose lists it may change itself.
    """

    growing: Names
    passed: Names
    places: dict[str, Place]

    def all(self) -> Names:
        """The variables of both kinds."""
        return self.growing | self.passed


class Conversion:
    """The conversion of a function with all functions in it.

    `sites` make the staged form of each statement where a tensor may decide. `calls` counts the
    calls that keep their callees.
    """

    def __init__(self, options: Options, fresh: Fresh) -> None:
        self.options = options
        self.fresh = fresh
        self.sites: list[Callable[[], Parts]] = []
        self.calls = 0


def convert_function(
    node: ast.FunctionDef, conversion: Conversion, around: Names, outer: _Function | None = None
) -> None:
    """Convert the function's control flow, its expressions and the functions in it.

    `around` are the variables of the functions around it. `outer` is the nearest of these that is
    converted with it.
    """
    _Function(node, conversion, around, outer).convert()


class _Function:
    def __init__(
        self,
        node: ast.FunctionDef,
        conversion: Conversion,
        around: Names,
        outer: _Function | None,
    ) -> None:
        self.node = node
        self.conversion = conversion
        self.options = conversion.options
        self.fresh = conversion.fresh
        lowered = lower_jumps(node.body, self.fresh)
        self.body = lowered.body
        self.flow: VariableFlow = VariableFlow(
            node.args, self.body, outer.flow.closures if outer else {}
        )
        self.outer = outer
        self.free = around
        self.visible = around | self.flow.locals | self.flow.nonlocals
        # Variables that only this function can see. A class changes names with two underscores.
        seen = self.flow.locals - self.flow.captured - self.flow.caught
        self.private = frozenset(name for name in seen if name[:2] != "__")
        self.owned: Names = (outer.owned if outer else NONE) - self.flow.globals | self.flow.locals
        self.changing: dict[ast.AST, GrowingLists] = {}  # by statement
        self.lost = collect(lowered.dropped).bound()  # these assignments made the names local
        first = (*node.args.posonlyargs, *node.args.args)[:1]
        self.first = first[0].arg if first else None
        self.parts = PartWriter(self.flow, self.fresh, self.private, self.options.inline)
        self.expressions = ExpressionRewriter(
            self.first, self.visible, self.options, self.fresh, self.new_call
        )
        self.depth = 0  # the blocks around it in the Python form
        self.elsewhere = {
            n for n in self.flow.locals if n.startswith(RETURN_VALUE)
        }  # bound in parts
        self.tail: Block = []  # what ends the turn of a loop after the statement, if it is staged

    def convert(self) -> None:
        """Replace the body of the function."""
        forms = self.block(self.body)
        body = forms.plain if self.options.inline else self.staged(forms)
        place = SyntaxPlace(self.node)
        known = set(self.flow.locals if self.options.inline else collect(body).bound())
        known |= self.flow.globals | self.flow.nonlocals | self.flow.parameters
        if self.options.inline:
            known -= self.elsewhere
        missing = sorted((self.flow.locals | self.lost) - known)
        docs = 1 if is_docstring(body[0]) else 0
        first = [*map(place.declare, missing), *self.shared(place)]
        self.node.body = [*body[:docs], *first, *body[docs:]]

    def shared(self, place: SyntaxPlace) -> Block:
        """`ag__.share(lambda: (x, y), ...)`: variables that change where no statement says so.

        A function that is converted by itself cannot know what others do to its free variables.
        Variables that it may find without a value follow, and those of its module.
        """
        flow = self.flow
        names = flow.shared | (NONE if self.outer else self.free - {"__class__"})
        if not self.options.inline or not (names or flow.changing):
            return []
        arguments = self.cells(place, names) or [place.constant(None)]
        guarded, changing = names & flow.guarded, flow.changing
        if guarded or changing:
            arguments.append(place.names(sorted(guarded)))
        if changing:
            arguments += [place.names(sorted(changing)), place.apply("globals")]
        return [place.statement(place.apply("share", *arguments))]

    def staged(self, forms: Forms) -> Block:
        """The staged form of the whole body."""
        body, place = forms.staged(), SyntaxPlace(self.node)
        loads.insert(ast.Module(body, []), frozenset(self.parts.loaded))
        docs = 1 if is_docstring(body[0]) else 0
        unset = [
            place.assign(place.store(name), place.undefined(name))
            for name in sorted(self.parts.unset)
        ]
        return [*body[:docs], *unset, *body[docs:]]

    def new_call(self) -> int:
        """The number, from 0 on, of a call that keeps its callee."""
        self.conversion.calls += 1
        return self.conversion.calls - 1

    def site(self, parts: Callable[[], Parts]) -> int:
        """The number, from 1 on, of a site where a staged form begins."""
        self.conversion.sites.append(parts)
        return len(self.conversion.sites)

    def go_to(
        self,
        place: SyntaxPlace,
        number: ast.expr,
        inside: Summary,
        assigned: Sequence[str] = (),
        run: Sequence[ast.expr] = (),
    ) -> ast.expr:
        """The call of a site, `ag_sites(3, ('x', 'y'), ag__.locals(), ag__.globals(), 1, run)`.

        It passes the number of the site, its variables, all variables that there are, how many of
        the site's are assigned, and the operator. A value has
        `ag_sites.value(3, ('x', 'y'), ag__.locals(), ag__.globals())`.
        """
        names = inside.names()
        private = names & self.private
        shared = {name for name in names - private if name in self.visible or name[:2] == "__"}
        if "__class__" in self.visible:  # for `super()`
            shared |= {"__class__", self.first or "__class__"} - private
        read = sorted(private.difference(assigned) | self.expressions.middles)
        variables = place.constant((*assigned, *read))
        scope = place.apply("locals"), place.apply("globals")
        if run:
            call = place.call(SITES, number, variables, *scope, place.constant(len(assigned)), *run)
        else:
            value = place.attribute(place.load(SITES), "value")
            call = ast.Call(value, [number, variables, *scope], [], **place.span)
        if shared:
            thunk = place.thunk(place.tuple([place.load(name) for name in sorted(shared)]))
            call.keywords.append(ast.keyword("shared", thunk, **place.span))
        return call

    def stage_at(
        self,
        place: SyntaxPlace,
        name: str,
        number: ast.expr,
        node: ast.stmt,
        inside: Summary,
        *first: ast.expr,
    ) -> Block:
        """The statement in the staged form of a site, and assignments of what is read after it."""
        changed = (inside.modified | self.lists(node).all()) & self.private
        assigned = sorted(changed & self.flow.live_after(node))
        site = self.go_to(place, number, inside, assigned, [place.operator(name), *first])
        if not assigned:
            return [place.statement(site)]
        targets = place.tuple([place.store(name) for name in assigned], ast.Store())
        block: Block = [place.assign(targets, site)]
        for target in assigned:
            is_ours = target.startswith(RETURN_VALUE)
            if not is_ours and self.parts.is_unsure(node, inside, target):
                block.append(self.parts.unbind(place, place.load(target), place.store(target)))
        return block

    def asking(self, place: SyntaxPlace, body: Block, handler: Block) -> ast.stmt:
        """A statement that may ask tensors, with its handler for that."""
        caught = ast.ExceptHandler(place.apply("undecided"), None, handler, **place.span)
        return ast.Try(body, [caught], [], [], **place.span)

    def marks(
        self, place: SyntaxPlace, sites: dict[DecisionOperand, int], first: bool
    ) -> tuple[Wraps, Block, ast.expr]:
        """Functions that mark operands when they are asked, a block before, and the site's number.

        `first` says whether the first operand needs a mark. Marks are 1, 2, ..., which are true.
        """
        start = min(sites.values(), default=0)
        if len(sites) < 2:
            return dict.fromkeys(sites, asked_apart), [], place.constant(start)

        def mark(number: int, value: ast.expr) -> ast.expr:
            if not number:
                return asked_apart(value)
            true = place.constant(True if number == 1 else number)  # Python tests True fastest
            marking = ast.NamedExpr(place.store(MARK), true, **place.span)
            return ast.BoolOp(ast.And(), [marking, asked_apart(value)], **place.span)

        start -= first
        wraps = {
            operand: functools.partial(mark, number - start) for operand, number in sites.items()
        }
        begin: Block = [] if first else [place.set(MARK, 0)]
        number = ast.BinOp(place.load(MARK), ast.Add(), place.constant(start), **place.span)
        return wraps, begin, number

    # Statements

    def block(self, body: Block) -> Forms:
        tail, self.tail = self.tail, []
        forms = [self.statement(node) for node in body[:-1]]
        self.tail = tail
        forms += [self.statement(node) for node in body[-1:]]
        plain = [node for form in forms for node in form.plain]
        return Forms(lambda: [node for form in forms for node in form.staged()], plain)

    def deeper(self, body: Block, tail: Block, blocks: int = 1) -> Forms:
        """A block inside further blocks of the Python form."""
        outer, self.tail = self.tail, tail
        self.depth += blocks
        forms = self.block(body)
        self.depth -= blocks
        self.tail = outer
        return forms

    def statement(self, node: ast.stmt) -> Forms:
        if isinstance(node, ast.If):
            return self.if_(node)
        if isinstance(node, (ast.While, ast.For)):
            grows = bool(self.lists(node).growing)
            forms = self.while_(node) if isinstance(node, ast.While) else self.for_(node)
            self.expressions.is_after_growth |= grows
            return forms
        if isinstance(node, ast.With):
            node.items = [self.expressions.convert(item) for item in node.items]
            return self.rebuilt(node, ["body"], [])
        if isinstance(node, ast.Match):
            return self.match(node)
        if is_try(node):
            return self.rebuilt(node, ["body", "orelse", "finalbody"], ["handlers"])
        if isinstance(node, ast.FunctionDef):
            if not is_generator(node.body):
                convert_function(node, self.conversion, self.visible, self)
            return _alike([node])
        if isinstance(node, (ast.AsyncFunctionDef, ast.ClassDef)):
            return _alike([node])
        if isinstance(node, ast.Assert):
            return self.assertion(node)
        if isinstance(node, ast.Raise) and node.exc is None:
            handled = ast.Raise(SyntaxPlace(node).apply("handled"), None, **SyntaxPlace(node).span)
            return Forms(lambda: [handled], [node])
        return self.simple(node)

    def simple(self, node: ast.stmt) -> Forms:
        """A statement of one line, whose value may be a decision."""
        value = getattr(node, "value", None)
        again = not isinstance(node, ast.AugAssign) or isinstance(node.target, ast.Name)
        if not isinstance(value, _DECISIONS) or not again or not self.options.inline:
            new = self.expressions.convert(node)
            if returns(node):
                return Forms(lambda: [new], [SyntaxPlace(node).result(new.value)])
            return Forms(lambda: [new], python_form(new))
        inside = self.flow.summary(node)
        emptied: Any = node
        emptied.value = None
        emptied = self.expressions.convert(node)
        decision = self.expressions.decision(value)

        def write(value: ast.expr) -> Any:
            new = copied(emptied)
            new.value = value
            return new

        place = SyntaxPlace(node)
        plain = place.result if returns(node) else write

        block = self.deciding(
            place,
            decision,
            False,
            inside,
            lambda rest: Parts([], [rest]),
            plain,
            lambda go_to: plain(go_to()),
        )
        return Forms(lambda: [write(decision.staged())], block)

    def deciding(
        self,
        place: SyntaxPlace,
        decision: Decision,
        truth: bool,
        inside: Summary,
        parts: Callable[[ast.expr], Parts],
        plain: Callable[[ast.expr], ast.stmt],
        staged: Callable[[Callable[..., ast.expr]], ast.stmt],
    ) -> Block:
        """A simple statement around a decision.

        `plain` makes it of the decision's Python form, `staged` of what makes the call of a site.
        """
        sites = {
            operand: self.site(functools.partial(self.left, place, decision, operand, parts))
            for operand in decision.operands(truth)
        }
        if not sites:
            return [plain(decision.python({}))]
        wraps, begin, number = self.marks(place, sites, False)
        handler = [staged(functools.partial(self.go_to, place, number, inside))]
        return [*begin, self.asking(place, [plain(decision.python(wraps))], handler)]

    def left(
        self,
        place: SyntaxPlace,
        decision: Decision,
        operand: DecisionOperand,
        parts: Callable[[ast.expr], Parts],
    ) -> Parts:
        """The parts of a statement that goes on with the rest of a decision."""
        return parts(self.rest(place, decision, operand))

    def rest(self, place: SyntaxPlace, decision: Decision, operand: DecisionOperand) -> ast.expr:
        """The rest of a decision where an operand is a tensor."""
        known = place.load(KNOWN)
        try:
            rest = decision.rest(operand, known)
        except Unstaged:
            return place.apply("python_truth", known)  # which refuses it
        assert rest is not None
        return rest

    def assertion(self, node: ast.Assert) -> Forms:
        place, inside = SyntaxPlace(node), self.flow.summary(node)
        decision = self.expressions.decision(node.test)
        message = self.expressions.convert(node.msg)
        if decision.is_plain:
            new = ast.Assert(decision.staged(), message, **place.span)
            return _alike([new])
        text = [place.thunk(message)] if message else []

        def staged() -> Block:
            test = place.apply("assert_stmt", decision.staged(), *text)
            return [ast.Assert(test, message, **place.span)]

        if not self.options.inline:
            return Forms(staged, [])
        return Forms(
            staged,
            self.deciding(
                place,
                decision,
                True,
                inside,
                lambda rest: Parts([], [rest, *text]),
                lambda test: ast.Assert(test, message, **place.span),
                lambda go_to: place.statement(go_to(run=[place.operator("assert_stmt")])),
            ),
        )

    def match(self, node: ast.Match) -> Forms:
        """A `match`: patterns ask for truth too, and stay Python's."""
        node.subject = self.expressions.convert(node.subject)
        for case in node.cases:
            case.guard = self.expressions.convert(case.guard)
        self.depth += 1
        forms = self.rebuilt(node, [], ["cases"])
        self.depth -= 1
        place = SyntaxPlace(node.subject)
        refuse = place.statement(place.apply("refuse_match"))
        return Forms(forms.staged, [self.asking(place, forms.plain, [refuse])])

    def rebuilt(self, node: Rebuilt, blocks: list[str], parts: list[str]) -> Forms:
        """Copies of a statement around both forms of its blocks."""
        inside = {name: self.deeper(getattr(node, name), []) for name in blocks}
        deeper = {
            name: [self.rebuilt(part, ["body"], []) for part in getattr(node, name)]
            for name in parts
        }

        def around(take: Callable[[Forms], Block]) -> Block:
            new: Any = copied(node)
            for name, forms in inside.items():
                setattr(new, name, take(forms))
            for name, list_ in deeper.items():
                setattr(new, name, [take(forms)[0] for forms in list_])
            return [new]

        return Forms(lambda: around(lambda forms: forms.staged()), around(lambda f: f.plain))

    # If

    def if_(self, node: ast.If) -> Forms:
        """An if with all its elifs."""
        flags = _flags_unset(node.test)
        if flags:
            return self.guard(node, flags)
        place, inside = SyntaxPlace(node), self.flow.summary(node)
        links = [node]
        while _is_elif(links[-1].orelse):
            links.append(links[-1].orelse[0])  # type: ignore[arg-type]
        grown = [self.around(link) for link in links]
        decisions = [self.expressions.decision(link.test) for link in links]
        bodies = [self.deeper(link.body, self.tail) for link in links]
        forms = self.deeper(links[-1].orelse, self.tail)
        sites: dict[DecisionOperand, int] = {}
        branches = []
        for link, decision, body, lists in list(zip(links, decisions, bodies, grown))[::-1]:
            branches.append((link, decision, body, forms, lists))
            staged = functools.partial(self.if_staged, link, decision, body, forms, lists)
            forms = Forms(staged, [])
        if not self.options.inline:
            return forms
        for link, decision, body, orelse, lists in reversed(branches):
            for operand in decision.operands(True):
                sites[operand] = self.site(
                    functools.partial(self.if_parts, link, decision, operand, body, orelse, lists)
                )
        if sites and self.depth >= _DEEPEST:
            return Forms(forms.staged, [*self.in_parts(forms.staged, inside), *self.tail])
        wraps, begin, number = self.marks(place, sites, False)
        plain = branches[0][3].plain
        for link, decision, body, _, _ in branches:
            test = decision.python(wraps)
            plain = [SyntaxPlace(link).branch(test, body.plain or [place.nothing()], plain)]
        if not sites:
            return Forms(forms.staged, plain)
        handler = [*self.stage_at(place, "if_stmt", number, node, inside), *self.tail]
        return Forms(forms.staged, [*begin, self.asking(place, plain, handler)])

    def if_staged(
        self,
        node: ast.If,
        decision: Decision,
        body: Forms,
        orelse: Forms,
        lists: list[ast.expr],
    ) -> Block:
        place, test = SyntaxPlace(node), decision.staged()
        if decision.is_plain:
            return [place.branch(test, body.staged(), orelse.staged())]
        parts = self.branches(node, body, orelse, lists)
        return [*parts.functions, place.statement(place.apply("if_stmt", test, *parts.arguments))]

    def if_parts(
        self,
        node: ast.If,
        decision: Decision,
        operand: DecisionOperand,
        body: Forms,
        orelse: Forms,
        lists: list[ast.expr],
    ) -> Parts:
        """The parts of an if whose test is a tensor from an operand on."""
        parts = self.branches(node, body, orelse, lists)
        return Parts(
            parts.functions, [self.rest(SyntaxPlace(node), decision, operand), *parts.arguments]
        )

    def branches(self, node: ast.If, body: Forms, orelse: Forms, lists: list[ast.expr]) -> Parts:
        place = SyntaxPlace(node)
        head = self.parts.head(place)
        then, other = self.flow.block(node.body), self.flow.block(node.orelse)
        inside = then.beside(other)
        state = self.parts.state(node, inside, self.flow.live_after(node), inside.gen)
        functions, arguments = self.parts.access(place, state)
        first = self.parts.function(place, "if_body", [*head, *body.staged()], then)
        functions.append(first)
        names: list[ast.expr] = [place.load(first.name), place.constant(None)]
        if node.orelse or not self.options.inline:
            second = self.parts.function(place, "else_body", [*head, *orelse.staged()], other)
            functions.append(second)
            names[1] = place.load(second.name)
        return Parts(functions, [*names, *arguments, place.constant(state.size()), *lists])

    def guard(self, node: ast.If, flags: list[str]) -> Forms:
        """An if of flags alone, around what follows a statement that may have jumped."""
        place, inside = SyntaxPlace(node), self.flow.summary(node)
        lists = self.around(node)
        decision = self.expressions.decision(node.test)
        body = self.deeper(node.body, [])
        nothing = _alike([])
        staged = functools.partial(self.if_staged, node, decision, body, nothing, lists)
        if not self.options.inline:
            return Forms(staged, [])

        def parts() -> Parts:
            parts = self.branches(node, body, nothing, lists)
            return Parts(parts.functions, [decision.staged(), *parts.arguments])

        stage = self.stage_at(place, "if_stmt", place.constant(self.site(parts)), node, inside)
        tensor = place.branch(place.negation(_is(flags, True, place)), stage)
        return Forms(staged, [place.branch(_unset(flags, place), body.plain, [tensor])])

    # Loops

    def while_(self, node: ast.While) -> Forms:
        stops, options, body_nodes = self.take_apart(node)
        place = SyntaxPlace(node)
        inside, modified = self.flow.summary(node), self.flow.summary(node.test)
        decision = self.expressions.decision(node.test)
        self.note_mutated(node, inside, options)

        def parts(*known: ast.expr) -> Parts:
            live = self.flow.live_after(node)
            state = self.parts.state(node, inside, live, inside.gen | live)
            lead, proceed = self.loop_test(decision, stops, modified, place)
            tester = self.parts.function(
                place, "loop_test", [*lead, place.result(proceed)], modified
            )
            head, each = self.parts.head(place), self.flow.block(node.body)
            lines = [*head, *self.reset(stops, body_nodes, place), *body.staged(), *head]
            turn = self.parts.function(place, "loop_body", lines, each)
            access, arguments = self.parts.access(place, state)
            exposed = self.exposed(place, options, state.names, inside, live)
            arguments = [
                place.load(tester.name),
                place.load(turn.name),
                *arguments,
                exposed,
                *known,
            ]
            return Parts([*access, tester, turn], arguments)

        def staged() -> Block:
            made = parts()
            return [*made.functions, place.statement(place.apply("while_stmt", *made.arguments))]

        number: ast.expr = place.constant(self.site(parts) if stops else 0)
        stage = self.stage_at(place, "while_stmt", number, node, inside)
        body, turn = self.turn(place, body_nodes, stops, stage, 2)
        if not self.options.inline:
            return Forms(staged, [])
        if self.depth >= _DEEPEST:
            return Forms(staged, self.in_parts(staged, inside))
        sites = {
            operand: self.site(functools.partial(self.left, place, decision, operand, parts))
            for operand in decision.operands(True)
        }
        wraps, _, number = self.marks(place, sites, True)
        loop = ast.While(decision.python(wraps), turn, [], **place.span)
        if not sites:
            return Forms(staged, [loop])
        handler = self.stage_at(place, "while_stmt", number, node, inside)
        return Forms(staged, [self.asking(place, [loop], handler)])

    def in_parts(self, staged: Callable[[], Block], inside: Summary) -> Block:
        """The staged form, in functions, where Python has no room for another block."""
        self.elsewhere |= inside.modified & self.flow.locals
        return staged()

    def turn(
        self, place: SyntaxPlace, body: Block, stops: list[str], stage: Block, blocks: int
    ) -> tuple[Forms, Block]:
        """The body of a loop, and its Python form, which ends with a test of the stopping flags.

        A flag that is set ends the loop; one that is a tensor stages the other turns. Only staged
        statements set flags here. Where these are last in the body, the test stands beside them.
        """
        if not stops:
            forms = self.deeper(body, [], blocks)
            return forms, forms.plain or [place.nothing()]
        tensor = place.branch(place.negation(_is(stops, True, place)), stage)
        end = place.branch(place.negation(_unset(stops, place)), [tensor, place.leave()])
        if self.jumps_last(body, frozenset(stops)):
            forms = self.deeper(body, [end], blocks)
            return forms, forms.plain
        forms = self.deeper(body, [], blocks)
        return forms, [*forms.plain, end]

    def jumps_last(self, body: Block, flags: Names) -> bool:
        """Whether only the last statement of a block may set one of the flags."""
        *before, last = body
        setting = [node for node in before if not isinstance(node, ast.Assign)]
        if any(flags & self.flow.summary(node).modified for node in setting):
            return False
        if isinstance(last, ast.If) and not _flags_unset(last.test):
            blocks = filter(None, (last.body, last.orelse))
            return all(self.jumps_last(block, flags) for block in blocks)
        return isinstance(last, ast.Assign) or not flags & self.flow.summary(last).modified

    def loop_test(
        self, decision: Decision, stops: list[str], modified: Summary, place: SyntaxPlace
    ) -> tuple[Block, ast.expr]:
        """Definitions, and the test of a while and of the flags that end it."""
        test = decision.staged()
        if not stops:
            return [], test
        going = self.not_stopped(stops, place)
        if isinstance(test, ast.Constant) and test.value:
            return [], going
        if not decision.assigns:
            return [], place.apply("and_", going, place.thunk(test))
        rest = self.parts.function(place, "rest_of_test", [place.result(test)], modified)
        return [rest], place.apply("and_", going, place.load(rest.name))

    def for_(self, node: ast.For) -> Forms:
        stops, options, body_nodes = self.take_apart(node)
        place = SyntaxPlace(node)
        each = self.flow.summary(node.target).then(self.flow.block(node.body))
        iterable = self.expressions.counted(node.iter, self.expressions.convert(node.iter))
        target = self.expressions.convert(node.target)
        options.keys.append(place.constant("iterate_names"))
        options.values.append(place.constant(symbol(node.target)))
        self.note_mutated(node, each, options)

        def parts() -> Parts:
            live = self.flow.live_after(node)
            state = self.parts.state(node, each, live, each.gen | live)
            item = self.fresh.name("itr")
            take = place.assign(target, place.load(item))
            lines = [take, *self.reset(stops, body_nodes, place), *body.staged()]
            lines += self.parts.head(place)
            looped = self.parts.function(place, "loop_body", lines, each, [item])
            access, arguments = self.parts.access(place, state)
            access.append(looped)
            extra: ast.expr = place.constant(None)
            if stops:
                test = place.result(self.not_stopped(stops, place))
                going = self.parts.function(place, "extra_test", [test], Summary())
                access.append(going)
                extra = place.load(going.name)
            exposed = self.exposed(place, options, state.names, each, live)
            return Parts(access, [extra, place.load(looped.name), *arguments, exposed])

        def staged() -> Block:
            made = parts()
            call = place.apply("for_stmt", iterable, *made.arguments)
            return [*made.functions, place.statement(call)]

        items = self.fresh.name("ag_items")
        number = place.constant(self.site(parts))
        stage = self.stage_at(place, "for_stmt", number, node, each, place.load(items))
        body, turn = self.turn(place, body_nodes, stops, stage, 1)
        if not self.options.inline:
            return Forms(staged, [])
        if self.depth >= _DEEPEST:
            return Forms(staged, self.in_parts(staged, each))
        begin = place.assign(place.store(items), iterable)
        python: Block = []
        if stops:
            python.append(place.assign(place.store(items), place.apply("iter", place.load(items))))
        python.append(ast.For(target, place.load(items), turn, [], None, **place.span))
        if isinstance(iterable, _DISPLAYS):
            return Forms(staged, [begin, *python])
        return Forms(staged, [begin, place.branch(_is_python(items, place), python, stage)])

    def take_apart(self, node: ast.While | ast.For) -> tuple[list[str], ast.Dict, Block]:
        """The flags that end a loop, its options, and its body without either."""
        body: Block = list(node.body)
        stops: list[str] = []
        last = body[-1]
        if isinstance(last, ast.If) and isinstance(last.body[0], ast.Break):
            stops = [inner.id for inner in ast.walk(last.test) if isinstance(inner, ast.Name)]
            body.pop()
        place = SyntaxPlace(node)
        options = ast.Dict([], [], **place.span)
        for statement in list(body):
            call = _loop_options(statement)
            if call is not None:
                body.remove(statement)
                self.read_options(call, options, place)
        return stops, options, body

    def reset(self, stops: list[str], body: Block, place: SyntaxPlace) -> Block:
        """Assignments of False to the flags that a turn reads: none is set where it begins.

        As loop variables they are tensors there. False makes no branch of what follows a jump that
        Python decides against.
        """
        read = self.flow.block(body).gen
        return [place.set(stop, False) for stop in stops if stop in read]

    def read_options(self, call: ast.Call, options: ast.Dict, place: SyntaxPlace) -> None:
        """`set_loop_options(shape_invariants=[(x, s)])` -> `{'shape_invariants': [('x', s)]}`"""
        for keyword in call.keywords:
            value = keyword.value
            if keyword.arg == "shape_invariants" and isinstance(value, (ast.List, ast.Tuple)):
                for pair in value.elts:
                    if isinstance(pair, ast.Tuple):
                        pair.elts[0] = place.constant(ast.unparse(pair.elts[0]))
            options.keys.append(place.constant(keyword.arg))
            options.values.append(self.expressions.convert(value))

    def note_mutated(self, node: ast.stmt, inside: Summary, options: ast.Dict) -> None:
        """Add `'mutated': lambda: {'l': l}`: what methods change in the loop and is read after it.

        Also add `'lists': lambda: (l,)`: the variables whose lists may become lists of the graph.
        """
        place = SyntaxPlace(node)
        lists = self.lists(node)
        for key, thunks in (
            ("lists", self.around(node)),
            ("passed", self.cells(place, lists.passed)),
        ):
            if thunks:
                options.keys.append(place.constant(key))
                options.values += thunks
        mutated = inside.mutated and self.parts.mutated(inside, self.flow.live_after(node))
        if mutated:
            keys: list[ast.expr | None] = [place.constant(name) for name in mutated]
            contents = ast.Dict(keys, list(mutated.values()), **place.span)
            options.keys.append(place.constant("mutated"))
            options.values.append(place.thunk(contents))

    def exposed(
        self,
        place: SyntaxPlace,
        options: ast.Dict,
        names: Sequence[str],
        inside: Summary,
        live: Names,
    ) -> ast.Dict:
        """The options, with the variables that a turn may read before it assigns them, and those
        of them that nothing reads after the loop."""
        read = inside.gen.intersection(names)
        if not self.options.inline or not read:
            return options
        keys, values = [*options.keys, place.constant("exposed")], [*options.values]
        values.append(place.constant(tuple(sorted(read))))
        if read - live:
            keys.append(place.constant("turns_own"))
            values.append(place.constant(tuple(sorted(read - live))))
        return ast.Dict(keys, values, **place.span)

    def lists(self, node: ast.stmt) -> GrowingLists:
        """The variables whose lists a loop may change, or loops inside another statement."""
        growing = self.changing.get(node)
        if growing is None:
            inside = self.flow.summary(node)
            passed: Names = NONE
            places: dict[str, Place] = {}
            if isinstance(node, (ast.For, ast.While)):
                paths = inside.mutated.values()
                names = frozenset(path.id for path in paths if isinstance(path, ast.Name))
                places = {name: path for name, path in inside.mutated.items() if _is_place(path)}
                if self.options.inline:
                    passed = inside.passed & self.owned - inside.modified - names
            else:
                inner = [s for block in blocks(node) for s in block] if is_compound(node) else []
                lists = [self.lists(statement) for statement in inner]
                names = frozenset().union(*[held.all() for held in lists])
                for held in lists:
                    places |= held.places
            names &= self.owned
            for name, path in list(places.items()):
                on = variables(path)
                if name in inside.attributes or not on <= self.owned - inside.modified:
                    del places[name]
            growing = self.changing[node] = GrowingLists(names - inside.assigned, passed, places)
        return growing

    def around(self, node: ast.stmt) -> list[ast.expr]:
        """`lambda: (l,)`: the lists that the statement may change; nothing without such lists.

        With attributes and items, `ag__.places(lambda: (l,), ('self.items', ...))`.
        """
        place, lists = SyntaxPlace(node), self.lists(node)
        if not lists.places:
            return self.cells(place, lists.growing)
        holders = self.cells(place, lists.growing) or [place.constant(None)]
        for name, path in lists.places.items():
            holder, key = _entry(path, place)
            holders.append(place.tuple([place.constant(name), place.thunk(holder), key]))
        return [place.apply("places", *holders)]

    def cells(self, place: SyntaxPlace, names: Names) -> list[ast.expr]:
        """`lambda: (x, y)`: a function with the variables as its cells; nothing without any."""
        if not names:
            return []
        thunk = place.thunk(place.tuple([place.load(name) for name in sorted(names)]))
        loads.leave(thunk)
        return [thunk]

    def not_stopped(self, stops: Sequence[str], place: SyntaxPlace) -> ast.expr:
        flags = [place.load(stop) for stop in stops]
        first, *rest = flags
        stopped: ast.expr = place.apply("or_", first, *map(place.thunk, rest)) if rest else first
        return place.apply("not_", stopped)


def _alike(block: Block) -> Forms:
    """A block in which nothing can be staged."""
    return Forms(lambda: block, block)


def _is_place(path: Path) -> TypeGuard[Place]:
    """Whether a path ends in an attribute, or in an item with a constant key."""
    is_item = isinstance(path, ast.Subscript) and isinstance(path.slice, ast.Constant)
    return is_item or isinstance(path, ast.Attribute)


def _entry(path: Place, place: SyntaxPlace) -> tuple[ast.expr, ast.expr]:
    """The dict or list that an attribute or item is in, and its key there."""
    holder = copied(path.value)
    if isinstance(path, ast.Attribute):
        return place.apply("attributes", holder), place.constant(path.attr)
    return holder, path.slice


def _is_elif(block: Block) -> bool:
    """Whether an `else` is just another if of the program."""
    return len(block) == 1 and isinstance(block[0], ast.If) and not _flags_unset(block[0].test)


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


def _is(flags: Sequence[str], value: bool, place: SyntaxPlace) -> ast.expr:
    """`a is value or b is value`"""
    return place.either([place.identical(place.load(flag), value) for flag in flags])


def _unset(flags: Sequence[str], place: SyntaxPlace) -> ast.expr:
    """`a is False and b is False`"""
    tests: list[ast.expr] = [place.identical(place.load(flag), False) for flag in flags]
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests, **place.span)


def _is_python(name: str, place: SyntaxPlace) -> ast.expr:
    """`ag__.kind(name) in ag__.ITERABLES or not ag__.loops(name)`"""
    kind = place.apply("kind", place.load(name))
    known = ast.Compare(kind, [ast.In()], [place.operator("ITERABLES")], **place.span)
    return place.either([known, place.negation(place.apply("loops", place.load(name)))])


#: Expressions whose values are Python's containers.
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_DECISIONS = (ast.BoolOp, ast.UnaryOp, ast.IfExp, ast.Compare)
