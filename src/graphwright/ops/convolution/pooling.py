"""Maximum and average pooling over windows, with their adjoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import Each, Refusal, batches, images
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.convolution import pooling_kernels as kernels
from graphwright.ops.convolution.spatial import (
    arranged,
    channels_of,
    check_format,
    check_padding,
    check_rank,
    is_channels_first,
    paired,
    spatial_part,
    window_count,
)
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.gathering import axis_sizes, host_vector
from graphwright.ops.core.shapes import shape_of
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims


class Pool(Op, fields=False):
    """What the ops of a family share: where their windows lie."""

    spatial: ClassVar[int] = 2
    paddings: ClassVar[tuple[str, ...]] = ("SAME", "VALID")
    explicit_paddings: Any = ()
    data_format: Any = "NHWC"

    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str

    def check(self) -> None:
        """ValueError for attributes that make no sense."""
        check_format(self.type_name, self.data_format, self.spatial)
        check_padding(self.type_name, self.padding, self.paddings)
        for name, entries in (("ksize", self.ksize), ("strides", self.strides)):
            if len(entries) != self.spatial + 2:
                raise ValueError(
                    f"Sliding window {name} field of {self.type_name} must specify "
                    f"{self.spatial + 2} dimensions, got {list(entries)}"
                )
            if min(entries) < 1:
                raise ValueError(
                    f"Sliding window {name} of {self.type_name} must be positive: {list(entries)}"
                )
            if (entries[0], channels_of(entries, self.data_format)) != (1, 1):
                raise ValueError(
                    f"Pooling is not yet supported on the batch or depth dimension: {name} of "
                    f"{self.type_name} is {list(entries)}"
                )

    def window(self) -> tuple[tuple[int, ...], tuple[int, ...], Any]:
        """Sizes, strides and padding, as the kernels take them."""
        padding: Any = self.padding
        if padding == "EXPLICIT":
            padding = paired(self.explicit_paddings, self.data_format)
        return (
            spatial_part(self.ksize, self.data_format),
            spatial_part(self.strides, self.data_format),
            padding,
        )

    def is_first(self) -> bool:
        """Whether the channels come first."""
        return is_channels_first(self.data_format)

    def pooled_dims(self, x: Dims | None, name: str = "input") -> Dims:
        """The dims of the result; ValueError if the windows do not fit."""
        self.check()
        check_rank(self.type_name, name, x, self.spatial + 2)
        x = x or (None,) * (self.spatial + 2)
        pairs = paired(self.explicit_paddings, self.data_format) or ((0, 0),) * self.spatial
        sizes, strides, _ = self.window()
        counts = [
            window_count(size, taps, stride, 1, self.padding, pair)
            for size, taps, stride, pair in zip(
                spatial_part(x, self.data_format), sizes, strides, pairs
            )
        ]
        return arranged(x[0], counts, channels_of(x, self.data_format), self.data_format)

    def check_result(self, name: str, got: Dims | None, x: Dims | None) -> None:
        """ValueError unless an operand has the dims of this pooling's result."""
        expected = self.pooled_dims(x)
        if not is_compatible(got, expected):
            raise ValueError(
                f"Expected {name} shape of {self.type_name} to be {show_dims(expected)}, but got "
                f"{show_dims(got)}"
            )

    def sibling(self, op: type[Pool]) -> Pool:
        """Another op of the family with the same windows."""
        return op.of(*self.describe().values())


# -- the largest element --------------------------------------------------------------------


class MaximumPool(Pool):
    """The largest element of each window."""

    inputs: ClassVar[tuple[str, ...]] = ("input: T",)
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.REAL - {dt.uint32, dt.uint64}}
    ruled = True
    batched = images

    def shapes(self, x: TensorType) -> Shapes:
        return (self.pooled_dims(x.dims),)

    def kernel(self, x: Array) -> Any:
        return kernels.max_pool(x, *self.window(), self.is_first())

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        op = self.sibling(MAXIMUM_GRAD[self.spatial])
        return (apply(op, call.inputs[0], call.outputs[0], g),)


class MaximumGrad(Pool):
    """The cotangent of a maximum pooling's input: that of each window goes to its maximum."""

    inputs: ClassVar[tuple[str, ...]] = ("orig_input: T", "orig_output: T", "grad: T")
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.REAL}
    ruled = True
    batched = batches

    def shapes(self, x: TensorType, y: TensorType, g: TensorType) -> Shapes:
        self.check_result("orig_output", y.dims, x.dims)
        self.check_result("grad", g.dims, x.dims)
        return (x.dims or (None,) * (self.spatial + 2),)

    def kernel(self, x: Array, y: Array, g: Array) -> Any:
        to_all = self.spatial == 3
        return kernels.max_pool_gradient(x, g, *self.window(), self.is_first(), to_all)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y, _ = call.inputs
        flat = [zeros_like(t) if need else None for t, need in zip((x, y), call.needed or (1, 1))]
        return *flat, apply(self.sibling(MAXIMUM_GRAD_GRAD[self.spatial]), x, y, g)


class MaximumGradGrad(Pool):
    """What an input's cotangent has where the maximum of each window is."""

    inputs: ClassVar[tuple[str, ...]] = ("orig_input: T", "orig_output: T", "grad: T")
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.REAL}
    ruled = True
    batched = batches

    def shapes(self, x: TensorType, y: TensorType, g: TensorType) -> Shapes:
        self.check_result("orig_output", y.dims, x.dims)
        if not is_compatible(g.dims, x.dims):
            raise ValueError(
                f"Expected grad shape of {self.type_name} to be {show_dims(x.dims)}, but got "
                f"{show_dims(g.dims)}"
            )
        return (self.pooled_dims(x.dims),)

    def kernel(self, x: Array, y: Array, g: Array) -> Any:
        if self.is_first():
            x, g = np.moveaxis(x, 1, -1), np.moveaxis(g, 1, -1)
        _, places = kernels.max_pool_with_argmax(x, *self.window(), True)
        result = np.take(g, places) if g.size else np.zeros(places.shape, g.dtype)
        return np.ascontiguousarray(np.moveaxis(result, -1, 1)) if self.is_first() else result

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y, _ = call.inputs
        return None, None, apply(self.sibling(MAXIMUM_GRAD[self.spatial]), x, y, g)


class PlanarPool(Pool):
    """The attributes of maximum pooling over two spatial axes."""

    paddings = ("SAME", "VALID", "EXPLICIT")

    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str
    explicit_paddings: tuple[int, ...] = ()
    data_format: str = "NHWC"


class SolidPool(Pool):
    """The attributes of pooling over three spatial axes."""

    spatial = 3

    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str
    data_format: str = "NDHWC"


class MaxPool(MaximumPool, PlanarPool):
    """The largest element of each window of images."""

    type_name = "MaxPool"


class MaxPoolGrad(MaximumGrad, PlanarPool):
    """The cotangent of MaxPool's input."""

    type_name = "MaxPoolGrad"


class MaxPoolGradGrad(MaximumGradGrad, PlanarPool):
    """The cotangent of MaxPoolGrad's `grad`."""

    type_name = "MaxPoolGradGrad"
    private = frozenset({"explicit_paddings"})


class MaxPool3D(MaximumPool, SolidPool):
    """The largest element of each window of volumes."""

    type_name = "MaxPool3D"
    dtypes = {"T": dt.FLOATING - {dt.float64}}


class MaxPool3DGrad(MaximumGrad, SolidPool):
    """The cotangent of MaxPool3D's input: every maximum of a window gets all of it."""

    type_name = "MaxPool3DGrad"
    inputs = ("orig_input: TInput", "orig_output: TInput", "grad: T")
    dtypes = {"T": dt.FLOATING - {dt.float64}, "TInput": dt.FLOATING - {dt.float64}}


class MaxPool3DGradGrad(MaximumGradGrad, SolidPool):
    """The cotangent of MaxPool3DGrad's `grad`."""

    type_name = "MaxPool3DGradGrad"


MAXIMUM: dict[int, type[Pool]] = {2: MaxPool, 3: MaxPool3D}
MAXIMUM_GRAD: dict[int, type[Pool]] = {2: MaxPoolGrad, 3: MaxPool3DGrad}
MAXIMUM_GRAD_GRAD: dict[int, type[Pool]] = {2: MaxPoolGradGrad, 3: MaxPool3DGradGrad}


class MaxPoolWithArgmax(Pool):
    """The largest element of each window of images, and its place in the flattened image."""

    type_name = "MaxPoolWithArgmax"
    inputs = ("input: T",)
    outputs = ("output: T", "argmax: Targmax")
    dtypes = {"T": dt.REAL, "Targmax": dt.INDEX}
    ruled = True

    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    Targmax: DType = dt.int64
    padding: str = "VALID"
    include_batch_in_index: bool = False

    def shapes(self, x: TensorType) -> Shapes:
        dims = self.pooled_dims(x.dims)
        if dims[-1] == 0:
            raise ValueError(f"input of {self.type_name} must have channels: {show_dims(x.dims)}")
        return dims, dims

    def kernel(self, x: Array) -> Any:
        if not x.size:
            raise ValueError(f"tensor_in must not be empty: {show_dims(x.shape)}")
        best, places = kernels.max_pool_with_argmax(x, *self.window(), self.include_batch_in_index)
        return best, places.astype(self.Targmax.numpy_dtype)

    def gradient(self, call: Call, g: Cotangent, _: Cotangent) -> Sequence[Any]:
        op = MaxPoolGrad.of(self.ksize, self.strides, self.padding)
        return (apply(op, call.inputs[0], call.outputs[0], g),)

    def batched(self, each: Each) -> Any:
        if self.include_batch_in_index:
            raise Refusal("its indices count the whole batch")
        return batches(self, each)


# -- the mean -------------------------------------------------------------------------------


class AveragePool(Pool):
    """The mean of each window."""

    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.FLOATING}
    ruled = True
    batched = images

    def shapes(self, x: TensorType) -> Shapes:
        return (self.pooled_dims(x.dims),)

    def kernel(self, x: Array) -> Array:
        return kernels.avg_pool(x, *self.window(), self.is_first())

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(self.sibling(AVERAGE_GRAD[self.spatial]), shape_of(call.inputs[0]), g),)


class AverageGrad(Pool):
    """The cotangent of an average pooling's input: each window's is shared by its elements."""

    inputs: ClassVar[tuple[str, ...]] = ("orig_input_shape: int32 host", "grad: T")
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.FLOATING}
    ruled = True

    def shapes(self, dims: Dims | None, g: TensorType) -> Shapes:
        if dims is None:
            return ((None,) * (self.spatial + 2),)
        self.check_result("grad", g.dims, dims)
        return (dims,)

    def kernel(self, dims: tuple[int, ...], g: Array) -> Array:
        return kernels.avg_pool_gradient(dims, g, *self.window(), self.is_first())

    def batched(self, each: Each) -> Any:
        g, sizes = each.merged(1), each.same(0)
        others = [sizes[i] for i in range(1, self.spatial + 2)]
        return each.split(apply(self, host_vector([axis_sizes(g)[0], *others]), g), 1)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return None, apply(self.sibling(AVERAGE[self.spatial]), g)


class PlanarMean(Pool):
    """The attributes of average pooling over two spatial axes."""

    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str
    data_format: str = "NHWC"


class AvgPool(AveragePool, PlanarMean):
    """The mean of each window of images; padding does not count."""

    type_name = "AvgPool"
    inputs = ("value: T",)


class AvgPoolGrad(AverageGrad, PlanarMean):
    """The cotangent of AvgPool's input."""

    type_name = "AvgPoolGrad"


class AvgPool3D(AveragePool, SolidPool):
    """The mean of each window of volumes; padding does not count."""

    type_name = "AvgPool3D"
    inputs = ("input: T",)


class AvgPool3DGrad(AverageGrad, SolidPool):
    """The cotangent of AvgPool3D's input."""

    type_name = "AvgPool3DGrad"


AVERAGE: dict[int, type[Pool]] = {2: AvgPool, 3: AvgPool3D}
AVERAGE_GRAD: dict[int, type[Pool]] = {2: AvgPoolGrad, 3: AvgPool3DGrad}
