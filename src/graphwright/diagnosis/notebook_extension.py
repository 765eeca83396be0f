"""`%load_ext graphwright`: objects as HTML in notebooks, and `%%trace`, which explains a cell.

The HTML has no colours of its own, so it reads well on light and on dark pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from itertools import islice
from typing import Any, Protocol

import numpy as np

from graphwright.base.errors import frame_above
from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import DatasetValue
from graphwright.explain.report import report
from graphwright.explain.trace_record import FAMILIES
from graphwright.explain.wording import cell_of, plural
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.library.objects.module import Module
from graphwright.library.presence.waiting_line import Show, WaitingLine, show_waits
from graphwright.types.arrays import Array
from graphwright.values.tensor import EagerTensor
from graphwright.values.variable import Variable

#: So many rows and columns of numbers are shown; of longer axes the first ones and the last ones.
_SHOWN = 8
_CELL = "text-align:right;font-family:monospace;padding:1px 6px"
_FAINT = "opacity:0.7"


class Shell(Protocol):
    """What is asked of a shell of IPython."""

    execution_count: int

    @property
    def display_formatter(self) -> Any: ...
    def register_magic_function(
        self, func: Callable[..., None], magic_kind: str, magic_name: str
    ) -> None: ...
    def run_cell(self, raw_cell: str) -> object: ...


def load(shell: Shell) -> None:
    """Prepares a notebook, or another shell of IPython."""
    formatter = shell.display_formatter.formatters["text/html"]
    for kind, html in FORMS.items():
        formatter.for_type(kind, html)
    shell.register_magic_function(magic(shell), magic_kind="cell", magic_name="trace")
    if hasattr(shell, "kernel"):  # a notebook
        WaitingLine(in_cell()).look()
    else:
        show_waits()


def in_cell() -> Show:
    """Shows a text in the output of the cell that runs."""
    shown: list[Any] = []  # the display of the wait that goes on, and its text

    def show(text: str) -> None:
        from IPython.display import display

        if text and not shown:
            shown[:] = [display(Note(text), display_id=True), text]
        elif shown and text != shown[1]:
            shown[0].update(Note(text))
            shown[1] = text
        if not text:
            shown.clear()

    return show


def magic(shell: Shell) -> Callable[[str, str], None]:
    """The function of `%%trace` in a shell."""

    def trace(line: str, cell: str) -> None:
        """Runs the cell, and says why it traced functions, and what would have saved traces."""
        from IPython.display import display

        before = traces_made()
        count = shell.execution_count
        shell.execution_count = number_of_cell(count)
        try:
            shell.run_cell(cell)
        finally:
            shell.execution_count = count
        made = traces_made()
        for family in list(FAMILIES.values()):
            histories = [h for h in family.histories() if made[id(h)] != before.get(id(h))]
            if histories:
                display(report(histories, family))
        if not any(before.get(key) != count for key, count in made.items()):
            display(Note("The cell traced no function: every call had its trace already."))

    return trace


def number_of_cell(default: int) -> int:
    """The number of the cell that runs: a shell may have counted on already."""
    frame = frame_above(1)
    while frame is not None:
        number = cell_of(frame.f_code.co_filename).removeprefix("In[").removesuffix("]")
        if number.isdecimal():
            return int(number)
        frame = frame.f_back
    return default


def traces_made() -> dict[int, tuple[int, int]]:
    """How many traces and failed calls each function has, by the identity of its history."""
    return {
        id(history): (len(history.records), len(history.failures))
        for family in list(FAMILIES.values())
        for history in family.histories()
    }


class Note:
    """A sentence, which a notebook shows."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.text)}</p>" if self.text else ""


def titled(title: str, facts: str, body: str) -> str:
    """A block: its title, what is known in a line, and the rest."""
    return f'<div><b>{escape(title)}</b> <span style="{_FAINT}">{escape(facts)}</span>{body}</div>'


def table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of texts."""
    head = "".join([f"<th>{escape(title)}</th>" for title in titles])
    body = "".join([f"<tr>{''.join([f'<td>{escape(c)}</td>' for c in row])}</tr>" for row in rows])
    return f"<table><tr>{head}</tr>{body}</table>"


def places(length: int) -> list[int | None]:
    """The places of an axis that are shown, with None for a gap."""
    if length <= _SHOWN:
        return [*range(length)]
    return [*range(_SHOWN - 2), None, length - 1]


def grid(array: Array) -> str:
    """The numbers of a vector or matrix as a table."""
    matrix = array[None] if array.ndim == 1 else array
    rows = []
    for i in places(matrix.shape[0]):
        cells = [
            "⋮" if i is None else "…" if j is None else element(matrix[i, j])
            for j in places(matrix.shape[1])
        ]
        rows.append("".join([f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells]))
    return f"<table>{''.join([f'<tr>{row}</tr>' for row in rows])}</table>"


def element(value: object) -> str:
    """One element: a number with six digits, a text without its quotes."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")[:40]
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def shape_of(value: EagerTensor | Variable) -> str:
    """`float32 2 × 3`, as people write dtypes and shapes."""
    dims = value.type.dims
    if dims is None:
        return f"{value.dtype.name} of any shape"
    sizes = " × ".join(["?" if n is None else str(n) for n in dims])
    return f"{value.dtype.name} {sizes or 'scalar'}"


def contents(array: object) -> str:
    """The elements of an array, as far as a table of two axes shows them."""
    if not isinstance(array, np.ndarray):
        return ""
    elements: Array = array if array.dtype.names is None else array.view(array.dtype[0])
    if elements.ndim == 0:
        return f" <code>{escape(element(elements[()]))}</code>"
    if elements.size == 0:
        return f' <span style="{_FAINT}">no elements</span>'
    if elements.ndim <= 2:
        return grid(elements)
    first = elements.reshape(-1, *elements.shape[-2:])[0]
    return f'{grid(first)}<span style="{_FAINT}">the first of {elements[..., 0, 0].size}</span>'


def tensor_html(tensor: EagerTensor) -> str:
    """A tensor: dtype, shape and elements."""
    return titled("tf.Tensor", shape_of(tensor), contents(tensor._array))


def variable_html(variable: Variable) -> str:
    """A variable: its name, dtype, shape and elements."""
    trained = "" if variable.trainable else ", not trainable"
    body = contents(variable._storage.read()) if variable._storage.is_set else ""
    return titled(f"tf.Variable {variable.name}", shape_of(variable) + trained, body)


def function_html(function: PolymorphicFunction) -> str:
    """A function: how often it was traced, and for which types."""
    records = function._history.records
    rows = [
        (str(number), str(record.call_type), str(record.concrete.tally.calls))
        for number, record in enumerate(records, 1)
    ]
    body = table(("", "traced for", "calls"), rows) if rows else ""
    return titled(f"tf.function {function._name}", plural(len(records), "trace"), body)


def concrete_html(concrete: ConcreteFunction) -> str:
    """A trace: its type, and its graph as a drawing."""
    drawing = f"<details><summary>graph</summary>{concrete.graph.view()._repr_html_()}</details>"
    return titled("concrete function", str(concrete.function_type), drawing)


def dataset_html(dataset: Dataset) -> str:
    """A dataset: the type of its elements, how many they are, and the stages that give them."""
    length = int(dataset.cardinality())
    count = {-1: "without an end", -2: "of unknown length"}.get(length, plural(length, "element"))
    stages, stage = [], dataset._stage
    while True:
        stages.append(type(stage).__name__.removesuffix("Stage"))
        if len(stage.inputs) != 1:
            break
        stage = stage.inputs[0]
    steps = escape(" → ".join(reversed(stages)))
    spec = escape(str(dataset.element_spec))
    body = f'<p>{steps}</p><pre style="font-family:monospace;white-space:pre-wrap">{spec}</pre>'
    return titled("tf.data.Dataset", count, body)


def module_html(module: Module) -> str:
    """A model: its variables, with their shapes and sizes."""
    variables = list(module.variables)
    rows = [
        (v.name, shape_of(v), f"{v.shape.num_elements():,}", "yes" if v.trainable else "no")
        for v in islice(variables, 40)
    ]
    total = sum(v.shape.num_elements() or 0 for v in variables)
    facts = f"{plural(len(variables), 'variable')}, {total:,} numbers"
    return titled(
        type(module).__name__, facts, table(("variable", "type", "size", "trained"), rows)
    )


#: How objects are shown, by class.
FORMS: dict[type, Callable[..., str]] = {
    EagerTensor: tensor_html,
    Variable: variable_html,
    PolymorphicFunction: function_html,
    ConcreteFunction: concrete_html,
    DatasetValue: dataset_html,
    Module: module_html,
}
