"""Expressions that ask for truth: `and`, `or`, `not`, `a if c else b`, `a < b < c`, `a in b`.

A decision has three forms. The Python form has the operators of the program. A tensor that is asked
for its truth there raises, and the statement goes on in the graph with the rest of the expression.
The staged form calls operators of AutoGraph. The inline form stands inside other expressions, where
nothing catches an exception: it looks at each operand before Python does.

    a and b     (ag__.and_(a, lambda: b) if ag__.kind(a) not in ag__.PLAIN and ag__.staged(a)
                 else a and b)
"""

from __future__ import annotations

import ast
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from graphwright.autograph.syntax import Fresh, SyntaxPlace

#: Whether an instruction that compares may also ask for the truth of the result.
COMPARING_ASKS = sys.version_info >= (3, 13)

COMPARISON = "ag_asked"  # the variable for the results of comparisons then

#: Functions that wrap operands of the Python form.
Wraps: TypeAlias = Mapping["DecisionOperand", Callable[[ast.expr], ast.expr]]


def is_python_bool(node: ast.expr) -> bool:
    """Whether the value is a Python bool (or a constant) whatever its operands are."""
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return is_python_bool(node.operand)
    if isinstance(node, ast.BoolOp):
        return all(map(is_python_bool, node.values))
    return isinstance(node, ast.Constant)


def asked_apart(value: ast.expr) -> ast.expr:
    """An operand whose truth is asked by an instruction of its own: `(ag_asked := a < b)`.

    From Python 3.13 on, the instruction that compares asks as well. A tensor that is asked there
    may be the result, or an item of the lists that are compared: nothing says which.
    """
    if not COMPARING_ASKS or not isinstance(value, ast.Compare):
        return value
    place = SyntaxPlace(value)
    return ast.NamedExpr(place.store(COMPARISON), value, **place.span)


class Unstaged(Exception):
    """The rest of an expression may bind variables: the graph cannot leave open whether it does."""


class Decision(ABC):
    """An expression, its operands converted.

    `parts` are evaluated from left to right, the first one always. It `is_plain` if its value is a
    Python bool, and `assigns` if its evaluation may bind a variable. `depth` is the nesting of
    expressions in it whose parts may be skipped.
    """

    def __init__(self, parts: Sequence[Decision], place: SyntaxPlace) -> None:
        self.parts = parts
        self.place = place
        self.is_plain: bool = all(part.is_plain for part in parts)
        self.assigns: bool = any(part.assigns for part in parts)
        self.depth: int = max((part.depth for part in parts), default=0)

    @abstractmethod
    def operands(self, truth: bool) -> Iterator[DecisionOperand]:
        """The operands whose truth Python asks for, in order; with `truth`, as for a test."""

    @abstractmethod
    def python(self, wraps: Wraps) -> ast.expr:
        """The Python form."""

    @abstractmethod
    def staged(self) -> ast.expr:
        """The staged form; one that refuses tensors where it binds variables."""

    @abstractmethod
    def rest(self, operand: DecisionOperand, tensor: ast.expr) -> ast.expr | None:
        """The staged rest of the decision from an operand on, whose value is `tensor`.

        None where the operand is in another decision. Raises `Unstaged`.
        """

    @abstractmethod
    def inline(self, fresh: Fresh) -> ast.expr:
        """The inline form."""

    def refusing(self) -> ast.expr:
        """The Python form, whose operands refuse tensors."""
        return self.python({operand: operand.refused for operand in self.operands(False)})


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

    def operands(self, truth: bool) -> Iterator[DecisionOperand]:
        if truth and not self.is_plain:
            yield self

    def python(self, wraps: Wraps) -> ast.expr:
        wrap = wraps.get(self)
        return self.value if wrap is None else wrap(self.value)

    def refused(self, value: ast.expr) -> ast.expr:
        """The operand in a form that refuses tensors."""
        return self.place.apply("python_truth", self.staged())

    def staged(self) -> ast.expr:
        return self.value

    def rest(self, operand: DecisionOperand, tensor: ast.expr) -> ast.expr | None:
        return tensor if operand is self else None

    def inline(self, fresh: Fresh) -> ast.expr:
        return self.value


class Membership(DecisionOperand):
    """`a in b` of variables and constants: it asks for truth itself, and may be evaluated again."""

    def __init__(self, value: ast.Compare, staged: ast.expr) -> None:
        super().__init__(value, assigns=False)
        self._staged = staged

    def operands(self, truth: bool) -> Iterator[DecisionOperand]:
        yield self

    def staged(self) -> ast.expr:
        return self._staged

    def rest(self, operand: DecisionOperand, tensor: ast.expr) -> ast.expr | None:
        return self._staged if operand is self else None

    def inline(self, fresh: Fresh) -> ast.expr:
        return self._staged


class Negation(Decision):
    """`not a`"""

    def operands(self, truth: bool) -> Iterator[DecisionOperand]:
        return self.parts[0].operands(True)

    def python(self, wraps: Wraps) -> ast.expr:
        return self.place.negation(self.parts[0].python(wraps))

    def call(self, part: ast.expr) -> ast.expr:
        return self.place.apply("not_", part)

    def staged(self) -> ast.expr:
        part = self.parts[0].staged()
        return self.place.negation(part) if self.is_plain else self.call(part)

    def rest(self, operand: DecisionOperand, tensor: ast.expr) -> ast.expr | None:
        rest = self.parts[0].rest(operand, tensor)
        return None if rest is None else self.call(rest)

    def inline(self, fresh: Fresh) -> ast.expr:
        part = self.parts[0].inline(fresh)
        if self.is_plain:
            return self.place.negation(part)
        return guarded(part, self.call, self.place.negation, fresh, self.place)


class Lazy(Decision):
    """A decision that may skip all its parts but the first."""

    def __init__(self, parts: Sequence[Decision], place: SyntaxPlace) -> None:
        super().__init__(parts, place)
        self.depth += 1
        self.binds = any(part.assigns for part in parts[1:])
        self.is_quick = all(part.depth < 2 for part in parts[1:])  # the inline form has them twice


class Junction(Lazy):
    """`a and b ...` or `a or b ...`"""

    def __init__(self, op: ast.boolop, parts: Sequence[Decision], place: SyntaxPlace) -> None:
        super().__init__(parts, place)
        self.op = op
        self.stays = all(part.is_plain for part in parts[:-1])

    def operands(self, truth: bool) -> Iterator[DecisionOperand]:
        *first, last = self.parts
        for part in first:
            yield from part.operands(True)
        yield from last.operands(truth)

    def join(self, values: list[ast.expr]) -> ast.expr:
        return ast.BoolOp(self.op, values, **self.place.span)

    def python(self, wraps: Wraps) -> ast.expr:
        return self.join([part.python(wraps) for part in self.parts])

    def call(self, first: ast.expr, more: Sequence[Decision]) -> ast.expr:
        """`ag__.and_(first, lambda: b, ...)`"""
        if any(part.assigns for part in more):
            raise Unstaged
        if not more:
            return first
        name = "and_" if isinstance(self.op, ast.And) else "or_"
        return self.place.apply(name, first, *[self.place.thunk(part.staged()) for part in more])

    def staged(self) -> ast.expr:
        if self.stays:
            return self.join([part.staged() for part in self.parts])
        first, *more = self.parts
        return self.refusing() if self.binds else self.call(first.staged(), more)

    def rest(self, operand: DecisionOperand, tensor: ast.expr) -> ast.expr | None:
        for position, part in enumerate(self.parts):
            rest = part.rest(operand, tensor)
            if rest is not None:
                return self.call(rest, self.parts[position + 1 :])
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
            lambda value: self.call(value, more),
            lambda value: self.join([value, self.inline_from(position + 1, fresh)]),
            fresh,
            self.place,
        )


class Chain(Junction):
    """`a < b <= c`, as `a < b and b <= c`; `links` are the operands of its staged form."""

    def __init__(
        self, parts: Sequence[Decision], links: Sequence[ast.expr], place: SyntaxPlace
    ) -> None:
        super().__init__(ast.And(), parts, place)
        self.links = links

    def staged(self) -> ast.expr:
        return self.refusing() if self.binds else self.place.apply("chain", *self.links)


class ConditionalExpression(Lazy):
    """`body if test else orelse`; the parts are the test, the body and the other value."""

    def operands(self, truth: bool) -> Iterator[DecisionOperand]:
        test, body, orelse = self.parts
        yield from test.operands(True)
        yield from body.operands(truth)
        yield from orelse.operands(truth)

    def choose(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> ast.expr:
        return ast.IfExp(test, body, orelse, **self.place.span)

    def python(self, wraps: Wraps) -> ast.expr:
        return self.choose(*[part.python(wraps) for part in self.parts])

    def call(self, test: ast.expr) -> ast.expr:
        """`ag__.if_exp(test, lambda: body, lambda: orelse)`"""
        if self.binds:
            raise Unstaged
        return self.place.apply(
            "if_exp", test, *[self.place.thunk(part.staged()) for part in self.parts[1:]]
        )

    def staged(self) -> ast.expr:
        test = self.parts[0]
        if test.is_plain:
            return self.choose(*[part.staged() for part in self.parts])
        return self.refusing() if self.binds else self.call(test.staged())

    def rest(self, operand: DecisionOperand, tensor: ast.expr) -> ast.expr | None:
        test, body, orelse = self.parts
        rest = test.rest(operand, tensor)
        if rest is not None:
            return self.call(rest)
        rest = body.rest(operand, tensor)
        return orelse.rest(operand, tensor) if rest is None else rest

    def inline(self, fresh: Fresh) -> ast.expr:
        test, body, orelse = self.parts
        if test.is_plain:
            return self.choose(*[part.inline(fresh) for part in self.parts])
        if self.binds or not self.is_quick:
            return self.staged()
        return guarded(
            test.inline(fresh),
            self.call,
            lambda value: self.choose(value, body.inline(fresh), orelse.inline(fresh)),
            fresh,
            self.place,
        )


def guarded(
    value: ast.expr,
    stage: Callable[[ast.expr], ast.expr],
    python: Callable[[ast.expr], ast.expr],
    fresh: Fresh,
    place: SyntaxPlace,
) -> ast.expr:
    """`stage(t) if (t := value) may be staged else python(t)`"""
    if isinstance(value, ast.Name):
        name = value.id
    else:
        name = fresh.name("ag_value")
        value = ast.NamedExpr(place.store(name), value, **place.span)
    other = ast.Compare(
        place.apply("kind", value), [ast.NotIn()], [place.operator("PLAIN")], **place.span
    )
    test = ast.BoolOp(ast.And(), [other, place.apply("staged", place.load(name))], **place.span)
    return ast.IfExp(test, stage(place.load(name)), python(place.load(name)), **place.span)
