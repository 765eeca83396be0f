"""Interned types of tensors, and the arithmetic of dims: properties against all static shapes."""

from __future__ import annotations

import gc
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import (
    TensorType,
    broadcast_all,
    broadcast_dims,
    entries,
    is_compatible,
    is_subshape,
    join_dims,
    merge_dims,
    normalize_axes,
    normalize_axis,
    num_elements,
    show_dims,
    single,
)

DIMS = st.none() | st.lists(st.none() | st.integers(0, 2), max_size=2).map(tuple)
UNIVERSE = [dims for rank in range(3) for dims in itertools.product(range(3), repeat=rank)]
DTYPES = st.sampled_from([dt.float32, dt.int32])


def described(dims: Any) -> set[Any]:
    """The static shapes that dims describe."""
    return {
        shape
        for shape in UNIVERSE
        if dims is None
        or (len(dims) == len(shape) and all(d is None or d == s for d, s in zip(dims, shape)))
    }


# -- interning --------------------------------------------------------------------------------


@given(DTYPES, DIMS)
def test_equal_types_are_one_object(dtype, dims):
    made = TensorType(dtype, dims)
    assert (made.dtype, made.dims) == (dtype, dims)
    assert made is TensorType(dtype, dims)
    assert made is pickle.loads(pickle.dumps(made))
    assert made is made.with_dims(dims) is made.with_dtype(dtype)
    assert made is not made.with_dims((7,))
    assert (made.with_dtype(dt.bool_).dtype, made.with_dtype(dt.bool_).dims) == (dt.bool_, dims)
    assert (made.with_dims((7,)).dtype, made.with_dims((7,)).dims) == (dtype, (7,))


def test_a_type_that_is_gone_is_made_again():
    for _ in range(3000):  # more than are remembered
        TensorType(dt.int8, (_, 1))
    gc.collect()
    kept = [key for key in dt.int8.interned if key is not None and len(key) == 2 and key[1] == 1]
    assert 0 < len(kept) <= 1100
    assert TensorType(dt.int8, (0, 1)) is TensorType(dt.int8, (0, 1))


@given(DIMS)
def test_what_a_type_tells(dims):
    made = TensorType(dt.float32, dims)
    assert made.rank == (None if dims is None else len(dims))
    assert made.is_static == (dims is not None and None not in dims)
    assert made.size == (int(np.prod(dims)) if made.is_static else None)
    assert repr(made) == "float32" + show_dims(dims)


def test_dims_as_text():
    assert show_dims(None) == "<unknown>"
    assert show_dims((2, None)) == "[2,?]"
    assert show_dims(()) == "[]"
    assert num_elements((2, 3)) == 6
    assert num_elements((2, None)) is None


# -- the lattice ------------------------------------------------------------------------------


@given(DIMS, DIMS)
def test_a_subshape_describes_fewer_shapes(a, b):
    assert is_subshape(a, a)
    if is_subshape(a, b):
        assert described(a) <= described(b)
    elif a is not None:
        assert not described(a) <= described(b)


@given(DIMS, DIMS)
def test_dims_are_compatible_if_a_shape_is_described_by_both(a, b):
    assert is_compatible(a, b) == bool(described(a) & described(b))


@given(DIMS, DIMS)
def test_merged_dims_describe_what_both_describe(a, b):
    if is_compatible(a, b):
        assert described(merge_dims(a, b)) == described(a) & described(b)
    else:
        with pytest.raises(ValueError, match="are not compatible"):
            merge_dims(a, b)


@given(DIMS, DIMS)
def test_joined_dims_describe_what_either_describes(a, b):
    joined = join_dims(a, b)
    assert described(a) | described(b) <= described(joined)
    if a == b:
        assert joined == a
    elif a is not None and b is not None and len(a) == len(b):
        assert all((j is None) == (x != y or x is None) for j, x, y in zip(joined, a, b))


@given(DTYPES, DIMS, DTYPES, DIMS)
def test_types_of_different_dtypes_have_nothing_in_common(dtype, dims, other, others):
    a, b = TensorType(dtype, dims), TensorType(other, others)
    assert a.is_subtype_of(b) == (dtype is other and is_subshape(dims, others))
    joined = a.join(b)
    if dtype is not other:
        assert joined is None
    else:
        assert joined is TensorType(dtype, join_dims(dims, others))


@given(st.lists(DIMS, max_size=3))
def test_broadcasting_describes_what_numpy_gives(shapes):
    results = set()
    for statics in itertools.product(*[described(dims) for dims in shapes]):
        try:
            results.add(np.broadcast_shapes(*statics))
        except ValueError:
            continue
    try:
        dims = broadcast_all(shapes)
    except ValueError:
        assert not results
    else:
        assert results <= described(dims) | {s for s in results if dims is None}
        if all(d is not None and None not in d for d in shapes):
            assert results == {dims}


def test_dimensions_that_do_not_broadcast_are_named():
    with pytest.raises(ValueError, match="dimensions 2 and 3 must be equal, or one of them 1"):
        broadcast_dims((2,), (4, 3))
    assert broadcast_dims((None, 1), (3,)) == (None, 3)
    assert broadcast_dims((None,), (3,)) == (3,)
    assert broadcast_dims(None, (3,)) is None


# -- host values ------------------------------------------------------------------------------


@given(st.integers(1, 4), st.integers(-6, 6))
def test_axes_count_from_both_ends(rank, axis):
    if -rank <= axis < rank:
        assert range(rank)[normalize_axis(axis, rank)] == range(rank)[axis]
        assert normalize_axis(axis, rank) >= 0
    else:
        with pytest.raises(ValueError, match=f"axis {axis} is out of range"):
            normalize_axis(axis, rank)


def test_axes_may_be_nested_or_all():
    assert normalize_axes(None, 3) == (0, 1, 2)
    assert normalize_axes(-1, 3) == (2,)
    assert normalize_axes([0, (-1,)], 3) == (0, 2)
    assert normalize_axes([], 3) == ()
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        normalize_axes([0, 3], 3)


def test_the_numbers_of_a_host_value():
    assert entries([1, (2, [3]), []]) == (1, 2, 3)
    assert entries(4) == (4,)
    assert single([[5]], "n") == 5
    for value in ([], [1, 2]):
        with pytest.raises(ValueError, match="'n' must be a tensor with a single value"):
            single(value, "n")
