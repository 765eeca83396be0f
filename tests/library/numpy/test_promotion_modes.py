"""The promotion modes "all" and "safe": operators and functions give the dtypes of TensorFlow 2.21.

What TensorFlow refuses is refused, but for `WIDER`. The classes of errors may differ.
"""

from __future__ import annotations

import gzip
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from corpora import weak_operands

import graphwright as tf
from graphwright.library.numpy import behavior, mode_arrays
from graphwright.op.refusal import own_form
from tools import golden_format as gf

ROOT = Path(__file__).resolve().parents[3]
RECORDED = json.loads(gzip.decompress((gf.GOLDEN / "weak_results.json.gz").read_bytes()))

#: Results that TensorFlow refuses, by its own faults or for want of a kernel. Ragged tensors are
#: promoted there in `-`, `/`, `//`, `**` and `==` alone.
WIDER = {
    "tf.constant([s,s])",
    *(f"tf.math.truncate{name}({pair})" for name in ("div", "mod") for pair in ("w, w", "wf, wf")),
    *(
        text
        for text in weak_operands.MORE_EXPRESSIONS
        if "ragged" in text and any(sign in text for sign in ("+", "*", "%", "&", ".add", "m"))
    ),
}
#: What is not as there: `erfcinv` widens to float64 there, and `reverse` takes an axis that a
#: scalar has not.
APART = {
    *(f"tf.math.erfcinv({x})" for x in ("wm", "sm", "2.5")),
    *(f"tf.reverse({x}, w)" for x in ("w", "wf", "sf", "i8")),
}
#: NumPy's functions of arguments without sense, which TensorFlow takes: a fraction for an axis, a
#: number of copies or a rank, and a number for a list.
NUMPY_APART = {
    *(f"tnp.argsort({pair})" for pair in ("w, wf", "s, sf", "w, i8", "s, 2.5")),
    *(f"tnp.tile({pair})" for pair in ("w, wf", "s, sf", "wm, sm", "s, 2.5")),
    "tnp.concatenate(3)",
    "tnp.diag_indices(w, wf)",
    "tnp.eye(s, 2.5)",
}
#: Functions that need values, ranks or dtypes before the graph runs, or give them.
STATIC = """
angle arange around diag_indices dstack eye fliplr flipud hstack ndim promote_types result_type
round shape size tile tri vstack
""".split()  # noqa: SIM905
#: `float16` takes no Python bool here where it is no promotion.
HALF_AND_BOOL = {("h", "True"), ("True", "h")}

PROGRAM = """
import json
import graphwright as tf
from corpora import weak_operands
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode={mode!r})
print(json.dumps({{
    "operators": weak_operands.operator_table(tf),
    "expressions": weak_operands.expression_table(
        tf, weak_operands.EXPRESSIONS + weak_operands.MORE_EXPRESSIONS
    ),
    "numpy": weak_operands.expression_table(tf, weak_operands.ALL_NUMPY_EXPRESSIONS),
    "traced": weak_operands.traced_table(tf, weak_operands.ALL_NUMPY_EXPRESSIONS),
    "programs": weak_operands.program_table(tf),
}}))
"""


def run(program: str) -> str:
    """What a program prints that enables a mode, which its process cannot leave."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env=os.environ | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


@cache
def computed(mode: str) -> dict[str, Any]:
    """The tables of a mode, as they are here."""
    tables: dict[str, Any] = json.loads(run(PROGRAM.format(mode=mode)))
    return tables


def differs(mine: str, theirs: str) -> bool:
    """Whether two outcomes are not of one dtype and weakness, nor both errors."""
    return mine != theirs and not (mine[0] == theirs[0] == "!")


@pytest.mark.parametrize("mode", RECORDED)
@pytest.mark.parametrize("sign", weak_operands.OPERATORS)
def test_operators_promote_as_tensorflow_does(sign: str, mode: str) -> None:
    mine, theirs = computed(mode)["operators"][sign], RECORDED[mode]["operators"][sign]
    assert list(mine) == list(theirs)
    differing = [
        (first, second, a, b)
        for first in theirs
        for second, a, b in zip(theirs, mine[first].split(), theirs[first].split(), strict=True)
        if differs(a, b) and (first, second) not in HALF_AND_BOOL
    ]
    if sign in "&|^":  # an operand of Python before it, or NumPy's beside bools: a fault there
        differing = [cell for cell in differing if not cell[3].startswith("!")]
    assert differing == []


@pytest.mark.parametrize("mode", RECORDED)
def test_functions_promote_and_stay_weak_as_tensorflow_does(mode: str) -> None:
    mine, theirs = computed(mode)["expressions"], RECORDED[mode]["expressions"]
    differing = {
        text: (mine[text], theirs[text]) for text in mine if differs(mine[text], theirs[text])
    }
    assert set(differing) == {t for t in WIDER | APART if differs(mine[t], theirs[t])}


@pytest.mark.parametrize("mode", RECORDED)
def test_numpys_functions_promote_and_stay_weak_as_tensorflows_do(mode: str) -> None:
    mine, theirs = computed(mode)["numpy"], RECORDED[mode]["expressions"]
    loose = RECORDED["all"]["expressions"]
    differing = {
        text: (mine[text], theirs[text])
        for text in mine
        if differs(mine[text], theirs[text])
        and (theirs[text][0] != "!" or loose[text][0] != "!")  # what "safe" alone refuses counts
    }
    assert len(mine) > 3500
    assert set(differing) == {t for t in NUMPY_APART if differs(mine[t], theirs[t])}


@pytest.mark.parametrize("mode", RECORDED)
def test_numpys_functions_give_the_same_in_graphs(mode: str) -> None:
    eager, traced = computed(mode)["numpy"], computed(mode)["traced"]
    differing = {
        text: (traced[text], eager[text]) for text in eager if differs(traced[text], eager[text])
    }
    unexpected = {
        text: pair
        for text, pair in differing.items()
        if "Variable" not in text and text.split("(")[0].removeprefix("tnp.") not in STATIC
    }
    assert unexpected == {}
    outcomes = {of_graph for of_graph, _ in differing.values() if of_graph[0] != "!"}
    assert outcomes <= {"int32", "int32*"}  # of numbers that Python knows


@pytest.mark.parametrize("mode", RECORDED)
def test_programs_have_weak_tensors_where_tensorflow_has_them(mode: str) -> None:
    mine, theirs = computed(mode)["programs"], RECORDED[mode]["programs"]
    differing = {
        text: (mine[text], theirs[text]) for text in mine if differs(mine[text], theirs[text])
    }
    # Loops may carry a weak tensor here: AutoGraph's are refused there.
    assert set(differing) == {"F(loop)(w)", "F(loopf)(wf)", "F(wl2)(wf)"}


NUMBERS = """
import json, warnings
import numpy as np, graphwright as tf
from corpora import weak_operands
warnings.simplefilter("ignore")
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode={mode!r})
print(json.dumps(weak_operands.unlike_numpy(tf)))
"""


@pytest.mark.parametrize("mode", RECORDED)
def test_numpys_functions_have_numpys_values(mode: str) -> None:
    count, unlike = json.loads(run(NUMBERS.format(mode=mode)))
    assert count > 800
    assert unlike == []


def test_each_of_numpys_functions_has_a_rule() -> None:
    names = [
        name
        for module in (tf.experimental.numpy, tf.experimental.numpy.random)
        for name in module.__all__
        if inspect.isfunction(getattr(module, name))
        and own_form(getattr(module, name)) not in mode_arrays.RULES
    ]
    assert set(names) == {"experimental_enable_numpy_behavior", "finfo", "issubdtype"}


VALUES = """
import numpy as np, graphwright as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
add = tf.add
w, s, i8 = tf.constant(5), tf.constant([1, 2], tf.int32), tf.constant([100], tf.int8)
print((w + 2.5).numpy(), (s / 2).numpy().tolist(), (2 - s).numpy().tolist(), (i8 + 300).numpy())
print(add(x=s, y=2.5).numpy().tolist(), tf.clip_by_value(s, 1.5, 9).numpy().tolist())
f = tf.function(lambda a, b: (a + b, a * 2, b))
for a, b in ((w, 1.5), (s, w), (w, i8), (w, w)):
    print([x.dtype.name + "*" * (type(x).__name__ == "WeakTensor") for x in f(a, tf.constant(b))])
g = tf.function(lambda a, b: a * b + 1, jit_compile=True)
print(g(w, tf.constant(1.5)))
with tf.GradientTape() as tape:
    x = tf.constant(3.0)
    tape.watch(x)
    y = x * x * 2
print(y, tape.gradient(y, x))
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = v * 2
print(type(tape.gradient(y, v)).__name__, v.assign_add(w and tf.constant(2.0)).numpy())
try:
    tf.add(tf.constant("a"), w)
except Exception as error:
    print(type(error).__name__, "tf.add(" in str(error))
try:
    tf.abs(tf.constant("a"))
except Exception as error:
    print(type(error).__name__, str(error).count("tf.abs("))
rows = tf.ragged.constant([[1], []])
print(tf.add(rows, w).to_list(), tf.abs(-rows).to_list())
"""


def test_values_traces_and_gradients_follow() -> None:
    assert run(VALUES).splitlines() == [
        "7.5 [0.5, 1.0] [1, 0] [-112]",
        "[3.5, 4.5] [1.5, 2.0]",
        "['float32*', 'int32*', 'float32*']",
        "['int32', 'int32', 'int32*']",
        "['int8', 'int32*', 'int8']",
        "['int32*', 'int32*', 'int32*']",
        "tf.Tensor(8.5, shape=(), dtype=float32, weak=True)",
        "tf.Tensor(18.0, shape=(), dtype=float32, weak=True) "
        "tf.Tensor(12.0, shape=(), dtype=float32, weak=True)",
        "EagerTensor 3.0",
        "InvalidArgumentError True",
        "InvalidArgumentError 1",
        "[[6], []] [[1], []]",
    ]


SAFE = """
import graphwright as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="safe")
s, w = tf.constant(5, tf.int32), tf.constant(2)
print((s + 1).dtype.name, (w + 1.5).dtype.name)
for call in (lambda: s + 1.5, lambda: 1.5 + s, lambda: tf.add(s, tf.constant(1.0, tf.float32))):
    try:
        call()
    except TypeError as error:
        print(str(error).splitlines()[0])
"""


def test_safe_refuses_in_tensorflows_words() -> None:
    words = (
        "In promotion mode PromoMode.SAFE, implicit dtype promotion between ({}) and ({}) is "
        "disallowed. You need to explicitly specify the dtype in your op, or relax your dtype "
        "promotion rules (such as from SAFE mode to ALL mode)."
    )
    strong, weak = "<dtype: 'int32'>, weak=False", "<dtype: 'float32'>, weak=True"
    assert run(SAFE).splitlines() == [
        "int32 float32",
        words.format(strong, weak),
        words.format(weak, strong),
        words.format(strong, "<dtype: 'float32'>, weak=False"),
    ]


@pytest.fixture
def restored() -> Iterator[None]:
    """Leaves the modes after the test."""
    yield
    behavior.restore()


def dtypes_of_sums() -> list[str]:
    """What the sums of an int32 tensor, and of a constant without a dtype, with 1.5 give."""
    strong = tf.constant(5, tf.int32)
    return [
        weak_operands.shown(lambda: strong + 1.5),
        weak_operands.shown(lambda: tf.constant(5) + 1.5),
        weak_operands.shown(lambda: tf.experimental.numpy.add(1, 2.5)),
        weak_operands.shown(lambda: tf.experimental.numpy.sqrt(5)),
        str(hasattr(strong, "reshape")),
    ]


@pytest.mark.usefixtures("restored")
def test_each_call_sets_the_mode_anew() -> None:
    enable = tf.experimental.numpy.experimental_enable_numpy_behavior
    kinds = (tf.Tensor, type(tf.constant(1)), tf.Variable.__mro__[-2])
    before = [dict(vars(kind)) for kind in kinds]
    refused = "!InvalidArgumentError"
    for _ in range(2):
        enable()
        assert dtypes_of_sums() == ["float64", "float64", "float64", "float64", "True"]
        enable(prefer_float32=True)
        assert dtypes_of_sums() == ["float64", "float64", "float32", "float64", "True"]
        enable(dtype_conversion_mode="all")
        assert dtypes_of_sums() == ["float64*", "float32*", "float64", "float32*", "True"]
        enable(prefer_float32=True, dtype_conversion_mode="safe")
        assert dtypes_of_sums() == ["!TypeError", "float32*", "float32", "float32*", "True"]
        enable(dtype_conversion_mode="off")
        assert dtypes_of_sums() == [refused, refused, "float64", "float64", "True"]
    behavior.restore()
    for kind, attributes in zip(kinds, before):
        now = dict(vars(kind))
        assert now.keys() == attributes.keys()
        assert [name for name, value in now.items() if value is not attributes[name]] == []
    assert dtypes_of_sums() == [refused, refused, "float64", "float64", "False"]


@pytest.mark.usefixtures("restored")
def test_a_wrong_mode_is_refused_in_tensorflows_words_and_changes_nothing() -> None:
    enable = tf.experimental.numpy.experimental_enable_numpy_behavior
    enable(dtype_conversion_mode="all")
    with pytest.raises(ValueError, match="promotion mode some does not exist"):
        enable(dtype_conversion_mode="some")
    assert dtypes_of_sums()[0] == "float64*"


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize(
    ("prefer", "dtypes"),
    [
        (True, "float32 float32 float16 complex64 float32 float64 float32 float64"),
        (False, "float64 float64 float16 complex128 float64 float64 float32 float64"),
    ],
)
def test_a_preference_for_float32_is_about_pythons_numbers(prefer: bool, dtypes: str) -> None:
    tnp = tf.experimental.numpy
    tnp.experimental_enable_numpy_behavior(prefer_float32=prefer)
    half, small = tf.constant(1.0, tf.float16), tf.constant(4, tf.int8)
    results = [
        tnp.add(1, 2.5),
        tnp.add(small, 2.5),
        tnp.add(half, 1),
        tnp.add(1.0, 1j),
        tnp.geomspace(1, 10, 3),
        tnp.sqrt(small),
        tnp.true_divide(small, small),
        tnp.zeros([2]),
    ]
    assert " ".join([result.dtype.name for result in results]) == dtypes


@pytest.mark.usefixtures("restored")
def test_a_saved_model_keeps_weak_arguments_and_results(tmp_path: Path) -> None:
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    model = tf.Module()
    model.double = tf.function(lambda x: x * 2, autograph=False)
    model.double(tf.constant(2.5))
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path).double(tf.constant(1.5))
    assert weak_operands.shown(lambda: loaded) == "float32*"
    assert float(loaded) == 3.0


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_logarithms_keep_a_dtype_until_operators_promote(dtype: str) -> None:
    numpy, x = tf.experimental.numpy, tf.constant([1.0, 2.0], dtype)
    functions = [numpy.log2, numpy.log10, lambda x: numpy.logaddexp2(x, x)]
    assert [f(x).dtype.name for f in functions] == [dtype] * 3
    numpy.experimental_enable_numpy_behavior()
    assert [f(x).dtype.name for f in functions] == ["float64"] * 3
