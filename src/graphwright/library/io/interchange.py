"""Tensors for other libraries: DLPack's capsules and protobuf's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.op.interpreter import activate, convert
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import Dims
from graphwright.values.convert import constant
from graphwright.values.tensor import wrap

if TYPE_CHECKING:
    from graphwright.proto.tensor_pb2 import TensorProto, TensorShapeProto


def shape_message(dims: Dims | None) -> TensorShapeProto:
    """The message of dims."""
    from graphwright.ir.tensor_proto import shape_proto  # protobuf is large

    return shape_proto(dims)


CPU = (1, 0)  # DLPack's type of the device, and the number of the device


class Capsule:
    """A capsule of memory on the CPU, behind the methods that `numpy.from_dlpack` calls."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


def to_dlpack(tf_tensor: TensorLike) -> Any:
    """Returns a DLPack capsule of an eager tensor's memory, which can be read once.

    Args:
        tf_tensor: An eager tensor of numbers or bools, or a value that makes one.

    Returns:
        A capsule. It shares memory with the tensor, unless nothing may write that: capsules cannot
        say so.

    >>> import graphwright as tf
    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    >>> tf.experimental.dlpack.from_dlpack(capsule)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """
    tensor: Any = convert(tf_tensor)
    array: Array = tensor._ndarray()
    return (array if array.flags.writeable else array.copy()).__dlpack__()


def from_dlpack(dlcapsule: object) -> Tensor:
    """Returns the tensor of a DLPack capsule.

    Args:
        dlcapsule: A capsule, or an array with the method `__dlpack__`; its memory is on the CPU.

    Returns:
        An eager tensor of the dtype and shape in the capsule. It shares the memory where this is
        contiguous, so what changes it later changes the tensor.

    >>> import graphwright as tf
    >>> tf.experimental.dlpack.from_dlpack(np.array([1, 2]))
    <tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>
    """
    holder: Any = dlcapsule if hasattr(dlcapsule, "__dlpack__") else Capsule(dlcapsule)
    array = np.from_dlpack(holder)
    return wrap(array) if array.flags.c_contiguous and array.flags.aligned else convert(array)


def make_tensor_proto(
    values: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> TensorProto:
    """Returns values as a TensorProto message, which `tf.make_ndarray` reads.

    Args:
        values: A number, a nested list, a NumPy array or an eager tensor.
        dtype: The dtype of the message. None means that of `values`.
        shape: The shape of the message, a list of ints. None means that of `values`.
        verify_shape: Whether `values` must have exactly `shape`.
        allow_broadcast: Whether fewer values than `shape` holds are accepted: the last one is then
            repeated.

    Returns:
        A `TensorProto` message.

    Raises:
        TypeError: `verify_shape` is set and `values` has another shape, or a tensor of a graph is
            among `values`.
        ValueError: The number of values is not that of `shape`.

    >>> import graphwright as tf
    >>> tf.make_ndarray(tf.make_tensor_proto([[1, 2], [3, 4]])).tolist()
    [[1, 2], [3, 4]]
    """
    from graphwright.ir.tensor_proto import tensor_proto  # protobuf is large

    if any(isinstance(leaf, SymbolicTensor) for leaf in tree.flatten(values)):
        raise TypeError(
            "Expected any non-tensor type, but got a tensor instead: a tensor of a graph has no "
            "value while the function is traced. `tf.io.serialize_tensor` is an op that writes it."
        )
    with activate(None):  # in a graph, too, the values are there
        tensor = constant(values, None if dtype is None else as_dtype(dtype))
    array = np.asarray(tensor.numpy(), object if tensor.dtype.name == "string" else None)
    if shape is not None:
        dims: Any = TensorShape(shape).as_list()
        size = int(np.prod(dims))
        if verify_shape and list(array.shape) != dims:
            raise TypeError(f"Expected Tensor's shape: {tuple(dims)}, but got {array.shape}.")
        if array.size != size and not (allow_broadcast and 0 < array.size < size):
            raise ValueError(f"{array.size} values do not make a tensor of shape {dims}")
        flat = np.full(size, array.reshape(-1)[-1], array.dtype)
        flat[: array.size] = array.reshape(-1)
        array = flat.reshape(dims)
    return tensor_proto(array, tensor.dtype)


def make_ndarray(tensor: TensorProto) -> Array:
    """Returns the NumPy array in a TensorProto message.

    Args:
        tensor: A `TensorProto` message, as `tf.make_tensor_proto` makes it.

    Returns:
        A NumPy array of the shape and dtype of the message; strings are bytes objects.

    Raises:
        TypeError: NumPy lacks the dtype.

    >>> import graphwright as tf
    >>> tf.make_ndarray(tf.make_tensor_proto([1.0, 2.0]))
    array([1., 2.], dtype=float32)
    """
    from graphwright.ir.tensor_proto import array_of

    dtype = as_dtype(int(tensor.dtype))
    if not dtype.is_numpy_compatible:
        raise TypeError(f"Unsupported tensor type: {dtype.name}")
    return array_of(tensor, dtype)
