"""What an op is in machine code stands on its record, so few ops are named while compiling."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest

from graphwright.op.op import Op
from graphwright.op.op_families import Reduction
from graphwright.ops.math.reduction import Sum

PACKAGE = Path(__file__).parent.parent.parent / "src" / "graphwright"

#: Ops that the modules of a folder name, at most, and why they must. These numbers only fall.
#: `graph` has none: its rules name the ops that they rewrite.
MOST_NAMED = {
    "lists": (24, "each op on lists is a rule about one memory that several nodes share"),
    "llvm": (2, "a cast is an instruction of two kinds; one index is checked for many tensors"),
    "memory": (0, "plans are about statements"),
    "nests": (39, "moves are maps in symbolic sizes; joins and products have own statements"),
    "run": (13, "loops, branches and constants are lines of Python; turns are counted, and shown"),
    "select": (26, "arithmetic on sizes; what a segment begins and ends with; updates by products"),
    "verifier": (3, "casts and checked places have bounds"),
}


def named(module: ModuleType, text: str) -> set[str]:
    """The types of the ops that a module names."""
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    values = [getattr(module, name, None) for name in sorted(names)]
    ops = [v for v in values if isinstance(v, type) and issubclass(v, Op)]
    return {op.type_name for op in ops if op.type_name}


@pytest.mark.parametrize("folder", MOST_NAMED)
def test_few_ops_are_named(folder: str) -> None:
    ops = set()
    for path in (PACKAGE / "compile" / folder).rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
        ops |= named(module, path.read_text())
    most, _ = MOST_NAMED[folder]
    assert len(ops) <= most, sorted(ops)


def test_all_folders_have_a_number() -> None:
    folders = {path.parent.name for path in (PACKAGE / "compile").glob("*/__init__.py")}
    assert folders - {"graph"} == MOST_NAMED.keys()


def test_a_named_op_is_seen() -> None:
    module = ModuleType("module")
    module.__dict__.update({"Op": Op, "Reduction": Reduction, "Total": Sum})
    assert named(module, "Total, Op, Reduction, Other") == {"Sum"}
