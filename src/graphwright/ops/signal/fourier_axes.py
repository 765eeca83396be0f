"""Discrete Fourier transforms along any axes."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import shape_of
from graphwright.ops.math.reduction import reduce_prod
from graphwright.ops.signal.fourier import COMPLEX_OF, REAL_OF, ends, fit_axis
from graphwright.ops.signal.fourier_kernels import KERNELS
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, normalize_axes

#: The operand of axes, known or not.
TransformAxes: TypeAlias = tuple[int, ...] | TensorValue

NORMS = (None, "backward", "ortho", "forward")


class AxesTransform(Op):
    """A transform along axes, each cropped or padded with zeros to its size in `fft_length`."""

    ruled = True
    #: Its name in `numpy.fft`.
    function: ClassVar[str]

    def transformed(
        self, x: TensorType, fft_length: Dims | None, axes: Dims | None
    ) -> list[int | None] | None:
        """The dims with the lengths in place; None of unknown rank or unknown axes."""
        if x.dims is None or axes is None or None in axes:
            return None
        places = normalize_axes(axes, len(x.dims))
        lengths = (None,) * len(places) if fft_length is None else fft_length
        if len(lengths) != len(places):
            raise ValueError(
                f"fft_length {lengths} and axes {axes} of {self.type_name} must have one length"
            )
        dims = list(x.dims)
        for place, length in zip(places, lengths):
            dims[place] = length
        return dims

    def shapes(self, x: TensorType, fft_length: Dims | None, axes: Dims | None) -> Shapes:
        dims = self.transformed(x, fft_length, axes)
        return (None if dims is None else tuple(dims),)

    def kernel(self, x: Array, fft_length: tuple[int, ...], axes: tuple[int, ...]) -> Any:
        return KERNELS[self.function](x, fft_length, axes)

    def fitted(self, x: TensorValue, like: TensorValue, axes: TransformAxes) -> Any:
        """Crops or pads the axes of a cotangent to the sizes of the operand."""
        sizes = axis_sizes(like)
        for place in known_axes(axes, len(sizes)):
            x = fit_axis(x, place, sizes[place], len(sizes))
        return reshape(x, shape_of(like))


def known_axes(axes: TransformAxes, rank: int) -> tuple[int, ...]:
    """The axes, counted from the front; NotImplementedError where they are not known."""
    known: Any = axes
    if not isinstance(axes, tuple):
        known = axes.numpy().tolist() if hasattr(axes, "numpy") else None
    if known is None:
        raise NotImplementedError("the gradient of a transform along axes that are not known")
    return normalize_axes(tuple(known), rank)


def total(fft_length: TensorLike, dtype: DType) -> Any:
    """The number of elements that a transform combines."""
    return cast(reduce_prod(convert(fft_length)), dtype)


class ComplexTransform(AxesTransform):
    """A transform of complex numbers."""

    inputs = ("input: Tcomplex", "fft_length: int32 host", "axes: int32 host")
    outputs = ("output: Tcomplex",)
    dtypes = {"Tcomplex": dt.COMPLEX}


class FFTND(ComplexTransform):
    """The transform of a complex tensor along axes."""

    type_name = "FFTND"
    function = "fftn"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, fft_length, axes = call.inputs
        full = apply(IFFTND.of(), g, fft_length, axes) * total(fft_length, g.dtype)
        return self.fitted(full, x, axes), None, None


class IFFTND(ComplexTransform):
    """The inverse of FFTND."""

    type_name = "IFFTND"
    function = "ifftn"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, fft_length, axes = call.inputs
        full = apply(FFTND.of(), g, fft_length, axes) / total(fft_length, g.dtype)
        return self.fitted(full, x, axes), None, None


def along_axis(vector: TensorValue, axis: int, rank: int) -> Any:
    """A vector in a shape that broadcasts along one axis."""
    return reshape(vector, [-1 if i == axis else 1 for i in builtins.range(rank)])


class RFFTND(AxesTransform):
    """The half spectrum of a real tensor along axes: half along the last of them."""

    type_name = "RFFTND"
    inputs = ("input: Treal", "fft_length: int32 host", "axes: int32 host")
    outputs = ("output: Tcomplex",)
    dtypes = {"Treal": frozenset(COMPLEX_OF)}
    function = "rfftn"

    Tcomplex: DType = dt.complex64

    def shapes(self, x: TensorType, fft_length: Dims | None, axes: Dims | None) -> Shapes:
        dims = self.transformed(x, fft_length, axes)
        if dims is not None:
            last = normalize_axes(axes, len(dims))[-1]
            size = dims[last]
            dims[last] = None if size is None else size // 2 + 1
        return (None if dims is None else tuple(dims),)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, fft_length, axes = call.inputs
        rank = len(axis_sizes(x))
        weights = along_axis(ends(fft_length, g.dtype, 0.5), known_axes(axes, rank)[-1], rank)
        full = apply(IRFFTND.of(x.dtype), g * weights, fft_length, axes)
        return self.fitted(full * total(fft_length, x.dtype), x, axes), None, None


class IRFFTND(AxesTransform):
    """The inverse of RFFTND."""

    type_name = "IRFFTND"
    inputs = ("input: Tcomplex", "fft_length: int32 host", "axes: int32 host")
    outputs = ("output: Treal",)
    dtypes = {"Tcomplex": dt.COMPLEX}
    function = "irfftn"

    Treal: DType = dt.float32

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, fft_length, axes = call.inputs
        rank = len(axis_sizes(x))
        weights = along_axis(ends(fft_length, x.dtype, 2.0), known_axes(axes, rank)[-1], rank)
        half = apply(RFFTND.of(x.dtype), g, fft_length, axes)
        return self.fitted(half * weights / total(fft_length, x.dtype), x, axes), None, None


def transform(
    op: Op,
    x: TensorValue,
    fft_length: TensorLike | None,
    axes: Sequence[int] | None,
    norm: str | None,
    forward: bool,
) -> Any:
    """Applies a transform: by default of the operand's sizes, along all axes or the last ones."""
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {NORMS}. Received: {norm!r}")
    sizes = axis_sizes(x)
    lengths: Any = fft_length
    if axes is None:
        count = len(sizes) if lengths is None else len(lengths)
        axes = tuple(builtins.range(-count, 0))
    places = normalize_axes(tuple(axes), len(sizes))
    if lengths is None:
        lengths = [sizes[a] for a in places]
        if isinstance(op, IRFFTND):
            lengths[-1] = 2 * (lengths[-1] - 1)
    result = apply(op, x, lengths, tuple(axes))
    if norm in (None, "backward"):
        return result
    if all(isinstance(n, int) for n in lengths):
        size: Any = convert(float(math.prod(lengths)), result.dtype)
    else:
        size = total(lengths, result.dtype)
    factor = size if norm == "forward" else size**0.5
    return result / factor if forward else result * factor


def fftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the discrete Fourier transform of a complex tensor along any axes.

    Args:
        input_tensor: A tensor of complex numbers, of any shape.
        fft_length: The size of each of the axes, to which the operand is cropped or padded with
            zeros. None means its sizes.
        axes: The axes, as a list of ints. None means the last ones, as many as `fft_length` has, or
            all axes.
        norm: None or "backward" for no factor here, "forward" for division by the size of the
            transform, "ortho" for division by its square root.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_tensor`.

    Raises:
        ValueError: `norm` is another string, or an axis does not exist.
        InvalidArgumentError: `fft_length` and `axes` differ in length.

    >>> import graphwright as tf
    >>> tf.signal.fftnd(tf.constant([[1, 0]], tf.complex64), axes=[1]).numpy().tolist()
    [[(1+0j), (1+0j)]]
    """
    x = convert(input_tensor, None, dt.complex64)
    return transform(FFTND.of(), x, fft_length, axes, norm, True)


def ifftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the inverse of `tf.signal.fftnd`, along any axes.

    Args:
        input_tensor: A tensor of complex numbers, of any shape.
        fft_length: The size of each of the axes, to which the operand is cropped or padded with
            zeros. None means its sizes.
        axes: The axes, as a list of ints. None means the last ones, as many as `fft_length` has, or
            all axes.
        norm: The `norm` of the transform that is undone: None, "backward", "forward" or "ortho".
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_tensor`.

    Raises:
        ValueError: `norm` is another string, or an axis does not exist.
        InvalidArgumentError: `fft_length` and `axes` differ in length.

    >>> import graphwright as tf
    >>> tf.signal.ifftnd(tf.constant([[2, 0]], tf.complex64), axes=[1]).numpy().tolist()
    [[(1+0j), (1+0j)]]
    """
    x = convert(input_tensor, None, dt.complex64)
    return transform(IFFTND.of(), x, fft_length, axes, norm, False)


def rfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the discrete Fourier transform of a real tensor along any axes, half of it along the
    last of them.

    Args:
        input_tensor: A tensor of float32 or float64, of any shape.
        fft_length: The size of each of the axes, to which the operand is cropped or padded with
            zeros. None means its sizes.
        axes: The axes, as a list of ints. None means the last ones, as many as `fft_length` has, or
            all axes.
        norm: None or "backward" for no factor here, "forward" for division by the size of the
            transform, "ortho" for division by its square root.
        name: A name for the op.

    Returns:
        A tensor of complex64 or complex128. The last of the axes has `n // 2 + 1` values.

    Raises:
        ValueError: `norm` is another string, or an axis does not exist.
        InvalidArgumentError: `fft_length` and `axes` differ in length.

    >>> import graphwright as tf
    >>> tf.signal.rfftnd([[1.0, 0.0]], axes=[1]).numpy().tolist()
    [[(1+0j), (1+0j)]]
    """
    x = convert(input_tensor, None, dt.float32)
    op = RFFTND.of(COMPLEX_OF.get(x.dtype, dt.complex64))
    return transform(op, x, fft_length, axes, norm, True)


def irfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the inverse of `tf.signal.rfftnd`, along any axes.

    Args:
        input_tensor: A tensor of complex64 or complex128, of any shape.
        fft_length: The size of the result along each of the axes. None means the sizes of the
            operand, and an even size of the last axis.
        axes: The axes, as a list of ints. None means the last ones, as many as `fft_length` has, or
            all axes.
        norm: The `norm` of the transform that is undone: None, "backward", "forward" or "ortho".
        name: A name for the op.

    Returns:
        A tensor of float32 or float64.

    Raises:
        ValueError: `norm` is another string, or an axis does not exist.
        InvalidArgumentError: `fft_length` and `axes` differ in length.

    >>> import graphwright as tf
    >>> tf.signal.irfftnd(tf.constant([[2, 0]], tf.complex64), axes=[1]).numpy().tolist()
    [[1.0, 1.0]]
    """
    x = convert(input_tensor, None, dt.complex64)
    op = IRFFTND.of(REAL_OF.get(x.dtype, dt.float32))
    return transform(op, x, fft_length, axes, norm, False)
