"""Write src/graphwright/__init__.pyi: the package's public names, for type checkers and editors.

    python tools/write_stub.py [--check]

The package gathers its names when it is imported (`graphwright.api`), which no static tool can
follow; the stub says where each comes from. --check writes nothing and fails (exit code 1) if the
stub is not what would be written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import generated

FILE = ROOT / "src" / "graphwright" / "__init__.pyi"
HEAD = "# Written by tools/write_stub.py.\n"


def declaration(name: str, value: object) -> tuple[str, str]:
    """The import that the line of a public name needs, and the line; one of them may be empty."""
    if isinstance(value, ModuleType):
        parent, _, module = value.__name__.rpartition(".")
        return imported(parent, module, name), ""
    home, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if home and own and getattr(sys.modules[home], own, None) is value:
        return imported(home, own, name), ""
    kind = type(value)
    if value is None:
        return "", f"{name}: None"
    private = f"_{kind.__qualname__}"  # the type may be a public name too
    return imported(kind.__module__, kind.__qualname__, private), f"{name}: {private}"


def imported(module: str, own: str, name: str) -> str:
    """An import statement; `as` makes the name one that the stub exports.

    >>> imported("graphwright.ops.math.arithmetic", "add", "add")
    'from graphwright.ops.math.arithmetic import add as add'
    """
    return f"from {module} import {own} as {name}"


def stub() -> str:
    """The text of the stub."""
    import graphwright
    from graphwright.op.refusal import own_form

    names = graphwright.__all__
    lines = [declaration(name, own_form(getattr(graphwright, name))) for name in names]
    lines.append((imported("types", "ModuleType", "_ModuleType"), "keras: _ModuleType"))
    imports = sorted({line for line, _ in lines if line})
    constants = [line for _, line in lines if line]
    return HEAD + "\n".join(
        [*imports, "", "__all__: list[str]", "__version__: str", *constants, ""]
    )


def main(arguments: list[str] | None = None) -> int:
    return generated.main(__doc__, FILE, stub, arguments)


if __name__ == "__main__":
    sys.exit(main())
