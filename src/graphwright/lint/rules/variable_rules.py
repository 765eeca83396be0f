"""Functions that create variables at each trace."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from graphwright.lint import externals
from graphwright.lint.analysis import Analysis, Place
from graphwright.lint.externals import OPTIMIZERS
from graphwright.lint.finding import Finding
from graphwright.lint.kinds import Kind
from graphwright.lint.model import Class, PossibleValue, StagingSite
from graphwright.lint.rules.rule import Rule

#: Keras layers that have weights.
WEIGHTED = re.compile(
    r"tf\.keras\.layers\.(\w*Dense|\w*Conv\w*|Embedding|\w*Normalization|\w*LSTM\w*|\w*GRU\w*|\w*RNN"
    r"|MultiHeadAttention|Bidirectional|PReLU)"
)


WEIGHTS = ("Variable", "add_weight", "add_variable")


def creates(path: str) -> bool:
    """Whether an external function or class makes variables, at once or at its first call."""
    if path.startswith("tf.keras.layers."):
        return WEIGHTED.fullmatch(path) is not None
    return externals.VARIABLES.fullmatch(path) is not None


class VariableCreationRule(Rule):
    """A variable is created at each trace, which only the first call may do."""

    code = "GW203"
    nodes: ClassVar = (ast.Call,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Call) or place.is_lifted(node) or self._is_guarded(node, place):
            return
        path = place.callee(node)
        if creates(path):
            what = "a variable is" if path.endswith("ariable") else f"`{path}`, with variables, is"
            yield self.finding(
                place,
                node,
                f"{what} created at each trace, which only the first call may"
                " do; create it outside, or once: `if self.v is None`",
            )

    def _is_guarded(self, node: ast.Call, place: Place) -> bool:
        """Whether Python decides if it is created."""
        if place.is_guarded(node):
            return True
        for parent, child in place.analysis.above(node):
            test = parent.test if isinstance(parent, (ast.If, ast.IfExp)) else child
            if test is not child and not place.value(test).may(Kind.TENSOR):
                return True
            if isinstance(parent, (ast.BoolOp, ast.ExceptHandler)):
                return True
        return False


class SharedStaging(Rule):
    """Several optimizers or unbuilt models go through one staged function."""

    code = "GW204"

    def check_module(self, analysis: Analysis) -> Iterator[Finding]:
        for staging in analysis.stagings:
            for name in staging.function.parameters:
                yield from self._check(analysis, staging, name)

    def _check(self, analysis: Analysis, staging: StagingSite, name: str) -> Iterator[Finding]:
        seen: set[ast.AST] = set()
        for call in staging.calls:
            if name not in call.arguments:
                continue
            node, value = call.arguments[name]
            if not value.makers or not self._makes_variables(value, node, staging, name):
                continue
            if seen and not value.makers <= seen:
                yield self.finding(
                    analysis,
                    node,
                    f"`{staging.function.name}` is called with another"
                    " object that creates variables at its first use; wrap a tf.function"
                    " for each, or build the objects before",
                )
                return
            seen |= value.makers

    def _makes_variables(
        self, value: PossibleValue, node: ast.expr, staging: StagingSite, name: str
    ) -> bool:
        if OPTIMIZERS.fullmatch(value.path):
            return self._uses(staging, name, ("apply_gradients", "minimize"))
        fresh = isinstance(node, ast.Call)
        return fresh and (creates(value.path) or any(map(creates_lazily, value.classes)))

    def _uses(self, staging: StagingSite, name: str, methods: tuple[str, ...]) -> bool:
        return any(
            isinstance(part, ast.Attribute)
            and part.attr in methods
            and isinstance(part.value, ast.Name)
            and part.value.id == name
            for part in ast.walk(staging.function.node)
        )


def creates_lazily(klass: Class) -> bool:
    """Whether a class creates variables elsewhere than in `__init__`."""
    for one in klass.lineage():
        for function in one.node.body:
            if isinstance(function, ast.FunctionDef) and function.name != "__init__":
                for part in ast.walk(function):
                    called = part.func if isinstance(part, ast.Call) else None
                    if isinstance(called, ast.Attribute) and called.attr in WEIGHTS:
                        return True
    return False
