"""Objects of notebooks as HTML, and the cell magic that explains a cell."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.diagnosis.notebook_extension import FORMS
from tools import write_notebooks


class Words(HTMLParser):
    """The text of a page, with the elements that are open at its end."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "color" not in (dict(attrs).get("style") or "").replace("currentColor", "")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def shown(value: object) -> str:
    form = next(form for kind, form in FORMS.items() if isinstance(value, kind))
    page = Words(form(value))
    assert page.open == []
    return " ".join(" ".join(page.words).split())


class Net(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(tf.ones([3, 2]), name="weight")
        self.steps = tf.Variable(0, trainable=False, name="steps")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (tf.constant([[1.5, 2.0]]), "tf.Tensor float32 1 × 2 1.5 2"),
        (tf.constant("<b>"), "tf.Tensor string scalar <b>"),
        (tf.constant([], tf.int32), "tf.Tensor int32 0 no elements"),
        (tf.cast([1.5], tf.bfloat16), "tf.Tensor bfloat16 1 1.5"),
        (tf.zeros([2, 2, 1, 1]), "tf.Tensor float32 2 × 2 × 1 × 1 0 the first of 4"),
        (tf.constant(np.arange(10)), "tf.Tensor int64 10 0 1 2 3 4 5 … 9"),
        (tf.Variable(2, name="n"), "tf.Variable n:0 int32 scalar 2"),
        (Net(), "Net 2 variables, 7 numbers variable type size trained"),
        (
            tf.data.Dataset.range(4).map(lambda e: e + 1).batch(2),
            "tf.data.Dataset 2 elements Range → Map → Batch TensorSpec(",
        ),
        (tf.data.Dataset.range(4).repeat(), "tf.data.Dataset without an end Range → Repeat"),
    ],
)
def test_values_are_shown(value: object, expected: str) -> None:
    assert shown(value).startswith(expected)


def test_functions_are_shown_with_their_traces() -> None:
    @tf.function
    def double(x: tf.Tensor) -> tf.Tensor:
        return x * 2.0

    assert shown(double) == "tf.function double 0 traces"
    double(tf.ones([2]))
    double(tf.ones([2]))
    assert shown(double).startswith("tf.function double 1 trace traced for calls 1 (x: TensorSpec(")
    assert shown(double).endswith(" 2")
    assert "float32[2]" in shown(double.get_concrete_function(tf.ones([2])))


CELLS = [
    "%load_ext graphwright\nimport graphwright as tf",
    "%%trace\n@tf.function\ndef double(x):\n    return x * 2.0\n\ny = double(tf.ones([2]))\ny",
    "%%trace\nfor n in (3, 4):\n    double(tf.ones([n]))",
    "%%trace\nx = double(tf.ones([4]))",
    "double",
]


EXECUTE = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=100, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[1])
"""


def outputs_of(file: Path) -> list[list[dict[str, Any]]]:
    """What each cell of code of a notebook gives when it is executed."""
    subprocess.run([sys.executable, "-c", EXECUTE, str(file)], check=True, timeout=110)
    cells = json.loads(file.read_text())["cells"]
    return [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]


#: What a cell of each tutorial prints.
TUTORIALS = {
    "first_function": "3 traces",
    "keras_model": "more than 9 of 10 are right: True",
    "pipelines": "[20 21 22]",
    "saving": "serving_default(x: float32[?])",
    "traced_again": "1 trace in 5 calls",
    "training": "the loss fell to less than a tenth: True",
}


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_is_a_notebook_that_runs(name: str, tmp_path: Path) -> None:
    pytest.importorskip("nbclient", reason="the extra `notebook` is not installed")
    if name == "keras_model" and find_spec("keras") is None:
        pytest.skip("the extra `keras` is not installed")
    write_notebooks.main([str(tmp_path)])
    assert {file.stem for file in tmp_path.iterdir()} == {*TUTORIALS}
    cells = outputs_of(tmp_path / f"{name}.ipynb")
    # What a line prints may come in pieces.
    printed = "".join([piece for cell in cells for o in cell for piece in o.get("text", ())])
    outputs = json.dumps(cells) + printed
    assert TUTORIALS[name] in outputs
    assert ("was traced 5 times" in outputs) == (name == "traced_again")


def test_a_notebook_explains_its_cells(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="the extra `notebook` is not installed")
    pytest.importorskip("nbclient")
    file = tmp_path / "cells.ipynb"
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), file)
    outputs = outputs_of(file)
    htmls = [[out.get("data", {}).get("text/html", []) for out in each] for each in outputs]
    pages = ["".join(["".join(html) for html in each]) for each in htmls]
    assert "<b>tf.Tensor</b>" in pages[1]
    assert "double: 1 trace in 1 call" in pages[1]
    assert "`x` comes in 3 shapes" in pages[2]
    assert "The cell traced no function" in pages[3]
    assert "<b>tf.function double</b>" in pages[4]
