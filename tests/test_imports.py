"""No module imports one that imports it, whether directly or by way of others."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"
PACKAGE = "graphwright"


def imports(source: Path) -> dict[str, set[str]]:
    """The modules that each module imports: at its top, in functions, for types."""
    paths = {name_of(path, source): path for path in sorted((source / PACKAGE).rglob("*.py"))}
    return {name: set(imported(path, name)) & set(paths) - {name} for name, path in paths.items()}


def name_of(path: Path, source: Path) -> str:
    """The name of a file's module; of a package, the package's own."""
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, name: str) -> Iterator[str]:
    """What a file imports; of `from a import b` both `a` and `a.b` where `b` is a module."""
    statements: list[ast.stmt] = ast.parse(path.read_text()).body
    for node in statements:  # it grows
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} has a relative import"
            yield from [f"{node.module}.{alias.name}" for alias in node.names]
            yield str(node.module)
        for blocks in BLOCKS:
            statements += getattr(node, blocks, ())


#: The fields of statements that hold statements, or what does.
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@cache
def package() -> dict[str, set[str]]:
    """The modules that each module of the package imports."""
    return imports(SOURCE)


def test_no_module_imports_its_users() -> None:
    graph = package()
    assert len(graph) > 500
    graphlib.TopologicalSorter(graph).prepare()  # CycleError names a cycle


#: What only chooses, or plans nests and memory: a second renderer can stand beside LLVM's.
PLANNERS = ("graph", "lists", "memory", "nests", "select", "verifier")


def reached(graph: dict[str, set[str]], module: str) -> set[str]:
    """The modules that one imports, directly or by way of others."""
    result: set[str] = set()
    left = [module]
    while left:
        new = graph[left.pop()] - result
        result |= new
        left += new
    return result


@pytest.mark.parametrize("folder", PLANNERS)
def test_what_plans_knows_no_renderer(folder: str) -> None:
    graph, inside = package(), f"{PACKAGE}.compile.{folder}."
    modules = [name for name in graph if name.startswith(inside)]
    assert modules
    for module in modules:
        renderers = [m for m in reached(graph, module) if m.startswith(f"{PACKAGE}.compile.llvm")]
        assert not renderers, f"{module} comes to {renderers[0]}"
        path = SOURCE / f"{module.replace('.', '/')}.py"
        assert not [m for m in imported(path, module) if m.startswith("llvmlite")]


@pytest.mark.parametrize(
    "text",
    [
        "import graphwright.b\n",
        "from graphwright import b\n",
        "def f():\n    from graphwright.b import x\n",
        "if TYPE_CHECKING:\n    from graphwright.b import x\n",
    ],
)
def test_a_cycle_is_seen(tmp_path: Path, text: str) -> None:
    package = tmp_path / PACKAGE
    package.mkdir()
    (package / "a.py").write_text(text)
    (package / "b.py").write_text("import graphwright.a\n")
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(imports(tmp_path)).prepare()


def unheld_imports(text: str) -> list[int]:
    """The lines of imports in functions that stand in no `with LLVM`, and in no annotation."""
    lines: list[int] = []

    def visit(node: ast.AST, is_late: bool) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and is_late:
            lines.append(node.lineno)
        if isinstance(node, ast.With) and any(
            isinstance(item.context_expr, ast.Name) and item.context_expr.id == "LLVM"
            for item in node.items
        ):
            return
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.iter_child_nodes(node):
            visit(child, is_late or is_function)

    visit(ast.parse(text), False)
    return lines


def test_a_fork_waits_for_each_late_import_of_the_compiler() -> None:
    """The child of a fork can never import what another thread was importing."""
    assert unheld_imports("def f():\n    import a\n") == [2]
    assert unheld_imports("def f():\n    with LLVM:\n        import a\n") == []
    files = sorted((SOURCE / PACKAGE / "compile").rglob("*.py"))
    late = {str(p.relative_to(SOURCE)): unheld_imports(p.read_text()) for p in files}
    assert {path: lines for path, lines in late.items() if lines} == {}
