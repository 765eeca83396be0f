"""No module imports one that imports it, whether directly or by way of others."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
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
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} has a relative import"
            yield from [f"{node.module}.{alias.name}" for alias in node.names]
            yield str(node.module)


def test_no_module_imports_its_users() -> None:
    graph = imports(SOURCE)
    assert len(graph) > 500
    graphlib.TopologicalSorter(graph).prepare()  # CycleError names a cycle


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
