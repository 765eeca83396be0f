"""Tensor lists are values: a version stays what it was, whatever others became."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.state.list_ops import added
from graphwright.ops.state.tensor_list import TensorList
from graphwright.types import dtypes as dt

CHANGES = st.lists(
    st.tuples(
        st.integers(0, 1000),  # which of the versions so far
        st.sampled_from(["set", "push", "resize"]),
        st.integers(0, 1000),
    ),
    max_size=200,
)


def changed(version: TensorList, plain: list, change: str, number: int) -> tuple:
    """A version and a plain list after the same change."""
    if change == "push":
        return version.push(number), [*plain, number]
    if change == "resize":
        size = number % (len(plain) + 3)
        return version.resize(size), (plain + [None] * size)[:size]
    if not plain:
        return version, plain
    place = number % len(plain)
    return version.set(place, number), [*plain[:place], number, *plain[place + 1 :]]


@given(CHANGES)
def test_every_version_stays_what_it_was(changes):
    versions = [(TensorList([], dt.int32, ()), [])]
    for which, change, number in changes:
        version, plain = versions[which % len(versions)]
        versions.append(changed(version, plain, change, number))
    for version, plain in versions:
        assert len(version) == len(plain)
        assert [version.get(i) for i in range(len(plain))] == plain
        assert list(version.items) == plain


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(1, 9)), max_size=20))
def test_a_sum_counts_what_was_not_written_as_zero(writes):
    blank = TensorList([None] * 8, dt.int32, (), None, True)
    total = TensorList([None] * 8, dt.int32, (), None, True)
    expected = np.zeros(8, int)
    for place, number in writes:
        total = added(total, blank.set(place, np.int32(number)))
        expected[place] += number
    assert [0 if item is None else int(item) for item in total.items] == expected.tolist()
    assert blank.items == [None] * 8


def test_what_was_read_stays_when_another_goes_on():
    start = TensorList([1, 2], dt.int32, ())
    read = start.items
    assert start.set(0, 9).push(3).items == [9, 2, 3]
    assert read == start.items == [1, 2]


def test_threads_may_go_on_from_one_version():
    start = TensorList(list(range(100)), dt.int32, ())

    def work(number: int) -> bool:
        version = start
        for i in range(100):
            version = version.set(i, number)
        return version.items == [number] * 100 and start.items == list(range(100))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


@pytest.mark.parametrize("size", [500, 4000])
def test_writing_costs_the_same_however_long_the_array(size):
    version = TensorList([None] * size, dt.int32, ())
    for i in range(size):
        version = version.set(i, i)
        # What is remembered of older versions stays within the length of the list.
        assert len(version._place[0].log) <= size + 66


def test_an_array_made_by_a_function_can_be_read_and_written_afterwards():
    @tf.function
    def squares(n):
        array = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, i * i)
        return array

    array = squares(tf.constant(4))
    longer = array.write(4, 100)
    assert array.stack().numpy().tolist() == [0, 1, 4, 9]
    assert longer.stack().numpy().tolist() == [0, 1, 4, 9, 100]
    assert tf.function(lambda a: a.read(2))(array).numpy() == 4


@pytest.mark.parametrize("tier", ["eager", "traced", "native"])
def test_zeros_like_and_sums_of_lists_are_lists(tier: str) -> None:
    """Values from TensorFlow 2.21."""

    def zeros() -> Any:
        items = tf.raw_ops.TensorListReserve(
            element_shape=[2], num_elements=3, element_dtype=tf.float32
        )
        items = tf.raw_ops.TensorListSetItem(input_handle=items, index=0, item=[1.0, 2.0])
        return [
            tf.raw_ops.TensorListStack(
                input_handle=each, element_shape=[2], element_dtype=tf.float32
            )
            for each in (
                tf.zeros_like(items),
                tf.raw_ops.ZerosLike(x=items),
                tf.add_n([items, tf.zeros_like(items), items]),
                tf.raw_ops.AddN(inputs=[items, items]),
            )
        ]

    staged = {"traced": tf.function(zeros), "native": tf.function(zeros, jit_compile=True)}
    nothing, raw, total, twice = staged.get(tier, zeros)()
    assert nothing.numpy().tolist() == raw.numpy().tolist() == [[0.0, 0.0]] * 3
    assert total.numpy().tolist() == twice.numpy().tolist() == [[2.0, 4.0], [0.0, 0.0], [0.0, 0.0]]
