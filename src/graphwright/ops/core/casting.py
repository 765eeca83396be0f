"""From one dtype to another: by value (`cast`), within bounds, or by bits (`bitcast`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import UnimplementedError
from graphwright.base.logs import get_logger
from graphwright.op.batching import last_axes
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, note_effect, values_of, with_values
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, Op, Shapes, undefined
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import S, Scalars, caster
from graphwright.ops.core.own_ops import Reinterpreted
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, HostValue, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType

CASTABLE = dt.NUMERIC | dt.BOOL | dt.QUANTIZED | dt.NARROW
#: What `tf.strings.to_number` makes of texts.
_NUMBERS_OF_TEXT = (dt.float32, dt.float64, dt.int32, dt.int64)


class Cast(Elementwise):
    """The elements as another dtype: floats truncated to integers, of complex the real part.

    What does not fit an integer wraps around. From a float it is what the processor's conversion of
    one number gives, as in TensorFlow. Where TensorFlow converts many at once, they may differ:
    300.0 as uint8 is 44 or 255. Strings have no cast.
    """

    type_name = "Cast"
    inputs = ("x: SrcT",)
    outputs = ("y: DstT",)
    dtypes = {"SrcT": dt.ANY}
    passes_rows = True

    DstT: DType
    Truncate: bool = False

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        to, source = self.DstT, types[0]
        dtype = to.numpy_dtype
        if source not in CASTABLE or to not in CASTABLE:
            return self.refuse
        if source.is_quantized or to.is_quantized:
            return self.kernel
        if source.is_complex and not to.is_complex:
            cast_real = caster(source.real_dtype.numpy_dtype, dtype)
            return lambda x: cast_real(np.real(x))
        return caster(source.numpy_dtype, dtype)

    def kernel(self, x: Array) -> Any:
        x = dt.plain(x)
        if x.dtype.kind == "c" and not self.DstT.is_complex:
            x = np.real(x)
        dtype = self.DstT.numpy_dtype
        if not self.DstT.is_quantized:
            return x.astype(dtype)
        return x.astype(dtype[0]).view(dtype)

    def refuse(self, x: Array) -> Any:
        """The kernel where there is no cast: fails when it runs."""
        source = dt.of_numpy(x.dtype).name
        to = self.DstT.name
        is_number = source == "string" and self.DstT in _NUMBERS_OF_TEXT
        advice = f"\n    tf.strings.to_number(x, tf.{to}) converts it" if is_number else ""
        raise UnimplementedError(None, None, f"Cast {source} to {to} is not supported{advice}")

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.cast(x, self.DstT)

    def known(self, x: HostValue) -> Any:
        if isinstance(x, tuple):
            return tuple([self.known(entry) for entry in x])
        if not isinstance(x, (int, float)) or not self.DstT.is_integer:
            return None
        return int(x) if self.DstT.min <= x <= self.DstT.max else None

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        source = call.inputs[0].dtype
        if source not in dt.INEXACT or self.DstT not in dt.INEXACT:
            return (None,)
        return (with_values(g, cast(values_of(g), source)),)


BITS = dt.NUMERIC | dt.QUANTIZED


class Bitcast(Op):
    """The same bytes as elements of another dtype.

    To a smaller one, each element becomes a new last axis. To a larger one, the last axis must hold
    the elements that make one.
    """

    type_name = "Bitcast"
    inputs = ("input: T",)
    outputs = ("output: type",)
    dtypes = {"T": BITS}
    gradient = undefined("bits that are read as another dtype change by jumps")
    batched = last_axes

    type: DType

    def shapes(self, x: TensorType) -> Shapes:
        if self.type not in BITS:
            raise ValueError(f"Cannot bitcast to {self.type.name}: its bits are no number")
        dims = x.dims
        have, want = x.dtype.size, self.type.size
        if dims is None or have == want:
            return (dims,)
        if have > want:
            return ((*dims, have // want),)
        if not dims or dims[-1] not in (None, want // have):
            raise ValueError(
                f"Cannot bitcast from {x.dtype.name} to {self.type.name}: the last dimension of "
                f"{list(dims)} must be {want // have}"
            )
        return (dims[:-1],)

    def kernel(self, x: Array) -> Any:
        (dims,) = self.shapes(TensorType(dt.of_numpy(x.dtype), x.shape))
        flat = np.array(x, order="C").reshape(-1)
        return flat.view(self.type.numpy_dtype).reshape(dims)

    def expand(self, x: GraphTensor) -> Any:
        return apply(Reinterpreted.of(self.type), x) if x.dtype.size == self.type.size else None


def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Converts the elements of a tensor to another dtype.

    Floats are truncated to integers. A complex number becomes its real part, with a warning. A
    value that does not fit an integer dtype wraps around, or is what the processor's conversion of
    a float gives.

    Args:
        x: A tensor of numbers or bools.
        dtype: A dtype of numbers or bools, or its name.
        name: A name for the op.

    Returns:
        A tensor of `dtype`, of the shape of `x`; `x` itself where it has that dtype.

    Raises:
        TypeError: `dtype` is no dtype.
        UnimplementedError: `x` or `dtype` is of strings.

    >>> import graphwright as tf
    >>> tf.cast([1.8, 2.2], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    to = as_dtype(dtype)
    if isinstance(x, Composite):  # also one that has a form as one tensor
        raise TypeError(f"tf.cast has no meaning for a {type(x).__name__}")
    x = convert(x)
    if x.dtype is to:
        return x
    if x.dtype.is_complex and to.is_floating:
        warn_of_discarding(x.dtype, to)
    return apply(Cast.of(to), x, name=name)


def warn_of_discarding(source: DType, to: DType) -> None:
    """Says that a cast keeps only the real part."""
    note_effect()
    get_logger().warning(
        "You are casting an input of type %s to an incompatible dtype %s.  This will discard "
        "the imaginary part and may not be what you intended.",
        source.name,
        to.name,
    )


def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """Reads the bytes of a tensor as elements of another dtype.

    To a smaller dtype, each element becomes a new last axis. To a larger one, the last axis holds
    the elements that make one, and goes away.

    Args:
        input: A tensor of numbers.
        type: A dtype of numbers, or its name.
        name: A name for the op.

    Returns:
        A tensor of `type`: of the shape of `input` where the dtypes are of one size, else with one
        axis more or less.

    Raises:
        InvalidArgumentError: The last axis of `input` does not hold the elements that make one.

    >>> import graphwright as tf
    >>> tf.bitcast(1.0, tf.int32)
    <tf.Tensor: shape=(), dtype=int32, numpy=1065353216>
    >>> tf.bitcast(1.0, tf.uint8).shape
    TensorShape([4])
    """
    return apply(Bitcast.of(as_dtype(type)), convert(input), name=name)


one_op(cast, attributes=1)
