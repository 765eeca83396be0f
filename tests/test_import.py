"""What `import graphwright` brings in: what is large is imported when it is used."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import mpmath
import pytest

from graphwright import api, hooks
from graphwright.library.dispatch import raw_ops
from graphwright.op import special_functions

SRC = Path(__file__).resolve().parent.parent / "src"
LATE = {"google", "rich", "scipy", "graphwright.data.stage", "numpy.fft"}
#: So many modules of the package are imported at most. Each costs a quarter of a millisecond.
MODULES = 262

BROUGHT = """
import sys, numpy
before = set(sys.modules)
import graphwright
print(*(set(sys.modules) - before))
"""


@pytest.fixture(scope="module")
def brought() -> set[str]:
    """The modules that the import brings in."""
    done = subprocess.run(
        [sys.executable, "-c", BROUGHT],
        env=os.environ | {"PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_the_import_leaves_out_what_is_large(brought: set[str]) -> None:
    assert "graphwright.op" in brought
    assert brought & LATE == set()
    assert len([name for name in brought if name.startswith("graphwright")]) <= MODULES


COMPILED = """
import sys
import graphwright as tf

@tf.function(jit_compile=True)
def f(x):
    def step(i, y):
        return i + 1, tf.tanh(y) + 1.0
    return tf.reduce_sum(tf.while_loop(lambda i, y: i < 3, step, [0, x])[1])

concrete = f.get_concrete_function(tf.TensorSpec([4]))
before = set(sys.modules)
concrete(tf.zeros([4]))
print(*(set(sys.modules) - before))
"""
#: What is about lists, products, scans and calls of kernels, which that program has none of.
OF_OTHER_PROGRAMS = {
    "compile.graph.updates",
    "compile.lists.list_buffers",
    "compile.lists.list_lowering",
    "compile.lists.list_types",
    "compile.lists.nested_lists",
    "compile.llvm.accumulation",
    "compile.llvm.call_code",
    "compile.llvm.list_code",
    "compile.llvm.product_code",
    "compile.llvm.scan_code",
    "machine.matmul",
    "machine.products",
}
#: So many modules the compiler of that program needs at most; each costs half a millisecond.
MODULES_OF_COMPILER = 117


def test_a_program_imports_of_the_compiler_what_it_needs(tmp_path: Path) -> None:
    variables = {"PYTHONPATH": str(SRC), "GRAPHWRIGHT_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", COMPILED]
    environment = os.environ | variables
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    brought = {name.removeprefix("graphwright.") for name in done.stdout.split()}
    assert "compile.llvm.statement_code" in brought
    assert brought & OF_OTHER_PROGRAMS == set()
    assert len(brought) <= MODULES_OF_COMPILER


@pytest.mark.parametrize(
    ("late", "reference"),
    [
        (special_functions.erf, mpmath.erf),
        (special_functions.erfc, mpmath.erfc),
        (special_functions.erfinv, mpmath.erfinv),
        (special_functions.gammaln, mpmath.loggamma),
    ],
)
def test_late_special_functions_are_scipys(
    late: Callable[[float], float], reference: Callable[[float], float]
) -> None:
    assert late(0.75) == pytest.approx(float(reference(0.75)), rel=1e-14)


#: A program for a process of its own, in which nothing has named these namespaces before.
FIRST_USES = {
    "in a trace, under a tape": """
        @tf.function
        def f(x):
            total = tf.reduce_sum(tf.experimental.numpy.ones([3], tf.float32)) * x
            for element in tf.data.Dataset.range(3):
                total += tf.cast(element, tf.float32)
            return total
        with tf.GradientTape() as tape:
            x = tf.Variable(2.0)
            y = f(x)
        assert float(y) == 9.0 and float(tape.gradient(y, x)) == 3.0
        assert [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x + 1)] == [1, 2, 3]
        assert tf.experimental.numpy.ones([2]).numpy().tolist() == [1.0, 1.0]
        """,
    "in several threads": """
        from concurrent.futures import ThreadPoolExecutor
        names = ["data.Dataset", "compat.v1.data", "experimental.numpy.sum", "OptionalSpec"]
        with ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(attrgetter(name), tf) for name in names * 8]
        assert [job.result() for job in jobs] == [attrgetter(name)(tf) for name in names] * 8
        """,
    "by names that need few modules": """
        import sys
        tf.nn.relu, tf.nn.softmax, tf.linalg.matmul, tf.linalg.diag
        operators = "library.linear_operators.block_operators"
        parts = "ops.convolution.convolution", "ops.nn.dropout", operators
        assert not [part for part in parts if f"graphwright.{part}" in sys.modules]
        assert tf.linalg.matrix_square_root is tf.linalg.sqrtm
        for space in (tf.nn, tf.nn.experimental, tf.linalg):
            assert [name for name in space.__all__ if not hasattr(space, name)] == []
        assert [part for part in parts if f"graphwright.{part}" in sys.modules] == [*parts]
        """,
    "after internal modules of the same name": """
        import graphwright.ragged.ragged_tensor
        for name in tf._api.NAMESAKES:
            assert getattr(tf, name).__name__ == f"graphwright.api.{name}"
        from graphwright.data.tuning.pipeline_budget import AUTOTUNE
        assert tf.data.AUTOTUNE == AUTOTUNE
        assert tf.data.Dataset.__module__ == "graphwright.data.dataset"
        """,
    "by meanings that a refused argument has": """
        words = tf.strings.split(["a b", "c"])
        assert tf.concat([words, words], 0).to_list() == [[b"a", b"b"], [b"c"]] * 2
        sparse = tf.divide(tf.SparseTensor([[0, 1]], [4.0], [2, 2]), 2.0)
        assert sparse.values.numpy().tolist() == [2.0] and tf.size(sparse) == 4
        for name in ("matmul", "einsum", "eye", "norm"):
            assert getattr(tf.linalg, name) is getattr(tf, name)
            assert getattr(tf, name).__qualname__ == name
        try:
            words.to_tensor(shape=3)
        except Exception as error:
            assert "in RaggedTensor.to_tensor(" in str(error), error
        """,
    "by the names of ops": """
        from graphwright.ir.text import parse_graph
        line = "  %y = RGBToHSV(%x) : float32[2,3]"
        graph = parse_graph(f"graph f(%x: float32[2,3]) {{\\n{line}\\n  return %y\\n}}")
        assert graph.nodes[1].op.type_name == "RGBToHSV"
        """,
    "by a star": """
        from graphwright import *
        assert data is tf.data and {"data", "experimental", "add"} <= set(dir(tf))
        """,
    "by what editors list": """
        for namespace in (tf, tf.math, tf.compat.v1, tf.data.experimental, tf.raw_ops):
            public = {*namespace.__all__, "keras", "__version__"}
            assert dir(namespace) == sorted(public.intersection(dir(namespace))) != []
        assert {n for n in dir(tf) if n.startswith("_")} == {"__version__"}
        """,
    "by the names of modules": """
        import graphwright.compat.v1 as v1, graphwright.compat.v2 as v2
        import graphwright.compat.v1.losses as losses
        from graphwright.compat.v1.train import Saver
        assert v1 is tf.compat.v1 and v2 is tf and losses is v1.losses and Saver is v1.train.Saver
        assert v2.compat.v2 is tf and v1.train.Saver.__module__.startswith("graphwright.portable")
        """,
    "by no name that there is": """
        try:
            tf.daat
        except AttributeError as error:
            assert str(error) == "module 'graphwright' has no attribute 'daat'"
        else:
            raise AssertionError
        """,
}


@pytest.mark.parametrize("program", FIRST_USES.values(), ids=FIRST_USES)
def test_namespaces_are_imported_at_their_first_use(program: str, tmp_path: Path) -> None:
    head = "from operator import attrgetter\nimport graphwright as tf\n"
    file = tmp_path / "program.py"
    file.write_text(head + textwrap.dedent(program))
    environment = os.environ | {"PYTHONPATH": str(SRC)}
    subprocess.run([sys.executable, file], env=environment, check=True)


def modules_with(text: str, *folders: str) -> set[str]:
    """The modules in some folders of the package in which a line begins with a text."""
    files = [file for folder in folders for file in (SRC / "graphwright" / folder).rglob("*.py")]
    lines = re.compile(rf"^ *{text}", re.MULTILINE)
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    names = [file.relative_to(SRC).with_suffix("") for file in files if lines.search(texts[file])]
    return {".".join(name.parts) for name in names}


def test_what_gives_functions_a_meaning_is_imported_when_one_refuses() -> None:
    meanings = modules_with(r"@(implement|UNARY|BINARY|ASSERTIONS)\b", "ragged", "values")
    early = {"graphwright.values.indexed_slices"}
    assert meanings - early == {f"graphwright.{module}" for module in hooks.MEANINGS}


def test_what_has_ops_is_imported_when_one_is_looked_for(brought: set[str]) -> None:
    folders = {path.name for path in (SRC / "graphwright").iterdir() if path.is_dir()} - {"data"}
    homes = modules_with(r'type_name = "[A-Z]', *folders)
    late = {m for m in homes if not m.startswith("graphwright.ops.")} - set(raw_ops.OUTSIDE)
    assert late <= brought


def test_late_namespaces_are_as_they_are_stated() -> None:
    for name, top_level in api.LATE.items():
        module = importlib.import_module(f"graphwright.api.{name}")
        assert vars(module).get("TOP_LEVEL", ()) == top_level
    namesakes = {name for name in api.LATE if (SRC / "graphwright" / name).exists()}
    assert namesakes - {"compat"} == set(api.NAMESAKES)  # `import graphwright.compat.v1` is public
