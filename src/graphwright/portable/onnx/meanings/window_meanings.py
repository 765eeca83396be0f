"""Convolutions, pooling and resizing. ONNX has channels second, and we have them last."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.ops.convolution.any_pooling import avg_pool, max_pool
from graphwright.ops.convolution.atrous import pool
from graphwright.ops.convolution.convolution import conv2d, conv3d, depthwise_conv2d
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat, split, stack
from graphwright.ops.core.movement import expand_dims, reshape, squeeze, transpose
from graphwright.ops.core.padding import pad
from graphwright.ops.core.reversal import reverse
from graphwright.ops.core.shapes import shape
from graphwright.ops.linalg.contraction import tensordot
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_max, reduce_mean, reduce_sum
from graphwright.ops.math.transcendental import pow
from graphwright.portable.onnx.meaning import OnnxNode, dims_of, meaning, rank_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.values.convert import convert


def channels_last(x: TensorValue) -> Any:
    """Images as we have them."""
    return transpose(x, [0, *builtins.range(2, rank_of(x)), 1])


def channels_second(x: TensorValue) -> Any:
    """Images as ONNX has them."""
    rank = rank_of(x)
    return transpose(x, [0, rank - 1, *builtins.range(1, rank - 1)])


class WindowAttributes:
    """The attributes of windows over images, with their defaults."""

    def __init__(self, n: OnnxNode, x: TensorValue, window: Sequence[int]) -> None:
        self.n = n
        self.count = rank_of(x) - 2
        self.window = [int(size) for size in window]
        self.strides = [int(s) for s in n.get("strides", [1] * self.count)]
        self.rates = [int(r) for r in n.get("dilations", [1] * self.count)]
        self.dims = dims_of(x)[2:]
        self.auto = n.text("auto_pad", "NOTSET")
        self.pads = self._pads()

    @property
    def wide(self) -> list[int]:
        """How far windows reach."""
        return [(size - 1) * rate + 1 for size, rate in zip(self.window, self.rates)]

    def _pads(self) -> list[tuple[int, int]]:
        if self.auto in ("SAME_UPPER", "SAME_LOWER"):
            pairs = []
            for size, stride, wide in zip(self.dims, self.strides, self.wide):
                if size is None:
                    raise self.n.unread("the sizes of images must be known to pad them")
                total = max((-(-size // stride) - 1) * stride + wide - size, 0)
                small = total // 2
                pairs.append((small, total - small))
            return pairs if self.auto == "SAME_UPPER" else [(b, a) for a, b in pairs]
        given = self.n.get("pads") if self.auto == "NOTSET" else None
        given = [0] * 2 * self.count if given is None else [int(p) for p in given]
        return list(zip(given[: self.count], given[self.count :]))

    def further(self) -> list[int]:
        """What more is put behind images, where results are rounded up."""
        if not self.n.get("ceil_mode"):
            return [0] * self.count
        more = []
        for size, stride, wide, (before, after) in zip(
            self.dims, self.strides, self.wide, self.pads
        ):
            if size is None:
                raise self.n.unread("the sizes of images must be known to round up")
            rest = size + before + after - wide
            steps = -(-rest // stride)
            if steps * stride >= size + before:
                steps -= 1  # a window starts in the image or before it
            more.append(max(0, steps * stride - rest))
        return more


def known_sizes(n: OnnxNode, tensor: TensorValue, start: int = 0) -> list[int]:
    """The sizes of a tensor along its axes from one on, which must be known."""
    sizes = dims_of(tensor)[start:]
    if None in sizes:
        raise n.unread("the sizes of images and filters must be known")
    return [int(size) for size in sizes if size is not None]


def over_images(slices: Sequence[builtins.slice]) -> tuple[builtins.slice, ...]:
    """Slices of the axes of space, after the whole axis of images."""
    return (builtins.slice(None), *slices)


def padded_images(x: TensorValue, pairs: Sequence[tuple[int, int]], value: float) -> Any:
    """Images with channels last, with something around."""
    if not any(map(any, pairs)):
        return x
    return pad(x, [(0, 0), *pairs, (0, 0)], "CONSTANT", cast(convert(value), x.dtype))


@meaning("Conv")
def convolved(
    n: OnnxNode, x: TensorValue, filters: TensorValue, bias: TensorValue | None = None
) -> Any:
    """A convolution."""
    windows = WindowAttributes(n, x, known_sizes(n, filters, 2))
    images = padded_images(channels_last(x), windows.pads, 0)
    order = [*builtins.range(2, 2 + windows.count), 1, 0]
    kernel = transpose(filters, order)
    groups = int(n.get("group", 1))
    result = grouped_convolution(images, kernel, windows, groups)
    if bias is not None:
        result = result + bias
    return channels_second(result)


def grouped_convolution(
    images: TensorValue, kernel: TensorValue, windows: WindowAttributes, groups: int
) -> Any:
    """A convolution of each group of channels with filters of its own."""
    count = windows.count
    if count == 2 and groups == dims_of(images)[-1] and groups > 1 and max(windows.rates) == 1 \
            and len(set(windows.strides)) == 1:  # fmt: skip
        high, wide, _, outer = [dims_of(kernel)[i] for i in builtins.range(4)]
        if outer is not None:
            each = reshape(kernel, [high, wide, groups, outer // groups])
            return depthwise_conv2d(images, each, [1, *windows.strides, 1], "VALID")
    if groups == 1 or count == 2:
        return any_convolution(images, kernel, windows)
    parts = zip(split(images, groups, -1), split(kernel, groups, -1))
    return concat([any_convolution(i, k, windows) for i, k in parts], -1)


def any_convolution(images: TensorValue, kernel: TensorValue, windows: WindowAttributes) -> Any:
    """A convolution along one, two or three axes."""
    count, strides, rates = windows.count, windows.strides, windows.rates
    if count == 1:
        images, kernel = expand_dims(images, 1), expand_dims(kernel, 0)
        flat = conv2d(images, kernel, [1, 1, *strides, 1], "VALID", dilations=[1, 1, *rates, 1])
        return squeeze(flat, [1])
    function = conv2d if count == 2 else conv3d
    if count > 3:
        raise windows.n.unread("it goes along more than three axes")
    return function(images, kernel, [1, *strides, 1], "VALID", dilations=[1, *rates, 1])


@meaning("ConvTranspose")
def spread(
    n: OnnxNode, x: TensorValue, filters: TensorValue, bias: TensorValue | None = None
) -> Any:
    """A convolution backwards: pixels are set apart, and filters turned."""
    dims, space = known_sizes(n, filters), known_sizes(n, x, 2)
    groups = int(n.get("group", 1))
    count = rank_of(x) - 2
    strides = [int(s) for s in n.get("strides", [1] * count)]
    rates = [int(r) for r in n.get("dilations", [1] * count)]
    further = [int(a) for a in n.get("output_padding", [0] * count)]
    wide = [(size - 1) * rate + 1 for size, rate in zip(dims[2:], rates)]
    full = [s * (size - 1) + w + f
            for s, size, w, f in zip(strides, space, wide, further)]  # fmt: skip
    pairs = spread_pads(n, count, full, strides, space)
    inner = dims[0]
    images, kernel = channels_last(x), transpose(filters, [*builtins.range(2, 2 + count), 1, 0])
    apart = set_apart(images, strides)
    around = [(w - 1, w - 1 + f) for w, f in zip(wide, further)]
    ready = padded_images(apart, around, 0)
    turned = reverse(kernel, list(builtins.range(count)))  # [..., outer, inner]
    rows = [reshape_filters(turned, i, inner // groups) for i in builtins.range(groups)]
    plain = WindowAttributes.__new__(WindowAttributes)
    plain.n, plain.count, plain.strides, plain.rates = n, count, [1] * count, rates
    parts = split(ready, groups, -1) if groups > 1 else [ready]
    made = concat([any_convolution(p, k, plain) for p, k in zip(parts, rows)], -1)
    made = padded_images(made, [(max(0, -a), max(0, -b)) for a, b in pairs], 0)
    cut = [builtins.slice(max(0, a), -b if b > 0 else None) for a, b in pairs]
    made = made[over_images(cut)]
    if bias is not None:
        made = made + bias
    return channels_second(made)


def reshape_filters(turned: TensorValue, group: int, inner: int) -> Any:
    """The filters of a group, [..., inner, outer]."""
    part = turned[..., group * inner : (group + 1) * inner]
    count = rank_of(part)
    return transpose(part, [*builtins.range(count - 2), count - 1, count - 2])


def spread_pads(
    n: OnnxNode, count: int, full: Sequence[int], strides: Sequence[int], dims: Sequence[int]
) -> list[tuple[int, int]]:
    """What is cut off the result of a convolution backwards."""
    auto = n.text("auto_pad", "NOTSET")
    wanted = n.get("output_shape")
    if wanted is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [size * stride for size, stride in zip(dims, strides)]
    if wanted is None:
        given = [int(p) for p in n.get("pads", [0] * 2 * count)]
        return list(zip(given[:count], given[count:]))
    pairs = []
    for whole, size in zip(full, wanted[-count:]):
        total = whole - int(size)
        small = total // 2 if total > 0 else 0
        pairs.append((total - small, small) if auto == "SAME_LOWER" else (small, total - small))
    return pairs


def set_apart(images: TensorValue, strides: Sequence[int]) -> Any:
    """Images with zeros between pixels."""
    for axis, stride in enumerate(strides, 1):
        if stride > 1:
            wide = expand_dims(images, axis + 1)
            sides = [[0, 0] for _ in builtins.range(rank_of(wide))]
            sides[axis + 1] = [0, stride - 1]
            spaced = pad(wide, sides)
            sizes = [shape(images, dt.int64)[i] for i in builtins.range(rank_of(images))]
            sizes[axis] = sizes[axis] * stride
            joined = reshape(spaced, stack(sizes))
            index: list[Any] = [builtins.slice(None)] * rank_of(images)
            index[axis] = builtins.slice(None, 1 - stride)
            images = joined[tuple(index)]
    return images


@meaning("MaxPool", note="without the places of what is greatest")
def max_pooled(n: OnnxNode, x: TensorValue) -> Any:
    """The greatest element of each window."""
    if n.count > 1 and n.wanted[1]:
        raise n.unread("it also gives places")
    windows = WindowAttributes(n, x, n.get("kernel_shape"))
    lowest = -np.inf if x.dtype.is_floating else x.dtype.min
    pairs = [(a, b + m) for (a, b), m in zip(windows.pads, windows.further())]
    images = padded_images(channels_last(x), pairs, lowest)
    narrow = not images.dtype.is_floating
    if narrow:
        images = cast(images, dt.float64)
    made = pool(images, windows.window, "MAX", strides=None, padding="VALID",
                dilations=windows.rates) if max(windows.rates) > 1 else None  # fmt: skip
    if made is None:
        made = pooled(images, windows, "MAX")
    elif max(windows.strides) > 1:
        step = [builtins.slice(None, None, s) for s in windows.strides]
        made = made[over_images(step)]
    return channels_second(cast(made, x.dtype) if narrow else made)


def pooled(images: TensorValue, windows: WindowAttributes, kind: str) -> Any:
    """Windows of one, two or three axes pooled."""
    function = max_pool if kind == "MAX" else avg_pool
    return function(images, windows.window, windows.strides, "VALID")


@meaning("AveragePool")
def mean_pooled(n: OnnxNode, x: TensorValue) -> Any:
    """The mean of each window, of what is in the image or also of what is around it."""
    windows = WindowAttributes(n, x, n.get("kernel_shape"))
    further = windows.further()
    images = channels_last(x)
    ones = ones_like(images[:1, ..., :1])
    pairs = [(a, b + m) for (a, b), m in zip(windows.pads, further)]
    total = sums(padded_images(images, pairs, 0), windows)
    if n.get("count_include_pad"):
        counted = padded_images(ones, windows.pads, 1)
        counts = sums(padded_images(counted, [(0, m) for m in further], 0), windows)
    else:
        counts = sums(padded_images(ones, pairs, 0), windows)
    return channels_second(total / counts)


def sums(images: TensorValue, windows: WindowAttributes) -> Any:
    """The means of windows, which are sums but for a factor."""
    if max(windows.rates) == 1:
        return pooled(images, windows, "AVG")
    made = pool(images, windows.window, "AVG", padding="VALID", dilations=windows.rates)
    step = [builtins.slice(None, None, s) for s in windows.strides]
    return made[over_images(step)]


@meaning("LpPool")
def norm_pooled(n: OnnxNode, x: TensorValue) -> Any:
    """The norm of each window."""
    power = float(n.get("p", 2))
    windows = WindowAttributes(n, x, n.get("kernel_shape"))
    pairs = [(a, b + m) for (a, b), m in zip(windows.pads, windows.further())]
    powers = pow(abs(channels_last(x)), cast(convert(power), x.dtype))
    means = sums(padded_images(powers, pairs, 0), windows)
    total = means * cast(convert(float(np.prod(windows.window))), x.dtype)
    return channels_second(pow(total, cast(convert(1 / power), x.dtype)))


def over_space(x: TensorValue) -> list[int]:
    """The axes of space."""
    return list(builtins.range(2, rank_of(x)))


@meaning("GlobalAveragePool")
def global_mean(n: OnnxNode, x: TensorValue) -> Any:
    """The mean of each channel."""
    return reduce_mean(x, over_space(x), True)


@meaning("GlobalMaxPool")
def global_max(n: OnnxNode, x: TensorValue) -> Any:
    """The greatest element of each channel."""
    return reduce_max(x, over_space(x), True)


@meaning("GlobalLpPool")
def global_norm(n: OnnxNode, x: TensorValue) -> Any:
    """The norm of each channel."""
    power = cast(convert(float(n.get("p", 2))), x.dtype)
    return pow(reduce_sum(pow(abs(x), power), over_space(x), True), 1 / power)


@meaning("Resize", "Upsample", note="by nearest pixels and straight lines, and cubic polynomials")
def resized(n: OnnxNode, x: TensorValue, *others: TensorValue) -> Any:
    """Images in another size, axis by axis."""
    region, scales, sizes = resize_operands(n, others)
    dims = x.type.dims
    if dims is None or None in dims:
        raise n.unread("the sizes of images must be known")
    axes = n.get("axes")
    axes = list(builtins.range(len(dims))) if axes is None else [a % len(dims) for a in axes]
    targets, factors = resize_targets(n, [dims[a] for a in axes], scales, sizes)
    mode = n.text("mode", "nearest")
    result = cast(x, dt.float64) if mode != "nearest" and x.dtype is not dt.float64 else x
    for place, axis in enumerate(axes):
        if targets[place] == dims[axis] and factors[place] == 1:
            continue
        span = (0.0, 1.0) if region is None else (region[place], region[place + len(axes)])
        line = ResizedAxis(n, int(dims[axis]), targets[place], factors[place], span)
        result = line.along(result, axis, mode)
    return cast(result, x.dtype)


def resize_operands(n: OnnxNode, others: Sequence[Any]) -> tuple[Any, Any, Any]:
    """The region, the factors and the sizes, as far as they are given."""
    if n.kind == "Upsample" or n.opset < 11:
        scales = n.get("scales") if not others else n.static(others[0], "the factors")
        return None, scales, None
    given = [None if t is None or t.type.dims == (0,) else n.static(t, "the sizes") for t in others]
    return tuple([*given, None, None, None][:3])  # type: ignore[return-value]


def resize_targets(
    n: OnnxNode, dims: Sequence[int], scales: Any, sizes: Any
) -> tuple[list[int], list[float]]:
    """The sizes of the result, and the factors that they mean."""
    if sizes is None:
        factors = [float(s) for s in scales]
        return [int(np.floor(d * f)) for d, f in zip(dims, factors)], factors
    wanted = [int(s) for s in sizes]
    policy = n.text("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        ratios = [w / d for w, d in zip(wanted, dims)]
        factor = min(ratios) if policy == "not_larger" else max(ratios)
        return [int(np.floor(factor * d + 0.5)) for d in dims], [factor] * len(dims)
    return wanted, [w / d for w, d in zip(wanted, dims)]


class ResizedAxis:
    """One axis of a resized image: where each new pixel lies among the old ones."""

    def __init__(
        self, n: OnnxNode, size: int, target: int, factor: float, span: tuple[float, float]
    ) -> None:
        self.n, self.size, self.factor, self.span = n, size, factor, span
        self.places = self.positions(np.arange(target, dtype=np.float64), target)

    def positions(self, i: Array, target: int) -> Any:
        """The places of new pixels on the old axis."""
        mode = self.n.text("coordinate_transformation_mode", "half_pixel")
        if self.n.kind == "Upsample" or self.n.opset < 11:
            mode = "asymmetric"
        size, factor = self.size, self.factor
        if mode == "align_corners":
            return i * (size - 1) / (factor * size - 1) if target > 1 else np.zeros_like(i)
        if mode == "asymmetric":
            return i / factor
        if mode == "tf_half_pixel_for_nn":
            return (i + 0.5) / factor
        if mode == "pytorch_half_pixel":
            return (i + 0.5) / factor - 0.5 if target > 1 else np.zeros_like(i)
        if mode == "half_pixel_symmetric":
            adjustment = target / (factor * size)
            center = size / 2
            return center * (1 - adjustment) + (i + 0.5) / factor - 0.5
        if mode == "tf_crop_and_resize":
            start, end = (float(edge) for edge in self.span)
            if target > 1:
                return start * (size - 1) + i * (end - start) * (size - 1) / (target - 1)
            return np.full_like(i, 0.5 * (start + end) * (size - 1))
        return (i + 0.5) / factor - 0.5

    def weights(self, mode: str) -> Any:
        """The weight of each old pixel in each new one."""
        size, x = self.size, self.places
        matrix = np.zeros((len(x), size))
        stretch = min(1.0, self.factor) if self.n.get("antialias") else 1.0
        reach = 1.0 if mode == "linear" else 2.0
        a = float(self.n.get("cubic_coeff_a", -0.75))
        steps = int(np.ceil(reach / stretch))
        outside = bool(self.n.get("exclude_outside"))
        for row, place in enumerate(x):
            near = np.arange(int(np.floor(place)) - steps + 1, int(np.floor(place)) + steps + 1)
            distance = np.abs((near - place) * stretch)
            weight = np.maximum(0, 1 - distance) if mode == "linear" else cubic(distance, a)
            if outside:
                weight = np.where((near < 0) | (near >= size), 0, weight)
            weight = weight / weight.sum()
            np.add.at(matrix[row], np.clip(near, 0, size - 1), weight)
        return matrix

    def nearest(self) -> Any:
        """The old pixel of each new one."""
        mode = self.n.text("nearest_mode", "round_prefer_floor")
        if self.n.kind == "Upsample" or self.n.opset < 11:
            mode = "floor"
        rounded = {
            "round_prefer_floor": np.ceil(self.places - 0.5),
            "round_prefer_ceil": np.floor(self.places + 0.5),
            "floor": np.floor(self.places),
            "ceil": np.ceil(self.places),
        }[mode]
        return np.clip(rounded, 0, self.size - 1).astype(np.int64)

    def along(self, x: TensorValue, axis: int, mode: str) -> Any:
        """A tensor with this axis in its new size."""
        outside = None
        if self.n.text("coordinate_transformation_mode") == "tf_crop_and_resize":
            outside = (self.places < 0) | (self.places > self.size - 1)
        if mode == "nearest":
            made = gather(x, self.nearest(), axis=axis)
        elif mode in ("linear", "cubic"):
            order = [i for i in builtins.range(rank_of(x)) if i != axis] + [axis]
            back = [order.index(i) for i in builtins.range(rank_of(x))]
            matrix = self.weights(mode).T
            made = transpose(tensordot(transpose(x, order), matrix, 1), back)
        else:
            raise self.n.unread(f"the mode is {mode}")
        if outside is None or not outside.any():
            return made
        line = np.where(outside, 1, 0).astype(bool)
        line = line.reshape([-1 if i == axis else 1 for i in builtins.range(rank_of(x))])
        value = cast(convert(float(self.n.get("extrapolation_value", 0.0))), x.dtype)
        return where(line, value, made)


def cubic(t: TensorValue, a: float) -> Any:
    """The weight of a pixel at a distance."""
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0))
