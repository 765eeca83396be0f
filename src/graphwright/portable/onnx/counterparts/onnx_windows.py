"""Convolutions, pooling and resizing. ONNX has channels second: axes change places around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphwright.op.op import Op
from graphwright.ops.convolution.convolution import DepthwiseConv2dNative
from graphwright.ops.image.resizing import ResizeBicubic, ResizeNearestNeighbor
from graphwright.ops.nn.normalization import LRN
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt


class ImageLayout:
    """Where the axes of images are, and of windows over them."""

    def __init__(self, data_format: str) -> None:
        self.is_last = data_format.endswith("C")
        self.rank = len(data_format)
        count = self.rank - 2
        self.spatial = slice(1, 1 + count) if self.is_last else slice(2, 2 + count)
        self.inward = (0, self.rank - 1, *range(1, self.rank - 1))
        self.outward = (0, *range(2, self.rank), 1)

    def channels_second(self, w: NodeWriter, x: Wire) -> Wire:
        """Images as ONNX has them."""
        return w.transposed(x, self.inward) if self.is_last else x

    def back(self, w: NodeWriter, x: Wire) -> Wire:
        """Images as the op has them."""
        return w.transposed(x, self.outward) if self.is_last else x

    def along(self, values: Sequence[int]) -> list[int]:
        """The numbers of an attribute for the axes of space."""
        return [int(v) for v in values[self.spatial]]


def paddings(
    op: Any, layout: ImageLayout, sizes: Sequence[int | None], window: Sequence[int],
    dilations: Sequence[int],
) -> dict[str, Any]:  # fmt: skip
    """The attributes that say what is put around images."""
    if op.padding == "VALID":
        return {}
    if op.padding == "EXPLICIT":
        pairs = list(zip(op.explicit_paddings[::2], op.explicit_paddings[1::2]))[layout.spatial]
        return {"pads": [int(p[0]) for p in pairs] + [int(p[1]) for p in pairs]}
    strides = layout.along(op.strides)
    if None in sizes:
        wide = [(width - 1) * rate + 1 for width, rate in zip(window, dilations)]
        if all(reach == 1 for reach in wide):
            return {}
        if any(reach < stride for reach, stride in zip(wide, strides)):
            raise NoCounterpart("sizes must be known where strides are wider than windows")
        return {"auto_pad": "SAME_UPPER"}
    before, after = [], []
    for size, width, stride, rate in zip(sizes, window, strides, dilations):
        assert size is not None
        total = max((-(-size // stride) - 1) * stride + (width - 1) * rate + 1 - size, 0)
        before.append(total // 2)
        after.append(total - total // 2)
    return {"pads": before + after}


def sizes_of(x: Wire, layout: ImageLayout) -> list[int | None]:
    """The sizes of images, as far as they are known."""
    if x.type.dims is None:
        return [None] * (layout.rank - 2)
    return list(x.type.dims[layout.spatial])


def known_dims(w: NodeWriter, x: Wire, what: str) -> list[int]:
    """The shape of what must be known wholly."""
    dims = x.type.dims
    if dims is None or None in dims:
        raise NoCounterpart(f"the shape of {what} must be known")
    return [int(d) for d in dims if d is not None]


@counterpart("Conv2D", "Conv3D", onnx="Conv, Transpose", note="the shape of filters must be known")
def convolution(w: NodeWriter, op: Any, x: Wire, kernel: Wire) -> Wire:
    """A convolution; a filter of fewer channels makes groups."""
    layout = ImageLayout(op.data_format)
    *window, inner, _ = known_dims(w, kernel, "filters")
    order = (layout.rank - 1, layout.rank - 2, *range(layout.rank - 2))
    group = 1
    channels = None if x.type.dims is None else x.type.dims[-1 if layout.is_last else 1]
    if not inner:
        raise NoCounterpart("Conv of ONNX takes no filters without channels")
    if channels is not None and channels != inner:
        group = channels // inner
    return windowed(w, op, layout, x, w.transposed(kernel, order), window, group)


@counterpart("DepthwiseConv2dNative", onnx="Conv, Transpose", note="shapes of filters are known")
def depthwise(w: NodeWriter, op: DepthwiseConv2dNative, x: Wire, kernel: Wire) -> Wire:
    """A convolution of each channel by itself."""
    layout = ImageLayout(op.data_format)
    high, wide, channels, times = known_dims(w, kernel, "filters")
    rows = w.transposed(kernel, (2, 3, 0, 1))
    filters = w.reshape(rows, w.longs(channels * times, 1, high, wide))
    return windowed(w, op, layout, x, filters, [high, wide], channels)


def windowed(
    w: NodeWriter,
    op: Any,
    layout: ImageLayout,
    x: Wire,
    filters: Wire,
    window: list[int],
    group: int,
) -> Wire:
    """A convolution of ONNX around which axes change places."""
    rates = layout.along(op.dilations)
    attributes = {
        "kernel_shape": window,
        "strides": layout.along(op.strides),
        "dilations": rates,
        "group": group,
        **paddings(op, layout, sizes_of(x, layout), window, rates),
    }
    made = w.emit("Conv", layout.channels_second(w, x), filters, **attributes)
    return layout.back(w, made)


@counterpart("Conv2DBackpropInput", "Conv3DBackpropInputV2", onnx="ConvTranspose, Transpose",
             note="the sizes of images and filters must be known")  # fmt: skip
def transposed_convolution(
    w: NodeWriter, op: Any, dims: Wire, kernel: Wire, gradient: Wire
) -> Wire:
    """The convolution backwards."""
    layout = ImageLayout(op.data_format)
    *window, _, _ = known_dims(w, kernel, "filters")
    known = dims.known if isinstance(dims.known, tuple) else ()
    sizes: list[Any] = list(known[layout.spatial]) if len(known) == layout.rank else [None]
    rows = sizes_of(gradient, layout)
    if None in sizes or None in rows:
        raise NoCounterpart("the sizes of images must be known")
    rates, strides = layout.along(op.dilations), layout.along(op.strides)
    pads = paddings(op, layout, sizes, window, rates).get("pads", [0] * 2 * len(window))
    further = []
    for i, (size, row, width, stride, rate) in enumerate(zip(sizes, rows, window, strides, rates)):
        assert row is not None
        covered = stride * (row - 1) + (width - 1) * rate + 1 - pads[i] - pads[i + len(window)]
        further.append(int(size) - covered)
    if min(further) < 0:
        raise NoCounterpart("ConvTranspose of ONNX has no such size")
    order = (layout.rank - 1, layout.rank - 2, *range(layout.rank - 2))
    made = w.emit(
        "ConvTranspose",
        layout.channels_second(w, gradient),
        w.transposed(kernel, order),
        kernel_shape=window,
        strides=strides,
        dilations=rates,
        pads=pads,
        output_padding=further,
    )
    return layout.back(w, made)


def pooling(name: str, options: dict[str, Any]) -> Callable[..., Wire]:
    """The rule of a pooling op."""

    def write(w: NodeWriter, op: Any, x: Wire) -> Wire:
        layout = ImageLayout(op.data_format)
        outside = [i for i in range(layout.rank) if i not in range(layout.rank)[layout.spatial]]
        if any(op.ksize[i] != 1 or op.strides[i] != 1 for i in outside):
            raise NoCounterpart(f"{name} of ONNX goes over space alone")
        window = layout.along(op.ksize)
        attributes = {
            "kernel_shape": window,
            "strides": layout.along(op.strides),
            **options,
            **paddings(op, layout, sizes_of(x, layout), window, [1] * len(window)),
        }
        return layout.back(w, w.emit(name, layout.channels_second(w, x), **attributes))

    write.__module__ = __name__
    return write


counterpart("MaxPool", "MaxPool3D", onnx="MaxPool, Transpose")(pooling("MaxPool", {}))
counterpart("AvgPool", "AvgPool3D", onnx="AveragePool, Transpose")(
    pooling("AveragePool", {"count_include_pad": 0})
)


@counterpart("LRN", onnx="LRN, Transpose")
def local_response(w: NodeWriter, op: LRN, x: Wire) -> Wire:
    """Each element over what is near among channels."""
    layout, size = ImageLayout("NHWC"), 2 * op.depth_radius + 1
    options: dict[str, Any] = {
        "alpha": float(op.alpha * size),
        "beta": float(op.beta),
        "bias": float(op.bias),
    }
    return layout.back(w, w.emit("LRN", layout.channels_second(w, x), size=size, **options))


def resized(w: NodeWriter, op: Any, x: Wire, size: Wire, **options: Any) -> Wire:
    """Images in another size."""
    if op.align_corners:
        mode = "align_corners"
    else:
        mode = "half_pixel" if op.half_pixel_centers else "asymmetric"
    layout = ImageLayout("NHWC")
    images = layout.channels_second(w, x)
    ahead = w.emit("Shape", images, end=2)
    sizes = w.emit("Concat", ahead, w.vector(size), axis=0)
    if options["mode"] == "cubic":
        # ONNX Runtime would move the change of axes past it, and then has no kernel.
        flat = w.reshape(images, one_channel(w, w.emit("Shape", images, start=2)))
        options["coordinate_transformation_mode"] = mode
        made = w.emit("Resize", flat, None, None, one_channel(w, w.vector(size), ahead), **options)
        return layout.back(w, w.reshape(made, sizes))
    options["coordinate_transformation_mode"] = mode
    return layout.back(w, w.emit("Resize", images, None, None, sizes, **options))


def one_channel(w: NodeWriter, space: Wire, ahead: Wire | None = None) -> Wire:
    """The shape of images of one channel each: as many as fit, or as many as others have."""
    count = w.longs(-1) if ahead is None else w.emit("ReduceProd", ahead, keepdims=1)
    return w.emit("Concat", count, w.longs(1), space, axis=0)


@counterpart("ResizeBilinear", onnx="Resize, Transpose")
def resize_bilinear(w: NodeWriter, op: Op, x: Wire, size: Wire) -> Wire:
    """By straight lines between pixels."""
    return resized(w, op, w.cast(x, dt.float32), size, mode="linear")


@counterpart("ResizeNearestNeighbor", onnx="Resize, Transpose")
def resize_nearest(w: NodeWriter, op: ResizeNearestNeighbor, x: Wire, size: Wire) -> Wire:
    """The nearest pixel."""
    mode = "round_prefer_ceil" if op.align_corners or op.half_pixel_centers else "floor"
    return resized(w, op, x, size, mode="nearest", nearest_mode=mode)


@counterpart(
    "ResizeBicubic", onnx="Resize, Transpose", note="of half pixel centers, to three digits"
)
def resize_bicubic(w: NodeWriter, op: ResizeBicubic, x: Wire, size: Wire) -> Wire:
    """By cubic polynomials."""
    if not op.half_pixel_centers:
        raise NoCounterpart("ResizeBicubic without half pixel centers rounds its places")
    options: dict[str, Any] = {"cubic_coeff_a": -0.5, "exclude_outside": 1}
    return resized(w, op, w.cast(x, dt.float32), size, mode="cubic", **options)
