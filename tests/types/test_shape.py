"""The lattice of shapes, and its dims tuples against its public face."""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.types.shape import TensorShape, as_shape

DIMS = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=3).map(tuple)
SHAPES = DIMS.map(TensorShape)
UNIVERSE = [TensorShape(d) for rank in range(4) for d in product(range(3), repeat=rank)]


def _admits(shape: TensorShape, static: TensorShape) -> bool:
    """Whether a fully defined shape is one that `shape` describes, from first principles."""
    if shape.rank is None:
        return True
    return shape.rank == static.rank and all(a in (None, b) for a, b in zip(shape, static))


UNKNOWN = TensorShape(None)


def test_entries_and_slices_of_an_unknown_shape_are_unknown() -> None:
    assert UNKNOWN[0] is UNKNOWN[-7] is None
    assert UNKNOWN[1:3].as_list() == [None, None]
    assert UNKNOWN[:2].as_list() == [None, None]
    assert UNKNOWN[3:1].as_list() == []
    for part in (UNKNOWN[1:], UNKNOWN[-2:1], UNKNOWN[0:-1], UNKNOWN[:]):
        assert part.rank is None
    with pytest.raises(ValueError, match="cannot be sliced with a step"):
        UNKNOWN[::2]
    with pytest.raises(TypeError):
        UNKNOWN["a"]


def test_entries_and_slices_of_a_shape() -> None:
    shape = TensorShape([2, None, 4])
    assert (shape[0], shape[1], shape[-1]) == (2, None, 4)
    assert isinstance(shape[1:], TensorShape)
    assert shape[1:].as_list() == [None, 4]
    assert shape[::2].as_list() == [2, 4]
    assert list(shape) == [2, None, 4]
    assert len(shape) == 3
    for use in (len, iter):
        with pytest.raises(ValueError, match="a shape of unknown rank"):
            use(UNKNOWN)
    assert bool(shape)
    assert not UNKNOWN


def test_ranks_are_asserted() -> None:
    shape = TensorShape([2, None])
    assert shape.with_rank(2) is shape.with_rank(None) is shape
    assert UNKNOWN.with_rank(None) is UNKNOWN
    assert UNKNOWN.with_rank(2).as_list() == [None, None]
    with pytest.raises(ValueError, match="must have rank 3"):
        shape.with_rank(3)
    assert shape.with_rank_at_least(2) is shape.with_rank_at_most(2) is shape
    assert UNKNOWN.with_rank_at_least(9) is UNKNOWN.with_rank_at_most(0) is UNKNOWN
    with pytest.raises(ValueError, match="must have at least rank 3"):
        shape.with_rank_at_least(3)
    with pytest.raises(ValueError, match="must have at most rank 1"):
        shape.with_rank_at_most(1)
    shape.assert_same_rank([7, 8])
    shape.assert_same_rank(None)
    with pytest.raises(ValueError, match="must have the same rank"):
        shape.assert_same_rank([7])


def test_definitions_are_asserted() -> None:
    TensorShape([2, 3]).assert_is_fully_defined()
    for shape in (TensorShape([2, None]), UNKNOWN):
        assert not shape.is_fully_defined()
        with pytest.raises(ValueError, match="is not fully defined"):
            shape.assert_is_fully_defined()
    TensorShape([2, None]).assert_is_compatible_with([None, 3])
    with pytest.raises(ValueError, match="are incompatible"):
        TensorShape([2, None]).assert_is_compatible_with([3, 3])


@given(SHAPES, SHAPES, SHAPES)
def test_subtyping_is_a_partial_order(a: TensorShape, b: TensorShape, c: TensorShape) -> None:
    assert a.is_subtype_of(a)
    if a.is_subtype_of(b) and b.is_subtype_of(a):
        assert a == b
    if a.is_subtype_of(b) and b.is_subtype_of(c):
        assert a.is_subtype_of(c)


@given(SHAPES, SHAPES)
def test_a_subtype_describes_fewer_shapes(a: TensorShape, b: TensorShape) -> None:
    if a.is_subtype_of(b):
        assert all(_admits(b, static) for static in UNIVERSE if _admits(a, static))


@given(SHAPES, st.lists(SHAPES, max_size=3), SHAPES)
def test_the_common_supertype_is_the_least_upper_bound(
    a: TensorShape, others: list[TensorShape], bound: TensorShape
) -> None:
    joined = a.most_specific_common_supertype(others)
    assert joined is not None
    assert all(shape.is_subtype_of(joined) for shape in [a, *others])
    if all(shape.is_subtype_of(bound) for shape in [a, *others]):
        assert joined.is_subtype_of(bound)


@given(SHAPES, SHAPES)
def test_joining_is_commutative(a: TensorShape, b: TensorShape) -> None:
    assert a.most_specific_common_supertype([b]) == b.most_specific_common_supertype([a])
    assert a.most_specific_compatible_shape(b) == a.most_specific_common_supertype([b])


@given(SHAPES, SHAPES)
def test_merging_is_the_greatest_lower_bound(a: TensorShape, b: TensorShape) -> None:
    if not a.is_compatible_with(b):
        with pytest.raises(ValueError, match="compatible"):
            a.merge_with(b)
        return
    merged = a.merge_with(b)
    for static in UNIVERSE:
        assert _admits(merged, static) == (_admits(a, static) and _admits(b, static))


@given(SHAPES, SHAPES)
def test_concatenation_adds_ranks_and_multiplies_sizes(a: TensorShape, b: TensorShape) -> None:
    both = a + b
    if a.rank is None or b.rank is None:
        assert both.rank is None
        return
    assert both.rank == a.rank + b.rank
    assert both[: a.rank] == a
    assert both[a.rank :] == b
    sizes = (a.num_elements(), b.num_elements())
    assert both.num_elements() == (None if None in sizes else sizes[0] * sizes[1])


@given(DIMS)
def test_a_shape_is_its_dims(dims: Any) -> None:
    shape = TensorShape.from_dims(dims)
    assert shape == TensorShape(dims) == as_shape(shape) == dims
    assert hash(shape) == hash(TensorShape(dims))
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert eval(repr(shape), {"TensorShape": TensorShape}) == shape


@pytest.mark.parametrize("dims", [{"a": 1}, "ab", [1, "x"], object(), [[2]], 1.5])
def test_what_is_no_shape_is_named(dims: Any) -> None:
    with pytest.raises(TypeError, match="integer or a sequence of integers and None") as info:
        TensorShape(dims)
    assert repr(dims) in str(info.value)
