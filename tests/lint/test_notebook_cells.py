"""Cells of notebooks as Python, and what the linter says of those that are none."""

from __future__ import annotations

import json

import pytest

from graphwright.lint.check import check
from graphwright.lint.lint_config import Config
from graphwright.lint.linted_source import LintedSource, notebook
from graphwright.lint.notebook_cells import BrokenCell, python_of

STAGED = "@tf.function\ndef f(x):\n    print(x)\n    return x"


def book(*cells: str) -> LintedSource:
    """A notebook of code cells."""
    code = [{"cell_type": "code", "source": cell} for cell in cells]
    return notebook("book.ipynb", json.dumps({"cells": code}))


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("x = 1", "x = 1"),
        ("  x = 1\n  y = 2", "x = 1\ny = 2"),
        ("f?", "pass"),
        ("tf.data.Dataset??", "pass"),
        ("!pip install \\\n  a \\\n  b\nx = 1", "pass\n#  a \\\n#  b\nx = 1"),
        ("files = !ls *.py", "files = None"),
        ("x = %timeit -o f()", "x = None"),
        ("if x:\n    !ls", "if x:\n    pass"),
        ("%%time\nx = 1", "#%%time\nx = 1"),
        ("%%capture out\n  x = 1", "#%%capture out\nx = 1"),
        ("\n%%bash\nif then", "#\n#%%bash\n#if then"),
        ("text = ('%d'\n% 3)", "text = ('%d'\n% 3)"),
        ('text = """\n!ls\n"""', 'text = """\n!ls\n"""'),
        ("", ""),
    ],
)
def test_a_cell_as_python(cell: str, python: str) -> None:
    assert python_of(cell) == python


def test_a_broken_cell_says_where() -> None:
    with pytest.raises(BrokenCell) as caught:
        python_of("x = 1\ndef f(:\n    pass")
    assert caught.value.line == 2


def test_a_broken_cell_leaves_the_others() -> None:
    source = book("  import tensorflow as tf", "def f(:", "tf.function?\n" + STAGED)
    first, second = check(source, Config())
    assert str(first).startswith("book.ipynb:cell 2:1:7: GW001 cell not linted: ")
    assert str(second).startswith("book.ipynb:cell 3:4:5: GW101 ")


def test_a_notebook_that_stages_nothing_names_its_broken_cells() -> None:
    [finding] = check(book("x = 1", "else:"), Config())
    assert (finding.code, finding.path) == ("GW001", "book.ipynb:cell 2")
