"""Layers of networks, and random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.op.op import Op
from graphwright.ops.nn.batch_norm import FusedBatchNormV3
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.counterparts.onnx_windows import ImageLayout
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.onnx_types import NUMBER_OF
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart


@counterpart("Softmax", onnx="Softmax")
def softmax(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """Each row as probabilities."""
    return w.emit("Softmax", x, axis=-1)


@counterpart("LogSoftmax", onnx="LogSoftmax")
def log_softmax(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """Their logarithms."""
    return w.emit("LogSoftmax", x, axis=-1)


def drawn(name: str) -> Callable[..., Wire]:
    """The rule that random numbers are other ones of the same distribution."""

    def write(w: NodeWriter, op: Any, shape: Wire) -> Wire:
        zeros = w.emit("Expand", w.constant(0, op.dtype), w.vector(shape))
        return w.emit(name, zeros, dtype=op.dtype, dtype_=NUMBER_OF[op.dtype])

    write.__module__ = __name__
    return write


_NOTE = "other numbers of the same distribution"
counterpart("RandomUniform", onnx="RandomUniformLike", note=_NOTE)(drawn("RandomUniformLike"))
counterpart("RandomStandardNormal", onnx="RandomNormalLike", note=_NOTE)(drawn("RandomNormalLike"))


@counterpart("FusedBatchNormV3", onnx="BatchNormalization, Transpose", note="not in training")
def batch_norm(
    w: NodeWriter,
    op: FusedBatchNormV3,
    x: Wire,
    scale: Wire,
    offset: Wire,
    mean: Wire,
    variance: Wire,
) -> list[Wire]:
    """Each channel with mean and variance that are given."""
    if op.is_training:
        raise NoCounterpart("it takes mean and variance of the batch, as in training")
    layout = ImageLayout(op.data_format)
    images = layout.channels_second(w, x)
    parts = [scale, offset, mean, variance]
    made = w.emit("BatchNormalization", images, *parts, epsilon=float(op.epsilon))
    return [layout.back(w, made), mean, variance, mean, variance, mean]
