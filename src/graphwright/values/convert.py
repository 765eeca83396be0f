"""Tensors from Python and NumPy values, with TensorFlow's rules for their dtypes.

Python ints become int32 (int64 where they need it), floats float32, complex complex128,
text and bytes strings; NumPy values keep their dtype. A demanded dtype converts Python
numbers only where nothing is lost but precision: 1.5 is no int32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import copysign
from operator import index
from typing import Any, TypeAlias

import numpy as np

from graphwright.op.interpreter import STATE, as_given, is_staged
from graphwright.op.refusal import word_on_none
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import stack
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Convertible, DTypeLike, ShapeLike, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype, of_numpy
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import EagerTensor, Tensor, box

Conversion: TypeAlias = Callable[[Any, Any, Any], Any]

#: Conversions of types: functions of a value, a dtype and a name that return a tensor.
_CONVERSIONS: dict[type, Conversion] = {}

#: What converts to a tensor, in classes that `isinstance` takes.
TENSOR_LIKE = (
    Tensor | bool | int | float | complex | str | bytes | tuple[Any, ...] | list[Any]
    | np.ndarray | np.generic
)  # fmt: skip

_SCALARS: dict[Any, EagerTensor] = {}
_MAX_SCALARS = 4096
_PLAIN = frozenset({bool, int, float})
_LISTS = frozenset({list, tuple, str, bytes})


def convert_itself(value: Convertible, dtype: DType | None, name: str | None) -> Any:
    """The tensor that an object makes of itself."""
    return value.__tf_tensor__(dtype, name)


class _Conversions(dict[type, "Conversion | None"]):
    """The conversion of each type that was met: its own, its nearest base's, or its method."""

    limit = 4096  # it keeps types alive

    def __missing__(self, kind: type) -> Conversion | None:
        if len(self) >= self.limit:
            self.clear()
        conversion = next(
            (_CONVERSIONS[base] for base in kind.__mro__ if base in _CONVERSIONS),
            convert_itself if hasattr(kind, "__tf_tensor__") else None,
        )
        self[kind] = conversion
        return conversion


_CONVERSION_OF = _Conversions()


def register_conversion(kind: type, function: Conversion) -> None:
    """Converts values of `kind` with `function(value, dtype, name)`."""
    _CONVERSIONS[kind] = function
    _CONVERSION_OF.clear()


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable[..., object], priority: int = 100
) -> None:
    """Registers a function that converts values of a type to tensors.

    Where a value has several such classes among its bases, the nearest one decides.

    Args:
        base_type: A type, or a tuple of types.
        conversion_func: A function that is called as `conversion_func(value, dtype=..., name=...,
            as_ref=False)` and returns a tensor. If it returns NotImplemented, the function of a
            base class is called.
        priority: Accepted for TensorFlow's signature and not used.

    Raises:
        TypeError: `base_type` is no type, or one of numbers or arrays; or `conversion_func` cannot
            be called.

    >>> import graphwright as tf
    >>> class Celsius:
    ...     degrees = 21.5
    >>> tf.register_tensor_conversion_function(
    ...     Celsius, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.degrees)
    ... )
    >>> tf.constant(0.5) + Celsius()
    <tf.Tensor: shape=(), dtype=float32, numpy=22.0>
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(kind, type) for kind in kinds):
        raise TypeError(
            f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}"
        )
    if any(issubclass(kind, (int, float, np.generic, np.ndarray)) for kind in kinds):
        raise TypeError(
            "Cannot register conversions for Python numeric types and NumPy scalars and arrays."
        )
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    for kind in kinds:
        register_conversion(kind, users_conversion(kind, conversion_func))


def users_conversion(kind: type, function: Callable[..., object]) -> Conversion:
    """A registered function as a conversion; where it declines, that of a base class is called."""

    def conversion(value: TensorLike, dtype: DType | None, name: str | None) -> Any:
        tensor = function(value, dtype=dtype, name=name, as_ref=False)
        if tensor is not NotImplemented:
            return tensor
        for base in kind.__mro__[1:]:
            if base in _CONVERSIONS:
                return _CONVERSIONS[base](value, dtype, name)
        raise TypeError(f"no conversion of {value!r} ({type(value).__name__}) makes a tensor of it")

    return conversion


def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Converts a value to a tensor.

    Args:
        value: A tensor, a Python or NumPy value, a nested list of them, or an object that has a
            conversion.
        dtype: The dtype that the tensor must have, or None.
        dtype_hint: The dtype that it has where the value allows it, or None.
        name: A name for the op.

    Returns:
        A tensor; `value` itself where it is one.

    Raises:
        ValueError: `value` is a tensor of another dtype, has rows of different lengths, or has no
            conversion.
        TypeError: `value` cannot be of `dtype`.

    >>> import graphwright as tf
    >>> tf.convert_to_tensor([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    result: Tensor = as_given(
        convert(
            value,
            None if dtype is None else as_dtype(dtype),
            None if dtype_hint is None else as_dtype(dtype_hint),
            name,
        )
    )
    return result


def convert(
    value: TensorLike,
    dtype: DType | None = None,
    hint: DType | None = None,
    name: str | None = None,
) -> Any:
    """`convert_to_tensor` for DTypes that are known to be such."""
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    active, kind = STATE.active, type(value)
    if kind in _PLAIN and active is None:
        return eager_constant(value, dtype, hint)
    function = _CONVERSION_OF[kind]
    if function is not None:
        return function(value, dtype, name)
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        if dtype is not None:
            return pack(value, dtype, name, True)
        return pack_as(value, hint, name)
    if active is None:
        return eager_constant(value, dtype, hint)
    return active.constant(make_array(value, dtype, hint), dtype, name)


def eager_constant(
    value: TensorLike, dtype: DType | None, hint: DType | None = None
) -> EagerTensor:
    """An eager tensor of a value that holds no tensors; Python scalars are cached."""
    kind = type(value)
    if kind not in _PLAIN:
        made = box(make_array(value, dtype, hint))
        if kind in _LISTS:
            made._of_list = True
        return made
    key: Any = (kind, value, id(dtype), id(hint))  # dtypes live for ever
    if not value:
        zero: Any = value
        key = (key, copysign(1.0, zero))  # 0.0 and -0.0 are equal
    tensor = _SCALARS.get(key)
    if tensor is None:
        tensor = box(make_array(value, dtype, hint))
        if len(_SCALARS) < _MAX_SCALARS:
            _SCALARS[key] = tensor
    return tensor


def convert_pair(x: TensorLike, y: TensorLike, wraps: bool = False) -> tuple[Any, Any]:
    """Makes tensors of two operands; what is not one yet takes the other's dtype.

    In a graph a function refuses a first int that the second operand's dtype does not hold; an
    operator `wraps` it. Eagerly both do.
    """
    if isinstance(x, Tensor):
        if isinstance(y, Tensor):
            return x, y
        return x, convert(y) if has_dtype(y) else beside(x, "x", y)
    if has_dtype(x):
        return convert_pair(convert(x), y, wraps)
    if has_dtype(y):
        y = convert(y)
    if isinstance(y, Tensor):
        if type(x) is int and not wraps and not isinstance(y, EagerTensor):
            check_range(x, y.dtype)
        return beside(y, "y", x), y
    first = convert(x)
    return first, convert(y, first.dtype)


def check_range(number: int, dtype: DType) -> None:
    """TypeError for a number that an integer dtype does not hold."""
    if dtype.is_integer and not dtype.min <= number <= dtype.max:
        raise TypeError(f"{number} is no {dtype.name}; a tensor of another dtype holds it")


def beside(tensor: Tensor, operand: str, value: TensorLike) -> Any:
    """A value as a tensor of a tensor's dtype; a refusal says what makes the tensor take it."""
    try:
        return convert(value, tensor.dtype)
    except TypeError as error:
        if isinstance(value, float) and tensor.dtype.is_integer and len(error.args) == 1:
            error.args = (f"{error}\n    tf.cast({operand}, tf.float32) converts it",)
        raise


def convert_terms(x: TensorLike, y: TensorLike) -> tuple[Any, Any]:
    """Makes tensors of two operands; the second takes the first's dtype if its value allows."""
    first: Tensor = x if isinstance(x, Tensor) else as_given(convert(x))
    second = y if isinstance(y, Tensor) else as_given(convert(y, None, first.dtype))
    return first, second


def has_dtype(value: object) -> bool:
    """Whether a value that is no tensor yet has a dtype that the other operand's cannot replace."""
    return hasattr(value, "dtype") and not isinstance(value, (np.ndarray, np.generic))


def holds_tensor(value: Iterable[object]) -> bool:
    """Whether a nested list has a tensor somewhere; ValueError for one that contains itself."""
    try:
        return _holds_tensor(value)
    except RecursionError:
        raise ValueError(
            f"Can't convert a list that contains itself to a Tensor: {shorten(value)}"
        ) from None


def _holds_tensor(value: Iterable[object]) -> bool:
    return any(
        _holds_tensor(v) if isinstance(v, (list, tuple)) else is_tensor_like(v) for v in value
    )


def is_tensor_like(value: object) -> bool:
    """Whether a value is a tensor or converts to one by a rule of its own."""
    return isinstance(value, Tensor) or _CONVERSION_OF[type(value)] is not None


def pack(
    values: Sequence[TensorLike], dtype: DType | None, name: str | None, casts: bool = False
) -> Any:
    """A nested list with tensors in it, stacked; the tensors' dtype holds for all. Where the
    program has asked for a dtype, `casts`, tensors are cast to it."""
    if dtype is None:
        dtype = first_dtype(values)
    parts = [
        pack(v, dtype, None, casts)
        if isinstance(v, (list, tuple)) and holds_tensor(v)
        else cast(convert(v), dtype)
        if casts and dtype is not None and is_tensor_like(v)
        else convert(v, dtype)
        for v in values
    ]
    return stack(parts, 0, name or "packed")


def pack_as(values: Sequence[TensorLike], hint: DType | None, name: str | None) -> Any:
    """A nested list with tensors in it, stacked: of a dtype where its items can be cast to it."""
    present = first_dtype(values)
    if (
        hint is not None
        and present is not None
        and present is not hint
        and {present, hint} <= dt.NUMERIC
    ):
        try:
            return pack(values, hint, name, True)
        except (TypeError, ValueError):
            pass  # a Python value in the list is of no such dtype
    return pack(values, present or hint, name)


def first_dtype(values: Iterable[object]) -> DType | None:
    """The dtype of the first tensor in a nested list."""
    for v in values:
        if isinstance(v, (list, tuple)):
            dtype = first_dtype(v)
            if dtype is not None:
                return dtype
        elif is_tensor_like(v) and hasattr(v, "dtype"):  # not all composites have one
            return as_dtype(v.dtype)
    return None


# -- arrays ---------------------------------------------------------------------------------


#: What each kind of Python value may become when a dtype is demanded.
_ALLOWED = {
    "b": frozenset({dt.bool_, dt.float32, dt.float64, dt.int32, dt.int64, dt.complex128}),
    "i": dt.NUMERIC | dt.QUANTIZED | dt.NARROW,
    "f": dt.INEXACT | dt.NARROW - dt.NARROW_INTEGER,
    "c": dt.COMPLEX,
    "s": dt.STRING,
}


def make_array(value: TensorLike, dtype: DType | None, hint: DType | None = None) -> Array:
    """A new array of a Python or NumPy value; TypeError or ValueError if it is no such thing."""
    if isinstance(value, (np.ndarray, np.generic)):
        return from_numpy(value, dtype, hint)
    if hasattr(value, "__array__") and not isinstance(value, (list, tuple)):
        return from_numpy(np.asarray(value), dtype)
    array, staged = as_array(value), is_staged()
    kind = kind_of(array, value)
    if array.size == 0:
        return array.astype((dtype or hint or dt.float32).numpy_dtype)
    if dtype is None and hint is not None and hint in _ALLOWED[kind]:
        dtype = hint
    if kind == "b" and staged and dtype is not dt.bool_:  # graphs take it for a number
        kind = "i" if array.dtype.kind != "b" or dtype in dt.NUMERIC else "b"
    if kind == "b" and array.dtype.kind != "b" and dtype not in _ALLOWED["b"] - {dt.bool_}:
        raise ValueError(
            f"Can't convert Python sequence with mixed types to Tensor: {shorten(value)}"
        )
    if dtype is None:
        if kind == "i" and staged and array.dtype == object:
            raise TypeError(f"Cannot convert {shorten(value)} to a Tensor: 64 bits do not hold it")
        return stored(array, default_dtype(array, kind, value, staged), value, not staged)
    if dtype not in _ALLOWED[kind]:
        raise TypeError(f"Cannot convert {shorten(value)} to EagerTensor of dtype {dtype.name}")
    return stored(array, dtype, value)


def as_array(value: object) -> Array:
    """NumPy's array of a Python value; ValueError if rows differ in length."""
    try:
        return np.array(value)
    except UnicodeDecodeError:  # text and bytes that are none
        return np.array(value, dtype=object)
    except ValueError:
        raise ValueError(
            "Can't convert non-rectangular Python sequence to Tensor: all rows at a depth must "
            f"have one length, got {shorten(value)}\n    tf.ragged.constant(value) takes it"
        ) from None
    except OverflowError:
        return np.array(value, dtype=object)


def kind_of(array: Array, value: object) -> str:
    """What a Python value is made of: 'b', 'i', 'f', 'c' or 's'; a refusal for anything else."""
    kind: str = array.dtype.kind
    if kind == "O" and array.size and all(type(v) is int for v in array.flat):
        return "i"
    if kind in "SU" or kind == "O":
        leaves = np.array(value, dtype=object).flat
        if array.size and not all(isinstance(leaf, (str, bytes)) for leaf in leaves):
            raise unconvertible(value)
        return "s"
    if kind in "iu":
        return "b" if isinstance(first_leaf(value), bool) else "i"
    if kind in "bfc" or array.dtype == dt.bfloat16.numpy_dtype:
        return kind if kind in "bfc" else "f"
    raise unconvertible(value)


def unconvertible(value: object) -> Exception:
    """The refusal of what makes no tensor: a TypeError in graphs, as in TensorFlow, but of None."""
    if value is None and is_staged():
        return ValueError("None values not supported.")
    kind = TypeError if is_staged() else ValueError
    words = (
        f"Attempt to convert a value ({shorten(value)}) with an unsupported type ({type(value)}) "
        "to a Tensor."
    )
    origin = (
        " A function without a `return` gives None, and so does tape.gradient for what the tape "
        "did not watch."
    )
    return kind(words + (origin if value is None else word_on_none(value)))


def first_leaf(value: object) -> object:
    """The first thing in a nested list that is no list."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return value


def default_dtype(array: Array, kind: str, value: object, staged: bool) -> DType:
    """The dtype that a Python value gets where none is demanded.

    In graphs, lists of NumPy's numbers get those of Python's, and integers may need uint64. Of
    floats the first number decides, as in TensorFlow: NumPy makes doubles of a float32 beside 2.5.
    """
    leaf = first_leaf(value)
    if isinstance(leaf, (np.ndarray, np.generic)) and array.dtype.kind in "biufc":
        if kind == "f" and (not staged or isinstance(leaf, np.ndarray)):
            return of_numpy(leaf.dtype) if leaf.dtype.kind == "f" else dt.float32
        dtype = of_numpy(array.dtype)
        if not staged or isinstance(leaf, np.ndarray) or dtype not in (dt.float64, dt.int64):
            return dtype
    if kind == "i" and staged and array.dtype == np.uint64:
        return dt.uint64
    if kind == "i":
        fits = array.min() >= dt.int32.min and array.max() <= dt.int32.max
        return dt.int32 if fits else dt.int64
    return {"b": dt.bool_, "f": dt.float32, "c": dt.complex128, "s": dt.string}[kind]


def stored(array: Array, dtype: DType, value: object, bounded: bool = False) -> Array:
    """The array as `dtype` stores it; integers wrap around, but must fit 64 bits.

    Floats beyond the range of the dtype become infinite; ValueError where they are `bounded`.
    """
    if dtype is dt.string:  # NumPy's own strings lose the zeros at their ends
        return as_bytes(np.array(value, dtype=object))
    wide = array.dtype == object or array.dtype == np.uint64
    if wide and dtype.is_integer and not isinstance(first_leaf(value), np.generic):
        staged = is_staged()
        widest = dt.uint64 if dtype is dt.uint64 or staged else dt.int64
        if staged and array.dtype == object:
            raise OverflowError(f"Python integer {shorten(value)} does not fit 64 bits.")
        if array.max() > widest.max or array.min() < dt.int64.min:
            raise ValueError(
                f"Can't convert Python sequence with out-of-range integer to Tensor: "
                f"{shorten(value)} does not fit {widest.name}"
            )
    if array.dtype == dtype.numpy_dtype:
        return array
    try:
        with np.errstate(all="ignore", over="raise" if bounded else "ignore"):
            return np.asarray(array.astype(dtype.numpy_dtype))
    except FloatingPointError:
        raise ValueError(
            f"Can't convert Python sequence with out-of-range float to Tensor: {shorten(value)} "
            f"does not fit {dtype.name}. Give a dtype that holds it, such as tf.float64."
        ) from None


def from_numpy(value: Array | np.generic, dtype: DType | None, hint: DType | None = None) -> Array:
    """A copy of a NumPy array or scalar, its numbers cast where a dtype is given."""
    array = np.array(value, order="C", copy=True)
    if array.dtype == object and dtype not in (None, dt.string) and dtype.is_numpy_compatible:
        array = array.astype(dtype.numpy_dtype)
    if array.dtype.kind in "US" or array.dtype == object:
        array = as_bytes(array)
    present = of_numpy(array.dtype)
    if dtype is None and hint is not None and dt.string not in (hint, present):
        dtype = hint
    if dtype is None or dtype is present:
        native = present.numpy_dtype
        return array if array.dtype == native else array.astype(native)
    if (dtype is dt.string) is not (present is dt.string):
        kind = TypeError if is_staged() else ValueError
        raise kind(
            f"TypeError: a NumPy array of dtype {array.dtype} is no tensor of dtype {dtype.name}"
        )
    with np.errstate(all="ignore"):
        return array.astype(dtype.numpy_dtype)


def as_bytes(array: Array) -> Array:
    """An object array of `bytes`, text encoded as UTF-8."""
    out = np.empty(array.shape, dtype=object)
    flat = array.astype(object).ravel()
    for i, item in enumerate(flat):
        if isinstance(item, str):
            item = item.encode()
        elif not isinstance(item, bytes):
            raise ValueError(
                "Failed to convert a NumPy array to a Tensor (Unsupported object type "
                f"{type(item).__name__}): in this object array, element {i} is {shorten(item)}, "
                "and not text or bytes. Give an array of numbers a dtype: "
                "`array.astype(np.float32)`."
            )
        flat[i] = item
    out[...] = flat.reshape(array.shape)
    return out


def shorten(value: object) -> str:
    """A value's repr, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def constant(
    value: TensorLike, dtype: DTypeLike | None = None, shape: ShapeLike = None, name: str = "Const"
) -> Tensor:
    """Makes a constant tensor of a Python or NumPy value.

    A Python int becomes int32, or int64 where it needs that; a float becomes float32.

    Args:
        value: A number, a bool, text, a NumPy array, a nested list of them, or an eager tensor.
        dtype: The dtype, or None for that of the value.
        shape: The shape, to which the elements are arranged, or to which one element is repeated.
            None means that of the value.
        name: A name for the constant.

    Returns:
        A tensor.

    Raises:
        TypeError: The value cannot be of `dtype` or of `shape`.
        ValueError: The value has rows of different lengths, or no conversion.

    >>> import graphwright as tf
    >>> tf.constant([1.0, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    >>> tf.constant(0, shape=[2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 0], dtype=int32)>
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted is not None and wanted is not value.dtype:
            raise TypeError(
                f"Expected {wanted.name} passed to parameter 'value' of tf.constant, got a tensor "
                f"of dtype {value.dtype.name}: use tf.cast"
            )
        if isinstance(value, EagerTensor) and (STATE.active is None or shape is not None):
            return shaped(box(value._array), shape)
        if shape is not None:
            raise TypeError("tf.constant gives no tensor of a graph a shape: use tf.reshape")
        return value
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        result: Tensor = pack(value, wanted, name)
        return result
    array = make_array(value, wanted)
    if shape is not None:
        array = shaped(box(array), shape)._array
    active = STATE.active
    return box(array) if active is None else active.constant(array, wanted, name)


def shaped(tensor: EagerTensor, shape: ShapeLike) -> EagerTensor:
    """The constant in a shape: reshaped, or its one element repeated."""
    if shape is None:
        return tensor
    sizes: Any = shape
    size_of = index if STATE.active is None else int  # as TensorFlow cuts in graphs alone
    dims = tuple(size_of(d) for d in sizes) if hasattr(sizes, "__iter__") else (size_of(sizes),)
    array = tensor._array
    size = int(np.prod(dims, dtype=np.int64))
    if array.size == size:
        return box(array.reshape(dims))
    if array.size == 1:
        return box(np.full(dims, array.reshape(())[()], array.dtype))
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {shorten(array.tolist())} "
        f"(converted from the value) has {array.size} elements, but got `shape` {dims} with "
        f"{size} elements."
    )


def type_of(value: object) -> TensorType:
    """The type of the tensor that a NumPy value converts to, without converting it."""
    array = np.asarray(value)
    return TensorType(of_numpy(array.dtype), array.shape)


def shape_vector(shape: TensorShape, dtype: DType | None, name: str | None) -> Any:
    """The conversion of a fully known shape to a vector of its dimensions."""
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    sizes = [int(size or 0) for size in shape.as_list()]
    if dtype is None:
        dtype = dt.int32 if max(sizes, default=0) <= dt.int32.max else dt.int64
    return convert(np.array(sizes, dtype.numpy_dtype), dtype)


def refuse_composite(value: Composite, dtype: DType | None, name: str | None) -> Any:
    """The refusal of values that have no form as one tensor, unless they say so themselves."""
    conversion = getattr(value, "__tf_tensor__", None)
    if conversion is not None:
        return conversion(dtype, name)
    raise (TypeError if is_staged() else ValueError)(Unconvertible(value))


class Unconvertible:
    """The message about a composite where a tensor is needed.

    It becomes text only where somebody reads it: mostly another meaning of the function is called
    instead (`op.dispatch`).
    """

    def __init__(self, value: Composite) -> None:
        self._value = value

    def __str__(self) -> str:
        value = self._value
        return (
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to "
            "a Tensor."
        )


register_conversion(TensorShape, shape_vector)
register_conversion(Composite, refuse_composite)
