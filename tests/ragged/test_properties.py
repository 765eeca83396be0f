"""Ragged tensors are lists of lists: laws that hold of any rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf

FEW = settings(max_examples=30, deadline=None)
NUMBERS = st.integers(-9, 9)
ROWS = st.lists(st.lists(NUMBERS, max_size=5), max_size=5)
NESTED = st.lists(ROWS, max_size=4)
ENDS = st.none() | st.integers(-6, 6)
STEPS = st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3])
SLICES = st.builds(slice, ENDS, ENDS, STEPS)


def ragged(rows: Any, rank: int = 1) -> Any:
    return tf.ragged.constant(rows, tf.int32, ragged_rank=rank)


@FEW
@given(NESTED)
def test_rows_come_back_as_they_were_made(rows: Any) -> None:
    x = ragged(rows, 2)
    assert x.to_list() == rows
    flat = [n for outer in rows for row in outer for n in row]
    assert x.flat_values.numpy().tolist() == flat
    splits, lengths, rowids = x.nested_row_splits, x.nested_row_lengths(), x.nested_value_rowids()
    counts = [len(rows), sum(map(len, rows))]
    for again in (
        tf.RaggedTensor.from_nested_row_splits(x.flat_values, splits),
        tf.RaggedTensor.from_nested_row_lengths(x.flat_values, lengths),
        tf.RaggedTensor.from_nested_value_rowids(x.flat_values, rowids, counts),
        tf.nest.pack_sequence_as(x, tf.nest.flatten(x, True), True),
    ):
        assert again.to_list() == rows


@FEW
@given(ROWS)
def test_a_dense_form_cut_to_its_lengths_is_the_same(rows: Any) -> None:
    x = ragged(rows)
    dense = x.to_tensor(-10)
    width = max(map(len, rows), default=0)
    assert dense.numpy().tolist() == [row + [-10] * (width - len(row)) for row in rows]
    assert tf.RaggedTensor.from_tensor(dense, lengths=x.row_lengths()).to_list() == rows
    assert tf.RaggedTensor.from_tensor(dense, padding=-10).to_list() == rows
    assert tf.RaggedTensor.from_sparse(x.to_sparse()).to_list() == rows


@FEW
@given(ROWS, SLICES, SLICES)
def test_slices_are_python_s(rows: Any, outer: slice, inner: slice) -> None:
    expected = [row[inner] for row in rows[outer]]
    x = ragged(rows)
    assert x[outer, inner].to_list() == expected
    assert x[..., inner].to_list() == [row[inner] for row in rows]


@FEW
@given(NESTED, SLICES, SLICES, SLICES)
def test_slices_of_nested_rows_are_python_s(rows: Any, a: slice, b: slice, c: slice) -> None:
    assert ragged(rows, 2)[a, b, c].to_list() == [[r[c] for r in o[b]] for o in rows[a]]


@FEW
@given(ROWS.filter(bool))
def test_reductions_are_python_s(rows: Any) -> None:
    x = ragged(rows)
    assert tf.reduce_sum(x, axis=1).numpy().tolist() == list(map(sum, rows))
    assert tf.reduce_sum(x).numpy() == sum(map(sum, rows))
    lowest = np.iinfo(np.int32).min
    tops = [max(row, default=lowest) for row in rows]
    assert tf.reduce_max(x, axis=-1).numpy().tolist() == tops
    width = max(map(len, rows))
    columns = [sum(row[i] for row in rows if i < len(row)) for i in range(width)]
    assert tf.reduce_sum(x, axis=0).numpy().tolist() == columns
    kept = tf.reduce_sum(x, axis=1, keepdims=True)
    assert kept.numpy().tolist() == [[sum(row)] for row in rows]


@FEW
@given(NESTED)
def test_reductions_of_nested_rows_are_python_s(rows: Any) -> None:
    x = ragged(rows, 2)
    assert tf.reduce_sum(x, axis=2).to_list() == [list(map(sum, outer)) for outer in rows]
    both = tf.reduce_sum(x, axis=[1, 2]).numpy().tolist()
    assert both == [sum(map(sum, outer)) for outer in rows]


@FEW
@given(ROWS, NUMBERS, st.data())
def test_elements_meet_elements_rows_and_numbers(rows: Any, number: int, data: Any) -> None:
    x = ragged(rows)
    assert (x + number).to_list() == [[n + number for n in row] for row in rows]
    assert (number - x).to_list() == [[number - n for n in row] for row in rows]
    assert (x * x).to_list() == [[n * n for n in row] for row in rows]
    size = len(rows)
    column = data.draw(st.lists(NUMBERS, min_size=size, max_size=size))
    expected = [[n + m for n in row] for row, m in zip(rows, column)]
    assert (x + tf.reshape(tf.constant(column, tf.int32), [size, 1])).to_list() == expected
    other = [data.draw(st.lists(NUMBERS, min_size=len(row), max_size=len(row))) for row in rows]
    expected = [[max(n, m) for n, m in zip(a, b)] for a, b in zip(rows, other)]
    assert tf.maximum(x, ragged(other)).to_list() == expected


@FEW
@given(ROWS, ROWS)
def test_what_differs_in_length_does_not_meet(rows: Any, other: Any) -> None:
    lengths = [list(map(len, each)) for each in (rows, other)]
    if lengths[0] == lengths[1] or 1 in (len(rows), len(other)):
        return
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        ragged(rows) + ragged(other)


@FEW
@given(ROWS, ROWS)
def test_joining_is_python_s(rows: Any, other: Any) -> None:
    x, y = ragged(rows), ragged(other)
    assert tf.concat([x, y], 0).to_list() == rows + other
    assert tf.stack([x, y]).to_list() == [rows, other]
    backwards = rows[::-1]
    z = ragged(backwards)
    pairs = list(zip(rows, backwards))
    assert tf.concat([x, z], 1).to_list() == [a + b for a, b in pairs]
    assert tf.stack([x, z], 1).to_list() == [[a, b] for a, b in pairs]


@FEW
@given(ROWS, st.integers(0, 3), st.integers(0, 3))
def test_tiling_is_python_s(rows: Any, times: int, columns: int) -> None:
    expected = [row * columns for row in rows] * times
    assert tf.tile(ragged(rows), [times, columns]).to_list() == expected


@FEW
@given(ROWS.filter(bool), st.data())
def test_taking_is_python_s(rows: Any, data: Any) -> None:
    x = ragged(rows)
    numbers = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6))
    taken = tf.gather(x, tf.constant(numbers, tf.int32))
    assert taken.to_list() == [rows[i] for i in numbers]
    mask = [[data.draw(st.booleans()) for _ in row] for row in rows]
    kept = tf.ragged.boolean_mask(x, tf.ragged.constant(mask, tf.bool, ragged_rank=1))
    assert kept.to_list() == [[n for n, m in zip(*each) if m] for each in zip(rows, mask)]
    found = tf.where(x > 0).numpy().tolist()
    assert found == [[i, j] for i, row in enumerate(rows) for j, n in enumerate(row) if n > 0]
    assert tf.reverse(x, [0, 1]).to_list() == [row[::-1] for row in rows[::-1]]


TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=5), max_size=4)


@FEW
@given(TEXTS)
def test_characters_are_python_s(texts: list[str]) -> None:
    strings = tf.constant([text.encode() for text in texts], tf.string)
    points = tf.strings.unicode_decode(strings, "UTF-8")
    assert points.to_list() == [list(map(ord, text)) for text in texts]
    assert tf.strings.unicode_encode(points, "UTF-8").numpy().tolist() == strings.numpy().tolist()
    found, starts = tf.strings.unicode_split_with_offsets(strings, "UTF-8")
    assert found.to_list() == [[char.encode() for char in text] for text in texts]
    expected = [[len(text[:i].encode()) for i in range(len(text))] for text in texts]
    assert starts.to_list() == expected
    joined = tf.strings.reduce_join(tf.strings.bytes_split(strings), axis=-1)
    assert joined.numpy().tolist() == strings.numpy().tolist()


@tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
def program(x: Any) -> Any:
    """One trace for rows of all lengths."""
    pair = tf.concat([x, x[:, ::-1] * 2.0], axis=1)
    mean = tf.reduce_sum(pair, axis=1, keepdims=True) / 3.0
    return tf.reduce_sum(tf.nn.softmax(pair), axis=1), pair - mean, tf.reduce_max(pair, axis=0)


@FEW
@given(ROWS.filter(bool))
def test_one_trace_serves_rows_of_all_lengths(rows: Any) -> None:
    x = tf.ragged.constant(rows, tf.float32, ragged_rank=1)
    eager = program.python_function(x)
    for mine, traced in zip(eager, program(x)):
        flat = [t.flat_values if isinstance(t, tf.RaggedTensor) else t for t in (mine, traced)]
        np.testing.assert_allclose(flat[1], flat[0], rtol=1e-5)
    assert program.experimental_get_tracing_count() == 1


@FEW
@given(st.lists(st.lists(st.floats(-2, 2, width=32), max_size=4), min_size=1, max_size=4))
def test_gradients_are_those_of_the_dense_form(rows: Any) -> None:
    x = tf.ragged.constant(rows, tf.float32, ragged_rank=1)
    lengths = x.row_lengths()

    def loss(y: Any) -> Any:
        return tf.reduce_sum(tf.reduce_sum(tf.sin(y) * y, axis=1) ** 2)

    dense = x.to_tensor()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(dense)
        tape.watch(x)
        first = loss(tf.RaggedTensor.from_tensor(dense, lengths=lengths))
        second = loss(x)
        third = loss(tf.concat([x[:, :2], x[:, 2:]], axis=1))
    expected = tf.RaggedTensor.from_tensor(tape.gradient(first, dense), lengths=lengths)
    for target in (second, third):
        found = tape.gradient(target, x)
        assert found.row_lengths().numpy().tolist() == lengths.numpy().tolist()
        np.testing.assert_allclose(found.flat_values, expected.flat_values, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    ("rows", "indices", "axis", "gathered"),  # as TensorFlow 2.21 gathers them
    [
        ([[1, 2, 3], [4, 5, 6, 7]], 1, 1, [2, 5]),
        ([[1, 2, 3], [4, 5, 6, 7]], [2, 0], -1, [[3, 1], [6, 4]]),
        ([[1, 2, 3], [4, 5, 6, 7]], [[0], [2]], 1, [[[1], [3]], [[4], [6]]]),
        ([[[1, 2], [3]], [[4, 5, 6], [7], []]], 1, 1, [[3], [7]]),
        ([[[1, 2], [3]], [[4, 5, 6], [7]]], [0, 1], 1, [[[1, 2], [3]], [[4, 5, 6], [7]]]),
        ([[[1, 2], [3]], [[4, 5, 6], [7]]], 0, 2, [[1, 3], [4, 7]]),
    ],
)
def test_the_same_places_of_all_rows_are_gathered(rows, indices, axis, gathered, staged):
    def gather(params):
        return tf.gather(params, indices, axis=axis)

    spec = [tf.RaggedTensorSpec([None] * tf.ragged.constant(rows).shape.rank, tf.int32)]
    run = tf.function(gather, input_signature=spec) if staged else gather
    result = run(tf.ragged.constant(rows))
    assert (result.to_list() if hasattr(result, "to_list") else result.numpy().tolist()) == gathered


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    ("params", "indices", "axis", "gathered"),  # as TensorFlow 2.21 gathers them
    [
        ([[0, 1, 2], [3, 4, 5]], [[2], [0, 1], []], -1, [[[2], [0, 1], []], [[5], [3, 4], []]]),
        ([[[0], [1]], [[2], [3]]], [[1, 0], []], 1, [[[[1], [0]], []], [[[3], [2]], []]]),
        ([[[0, 1]], [[2, 3]]], [[1], [], [0]], 2, [[[[1], [], [0]]], [[[3], [], [2]]]]),
        ([[0, 1], [2, 3]], [[[1, 0]], [[0, 0]]], 1,
         [[[[1, 0]], [[0, 0]]], [[[3, 2]], [[2, 2]]]]),
    ],
)  # fmt: skip
def test_ragged_places_of_all_rows_of_a_tensor(params, indices, axis, gathered, staged):
    places = tf.ragged.constant(indices, ragged_rank=1)
    x = tf.constant(params)

    def gather(x, places):
        return tf.gather(x, places, axis=axis)

    spec = [tf.TensorSpec([None] * x.shape.rank, x.dtype), tf.type_spec_from_value(places)]
    run = tf.function(gather, input_signature=spec) if staged else gather
    assert run(x, places).to_list() == gathered


def test_places_outside_a_row_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds of their rows"):
        tf.gather(tf.ragged.constant([[1, 2], [3]]), 1, axis=1)
