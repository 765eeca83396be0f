"""The dtype in which NumPy's functions compute, and their arguments as tensors of it.

Python numbers, and lists of them, adapt to the dtype of tensors beside them if it can hold their
kind. Without tensors they are int64, float64 or complex128.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.interpreter import holds_tensor, is_tensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import stack
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype, float32, float64, int32, of_numpy
from graphwright.values.convert import convert

_WEAK = (bool, int, float, complex)


#: The dtypes of Python's floats and complex numbers where float32 is preferred.
_PREFERRED: dict[type, Any] = {float: np.dtype(np.float32), complex: np.dtype(np.complex64)}


class Preference:
    """The settings of `experimental_enable_numpy_behavior`."""

    float32 = False  # Python floats count as float32
    is_narrow = False  # a promotion mode is on: what NumPy's functions widen by default has 32 bits


#: The dtypes that Python's numbers have in the promotion modes.
_NARROW: dict[object, DType] = {int: int32, float: float32}


def kind_of(value: object) -> Any:
    """The dtype that a value has in NumPy's promotion, or a Python number if it adapts."""
    if is_tensor(value):
        return value.dtype.as_numpy_dtype
    if isinstance(value, DType):
        return np.dtype(value.as_numpy_dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype
    preferred = _PREFERRED.get(type(value))
    if Preference.float32 and preferred is not None:
        return preferred
    if isinstance(value, _WEAK):
        return type(value)()  # promotion must not depend on the value
    if isinstance(value, (list, tuple)):
        kinds = [kind_of(item) for item in value]
        strong = [k for k in kinds if not isinstance(k, _WEAK)]
        if strong or not kinds:
            return np.result_type(*kinds) if kinds else 0.0
        return max(kinds, key=lambda kind: _WEAK.index(type(kind)))  # the widest
    return np.dtype(value) if isinstance(value, (type, np.dtype)) else np.asarray(value).dtype


def result_type(*arrays_and_dtypes: object) -> DType:
    """Returns the dtype in which NumPy's functions compute with given operands.

    Args:
        *arrays_and_dtypes: Arrays, numbers and dtypes. Python numbers adapt to the other operands.

    Returns:
        A `tf.DType`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.result_type(tf.constant([1]), 2.5)
    tf.float64
    """
    return of_numpy(np.result_type(*[kind_of(value) for value in arrays_and_dtypes]))


def promote_types(type1: TensorLike | DTypeLike, type2: TensorLike | DTypeLike) -> Any:
    """Returns the dtype to which two dtypes are promoted.

    Args:
        type1: A dtype, its name, or an array.
        type2: A dtype, its name, or an array.

    Returns:
        A NumPy dtype.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.promote_types("int32", "float32")
    dtype('float64')
    """
    kinds = (np.dtype(t) if isinstance(t, str) else kind_of(t) for t in (type1, type2))
    return np.promote_types(*kinds)


def asarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Converts a value to a tensor, by NumPy's default dtypes.

    Args:
        a: A tensor, an array, a number, or a nested list of these.
        dtype: The dtype of the result. None keeps that of a tensor or array; Python ints become
            int64, floats float64.

    Returns:
        A tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.asarray([1, 2]).dtype
    tf.int64
    """
    if dtype is None and is_tensor(a):
        return convert(a)
    if dtype is None and not holds_tensor(a) and np.asarray(a).dtype.kind in "SUO":
        return convert(a)
    kind = result_type(a) if dtype is None else dtype_of(dtype)
    if is_tensor(a):
        return cast(a, kind)
    if holds_tensor(a):
        return stack([asarray(item, kind) for item in a])
    return convert(a, kind) if dtype is None else cast(asarray(a), kind)


def dtype_of(dtype: DTypeLike) -> DType:
    """The `tf.DType` of a dtype, its name, a Python type of numbers, or a value."""
    if isinstance(dtype, _WEAK):
        dtype = type(dtype)
    elif is_tensor(dtype):
        return dtype.dtype
    if Preference.is_narrow and dtype in _NARROW:
        return _NARROW[dtype]
    return result_type(dtype) if isinstance(dtype, type) else as_dtype(dtype)


def promoted(*values: TensorLike) -> list[Any]:
    """The values as tensors of their common dtype."""
    dtype = result_type(*values)
    return [asarray(value, dtype) for value in values]


def rank_of(x: TensorValue, function: str) -> int:
    """The rank of a tensor; ValueError where it is unknown while tracing."""
    rank = x.type.rank
    if rank is None:
        raise ValueError(f"{function} needs to know the rank of its argument while tracing.")
    return rank


def sizes_of(x: TensorValue, function: str) -> list[int]:
    """The sizes of a tensor; ValueError where one is unknown while tracing."""
    if not x.type.is_static:
        raise ValueError(f"{function} needs to know the shape of its argument while tracing.")
    return [d for d in x.type.dims or () if d is not None]


def inexact(value: TensorLike) -> Any:
    """The value as a tensor of floats or complex numbers; integers become float64, or float32 in
    the promotion modes."""
    tensor = asarray(value)
    if tensor.dtype.is_floating or tensor.dtype.is_complex:
        return tensor
    return cast(tensor, float32 if Preference.is_narrow else float64)


def inexact_pair(x: TensorLike, y: TensorLike) -> list[Any]:
    """Two values as tensors of one dtype of floats or complex numbers."""
    return [inexact(tensor) for tensor in promoted(x, y)]


def sizes(shape: ShapeLike) -> Any:
    """The shape, with a single number as a list of it."""
    is_size = is_tensor(shape) and shape.type.rank == 0
    return [shape] if is_size or isinstance(shape, (int, np.integer)) else shape
