"""What the statements of a function do to its variables.

The tree has no jumps any more (see `jumps`), so the flow of control is the nesting of statements.
Liveness and definite assignment need no graph. Where control may leave a block at any point (try,
with), the answers are on the safe side. `touched_variables` says what one statement does by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

from graphwright.autograph.syntax import blocks, is_compound, parameters
from graphwright.autograph.touched_variables import (
    NO_PATHS,
    NONE,
    Closure,
    Names,
    Path,
    VariableEffect,
    collect,
    loose_code,
    variables,
)
from graphwright.base.named_tuples import NamedTuple

#: Context managers of the public API, which pass on every exception. Others may swallow one, and
#: then the variables of their block may have former values.
_TRANSPARENT = frozenset({
    "GradientTape", "ForwardAccumulator", "stop_recording", "name_scope", "device", "init_scope",
    "control_dependencies", "variable_creator_scope", "colocate_with",
})  # fmt: skip


class Summary(NamedTuple):
    """The variables that a statement reads, kills and may modify, as liveness needs them."""

    gen: Names = NONE
    kill: Names = NONE
    modified: Names = NONE
    assigned: Names = NONE  # modified otherwise than by `x += v`
    deleted: Names = NONE
    attributes: Mapping[str, Path] = NO_PATHS
    containers: Mapping[str, Path] = NO_PATHS
    mutated: Mapping[str, Path] = NO_PATHS
    passed: Names = NONE

    def names(self) -> Names:
        """All variables that are read or written."""
        return self.gen | self.modified

    def then(self, after: Summary) -> Summary:
        """Both, one after the other."""
        if self is EMPTY:
            return after
        return Summary(
            self.gen | (after.gen - self.kill),
            self.kill | after.kill,
            self.modified | after.modified,
            self.assigned | after.assigned,
            self.deleted | after.deleted,
            {**self.attributes, **after.attributes} if after.attributes else self.attributes,
            {**self.containers, **after.containers} if after.containers else self.containers,
            {**self.mutated, **after.mutated} if after.mutated else self.mutated,
            self.passed | after.passed,
        )

    def beside(self, other: Summary) -> Summary:
        """Either of the two."""
        both = self.then(other)
        return Summary(
            self.gen | other.gen,
            self.kill & other.kill,
            both.modified,
            both.assigned,
            both.deleted,
            both.attributes,
            both.containers,
            both.mutated,
            both.passed,
        )

    def perhaps(self) -> Summary:
        """The same, or nothing."""
        return self._replace(kill=NONE)


EMPTY = Summary()


class VariableFlow:
    """The data flow of one function with the statements `body`.

    `around` says what calls of functions around it do.
    """

    def __init__(
        self, args: ast.arguments, body: list[ast.stmt], around: dict[str, Closure]
    ) -> None:
        self.parameters = frozenset(parameters(args))
        self._effects: dict[ast.AST, VariableEffect] = {}
        self._summaries: dict[ast.AST, Summary] = {}
        self._live: dict[ast.AST, Names] = {}
        self._defined: dict[ast.AST, Names | None] = {}
        whole = self._whole(body)
        self.globals = frozenset(whole.globals)
        self.nonlocals = frozenset(whole.nonlocals)
        self.locals = (frozenset(whole.bound()) | self.parameters) - self.globals - self.nonlocals
        self.captured = frozenset(whole.captured)  # inner functions may share these
        self.caught = frozenset(_caught(body))  # handlers unbind these
        self.closures = _transitive(_mutators(around, self.locals) | whole.closures)
        self._body = body
        self.block(body)  # before conversion changes nodes; the rest on demand
        loose = loose_code(self.closures, whole.values, whole.loose)
        #: Variables that functions may change, or read what a statement has changed, where no
        #: statement names these functions.
        self.shared = loose.writes & self.locals
        self.guarded = self.locals & whole.guarded & loose.reads
        #: Variables of the module that calls in branches and loops may change.
        self.changing = NONE
        if any(is_compound(node) for node in body):
            self.changing = self.globals | whole.global_writes
        if loose.reads & self.locals:
            inside = [self.summary(node).modified for node in body if is_compound(node)]
            self.shared |= loose.reads & NONE.union(*inside) & self.locals

    def live_after(self, node: ast.stmt) -> Names:
        """The variables whose values after the statement may still be read."""
        if not self._live:
            self._mark_live(self._body, self.globals | self.nonlocals)
        return self._live[node]

    def defined_before(self, node: ast.stmt, name: str) -> bool:
        """Whether `name` surely has a value where the statement begins."""
        if not self._defined:
            self._mark_defined(self._body, self.parameters)
        defined = self._defined[node]
        return defined is None or name in defined or name not in self.locals

    def summary(self, node: ast.AST) -> Summary:
        """What a node does, with all in it."""
        summary = self._summaries.get(node)
        if summary is None:
            summary = self._summaries[node] = self._summarise(node)
        return summary

    def block(self, body: Iterable[ast.stmt]) -> Summary:
        """What statements do, one after the other."""
        total = EMPTY
        for node in body:
            total = total.then(self.summary(node))
        return total

    def _whole(self, body: list[ast.stmt]) -> VariableEffect:
        """The effect of all statements, at any depth."""
        total = VariableEffect()
        todo = [body]
        while todo:
            for node in todo.pop():
                for head in _heads(node):
                    total.add(self._effect(head))
                if is_compound(node):
                    total.maybe.update(h.name for h in getattr(node, "handlers", ()) if h.name)
                    todo += blocks(node)
        return total

    # Summaries

    def _effect(self, node: ast.AST) -> VariableEffect:
        effect = self._effects.get(node)
        if effect is None:
            effect = self._effects[node] = collect([node])
        return effect

    def _leaf(self, node: ast.AST) -> Summary:
        """The summary of a node without blocks, and of the inner functions that it names."""
        effect = self._effect(node)
        reads, modified = set(effect.reads), effect.bound()
        called = Closure(
            attributes=effect.attributes, containers=effect.containers, mutated=effect.mutated
        )
        for name in effect.reads & self.closures.keys():
            called |= self.closures[name]
        reads |= called.reads | called.writes  # a function may leave a variable as it was
        modified |= called.writes
        assigned = modified
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            assigned = modified - {node.target.id} | effect.maybe
        return Summary(
            frozenset(reads),
            frozenset(effect.writes | effect.deletes),
            frozenset(modified),
            frozenset(assigned),
            frozenset(effect.deletes),
            called.attributes,
            called.containers,
            called.mutated,
            frozenset(effect.passed),
        )

    def _summarise(self, node: ast.AST) -> Summary:
        if not is_compound(node):
            return self._leaf(node)
        if isinstance(node, ast.If):
            branches = self.block(node.body).beside(self.block(node.orelse))
            return self.summary(node.test).then(branches)
        if isinstance(node, ast.While):
            return self.summary(node.test).then(self.block(node.body).perhaps())
        if isinstance(node, ast.For):
            each = self.summary(node.target).then(self.block(node.body))
            return self.summary(node.iter).then(each.perhaps())
        if isinstance(node, ast.With):
            items = EMPTY
            for item in node.items:
                items = items.then(self.summary(item))
            inside = self.block(node.body)
            if _raises_on(node):
                return items.then(inside)
            return items.then(inside.perhaps()).beside(self._interrupted(node.body))
        if isinstance(node, ast.Match):
            cases = [self._case(case) for case in node.cases]
            if all(map(_takes_all, node.cases[-1:])):
                return self.summary(node.subject).then(_one_of(cases))
            return self.summary(node.subject).then(_any_of(cases))
        if not node.handlers:  # an exception leaves: see _interrupted
            return self.block([*node.body, *node.orelse, *node.finalbody])
        blocks = [self.block(node.body), self._interrupted(node.body), self.block(node.orelse)]
        blocks += [self._handler(handler) for handler in node.handlers]
        return _any_of(blocks).then(self.block(node.finalbody))

    def _interrupted(self, body: list[ast.stmt]) -> Summary:
        """What `finally` blocks in `body` do after exceptions that do not end the trace."""
        total = EMPTY
        for node in body:
            if is_compound(node):
                if isinstance(node, ast.Try):
                    total = total.beside(self.block(node.finalbody))
                for block in blocks(node):
                    total = total.beside(self._interrupted(block))
        return total

    def _case(self, case: ast.match_case) -> Summary:
        head = self.summary(case.pattern)
        head = head._replace(kill=head.kill | self._effect(case.pattern).maybe)
        if case.guard is not None:
            head = head.then(self.summary(case.guard))
        return head.then(self.block(case.body))

    def _handler(self, handler: ast.ExceptHandler) -> Summary:
        head = self.summary(handler.type) if handler.type else EMPTY
        named = frozenset([handler.name] if handler.name else [])
        head = head.then(Summary(kill=named, modified=named, assigned=named, deleted=named))
        return head.then(self.block(handler.body))

    # Liveness, backwards

    def _mark_live(self, body: list[ast.stmt], out: Names, always: Names = NONE) -> None:
        for node in reversed(body):
            live = out | always
            self._live[node] = live
            self._mark_inside(node, live, always)
            summary = self.summary(node)
            out = summary.gen | (live - summary.kill)

    def _mark_inside(self, node: ast.stmt, live: Names, always: Names) -> None:
        if not is_compound(node):
            return
        if isinstance(node, ast.If):
            self._mark_live(node.body, live, always)
            self._mark_live(node.orelse, live, always)
        elif isinstance(node, ast.While):
            again = self.summary(node).gen | live
            self._mark_live(node.body, again, always)
        elif isinstance(node, ast.For):
            again = self.summary(node.target).then(self.block(node.body)).gen | live
            self._mark_live(node.body, again, always)
        elif isinstance(node, ast.With):
            if not _raises_on(node):
                always |= live | self._interrupted(node.body).gen
            self._mark_live(node.body, live, always)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                self._mark_live(case.body, live, always)
        elif not node.handlers:
            last = self.block(node.finalbody)
            self._mark_live([*node.body, *node.orelse], last.gen | (live - last.kill), always)
            self._mark_live(node.finalbody, live, always)
        else:
            final = self.block(node.finalbody).gen | live
            handlers = _any_of([self._handler(handler) for handler in node.handlers]).gen
            inside = always | final | handlers | self.block(node.orelse).gen
            inside |= self._interrupted(node.body).gen
            self._mark_live(node.body, final, inside)
            for handler in node.handlers:
                self._mark_live(handler.body, final, always | final)
            self._mark_live(node.orelse, final, always | final)
            self._mark_live(node.finalbody, live, always)

    # Definite assignment, forwards. None stands for code that is never reached.

    def _mark_defined(self, body: list[ast.stmt], defined: Names | None) -> Names | None:
        for node in body:
            self._defined[node] = defined
            defined = self._define(node, defined)
        return defined

    def _define(self, node: ast.stmt, before: Names | None) -> Names | None:
        if isinstance(node, (ast.Raise, ast.Return)):
            return None
        if not is_compound(node):
            effect = self._effect(node)
            return _without(_with(before, effect.writes), effect.deletes)
        if isinstance(node, ast.If):
            return _meet(
                self._mark_defined(node.body, before), self._mark_defined(node.orelse, before)
            )
        if isinstance(node, (ast.While, ast.For)):
            head = _without(before, self.summary(node).deleted)
            self._defined[node] = head
            target = self._effect(node.target).writes if isinstance(node, ast.For) else set()
            self._mark_defined(node.body, _with(head, target))
            return head
        if isinstance(node, ast.With):
            for item in node.items:
                before = _with(before, self._effect(item).writes)
            inside = self._mark_defined(node.body, before)
            if _raises_on(node):
                return inside
            return _without(before, self.summary(node).deleted)
        if isinstance(node, ast.Match):
            last: Names | None = None
            for case in node.cases:
                captured = self._effect(case.pattern).maybe
                last = _meet(last, self._mark_defined(case.body, _with(before, captured)))
            surviving = _without(before, self.summary(node).deleted)
            return last if _takes_all(node.cases[-1]) else _meet(last, surviving)
        return self._define_try(node, before)

    def _define_try(self, node: ast.Try, before: Names | None) -> Names | None:
        after = self._mark_defined(node.orelse, self._mark_defined(node.body, before))
        surviving = _without(before, self.summary(node).deleted)
        for handler in node.handlers:
            named = {handler.name} if handler.name else set()
            caught = self._mark_defined(handler.body, _with(surviving, named))
            after = _meet(after, _without(caught, named))
        self._mark_defined(node.finalbody, surviving)
        final = self.block(node.finalbody)
        return _without(_with(after, final.kill), final.deleted)


def _raises_on(node: ast.With) -> bool:
    """Whether an exception in the block surely leaves the statement too."""
    return all(
        isinstance(item.context_expr, ast.Call)
        and isinstance(item.context_expr.func, ast.Attribute)
        and item.context_expr.func.attr in _TRANSPARENT
        for item in node.items
    )


def _caught(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The variables of handlers for their exceptions, at any depth."""
    for node in body:
        if is_compound(node):
            yield from (handler.name for handler in getattr(node, "handlers", ()) if handler.name)
            for block in blocks(node):
                yield from _caught(block)


def _heads(node: ast.stmt) -> Sequence[ast.AST]:
    """The nodes that a statement evaluates outside its blocks."""
    if not is_compound(node):
        return [node]
    if isinstance(node, (ast.If, ast.While)):
        return [node.test]
    if isinstance(node, ast.For):
        return [node.target, node.iter]
    if isinstance(node, ast.With):
        return node.items
    if isinstance(node, ast.Match):
        guards = [case.guard for case in node.cases if case.guard is not None]
        return [node.subject, *(case.pattern for case in node.cases), *guards]
    return [handler.type for handler in node.handlers if handler.type is not None]


def _takes_all(case: ast.match_case) -> bool:
    """Whether a case is taken whatever the subject is: `case _:` or `case name:`."""
    pattern = case.pattern
    while isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        pattern = pattern.pattern
    return isinstance(pattern, ast.MatchAs) and case.guard is None


def _any_of(summaries: list[Summary]) -> Summary:
    """One of these, or nothing."""
    return reduce(Summary.beside, summaries, EMPTY)


def _one_of(summaries: list[Summary]) -> Summary:
    """One of these."""
    return reduce(Summary.beside, summaries)


def _transitive(closures: dict[str, Closure]) -> dict[str, Closure]:
    """What a call of each inner function may do, through the functions that it calls too."""
    result = dict(closures)
    changed = True
    while changed:
        changed = False
        for name, closure in result.items():
            more = closure
            for other in closure.reads & result.keys():
                more |= result[other]
            changed |= more != closure
            result[name] = more
    return result


def _mutators(closures: dict[str, Closure], local: Names) -> dict[str, Closure]:
    """What functions around change by methods, where no local variable hides it."""
    mutators = {}
    for name, closure in closures.items():
        mutated = {
            path: node
            for path, node in closure.mutated.items()
            if local.isdisjoint(variables(node))
        }
        if mutated and name not in local:
            reads = frozenset().union(*map(variables, mutated.values()))
            mutators[name] = Closure(reads=reads, mutated=mutated)
    return mutators


def _meet(a: Names | None, b: Names | None) -> Names | None:
    if a is None or b is None:
        return b if a is None else a
    return a & b


def _with(names: Names | None, more: set[str] | Names) -> Names | None:
    return None if names is None else names | more


def _without(names: Names | None, less: set[str] | Names) -> Names | None:
    return None if names is None else names - less
