"""Makes the skeleton of an op, and says what an op lacks.

    python tools/new_op.py softcap --family math/activations --public math   # makes it
    python tools/new_op.py softcap --family math/activations --check         # when it is written

The skeleton is a class and a function in `src/graphwright/ops/FAMILY.py`, a name in
`src/graphwright/api/PUBLIC`, and an oracle in `tests/corpora/oracles.py`: three places. --check
writes the stub, the page of public names and that of native ops anew, and lists what is lacking;
the exit code is 1 while there is anything. CONTRIBUTING.md has the walk.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT), str(ROOT / "tests")]
PACKAGE = ROOT / "src" / "graphwright"
ORACLES = ROOT / "tests" / "corpora" / "oracles.py"

HEAD = '''"""{title}: say in a line what this family has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
'''

#: What the module of an op imports.
IMPORTS = """import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call
from graphwright.op.op_families import Unary
from graphwright.op.scalars import S, Scalars
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
"""

OP = '''

class {kind}(Unary):
    """TODO: one element of the result, as a formula."""

    type_name = "{kind}"
    dtypes = {{"T": dt.FLOATING}}
    ufunc = staticmethod(lambda x: np.positive(x))  # TODO: the kernel, on arrays

    def element(self, scalars: Scalars[S], x: S) -> S:
        return x  # TODO: the same in words of `op.scalars`, or `element = no_element`

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g,)  # TODO: cotangents of the operands, in ops


{constant} = {kind}()


def {name}(x: TensorLike, name: str | None = None) -> Any:
    """TODO: what it returns, in a sentence.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.{path}.{name}([1.0])
    <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
    """
    return apply({constant}, convert(x), name=name)
'''

ORACLE = """    # TODO: a reference that shares no code with the op: NumPy, SciPy or mpmath.
    yield Oracle("{kind}", tf.{path}.{name}, np.positive, [[x], [x.reshape(13, 1)], [x[:0]]])
"""


def kind_of(name: str) -> str:
    """The class of an op: `soft_cap` is `SoftCap`."""
    return "".join(part.capitalize() for part in name.split("_"))


def make(name: str, family: str, public: str) -> list[Path]:
    """Writes the skeleton; the files that it is in. ValueError where there is such an op."""
    file, api = PACKAGE / "ops" / f"{family}.py", api_of(public)
    if re.search(rf"^(def {name}|class {kind_of(name)})\b", read(file), re.M):
        raise ValueError(f"{file.relative_to(ROOT)} has {name} already")
    words = {
        "kind": kind_of(name),
        "constant": name.upper(),
        "name": name,
        "path": public.replace("/", "."),
    }
    text = read(file) or HEAD.format(title=file.stem.replace("_", " ").capitalize())
    file.write_text(with_imports(text, IMPORTS) + OP.format(**words))
    module = f"graphwright.ops.{family.replace('/', '.')}"
    source = with_imports(read(api), f"from {module} import {name}\n")
    api.write_text(re.sub(r"(__all__ = \[\n)", rf'\1    "{name}",\n', source, count=1))
    ORACLES.write_text(read(ORACLES).rstrip("\n") + "\n" + ORACLE.format(**words))
    tidy = [sys.executable, "-m", "ruff", "check", "--fix", "--quiet", "--select", "I,RUF022"]
    subprocess.run([*tidy, file, api], stderr=subprocess.DEVNULL)  # it may not be installed
    return [file, api, ORACLES]


def read(path: Path) -> str:
    """The text of a file; none where there is no such file."""
    return path.read_text() if path.exists() else ""


def api_of(public: str) -> Path:
    """The file of a public namespace: `math` is `api/math/__init__.py`."""
    path = PACKAGE / "api" / public
    result = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not result.exists():
        raise ValueError(f"there is no public namespace {public}: {result.relative_to(ROOT)}")
    return result


def with_imports(text: str, imports: str) -> str:
    """A module with more imports, behind those that it has."""
    have = {ast.unparse(node) for node in ast.parse(text).body}
    lines = [line for line in imports.splitlines() if line and line not in have]
    last = max(
        (n.end_lineno or 0 for n in ast.parse(text).body
         if isinstance(n, (ast.Import, ast.ImportFrom))), default=0,
    )  # fmt: skip
    parts = text.splitlines()
    return "\n".join([*parts[:last], *lines, *parts[last:]]) + "\n"


def lacking(name: str, family: str) -> Iterator[str]:
    """What an op lacks, in words."""
    from corpora.oracles import oracles

    from graphwright.op.op import REGISTRY, Op
    from graphwright.op.op_families import Elementwise
    from tools.docstrings import faults

    module = importlib.import_module(f"graphwright.ops.{family.replace('/', '.')}")
    kind: Any = getattr(module, kind_of(name), None)
    function = getattr(module, name, None)
    if kind is None or function is None:
        yield f"{module.__name__} has no class {kind_of(name)} or no function {name}"
        return
    source = inspect.getsource(kind) + inspect.getsource(function)
    yield from [
        f"there is a TODO: {line.strip()}" for line in source.splitlines() if "TODO" in line
    ]
    if kind.type_name not in REGISTRY:
        yield "the class has no `type_name`"
    if issubclass(kind, Elementwise) and kind.element is Elementwise.element:
        yield "it states no `element`; `element = no_element` says that it has none"
    if kind.gradient is Op.gradient:
        yield "it states no `gradient`; `not_differentiable` or `undefined(reason)` say why"
    yield from [f"the docstring: {fault}" for fault in faults(function)]
    oracle = "TODO" not in ORACLES.read_text() and [o for o in oracles() if o.op == kind.type_name]
    golden = any(name in p.read_text() for p in (ROOT / "tools" / "golden").glob("*.py"))
    if not oracle and not golden:
        yield "neither tests/corpora/oracles.py nor tools/golden has a case of it"


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes or checks an op; 1 while something is lacking."""
    parser = argparse.ArgumentParser("new_op", description=str(__doc__).partition("\n")[0])
    parser.add_argument("name", help="the public function, as `soft_cap`")
    parser.add_argument("--family", required=True, help="a module of ops, as `math/rounding`")
    parser.add_argument("--public", default="math", help="a namespace of the API, as `math`")
    parser.add_argument("--check", action="store_true", help="says what is lacking")
    given = parser.parse_args(arguments)
    if not given.check:
        for path in make(given.name, given.family, given.public):
            print(f"wrote {path.relative_to(ROOT)}")
        print("Fill in what says TODO; then run the same with --check.")
        return 0
    for tool in ("write_stub", "write_api_docs", "write_native_docs"):
        if failed := subprocess.call([sys.executable, ROOT / "tools" / f"{tool}.py"]):
            return failed
    result = list(lacking(given.name, given.family))
    print("\n".join(result) or "nothing is lacking; run pytest tests/test_oracles.py")
    return 1 if result else 0


if __name__ == "__main__":
    sys.exit(main())
