"""What dtypes are equal to, what they tell of themselves, and what they are not."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import graphwright as tf
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType, as_dtype, of_numpy

ALL = [value for value in vars(dt).values() if isinstance(value, DType)]
PLAIN = {
    np.float16: dt.float16, np.float32: dt.float32, np.float64: dt.float64, np.int8: dt.int8,
    np.int16: dt.int16, np.int32: dt.int32, np.int64: dt.int64, np.uint8: dt.uint8,
    np.uint16: dt.uint16, np.uint32: dt.uint32, np.uint64: dt.uint64, np.bool_: dt.bool_,
    np.complex64: dt.complex64, np.complex128: dt.complex128,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_a_dtype_is_itself_by_each_of_its_names(dtype):
    assert [dtype == dtype.name, dtype != dtype.name] == [True, False]
    assert as_dtype(dtype) is as_dtype(dtype.name) is as_dtype(dtype.as_datatype_enum) is dtype
    assert dtype is copy.copy(dtype) is copy.deepcopy(dtype) is pickle.loads(pickle.dumps(dtype))
    assert dtype is dtype.base_dtype
    assert str(dtype) == f"<dtype: '{dtype.name}'>"
    assert repr(dtype) == f"tf.{dtype.name}"


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_a_dtype_is_no_other(dtype):
    for other in ALL:
        assert (dtype == other) == (dtype is other)
        assert (dtype != other) == (dtype is not other)
        assert (dtype == other.name) == (dtype is other)
        assert dtype.is_subtype_of(other) == dtype.is_compatible_with(other) == (dtype is other)
        result = dtype.most_specific_common_supertype([dtype, other])
        assert result is (dtype if other is dtype else None)
    for nothing in (None, "no dtype", object(), 3.5, []):
        assert [dtype == nothing, dtype != nothing] == [False, True]
    assert len(set(ALL)) == len(set(map(id, ALL)))


@pytest.mark.parametrize("numpys", PLAIN)
def test_dtypes_are_those_of_numpy(numpys):
    dtype = PLAIN[numpys]
    assert dtype == numpys
    assert dtype is of_numpy(np.dtype(numpys)) is as_dtype(np.dtype(numpys))
    assert dtype.as_numpy_dtype is numpys
    assert dtype.size == np.dtype(numpys).itemsize
    assert dtype.is_floating == issubclass(numpys, np.floating)
    assert dtype.is_complex == issubclass(numpys, np.complexfloating)
    assert dtype.is_integer == issubclass(numpys, np.integer)
    assert dtype.is_unsigned == issubclass(numpys, np.unsignedinteger)
    assert dtype.is_bool == (numpys is np.bool_)
    assert dtype.is_numeric == (numpys is not np.bool_)
    assert not dtype.is_quantized
    assert dtype.is_numpy_compatible
    assert dtype.real_dtype == np.zeros(1, numpys).real.dtype


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_limits(dtype):
    if dtype.is_integer or dtype.is_floating:
        assert dtype.min < dtype.max
        assert dtype.bounds == (dtype.min, dtype.max)
        if dtype.is_integer:
            bits = 8 * dtype.size
            top = 2**bits if dtype.is_unsigned else 2 ** (bits - 1)
            if dtype.name.removeprefix("u") not in ("int4", "int2"):  # which take a byte
                assert (int(dtype.min), int(dtype.max) + 1) == (top - 2**bits, top)
    else:
        with pytest.raises(TypeError):
            dtype.min  # noqa: B018


def test_the_kinds_of_other_dtypes():
    assert dt.qint8.is_quantized
    assert dt.qint8.is_numeric
    assert not dt.qint8.is_integer
    assert dt.string.size == dt.resource.size == dt.variant.size == 0
    assert dt.string.is_numpy_compatible
    assert not dt.resource.is_numpy_compatible
    assert dt.bfloat16.is_floating
    assert tf.float32 is dt.float32
