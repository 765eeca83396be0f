"""Variables: a model has their values as initializers."""

from __future__ import annotations

from graphwright.op.op import Op
from graphwright.ops.state.variable_ops import VariableShape
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.counterparts.onnx_indexing import places
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt


def value_of(w: NodeWriter, handle: Wire) -> Wire:
    """The value of the variable behind a handle."""
    if handle.variable is None:
        raise NoCounterpart("it reads a variable that the model gets as an argument")
    return w.parts.variable(handle.variable)


@counterpart("ReadVariableOp", onnx="(an initializer)")
def read(w: NodeWriter, op: Op, handle: Wire) -> Wire:
    """The value that the variable has when the model is written."""
    return value_of(w, handle)


@counterpart("ResourceGather", onnx="Gather")
def gather_rows(w: NodeWriter, op: Op, handle: Wire, indices: Wire) -> Wire:
    """Rows of a variable."""
    return w.emit("Gather", value_of(w, handle), places(w, indices), axis=0)


@counterpart("ResourceGatherNd", onnx="GatherND")
def gather_slices(w: NodeWriter, op: Op, handle: Wire, indices: Wire) -> Wire:
    """Slices of a variable."""
    return w.emit("GatherND", value_of(w, handle), w.cast(indices, dt.int64))


@counterpart("VariableShape", onnx="Shape")
def variable_shape(w: NodeWriter, op: VariableShape, handle: Wire) -> Wire:
    """The shape of a variable."""
    return w.cast(w.shape(value_of(w, handle)), op.out_type)
