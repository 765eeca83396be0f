"""Runs of neighbouring strings are those that a loop over each row joins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.strings import join_code

RAW: Any = tf.raw_ops
ROWS = st.lists(st.lists(st.binary(max_size=3), max_size=6), min_size=1, max_size=6)


def runs_of(
    row: list[bytes], width: int, separator: bytes, pads: tuple[bytes, bytes], most_pads: int
) -> list[bytes]:
    """The runs of a width in one row."""
    count = width - 1 if most_pads < 0 else min(most_pads, width - 1)
    padded = [pads[0]] * count + row + [pads[1]] * count
    return [separator.join(padded[i : i + width]) for i in range(len(padded) - width + 1)]


@given(
    rows=ROWS,
    widths=st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True),
    separator=st.sampled_from(["", " ", "--"]),
    pads=st.sampled_from([("", ""), ("<", ">>")]),
    most_pads=st.integers(-1, 3),
    keeps_short=st.booleans(),
    by_code=st.booleans(),
)
def test_runs_are_those_of_a_loop(
    rows: list[list[bytes]],
    widths: list[int],
    separator: str,
    pads: tuple[str, str],
    most_pads: int,
    keeps_short: bool,
    by_code: bool,
) -> None:
    join_code.PREPARATION.work()
    words = [word for row in rows for word in row]
    data = np.array([*words, b"none"], object)[:-1]
    ends = np.cumsum([0, *map(len, rows)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(join_code, "MANY", 1 if by_code else 1 << 30)
        runs, places = RAW.StringNGrams(
            data=data, data_splits=ends, separator=separator, ngram_widths=widths,
            left_pad=pads[0], right_pad=pads[1], pad_width=most_pads,
            preserve_short_sequences=keeps_short,
        )  # fmt: skip
    if not words:  # rows without a word have no padding then, as in TensorFlow
        assert runs.shape == (0,)
        return
    left, right = pads[0].encode(), pads[1].encode()
    expected = [
        [
            run
            for width in widths
            for run in runs_of(row, width, separator.encode(), (left, right), most_pads)
        ]
        for row in rows
    ]
    if keeps_short:
        count = max(most_pads, 0)
        for row, result in zip(rows, expected):
            if row and not result:
                result.append(separator.encode().join([left] * count + row + [right] * count))
    assert runs.numpy().tolist() == [run for row in expected for run in row]
    assert places.numpy().tolist() == np.cumsum([0, *map(len, expected)]).tolist()
