"""Discrete Fourier transforms of complex and of real signals."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from graphwright.op.batching import last_axes
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, convert_default
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.gathering import axis_sizes, gather, host_vector
from graphwright.ops.core.joining import concat, stack, unstack
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.padding import pad
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.static import static_value
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.comparison import equal, logical_or
from graphwright.ops.math.reduction import reduce_prod
from graphwright.ops.signal.fourier_kernels import complex_transform, half_spectrum, signal
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, num_elements, show_dims

#: The sizes of a transform's axes, where they may be known only when it runs.
Lengths: TypeAlias = Sequence["int | TensorValue"] | TensorValue

COMPLEX_OF = {dt.float32: dt.complex64, dt.float64: dt.complex128}
REAL_OF = {dt.complex64: dt.float32, dt.complex128: dt.float64}


def check_rank(op: str, dims: Dims | None, rank: int) -> None:
    """ValueError where an operand has fewer than `rank` axes."""
    if dims is not None and len(dims) < rank:
        raise ValueError(
            f"Input of {op} must have rank of at least {rank} but got: {show_dims(dims)}"
        )


def check_length(fft_length: Dims, rank: int) -> None:
    """ValueError unless the lengths are a vector, one for each axis, none negative."""
    if not isinstance(fft_length, tuple) or len(fft_length) != rank:
        raise ValueError(f"fft_length must have shape [{rank}], got {fft_length}")
    for length in fft_length:
        if length is not None and length < 0:
            raise ValueError(f"fft_length must be >= 0: dimension {length} of {list(fft_length)}")


def check_sizes(op: str, dims: Dims | None, wanted: Sequence[int | None]) -> None:
    """ValueError unless the last sizes are those wanted or more; 0 counts as zeros."""
    places = () if dims is None else dims[-len(wanted) :]
    for axis, (have, least) in enumerate(zip(places, wanted), len(dims or ()) - len(wanted)):
        if least is not None and have and have < least:
            raise ValueError(
                f"Input dimension {axis} of {op} must have length of at least {least} but got: "
                f"{have}"
            )


def check_pair(op: str, operand: DType, expected: DType | None, result: DType) -> None:
    """ValueError unless a transform's result has the precision of its operand."""
    if result is not expected:
        raise ValueError(f"Wrong types for {op}: in={operand.name} out={result.name}")


# -- complex to complex ---------------------------------------------------------------------


class ComplexTransform(Op):
    """A transform over the last `rank` axes."""

    inputs: ClassVar[tuple[str, ...]] = ("input: Tcomplex",)
    outputs: ClassVar[tuple[str, ...]] = ("output: Tcomplex",)
    dtypes = {"Tcomplex": dt.COMPLEX}
    batched = last_axes
    rank: ClassVar[int]
    inverse: ClassVar[bool] = False

    def shapes(self, x: TensorType) -> Shapes:
        check_rank(self.type_name, x.dims, self.rank)
        return (x.dims,)

    def kernel(self, x: Array) -> Any:
        x = np.asarray(x)
        check_rank(self.type_name, x.shape, self.rank)
        if not x.size:
            return x
        return complex_transform(x, LAST_AXES[self.rank], self.inverse)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        size = transform_size(call.inputs[0], LAST_AXES[self.rank])
        if self.inverse:
            return (apply(FORWARD[self.rank], g) / cast(size, g.dtype),)
        return (apply(BACKWARD[self.rank], g) * cast(size, g.dtype),)


LAST_AXES: dict[int, tuple[int, ...]] = {1: (-1,), 2: (-2, -1), 3: (-3, -2, -1)}


def transform_size(x: TensorValue, axes: Sequence[int]) -> Any:
    """The number of elements along axes, as a float64 scalar."""
    dims = x.type.dims
    known = None if dims is None else num_elements(tuple([dims[a] for a in axes]))
    if known is not None:
        return convert(float(known), dt.float64)
    sizes = shape(x)
    count = (sizes.type.dims or (None,))[0]
    if count is None:
        return cast(reduce_prod(sizes[axes[0] :]), dt.float64)
    return cast(reduce_prod(gather(sizes, [a % count for a in axes])), dt.float64)


class FFT(ComplexTransform):
    """y[k] = sum of x[j] exp(-2 pi i j k / n) along the last axis."""

    type_name = "FFT"
    rank = 1


class FFT2D(ComplexTransform):
    """FFT along the last two axes."""

    type_name = "FFT2D"
    rank = 2


class FFT3D(ComplexTransform):
    """FFT along the last three axes."""

    type_name = "FFT3D"
    rank = 3


class IFFT(ComplexTransform):
    """The inverse of FFT."""

    type_name = "IFFT"
    rank = 1
    inverse = True


class IFFT2D(ComplexTransform):
    """The inverse of FFT2D."""

    type_name = "IFFT2D"
    rank = 2
    inverse = True


class IFFT3D(ComplexTransform):
    """The inverse of FFT3D."""

    type_name = "IFFT3D"
    rank = 3
    inverse = True


FORWARD = {1: FFT(), 2: FFT2D(), 3: FFT3D()}
BACKWARD = {1: IFFT(), 2: IFFT2D(), 3: IFFT3D()}


# -- real to complex and back ---------------------------------------------------------------


class RealTransform(Op):
    """The half spectrum of a real signal, cropped to `fft_length` along each axis."""

    inputs: ClassVar[tuple[str, ...]] = ("input: Treal", "fft_length: int32 host")
    outputs: ClassVar[tuple[str, ...]] = ("output: Tcomplex",)
    dtypes = {"Treal": frozenset(COMPLEX_OF)}
    ruled = True
    batched = last_axes
    rank: ClassVar[int]

    Tcomplex: DType = dt.complex64

    def shapes(self, x: TensorType, fft_length: Dims | None) -> Shapes:
        check_pair(self.type_name, x.dtype, COMPLEX_OF.get(x.dtype), self.Tcomplex)
        check_rank(self.type_name, x.dims, self.rank)
        lengths = known_lengths(fft_length, self.rank)
        check_sizes(self.type_name, x.dims, lengths)
        last = lengths[-1]
        half = None if last is None else last // 2 + 1 if last else 0
        return (None if x.dims is None else (*x.dims[: -self.rank], *lengths[:-1], half),)

    def kernel(self, x: Array, fft_length: tuple[int, ...]) -> Array:
        (dims,) = self.shapes(TensorType(dt.of_numpy(x.dtype), x.shape), fft_length)
        if dims is None or 0 in dims or not x.size:
            return np.zeros([d or 0 for d in dims or ()], self.Tcomplex.numpy_dtype)
        y = half_spectrum(x, fft_length, LAST_AXES[self.rank])
        return y.astype(self.Tcomplex.numpy_dtype, copy=False)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, fft_length = call.inputs
        weighted = g * ends(fft_length, g.dtype, 0.5)
        full = apply(REAL_BACKWARD[self.rank].of(x.dtype), weighted, fft_length)
        size = cast(reduce_prod(convert(fft_length)), x.dtype)
        return fit_axes(full * size, x, self.rank), None


def half_sizes(lengths: Sequence[int | None]) -> tuple[int | None, ...]:
    """The sizes of the half spectrum of a signal."""
    last = lengths[-1]
    return (*lengths[:-1], None if last is None else last // 2 + 1)


def known_lengths(fft_length: Dims | None, rank: int) -> Dims:
    """The lengths, None where they are unknown."""
    if fft_length is None:
        return (None,) * rank
    check_length(fft_length, rank)
    return tuple(fft_length)


def ends(fft_length: Lengths, dtype: DType, inside: float) -> Any:
    """A weight for each place of a half spectrum: 1 at its ends, `inside` between them.

    Only the places between them stand for two of the full spectrum.
    """
    length = fft_length[-1]
    places = range(length // 2 + 1)
    outer = logical_or(equal(places, 0), equal(places * 2, length))
    return cast(cast(outer, dt.float64) * (1 - inside) + inside, dtype)


def filled_up(x: TensorValue, fft_length: TensorLike, rank: int, half: bool = False) -> Any:
    """`x` with zeros behind its last axes up to `fft_length`; `half` of it along the last axis."""
    lengths = static_value(convert(fft_length, None, dt.int32))
    dims = x.type.dims
    if lengths is not None and np.shape(lengths) != (rank,):
        return x  # which the transform refuses
    if lengths is not None and dims is not None and None not in dims[-rank:]:
        wanted = half_sizes(lengths) if half else lengths
        added = [max(n - d, 0) for n, d in zip(wanted, dims[-rank:])]
        if len(dims) < rank or not any(added):
            return x
        return pad(x, [[0, 0]] * (len(dims) - rank) + [[0, n] for n in added])
    sizes = shape(x)
    wanted = convert(fft_length, None, dt.int32)
    if half:
        wanted = stack([*unstack(wanted[:-1], rank - 1), wanted[-1] // 2 + 1])
    missing = maximum(wanted - sizes[-rank:], 0)
    before = zeros_like(sizes)
    after = concat([before[:-rank], missing], 0)
    return pad(x, stack([before, after], 1))


def fit_axes(x: TensorValue, like: TensorValue, rank: int) -> Any:
    """Crops or pads with zeros the last axes of `x` to the sizes of those of `like`."""
    have, want = x.type.dims, like.type.dims
    if have is not None and have == want and None not in have:
        return x
    if want is None:
        last = [shape(x)[i - rank] for i in builtins.range(rank)]
        flat = reshape(x, stack([reduce_prod(shape(x)[:-rank]), *last]))
        sizes = shape(like)
        for i in builtins.range(rank):
            flat = fit_axis(flat, i + 1, sizes[i - rank], rank + 1)
        return reshape(flat, sizes)
    lengths = axis_sizes(like)
    for axis in builtins.range(len(want) - rank, len(want)):
        x = fit_axis(x, axis, lengths[axis], len(want))
    return reshape(x, host_vector(lengths))


def fit_axis(x: TensorValue, axis: int, size: int | TensorValue, rank: int) -> Any:
    """Crops or pads with zeros one axis to `size`."""
    cropped = [slice(None)] * axis + [slice(0, size)]
    x = x[tuple(cropped)]
    paddings = [[0, 0] for _ in builtins.range(rank)]
    paddings[axis][1] = size - axis_sizes(x)[axis]
    return pad(x, paddings)


class RealInverse(Op):
    """The real signal of a half spectrum, of size `fft_length`."""

    inputs: ClassVar[tuple[str, ...]] = ("input: Tcomplex", "fft_length: int32 host")
    outputs: ClassVar[tuple[str, ...]] = ("output: Treal",)
    dtypes = {"Tcomplex": dt.COMPLEX}
    ruled = True
    batched = last_axes
    rank: ClassVar[int]

    Treal: DType = dt.float32

    def shapes(self, x: TensorType, fft_length: Dims | None) -> Shapes:
        check_pair(self.type_name, x.dtype, REAL_OF.get(x.dtype), self.Treal)
        check_rank(self.type_name, x.dims, self.rank)
        lengths = known_lengths(fft_length, self.rank)
        check_sizes(self.type_name, x.dims, half_sizes(lengths))
        return (None if x.dims is None else (*x.dims[: -self.rank], *lengths),)

    def kernel(self, x: Array, fft_length: tuple[int, ...]) -> Array:
        (dims,) = self.shapes(TensorType(dt.of_numpy(x.dtype), x.shape), fft_length)
        if dims is None or 0 in dims or not x.size:
            return np.zeros([d or 0 for d in dims or ()], self.Treal.numpy_dtype)
        y = signal(x, fft_length, LAST_AXES[self.rank])
        return y.astype(self.Treal.numpy_dtype, copy=False)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, fft_length = call.inputs
        half = apply(REAL_FORWARD[self.rank].of(x.dtype), g, fft_length)
        size = cast(reduce_prod(convert(fft_length)), x.dtype)
        return fit_axes(half * ends(fft_length, x.dtype, 2.0) / size, x, self.rank), None


class RFFT(RealTransform):
    """The half spectrum along the last axis."""

    type_name = "RFFT"
    rank = 1


class RFFT2D(RealTransform):
    """The half spectrum along the last two axes."""

    type_name = "RFFT2D"
    rank = 2


class RFFT3D(RealTransform):
    """The half spectrum along the last three axes."""

    type_name = "RFFT3D"
    rank = 3


class IRFFT(RealInverse):
    """The inverse of RFFT."""

    type_name = "IRFFT"
    rank = 1


class IRFFT2D(RealInverse):
    """The inverse of RFFT2D."""

    type_name = "IRFFT2D"
    rank = 2


class IRFFT3D(RealInverse):
    """The inverse of RFFT3D."""

    type_name = "IRFFT3D"
    rank = 3


REAL_FORWARD: dict[int, type[RealTransform]] = {1: RFFT, 2: RFFT2D, 3: RFFT3D}
REAL_BACKWARD: dict[int, type[RealInverse]] = {1: IRFFT, 2: IRFFT2D, 3: IRFFT3D}


# -- the public functions -------------------------------------------------------------------


def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the discrete Fourier transform along the last axis.

    Args:
        input: A tensor of complex numbers of shape [..., n].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: `input` is a scalar (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> tf.signal.fft(tf.constant([1, 0, 0], tf.complex64)).numpy().tolist()
    [(1+0j), (1+0j), (1+0j)]
    """
    return apply(FORWARD[1], convert_default(input, dt.complex64), name=name)


def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the discrete Fourier transform along the last two axes.

    Args:
        input: A tensor of complex numbers of shape [..., m, n].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: `input` has fewer than 2 axes (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> tf.signal.fft2d(tf.constant([[1, 1], [0, 0]], tf.complex64)).numpy().tolist()
    [[(2+0j), 0j], [(2+0j), 0j]]
    """
    return apply(FORWARD[2], convert_default(input, dt.complex64), name=name)


def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the discrete Fourier transform along the last three axes.

    Args:
        input: A tensor of complex numbers of shape [..., k, m, n].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: `input` has fewer than 3 axes (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> tf.signal.fft3d(tf.constant([[[1, 1], [0, 0]]], tf.complex64)).numpy().tolist()
    [[[(2+0j), 0j], [(2+0j), 0j]]]
    """
    return apply(FORWARD[3], convert_default(input, dt.complex64), name=name)


def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse of `tf.signal.fft`, along the last axis.

    Args:
        input: A tensor of complex numbers of shape [..., n].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: `input` is a scalar (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> tf.signal.ifft(tf.signal.fft(tf.constant([1, 0, 0], tf.complex64))).numpy().tolist()
    [(1+0j), 0j, 0j]
    """
    return apply(BACKWARD[1], convert_default(input, dt.complex64), name=name)


def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse of `tf.signal.fft2d`, along the last two axes.

    Args:
        input: A tensor of complex numbers of shape [..., m, n].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: `input` has fewer than 2 axes (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> x = tf.signal.fft2d(tf.constant([[1, 1], [0, 0]], tf.complex64))
    >>> tf.signal.ifft2d(x).numpy().tolist()
    [[(1+0j), (1+0j)], [0j, 0j]]
    """
    return apply(BACKWARD[2], convert_default(input, dt.complex64), name=name)


def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse of `tf.signal.fft3d`, along the last three axes.

    Args:
        input: A tensor of complex numbers of shape [..., k, m, n].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: `input` has fewer than 3 axes (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> x = tf.signal.fft3d(tf.constant([[[1, 1], [0, 0]]], tf.complex64))
    >>> tf.signal.ifft3d(x).numpy().tolist()
    [[[(1+0j), (1+0j)], [0j, 0j]]]
    """
    return apply(BACKWARD[3], convert_default(input, dt.complex64), name=name)


def check_dtype(name: str, x: TensorValue, allowed: Iterable[DType]) -> None:
    """ValueError unless the tensor is of one of the dtypes that have a transform."""
    if x.dtype not in allowed:
        names = " or ".join(f"tf.{d.name}" for d in allowed)
        raise ValueError(f"{name} requires {names} inputs, got: {x!r}")


def real_forward(
    rank: int, input: TensorLike, fft_length: TensorLike | None, name: str | None
) -> Any:
    """The transform of a real tensor, by default of all of it."""
    x = convert(input, None, dt.float32)
    check_rank(REAL_FORWARD[rank].type_name, x.type.dims, rank)
    check_dtype(REAL_FORWARD[rank].type_name, x, COMPLEX_OF)
    lengths: Any = fft_length
    if lengths is None:
        dims = x.type.dims
        known = dims is not None and None not in dims[-rank:]
        lengths = dims[-rank:] if dims is not None and known else shape(x)[-rank:]
    else:
        x = filled_up(x, lengths, rank)
    result = COMPLEX_OF.get(x.dtype, dt.complex64)
    return apply(REAL_FORWARD[rank].of(result), x, lengths, name=name)


def real_backward(
    rank: int, input: TensorLike, fft_length: TensorLike | None, name: str | None
) -> Any:
    """The transform to a real tensor, by default of even size along the last axis."""
    x = convert(input, None, dt.complex64)
    check_rank(REAL_BACKWARD[rank].type_name, x.type.dims, rank)
    check_dtype(REAL_BACKWARD[rank].type_name, x, REAL_OF)
    lengths: Any = fft_length
    if lengths is None:
        dims = x.type.dims
        if dims is not None and None not in dims[-rank:]:
            lengths = (*dims[-rank:-1], max(2 * ((dims[-1] or 0) - 1), 0))
        else:
            last = [0] * (rank - 1) + [1]
            sizes = shape(x)[-rank:] - last
            lengths = sizes * [*([1] * (rank - 1)), 2]
    else:
        x = filled_up(x, lengths, rank, half=True)
    result = REAL_OF.get(x.dtype, dt.float32)
    return apply(REAL_BACKWARD[rank].of(result), x, lengths, name=name)


def rfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the discrete Fourier transform of a real tensor along the last axis, without what
    symmetry gives.

    Args:
        input_tensor: A tensor of float32 or float64 of shape [..., n].
        fft_length: The size of each transformed axis, as one int in a list or a tensor. The
            operand is cropped or padded with zeros to it. None means the sizes of `input_tensor`.
        name: A name for the op.

    Returns:
        A tensor of complex64 or complex128, with `n // 2 + 1` values along the last axis.

    Raises:
        ValueError: `input_tensor` is a scalar.
        InvalidArgumentError: `fft_length` does not have one entry, or one is negative.

    >>> import graphwright as tf
    >>> tf.signal.rfft([1.0, 0.0, 0.0]).numpy().tolist()
    [(1+0j), (1+0j)]
    """
    return real_forward(1, input_tensor, fft_length, name)


def rfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the discrete Fourier transform of a real tensor along the last two axes, without what
    symmetry gives.

    Args:
        input_tensor: A tensor of float32 or float64 of shape [..., m, n].
        fft_length: The size of each transformed axis, as 2 ints in a list or an int32 tensor. The
            operand is cropped or padded with zeros to it. None means the sizes of `input_tensor`.
        name: A name for the op.

    Returns:
        A tensor of complex64 or complex128, with `n // 2 + 1` values along the last axis.

    Raises:
        ValueError: `input_tensor` has fewer than 2 axes.
        InvalidArgumentError: `fft_length` does not have 2 entries, or one is negative.

    >>> import graphwright as tf
    >>> tf.signal.rfft2d([[1.0, 1.0], [0.0, 0.0]]).numpy().tolist()
    [[(2+0j), 0j], [(2+0j), 0j]]
    """
    return real_forward(2, input_tensor, fft_length, name)


def rfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the discrete Fourier transform of a real tensor along the last three axes, without
    what symmetry gives.

    Args:
        input_tensor: A tensor of float32 or float64 of shape [..., k, m, n].
        fft_length: The size of each transformed axis, as 3 ints in a list or an int32 tensor. The
            operand is cropped or padded with zeros to it. None means the sizes of `input_tensor`.
        name: A name for the op.

    Returns:
        A tensor of complex64 or complex128, with `n // 2 + 1` values along the last axis.

    Raises:
        ValueError: `input_tensor` has fewer than 3 axes.
        InvalidArgumentError: `fft_length` does not have 3 entries, or one is negative.

    >>> import graphwright as tf
    >>> tf.signal.rfft3d([[[1.0, 1.0], [0.0, 0.0]]]).numpy().tolist()
    [[[(2+0j), 0j], [(2+0j), 0j]]]
    """
    return real_forward(3, input_tensor, fft_length, name)


def irfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the inverse of `tf.signal.rfft`, along the last axis.

    Args:
        input_tensor: A tensor of complex64 or complex128 of shape [..., n // 2 + 1].
        fft_length: The size of each axis of the result, as one int in a list or a tensor. None
            means an even size of the last axis.
        name: A name for the op.

    Returns:
        A tensor of float32 or float64 of shape [..., n].

    Raises:
        ValueError: `input_tensor` is a scalar.
        InvalidArgumentError: `fft_length` does not have one entry, or one is negative.

    >>> import graphwright as tf
    >>> tf.signal.irfft(tf.constant([4, 0, 0], tf.complex64)).numpy().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return real_backward(1, input_tensor, fft_length, name)


def irfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the inverse of `tf.signal.rfft2d`, along the last two axes.

    Args:
        input_tensor: A tensor of complex64 or complex128 of shape [..., m, n // 2 + 1].
        fft_length: The size of each axis of the result, as 2 ints in a list or an int32 tensor.
            None means an even size of the last axis.
        name: A name for the op.

    Returns:
        A tensor of float32 or float64 of shape [..., m, n].

    Raises:
        ValueError: `input_tensor` has fewer than 2 axes.
        InvalidArgumentError: `fft_length` does not have 2 entries, or one is negative.

    >>> import graphwright as tf
    >>> tf.signal.irfft2d(tf.constant([[4, 0, 0]], tf.complex64)).numpy().tolist()
    [[1.0, 1.0, 1.0, 1.0]]
    """
    return real_backward(2, input_tensor, fft_length, name)


def irfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the inverse of `tf.signal.rfft3d`, along the last three axes.

    Args:
        input_tensor: A tensor of complex64 or complex128 of shape [..., k, m, n // 2 + 1].
        fft_length: The size of each axis of the result, as 3 ints in a list or an int32 tensor.
            None means an even size of the last axis.
        name: A name for the op.

    Returns:
        A tensor of float32 or float64 of shape [..., k, m, n].

    Raises:
        ValueError: `input_tensor` has fewer than 3 axes.
        InvalidArgumentError: `fft_length` does not have 3 entries, or one is negative.

    >>> import graphwright as tf
    >>> tf.signal.irfft3d(tf.constant([[[4, 0, 0]]], tf.complex64)).numpy().tolist()
    [[[1.0, 1.0, 1.0, 1.0]]]
    """
    return real_backward(3, input_tensor, fft_length, name)
