"""Expressions that ask for truth: `and`, `or`, `not`, `a if c else b`, `a < b < c`, `a in b`.

A decision is written in three forms. The Python form is the user's own operators: a tensor that
is asked for its truth there raises, and the statement goes on in the graph with what is left of
the expression (`rest`). The staged form is calls of operators. The inline form stands inside of
other expressions, where nothing can be caught: it looks at each operand before Python does.

    a and b     (ag__.and_(a, lambda: b) if ag__.kind(a) not in ag__.PLAIN and ag__.staged(a)
                 else a and b)
"""

from __future__ import annotations

import ast
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence

from graphwright.autograph.syntax import Fresh, SyntaxPlace

#: Whether an instruction that compares may also ask for the truth of what that gave.
COMPARING_ASKS = sys.version_info >= (3, 13)

ASKED = "ag_asked"  # the variable that comparisons go through then

#: What is put around operands of the Python form.
Wraps = Mapping["DecisionOperand", Callable[[ast.expr], ast.expr]]


def is_python_bool(node: ast.expr) -> bool:
    """Whether the value is one of Python's bools (or a constant) whatever its operands are."""
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_python_bool(node.operand)
    if isinstance(node, ast.BoolOp):
        return all(map(is_python_bool, node.values))
    return isinstance(node, ast.Constant)


def asked_apart(value: ast.expr) -> ast.expr:
    """An operand whose truth an instruction of its own asks for: `(ag_asked := a < b)`.

    From Python 3.13 on, the instruction that compares asks as well. Whether a tensor that is asked
    there is what the comparison gave, or was met in the lists that it compared, nothing tells.
    """
    if not COMPARING_ASKS or not isinstance(value, ast.Compare):
        return value
    at = SyntaxPlace(value)
    return ast.NamedExpr(at.store(ASKED), value, **at.place)


class Unstaged(Exception):
    """What is left of an expression may bind variables, which the graph cannot do perhaps."""


class Decision(ABC):
    """An expression, its operands converted.

    `parts` are evaluated from left to right, the first one always. It `is_plain` if its value is
    one of Python's bools, and `assigns` if evaluating it may bind a variable. `depth` is how deep
    expressions are nested in it whose parts may be skipped.
    """

    def __init__(self, parts: Sequence[Decision], at: SyntaxPlace) -> None:
        self.parts = parts
        self.at = at
        self.is_plain: bool = all(part.is_plain for part in parts)
        self.assigns: bool = any(part.assigns for part in parts)
        self.depth: int = max((part.depth for part in parts), default=0)

    @abstractmethod
    def asked(self, truth: bool) -> Iterator[DecisionOperand]:
        """The operands whose truth Python asks for, in order; `truth`: also for the whole's."""

    @abstractmethod
    def python(self, wraps: Wraps) -> ast.expr:
        """The Python form."""

    @abstractmethod
    def staged(self) -> ast.expr:
        """The staged form; the Python form where that binds variables."""

    @abstractmethod
    def rest(self, asked: DecisionOperand, known: ast.expr) -> ast.expr | None:
        """What is left, staged, once `asked` is `known`; None if it is not in here. `Unstaged`."""

    @abstractmethod
    def inline(self, fresh: Fresh) -> ast.expr:
        """The form inside another expression."""

    def refusing(self) -> ast.expr:
        """The Python form of what binds variables: it refuses tensors."""
        return self.python({operand: operand.refused for operand in self.asked(False)})


class DecisionOperand(Decision):
    """An expression that is no decision."""

    def __init__(
        self, value: ast.expr, *, assigns: bool, is_plain: bool = False, depth: int = 0
    ) -> None:
        super().__init__((), SyntaxPlace(value))
        self.value = value
        self.assigns = assigns
        self.is_plain = is_plain
        self.depth = depth

    def asked(self, truth: bool) -> Iterator[DecisionOperand]:
        if truth and not self.is_plain:
            yield self

    def python(self, wraps: Wraps) -> ast.expr:
        wrap = wraps.get(self)
        return self.value if wrap is None else wrap(self.value)

    def refused(self, value: ast.expr) -> ast.expr:
        return self.at.apply("python_truth", self.staged())

    def staged(self) -> ast.expr:
        return self.value

    def rest(self, asked: DecisionOperand, known: ast.expr) -> ast.expr | None:
        return known if asked is self else None

    def inline(self, fresh: Fresh) -> ast.expr:
        return self.value


class Membership(DecisionOperand):
    """`a in b` of variables and constants: Python asks for truth itself, and all is done again."""

    def __init__(self, value: ast.Compare, staged: ast.expr) -> None:
        super().__init__(value, assigns=False)
        self._staged = staged

    def asked(self, truth: bool) -> Iterator[DecisionOperand]:
        yield self

    def staged(self) -> ast.expr:
        return self._staged

    def rest(self, asked: DecisionOperand, known: ast.expr) -> ast.expr | None:
        return self._staged if asked is self else None

    def inline(self, fresh: Fresh) -> ast.expr:
        return self._staged


class Negation(Decision):
    """`not a`"""

    def asked(self, truth: bool) -> Iterator[DecisionOperand]:
        return self.parts[0].asked(True)

    def python(self, wraps: Wraps) -> ast.expr:
        return self.at.negation(self.parts[0].python(wraps))

    def call(self, part: ast.expr) -> ast.expr:
        return self.at.apply("not_", part)

    def staged(self) -> ast.expr:
        part = self.parts[0].staged()
        return self.at.negation(part) if self.is_plain else self.call(part)

    def rest(self, asked: DecisionOperand, known: ast.expr) -> ast.expr | None:
        found = self.parts[0].rest(asked, known)
        return None if found is None else self.call(found)

    def inline(self, fresh: Fresh) -> ast.expr:
        part = self.parts[0].inline(fresh)
        if self.is_plain:
            return self.at.negation(part)
        return guarded(part, self.call, self.at.negation, fresh, self.at)


class Lazy(Decision):
    """A decision whose parts but the first may be skipped."""

    def __init__(self, parts: Sequence[Decision], at: SyntaxPlace) -> None:
        super().__init__(parts, at)
        self.depth += 1
        self.binds = any(part.assigns for part in parts[1:])
        self.is_quick = all(part.depth < 2 for part in parts[1:])  # both forms hold them


class Junction(Lazy):
    """`a and b ...` or `a or b ...`"""

    def __init__(self, op: ast.boolop, parts: Sequence[Decision], at: SyntaxPlace) -> None:
        super().__init__(parts, at)
        self.op = op
        self.stays = all(part.is_plain for part in parts[:-1])

    def asked(self, truth: bool) -> Iterator[DecisionOperand]:
        *first, last = self.parts
        for part in first:
            yield from part.asked(True)
        yield from last.asked(truth)

    def join(self, values: list[ast.expr]) -> ast.expr:
        return ast.BoolOp(self.op, values, **self.at.place)

    def python(self, wraps: Wraps) -> ast.expr:
        return self.join([part.python(wraps) for part in self.parts])

    def call(self, first: ast.expr, more: Sequence[Decision]) -> ast.expr:
        """`ag__.and_(first, lambda: b, ...)`"""
        if any(part.assigns for part in more):
            raise Unstaged
        if not more:
            return first
        name = "and_" if isinstance(self.op, ast.And) else "or_"
        return self.at.apply(name, first, *[self.at.thunk(part.staged()) for part in more])

    def staged(self) -> ast.expr:
        if self.stays:
            return self.join([part.staged() for part in self.parts])
        first, *more = self.parts
        return self.refusing() if self.binds else self.call(first.staged(), more)

    def rest(self, asked: DecisionOperand, known: ast.expr) -> ast.expr | None:
        for position, part in enumerate(self.parts):
            found = part.rest(asked, known)
            if found is not None:
                return self.call(found, self.parts[position + 1 :])
        return None

    def inline(self, fresh: Fresh) -> ast.expr:
        if self.stays:
            return self.join([part.inline(fresh) for part in self.parts])
        if self.binds or not self.is_quick:
            return self.staged()
        return self.inline_from(0, fresh)

    def inline_from(self, position: int, fresh: Fresh) -> ast.expr:
        first, more = self.parts[position].inline(fresh), self.parts[position + 1 :]
        if not more:
            return first
        return guarded(
            first,
            lambda kept: self.call(kept, more),
            lambda kept: self.join([kept, self.inline_from(position + 1, fresh)]),
            fresh,
            self.at,
        )


class Chain(Junction):
    """`a < b <= c`, as `a < b and b <= c`; `links` has the operands of its staged form."""

    def __init__(
        self, parts: Sequence[Decision], links: Sequence[ast.expr], at: SyntaxPlace
    ) -> None:
        super().__init__(ast.And(), parts, at)
        self.links = links

    def staged(self) -> ast.expr:
        return self.refusing() if self.binds else self.at.apply("chain", *self.links)


class ConditionalExpression(Lazy):
    """`body if test else orelse`; the parts are the test, the body, and what stands for else."""

    def asked(self, truth: bool) -> Iterator[DecisionOperand]:
        test, body, orelse = self.parts
        yield from test.asked(True)
        yield from body.asked(truth)
        yield from orelse.asked(truth)

    def choose(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> ast.expr:
        return ast.IfExp(test, body, orelse, **self.at.place)

    def python(self, wraps: Wraps) -> ast.expr:
        return self.choose(*[part.python(wraps) for part in self.parts])

    def call(self, test: ast.expr) -> ast.expr:
        """`ag__.if_exp(test, lambda: body, lambda: orelse)`"""
        if self.binds:
            raise Unstaged
        return self.at.apply(
            "if_exp", test, *[self.at.thunk(part.staged()) for part in self.parts[1:]]
        )

    def staged(self) -> ast.expr:
        test = self.parts[0]
        if test.is_plain:
            return self.choose(*[part.staged() for part in self.parts])
        return self.refusing() if self.binds else self.call(test.staged())

    def rest(self, asked: DecisionOperand, known: ast.expr) -> ast.expr | None:
        test, body, orelse = self.parts
        found = test.rest(asked, known)
        if found is not None:
            return self.call(found)
        found = body.rest(asked, known)
        return orelse.rest(asked, known) if found is None else found

    def inline(self, fresh: Fresh) -> ast.expr:
        test, body, orelse = self.parts
        if test.is_plain:
            return self.choose(*[part.inline(fresh) for part in self.parts])
        if self.binds or not self.is_quick:
            return self.staged()
        return guarded(
            test.inline(fresh),
            self.call,
            lambda kept: self.choose(kept, body.inline(fresh), orelse.inline(fresh)),
            fresh,
            self.at,
        )


def guarded(
    value: ast.expr,
    stage: Callable[[ast.expr], ast.expr],
    python: Callable[[ast.expr], ast.expr],
    fresh: Fresh,
    at: SyntaxPlace,
) -> ast.expr:
    """`stage(t) if (t := value) may be staged else python(t)`"""
    if isinstance(value, ast.Name):
        kept = value.id
    else:
        kept = fresh.name("ag_value")
        value = ast.NamedExpr(at.store(kept), value, **at.place)
    odd = ast.Compare(at.apply("kind", value), [ast.NotIn()], [at.operator("PLAIN")], **at.place)
    test = ast.BoolOp(ast.And(), [odd, at.apply("staged", at.load(kept))], **at.place)
    return ast.IfExp(test, stage(at.load(kept)), python(at.load(kept)), **at.place)
