"""The scenarios that explanations are tested on, read instead of run: what the source tells.

A scenario is a function of `fixed`; folded with False it shows a cause, with True its repair.
"""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from graphwright.lint.check import check_text

FOLDER = Path(__file__).resolve().parents[1] / "corpora"
FILES = ("retraces.py", "failures.py")

#: Scenario -> the code that is found where it is not repaired.
FOUND = {
    "article_variable_sized_input": "GW405",
    "article_eleven_calls": "GW405",
    "guide_reduce_retracing": "GW405",
    "article_padding": "GW405",
    "two_axes": "GW405",
    "in_a_dictionary": "GW405",
    "in_nested_tuples": "GW405",
    "of_positional_arguments": "GW405",
    "of_keyword_only_arguments": "GW405",
    "of_numpy_arrays": "GW405",
    "last_batch_is_smaller": "GW405",
    "article_lists_of_other_lengths": "GW405",
    "numbers_in_a_list": "GW405",
    "widths_of_floats": "GW406",
    "numpy_defaults_to_float64": "GW406",
    "guide_python_arguments": "GW402",
    "learning_rate": "GW402",
    "integer_by_signature": "GW402",
    "int_and_float": "GW402",
    "number_in_a_dictionary": "GW402",
    "guide_order_of_a_list": "GW402",
    "keyword_only_number": "GW402",
    "article_objects_without_equality": "GW403",
    "objects_with_a_trace_type": "GW403",
    "objects_of_numbers": "GW403",
    "guide_fruits_with_a_trace_type": "GW403",
    "objects_kept_alive": "GW403",
    "known_issue_reused_id": "GW403",
    "decorator_in_a_loop": "GW407",
    "guide_new_variable_at_every_call": "GW203",
    "guide_condition_without_autograph": "GW301",
    "loop_without_autograph": "GW301",
    "int_of_a_tensor": "GW301",
    "length_without_autograph": "GW301",
    "article_list_in_a_loop": "GW202",
    "article_unhashable_argument": "GW404",
    "guide_recursion_on_a_tensor": "GW305",
    "guide_undefined_in_a_branch": "GW302",
    "article_cond_of_a_python_number": "GW306",
    "article_mixed_dtypes": "GW504",
    "article_numpy_without_a_graph_form": "GW501",
    "return_on_one_way": "GW303",
}


class Fold(ast.NodeTransformer):
    """Put a literal in the place of `fixed`, and leave out what it excludes."""

    def __init__(self, fixed: bool) -> None:
        self.fixed = fixed

    def visit_Name(self, node: ast.Name) -> ast.expr:
        loads = isinstance(node.ctx, ast.Load)
        return ast.Constant(self.fixed) if node.id == "fixed" and loads else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.Constant(not node.operand.value)
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return (node.body if node.test.value else node.orelse) or [ast.Pass()]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        returns = [n for n, part in enumerate(node.body) if isinstance(part, ast.Return)]
        node.body = node.body[: returns[0] + 1] if returns else node.body
        return node


def is_scenario(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(decorator).startswith("scenario(") for decorator in node.decorator_list
    )


def folded(name: str, fixed: bool) -> str:
    """The program of one scenario, without the others."""
    for file in FILES:
        tree = ast.parse((FOLDER / file).read_text(encoding="utf-8"))
        for node in tree.body:
            if is_scenario(node) and isinstance(node, ast.FunctionDef) and node.name == name:
                node.decorator_list = []
                tree.body = [part for part in tree.body if not is_scenario(part)]
                return ast.unparse(Fold(fixed).visit(ast.fix_missing_locations(tree)))
    raise LookupError(f"no scenario {name}")


@pytest.mark.parametrize("name", FOUND)
def test_the_cause_is_found(name: str) -> None:
    assert FOUND[name] in {finding.code for finding in check_text(folded(name, False))}


@pytest.mark.parametrize("name", FOUND)
def test_the_repair_is_clean(name: str) -> None:
    assert check_text(folded(name, True)) == []


def test_folding_leaves_out_what_is_excluded() -> None:
    tree = ast.parse(
        "def f(fixed):\n    if fixed:\n        return 1\n    return 2 if fixed else 3\n"
    )
    text = ast.unparse(Fold(True).visit(tree))
    assert text == textwrap.dedent("""\
        def f(fixed):
            return 1""")
