"""`Tensor`, the base of eager and symbolic tensors, and `EagerTensor`.

An eager tensor is a thin immutable box around a NumPy array, or around the object of a resource or
variant. Its `TensorType` is computed at the first request.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy import asarray, ndarray
from numpy.typing import NDArray

from graphwright.op.interpreter import STATE, note_read
from graphwright.op.op import host_value
from graphwright.op.refusal import boundary
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, of_numpy, plain
from graphwright.types.shape import TensorShape, as_shape
from graphwright.types.tensor_type import Dims, TensorType
from graphwright.values.array_methods import (
    ASSIGNMENTS,
    FORMS,
    MissingAttribute,
    no_attribute,
)
from graphwright.values.logical_devices import DEFAULT
from graphwright.values.tensor_operators import Operators


class Dense:
    """What stands for one dense tensor: tensors, variables, and classes of libraries that say so.

    >>> import graphwright as tf
    >>> isinstance(tf.Variable(1.0), tf.__internal__.types.Tensor)
    True
    """

    __slots__: tuple[str, ...] = ()


if TYPE_CHECKING:

    class TypedOperators(Operators):
        """What operators give, as type checkers and editors see it."""

        def __add__(self, other: TensorLike, /) -> Tensor: ...
        def __radd__(self, other: TensorLike, /) -> Tensor: ...
        def __sub__(self, other: TensorLike, /) -> Tensor: ...
        def __rsub__(self, other: TensorLike, /) -> Tensor: ...
        def __mul__(self, other: TensorLike, /) -> Tensor: ...
        def __rmul__(self, other: TensorLike, /) -> Tensor: ...
        def __truediv__(self, other: TensorLike, /) -> Tensor: ...
        def __rtruediv__(self, other: TensorLike, /) -> Tensor: ...
        def __floordiv__(self, other: TensorLike, /) -> Tensor: ...
        def __rfloordiv__(self, other: TensorLike, /) -> Tensor: ...
        def __mod__(self, other: TensorLike, /) -> Tensor: ...
        def __rmod__(self, other: TensorLike, /) -> Tensor: ...
        def __pow__(self, other: TensorLike, /) -> Tensor: ...
        def __rpow__(self, other: TensorLike, /) -> Tensor: ...
        def __matmul__(self, other: TensorLike, /) -> Tensor: ...
        def __rmatmul__(self, other: TensorLike, /) -> Tensor: ...
        def __and__(self, other: TensorLike, /) -> Tensor: ...
        def __rand__(self, other: TensorLike, /) -> Tensor: ...
        def __or__(self, other: TensorLike, /) -> Tensor: ...
        def __ror__(self, other: TensorLike, /) -> Tensor: ...
        def __xor__(self, other: TensorLike, /) -> Tensor: ...
        def __rxor__(self, other: TensorLike, /) -> Tensor: ...
        def __lt__(self, other: TensorLike, /) -> Tensor: ...
        def __le__(self, other: TensorLike, /) -> Tensor: ...
        def __gt__(self, other: TensorLike, /) -> Tensor: ...
        def __ge__(self, other: TensorLike, /) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def __eq__(self, other: object, /) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: object, /) -> Tensor: ...  # type: ignore[override]
        def __getitem__(self, key: object, /) -> Tensor: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...

else:
    TypedOperators = Operators


class Tensor(TypedOperators, Dense):
    """A multi-dimensional array of elements of one dtype.

    Eagerly a tensor has a value. Inside a `tf.function` it is symbolic: a value of the graph.

    Python's operators call the functions of `tf.math`, and `tensor[key]` slices as NumPy does.

    >>> import graphwright as tf
    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> x.shape, x.dtype
    (TensorShape([2, 2]), tf.float32)
    >>> (x + 1.0)[:, 0].numpy()
    array([2., 4.], dtype=float32)
    """

    __slots__ = ("__dict__", "__weakref__")  # libraries give tensors attributes
    assign: Any  # of a slice of a variable: sets that part of it; no other tensor has it
    #: Whether it was made of a list or text for an op, which an eager one may be.
    _of_list = False

    @property
    def type(self) -> TensorType:
        """The static type: dtype and what is known of the shape."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Tensor]:
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.type.dtype

    @property
    def dims(self) -> Dims | None:
        """The static shape as a tuple, None for what is unknown."""
        return self.type.dims

    @property
    def known(self) -> Any:
        """The value as a host operand takes it, None for what is not known while tracing."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """The static shape; entries are None where a traced tensor's is unknown."""
        return TensorShape.from_dims(self.type.dims)

    @property
    def ndim(self) -> int | None:
        """The number of dimensions."""
        return self.type.rank

    def get_shape(self) -> TensorShape:
        """The static shape, as `shape`."""
        return self.shape

    if TYPE_CHECKING:  # of tensors with a value; types do not tell them from those of graphs

        @property
        def parts(self) -> tuple[Any, ...] | None: ...
        @property
        def device(self) -> str: ...
        @property
        def name(self) -> str: ...
        def numpy(self) -> NDArray[Any]: ...
        def set_shape(self, shape: ShapeLike) -> None: ...
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
        def __bool__(self) -> bool: ...
        def __len__(self) -> int: ...

    # `id` itself, which takes half as long as a function that calls it: tapes ask for it often.
    key = property(id, doc="What identifies this tensor as a value, while it is alive.")

    @property
    def variable(self) -> Any:
        """The variable whose handle this is, or None."""
        return None

    def __dir__(self) -> list[str]:
        """The attributes that TensorFlow's tensors have too: others are the package's own."""
        return [
            name
            for name in super().__dir__()
            if name not in OWN_ATTRIBUTES
            and type(getattr_static(self, name)) is not MissingAttribute
        ]

    def ref(self) -> Reference:
        """Returns a hashable reference to this tensor, for use as a key.

        >>> import graphwright as tf
        >>> x = tf.constant(1.0)
        >>> {x.ref(): "one"}[x.ref()]
        'one'
        """
        return Reference(self)


for missing in (*FORMS, *ASSIGNMENTS):
    setattr(Tensor, missing, MissingAttribute(missing, no_attribute))

#: Attributes of tensors that TensorFlow's lack.
OWN_ATTRIBUTES = frozenset({"assign", "dims", "key", "known", "parts", "type", "variable"})


class Reference:
    """A hashable stand-in for a tensor or variable: equal if it refers to the same object."""

    __slots__ = ("__weakref__", "_referent")

    def __init__(self, referent: object) -> None:
        self._referent = referent

    def deref(self) -> Any:
        """The object referred to."""
        return self._referent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._referent is other._referent

    def __hash__(self) -> int:
        return id(self._referent)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._referent!r}>"


class EagerTensor(Tensor):
    """A tensor with a value, which `box` puts in: a class without `__init__` is made faster.

    >>> import graphwright as tf
    >>> isinstance(tf.constant(1), tf.__internal__.EagerTensor)
    True
    """

    __slots__ = ("_array", "_type")
    _array: Any
    _type: TensorType | None
    _device: str = DEFAULT
    #: Whether a small one may become a constant of a graph.
    _is_constant = True

    @property
    def type(self) -> TensorType:
        """The static type, of fully known shape."""
        if self._type is None:
            array = self._array
            self._type = TensorType(of_numpy(array.dtype), array.shape)
        return self._type

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        array = self._array
        return array.ndim if type(array) is ndarray else 0

    @property
    def dims(self) -> Dims:
        """The shape as a tuple."""
        array = self._array
        return array.shape if type(array) is ndarray else ()

    @property
    def known(self) -> Any:
        """The value as a host operand takes it: numbers or nested tuples of them."""
        return host_value(self._ndarray())

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return of_numpy(self._array.dtype) if self._type is None else self._type.dtype

    @property
    def variable(self) -> Any:
        """The variable whose handle this is, or None."""
        owner = getattr(self._array, "owner", None)
        return None if owner is None else owner()

    @property
    def device(self) -> str:
        """The full name of the device that has the tensor."""
        return self._device

    @property
    def backing_device(self) -> str:
        """The full name of the device whose memory has the value."""
        return self._device

    def cpu(self) -> EagerTensor:
        """Returns the tensor on the CPU.

        >>> import graphwright as tf
        >>> tf.constant(1).cpu().device
        '/job:localhost/replica:0/task:0/device:CPU:0'
        """
        return box(self._array, self._type)

    def gpu(self, gpu_index: int = 0) -> NoReturn:
        """Refuses: there is no GPU.

        Args:
            gpu_index: The number of the GPU.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(f"There is no GPU:{gpu_index} to copy the tensor to.")

    def numpy(self) -> Any:
        """Returns the value: a new array, or a NumPy scalar (bytes for a string) if it has no axes.

        Raises:
            TypeError: The dtype has no NumPy form.

        >>> import graphwright as tf
        >>> tf.constant([1, 2]).numpy(), tf.constant("a").numpy()
        (array([1, 2], dtype=int32), b'a')
        """
        array = plain(self._ndarray())
        if STATE.active is not None:
            note_read(self)
        return array.copy() if array.ndim else array[()]

    def _ndarray(self) -> Any:
        array = self._array
        if type(array) is not np.ndarray:
            raise TypeError(f"A tensor of dtype {self.dtype.name} has no NumPy form.")
        return array if array.dtype.names is None else array.view(array.dtype[0])  # quantized

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        array = plain(self._ndarray())
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        if copy:
            return array.copy()
        view = array.view()
        view.flags.writeable = False
        return view

    def __dlpack__(self, **options: Any) -> Any:
        return self._ndarray().__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._ndarray().__dlpack_device__()

    def __bool__(self) -> bool:
        array = self._ndarray()
        if array.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use "
                "tf.reduce_any(t) or tf.reduce_all(t)."
            )
        if STATE.active is not None:
            note_read(self)
        return bool(array) if array.size else False

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        array = self._ndarray()
        if array.ndim or array.dtype.kind not in "iu":
            raise TypeError(
                "only integer scalar tensors can be converted to a scalar index, not one of "
                f"shape {self.shape} and dtype {self.dtype.name}"
            )
        return int(array)

    def _scalar(self, to: str) -> Any:
        array = self._ndarray()
        if array.ndim:
            raise TypeError(
                f"Only tensors without axes can be converted to a Python {to}, not shape "
                f"{self.shape}"
            )
        if STATE.active is not None:
            note_read(self)
        return array[()]

    def __len__(self) -> int:
        array = self._ndarray()
        if not array.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return len(array)

    def __iter__(self) -> Iterator[Tensor]:
        if not self._ndarray().ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self)))

    def __format__(self, spec: str) -> str:
        array = self._array
        if type(array) is not np.ndarray:
            return format(str(self), spec)
        return format(array if array.ndim else array[()], spec)

    def __buffer__(self, flags: int) -> memoryview:
        """The elements as a buffer that is not to be written (asked for from Python 3.12 on)."""
        elements = self._array.view()
        elements.flags.writeable = False
        return memoryview(elements)

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> EagerTensor:
        if type(self._array) is not np.ndarray:
            return self
        copied = box(self._array.copy(), self._type)
        copied._device = self._device
        return copied

    def __reduce__(self) -> Any:
        return _restore, (self._ndarray(),)

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, {show(self, True)}>"

    def __str__(self) -> str:
        return f"tf.Tensor({show(self, False)}, shape={self.shape}, dtype={self.dtype.name})"

    @property
    def name(self) -> NoReturn:
        """Eager tensors have no name."""
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Eager tensors belong to no graph."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def op(self) -> NoReturn:
        """Eager tensors are made by no graph's operation."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @boundary
    def set_shape(self, shape: ShapeLike) -> None:
        """Checks that `shape` is compatible; an eager tensor's shape is known already.

        Args:
            shape: A `tf.TensorShape`, or what makes one.

        Raises:
            ValueError: The shape is another.
        """
        supplied: object = shape
        if not self.shape.is_compatible_with(as_shape(shape)):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {supplied}."
            )


def _restore(array: Array) -> EagerTensor:
    return box(array)


def show(tensor: EagerTensor, representation: bool) -> str:
    """The value as `repr` or `str` prints it, on a line of its own where it needs several."""
    array: Any = tensor._array
    if type(array) is not np.ndarray:
        return f"value={array!r}" if representation else f"<{tensor.dtype.name}>"
    array = tensor._ndarray()
    array = plain(array)
    if array.ndim == 0:
        scalar: Any = array[()]
        text = repr(scalar.item() if isinstance(scalar, np.generic) else scalar)
        if not representation:
            text = str(scalar)
    else:
        text = repr(array) if representation else str(array)
    if "\n" in text:
        text = "\n" + text
    return f"numpy={text}" if representation else text


def box(value: object, type: TensorType | None = None) -> EagerTensor:
    """The tensor of an array, or of the bare object of a resource or variant."""
    tensor = EagerTensor()
    tensor._array = value
    tensor._type = type
    return tensor


def wrap(result: Any) -> Any:
    """A kernel's result as a tensor; None where the op has none."""
    if type(result) is ndarray:
        tensor = EagerTensor()
        tensor._array = result
        tensor._type = None
        return tensor
    if result is None:
        return None
    if isinstance(result, np.generic):
        tensor = EagerTensor()
        tensor._array = asarray(result)
        tensor._type = None
        return tensor
    if isinstance(result, bytes):
        return box(np.array(result, dtype=object))
    return box(result, result.tensor_type)
