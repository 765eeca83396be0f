"""Cases of convolutions and pooling."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tools.golden.nn import Case, normal

#: Units in the last place, of the greatest element too: sums may cancel.
TOLERANCES = [(r"conv|pool", 8, 0.0, 8)]
#: What is meant to differ.
DEPARTURES = [
    (r"list\(2, 1, 1, 1\)", "an error of another class, that of one library's kernel"),
    (r"conv2d\(float32\[2, 2, 5, 5, 3\]", "data of unknown rank has one batch axis"),
    (r"list\(2, 5, 5, 2\)", "an error of another class, that of one library's kernel"),
]


def convolutions() -> Iterator[Case]:
    x = normal((2, 6, 7, 4))
    for padding, stride, dilation in itertools.product(("SAME", "VALID"), (1, 2, (2, 1)), (1, 2)):
        for size in ((1, 1), (2, 3), (3, 3)):
            spread = {"dilations": dilation}
            strides = {"strides": stride, "padding": padding}
            yield "nn.conv2d", (x, normal((*size, 4, 3))), {**strides, **spread}
            if dilation == 1 or stride == 1:
                yield "nn.convolution", (x, normal((*size, 4, 3))), {**strides, **spread}
            if stride == 1:
                again = {"strides": [1, 1, 1, 1], "padding": padding, "dilations": [dilation] * 2}
                yield "nn.depthwise_conv2d", (x, normal((*size, 4, 2))), again
                if dilation == 1:
                    pair = (normal((*size, 4, 2)), normal((1, 1, 8, 3)))
                    yield "nn.separable_conv2d", (x, *pair), again
            elif stride == 2 and dilation == 1:
                again = {"strides": [1, 2, 2, 1], "padding": padding}
                yield "nn.depthwise_conv2d", (x, normal((*size, 4, 2))), again
    pads = [[0, 0], [1, 2], [0, 1], [0, 0]]
    yield "nn.conv2d", (x, normal((3, 3, 4, 2)), 1, pads), {}
    yield "nn.conv2d", (x, normal((3, 3, 4, 2)), [1, 2, 2, 1], pads), {}
    yield "nn.conv2d", (x, normal((3, 3, 2, 6)), 1, "SAME"), {}  # two groups
    yield "nn.conv2d", (normal((2, 2, 5, 5, 3)), normal((2, 2, 3, 2)), 1, "SAME"), {}
    for dtype in ("float16", "bfloat16", "float64"):
        yield "nn.conv2d", (normal((1, 4, 4, 2), dtype), normal((2, 2, 2, 3), dtype), 1, "SAME"), {}
    yield from refusals()
    yield from other_ranks()
    yield from transposes()


def refusals() -> Iterator[Case]:
    """What convolutions refuse."""
    x, filters = normal((1, 4, 4, 3)), normal((2, 2, 3, 2))
    yield "nn.conv2d", (x, normal((2, 2, 2, 2)), 1, "VALID"), {}
    yield "nn.conv2d", (x, filters, 0, "VALID"), {}
    yield "nn.conv2d", (x, filters, 1, "valid"), {}
    yield "nn.conv2d", (x, filters, [1, 2, 3], "VALID"), {}
    yield "nn.conv2d", (x, filters, [2, 1, 1, 1], "VALID"), {}
    yield "nn.conv2d", (x, filters, 1, "EXPLICIT"), {}
    yield "nn.conv2d", (x, filters, 1, [[0, 0], [1, 1]]), {}
    yield "nn.conv2d", (x, filters, 1, "VALID", "ABCD"), {}
    yield "nn.conv2d", (x, filters.astype(np.float64), 1, "VALID"), {}
    yield "nn.convolution", (x, normal((3,))), {}
    yield "nn.depthwise_conv2d", (x, normal((2, 2, 2, 2)), [1, 1, 1, 1], "SAME"), {}


def other_ranks() -> Iterator[Case]:
    """Convolutions over one and three axes."""
    for padding, stride, dilation in itertools.product(("SAME", "VALID"), (1, 2), (1, 2)):
        if stride > 1 and dilation > 1:
            continue
        options = {"padding": padding, "dilations": dilation}
        line = (normal((2, 9, 3)), normal((3, 3, 2)))
        yield "nn.conv1d", line, {"stride": stride, **options}
        yield "nn.convolution", line, {"strides": stride, **options}
        if dilation == 1:
            volume = (normal((1, 4, 5, 6, 2)), normal((2, 3, 2, 2, 3)))
            strides = [1, stride, stride, stride, 1]
            yield "nn.conv3d", volume, {"strides": strides, "padding": padding}
            yield "nn.convolution", volume, {"strides": stride, "padding": padding}
    for rate, padding in itertools.product((1, 2), ("SAME", "VALID")):
        yield "nn.atrous_conv2d", (normal((1, 8, 8, 2)), normal((3, 3, 2, 2)), rate, padding), {}


def transposes() -> Iterator[Case]:
    """Transposed convolutions, whose result has the given shape."""
    for padding, stride, size in itertools.product(("SAME", "VALID"), (1, 2), (2, 3)):
        grow = 0 if padding == "SAME" else max(size - stride, 0)
        width = 4 * stride + grow
        options = {"strides": stride, "padding": padding}
        yield (
            "nn.conv2d_transpose",
            (normal((2, 4, 4, 3)), normal((size, size, 2, 3)), [2, width, width, 2]),
            options,
        )
        yield (
            "nn.conv1d_transpose",
            (normal((2, 4, 3)), normal((size, 2, 3)), [2, width, 2]),
            options,
        )
        yield (
            "nn.conv3d_transpose",
            (normal((1, 4, 4, 4, 3)), normal((size, size, size, 2, 3)), [1, *[width] * 3, 2]),
            options,
        )
        yield (
            "nn.conv_transpose",
            (normal((2, 4, 4, 3)), normal((size, size, 2, 3)), [2, width, width, 2]),
            options,
        )
    yield (
        "nn.conv2d_transpose",
        (normal((2, 4, 4, 3)), normal((2, 2, 2, 3)), [2, 5, 5, 2], 2, "SAME"),
        {},
    )


def pools() -> Iterator[Case]:
    for name, dtype in itertools.product(
        ("max", "avg"), ("float16", "bfloat16", "float32", "float64")
    ):
        for padding, stride in itertools.product(("SAME", "VALID"), (1, 2, 3)):
            for size in (1, 2, 3, (2, 3)):
                x = normal((2, 6, 7, 3), dtype)
                yield f"nn.{name}_pool2d", (x, size, stride, padding), {}
    for name, padding in itertools.product(("max", "avg"), ("SAME", "VALID")):
        yield f"nn.{name}_pool", (normal((2, 6, 7, 3)), 2, 2, padding), {}
        yield f"nn.{name}_pool", (normal((2, 7, 3)), 2, 2, padding), {}
        yield f"nn.{name}_pool", (normal((1, 5, 6, 7, 2)), 2, 2, padding), {}
        yield f"nn.{name}_pool1d", (normal((2, 7, 3)), 3, 2, padding), {}
        yield f"nn.{name}_pool3d", (normal((1, 5, 6, 7, 2)), (2, 3, 2), 2, padding), {}
        yield f"nn.{name}_pool2d", (normal((2, 6, 7, 3)), [1, 2, 2, 1], [1, 2, 2, 1], padding), {}
        yield f"nn.{name}_pool2d", (normal((2, 3)), 2, 2, padding), {}
        yield f"nn.{name}_pool", (normal((2, 3)), 2, 2, padding), {}
        yield f"nn.{name}_pool2d", (normal((1, 4, 4, 1)), 2, 1, padding.lower()), {}
    yield "nn.max_pool2d", (np.arange(32).reshape(1, 4, 4, 2), 2, 2, "SAME"), {}
    yield "nn.avg_pool2d", (np.arange(32).reshape(1, 4, 4, 2), 2, 2, "SAME"), {}
    pads = [[0, 0], [1, 1], [0, 1], [0, 0]]
    yield "nn.max_pool2d", (normal((1, 4, 4, 2)), 2, 2, pads), {}
    for include in (False, True):
        again: dict[str, Any] = {"include_batch_in_index": include, "output_dtype": "int32"}
        for padding in ("SAME", "VALID"):
            yield "nn.max_pool_with_argmax", (normal((2, 4, 5, 2)), 2, 2, padding), again
    for kind, padding, dilation in itertools.product(("MAX", "AVG"), ("SAME", "VALID"), (1, 2)):
        options = {"padding": padding, "dilations": [dilation] * 2}
        yield "nn.pool", (normal((1, 7, 8, 2)), [2, 3], kind), options
        yield (
            "nn.pool",
            (normal((1, 9, 2)), [2], kind),
            {"padding": padding, "dilations": [dilation]},
        )
    yield "nn.pool", (normal((1, 7, 8, 2)), [2, 2], "MAX", [2, 2]), {}
    yield "nn.pool", (normal((1, 7, 8, 2)), [2, 2], "MIN"), {}


def morphology() -> Iterator[Case]:
    """Dilation and erosion."""
    for name, padding in itertools.product(("dilation2d", "erosion2d"), ("SAME", "VALID")):
        for step, rate, size in ((1, 1, (2, 3)), (2, 1, (3, 3)), (1, 2, (2, 2))):
            strides, rates = [1, step, step, 1], [1, rate, rate, 1]
            operands = (normal((2, 5, 6, 3)), normal((*size, 3)))
            yield f"nn.{name}", (*operands, strides, padding, "NHWC", rates), {}
    again = ([1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])
    yield "nn.dilation2d", (normal((1, 3, 3, 2)), normal((2, 2, 3)), *again), {}
    yield "nn.dilation2d", (normal((3, 3, 2)), normal((2, 2, 2)), *again), {}


def cases() -> Iterator[Case]:
    """All of them."""
    yield from convolutions()
    yield from pools()
    yield from morphology()
