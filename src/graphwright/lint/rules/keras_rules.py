"""Calls of Keras that trace again, or that prepare for each row what they could for all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from graphwright.lint.analysis import LOOPS, Analysis
from graphwright.lint.externals import KERAS_BASES
from graphwright.lint.finding import Finding
from graphwright.lint.model import PossibleValue
from graphwright.lint.rules.rule import Rule

MODELS = re.compile(r"tf\.keras\.(models\.)?(Sequential|Model)")


class RowPredicted(Rule):
    """A loop lets a Keras model predict a row at a time."""

    code = "GW409"

    def check_module(self, analysis: Analysis) -> Iterator[Finding]:
        for node in ast.walk(analysis.tree):
            loop = analysis.loop_around(node)
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if loop is None or node.func.attr != "predict" or not node.args:
                continue
            if is_model(analysis.value(node.func.value)) and is_row(node.args[0], loop):
                name = ast.unparse(node.func.value)
                row = ast.unparse(node.args[0])
                yield self.finding(
                    analysis,
                    node,
                    f"each `{name}.predict` in this loop makes a dataset of one row, and a trace"
                    f" for each new shape; call {name}({row}, training=False), or predict all rows"
                    " at once",
                )


def is_model(value: PossibleValue) -> bool:
    """Whether a value is a model of Keras."""
    bases = [base for one in value.classes for base in one.foreign_bases()]
    return bool(MODELS.fullmatch(value.path)) or any(
        KERAS_BASES.fullmatch(base) and base.endswith(("Model", "Sequential")) for base in bases
    )


def is_row(node: ast.expr, loop: ast.AST) -> bool:
    """Whether an expression is a batch of one: `x[None]`, `[x]`, `x[i:i + 1]` and the like."""
    match node:
        case ast.Name(id=name) if isinstance(loop, LOOPS):
            assigned = [
                part.value
                for part in ast.walk(loop)
                if isinstance(part, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == name for t in part.targets)
            ]
            return bool(assigned) and all(is_row(value, ast.Pass()) for value in assigned)
        case ast.List(elts=[one]) | ast.Tuple(elts=[one]):
            return not isinstance(one, ast.Starred)
        case ast.Subscript(slice=ast.Tuple(elts=[first, *_])):
            return is_new_axis(first)
        case ast.Subscript(slice=ast.Slice(lower=low, upper=ast.BinOp(left, ast.Add(), right))):
            one_more = isinstance(right, ast.Constant) and right.value == 1
            return one_more and low is not None and ast.dump(low) == ast.dump(left)
        case ast.Subscript(slice=first):
            return is_new_axis(first)
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=[_, axis]):
            return is_constant(axis, 0)
        case ast.Call(func=ast.Attribute(attr="expand_dims"), keywords=[ast.keyword("axis", axis)]):
            return is_constant(axis, 0)
        case ast.Call(func=ast.Attribute(attr="reshape"), args=[ast.Tuple(elts=[first, *_])]):
            return is_constant(first, 1)
        case ast.Call(func=ast.Attribute(attr="reshape"), args=[first, _, *_]):
            return is_constant(first, 1)
        case ast.Call(func=ast.Attribute(attr="array" | "asarray" | "constant"), args=[inner, *_]):
            return isinstance(inner, (ast.List, ast.Tuple)) and is_row(inner, loop)
    return False


def is_new_axis(node: ast.expr) -> bool:
    """Whether an index makes an axis."""
    return is_constant(node, None) or (isinstance(node, ast.Attribute) and node.attr == "newaxis")


def is_constant(node: ast.expr, value: object) -> bool:
    """Whether an expression is a literal of this value."""
    return isinstance(node, ast.Constant) and repr(node.value) == repr(value)
