"""Fixes: what they write, that the result parses, is clean, and stays as it is."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.lint.check import check_text
from graphwright.lint.finding import Edit
from graphwright.lint.fixes import apply, fix

HEAD = "import math\nimport numpy as np\nimport tensorflow as tf\n\nv = tf.Variable(0.0)\n\n"

FIXED = {
    "print": (
        '@tf.function\ndef f(x):\n    print("x", x, sep=": ")\n',
        '@tf.function\ndef f(x):\n    tf.print("x", x, sep=": ")\n',
    ),
    "print, several on a line": (
        "@tf.function\ndef f(x):\n    print(x); print(x)  # é\n",
        "@tf.function\ndef f(x):\n    tf.print(x); tf.print(x)  # é\n",
    ),
    "numpy": (
        "@tf.function\ndef f(x):\n    y = tf.abs(x)\n    return np.sum(np.exp(y), axis=1)\n",
        "@tf.function\ndef f(x):\n    y = tf.abs(x)\n    return tf.reduce_sum(tf.exp(y), axis=1)\n",
    ),
    "math": (
        "@tf.function\ndef f(x):\n    y = tf.abs(x)\n    return math.sqrt(math.log(y))\n",
        "@tf.function\ndef f(x):\n    y = tf.abs(x)\n    return tf.sqrt(tf.math.log(y))\n",
    ),
    "assign_add": (
        "class M(tf.Module):\n    def __init__(self):\n        self.v = tf.Variable(0.0)\n"
        "    @tf.function\n    def f(self, x):\n        self.v += (x +\n            1)  # more\n",
        "class M(tf.Module):\n    def __init__(self):\n        self.v = tf.Variable(0.0)\n"
        "    @tf.function\n    def f(self, x):\n"
        "        self.v.assign_add((x +\n            1))  # more\n",
    ),
    "global": (
        "@tf.function\ndef f(x):\n    global v\n    v -= x\n",
        "@tf.function\ndef f(x):\n    global v\n    v.assign_sub(x)\n",
    ),
    "options": (
        "@tf.function(experimental_relax_shapes=True, experimental_compile=False)\ndef f(x): ...\n",
        "@tf.function(reduce_retracing=True, jit_compile=False)\ndef f(x): ...\n",
    ),
    "order": (
        "class M:\n    @tf.function(jit_compile=False)\n    @staticmethod\n    def f(x): ...\n",
        "class M:\n    @staticmethod\n    @tf.function(jit_compile=False)\n    def f(x): ...\n",
    ),
}

UNFIXED = {
    "an f-string has the tensor's name in it": '@tf.function\ndef f(x):\n    print(f"x {x}")\n',
    "a file": "@tf.function\ndef f(x):\n    print(x, file=log)\n",
    "no argument": "@tf.function\ndef f(x):\n    print()\n",
    "other keywords": "@tf.function\ndef f(x):\n    return np.sum(tf.abs(x), dtype=int)\n",
    "another base": "@tf.function\ndef f(x):\n    return math.log(tf.abs(x), 2)\n",
    "no such op": "@tf.function\ndef f(x):\n    return np.linalg.norm(tf.abs(x))\n",
}


@pytest.mark.parametrize("name", FIXED)
def test_what_a_fix_writes(name: str) -> None:
    before, after = FIXED[name]
    mended, count = fix(HEAD + before, check_text)
    assert mended == HEAD + after
    assert count > 0
    ast.parse(mended)
    assert check_text(mended) == []
    assert fix(mended, check_text) == (mended, 0)


@pytest.mark.parametrize("name", UNFIXED)
def test_what_is_left_alone(name: str) -> None:
    text = HEAD + UNFIXED[name]
    assert check_text(text) != []
    assert fix(text, check_text) == (text, 0)


def test_a_module_under_another_name() -> None:
    text = "import graphwright as gw\n@gw.function\ndef f(x):\n    print(x)\n"
    assert fix(text, check_text)[0] == text.replace("print", "gw.print")


@given(st.data())
def test_edits_are_made_whole_and_do_not_touch_each_other(data: st.DataObject) -> None:
    text = data.draw(st.text(st.sampled_from("aé\n"), max_size=30))
    lines = [line.encode() for line in text.split("\n")]

    def place() -> tuple[int, int]:
        row = data.draw(st.integers(0, len(lines) - 1))
        ends = [len(lines[row].decode()[:k].encode()) for k in range(len(lines[row].decode()) + 1)]
        return row + 1, data.draw(st.sampled_from(ends))

    proposals = []
    for _ in range(data.draw(st.integers(0, 4))):
        start, end = sorted([place(), place()])
        proposals.append((Edit(start, end, data.draw(st.text(st.sampled_from("xy"), max_size=3))),))
    changed, count = apply(text, proposals)
    written = sum(len(edit.text) for (edit,) in proposals)
    assert count <= len(proposals)
    assert changed.count("x") + changed.count("y") <= written
    assert set(changed) <= set(text) | set("xy")
    if proposals:
        assert count >= 1


def test_fixing_twice_changes_nothing_more() -> None:
    text = textwrap.dedent(
        """
        import tensorflow as tf
        class M(tf.Module):
            def __init__(self):
                self.v = tf.Variable(0.0)
            @tf.function(experimental_relax_shapes=True)
            def f(self, x):
                print(x)
                self.v += x
        """
    )
    mended, count = fix(text, check_text)
    assert count == 3
    assert check_text(mended) == []
