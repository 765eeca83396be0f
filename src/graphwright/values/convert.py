"""Tensors from Python and NumPy values, with TensorFlow's rules for their dtypes.

Python ints become int32 (int64 where they need it), floats float32, complex complex128,
text and bytes strings; NumPy values keep their dtype. A demanded dtype converts Python
numbers only where nothing is lost but precision: 1.5 is no int32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.op.interpreter import STATE, Hooks
from graphwright.ops.joining import stack
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType, as_dtype, of_numpy
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import EagerTensor, Tensor

#: Types with a conversion of their own: (type, function(value, dtype, name) -> Tensor).
_CONVERSIONS: list[tuple[type, Callable[[Any, Any, Any], Any]]] = []

_SCALARS: dict[Any, EagerTensor] = {}
_MAX_SCALARS = 4096


def register_conversion(kind: type, function: Callable[[Any, Any, Any], Any]) -> None:
    """Converts values of `kind` with `function(value, dtype, name)`."""
    _CONVERSIONS.append((kind, function))


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """Converts a value to a tensor.

    `dtype` demands a type (TypeError or ValueError if the value has another); `dtype_hint`
    is used where the value allows it.

    >>> import graphwright as tf
    >>> tf.convert_to_tensor([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    return convert(
        value,
        None if dtype is None else as_dtype(dtype),
        None if dtype_hint is None else as_dtype(dtype_hint),
        name,
    )


def convert(
    value: Any, dtype: DType | None = None, hint: DType | None = None, name: str | None = None
) -> Any:
    """`convert_to_tensor` for DTypes that are known to be such."""
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    active = STATE.active
    for kind, function in _CONVERSIONS:
        if isinstance(value, kind):
            return function(value, dtype, name)
    if hasattr(value, "__tf_tensor__"):
        return value.__tf_tensor__(dtype, name)
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        return pack(value, dtype or hint, name)
    if active is None:
        return eager_constant(value, dtype, hint)
    return active.constant(make_array(value, dtype, hint), dtype, name)


def eager_constant(value: Any, dtype: DType | None, hint: DType | None = None) -> EagerTensor:
    """An eager tensor of a value that holds no tensors; Python scalars are cached."""
    kind = type(value)
    if kind is float or kind is int or kind is bool:
        key = (kind, value, dtype or hint) if value else None
        found = _SCALARS.get(key) if key is not None else None
        if found is None:
            found = EagerTensor(make_array(value, dtype, hint))
            if key is not None and len(_SCALARS) < _MAX_SCALARS:
                _SCALARS[key] = found
        return found
    return EagerTensor(make_array(value, dtype, hint))


def convert_pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Makes tensors of two operands; what is not one yet takes the other's dtype."""
    if not isinstance(x, Tensor) and has_dtype(x):
        x = convert(x)
    if not isinstance(y, Tensor) and has_dtype(y):
        y = convert(y)
    if isinstance(x, Tensor):
        return x, y if isinstance(y, Tensor) else convert(y, x.dtype)
    if isinstance(y, Tensor):
        return convert(x, y.dtype), y
    x = convert(x)
    return x, convert(y, x.dtype)


def has_dtype(value: Any) -> bool:
    """Whether a value that is no tensor yet brings a dtype that its partner's cannot override."""
    return hasattr(value, "dtype") and not isinstance(value, (np.ndarray, np.generic))


def holds_tensor(value: Any) -> bool:
    """Whether a nested list has a tensor somewhere."""
    return any(
        holds_tensor(v) if isinstance(v, (list, tuple)) else is_tensor_like(v) for v in value
    )


def is_tensor_like(value: Any) -> bool:
    """Whether a value is a tensor or converts to one by a rule of its own."""
    return isinstance(value, Tensor) or any(isinstance(value, k) for k, _ in _CONVERSIONS)


def pack(values: Any, dtype: DType | None, name: str | None) -> Any:
    """A nested list with tensors in it, stacked; the tensors' dtype holds for all."""
    if dtype is None:
        dtype = first_dtype(values)
    parts = [
        pack(v, dtype, None)
        if isinstance(v, (list, tuple)) and holds_tensor(v)
        else convert(v, dtype)
        for v in values
    ]
    return stack(parts, 0, name or "packed")


def first_dtype(values: Any) -> DType | None:
    """The dtype of the first tensor in a nested list."""
    for v in values:
        if isinstance(v, (list, tuple)):
            found = first_dtype(v)
            if found is not None:
                return found
        elif is_tensor_like(v):
            return as_dtype(v.dtype)
    return None


# -- arrays ---------------------------------------------------------------------------------


def make_array(value: Any, dtype: DType | None, hint: DType | None = None) -> np.ndarray[Any, Any]:
    """A new array of a Python or NumPy value; TypeError or ValueError if it is no such thing."""
    if isinstance(value, (np.ndarray, np.generic)):
        return from_numpy(value, dtype)
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type "
                         "(<class 'NoneType'>) to a Tensor.")
    if hasattr(value, "__array__") and not isinstance(value, (list, tuple)):
        return from_numpy(np.asarray(value), dtype)
    wanted = dtype if dtype is not None else hint
    try:
        array = np.array(value)
    except ValueError:
        raise ValueError(
            "Can't convert non-rectangular Python sequence to Tensor: all rows at a depth must "
            f"have one length, got {shorten(value)}"
        ) from None
    except OverflowError:
        array = np.array(value, dtype=object)
    found = inferred(array, value)
    if wanted is None or wanted is found:
        return cast_array(array, found, value)
    if not converts(array, found, wanted):
        if dtype is None:
            return cast_array(array, found, value)
        raise TypeError(
            f"Cannot convert {shorten(value)} to EagerTensor of dtype {wanted.name}"
        )
    return cast_array(array, wanted, value)


def inferred(array: Any, value: Any) -> DType:
    """The dtype of a Python value, from the array that NumPy makes of it."""
    kind = array.dtype.kind
    if kind == "f":
        return dt.float64 if holds_numpy(value, np.float64) else of_float(value, array)
    if kind == "b":
        return dt.bool_
    if kind in "iu":
        if holds_numpy(value, np.generic) and not holds_python(value):
            return of_numpy(array.dtype)
        fits = array.size == 0 or (array.min() >= dt.int32.min and array.max() <= dt.int32.max)
        return dt.int32 if fits else dt.int64
    if kind == "c":
        return dt.complex128
    if kind in "SU":
        return dt.string
    if array.size and all(isinstance(v, (bytes, str)) for v in array.flat):
        return dt.string
    if kind == "O":
        if all(isinstance(v, int) for v in array.flat):
            raise OverflowError(
                f"Python int too large to convert to a tensor of int64: {shorten(value)}"
            )
        raise ValueError(
            f"Attempt to convert a value ({shorten(value)}) with an unsupported type "
            f"({type(value)}) to a Tensor."
        )
    return of_numpy(array.dtype)


def of_float(value: Any, array: Any) -> DType:
    """float32 for Python floats (and the empty list), the NumPy dtype for NumPy scalars."""
    if array.dtype != np.float64:
        return of_numpy(array.dtype)
    return dt.float32


def holds_numpy(value: Any, kind: Any) -> bool:
    """Whether the first leaf of a nested value is a NumPy scalar or array of that kind."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    if isinstance(value, np.ndarray):
        return issubclass(value.dtype.type, kind)
    return isinstance(value, kind)


def holds_python(value: Any) -> bool:
    """Whether the first leaf of a nested value is a plain Python number."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, int)


def converts(array: Any, found: DType, wanted: DType) -> bool:
    """Whether Python values of one kind may become a tensor of the wanted dtype."""
    if array.size == 0:
        return True
    if wanted.is_floating or wanted.is_complex:
        return found.is_floating or found.is_integer or (found.is_complex and wanted.is_complex)
    if wanted.is_integer or wanted.is_quantized:
        return found.is_integer
    return wanted is found


def cast_array(array: Any, dtype: DType, value: Any) -> np.ndarray[Any, Any]:
    """The array in the storage of `dtype`; an error where an integer does not fit."""
    if dtype is dt.string:
        return as_bytes(array)
    if dtype.is_integer and array.size and array.dtype.kind in "iuO":
        low, high = array.min(), array.max()
        if low < dtype.min or high > dtype.max:
            raise TypeError(f"Cannot convert {shorten(value)} to EagerTensor of dtype {dtype.name}")
    if array.dtype == dtype.numpy_dtype:
        return np.asarray(array)
    with np.errstate(all="ignore"):
        return np.asarray(array.astype(dtype.numpy_dtype))


def from_numpy(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    """A copy of a NumPy array or scalar, converted where a dtype is demanded."""
    array = np.array(value, order="C", copy=True)
    if array.dtype.kind in "US" or array.dtype == object:
        array = as_bytes(array)
    found = of_numpy(array.dtype)
    if dtype is None or dtype is found:
        native = found.numpy_dtype
        return array if array.dtype == native else array.astype(native)
    if not converts(array, found, dtype):
        raise TypeError(f"Cannot convert {shorten(value)} to EagerTensor of dtype {dtype.name}")
    with np.errstate(all="ignore"):
        return array.astype(dtype.numpy_dtype)


def as_bytes(array: Any) -> np.ndarray[Any, Any]:
    """An object array of `bytes`, text encoded as UTF-8."""
    out = np.empty(array.shape, dtype=object)
    flat = array.astype(object).ravel()
    for i, item in enumerate(flat):
        if isinstance(item, str):
            item = item.encode()
        elif not isinstance(item, bytes):
            raise TypeError(f"Expected bytes or text, got {item!r} of type {type(item).__name__}")
        flat[i] = item
    out[...] = flat.reshape(array.shape)
    return out


def shorten(value: Any) -> str:
    """A value's repr, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Any:
    """A constant tensor of a Python or NumPy value, reshaped or filled to `shape` if given.

    >>> import graphwright as tf
    >>> tf.constant([1.0, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    >>> tf.constant(0, shape=[2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 0], dtype=int32)>
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        if isinstance(value, EagerTensor) and STATE.active is None:
            return shaped(EagerTensor(from_numpy(value._ndarray(), wanted)), shape)
        return convert(value, wanted)
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        return pack(value, wanted, name)
    array = make_array(value, wanted)
    if shape is not None:
        array = shaped(EagerTensor(array), shape)._array
    active = STATE.active
    return EagerTensor(array) if active is None else active.constant(array, wanted, name)


def shaped(tensor: EagerTensor, shape: Any) -> EagerTensor:
    """The constant in the asked-for shape: reshaped, or its one element repeated."""
    if shape is None:
        return tensor
    dims = tuple(int(d) for d in shape) if hasattr(shape, "__iter__") else (int(shape),)
    array = tensor._array
    size = int(np.prod(dims, dtype=np.int64))
    if array.size == size:
        return EagerTensor(array.reshape(dims))
    if array.size == 1:
        return EagerTensor(np.full(dims, array.reshape(())[()], array.dtype))
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {shorten(array.tolist())} "
        f"(converted from the value) has {array.size} elements, but got `shape` {dims} with "
        f"{size} elements."
    )


def type_of(value: Any) -> TensorType:
    """The type of the tensor that a NumPy value converts to, without converting it."""
    array = np.asarray(value)
    return TensorType(of_numpy(array.dtype), array.shape)


Hooks.convert = convert
Hooks.convert_pair = convert_pair
