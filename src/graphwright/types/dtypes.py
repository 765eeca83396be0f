"""Element types of tensors: names, numbers and limits as in TensorFlow.

A `DType` is interned: two of the same name are the same object. Strings are stored
as NumPy object arrays of `bytes`; resources and variants as bare Python objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, Union

import ml_dtypes
import numpy as np
import numpy.typing as npt

from graphwright.types.arrays import Array, ArrayDType

#: What names a dtype: one of ours, NumPy's, a Python type, or its name.
DTypeLike: TypeAlias = Union["DType", ArrayDType, type, str, int]


class DType:
    """The type of a tensor's elements.

    >>> import graphwright as tf
    >>> tf.float32
    tf.float32
    >>> print(tf.as_dtype("int8").max)
    127
    """

    __slots__ = ("__weakref__", "_enum", "_kind", "_limits", "_name", "_numpy", "interned")

    def __init__(self, name: str, enum: int, numpy_type: npt.DTypeLike, kind: str) -> None:
        self._name = name
        self._enum = enum
        self._numpy: ArrayDType = np.dtype(numpy_type)
        self._kind = kind
        self._limits: tuple[Any, Any] | None = None
        #: The tensor types of this dtype, by shape; see `types.tensor_type`.
        self.interned: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """The name, such as 'float32'."""
        return self._name

    @property
    def as_datatype_enum(self) -> int:
        """The number of this type in a GraphDef."""
        return self._enum

    @property
    def as_numpy_dtype(self) -> Any:
        """The type of one element in NumPy; of quantized types, which have none, NumPy's dtype."""
        if self._kind == "s":
            return object
        return self._numpy if self.is_quantized else self._numpy.type

    @property
    def numpy_dtype(self) -> ArrayDType:
        """The NumPy dtype of the arrays that hold such elements."""
        return self._numpy

    @property
    def is_floating(self) -> bool:
        """Whether this is a real floating-point type."""
        return self._kind == "f"

    @property
    def is_complex(self) -> bool:
        """Whether this is a complex type."""
        return self._kind == "c"

    @property
    def is_integer(self) -> bool:
        """Whether this is an integer type that is not quantized."""
        return self._kind in "iu"

    @property
    def is_unsigned(self) -> bool:
        """Whether this is an unsigned integer type."""
        return self._kind == "u"

    @property
    def is_bool(self) -> bool:
        """Whether this is the boolean type."""
        return self._kind == "b"

    @property
    def is_quantized(self) -> bool:
        """Whether this is a quantized integer type."""
        return self._kind == "q"

    @property
    def is_numeric(self) -> bool:
        """Whether elements are numbers (and not bool, string, resource or variant)."""
        return self._kind in "fciuq"

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether NumPy has an array type for it."""
        return self._kind not in "rv"

    @property
    def base_dtype(self) -> DType:
        """The type itself: there are no reference types."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part of an element."""
        return {complex64: float32, complex128: float64}.get(self, self)

    @property
    def size(self) -> int:
        """Bytes of one element; 0 for strings, resources and variants."""
        return self._numpy.itemsize if self._kind not in "srv" else 0

    @property
    def min(self) -> Any:
        """The smallest finite value; TypeError if this is no integer or floating-point type."""
        return self._finite("minimum")[0]

    @property
    def max(self) -> Any:
        """The largest finite value; TypeError if this is no integer or floating-point type."""
        return self._finite("maximum")[1]

    @property
    def limits(self) -> tuple[Any, Any]:
        """From 0 to 1, or to the largest integer: what pixels of images of this type span.

        ValueError if no image has this type.
        """
        if self in (float32, float64):
            return (0, 1)
        if self._kind not in "iub" or self in NARROW_INTEGER:
            raise ValueError(f"{self!r} does not have defined limits.")
        return (0, self.bounds[1])

    def _finite(self, which: str) -> tuple[Any, Any]:
        if self._kind not in "fiu":
            raise TypeError(f"Cannot find {which} value of {self!r}.")
        return self.bounds

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The least and the greatest element; bool and quantized types have them too."""
        if self._limits is None:
            if self._kind == "f":
                info = ml_dtypes.finfo(self._numpy)  # type: ignore[no-untyped-call]
                self._limits = (info.min, info.max)
            elif self._kind in "iu":
                integer = ml_dtypes.iinfo(self._numpy)  # type: ignore[no-untyped-call]
                self._limits = (integer.min, integer.max)
            elif self._kind == "q":
                field = self._numpy.names[0] if self._numpy.names else ""
                quantized = np.iinfo(self._numpy[field])
                self._limits = (quantized.min, quantized.max)
            elif self._kind == "b":
                self._limits = (False, True)
            else:
                raise TypeError(f"The elements of {self!r} have no order.")
        return self._limits

    def is_compatible_with(self, other: DTypeLike) -> bool:
        """Returns whether a tensor of another type can be used where this one is expected.

        Args:
            other: A dtype, or what makes one.

        Returns:
            A bool: whether it is this type.
        """
        return self is as_dtype(other)

    def is_subtype_of(self, other: object) -> bool:
        """Returns whether every element of this type is one of another: only of itself.

        Args:
            other: Any value.

        Returns:
            A bool.
        """
        return self is other

    def most_specific_common_supertype(self, types: Iterable[object]) -> DType | None:
        """Returns this type if several are all it.

        Args:
            types: An iterable of types.

        Returns:
            The dtype, or None.
        """
        return self if all(self is t for t in types) else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._enum

    def __str__(self) -> str:
        return f"<dtype: {self._name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self._name,)

    def __copy__(self) -> DType:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> DType:
        return self


float16 = half = DType("float16", 19, np.float16, "f")
float32 = DType("float32", 1, np.float32, "f")
float64 = double = DType("float64", 2, np.float64, "f")
bfloat16 = DType("bfloat16", 14, ml_dtypes.bfloat16, "f")
float8_e5m2 = DType("float8_e5m2", 24, ml_dtypes.float8_e5m2, "f")
float8_e4m3fn = DType("float8_e4m3fn", 25, ml_dtypes.float8_e4m3fn, "f")
float8_e4m3fnuz = DType("float8_e4m3fnuz", 26, ml_dtypes.float8_e4m3fnuz, "f")
float8_e4m3b11fnuz = DType("float8_e4m3b11fnuz", 27, ml_dtypes.float8_e4m3b11fnuz, "f")
float8_e5m2fnuz = DType("float8_e5m2fnuz", 28, ml_dtypes.float8_e5m2fnuz, "f")
float4_e2m1fn = DType("float4_e2m1fn", 33, ml_dtypes.float4_e2m1fn, "f")
int2 = DType("int2", 31, ml_dtypes.int2, "i")
int4 = DType("int4", 29, ml_dtypes.int4, "i")
uint2 = DType("uint2", 32, ml_dtypes.uint2, "u")
uint4 = DType("uint4", 30, ml_dtypes.uint4, "u")
int8 = DType("int8", 6, np.int8, "i")
int16 = DType("int16", 5, np.int16, "i")
int32 = DType("int32", 3, np.int32, "i")
int64 = DType("int64", 9, np.int64, "i")
uint8 = DType("uint8", 4, np.uint8, "u")
uint16 = DType("uint16", 17, np.uint16, "u")
uint32 = DType("uint32", 22, np.uint32, "u")
uint64 = DType("uint64", 23, np.uint64, "u")
bool_ = DType("bool", 10, np.bool_, "b")
complex64 = DType("complex64", 8, np.complex64, "c")
complex128 = DType("complex128", 18, np.complex128, "c")
string = DType("string", 7, np.object_, "s")
qint8 = DType("qint8", 11, np.dtype([("qint8", np.int8)]), "q")
quint8 = DType("quint8", 12, np.dtype([("quint8", np.uint8)]), "q")
qint16 = DType("qint16", 15, np.dtype([("qint16", np.int16)]), "q")
quint16 = DType("quint16", 16, np.dtype([("quint16", np.uint16)]), "q")
qint32 = DType("qint32", 13, np.dtype([("qint32", np.int32)]), "q")
resource = DType("resource", 20, np.object_, "r")
variant = DType("variant", 21, np.object_, "v")

FLOATING = frozenset({float16, bfloat16, float32, float64})
COMPLEX = frozenset({complex64, complex128})
SIGNED = frozenset({int8, int16, int32, int64})
UNSIGNED = frozenset({uint8, uint16, uint32, uint64})
INTEGER = SIGNED | UNSIGNED
REAL = FLOATING | INTEGER
NUMERIC = REAL | COMPLEX
INEXACT = FLOATING | COMPLEX
BOOL = frozenset({bool_})
INDEX = frozenset({int32, int64})
STRING = frozenset({string})
QUANTIZED = frozenset({qint8, quint8, qint16, quint16, qint32})
FLOAT8 = frozenset(
    {float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz}
)
#: Integers of less than a byte. Like the other `NARROW` dtypes, floats of a byte or less, they are
#: stored, moved and cast, but not computed with.
NARROW_INTEGER = frozenset({int2, int4, uint2, uint4})
NARROW = FLOAT8 | NARROW_INTEGER | {float4_e2m1fn}
ANY = NUMERIC | BOOL | STRING | QUANTIZED | NARROW | {resource, variant}

_BY_NAME: dict[str, DType] = {t.name: t for t in ANY}
_BY_NAME |= {"half": float16, "float": float32, "double": float64}
_BY_ENUM: dict[int, DType] = {t.as_datatype_enum: t for t in ANY}


class _OfNumPy(dict["np.dtype[Any]", DType]):
    """DTypes by NumPy's, whose byte order does not matter."""

    def __missing__(self, dtype: ArrayDType) -> DType:
        if dtype.kind in "US":
            return string
        native = dtype.newbyteorder("=")
        if native in self:
            return self[native]
        raise TypeError(f"Cannot convert a NumPy array of dtype {dtype} to a tensor.")


#: The DType of a NumPy array's elements; TypeError where there is none. Eager ops ask often, so
#: there is no Python function around the look-up.
of_numpy: Callable[[ArrayDType], DType] = _OfNumPy(
    {t.numpy_dtype: t for t in ANY if t not in (resource, variant)}
).__getitem__


def plain(x: Array) -> Any:
    """An array of quantized integers as one of plain integers; others as they are."""
    x = np.asarray(x)
    return x if x.dtype.names is None else x.view(x.dtype[0])


#: What Python's own types stand for. Those of integers, complex numbers and text stand for none.
_BY_PYTHON: dict[Any, DType] = {float: float32, bool: bool_, object: string}


def widest(dtypes: Iterable[DType]) -> DType:
    """The dtype to which a cast of the others loses least, the first of several."""
    return max(dtypes, key=lambda d: (d.is_complex, d.is_floating, not d.is_bool, d.size))


def as_dtype(type_value: object) -> DType:
    """Converts a value to a dtype.

    Args:
        type_value: A dtype, its name, its number in TensorFlow's protocol, NumPy's dtype or a value
            of it, or one of Python's `float`, `bool` and `object`.

    Returns:
        A `tf.DType`.

    Raises:
        TypeError: There is no such dtype.

    >>> import graphwright as tf, numpy as np
    >>> tf.as_dtype(np.int64), tf.as_dtype("float"), tf.as_dtype(float)
    (tf.int64, tf.float32, tf.float32)
    """
    if isinstance(type_value, DType):
        return type_value
    kind: Any = type_value
    if isinstance(kind, (np.ndarray, np.generic)):
        kind = kind.dtype
    elif isinstance(kind, type) and issubclass(kind, np.generic):
        kind = np.dtype(kind)
    try:
        if isinstance(kind, np.dtype):
            return of_numpy(kind)
        if isinstance(kind, str):
            return _BY_NAME[kind]
        return _BY_PYTHON[kind] if isinstance(kind, type) else _BY_ENUM[kind]
    except (KeyError, TypeError):  # a tensor and a list have no hash
        pass
    raise TypeError(
        f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
    )
