"""Every op on many rows at once gives what it gives row by row: the calls are the golden cases.

Of each case's tensors all, or one alone, differ from row to row. The rows are the case's own
values and the same values in other places, so that what is right for a case's indices and sizes
is so in every row; rows that the function refuses are left out.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.goldens import REFUSALS, Tolerance, area_of, functions, unequal

import graphwright as tf
from tools import golden_format as gf

#: Random by design: rows differ.
RANDOM = (
    "random.",
    "nn.dropout",
    "nn.experimental",
    "nn.fractional",
    "image.stateless",
    "image.random",
)
#: A variable or a list that they change is one for all rows.
STATEFUL = ("tools.golden.state.",)
#: What they find on the way is of another length in each row, which no stack of rows can hold.
UNEVEN = ("nn.collapse_repeated",)
#: Their axis is no operand of a graph, as in TensorFlow.
WITH_KNOWN_AXIS = ("sort", "argsort")
CASES = 6  # of each function


def rows_of(array: Any) -> list[Any]:
    """An array and two more with the same values in other places along the last axis."""
    if array.ndim == 0 or array.size < 2:
        return [array] * 3
    return [array, array[..., ::-1].copy(), np.roll(array, 1, axis=-1)]


def choices(count: int) -> Iterator[tuple[bool, ...]]:
    """Which tensors differ: all, and each alone where there are several."""
    yield (True,) * count
    if count > 1:
        for i in range(count):
            yield tuple(i == j for j in range(count))


def by_rows(case: gf.Case, rows: list[list[Any]]) -> list[list[Any]] | None:
    """The results of each row; None where one is refused, or results cannot be stacked."""
    found = []
    for row in rows:
        try:
            results = gf.call(tf, case, row)
        except REFUSALS:
            return None
        if not all(tf.is_tensor(r) for r in results):
            return None
        found.append([gf.as_array(r) for r in results])
    shapes = {tuple(r.shape for r in results) for results in found}
    return found if found[0] and len(shapes) == 1 else None


@pytest.mark.parametrize(("area", "function"), list(functions()))
@pytest.mark.filterwarnings("ignore")
def test_all_rows_at_once_are_the_rows_one_by_one(
    area: str, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("tensorflow"), "disabled", True)
    if function.startswith(RANDOM):
        pytest.skip("random")
    if function.startswith(STATEFUL):
        pytest.skip("stateful")
    if function in UNEVEN:
        pytest.skip("uneven")
    wrong: list[str] = []
    tried = 0
    for case in area_of(area)[2][function]:
        arrays, _ = gf.split(case)
        if not arrays or "error" in area_of(area)[1].index.get(gf.digest(case), {"error": ""}):
            continue
        if function in WITH_KNOWN_AXIS and len(arrays) > 1:
            continue
        for flags in choices(len(arrays)):
            lines = differences(case, arrays, flags)
            if lines is not None:
                tried += 1
                wrong += [f"{gf.describe(case)} {flags}:\n    {line}" for line in lines]
        if tried > CASES:
            break
    assert not wrong, "\n".join(line[:700] for line in wrong[:6])


def differences(case: gf.Case, arrays: list[Any], flags: tuple[bool, ...]) -> list[str] | None:
    """How the rows together differ from the rows alone; None where nothing can be compared."""
    stacks = [np.stack(rows_of(a)) for a, flag in zip(arrays, flags) if flag]
    fixed = [None if flag else tf.constant(a) for a, flag in zip(arrays, flags)]

    def operands(row: Any) -> list[Any]:
        mine = iter(row)
        return [next(mine) if f is None else f for f in fixed]

    rows = [operands([tf.constant(s[i]) for s in stacks]) for i in range(3)]
    alone = by_rows(case, rows)
    if alone is None:
        return None
    try:
        together = tf.vectorized_map(
            lambda row: gf.call(tf, case, operands(row)), [tf.constant(s) for s in stacks]
        )
    except Exception as error:  # noqa: BLE001 - an error is a difference like any other
        return [f"raises {type(error).__name__}: {error}"]
    expected = [np.stack(column) for column in zip(*alone)]
    return list(
        unequal("rows", [gf.as_array(t) for t in together], expected, Tolerance(16, 1e-6, 32))
    )
