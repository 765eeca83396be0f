"""Cases of the ops that gradients are made of, by their raw names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from tools.golden.raw import raw

Case = tuple[str, tuple[Any, ...], dict[str, Any]]
FLOATS = ("float16", "bfloat16", "float32", "float64")
X = np.array([[0.5, -1.5, 2.0], [3.25, 0.0, -0.25]], np.float32)
DY = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]], np.float32)
#: Linear functions, whose gradients are the functions that they are the adjoints of.
FURTHER_GRADIENTS = "ResizeBilinearGrad"
DEPARTURES = [
    (
        r"(Relu|Elu|Tanh)Grad\(\w+=float32\[2, 3\].*=float32\[1, 3\]",
        "cotangents are broadcast as other elementwise operands, which batching rules use",
    ),
    (
        r"Conv2DBackpropFilter\(.*out_backprop=float32\[2, 6, 6, 3\]|DepthwiseConv2dNativeBack.*"
        r"dilations=list\(1, 2, 2, 1\)",
        "AbortedError of a library below TensorFlow: ours says what is wrong, or computes",
    ),
    (
        r"normalized_backward\(float16.*NCHW.*is_training=False",
        "TensorFlow's kernel has no float16 with the channels first",
    ),
]
TOLERANCES = [
    ("normalized$", 4.0, 0.0, 1.0),  # what an offset cancels has the error of the variance
    ("normalized_backward", 16.0, 1e-5, 4.0),
    ("RandomGammaGrad|IgammaGradA", 2000.0, 1e-5),
    ("Backprop|LRN|Pool|Resize|ScaleAndTranslate|Crop|Dilation", 16.0, 0.0, 16.0),
]


def ramp(*shape: int, dtype: str = "float32") -> Any:
    """Numbers that differ, some of them negative."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 7 % 23 - 9) / 4).reshape(shape).astype(dtype)


def elements() -> Iterator[Case]:
    """Of elementwise functions: by the operand, or by the result."""
    of_features = ("Relu", "Relu6", "LeakyRelu", "Softplus", "Softsign")
    of_outputs = ("Elu", "Selu")
    of_results = ("Reciprocal", "Rsqrt", "Sigmoid", "Sqrt", "Tanh")
    for dtype in (*FLOATS, "int32", "complex64"):
        x, dy = X.astype(dtype), DY.astype(dtype)
        for name in of_features:
            yield raw(f"{name}Grad", gradients=dy, features=x)
        for name in of_outputs:
            yield raw(f"{name}Grad", gradients=dy, outputs=x)
        for name in of_results:
            yield raw(f"{name}Grad", y=x, dy=dy)
    for name, kind in (("Relu", "features"), ("Elu", "outputs")):
        yield raw(f"{name}Grad", **{"gradients": DY, kind: X[:1]})
    yield raw("TanhGrad", y=X, dy=DY[:1])
    yield raw("LeakyReluGrad", gradients=DY, features=X, alpha=0.5)
    for dtype in ("float32", "float64"):
        a = np.array([0.5, 1.0, 3.0, 20.0], dtype)
        yield raw("IgammaGradA", a=a, x=np.array([0.25, 2.0, 2.5, 18.0], dtype))
        yield raw("RandomGammaGrad", alpha=a, sample=np.array([0.25, 2.0, 2.5, 18.0], dtype))
        yield raw("IgammaGradA", a=a[:1], x=a)
    for axis, low, high in ((-1, -1.0, 2.0), (1, [-1.0, 0.0, 1.0], [1.0, 3.0, 2.5])):
        yield raw("QuantizeAndDequantizeV4Grad", gradients=DY, input=X, axis=axis,
                  input_min=np.array(low, np.float32),
                  input_max=np.array(high, np.float32))  # fmt: skip


def movement() -> Iterator[Case]:
    """Of slices, padding and biases."""
    for begin, end, strides, shape in (
        ([0, 1], [2, 3], [1, 1], [2, 2]),
        ([1, 2], [0, 0], [-1, -1], [1, 2]),
        ([0, 0], [2, 3], [1, 2], [2, 2]),
    ):
        yield raw("StridedSliceGrad", shape=[2, 3], begin=begin, end=end, strides=strides,
                  dy=ramp(*shape))  # fmt: skip
        yield raw("StridedSliceGrad", shape=np.array([2, 3]), begin=np.array(begin),
                  end=np.array(end), strides=np.array(strides), dy=ramp(*shape))  # fmt: skip
    yield raw("StridedSliceGrad", shape=[2, 3], begin=[0, 1], end=[1, 2], strides=[1, 1],
              dy=ramp(2), shrink_axis_mask=2, begin_mask=1, end_mask=1)  # fmt: skip
    yield raw("StridedSliceGrad", shape=[2, 3], begin=[0, 1], end=[2, 3], strides=[1, 1],
              dy=ramp(3, 3))  # fmt: skip
    for mode in ("REFLECT", "SYMMETRIC"):
        for dtype in ("float32", "float64", "int32"):
            yield raw("MirrorPadGrad", input=ramp(4, 6, dtype=dtype),
                      paddings=[[1, 1], [2, 1]], mode=mode)  # fmt: skip
        yield raw("MirrorPadGrad", input=ramp(4, 6), mode=mode,
                  paddings=np.array([[0, 2], [0, 0]]))  # fmt: skip
    for form, dtype in product(("NHWC", "NCHW"), (*FLOATS, "int32")):
        yield raw("BiasAddGrad", out_backprop=ramp(2, 3, 4, dtype=dtype), data_format=form)
    yield raw("BiasAddGrad", out_backprop=ramp(2, 3, 4, 2, 5), data_format="NCHW")
    yield raw("BiasAddGrad", out_backprop=ramp(3))


def convolutions() -> Iterator[Case]:
    """Of convolutions: by the filter, by the input."""
    for stride, padding, dilation in (
        (1, "SAME", 1), (2, "VALID", 1), (2, "SAME", 1), (1, "VALID", 2),
    ):  # fmt: skip
        reach = 2 * dilation + 1
        size = (-(-6 // stride) if padding == "SAME" else (6 - reach) // stride + 1,) * 2
        plane = {"strides": [1, stride, stride, 1], "padding": padding,
                 "dilations": [1, dilation, dilation, 1]}  # fmt: skip
        x, w = ramp(2, 6, 6, 2), ramp(3, 3, 2, 4)
        yield raw("Conv2DBackpropFilter", input=x, filter_sizes=[3, 3, 2, 4],
                  out_backprop=ramp(2, *size, 4), **plane)  # fmt: skip
        yield raw("Conv2DBackpropInput", input_sizes=np.array([2, 6, 6, 2], np.int32), filter=w,
                  out_backprop=ramp(2, *size, 4), **plane)  # fmt: skip
        yield raw("DepthwiseConv2dNativeBackpropFilter", input=x, filter_sizes=[3, 3, 2, 4],
                  out_backprop=ramp(2, *size, 8), **plane)  # fmt: skip
        yield raw("DepthwiseConv2dNativeBackpropInput", input_sizes=[2, 6, 6, 2], filter=w,
                  out_backprop=ramp(2, *size, 8), **plane)  # fmt: skip
        if dilation == 1:
            cube = {"strides": [1, stride, stride, stride, 1], "padding": padding}
            yield raw("Conv3DBackpropFilterV2", input=ramp(1, 6, 6, 6, 2),
                      filter_sizes=[3, 3, 3, 2, 3], out_backprop=ramp(1, *size, size[0], 3),
                      **cube)  # fmt: skip
            yield raw("Conv3DBackpropInputV2", input_sizes=[1, 6, 6, 6, 2],
                      filter=ramp(3, 3, 3, 2, 3), out_backprop=ramp(1, *size, size[0], 3),
                      **cube)  # fmt: skip
    yield raw("Conv2DBackpropFilter", input=ramp(2, 6, 6, 2), filter_sizes=[3, 3, 2, 4],
              out_backprop=ramp(2, 6, 6, 3), strides=[1, 1, 1, 1], padding="SAME")  # fmt: skip
    for padding, size in (("SAME", 5), ("VALID", 3)):
        window = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": padding}
        for of in ("Input", "Filter"):
            for dtype in ("float32", "float64"):
                yield raw(f"Dilation2DBackprop{of}", input=ramp(1, 5, 5, 2, dtype=dtype),
                          filter=ramp(3, 3, 2, dtype=dtype),
                          out_backprop=ramp(1, size, size, 2, dtype=dtype),
                          **window)  # fmt: skip


def pools() -> Iterator[Case]:
    """Of pooling and normalization over neighbours."""
    image = (ramp(2, 4, 4, 3) * 3) % 2.75
    tops = image.reshape(2, 2, 2, 2, 2, 3).max(axis=(2, 4))
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
    for padding in ("SAME", "VALID"):
        yield raw("MaxPoolGrad", orig_input=image, orig_output=tops, grad=ramp(2, 2, 2, 3),
                  padding=padding, **window)  # fmt: skip
        yield raw("AvgPoolGrad", orig_input_shape=[2, 4, 4, 3], grad=ramp(2, 2, 2, 3),
                  padding=padding, **window)  # fmt: skip
    yield raw("MaxPoolGrad", orig_input=image, orig_output=tops, grad=ramp(2, 2, 1, 3),
              padding="SAME", **window)  # fmt: skip
    yield raw("AvgPoolGrad", orig_input_shape=[2, 5, 5, 1], grad=ramp(2, 5, 5, 1), padding="SAME",
              ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1])  # fmt: skip
    cube = (ramp(1, 4, 4, 4, 2) * 3) % 2.75
    heads = cube.reshape(1, 2, 2, 2, 2, 2, 2, 2).max(axis=(2, 4, 6))
    window = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "VALID"}
    yield raw("MaxPool3DGrad", orig_input=cube, orig_output=heads, grad=ramp(1, 2, 2, 2, 2),
              **window)  # fmt: skip
    yield raw("MaxPool3DGradGrad", orig_input=cube, orig_output=heads, grad=ramp(1, 4, 4, 4, 2),
              **window)  # fmt: skip
    yield raw("AvgPool3DGrad", orig_input_shape=[1, 4, 4, 4, 2], grad=ramp(1, 2, 2, 2, 2),
              **window)  # fmt: skip
    parts = {"row_pooling_sequence": np.array([0, 1, 4]),
             "col_pooling_sequence": np.array([0, 2, 4])}  # fmt: skip
    peaks = np.stack([[image[:, a:b, c:d].max(axis=(1, 2)) for c, d in ((0, 2), (2, 4))]
                      for a, b in ((0, 1), (1, 4))]).transpose(2, 0, 1, 3)  # fmt: skip
    for overlapping in (False, True):
        yield raw("FractionalAvgPoolGrad", orig_input_tensor_shape=np.array([2, 4, 4, 3]),
                  out_backprop=ramp(2, 2, 2, 3), overlapping=overlapping, **parts)  # fmt: skip
    yield raw("FractionalMaxPoolGrad", orig_input=image, orig_output=np.ascontiguousarray(peaks),
              out_backprop=ramp(2, 2, 2, 3), **parts)  # fmt: skip
    for radius, bias, alpha, beta in ((5, 1.0, 1.0, 0.5), (1, 2.0, 0.5, 0.75)):
        wide = ramp(1, 2, 2, 7)
        padded = np.pad(np.square(wide), [(0, 0)] * 3 + [(radius, radius)])
        sums = sum(padded[..., i : i + 7] for i in range(2 * radius + 1))
        yield raw("LRNGrad", input_grads=ramp(1, 2, 2, 7)[..., ::-1].copy(), input_image=wide,
                  output_image=np.round(wide / (bias + alpha * sums) ** beta, 4),
                  depth_radius=radius, bias=bias, alpha=alpha, beta=beta)  # fmt: skip


def images() -> Iterator[Case]:
    """Of resizing and cropping."""
    for corners, centers in ((False, False), (True, False), (False, True)):
        how = {"align_corners": corners, "half_pixel_centers": centers}
        for shape in ((6, 8), (2, 2), (3, 4)):
            grads, original = ramp(1, *shape, 2), ramp(1, 3, 4, 2)
            yield raw("ResizeBilinearGrad", grads=grads, original_image=original, **how)
            yield raw("ResizeBicubicGrad", grads=grads, original_image=original, **how)
            yield raw("ResizeNearestNeighborGrad", grads=grads, size=[3, 4], **how)
    for dtype in ("float64", "float16", "bfloat16"):
        yield raw("ResizeBilinearGrad", grads=ramp(1, 6, 8, 2), original_image=ramp(
            1, 3, 4, 2, dtype=dtype))  # fmt: skip
    for kernel in ("lanczos3", "triangle", "gaussian", "keyscubic"):
        for antialias in (True, False):
            yield raw("ScaleAndTranslateGrad", grads=ramp(1, 5, 7, 2),
                      original_image=ramp(1, 3, 4, 2), scale=np.array([1.5, 1.75], np.float32),
                      translation=np.array([0.25, -0.5], np.float32), kernel_type=kernel,
                      antialias=antialias)  # fmt: skip
    boxes = np.array([[0.1, 0.2, 0.7, 0.9], [0.0, 0.0, 1.2, 1.0]], np.float32)
    for method in ("bilinear", "nearest"):
        yield raw("CropAndResizeGradImage", grads=ramp(2, 3, 2, 2), boxes=boxes,
                  box_ind=np.array([0, 1], np.int32), image_size=[2, 4, 5, 2], T=np.float32,
                  method=method)  # fmt: skip
    yield raw("CropAndResizeGradBoxes", grads=ramp(2, 3, 2, 2), image=ramp(2, 4, 5, 2),
              boxes=boxes, box_ind=np.array([0, 1], np.int32))  # fmt: skip
    yield raw("CropAndResizeGradBoxes", grads=ramp(2, 3, 2, 2), image=ramp(2, 4, 5, 2),
              boxes=boxes, box_ind=np.array([0, 2], np.int32))  # fmt: skip


def statistics() -> Iterator[Case]:
    """Of batch normalization, and the op itself."""
    for form, training, dtype in product(
        ("NHWC", "NCHW"), (True, False), ("float32", "bfloat16", "float16")
    ):
        x = ramp(2, 3, 3, 3, dtype=dtype)
        one = {"scale": np.array([1.0, 0.5, 2.0], np.float32)}
        rest = {"offset": np.array([0.0, 1.0, -1.0], np.float32),
                "mean": np.array([0.1, 0.2, 0.3], np.float32),
                "variance": np.array([1.0, 2.0, 0.5], np.float32)}  # fmt: skip
        how = {"epsilon": 0.001, "data_format": form, "is_training": training}
        if training:
            rest |= {"mean": np.zeros(0, np.float32), "variance": np.zeros(0, np.float32)}
        yield "tools.golden.backward.normalized", (x, one["scale"], *rest.values()), how
        reserved = {f"reserve_space_{i}": v for i, v in enumerate(saved(x, form, training), 1)}
        yield "tools.golden.backward.normalized_backward", (
            x[..., ::-1].copy(), x, one["scale"], *reserved.values()), how  # fmt: skip


def saved(x: Any, form: str, training: bool) -> list[Any]:
    """What a batch normalization of x reserves: the statistics that it used."""
    if not training:
        return [np.array([0.3, 0.4, 0.5], np.float32) * i for i in (1, 2, 3)]
    wide, axes = x.astype(np.float32), (0, 1, 2) if form == "NHWC" else (0, 2, 3)
    return [wide.mean(axes), wide.var(axes), np.zeros(0, np.float32)]


def normalized(tf: Any, x: Any, *parts: Any, **how: Any) -> Any:
    """What is promised of a batch normalization: not what it reserves for its gradient."""
    names = ("scale", "offset", "mean", "variance")
    return tf.raw_ops.FusedBatchNormV3(x=x, **dict(zip(names, parts)), **how)[:3]


def normalized_backward(tf: Any, dy: Any, x: Any, *parts: Any, **how: Any) -> Any:
    """The cotangents of the image, the scale and the offset."""
    names = ("scale", *(f"reserve_space_{i}" for i in (1, 2, 3)))
    return tf.raw_ops.FusedBatchNormGradV3(y_backprop=dy, x=x, **dict(zip(names, parts)), **how)[:3]


def cases() -> Iterator[Case]:
    """All cases of the area."""
    for group in (elements, movement, convolutions, pools, images, statistics):
        yield from group()
