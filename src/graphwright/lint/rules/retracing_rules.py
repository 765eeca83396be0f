"""Calls that make a staged function trace again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from graphwright.lint.analysis import Analysis, Place, line_of
from graphwright.lint.finding import Finding
from graphwright.lint.kinds import MANY, Kind
from graphwright.lint.model import Class, LintedCall, PossibleValue, StagingSite
from graphwright.lint.rules.effect_rules import changed_container
from graphwright.lint.rules.rule import Rule
from graphwright.lint.statement_analysis import names_of

Argument: TypeAlias = tuple[LintedCall, ast.expr, PossibleValue]
ARRAYS = Kind.TENSOR | Kind.NUMPY
#: Bases whose objects have a trace type of their own, or differ on purpose.
TYPED_BASES = ("tf.", "typing.NamedTuple", "enum.", "collections.namedtuple", "?", "attr")


class CallRule(Rule):
    """A rule about one parameter in the calls of a staged function."""

    #: Whether an input signature prevents the mistake.
    signature_helps = True

    def check_module(self, analysis: Analysis) -> Iterator[Finding]:
        for staging in analysis.stagings:
            if staging.signature and self.signature_helps:
                continue
            by_parameter: dict[str, list[Argument]] = {}
            for call in sorted(staging.calls, key=lambda c: (line_of(c.node), c.node.col_offset)):
                if not call.concrete:
                    for name, (node, value) in call.arguments.items():
                        by_parameter.setdefault(name, []).append((call, node, value))
            for name, arguments in by_parameter.items():
                if name != staging.function.self_name:
                    yield from self.check(analysis, staging, name, arguments)

    def check(
        self, analysis: Analysis, staging: StagingSite, name: str, arguments: list[Argument]
    ) -> Iterator[Finding]:
        """The findings of one parameter."""
        raise NotImplementedError


class ChangingLiteral(CallRule):
    """Calls pass different Python numbers: each needs a trace."""

    code = "GW401"

    def check(
        self, analysis: Analysis, staging: StagingSite, name: str, arguments: list[Argument]
    ) -> Iterator[Finding]:
        seen: list[object] = []
        for _, node, value in arguments:
            number = value.constant
            if type(number) not in (int, float) or number in seen or not is_literal(node):
                continue
            seen.append(number)
            if len(seen) == 2:
                known = ", ".join(
                    sorted(
                        {
                            ast.unparse(one)
                            for _, one, v in arguments
                            if type(v.constant) in (int, float) and is_literal(one)
                        }
                    )
                )
                tf = analysis.module_name
                yield self.finding(
                    analysis,
                    node,
                    f"`{name}` of `{staging.function.name}` is a Python"
                    f" number that differs between calls ({known}): each needs a trace;"
                    f" pass {tf}.constant({ast.unparse(node)})",
                )


class ChangingNumber(CallRule):
    """A loop passes a Python number that changes: each value needs a trace."""

    code = "GW402"

    def check(
        self, analysis: Analysis, staging: StagingSite, name: str, arguments: list[Argument]
    ) -> Iterator[Finding]:
        for _, node, value in arguments:
            numbers = [one for one in value.within() if one.varying and one.is_only(Kind.NUMBER)]
            if not numbers or value.may(Kind.UNKNOWN) or not analysis.loop_around(node):
                continue
            text = ast.unparse(node)
            number = value.is_only(Kind.NUMBER)
            what = (
                "is a Python number that changes" if number else "holds Python numbers that change"
            )
            instead = f"{analysis.module_name}.constant({text})" if number else "tensors"
            yield self.finding(
                analysis,
                node,
                f"`{text}` {what} in this loop: `{staging.function.name}` is traced for each"
                f" value; pass {instead}",
            )


class NoEquality(CallRule):
    """Calls pass new objects that equal no other: each needs a trace."""

    code = "GW403"
    signature_helps = False

    def check(
        self, analysis: Analysis, staging: StagingSite, name: str, arguments: list[Argument]
    ) -> Iterator[Finding]:
        makers: set[ast.AST] = set()
        for _, node, value in arguments:
            if not value.is_only(Kind.OBJECT) or not value.classes:
                continue
            if not all(has_identity_alone(klass) for klass in value.classes):
                continue
            if (makers and value.makers - makers) or self._is_new_in_loop(analysis, node, value):
                klass = sorted(one.name for one in value.classes)[0]
                yield self.finding(
                    analysis,
                    node,
                    f"this `{klass}` equals no earlier one, since it has no __eq__:"
                    f" `{staging.function.name}` is traced for each object; give the"
                    " class __eq__ and __hash__, or __tf_tracing_type__",
                )
                return
            makers |= value.makers

    def _is_new_in_loop(self, analysis: Analysis, node: ast.expr, value: PossibleValue) -> bool:
        """Whether each iteration of a loop around a call gives another object."""
        loop = analysis.loop_around(node)
        if loop is None:
            return False
        targets = names_of(loop.target) if isinstance(loop, ast.For) else []
        if isinstance(node, ast.Name) and node.id in targets:
            return len(value.makers) > 1
        return any(analysis.loop_around(maker) is loop for maker in value.makers)


class Unhashable(CallRule):
    """A call passes an object that cannot be hashed: it has no trace type."""

    code = "GW404"
    signature_helps = False

    def check(
        self, analysis: Analysis, staging: StagingSite, name: str, arguments: list[Argument]
    ) -> Iterator[Finding]:
        for _, node, value in arguments:
            if value.is_only(Kind.CONTAINER) and value.path == "set":
                what = "a set"
            elif value.is_only(Kind.OBJECT) and any(map(is_unhashable, value.classes)):
                what = "an object without __hash__"
            else:
                continue
            yield self.finding(
                analysis,
                node,
                f"`{name}` of `{staging.function.name}` is {what}, which has no"
                " trace type: TypeError; pass an object that can be hashed",
            )
            return


class ChangingShape(CallRule):
    """Calls pass tensors or lists of many lengths: each needs a trace."""

    code = "GW405"

    def check(
        self, analysis: Analysis, staging: StagingSite, name: str, arguments: list[Argument]
    ) -> Iterator[Finding]:
        if staging.relaxed or any(call.concrete for call in staging.calls):
            return
        shapes: dict[int, set[tuple[int, ...]]] = {}
        lengths: set[int] = set()
        for _, node, value in arguments:
            what = self._in_loop(value) if analysis.loop_around(node) else ""
            if value.is_only(ARRAYS) and value.shape is not None:
                same = shapes.setdefault(len(value.shape), set())
                same.add(value.shape)
                if len(same) == MANY:
                    what = what or "a tensor of another shape in each call"
            elif value.is_only(Kind.CONTAINER) and isinstance(node, ast.List) and value.items:
                lengths.add(len(value.items))
                if len(lengths) == MANY - 1:
                    what = what or "a list of another length"
            if what:
                yield self._many(analysis, staging, node, name, what)
                return

    def _in_loop(self, value: PossibleValue) -> str:
        """The change of a value by a loop around the call, in words."""
        if value.varying and value.is_only(Kind.CONTAINER):
            return "a list whose length changes in this loop"
        if value.may(Kind.UNKNOWN):
            return ""
        if any(part.varying and part.is_only(ARRAYS) for part in value.within()):
            return "a tensor whose shape changes in this loop"
        return ""

    def _many(
        self, analysis: Analysis, staging: StagingSite, node: ast.expr, name: str, what: str
    ) -> Finding:
        tf = analysis.module_name
        return self.finding(
            analysis,
            node,
            f"`{name}` of `{staging.function.name}` is {what}: each needs a trace;"
            f" state an input_signature with None"
            f" ({tf}.TensorSpec([None], ...)), or reduce_retracing=True",
        )


class ChangingDtype(CallRule):
    """Calls pass floats or integers of several widths as one parameter."""

    code = "GW406"
    families = (
        frozenset({"float16", "float32", "float64"}),
        frozenset({"int8", "int16", "int32", "int64"}),
    )

    def check(
        self, analysis: Analysis, staging: StagingSite, name: str, arguments: list[Argument]
    ) -> Iterator[Finding]:
        seen: set[str] = set()
        for _, node, value in arguments:
            if not value.is_only(ARRAYS) or not value.dtype:
                continue
            dtypes = set(value.dtype.split("|"))
            if len(dtypes) == 1 or analysis.loop_around(node):
                seen |= dtypes
            for family in self.families:
                if len(seen & family) > 1:
                    both = " and ".join(sorted(seen & family))
                    yield self.finding(
                        analysis,
                        node,
                        f"`{name}` of `{staging.function.name}` gets"
                        f" {both}, and each needs a trace; use tf.cast before the call",
                    )
                    return


class ChangedArgument(Rule):
    """A staged function changes a container among its arguments."""

    code = "GW408"
    nodes = (ast.Call, ast.Assign, ast.AugAssign, ast.Delete)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        change = changed_container(node)
        if change is None or not place.is_root or not isinstance(change[0], ast.Name):
            return
        name, how = change[0].id, change[1]
        if not place.is_parameter(name) or name == place.function.self_name:
            return
        value = place.value(change[0])
        default = self._default(name, place)
        literal = isinstance(default, (ast.List, ast.Dict, ast.Set))
        if not value.may(Kind.CONTAINER) and not literal:
            return
        bindings = place.owner(name).bindings.get(name, {})
        if all(binding.kind in ("parameter", "mutate") for binding in bindings.values()):
            yield self.finding(
                place,
                node,
                f"`{name}{how}` changes an argument of a staged function, which the caller"
                " does not see; return the new value",
            )

    def _default(self, name: str, place: Place) -> ast.expr | None:
        """The default of a parameter."""
        arguments = place.function.node.args
        plain = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        known = dict(zip(reversed(plain), reversed(arguments.defaults)))
        return known.get(name)


def is_literal(node: ast.expr) -> bool:
    """Whether a number is passed as a literal."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)


def has_identity_alone(klass: Class) -> bool:
    """Whether two objects of a class are never equal, and have no trace type."""
    if any(base.startswith(TYPED_BASES) for base in klass.foreign_bases()) or klass.decorators:
        return False
    return klass.member("__eq__") is None and klass.member("__tf_tracing_type__") is None


def is_unhashable(klass: Class) -> bool:
    """Whether a class has equality without a hash, of its own or as a dataclass."""
    if klass.foreign_bases() or klass.member("__tf_tracing_type__") is not None:
        return False
    for one in klass.lineage():
        if "__hash__" in one.members:
            return one.members["__hash__"].is_only(Kind.NONE)
        if "__eq__" in one.members:
            return True
        for value, node in zip(one.decorators, one.node.decorator_list):
            if value.path in ("dataclasses.dataclass", "dataclass"):
                options = {k.arg: k.value for k in getattr(node, "keywords", [])}
                stated = [options.get(name) for name in ("frozen", "unsafe_hash")]
                if not any(isinstance(s, ast.Constant) and s.value for s in stated):
                    eq = options.get("eq")
                    return not (isinstance(eq, ast.Constant) and eq.value is False)
        if one.decorators:
            return False
    return False
