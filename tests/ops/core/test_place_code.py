"""Machine code combines rows with a table to the bits that `ufunc.at` gives, and numbers distinct
integers as a dictionary does."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.machine.array_layout import address
from graphwright.ops.core import gathering, place_code, segment_kernels, unique
from graphwright.ops.core.place_code import TYPES, WORDS, are_combined

SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-40, 3e38]


def random_rows(
    random: np.random.Generator, shape: tuple[int, ...], kind: str
) -> npt.NDArray[Any]:
    """Numbers of a dtype, those that overflow, and special ones."""
    if np.dtype(kind).kind == "i":
        limits = np.iinfo(kind)
        return random.integers(limits.min, limits.max, shape, kind)
    rows = random.normal(size=shape)
    places = random.random(shape) < 0.1
    rows[places] = random.choice(SPECIAL, int(places.sum()))
    return rows.astype(kind)


@settings(max_examples=150, deadline=None)
@given(
    word=st.sampled_from(sorted(WORDS)),
    kind=st.sampled_from(sorted(TYPES)),
    sizes=st.tuples(st.integers(1, 40), st.integers(1, 60), st.integers(1, 37)),
    seed=st.integers(0, 1 << 30),
)
def test_every_bit_is_that_of_ufunc_at(
    word: str, kind: str, sizes: tuple[int, int, int], seed: int
) -> None:
    place_code.PREPARATION.work()
    size, count, width = sizes
    random = np.random.default_rng(seed)
    table = random_rows(random, (size, width), kind)
    rows = random_rows(random, (count, width), kind)
    places = random.integers(0, size, count)
    ufunc = getattr(np, word)
    expected, result = table.copy(), table.copy()
    with np.errstate(all="ignore"):
        ufunc.at(expected, places, rows)
    assert are_combined(ufunc, result, places, rows)
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    assert same.all()
    assert (np.signbit(result) == np.signbit(expected))[~np.isnan(result)].all()


def test_rows_that_do_not_lie_in_one_piece_are_combined_all_the_same() -> None:
    place_code.PREPARATION.work()
    rows = np.arange(2048.0, dtype=np.float32).reshape(64, 32).T
    table = np.ones((40, 64), np.float32)
    places = np.arange(80)[::2][:32]
    places = places % 40
    expected = table.copy()
    np.add.at(expected, places, rows)
    assert are_combined(np.add, table, places, rows)
    assert (table == expected).all()
    assert not are_combined(np.add, table.T, places, rows)
    assert not are_combined(np.maximum, table, places, rows)


@pytest.mark.parametrize("update", ["scatter_add", "scatter_sub"])
def test_rows_of_variables_are_updated_by_it(
    update: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_code.PREPARATION.work()
    calls: list[int] = []

    def counted(ufunc: np.ufunc, table: Any, places: Any, rows: Any) -> bool:
        calls.append(len(places))
        return are_combined(ufunc, table, places, rows)

    monkeypatch.setattr(segment_kernels, "are_combined", counted)
    values = np.random.default_rng(0).normal(size=(300, 16)).astype(np.float32)
    places = np.arange(300) * 7 % 90
    variable = tf.Variable(tf.ones([90, 16]))
    former = variable.numpy()
    getattr(variable, update)(tf.IndexedSlices(tf.constant(values), tf.constant(places)))
    expected = np.ones((90, 16), np.float32)
    (np.add if update == "scatter_add" else np.subtract).at(expected, places, values)
    assert calls == [300]
    assert (variable.numpy() == expected).all()
    assert (former == 1).all()


#: Numbers whose products with the hash's factor have few bits, and those that differ in upper bits.
NEAR = st.integers(-5, 5) | st.sampled_from([1 << 31, -(1 << 31), 1 << 32, 3 << 40, -(1 << 63)])


@settings(max_examples=200, deadline=None)
@given(
    kind=st.sampled_from(sorted(place_code.NUMBERS)),
    rank=st.sampled_from([np.int32, np.int64]),
    numbers=st.lists(NEAR | st.integers(-(1 << 63), (1 << 63) - 1), min_size=1),
    repeats=st.integers(1, 3),
)
def test_numbers_are_counted_as_by_a_dictionary(
    kind: str, rank: Any, numbers: list[int], repeats: int
) -> None:
    place_code.PREPARATION.work()
    x = (np.array(numbers * repeats, np.int64)).astype(kind)
    places: dict[int, int] = {}
    expected = [places.setdefault(number, len(places)) for number in x.tolist()]
    result = place_code.distinct_numbers(x, np.dtype(rank))
    assert result is not None
    values, which = result
    assert values.dtype == x.dtype
    assert values.tolist() == list(places)
    assert which.dtype == rank
    assert which.tolist() == expected


@given(
    kind=st.sampled_from(sorted(place_code.FLOATS)),
    numbers=st.lists(st.sampled_from(SPECIAL) | st.floats(-2, 2, width=16), min_size=1),
    repeats=st.integers(1, 3),
)
def test_floats_are_counted_as_by_a_dictionary(
    kind: str, numbers: list[float], repeats: int
) -> None:
    place_code.PREPARATION.work()
    x = np.array(numbers * repeats).astype(kind)
    result = place_code.distinct_numbers(x, np.dtype(np.int32))
    if np.isnan(x).any():
        assert result is None
        return
    places: dict[float, int] = {}
    expected = [places.setdefault(number, len(places)) for number in x.tolist()]
    assert result is not None
    values, which = result
    assert values.dtype == x.dtype
    # A dictionary keeps the first of two equal keys, and so the sign of the first zero.
    assert values.tobytes() == np.array([*places], kind).tobytes()
    assert which.tolist() == expected


@settings(max_examples=150)
@given(
    kind=st.sampled_from(["float32", "float64", "int32", "uint32", "int64", "complex64"]),
    index=st.sampled_from(["int32", "int64"]),
    size=st.integers(1, 30),
    places=st.lists(st.integers(0, 29), min_size=1, max_size=40),
    wrong=st.none() | st.sampled_from([-1, 30, -(1 << 31), (1 << 31) - 1]),
)
def test_elements_at_places_are_those_of_a_list(
    kind: str, index: str, size: int, places: list[int], wrong: int | None
) -> None:
    place_code.PREPARATION.work()
    x = np.random.default_rng(size).integers(0, 1 << 31, size).astype(kind)
    inside = [place % size for place in places]
    result = place_code.taken(x, np.array(inside, index))
    assert result is not None
    assert result.dtype == x.dtype
    assert result.tolist() == [x.tolist()[place] for place in inside]
    if wrong is not None:
        inside[size % len(inside)] = wrong
        assert place_code.taken(x, np.array(inside, index)) is None


def test_negative_places_are_outside_of_a_vector_of_any_size() -> None:
    element, places, result = np.zeros(1, np.int32), np.full(8, -1, np.int32), np.empty(8, np.int32)
    size = 1 << 32
    start = address(element) - 4 * (size - 1)  # its last element is there
    take = place_code.functions()["take_i32_i32"]
    assert not take(start, size, address(places), 8, address(result))


def test_many_elements_are_gathered_and_refused_as_few_are() -> None:
    place_code.PREPARATION.work()
    x, places = tf.range(100.0)[::2], np.arange(gathering._MANY_ELEMENTS) % 50
    result = tf.gather(x, places.reshape(64, -1))
    assert result.numpy().tolist() == (places.reshape(64, -1) * 2.0).tolist()
    for wrong in (-1, 50):
        places[777] = wrong
        words = rf"indices\[777\] = {wrong} is not in \[0, 50\)"
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            tf.gather(x, places)


def test_a_vector_whose_numbers_have_one_hash_is_right() -> None:
    place_code.PREPARATION.work()
    inverse = pow(-7046029254386353131, -1, 1 << 64)
    mixed = [(i * inverse) % (1 << 64) for i in range(300)]  # of small products
    keys = [((i ^ i >> 32) * inverse) % (1 << 64) for i in mixed]
    x = np.array(keys * 2, np.uint64)
    values, which = place_code.distinct_numbers(x, np.dtype(np.int32)) or (None, None)
    assert values is not None
    assert values.tolist() == keys
    assert which is not None
    assert which.tolist() == [*range(300)] * 2


def test_numbers_of_no_distance_have_neighbouring_hashes() -> None:
    place_code.PREPARATION.work()
    # Multiples of a Fibonacci number times the factor are small. It took minutes to count these.
    x = np.arange(1_000_000) * 1_134_903_170
    values, which = place_code.distinct_numbers(x, np.dtype(np.int64)) or (None, None)
    assert values is not None
    assert which is not None
    assert (values == x).all()
    assert (which == np.arange(len(x))).all()


def test_the_op_gives_the_same_with_it_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    place_code.PREPARATION.work()
    x = tf.constant(np.random.default_rng(0).integers(-900, 900, 5000))[::3]
    results = []
    for least in (1, 1 << 62):
        monkeypatch.setattr(unique, "_WORTH", least)
        results.append([*tf.unique_with_counts(x, tf.int64), *tf.unique(x)])
    for fast, slow in zip(*results):
        assert fast.dtype == slow.dtype
        assert fast.numpy().tolist() == slow.numpy().tolist()
    assert unique.distinct(np.zeros(0, np.int32))[0].size == 0
